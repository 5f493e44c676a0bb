"""Characters that are no text: they steer terminals, turn the order of what is read, or break a page.

Control characters (C0 but for the tab and ends of lines, C1), those that set the direction of text (U+202A to U+202E,
U+2066 to U+2069), halves of surrogate pairs, which UTF-8 has not, and U+FFFE and U+FFFF, which XML has not.
"""

from __future__ import annotations

import re

_SIGNS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_NO_TEXT, _OF_ONE_LINE = re.compile(f"[{_SIGNS}]"), re.compile(f"[\t\n\r\u2028\u2029{_SIGNS}]")


def within(text: str) -> str:
    """The first such character of a text, as `U+202E`; "" where there is none."""
    match = None if text.isprintable() else _NO_TEXT.search(text)
    return f"U+{ord(match[0]):04X}" if match else ""


def without(text: str) -> tuple[str, int]:
    """A text without such characters, and how many were left out of it; those that are blanks stay."""
    if text.isprintable():
        return text, 0
    cleaned = _NO_TEXT.sub(lambda match: match[0] if match[0].isspace() else "", text)
    return cleaned, len(text) - len(cleaned)


def escaped(text: str) -> str:
    r"""A text of one line that shows such characters as Python writes them, `\x1b` and `\u202e`, ends of lines too."""
    return text if text.isprintable() else _OF_ONE_LINE.sub(lambda match: ascii(match[0])[1:-1], text)


def escaped_lines(text: str) -> str:
    """Several lines, `escaped` but for their ends."""
    return "\n".join(map(escaped, text.split("\n")))
