"""A copy of the project to build reports in, and the timing of one command."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = re.compile(r"v\d\.\d\.parquet")  # of data/official/, as .gitignore has it
COPIED = ("data", "notebooks", "src", "benchmarks")


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds on the clock, and seconds of processor time with all its descendants."""

    wall: float
    processor: float


class Workspace:
    """The project in a folder of its own, so that a bench leaves the reports of the user alone."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.root, self.out, self.jobs = folder / "project", folder / "out", jobs
        self._others: dict[str, Path | str] = {}
        self.tried_again: list[str] = []  # of each command that failed and then did what it should, its last words
        kept = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
        self.environment = kept | {"PYTHONPATH": str(self.root / "src"), "PLOOMBER_STATS_ENABLED": "false"}
        for name in COPIED:
            shutil.copytree(ROOT / name, self.root / name, ignore=_left_out)
        shutil.copy(ROOT / "requirements.lock", self.root)
        # Bytecode is there in any project that was run before, so each way finds it.
        subprocess.run([sys.executable, "-m", "compileall", "-q", self.root / "src"], check=True)

    def runs(self) -> list[tuple[str, str, dict[str, object]]]:
        """Report, notebook and parameters of each run file that `analysis reports` builds: whose data are there."""
        runs = []
        for path in sorted((self.root / "notebooks" / "runs").glob("*.yml")):
            content = yaml.safe_load(path.read_text("utf-8"))
            if all((self.root / need).exists() for need in content.get("needs", [])):
                runs.append((path.stem, content["notebook"], content.get("parameters") or {}))
        return runs

    def other_engine(self, package: str) -> Path | str:
        """The folder with a package that only the bench uses, installed at first use; or why there is none."""
        if package not in self._others:
            target = self.root.parent / package
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), package]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = done.stderr.strip().splitlines() or ["pip said nothing"]
            self._others[package] = f"{package} cannot be installed: {lines[-1]}" if done.returncode else target
        return self._others[package]

    def forget(self) -> None:
        """Remove what builds have kept for later ones: tables and figures."""
        shutil.rmtree(self.root / ".cache", ignore_errors=True)

    def fresh_out(self) -> Path:
        """An empty folder for the outputs of a way that is not ours."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        return self.out

    def time(self, *commands: list[str]) -> Cost:
        """Run commands one after another in the notebooks' folder, each once more where it fails.

        What failed counts in the cost and in `tried_again`. Raises CalledProcessError where one fails twice.
        """
        before, started = _children(), time.perf_counter()
        for command in commands:
            self._run(command)
        return Cost(time.perf_counter() - started, _children() - before)

    def _run(self, command: list[str]) -> None:
        """Run a command, and once more where it fails: two kernels may race for a port. Raises CalledProcessError."""
        for again in (False, True):
            done = subprocess.run(
                command, cwd=self.root / "notebooks", env=self.environment, capture_output=True, text=True, check=False
            )
            if not done.returncode:
                return
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            if again:
                print(done.stdout, done.stderr, file=sys.stderr)
                done.check_returncode()
            self.tried_again.append(said)
            print(f"failed, and is tried again: {' '.join(command)[:100]}: {said}", file=sys.stderr, flush=True)

    def ours(self, *arguments: str) -> list[str]:
        """A command line of this project's own."""
        return [sys.executable, "-m", "analysis.cli.main", *arguments]


def _left_out(folder: str, names: list[str]) -> set[str]:
    """What a project in git has not: bytecode, editors' copies, and official rows that somebody imported."""
    left = {"__pycache__", ".ipynb_checkpoints"} & set(names)
    if Path(folder) == ROOT / "data" / "official":
        left |= {name for name in names if not SHIPPED.fullmatch(name)}
    return left


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
