"""A user's own runs: one module per tool that writes them."""
