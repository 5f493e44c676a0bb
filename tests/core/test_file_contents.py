"""A file is whole or not there, whatever happens while it is written."""

import threading
from pathlib import Path

import pytest

from analysis._core.file_contents import (
    NotUtf8,
    aside,
    foreign,
    of_file,
    read_sealed,
    sha256,
    sha256_of,
    utf8,
    write_sealed,
    write_whole,
)

DIGEST = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of abc


def test_digest_of_text_bytes_and_file_is_the_same(tmp_path):
    write_whole(tmp_path / "new" / "abc", "abc")
    assert sha256("abc") == sha256(b"abc") == sha256_of(tmp_path / "new" / "abc") == DIGEST


def test_what_is_written_aside_is_not_there_until_the_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with aside(path) as place:
        place.write_text("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after" and [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), aside(path) as place:
        place.write_text("half")
        _ = 1 / 0
    assert path.read_text() == "before" and [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_threads_that_write_one_file_do_not_write_into_each_others(tmp_path):
    path, meet, left = tmp_path / "a.txt", threading.Barrier(4, timeout=60), []

    def write(text):
        with aside(path) as place:
            place.write_text(text)
            meet.wait()
            left.append(place.read_text() == text)

    writers = [threading.Thread(target=write, args=(letter * 9,)) for letter in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert left == [True] * 4
    assert path.read_text() in {letter * 9 for letter in "abcd"}
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("a".encode("utf-8-sig"), 1, "begins with a byte order mark; save it as UTF-8 without one"),
        ("a".encode("utf-16"), 1, "is UTF-16 text; save it as UTF-8"),
        (b"a\nb\n\xf6", 3, "is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_text_of_another_encoding_is_named(content, line, words):
    with pytest.raises(NotUtf8, match=words) as error:
        utf8(content)
    assert error.value.line == line


@pytest.mark.parametrize(
    ("start", "words"),
    [(b"\xff\xfea\0", "is UTF-16 text; save it as UTF-8"),
     (b"\xef\xbb\xbfa", ""), (b"[{", "")],
)  # fmt: skip
def test_what_is_no_utf_8_is_told_by_its_first_bytes(start, words):
    assert foreign(start) == words


def test_utf_8_is_read_as_it_is():
    assert utf8("ä\r\n".encode()) == "ä\r\n"


def test_what_is_computed_of_a_file_is_computed_again_once_it_has_changed(tmp_path):
    file, asked = tmp_path / "a.txt", []

    def length(path):
        asked.append(path)
        return len(path.read_bytes())

    assert of_file(file, length) is None and of_file(tmp_path, Path.read_bytes) is None
    file.write_text("one")
    assert [of_file(file, length), of_file(file, length)] == [3, 3]
    file.write_text("three")
    assert of_file(file, length) == 5
    file.unlink()
    assert of_file(file, length) is None
    assert asked == [file] * 2


def test_what_is_sealed_comes_back_whole_or_not_at_all(tmp_path):
    path = tmp_path / "folder" / "kept"
    write_sealed(path, "a name", b"what is kept")
    held = path.read_bytes()
    assert bytes(read_sealed(path, "a name")) == b"what is kept"
    assert read_sealed(path, "another") is None
    for torn in (b"", held[:10], held[:64], held[:-1], held + b"x", held.replace(b"what", b"that")):
        path.with_name("torn").write_bytes(torn)
        assert read_sealed(path.with_name("torn"), "a name") is None
    assert read_sealed(path.with_name("gone"), "a name") is None and read_sealed(path.parent, "a name") is None
    path.with_name("torn").unlink()
    assert [each.name for each in path.parent.iterdir()] == ["kept"]
