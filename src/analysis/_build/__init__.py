"""From run files to finished pages: planning, execution, export, index."""
