"""A preview: edits of each kind build what depends on them, pages follow and say what is wrong, nothing is left."""

import base64
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from analysis._build.index import front
from analysis._build.kernels.pool import Workers
from analysis._build.runs.folders import Places
from analysis._build.watch import loop
from analysis._build.watch.preview import Preview

PROGRAM = """
import signal
import sys
from pathlib import Path
from analysis._build.runs.folders import Places
from analysis._build.watch.loop import watch
# Whoever started the tests in the background made SIGINT ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
watch(places=Places.under(Path(sys.argv[1])), port=0, say=lambda line: print(line, flush=True))
"""
LONG = 120  # seconds after which what is waited for will not come


def until(holds):
    """What `holds` says once that is true; fails where it never is."""
    end = time.monotonic() + LONG
    while not (said := holds()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return said


class Watched:
    """A preview in a process of its own, on a project whose third report imports no module."""

    def __init__(self, project, log):
        self.project, self.log = project, log
        text = project.places.notebook("apples").read_text()
        pears = text.replace("from toy.sums import double", "double = abs").replace(
            "import hashlib, toy", "import hashlib"
        )
        pears = pears.replace("Path(toy.__file__).parents[2]", "Path('..')")
        project.places.notebook("pears").write_text(pears)
        project.run_file("pears", "pears")
        # Kernels are reached by sockets there, whose paths have room for a hundred characters.
        temporary = Path(tempfile.mkdtemp(prefix="watch"))
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(project.places.root)], stdout=log.open("w"), stderr=subprocess.STDOUT,
            env=os.environ | {"TMPDIR": str(temporary)},
        )  # fmt: skip
        self.temporary = temporary
        self.address = until(lambda: re.search(r"http://127\.0\.0\.1:\d+/", self.said))[0]
        until(self.at_rest)

    def at_rest(self):
        """Whether there is nothing to build, and the index says so."""
        return self.project.fresh() and self.project.page("index") == front.render(self.project.places)

    @property
    def said(self):
        """What the terminal shows."""
        return self.log.read_text()

    def get(self, name, **headers):
        """The text of a page and its version."""
        asked = urllib.request.Request(self.address + name, headers=headers)
        with urllib.request.urlopen(asked, timeout=LONG) as answer:
            return answer.read().decode(), answer.headers["ETag"]

    def version(self, name):
        """The version of a page, as its script asks for it."""
        asked = urllib.request.Request(self.address + name, method="HEAD")
        with urllib.request.urlopen(asked, timeout=LONG) as answer:
            return answer.headers["ETag"]

    def refused(self, name, **headers):
        """The status by which a request is refused."""
        with pytest.raises(urllib.error.HTTPError) as error:
            self.get(name, **headers)
        with error.value as answer:  # It holds what it was answered by, a socket too.
            return answer.code

    def built_by(self, edit, page, words):
        """The reports that are built after an edit, once a page has the words that it leads to."""
        before = len(self.said)
        edit()
        until(lambda: words in self.get(page)[0] and self.project.fresh())
        # One more edit is noticed once all that the first one led to is said.
        self.project.run_file("pears", "pears", name=f"Mark {before}")
        until(lambda: "built   pears" in self.said[before:])
        return re.findall(r"^built   (\w+)", self.said[before:], re.MULTILINE)


@pytest.fixture(scope="module")
def watched(tmp_path_factory, built):
    """A preview that tests edit one after the other."""
    folder = tmp_path_factory.mktemp("watched")
    preview = Watched(built.copy(folder / "project"), folder / "log")
    yield preview
    preview.process.send_signal(signal.SIGINT)
    preview.process.wait(LONG)
    shutil.rmtree(preview.temporary)


def saved(path, text):
    """Save as editors and JupyterLab do: written aside, then renamed."""
    aside = path.with_name(f".~{path.name}")
    aside.write_text(text)
    aside.replace(path)


def replaced(path, old, new):
    """Save a file with another text in one place."""
    text = path.read_text()
    assert old in text
    saved(path, text.replace(old, new))


def test_a_notebook_s_edit_builds_its_reports(watched):
    version, other = watched.version("apples.html"), watched.version("pears.html")
    notebook = watched.project.places.notebook("apples")
    built = watched.built_by(lambda: replaced(notebook, "What is compared", "What is set side by side"),
                             "apples.html", "What is set side by side")  # fmt: skip
    assert sorted(built) == ["apples", "apples_five", "pears"]  # pears by its own edit at the end
    assert watched.version("apples.html") != version and watched.version("pears.html") != other


def test_a_new_run_file_is_a_new_page_and_takes_it_along_when_it_goes(watched):
    assert "no page of this name yet" in watched.get("plums.html")[0]
    watched.project.run_file("plums", "pears", apples=8)
    until(lambda: "Ann has 8 apples." in watched.get("plums.html")[0] and "plums.html" in watched.get("")[0])
    (watched.project.places.runs / "plums.yml").unlink()
    until(lambda: not (watched.project.places.reports / "plums.html").exists())


def test_what_fails_stands_in_page_and_terminal_until_it_is_mended(watched):
    places = watched.project.places
    before, page = (places.reports / "apples.html").read_bytes(), "apples.html"
    replaced(places.notebook("apples"), "low = double(apples)", "low = doubel(apples)")
    until(lambda: 'role="alert"' in watched.get(page)[0])
    shown = watched.get(page)[0]
    assert "NameError: name &#x27;doubel&#x27; is not defined" in shown and "How many apples?" in shown
    until(lambda: "NameError: name 'doubel' is not defined" in watched.said)
    assert (places.reports / "apples.html").read_bytes() == before
    assert 'role="alert"' not in watched.get("pears.html")[0]
    count = watched.said.count("FAILED  apples\n")
    watched.project.run_file("pears", "pears", name="Zoe")  # What failed is not tried again for another's sake.
    until(lambda: "Zoe has" in watched.get("pears.html")[0])
    assert watched.said.count("FAILED  apples\n") == count
    replaced(places.notebook("apples"), "low = doubel(apples)", "low = double(apples)")
    until(lambda: 'role="alert"' not in watched.get(page)[0])


def test_pages_on_disk_are_those_of_a_build_without_a_preview(watched):
    until(watched.at_rest)
    seen = {name: text for name, text in watched.project.tree().items() if not name.startswith(".failed")}
    assert watched.project.build(force=True, kernels="ordinary").status == 0
    assert watched.project.tree() == seen
    assert "<script data-version" not in watched.project.page("apples")


def test_it_answers_on_this_machine_alone_and_by_no_other_name(watched):
    listening = [each for each in psutil.Process(watched.process.pid).net_connections() if each.status == "LISTEN"]
    assert [each.laddr.ip for each in listening] == ["127.0.0.1"]
    assert watched.refused("apples.html", Host="apples.example:80") == 403
    for outside in (".failed/apples.txt", "..%2fdata/apples.csv", "%2e%2e/data/apples.csv", "a%5c..%5cb.html"):
        assert watched.refused(outside) == 403
    assert watched.refused("apples.csv") == 404


def test_the_policy_of_a_page_allows_the_script_and_asking_for_it(watched):
    for page in ("apples.html", "index.html"):
        text, version = watched.get(page)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        assert policy.count("script-src") == 1 and "connect-src 'self';" in policy
        for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL):
            assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
        assert f"<script data-version='{version}'>" in text and watched.version(page) == version


def test_a_taken_port_is_left_alone(tmp_path):
    with Preview(Places.under(tmp_path), 0) as first, Preview(Places.under(tmp_path), first.port) as second:
        assert second.port != first.port


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_preview_that_is_ended_while_it_builds_leaves_nothing(project, tmp_path, number):
    watched = Watched(project, tmp_path / "log")
    slow = "low = double(apples); open('begun', 'w').close(); import time; time.sleep(600)"
    replaced(project.places.notebook("apples"), "low = double(apples)", slow)
    until((project.places.notebooks / "begun").exists)
    pages = {name: text for name, text in project.tree().items() if name.endswith((".html", ".json"))}
    children = psutil.Process(watched.process.pid).children(recursive=True)
    assert children
    watched.process.send_signal(number)
    watched.process.wait(LONG)
    until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children))
    with socket.socket() as port:
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port.bind(("127.0.0.1", int(watched.address.rstrip("/").rpartition(":")[2])))
    assert {name: text for name, text in project.tree().items() if name.endswith((".html", ".json"))} == pages
    left = list(watched.temporary.iterdir())
    shutil.rmtree(watched.temporary)
    assert left == [] or number == signal.SIGKILL


def test_own_code_that_was_edited_takes_a_new_process(project, monkeypatch):
    own = project.places.source / "toy" / "sums.py"
    monkeypatch.setattr(loop, "running", lambda: {own})

    said = []
    monkeypatch.setattr(loop._Loop, "build", lambda self, state: own.write_text(own.read_text() + "# edited"))
    with pytest.raises(loop.Restart) as restart:
        loop.watch(places=project.places, port=0, workers=Workers(kernels="ordinary"), say=said.append)
    assert f":{restart.value.port}/" in said[0]


def test_what_is_watched(project):
    places = project.places
    for unseen in (".ipynb_checkpoints/apples.ipynb", ".~apples.ipynb", "apples.ipynb~"):
        (places.notebooks / unseen).parent.mkdir(exist_ok=True)
        (places.notebooks / unseen).touch()
    state = loop.file_versions(places)
    seen = {path.relative_to(places.root).as_posix() for path in state if path.is_relative_to(places.root)}
    assert seen - {f"src/{name}.py" for name in project.unused} == {
        "data/apples.csv", "notebooks/apples.ipynb", "notebooks/runs/apples.yml", "notebooks/runs/apples_five.yml",
        "requirements.lock", "src/toy/__init__.py", "src/toy/sums.py",
    }  # fmt: skip
    assert Path(loop.__file__) in loop.running() and Path(loop.__file__) in state
