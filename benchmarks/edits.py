"""How long a page takes after its notebook was edited: by a build from a cold start, and in a preview that runs."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
from workspace import Cost, Workspace

REPORT, EDITS = "power_efficiency", 5
LONGEST = 120  # seconds after which what is waited for will not come


def cold(space: Workspace) -> list[Cost]:
    """`analysis reports REPORT` after each of EDITS edits of a cell of its notebook."""
    costs = []
    for number in range(EDITS):
        _edit(space, f"cold {number}")
        costs.append(space.time(space.ours("reports", REPORT)))
    return costs


def previewed(space: Workspace) -> list[float]:
    """Seconds from each of EDITS edits until the page is there, while `analysis reports --watch REPORT` runs.

    The first one counts like the others: its page too is made by a kernel of a process that waits for it.
    """
    page, taken = space.root / "reports" / f"{REPORT}.html", []
    command = space.ours("reports", "--watch", REPORT, "--port", "0")
    with (space.root.parent / "preview.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=space.root / "notebooks", env=space.environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _until(lambda: "preview at" in Path(log.name).read_text("utf-8"), log.name)
            for number in range(EDITS):
                time.sleep(1)  # An analyst's next edit comes when the page of the last one is there.
                before = page.stat().st_mtime_ns
                _edit(space, f"preview {number}")
                began = time.perf_counter()
                _until(lambda before=before: page.stat().st_mtime_ns != before, log.name)
                taken.append(time.perf_counter() - began)
        finally:
            process.terminate()  # SIGINT is not heard by what was started in the background of a shell.
            process.wait(LONGEST)
    return taken


def _edit(space: Workspace, words: str) -> None:
    """Put a comment into the cell that has the answer, so that the notebook is to be executed again."""
    path = space.root / "notebooks" / f"{REPORT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    (cell,) = (cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", []))
    cell.source += f"\n# {words}"
    nbformat.write(notebook, path)


def _until(holds: Callable[[], bool], log: str) -> None:
    """Wait until something holds. Raises RuntimeError naming the log after LONGEST seconds."""
    end = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"the preview did not do what it was to; see {log}")
        time.sleep(0.005)
