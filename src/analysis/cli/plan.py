"""Stands in until the command is written."""

from __future__ import annotations


def plan() -> int:
    """Not written yet."""
    raise RuntimeError("not written yet")


def choose() -> int:
    """Not written yet."""
    raise RuntimeError("not written yet")
