"""`make kills`: `analysis reports` killed with SIGKILL at random moments, and what it leaves held to what it must be.

At times it is killed alone, at times with its whole group of processes. After each kill: no process of it lives on;
each page and record that is there is whole and the one that an undisturbed build makes, for the inputs never change;
no report passes for fresh whose page is another. The next kill goes on with what the last one left, of which a random
part is taken away first, at times with the cache of tables. At the end one build completes everything, and reports,
temporary files and cache are compared with those of a project that was never killed. Prints what was wrong, and ends
with status 1 if anything was.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("data", "notebooks", "src")
CACHE = ".cache"
MARK = "ANALYSIS_KILLS"  # the environment variable by which all that a build started is known
START = 2.0  # seconds more or less until a build builds
LONGER = 1.5  # than the undisturbed build took, for a busy machine: a build that is done by then counts for no kill
ENDED = 10.0  # seconds after a kill within which everything must have ended
INDEX, PACE = "index.html", ".seconds.json"  # of a build's own progress: not the same at each moment


class Project:
    """A copy of the project with a folder of its own for temporary files."""

    def __init__(self, folder: Path, jobs: int, reports: list[str]) -> None:
        self.root, self.temporary = folder / "project", folder / "temporary"
        self.jobs, self.names, self.mark = jobs, reports, uuid.uuid4().hex
        for made in (self.root, self.temporary):
            made.mkdir(parents=True)
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            shutil.copytree(ROOT / name, self.root / name, ignore=ignored)
        shutil.copy(ROOT / "requirements.lock", self.root)
        own = {"PYTHONPATH": str(self.root / "src"), "TMPDIR": str(self.temporary), MARK: self.mark}
        self.environment = os.environ | own

    @property
    def reports(self) -> Path:
        """Where its pages are."""
        return self.root / "reports"

    def start(self) -> subprocess.Popen[str]:
        """A build of all that is not up to date."""
        command = [sys.executable, "-m", "analysis.cli.main", "reports", "--jobs", str(self.jobs), *self.names]
        return subprocess.Popen(
            command, cwd=self.root, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            process_group=0,
        )  # fmt: skip

    def complete(self) -> float:
        """Build what is missing, and the seconds that it took. Raises RuntimeError where that fails."""
        started, process = time.monotonic(), self.start()
        said, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(said)
        return time.monotonic() - started

    def alive(self) -> list[int]:
        """The processes that a build of this project started and that have not ended, by id."""
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and self._ours(path)]

    def _ours(self, process: Path) -> bool:
        try:
            marked = f"{MARK}={self.mark}".encode() in (process / "environ").read_bytes().split(b"\0")
            return marked and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:  # It has ended meanwhile, or is another user's.
            return False

    def pages(self) -> dict[str, bytes]:
        """What stands in the folder of reports, by name, but for how long each took and what is beside it."""
        found = (path for path in sorted(self.reports.rglob("*")) if path.is_file() and not _aside(path))
        return {path.relative_to(self.reports).as_posix(): path.read_bytes() for path in found if path.name != PACE}

    def leftovers(self) -> list[str]:
        """Temporary files, in the project and outside."""
        inside = [str(path.relative_to(self.root)) for path in self.root.rglob("*") if _aside(path)]
        return inside + [path.name for path in self.temporary.iterdir()]

    def fresh(self) -> set[str]:
        """The reports that the next build would leave as they are, in the project's own words."""
        code = (
            "from analysis._build import reports; from analysis._build.runs import runfiles;"
            "from analysis._build.runs.folders import Places; p, o = Places(), reports.Outcome();"
            "plans = reports.plan_reports(runfiles.run_files(p), p, o);"
            "print(*[plan.run.report for plan in plans if plan.reason is None])"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=self.root, env=self.environment, stdout=subprocess.PIPE, check=True)
        return set(done.stdout.decode().split())


def faults(pages: dict[str, bytes], wanted: dict[str, bytes], fresh: set[str]) -> list[str]:
    """What is wrong with files of reports, beside those of an undisturbed build, in words."""
    wrong = [f"{name}: of no report" for name in pages if name not in wanted]
    wrong += [
        f"{name}: not the one of an undisturbed build"
        for name in pages
        if name in wanted and name != INDEX and pages[name] != wanted[name]
    ]
    wrong += [f"{INDEX}: half a page" for page in [pages.get(INDEX)] if page and not page.endswith(b"</html>")]
    for report in sorted(fresh):
        files = [name for name in wanted if Path(name).stem == report]
        wrong += [f"{name}: {report} passes for fresh without it" for name in files if name not in pages]
    return wrong


def kill(project: Project, after: float, group: bool) -> list[str] | None:
    """Kill one build after some seconds, alone or with its group; what it left running, in words.

    None where it was done before.
    """
    process = project.start()
    try:
        process.wait(after)
        return None
    except subprocess.TimeoutExpired:
        (os.killpg if group else os.kill)(process.pid, signal.SIGKILL)
        process.communicate()
    end = time.monotonic() + ENDED
    while (living := project.alive()) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in living:
        os.kill(pid, signal.SIGKILL)
    return [f"process {pid} lived on for {ENDED:.0f} s" for pid in living]


def take_away(project: Project, chance: random.Random) -> bool:
    """Remove a random part of the reports, and at times what is kept of tables; returns whether that was."""
    records = [path for path in sorted(project.reports.glob("*.json")) if path.name != PACE]
    for path in [path for path in records if chance.random() < 0.5] or records[:1]:
        path.unlink()
        if chance.random() < 0.5:
            path.with_suffix(".html").unlink(missing_ok=True)
    cache = project.root / CACHE
    if cached := cache.exists() and chance.random() < 0.3:
        shutil.rmtree(cache)
    return cached


def _aside(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(".tmp")


def main() -> int:
    """Kill as often as asked, and say what was found."""
    arguments = _arguments()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="analysis-kills-") as folder:
        calm = Project(Path(folder) / "calm", arguments.jobs, arguments.reports)
        whole = calm.complete()
        wanted = calm.pages()
        print(f"an undisturbed build: {len(wanted)} files in {whole:.1f} s; {arguments.moments} kills", flush=True)
        project, found = Project(Path(folder) / "killed", arguments.jobs, arguments.reports), 0
        kills, count = 0, sum(name.endswith(".json") for name in wanted)
        while kills < arguments.moments:
            cached = project.reports.exists() and take_away(project, chance)
            missing = count - len(project.fresh())
            after = chance.uniform(0.05, START + LONGER * whole * missing / count)
            group = chance.random() < 0.5
            if (left := kill(project, after, group)) is None:
                continue
            kills += 1
            wrong = left + faults(project.pages(), wanted, project.fresh())
            found += len(wrong)
            state = f"{missing} of {count} to build" + (" without the cache" if cached else "")
            who = "its group" if group else "it alone"
            print(f"{kills:4}  {state}, {who} killed after {after:.1f} s", *wrong, sep="\n      ", flush=True)
        project.complete()
        wrong = faults(project.pages(), wanted, set(wanted)) + [f"left over: {name}" for name in project.leftovers()]
        wrong += [f"{name}: missing at the end" for name in wanted if name not in project.pages()]
        found += len(wrong)
        print(*wrong, f"{arguments.moments} kills, {found} faults", sep="\n")
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Builds killed at random moments, and what they leave.")
    parser.add_argument("reports", nargs="*", help="run files of notebooks/runs (default: all)")
    parser.add_argument("--moments", type=int, default=100, metavar="N", help="kills (100)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="notebooks at a time (2)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (0)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
