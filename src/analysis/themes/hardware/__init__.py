"""What the hardware can do at most: what fits in memory, the roofline, and what runs reach of it."""
