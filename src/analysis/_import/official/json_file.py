"""JSON that submitters wrote: UTF-8, where what somebody pasted in Latin-1 must not cost the file."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

from analysis._import.official.entry import EntryError

codecs.register_error("or-latin-1", lambda error: (error.object[error.start : error.end].decode("latin-1"), error.end))


def read(path: Path | str) -> Any:
    """The content of a JSON file. Raises EntryError that says what is wrong with it, to follow its name."""
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8-sig", "or-latin-1"))
    except OSError as error:
        raise EntryError(f"cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise EntryError(f"is no JSON ({error})") from None


def read_object(path: Path | str, name: str = "") -> dict[str, Any]:
    """The object that a JSON file holds. Raises EntryError that begins with the file's `name`."""
    name = name or Path(path).name
    try:
        content = read(path)
    except EntryError as error:
        raise EntryError(f"{name}: {error}") from None
    if not isinstance(content, dict):
        raise EntryError(f"{name}: is {type(content).__name__}, expected an object")
    return content
