"""Which files a process opened, and whether one changed since. An audit hook stays: each is set in a forked process."""

import os
import sys
from pathlib import Path

from analysis import paths
from analysis.pages.opened import CHANGED, Opened, changed, content_digest
from analysis.pages.processes import side_by_side

READS = """
import os, sqlite3
from pathlib import Path
import pandas as pd
import beside, package.inner
pd.read_csv("mine.csv"); open("link.txt", "rb").read(); sqlite3.connect("own.db").close(); [*os.walk("walked")]
[path.read_text() for path in [Path("b.txt"), Path("../root.txt"), Path("../../outside.txt"), *Path("in").glob("*")]]
open("during.csv").close(); os.rename("later.csv", "during.csv")
for missing in ("not_yet.csv", "../../../far/off.csv"):
    try: open(missing)
    except OSError: pass
paths.read_file("prices.csv")
for other in (".hidden/a", "../.git/config", "../data/t.csv", "../src/m.py", "../installed/b"): open(other).close()
Path("written.txt").write_text("a"); Path("written.txt").read_text()
number = os.open("number.txt", os.O_WRONLY | os.O_CREAT); os.fdopen(number, "w").close(); open("number.txt").close()
folder = os.open("unnamed", os.O_RDONLY); os.listdir(folder), os.scandir(folder).close()
"""
FILES = """../outside.txt notebooks/b.txt notebooks/beside.py notebooks/in/one.txt notebooks/mine.csv
    notebooks/own.db notebooks/package/inner.py prices.csv root.txt"""
TRACKED = f"{FILES} listed notebooks/in notebooks/link.txt notebooks/not_yet.csv notebooks/prices.csv"
TRACKED += " notebooks/unnamed notebooks/walked notebooks/walked/deep"
CHANGES = f"{FILES} real.txt notebooks/not_yet.csv notebooks/in/two.txt listed/new notebooks/walked/deep/new"
OTHERS = """listed/one notebooks/walked/deep/one notebooks/.hidden/a .git/config data/t.csv src/m.py installed/b
    notebooks/unnamed/one notebooks/later.csv notebooks/during.csv notebooks/number.txt notebooks/written.txt"""
NEW = "listed/.new listed/one~ listed/__pycache__ notebooks/other.csv notebooks/runs/notes.txt README.md ../elsewhere"


def opened(code):
    """The digests of what this code opens in the folder of notebooks."""

    def work():
        sys.dont_write_bytecode = False
        os.chdir(paths.NOTEBOOKS)
        sys.path.insert(0, "")
        found = Opened()
        exec(code, {"paths": paths})
        return found.digests()

    [(_, digests)] = side_by_side(work, {"code": ()}, 1, 60)
    return digests


def test_a_page_is_stale_when_what_its_notebook_opened_changed_and_only_then(project, monkeypatch):
    """Files by name, links, folders, modules, parents, a database, and what was not there."""
    texts = {"notebooks/beside.py": "import os\nos.listdir('../listed')", "notebooks/own.db": ""}
    for name in f"{FILES} {OTHERS} real.txt".split():
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        (project.root / name).write_text(texts.get(name, "1"))
    (project.notebooks / "link.txt").symlink_to("../real.txt")
    monkeypatch.setattr(sys, "prefix", str(project.root / "installed"))
    digests = opened(READS)
    assert digests.pop("notebooks/during.csv") == CHANGED and [*digests] == sorted(TRACKED.split())
    for name in CHANGES.split():
        file = project.root / name
        before = file.read_text() if file.exists() else None
        file.write_text("2")
        assert changed(digests), name
        file.unlink()
        if before is not None:
            assert changed(digests), name
            file.write_text(before)
        assert not changed(digests), name
    for name in f"{OTHERS} {NEW}".split():
        (project.root / name).write_text("3")
    assert not changed(digests)


def test_below_the_root_folder_nothing_beside_the_project_is_its_own(project, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", Path("/project"))
    assert opened("open('/etc/hosts').close()") == {}
    assert content_digest("x" * 300) == ""  # longer than any file's name
