"""The tables of data/: described, read, checked, corrected, joined with what was imported."""
