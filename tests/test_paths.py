"""Files are read where they are plain and small, and replaced whole or not at all."""

from __future__ import annotations

import os
from importlib.util import module_from_spec

import pytest

from analysis import paths
from analysis.paths import plain, read_file, replacing


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    file = tmp_path / "table.csv"
    with replacing(file) as beside:
        beside.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(file) as beside:
        beside.write_text("new")
        _ = 1 / 0
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert file.read_text() == "old"


def test_what_is_no_plain_file_or_too_large_is_named(tmp_path):
    for name, size in (("small.csv", 5), ("large.csv", 100_000_001)):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, size)  # without a content on the disk
    assert read_file(tmp_path / "small.csv", 5) == bytes(5)
    for path, words in (("large.csv", "larger than 100,000,000 bytes"), ("", "regular file"), ("none", "no such")):
        with pytest.raises(ValueError, match=words):
            read_file(tmp_path / path)


def test_data_is_looked_up_in_the_variable_then_around_the_package_and_around_here(tmp_path, monkeypatch):
    monkeypatch.delenv(paths.NAMED, raising=False)
    inner = tmp_path / "notebooks"
    inner.mkdir()
    project = paths.PACKAGE.parents[1]
    for folder in (tmp_path, inner):
        monkeypatch.chdir(folder)
        assert paths.places() == [project / "data", tmp_path / "data", paths.SHIPPED]
    monkeypatch.setenv(paths.NAMED, str(tmp_path))
    assert paths.places() == [tmp_path]
    again = module_from_spec(paths.__spec__)
    again.__spec__.loader.exec_module(again)
    assert [tmp_path, tmp_path.parent] == [again.DATA, again.ROOT]  # wherever this process is
    assert paths.other_project() is None
    (tmp_path / "src/analysis").mkdir(parents=True)
    (tmp_path / "src/analysis/paths.py").touch()
    assert paths.other_project() == tmp_path
    monkeypatch.chdir(project / "src")
    assert paths.other_project() is None


def test_a_file_has_another_state_when_it_is_written_or_replaced(tmp_path):
    """By time, by size with the time of before, and by a file that has both."""
    file, other = tmp_path / "a", tmp_path / "b"
    states = []
    for content, time in (("1", 1), ("1", 2), ("22", 2)):
        file.write_text(content)
        os.utime(file, ns=(time, time))
        states.append(paths.state(file))
    other.write_text("33")
    os.utime(other, ns=(2, 2))
    other.replace(file)
    assert len({*states, paths.state(file)}) == 4 and paths.state(tmp_path) == ()
    assert paths.state(other) is None and paths.state(tmp_path / "\0") is None


def test_an_object_that_has_a_key_twice_is_refused():
    assert paths.parse_json('{"a": 1, "b": {"a": 2}}') == {"a": 1, "b": {"a": 2}}
    with pytest.raises(ValueError, match="the key 'b' is duplicated"):
        paths.parse_json('{"a": 1, "b": 2, "b": 3}')


def test_a_name_that_two_files_have_is_refused(tmp_path, monkeypatch):
    (here := tmp_path / "notebooks").mkdir()
    monkeypatch.setattr("analysis.paths.ROOT", tmp_path)
    monkeypatch.chdir(here)
    (tmp_path / "prices.csv").write_text("root")
    assert read_file("prices.csv") == b"root"
    (here / "prices.csv").symlink_to(tmp_path / "prices.csv")
    assert read_file("prices.csv") == b"root"
    (here / "prices.csv").unlink()
    (here / "prices.csv").write_text("here")
    with pytest.raises(
        ValueError, match=r"prices\.csv: names different files in .*notebooks and .*; give the full path"
    ):
        read_file("prices.csv")
    assert read_file(here / "prices.csv") == b"here"


def test_a_link_stays_a_link(tmp_path):
    (target := tmp_path / "kept.csv").write_text("old")
    (link := tmp_path / "table.csv").symlink_to(target)
    with replacing(link) as beside:
        beside.write_text("new")
    assert link.is_symlink() and target.read_text() == "new"


def test_a_file_saved_meanwhile_or_protected_is_kept_and_permissions_stay(tmp_path, monkeypatch):
    (file := tmp_path / "table.csv").write_text("old")
    file.chmod(0o600)
    with pytest.raises(OSError, match="changed in the meantime and was not replaced"), replacing(file) as beside:
        beside.write_text("new")
        file.write_text("mine!")
    assert file.read_text() == "mine!"
    with replacing(file):
        file.write_text("nothing to write")
    assert file.read_text() == "nothing to write"
    with replacing(file) as beside:
        beside.write_text("new")
    assert file.read_text() == "new" and file.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="write-protected"), replacing(file) as beside:
        beside.write_text("newer")
    assert file.read_text() == "new" and list(tmp_path.iterdir()) == [file]


def test_a_pipe_is_no_plain_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe: is not a regular file"):
        plain(tmp_path / "pipe")
    assert plain(tmp_path / "none.csv") == tmp_path / "none.csv"
