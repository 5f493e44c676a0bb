"""The tables of data/: described, read, checked, put right, joined with what was imported."""
