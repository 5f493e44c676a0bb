"""The folder of a build: gone when it ends, and removed by the next build when it was killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from analysis._build.kernels.scratch import Scratch

BUILD = """from analysis._build.kernels.scratch import Scratch
scratch = Scratch()
(scratch.path / "a").touch()
print(scratch.path, flush=True)
input()"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of its own, for this process and those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_nothing_is_left_of_a_build_that_ends(temporary: Path) -> None:
    scratch = Scratch()
    (scratch.path / "1").mkdir()
    scratch.close()
    scratch.close()
    assert list(temporary.iterdir()) == []


def test_the_next_build_removes_what_a_killed_one_left_and_leaves_a_running_one_alone(temporary: Path) -> None:
    builds = [
        subprocess.Popen([sys.executable, "-c", BUILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    killed, running = (Path(build.stdout.readline().strip()) for build in builds)
    builds[0].kill()
    builds[0].wait()
    scratch = Scratch()
    assert set(temporary.iterdir()) == {running, scratch.path} and (running / "a").exists()
    assert not killed.exists()
    builds[1].communicate("\n")
    scratch.close()
