"""What the reports say: one module per notebook turns a theme's frames into findings, titles and sentences."""
