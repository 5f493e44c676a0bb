"""Characters that are no text: found, left out, and shown by their names."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis._core import unprintable

NO_TEXT = ["\0", "\x07", "\x1b", "\x7f", "\x9b", "\u202a", "\u202e", "\u2066", "\u2069", "\ud800", "\udcff", "\uffff"]


@pytest.mark.parametrize("sign", NO_TEXT)
def test_a_character_that_is_no_text_is_found_left_out_and_shown(sign):
    text = f"a{sign}b"
    assert unprintable.within(text) == f"U+{ord(sign):04X}"
    assert unprintable.without(text) == ("ab", 1)
    assert unprintable.escaped(text) == f"a{ascii(sign)[1:-1]}b" and sign not in unprintable.escaped(text)


@pytest.mark.parametrize("text", ["", "Acmé 8×H100 – 80 GB", "a\u202fb\u00a0c", "日本", "\u05d0\u200f"])
def test_text_of_any_language_is_left_alone(text):
    assert unprintable.within(text) == "" and unprintable.without(text) == (text, 0)
    assert unprintable.escaped(text) == unprintable.escaped_lines(text) == text


def test_a_tab_and_ends_of_lines_are_text_but_not_of_one_line():
    assert unprintable.within("a\tb\r\nc") == "" and unprintable.escaped("a\tb\r\nc") == "a\\tb\\r\\nc"


@given(st.text(max_size=40))
def test_what_is_escaped_is_one_line(text):
    r"""Also where U+2028 and U+2029, which end lines as \n does, are in it."""
    assert len(unprintable.escaped(f"a{text}\u2028b\u2029c").splitlines()) == 1


def test_blanks_stay_where_others_are_left_out_and_lines_keep_their_ends():
    assert unprintable.without("a\tb\n\x85\x1fc\x07") == ("a\tb\n\x85\x1fc", 1)
    assert unprintable.escaped_lines("a\x1b[31m\nb\tc") == "a\\x1b[31m\nb\\tc"


@given(st.text(st.characters(), max_size=40))
def test_what_is_left_stands_in_a_page(text):
    """Any text that is escaped is XML and UTF-8, and nothing is found in it again."""
    shown = unprintable.escaped(text)
    assert unprintable.within(shown) == ""
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;")
    assert (ElementTree.fromstring(f"<p>{escaped}</p>").text or "") == shown
