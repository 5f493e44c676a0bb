"""Build reports: execute each stale notebook in its own process, write its page, and record it in a JSON file."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.pages import index, records, runs
from analysis.pages.execute import LONGEST, Executed, execute
from analysis.pages.processes import side_by_side
from analysis.pages.runs import Report

FAILED = "FAILED"  # prefix of the lines that report a failure
LARGEST_PAGE = 24 * 2**20  # bytes


def build(names: Iterable[str], jobs: int, timeout: float, force: bool = False) -> int:
    """Build the named reports that are not up to date, or all, and the index; return 1 if any failed, else 0.

    `force` also rebuilds what is up to date, and replaces pages that were not made here. Raises ValueError for an
    unknown name, OSError where nothing can be written.
    """
    reports, wrong = runs.find(names)
    paths.REPORTS.mkdir(exist_ok=True)
    common, built = records.common_digest(), {"commit": records.commit(), "date": date.today().isoformat()}
    stale = {}
    for name in sorted(reports, key=lambda name: -records.read(name).get("seconds", 0)):  # the longest first
        try:
            digest = records.digest(reports[name], common)
        except (ValueError, OSError) as error:
            wrong[name] = str(error)
            continue
        if not force and records.up_to_date(name, digest):
            _aside(name).unlink(missing_ok=True)  # a later edit failed and was undone
        elif not force and (why := records.in_the_way(name)):
            wrong[name] = why
        else:
            stale[name] = (reports[name], built | {"digest": digest})
    for name, why in wrong.items():
        print(failed(name, why), flush=True)
    print(f"to build: {len(stale)} of {len(reports)}" if stale else f"up to date: {len(reports)}", flush=True)
    status = run(_execute, stale, jobs, timeout, meanwhile=prepare, then=make)
    kept = index.write_index(force)
    for name, why in kept.items():
        print(failed(name, why), flush=True)
    return int(bool(status or wrong or kept))


def run(work: Callable[..., Any], tasks: dict[str, tuple], jobs: int, timeout: float, **steps: Callable) -> int:
    """Run tasks on reports by `side_by_side` and print their results in words; return 1 if any failed.

    `steps` are its `meanwhile` and `then`.
    """
    if tasks:
        warm(len(tasks) > 1)
    status = 0
    for name, result in side_by_side(work, tasks, jobs, timeout, **steps):
        said = result if isinstance(result, str) else failed(name, str(result))
        status |= said.startswith(FAILED)
        print(said, flush=True)
    return status


def failed(name: str, why: str) -> str:
    """Return the lines that report a failure."""
    return "\n    ".join([f"{FAILED}  {name}", *(each[:LONGEST] for each in why.splitlines())])


def _execute(report: Report, built: dict[str, str]) -> Executed:
    return execute(report)


def prepare() -> None:
    """Import what makes pages, for the processes that are forked after that."""
    from analysis.pages import page

    page.exporter()


def make(report: Report, built: dict[str, str], done: Executed) -> str:
    """Write the page and the record of an executed report; return a line with the outcome.

    `built` has the commit, the date, and the digest of the page's inputs. A failed notebook is saved as
    reports/NAME.failed.ipynb, and the page of an earlier build stays.
    """
    failure, target = done.failure, paths.REPORTS / f"{report.name}.html"
    seconds = round(done.notebook.metadata.papermill.duration, 2)
    if not failure:
        from analysis.pages.page import page

        try:
            html, facts = page(report, done, built | {"seconds": seconds})
            if len(html) > LARGEST_PAGE:
                raise ValueError(f"the page has {len(html):,} characters; the limit is {LARGEST_PAGE:,}")
            facts |= {"opened": done.opened, "page": sha256(html.encode(errors="replace")).hexdigest()}
            records.write(target, html)
            records.write(target.with_suffix(".json"), json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
            _aside(report.name).unlink(missing_ok=True)
            return f"built   {report.name}  {seconds:.1f} s" + (f"  no data: {done.no_data}" if done.no_data else "")
        except ValueError as error:
            failure = str(error)
    from nbformat import v4

    try:
        done.notebook.metadata["report"] = report.name  # by which `make clean` knows it
        records.write(_aside(report.name), v4.writes(done.notebook))
        failure += f"\nits outputs are in reports/{_aside(report.name).name}"
        failure += "; the page of the previous build was kept" if target.exists() else ""
    except OSError as error:  # a full disk hides no failure
        failure += f"\nits outputs could not be saved: {error}"
    return failed(report.name, failure)


def _aside(name: str) -> Path:
    """Return where the outputs of a notebook that failed are kept."""
    return paths.REPORTS / f"{name}.failed.ipynb"


def warm(several: bool) -> None:
    """Import what reports need and load the results once, for the processes that are forked from this one."""
    gc.disable()  # loaded objects stay: scanning them for garbage takes a tenth of the time
    from analysis.pages import schema  # noqa: F401 - before papermill is imported

    # isort: split
    import papermill.parameterize  # noqa: F401

    import analysis

    try:
        import matplotlib_inline.backend_inline  # noqa: F401

        import analysis.report

        if several:  # some of them draw with it; a single report imports what it needs
            import seaborn  # noqa: F401
        analysis.load_results()
    except Exception as error:  # the reports that need it report the error, each with its own cell
        print(f"preloading failed, so each report loads by itself: {type(error).__name__}: {error}"[:500], flush=True)
    gc.freeze()
    gc.set_threshold(100_000)  # a notebook makes little garbage
    gc.enable()
