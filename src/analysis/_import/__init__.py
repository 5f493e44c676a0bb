"""Official and measured files become result rows, one module per format."""
