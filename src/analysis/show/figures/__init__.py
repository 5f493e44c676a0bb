"""Figures: how each looks and is shown (style, colours), what is drawn (charts, loglog, parts) and told (in_words)."""
