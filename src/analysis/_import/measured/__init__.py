"""A user's own runs: a module for each tool that writes them, told apart in formats.py."""
