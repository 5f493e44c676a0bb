"""The rows of a JSON file one by one, however long the file is; what a row means does not belong here."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

BLOCK = 1 << 16  # characters read at a time
LONGEST = 1 << 22  # characters that one row may have
_DECODER = json.JSONDecoder()

# Summaries are UTF-8; a name that somebody pasted in Latin-1 must not cost the file.
codecs.register_error("or-latin-1", lambda error: (error.object[error.start : error.end].decode("latin-1"), error.end))


class StreamError(ValueError):
    """The file cannot be read on; the text says from which row on."""


def rows(path: Path) -> Iterator[Any]:
    """The values of the list, or of the object, that the file holds; each is decoded when it is asked for.

    Raises StreamError where the file is no list or object, or breaks off, after the rows that are whole.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="or-latin-1") as file:
            yield from _Reader(file).rows()
    except OSError as error:
        raise StreamError(f"cannot be read: {error.strerror}") from None


class _Reader:
    """A window on the text, as long as the row that is being decoded."""

    def __init__(self, file: TextIO) -> None:
        self.file, self.text, self.number = file, "", 0

    def rows(self) -> Iterator[Any]:
        opening = self._next()
        if opening not in ("[", "{"):
            raise StreamError("is no JSON list or object of results")
        self.text = self.text[1:]
        while self._next() not in ("]", "}"):
            if opening == "{":
                self._value()
                if self._next() != ":":
                    raise StreamError(f"row {self.number + 1}: its name is not followed by a colon")
                self.text = self.text[1:]
                self._next()
            self.number += 1
            yield self._value()

    def _next(self) -> str:
        """The next character that means something; raises StreamError at the end of the file."""
        while not (text := self.text.lstrip(" \t\r\n,")):
            self.text = self.file.read(BLOCK)
            if not self.text:
                raise StreamError(f"breaks off after row {self.number}" if self.number else "is empty or breaks off")
        self.text = text
        return text[0]

    def _value(self) -> Any:
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text)
                if end < len(self.text) or isinstance(value, dict | list | str):
                    self.text = self.text[end:]
                    return value
            except RecursionError:
                raise StreamError(f"row {self.number}: nested too deeply") from None
            except ValueError:
                pass  # Not whole yet, or not JSON at all: the end of the file or of the patience tells.
            more = self.file.read(BLOCK)
            if not more or len(self.text) > LONGEST:
                raise StreamError(f"breaks off, or is no JSON, in row {max(self.number, 1)}")
            self.text += more
