"""Turn files into rows: official submissions and a user's own runs."""
