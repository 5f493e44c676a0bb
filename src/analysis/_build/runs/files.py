"""Digests of files that are asked for again and again, and JSON in one form."""

import json
from pathlib import Path
from typing import Any

from analysis._core.file_contents import of_file, sha256_of


def file_sha256(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, or None where there is no such file."""
    return of_file(path, sha256_of)


def canonical_json(value: Any) -> str:
    """JSON text that is equal for equal values: sorted keys, no spaces. Raises ValueError for NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: Any) -> str:
    """JSON text for people and for `git diff`: indented, keys in their given order."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
