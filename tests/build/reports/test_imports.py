"""What code imports is read once, whichever process asks; nothing rests on what is kept."""

import ast
from pathlib import Path
from typing import Any

import pytest

from analysis._build.runs import imports
from analysis._core import paths, syntax

CODE = "import a.b\n\ndef later():\n    from . import c\n"
NAMES = ("a", "a.b", "room", "room.c")


class Process:
    """Processes one after another that share a cache; `read` has the code that they had to read as a tree."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch, self.read = monkeypatch, []
        self.starts()

    def starts(self) -> None:
        """Forget what a process holds in memory."""
        for cached in (imports.imported, imports._kept):
            cached.cache_clear()
        self._monkeypatch.setattr(imports, "_new", {})
        self._monkeypatch.setattr(syntax, "tree", self._tree)

    def _tree(self, code: str) -> Any:
        self.read.append(code)
        return ast.parse(code)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(paths, "CACHE", tmp_path)
    monkeypatch.delenv("ANALYSIS_CACHE", raising=False)
    yield Process(monkeypatch)
    for cached in (imports.imported, imports._kept):
        cached.cache_clear()


def test_the_next_process_reads_nothing_again(process: Process) -> None:
    assert imports.imported(CODE, "room") == NAMES
    imports.keep()
    process.starts()
    assert imports.imported(CODE, "room") == NAMES
    assert process.read == [CODE]


def test_other_code_and_code_of_another_package_are_read(process: Process) -> None:
    imports.imported(CODE, "room")
    imports.keep()
    process.starts()
    assert imports.imported(CODE, "house") == ("a", "a.b", "house", "house.c")
    assert imports.imported("import a", "room") == ("a",)
    assert len(process.read) == 3


def test_what_one_process_adds_leaves_what_another_kept(process: Process) -> None:
    for code in (CODE, "import a"):
        imports.imported(code, "room")
        imports.keep()
        process.starts()
    assert [imports.imported(code, "room") for code in (CODE, "import a")] == [NAMES, ("a",)]
    assert len(process.read) == 2


def test_only_so_much_is_kept_and_the_newest_of_it(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST", 2)
    for name in "abc":
        imports.imported(f"import {name}", "room")
        imports.keep()
        process.starts()
    assert [imports.imported(f"import {name}", "room") for name in "cba"] == [("c",), ("b",), ("a",)]
    assert process.read == ["import a", "import b", "import c", "import a"]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff" * 100])
def test_a_damaged_file_is_as_good_as_none(process: Process, tmp_path: Path, damage: bytes) -> None:
    imports.imported(CODE, "room")
    imports.keep()
    [file] = (tmp_path / "imports").iterdir()
    for content in (damage, file.read_bytes()[:-5], file.read_bytes().replace(b"a.b", b"a.c")):
        file.write_bytes(content)
        process.starts()
        assert imports.imported(CODE, "room") == NAMES
    assert len(process.read) == 4


def test_names_read_by_another_version_of_the_reader_do_not_count(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports.imported(CODE, "room")
    imports.keep()
    process.starts()
    monkeypatch.setattr(imports, "_told", lambda: "another")
    assert imports.imported(CODE, "room") == NAMES
    assert len(process.read) == 2


def test_nothing_is_written_where_nothing_may_be(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    assert imports.imported(CODE, "room") == NAMES
    imports.keep()
    assert not paths.CACHE.joinpath("imports").exists()
    monkeypatch.delenv("ANALYSIS_CACHE")
    paths.CACHE.joinpath("imports").write_text("a file where a folder should be")
    imports.keep()
    process.starts()
    assert imports.imported(CODE, "room") == NAMES


def test_code_that_is_no_python_imports_nothing_and_is_not_kept(process: Process) -> None:
    assert imports.imported("def broken(", "room") == ()
    imports.keep()
    assert not paths.CACHE.joinpath("imports").exists()
