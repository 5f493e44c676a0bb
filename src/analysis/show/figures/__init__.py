"""Figures: style.py says how every figure looks and is shown, charts.py draws the kinds of figure that reports use."""
