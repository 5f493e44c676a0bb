"""A file is whole or not there, whatever happens while it is written."""

from pathlib import Path

import pytest

from analysis.core.contents import aside, sha256, sha256_of, write_whole

DIGEST = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of abc


def test_digest_of_text_bytes_and_file_is_the_same(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "abc", "abc")
    assert sha256("abc") == sha256(b"abc") == sha256_of(tmp_path / "new" / "abc") == DIGEST


def test_what_is_written_aside_is_not_there_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with aside(path) as place:
        place.write_text("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after" and [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), aside(path) as place:
        place.write_text("half")
        _ = 1 / 0
    assert path.read_text() == "before" and [file.name for file in tmp_path.iterdir()] == ["a.txt"]
