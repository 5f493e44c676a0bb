"""What is kept of tables and verdicts: the same warm or cold, noticed when wrong, and never in the way."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis._build.runs.modules import reached
from analysis._core import paths
from analysis._core.paths import CACHE, DATA, ROOT
from analysis._tables import derived_tables
from analysis._tables.catalog import Catalog
from analysis._tables.derived_tables import ROOMS, STATES, Kept
from analysis.audit import flags

FRAME = pd.DataFrame(
    {
        "text": pd.array(["a", "", "ü"], dtype="str"),
        "number": [1.5, np.nan, -0.0],
        "whole": pd.array([1, None, 3], dtype="Int64"),
        "is": [True, False, True],
    }
)


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "datapackage.json").write_text("{}")
    return data


@pytest.fixture
def made():
    """What was made, in order."""
    return []


@pytest.fixture
def of(made):
    def maker(name="frame", frame=FRAME):
        def make():
            made.append(name)
            return frame

        return make

    return maker


def files(place):
    return sorted(path for path in place.rglob("*") if path.is_file())


def test_a_frame_is_made_once_and_comes_back_as_it_was(folder, made, of):
    place = folder.parent / "kept"
    for _ in range(3):
        frame = Kept(folder, [], place).frame("fruit", of())
        pd.testing.assert_frame_equal(frame, FRAME, check_exact=True)
        assert np.signbit(frame.at[2, "number"])
    assert made == ["frame"]
    assert [path.name for path in files(place)] == ["fruit.arrow"]


@pytest.mark.parametrize("change", ["table", "official", "code", "name", "new"])
def test_another_state_is_made_anew(folder, made, of, change, monkeypatch):
    place = folder / "kept"
    Kept(folder, [], place).frame("fruit", of())
    name = "fruit"
    if change == "table":
        (folder / "datapackage.json").write_text("{ }")
    elif change == "official":
        monkeypatch.setenv("ANALYSIS_OFFICIAL", "off")
    elif change == "code":
        monkeypatch.setattr(derived_tables, "_LOADED", "another")
        monkeypatch.setattr(derived_tables, "code_digest", lambda: "another")
    elif change == "new":
        (folder / "official").mkdir()
        (folder / "official" / "mine.csv").write_text("a\n")
    else:
        name = "pears"
    Kept(folder, [], place).frame(name, of())
    assert made == ["frame"] * 2


def test_a_process_whose_code_was_edited_keeps_nothing_and_reads_nothing(folder, made, of, monkeypatch):
    Kept(folder, [], folder / "kept").frame("fruit", of())
    monkeypatch.setattr(derived_tables, "code_digest", lambda: "as it was edited")
    before = files(folder / "kept")
    for _ in range(2):
        Kept(folder, [], folder / "kept").frame("fruit", of())
    assert made == ["frame"] * 3
    assert files(folder / "kept") == before


@pytest.mark.parametrize("wrong", ["torn", "bit", "another's", "folder"])
def test_a_wrong_file_is_noticed_and_made_again(folder, made, of, wrong):
    place = folder / "kept"
    Kept(folder, [], place).frame("fruit", of())
    (file,) = files(place)
    content = file.read_bytes()
    if wrong == "another's":
        Kept(folder, [], place).frame("pears", of(frame=FRAME.assign(number=0.0)))
        shutil.copy(file.with_name("pears.arrow"), file)
        made.pop()
    elif wrong == "folder":
        file.unlink()
        file.mkdir()
    else:
        flipped = content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]
        file.unlink()  # A new file, as it is mapped into memory here.
        file.write_bytes(content[: len(content) // 2] if wrong == "torn" else flipped)
    pd.testing.assert_frame_equal(Kept(folder, [], place).frame("fruit", of()), FRAME, check_exact=True)
    assert made == ["frame"] * 2
    if wrong != "folder":
        assert file.read_bytes() == content


def test_a_full_disk_or_a_checkout_that_is_read_only_changes_nothing(folder, of, monkeypatch):
    def full(*arguments, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    pd.testing.assert_frame_equal(Kept(folder, [], folder / "kept").frame("fruit", of()), FRAME)
    assert not files(folder / "kept")  # nor half of one
    monkeypatch.setattr(Path, "mkdir", full)
    pd.testing.assert_frame_equal(Kept(folder, [], folder / "nowhere").frame("fruit", of()), FRAME)
    assert not (folder / "nowhere").exists()


def test_only_the_newest_states_stay(folder, of):
    place = folder / "kept"
    for number in range(STATES + 3):
        (folder / "datapackage.json").write_text("{}" + " " * number)
        Kept(folder, [], place).frame("fruit", of())
        for age, state in enumerate(sorted(place.iterdir(), key=lambda path: path.stat().st_mtime_ns)):
            os.utime(state, (age, age))
    assert len(list(place.iterdir())) == STATES


def test_all_code_that_makes_a_kept_frame_is_in_the_rooms_that_are_digested():
    made_by = ["from analysis._tables import catalog, derived_tables\nfrom analysis.audit import checks, flags\n"]
    source = ROOT / "src"
    rooms = {path.relative_to(source / "analysis").parts[0] for path in reached(made_by, source)}
    assert rooms - {"__init__.py"} == set(ROOMS)


def test_only_the_projects_own_tables_are_kept_and_not_where_it_is_off(tmp_path, monkeypatch):
    monkeypatch.delenv("ANALYSIS_CACHE", raising=False)
    assert paths.tables_cache(DATA) == CACHE / "tables"
    assert paths.tables_cache(tmp_path) is None
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    assert paths.tables_cache(DATA) is None


def everything(catalog):
    names = ("results", "doubts", "sources", "benchmarks", "claims", "prices", "quantization", "rounds")
    return {name: getattr(catalog, name) for name in names}


def test_a_catalog_says_the_same_cold_and_warm_and_without_anything_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    told = []
    for place in (None, tmp_path, tmp_path):
        catalog = Catalog(DATA, flags.of_each, place)
        frames = everything(catalog)
        told.append((frames, catalog.used))
    assert files(tmp_path)
    (frames, used), *others = told
    for other_frames, other_used in others:
        assert other_used == used
        for name, frame in frames.items():
            pd.testing.assert_frame_equal(other_frames[name], frame, check_exact=True, check_index_type="exact")


def test_what_a_kept_frame_was_made_with_counts_as_used(tmp_path, monkeypatch):
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    told = []
    for _ in range(2):
        catalog = Catalog(DATA, flags.of_each, tmp_path)
        assert len(catalog.doubts)
        told.append(catalog.used)
    assert told[0] == told[1] != {}


def test_a_judge_from_elsewhere_is_asked_each_time(tmp_path):
    asked = []

    def judge(catalog):
        asked.append(catalog)
        return pd.DataFrame({"doubt": "", "checked": True}, index=pd.Index(catalog.results["id"]))

    for _ in range(2):
        assert Catalog(DATA, judge, tmp_path).doubts["checked"].all()
    assert len(asked) == 2


def test_what_is_held_is_there_without_a_file_and_is_nobody_s_to_change(folder, made, of, monkeypatch):
    place = folder / "kept"
    Kept(folder, [], place).frame("fruit", of())
    monkeypatch.setattr(derived_tables, "_held", None)
    derived_tables.hold_in_memory()
    first = Kept(folder, [], place).frame("fruit", of())
    first["text"] = "eaten"
    first.loc[:, "number"] = 0.0
    shutil.rmtree(place)
    second = Kept(folder, [], place).frame("fruit", of())
    pd.testing.assert_frame_equal(second, FRAME, check_exact=True)
    second.loc[0, "whole"] = 7
    pd.testing.assert_frame_equal(Kept(folder, [], place).frame("fruit", of()), FRAME, check_exact=True)
    assert made == ["frame"]
    (folder / "datapackage.json").write_text("{ }")
    Kept(folder, [], place).frame("fruit", of())
    assert made == ["frame"] * 2
