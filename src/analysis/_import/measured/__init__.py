"""A user's own runs: a module for each tool that writes them, distinguished in formats.py."""
