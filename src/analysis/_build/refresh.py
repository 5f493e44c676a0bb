"""`analysis refresh`: notebooks executed in place, so that stored outputs match."""

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path
from textwrap import indent

from analysis._core import notebook_cells
from analysis._core.choices import not_among
from analysis._core.refusal import Refused
from analysis._core.file_contents import sha256, write_whole
from analysis._build.kernels.pool import WORKERS, Kernels, Workers
from analysis._build.make.parallel import side_by_side
from analysis._build.page import record
from analysis._build.page.errors import ReportFailed
from analysis._build.reports import Say
from analysis._build.runs.failures import Failure
from analysis._build.runs.files import file_sha256
from analysis._build.runs.folders import Places
from analysis._build.stored_outputs import settled, words

LINES = 60  # of a diff that are shown


class UnknownNotebook(Refused):
    """A notebook was named that is not there; the text names those that are."""


def refresh(
    names: Iterable[str] = (),
    *,
    places: Places | None = None,
    workers: Workers = WORKERS,
    say: Say = print,
) -> int:
    """Execute the named notebooks (or all) and write back those whose outputs changed.

    What changed in its words is said as a diff. A notebook that fails is left as it was, and reported in words. Returns 1 if
    any failed, else 0.
    Raises UnknownNotebook.
    """
    places = places or Places()
    paths, failed = notebook_files(places, names), []

    def tell(path: Path, result: str | Failure) -> None:
        failed.extend([result] if isinstance(result, Failure) else [])
        word, _, changes = ("FAILED   ", "", "") if isinstance(result, Failure) else result.partition("\n")
        say(f"{word}  {path.stem}" + (f"\n{indent(changes, '    ')}" if changes else ""))

    with Kernels(places, workers.kernels) as made:
        from analysis._build.make import light_import

        light_import.import_jupyter()
        side_by_side(lambda path: _refreshed(path, made, places, workers.timeout), paths, workers.jobs, tell, made.stop)
    for failure in failed:
        say(f"\n{failure.text()}")
    return 1 if failed else 0


def notebook_files(places: Places, names: Iterable[str] = ()) -> list[Path]:
    """The files of the named notebooks, or of all. Raises UnknownNotebook."""
    files = {path.stem: path for path in sorted(places.notebooks.glob("*.ipynb"))}
    stems = [Path(name).name.removesuffix(".ipynb") for name in names]
    for name in stems:
        if name not in files:
            raise UnknownNotebook(f"no notebook {not_among(name, files)}")
    return [files[name] for name in dict.fromkeys(stems or files)]


def _refreshed(path: Path, kernels: Kernels, places: Places, timeout: int) -> str | Failure:
    import nbformat

    from analysis._build.make.execute import Execution
    from analysis._build.runs.failures import cell_words

    execution = Execution(path, {}, timeout)
    try:
        with kernels.one() as kernel:
            notebook = execution.run(kernel)
            kernel.ask_to_end()
        record.findings(notebook.cells)  # What no report could be made of is not stored either.
    except ReportFailed as error:
        where = places.key(path)
        if execution.notebook is not None and error.cell is not None:
            where = f"{where}, {cell_words(execution.notebook.cells, error.cell)}"
        return Failure(path.stem, error.what, where, error.line, error.inside, "The notebook on disk is unchanged.")
    stored = nbformat.read(path, as_version=4)
    for cell, on_disk in zip(notebook.cells, notebook_cells.cells(path), strict=True):
        cell["id"] = on_disk.id
    content = nbformat.writes(settled(notebook)) + "\n"
    if file_sha256(path) == sha256(content):
        return "the same "
    if not kernels.stopping:
        write_whole(path, content)
    return f"refreshed\n{_changes(words(stored), words(notebook))}"


def _changes(before: str, after: str) -> str:
    """What changed in the words of a notebook, as lines of a diff; of many the first."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    more = [f"... and {len(lines) - LINES} lines more: make dev, then git diff"] if len(lines) > LINES else []
    return "\n".join([*lines[:LINES], *more])
