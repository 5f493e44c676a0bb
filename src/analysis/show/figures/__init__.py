"""Figures: how each looks and is shown (theme, style, colours), what is drawn (charts, parts) and told (in_words)."""
