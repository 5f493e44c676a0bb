"""An executed notebook becomes one self-contained HTML page."""
