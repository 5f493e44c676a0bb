"""The explorer: the official record as a page that filters, draws and compares it without a server."""
