"""What a notebook's cell shows: findings, tables, provenance, figures, sliders."""
