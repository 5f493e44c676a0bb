"""The rows of a JSON file one by one, however long the file is."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from analysis._core import file_contents

BLOCK = 1 << 16  # characters read at a time
LONGEST = 1 << 22  # characters that one row may have
DIGITS = 1000  # of an integer; a longer one is as good as infinite, and Python refuses to read it
_DECODER = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) < DIGITS else float(digits))
_CLOSING = {"[": "]", "{": "}"}
_OF_NUMBERS = "+-.0123456789eE"  # what a number may go on with where a block ends
_MARK = re.compile(r'\\.|["\[\]{}]', re.DOTALL)  # what tells where a value ends; what is escaped counts as one

# Summaries are UTF-8; a name that somebody pasted in Latin-1 must not cost the file.
codecs.register_error("or-latin-1", lambda error: (error.object[error.start : error.end].decode("latin-1"), error.end))


class StreamError(ValueError):
    """The file cannot be read on; the text says from which row on."""


class Skipped(NamedTuple):
    """Represents a row that was passed over; the text says why."""

    reason: str


def rows(path: Path) -> Iterator[Any]:
    """The values of the list, or of the object, that the file holds; each is decoded when it is asked for.

    A row that is nested too deeply to be decoded is a Skipped. Raises StreamError where the file is no list or object,
    breaks off, or goes on behind its end, after the rows that are whole; and for UTF-16.
    """
    try:
        with path.open("rb") as start:
            if fault := file_contents.foreign(start.read(4)):
                raise StreamError(fault)
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
        while (mark := self._next()) not in _CLOSING.values():
            if opening == "{":
                self._value()
                if self._next() != ":":
                    raise StreamError(f"row {self.number + 1}: its name is not followed by a colon")
                self.text = self.text[1:]
                self._next()
            self.number += 1
            yield self._value()
        if mark != _CLOSING[opening]:
            raise StreamError(f"after row {self.number}: what {opening} opened is closed by {mark}")
        self._end()

    def _end(self) -> None:
        """Raises StreamError unless only blanks follow what has been read."""
        self.text = self.text[1:]
        while not (after_it := self.text.strip(" \t\r\n")):
            self.text = self.file.read(BLOCK)
            if not self.text:
                return
        reason = f"goes on behind the end of its JSON, after row {self.number}: {after_it[:20]!r}"
        raise StreamError(f"{reason}; expected one list or object in a file")

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
                if isinstance(value, dict | list | str) or self.text[end : end + 1].strip(_OF_NUMBERS):
                    self.text = self.text[end:]
                    return value
            except RecursionError:
                self._skip()
                return Skipped("is nested too deeply")
            except ValueError:
                pass  # Not whole yet, or not JSON at all: the end of the file or of the patience tells.
            more = self.file.read(BLOCK)
            if not more or len(self.text) > LONGEST:
                raise StreamError(f"breaks off, or is no JSON, in row {max(self.number, 1)}")
            self.text += more

    def _skip(self) -> None:
        """Past the list or object that begins here, whatever is in it. Raises StreamError where it has no end."""
        depth, quoted = 0, False
        while self.text:
            while self.text.endswith("\\") and (more := self.file.read(1)):
                self.text += more
            for mark in _MARK.finditer(self.text):
                if mark[0] == '"':
                    quoted = not quoted
                elif not quoted and mark[0] in "[]{}":
                    depth += 1 if mark[0] in _CLOSING else -1
                    if not depth:
                        self.text = self.text[mark.end() :]
                        return
            self.text = self.file.read(BLOCK)
        raise StreamError(f"breaks off, or is no JSON, in row {self.number}")
