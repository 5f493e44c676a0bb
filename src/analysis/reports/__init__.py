"""Run files to finished pages: planning, execution, export, index; never a theme, a chart or a number."""
