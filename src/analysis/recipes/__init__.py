"""Tasks of each round: read official results into tables, compute derived tables, and judge documents."""
