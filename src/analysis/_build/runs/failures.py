"""What went wrong with a report, in words that an analyst can act on."""

import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analysis._build.page.record import tags

ANSI = re.compile(r"\x1b\[[0-9;]*m")
IN_CELL = re.compile(r"Cell In\[\d+\], line (\d+)")
IN_FILE = re.compile(r"^File (.+?):(\d+), in ", re.MULTILINE)


@dataclass(frozen=True)
class Failure:
    """A failed report in words; `where`, `line`, `inside` and `next` are empty where they don't apply."""

    report: str
    what: str
    where: str = ""
    line: str = ""
    inside: str = ""
    next: str = ""

    def text(self) -> str:
        """The failure as an indented paragraph for a terminal."""
        parts = [self.where, self.line, *self.what.splitlines(), self.inside, self.next]
        return "\n".join([f"FAILED  {self.report}", *(f"    {part}" for part in parts if part)])


def cell_words(cells: list[Any], index: int) -> str:
    """Where a cell is, in words: its number in the notebook on disk, its heading, its first line."""
    cell = cells[index]
    if "injected-parameters" in tags(cell):
        return "in the parameters that the run file gives"
    cells_on_disk = [c for c in cells if "injected-parameters" not in tags(c)]
    number = next(n for n, c in enumerate(cells_on_disk, start=1) if c is cell)
    titles = re.findall(r"^#{1,6} +(.+)", "\n".join(c["source"] for c in cells[:index] if c["cell_type"] == "markdown"), re.M)
    heading = f', under "{titles[-1].strip()}"' if titles else ""
    lines = cell["source"].strip().splitlines()
    return f"cell {number} of {len(cells_on_disk)}{heading}" + (f", starting {lines[0].strip()!r}" if lines else "")


def raised(cell: Any, traceback: str | Iterable[str], source: str) -> tuple[str, str]:
    """The notebook line that raised, and the deepest place below the folder `source`; each may be empty."""
    text = ANSI.sub("", traceback if isinstance(traceback, str) else "\n".join(traceback))
    lines = cell["source"].splitlines()
    number = next((int(n) for n in IN_CELL.findall(text) if 0 < int(n) <= len(lines)), None)
    line = f"line {number}: {lines[number - 1].strip()}" if number else ""
    inside = [(file, n) for file, n in IN_FILE.findall(text) if f"/{source}/" in file]
    if not inside:
        return line, ""
    file, line_in_file = inside[-1]
    return line, f"raised in {source}/{file.rpartition(f'/{source}/')[2]}, line {line_in_file}"


def death_words(status: int | None, last_words: str) -> str:
    """Why a kernel process is gone, from its exit status (negative: the signal that ended it)."""
    if status == -signal.SIGKILL:
        why = "was killed from outside (signal 9), most often because memory ran out"
    elif status is not None and status < 0:
        why = f"crashed ({signal.Signals(-status).name}), which happens in compiled code, not in Python"
    elif status is not None:
        why = f"ended itself with exit status {status}"
    else:
        why = "died"
    ending = f"; its last line was: {last_words}" if last_words else ""
    return f"The kernel process {why}{ending}"

