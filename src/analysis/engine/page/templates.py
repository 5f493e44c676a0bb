"""Where the templates of pages and lists lie."""

from pathlib import Path

TEMPLATES = Path(__file__).with_name("template")
