"""The audit: one module per kind of check, each check a small function from tables to judgments."""
