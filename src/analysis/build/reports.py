"""Build reports: what is stale is executed in a process of its own, made a page, and recorded in JSON beside it."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterable
from datetime import date

from analysis import paths
from analysis.build import index, records, runs
from analysis.build.execute import FORKED, execute
from analysis.build.processes import Died, side_by_side
from analysis.build.runs import Report

TIMEOUT = 300  # seconds that one report may take
LARGEST_PAGE = 24 * 2**20  # bytes


def build(
    names: Iterable[str] = (), jobs: int = 3, force: bool = False, engine: str = FORKED, timeout: float = TIMEOUT
) -> int:
    """Build the named reports that are not up to date, or all, and the index; return 1 if any failed, else 0.

    `force` builds also what is up to date. `engine` is "forked" (IPython in a forked process) or "nbclient" (ordinary
    kernels). Raises ValueError for an unknown name, OSError where nothing can be written.
    """
    reports, wrong = runs.find(names)
    for name, why in wrong.items():
        _say(f"FAILED  {name}\n    {why}")
    paths.REPORTS.mkdir(exist_ok=True)
    common, at = records.common_digest(), records.commit()
    stale, failed = {}, len(wrong)
    for name, report in reports.items():
        try:
            record, own = records.read(name), records.digest(report, common)
        except (ValueError, OSError) as error:
            failed += 1
            _say(f"FAILED  {name}\n    {error}")
            continue
        if force or record.get("digest") != own or not (paths.REPORTS / f"{name}.html").exists():
            stale[name] = (report, own, engine, record.get("seconds", 0), at)
    _say(f"to build: {len(stale)} of {len(reports)}" if stale else f"up to date: {len(reports)}")
    if stale:
        warm(stale.values())
    order = sorted(stale, key=lambda name: -stale[name][3])  # the longest first
    for name, result in side_by_side(make, {name: stale[name] for name in order}, jobs, timeout):
        failed += isinstance(result, Died) or bool(result["failure"])
        _say(_outcome(name, result))
    index.write()
    return int(failed > 0)


def make(report: Report, own_digest: str, engine: str, _: float, at: str) -> dict[str, str]:
    """Execute a report and write its page and record; return the failure, if any, and what was without data, in words.

    What failed is kept aside as reports/NAME.failed.ipynb, and the page of an earlier build stays.
    """
    started, aside = time.monotonic(), paths.REPORTS / f"{report.name}.failed.ipynb"
    done = execute(report, engine)
    failure = done.failure
    if not failure:
        from analysis.build.page import PageError, page, record

        try:
            facts = record(report, done) | {"digest": own_digest, "seconds": round(time.monotonic() - started, 2)}
            html = page(report, done, facts, {"commit": at, "date": date.today().isoformat()})
            if len(html) > LARGEST_PAGE:
                raise PageError(f"the page has {len(html):,} characters, at most {LARGEST_PAGE:,} fit")
            records.write(paths.REPORTS / f"{report.name}.html", html)
            records.write(paths.REPORTS / f"{report.name}.json", json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
            aside.unlink(missing_ok=True)
        except PageError as error:
            failure = str(error)
    if failure:
        import nbformat

        try:
            records.write(aside, nbformat.writes(done.notebook))
            stays = "; the page of an earlier build stays" if (paths.REPORTS / f"{report.name}.html").exists() else ""
            failure += f"\nits outputs are in reports/{aside.name}{stays}"
        except OSError as error:  # a full disk hides no failure
            failure += f"\nits outputs could not be kept: {error}"
    return {"failure": failure, "no_data": done.no_data, "seconds": f"{time.monotonic() - started:.1f}"}


def warm(work: Iterable[tuple]) -> None:
    """Import what reports need and load the results once, for the processes that are forked from this one."""
    gc.disable()  # what is loaded stays, and looking for garbage in it takes an eighth of the time
    import papermill.parameterize  # noqa: F401

    import analysis
    from analysis.build import page

    page.exporter()

    texts = b"".join(each[0].notebook.read_bytes() for each in work)
    try:
        if b"load_results" in texts or b"comparable" in texts:
            analysis.load_results()
        if b"report." in texts or b"charts" in texts:
            import matplotlib_inline.backend_inline  # noqa: F401

            import analysis.report
        elif b"seaborn" in texts or b"matplotlib" in texts:
            import seaborn  # noqa: F401
    except Exception as error:  # the reports that need it say so, each with its own cell
        _say(f"loading failed, so each report loads by itself: {type(error).__name__}: {error}"[:500])
    gc.freeze()
    gc.set_threshold(100_000)  # a notebook makes little garbage
    gc.enable()


def _outcome(name: str, result: dict[str, str] | Died) -> str:
    if isinstance(result, Died):
        return f"FAILED  {name}\n    {result.why}"
    if result["failure"]:
        return "\n    ".join([f"FAILED  {name}", *result["failure"].splitlines()])
    without = f"  no data: {result['no_data']}" if result["no_data"] else ""
    return f"built   {name}  {result['seconds']} s{without}"


def _say(text: str) -> None:
    print(text, flush=True)
