"""Stands in until the command is written."""

from __future__ import annotations


def measure() -> int:
    """Not written yet."""
    raise RuntimeError("not written yet")
