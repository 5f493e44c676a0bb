"""`analysis reports --watch`: reports are built again as their files are edited, and open pages follow."""
