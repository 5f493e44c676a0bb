"""`make data`: a user's own rounds, from summaries, clones, and archives into data/official/."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from analysis._core.paths import OFFICIAL
from analysis._import.official import writer
from analysis._import.official.import_run import import_results

IMPORTED = "{round}_imported.parquet"  # beside the record that is shipped, and ignored by git


def bring(paths: Iterable[Path], *, folder: Path = OFFICIAL, say: Callable[[str], None] = print) -> int:
    """Import summaries, clones and archives into `folder`, each round as <round>_imported.parquet; the exit status.

    The rounds are put in place together. Raises ImportFailed; `folder` is then as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as aside:
        rows = Path(aside, "rows.parquet")
        status = import_results(list(paths), rows, say=say).status
        rounds = writer.parted(rows, Path(aside, "rounds"), IMPORTED)
        for file in Path(aside).glob("rounds/*"):
            file.replace(folder / file.name)
    say(f"data/official/ has {', '.join(rounds)} beside what is shipped; make reports uses them from now on")
    return status
