"""The ways from notebooks to pages that the bench sets side by side, each as a function of a workspace."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from workspace import Cost, Workspace

PYTHON = sys.executable


def papermill_then_nbconvert(space: Workspace) -> Cost:
    """(a) The two commands for each report, one report after another."""
    return space.time(*_commands(space))


def make_two_at_a_time(space: Workspace) -> Cost:
    """(b) The same commands under `make -j2`, a rule per report."""
    commands = _commands(space)
    rules = [
        f"r{number}:\n\t{_shell(commands[number])}\n\t{_shell(commands[number + 1])}\n"
        for number in range(0, len(commands), 2)
    ]
    names = " ".join(f"r{number}" for number in range(0, len(commands), 2))
    makefile = space.out / "Makefile"
    makefile.write_text(f"all: {names}\n.PHONY: all {names}\n" + "\n".join(rules), "utf-8")
    return space.time(["make", "-s", "-j2", "-f", str(makefile), "all"])


def nbconvert_execute(space: Workspace) -> Cost:
    """(c) `jupyter nbconvert --execute` for each report, which knows no parameters."""
    out = str(space.fresh_out())
    return space.time(*(
        [PYTHON, "-m", "nbconvert", "--execute", "--to", "html", "--output-dir", out, f"{notebook}.ipynb"]
        for notebook in dict.fromkeys(notebook for _, notebook, _ in space.runs())
    ))  # fmt: skip


def ploomber_engine(space: Workspace) -> Cost | str:
    """(d) ploomber-engine for each report, then nbconvert."""
    engine = space.other_engine("ploomber-engine")
    if isinstance(engine, str):
        return engine
    out, commands = space.fresh_out(), []
    for report, notebook, parameters in space.runs():
        program = (
            f"import sys; sys.path.append({str(engine)!r}); from ploomber_engine import execute_notebook; "
            f"execute_notebook({notebook + '.ipynb'!r}, {str(out / report) + '.ipynb'!r}, parameters={parameters!r})"
        )
        commands += [[PYTHON, "-c", program], _to_html(out / f"{report}.ipynb")]
    return space.time(*commands)


def ours_ordinary(space: Workspace) -> Cost:
    """(e) `analysis reports` with ordinary kernels."""
    return space.time(space.ours("reports", "--force", "--kernels", "ordinary", "--jobs", str(space.jobs)))


def ours_warm(space: Workspace) -> Cost:
    """(f) `analysis reports` with warm kernels."""
    return space.time(space.ours("reports", "--force", "--kernels", "warm", "--jobs", str(space.jobs)))


def ours_first(space: Workspace) -> Cost:
    """(h) The same where nothing is kept from an earlier build: tables are typed and judged, every figure is drawn."""
    space.forget()
    return ours_warm(space)


def limit(space: Workspace) -> Cost:
    """(g) The same cells as plain code in processes forked from one that has libraries and tables, and no pages."""
    given = json.dumps([[notebook, parameters] for _, notebook, parameters in space.runs()])
    program = str(space.root / "benchmarks" / "limit.py")
    return space.time([PYTHON, program, given, str(space.jobs)])


WAYS: dict[str, tuple[str, Callable[[Workspace], Cost | str]]] = {
    "a": ("papermill and nbconvert commands in sequence", papermill_then_nbconvert),
    "b": ("the same under make -j2", make_two_at_a_time),
    "c": ("jupyter nbconvert --execute", nbconvert_execute),
    "d": ("ploomber-engine, then nbconvert", ploomber_engine),
    "e": ("ours, ordinary kernels", ours_ordinary),
    "f": ("ours, warm kernels", ours_warm),
    "g": ("the limit: cells as plain code in warm forks", limit),
    "h": ("ours, warm kernels, with nothing kept", ours_first),
}


def _commands(space: Workspace) -> list[list[str]]:
    out, commands = space.fresh_out(), []
    for report, notebook, parameters in space.runs():
        made = out / f"{report}.ipynb"
        execute = [PYTHON, "-m", "papermill", "--no-progress-bar", "-k", "python3", f"{notebook}.ipynb", str(made)]
        commands += [[*execute, "-y", json.dumps(parameters)], _to_html(made)]
    return commands


def _to_html(notebook: Path) -> list[str]:
    return [PYTHON, "-m", "nbconvert", "--to", "html", "--log-level", "ERROR", str(notebook)]


def _shell(command: list[str]) -> str:
    return " ".join("'" + part.replace("'", "'\\''").replace("$", "$$") + "'" for part in command)
