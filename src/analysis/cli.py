"""The command `analysis`: arguments in, one call into the package, an exit status out; no work of its own."""

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

INTERRUPTED = 130
KERNELS_HELP = "warm: forked with their libraries loaded (default); ordinary: each started anew. The same reports."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status: 0 done, 1 something failed, 2 asked wrongly, 130 interrupted."""
    arguments = _parser().parse_args(argv)
    # Whoever ends this process politely (a CI system, `timeout`) gets the same orderly end as Ctrl-C.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return arguments.command(arguments)
    except KeyboardInterrupt:
        print("\nInterrupted: nothing is half-written, and the next run completes what is missing.", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:  # A full disk, a folder without write permission: the message says which.
        print(f"analysis: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="analysis", description="Reports on published MLPerf Inference figures.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    for part in (_building, _figures, _deciding):
        part(commands)
    return parser


def _building(commands: argparse._SubParsersAction) -> None:
    reports = _add(commands, "reports", _reports, "build the reports that are not up to date")
    reports.add_argument("names", nargs="*", metavar="REPORT", help="a run file of notebooks/runs, without its ending")
    reports.add_argument("--force", action="store_true", help="build also what is up to date")
    _add_execution(reports)

    sweep = _add(commands, "sweep", _sweep, "build a report for each combination of a matrix of parameters")
    sweep.add_argument("file", metavar="FILE.yml", help="a sweep file, or the name of one in notebooks/sweeps")
    sweep.add_argument("--force", action="store_true", help="build also what is up to date")
    sweep.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, tcp://host:8786; its workers build")
    _add_execution(sweep)

    refresh = _add(commands, "refresh", _refresh, "execute the notebooks in place, so that stored outputs match")
    refresh.add_argument("names", nargs="*", metavar="NOTEBOOK", help="a notebook, with or without folder and ending")
    _add_execution(refresh)
    new = _add(commands, "new-report", _new_report, "start a report: a notebook and its run file, from the template")
    new.add_argument("name", metavar="NAME", help="its name, such as price_per_token")
    new.add_argument("--question", default="", help="what it answers, in one line that ends in a question mark")


def _figures(commands: argparse._SubParsersAction) -> None:
    bring = _add(commands, "import", _import, "turn official files into result rows: summaries, trees, archives")
    bring.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a summary file, a submission tree or a part"
    )
    bring.add_argument("--out", required=True, type=Path, metavar="FILE", help="a .parquet or .csv file to write")
    bring.add_argument("--round", type=_round, metavar="vX.Y", help="the round, where no path or row says it")
    bring.add_argument("--jobs", type=_positive, default=None, metavar="N", help="processes (default: the processors)")
    bring.add_argument("--scheduler", default="", metavar="ADDRESS", help="a Dask cluster in their place: tcp://...")

    data = _add(commands, "data", _data, "download the official summaries and import them into data/official/")
    data.add_argument("--mirror", default="", metavar="URL", help="another place for the files (or ANALYSIS_MIRROR)")
    audit = _add(
        commands, "audit", _audit, "say which published figures can be believed, one line per figure and check"
    )
    audit.add_argument("--source", default="", metavar="ID", help="of one document, by its id in data/sources.csv")
    audit.add_argument("--verdict", default="", metavar="V", help="of one verdict, such as contradicts or impossible")
    audit.add_argument("--format", default="table", choices=["table", "json", "csv"], help="how to print (table)")
    _add(commands, "check", _check, "hold every table of data/ to its description")
    _add(commands, "describe", _describe, "bring the tables' hashes and column dictionary up to an edit")


def _deciding(commands: argparse._SubParsersAction) -> None:
    plan = _add(commands, "plan", _plan, "accelerators, dollars and kilowatts that users need, with their ranges")
    _add_plan(plan)

    measure = _add(commands, "measure", _measure, "set measurement files of your own beside the official record")
    _add_measure(measure)


def _add(commands: argparse._SubParsersAction, name: str, command: Callable, about: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    parser.set_defaults(command=command)
    return parser


def _add_execution(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=_positive, default=3, metavar="N", help="notebooks at a time (default 3)")
    parser.add_argument("--timeout", type=_positive, default=300, metavar="S", help="seconds a cell may take (300)")
    parser.add_argument("--kernels", choices=("warm", "ordinary"), default="warm", help=KERNELS_HELP)


def _execution(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"jobs": arguments.jobs, "timeout": arguments.timeout, "kernels": arguments.kernels}


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", required=True, help="as in data/benchmarks.csv, for instance llama2-70b")
    parser.add_argument("--users", required=True, type=int, help="users served at the same time")
    parser.add_argument("--tokens-per-user", required=True, type=float, metavar="T", help="tokens/s each user sees")
    parser.add_argument("--accelerator", default="H100 SXM", help="as in data/accelerators.csv (default H100 SXM)")
    parser.add_argument("--scenario", default="Server", help="whose throughput is planned with (default Server)")
    parser.add_argument("--derate", default="60-80", metavar="D", help="measured, a band in %% (60-80) or a run's FILE")
    parser.add_argument("--count", type=int, default=0, help="accelerators of that run, where FILE does not say")
    parser.add_argument("--above-one", action="store_true", help="allow a derate above 100 %%")
    parser.add_argument("--price", metavar="USD", help="US dollars per accelerator-hour, 4.76 or 2-4.76")
    parser.add_argument("--peak", default="1-1.5", metavar="R", help="peak over mean traffic (default 1-1.5)")
    parser.add_argument("--ttft-ms", type=float, help="longest wait for a first token (default 2000)")
    parser.add_argument("--tpot-ms", type=float, help="longest time per output token (default 200)")
    parser.add_argument("--wait-percentile", type=float, metavar="P", help="requests that wait no longer (0.99)")
    parser.add_argument("--tokens-per-request", type=float, metavar="T", help="output tokens (the benchmark's)")
    parser.add_argument("--precision", dest="weight_precision", help="of the weights in memory (default fp8)")
    parser.add_argument("--cache-precision", help="of the key-value cache (default fp16)")
    parser.add_argument("--context", metavar="T", help="tokens in the cache of a request (default 500-2000)")
    parser.add_argument("--rounds", nargs="+", metavar="ROUND", help="MLPerf rounds planned with (default v4.1)")
    parser.add_argument("--draws", type=int, help="seeded draws (default 20000)")
    parser.add_argument("--seed", type=int, help="of the draws (default 0)")


def _add_measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="vllm bench serve JSON, AIPerf export or LoadGen log")
    parser.add_argument("--accelerator", default="", help="that the runs ran on, where the files do not say")
    parser.add_argument("--count", type=int, default=0, help="how many accelerators, where the files do not say")
    parser.add_argument("--benchmark", help="to compare with, where the model's name does not tell")
    parser.add_argument("--precision", help="of the weights, where the files do not say")
    parser.add_argument("--price", metavar="USD", help="US dollars per accelerator-hour, 4.76 or 2-4.76")
    parser.add_argument("--scenario", help="to compare with (default Server)")
    parser.add_argument("--rounds", nargs="+", metavar="ROUND", help="MLPerf rounds to compare with (default v4.1)")
    parser.add_argument("--ttft-ms", type=float, help="limit on the time to a first token (default: the scenario's)")
    parser.add_argument("--tpot-ms", type=float, help="limit on the time per output token (default: the scenario's)")


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number


def _round(text: str) -> str:
    if not re.fullmatch(r"v\d+\.\d+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a round such as v5.1")
    return text


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def _reports(arguments: argparse.Namespace) -> int:
    from analysis.reports.run import build_reports
    from analysis.reports.runfiles import UnknownReport

    try:
        outcome = build_reports(arguments.names, force=arguments.force, say=_say, **_execution(arguments))
    except UnknownReport as error:
        return _wrong(error)
    return outcome.status


def _sweep(arguments: argparse.Namespace) -> int:
    from analysis.reports.cluster import NoCluster
    from analysis.reports.runfiles import RunFileError
    from analysis.reports.sweep import build_sweep

    how = _execution(arguments) | {"force": arguments.force, "scheduler": arguments.scheduler}
    try:
        with _Bar() as bar:
            outcome = build_sweep(arguments.file, say=bar.say, progress=bar.show, **how)
    except (RunFileError, NoCluster) as error:
        return _wrong(error)
    return outcome.status


class _Bar:
    """A progress bar with rate and time left, in a terminal; lines go above it."""

    def __enter__(self) -> "_Bar":
        self._bar = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, done: int, total: int) -> None:
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(total=total, unit=" reports", disable=None, dynamic_ncols=True, smoothing=0.1)
        self._bar.update(done - self._bar.n)
        if done == total:
            self._bar.close()

    def say(self, line: str) -> None:
        if self._bar is not None and not self._bar.disable:
            self._bar.clear()
        _say(line)


def _refresh(arguments: argparse.Namespace) -> int:
    from analysis.reports.refresh import UnknownNotebook, refresh

    os.environ["ANALYSIS_OFFICIAL"] = "off"  # Stored outputs are the same on every machine, whatever was imported.
    try:
        return refresh(arguments.names, say=_say, **_execution(arguments))
    except UnknownNotebook as error:
        return _wrong(error)


def _import(arguments: argparse.Namespace) -> int:
    from analysis.importers.run import ImportFailed, import_results
    from analysis.importers.spread import SchedulerError
    from analysis.importers.writer import OutputError

    choices = {"round": arguments.round or "", "workers": arguments.jobs, "scheduler": arguments.scheduler}
    try:
        return import_results(arguments.paths, arguments.out, **choices, say=_say).status
    except OutputError as error:
        return _wrong(error)
    except (ImportFailed, SchedulerError) as error:
        print(f"analysis: {error}", file=sys.stderr)
        return 1


def _data(arguments: argparse.Namespace) -> int:
    from analysis.importers.download import DownloadFailed, fetch

    try:
        return fetch(mirror=arguments.mirror, say=_say)
    except DownloadFailed as error:
        print(f"analysis: {error}", file=sys.stderr)
        return 1


def _plan(arguments: argparse.Namespace) -> int:
    from analysis.commands import plan

    return _told(plan.run, arguments)


def _measure(arguments: argparse.Namespace) -> int:
    from analysis.commands import measure

    return _told(measure.run, arguments)


def _told(run: Callable[[argparse.Namespace], list[str]], arguments: argparse.Namespace) -> int:
    """Print what a command has to say; what it was asked wrongly ends with status 2 and the valid choices."""
    try:
        lines = run(arguments)
    except ValueError as error:
        return _wrong(error)
    for line in lines:
        print(line)
    return 0


def _audit(arguments: argparse.Namespace) -> int:
    from analysis.audit import listing
    from analysis.catalog import Catalog, TableError

    try:
        print(listing.printed(Catalog(), arguments.source, arguments.verdict, arguments.format))
    except (TableError, ValueError) as error:
        return _wrong(error)
    return 0


def _new_report(arguments: argparse.Namespace) -> int:
    from analysis.reports.new import NotNew, start

    try:
        written = start(arguments.name, arguments.question)
    except NotNew as error:
        return _wrong(error)
    print(f"written: {' and '.join(written)}")
    print(f"Next: make lab, edit the notebook, make refresh, make reports/{arguments.name}.html")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from analysis import check

    faults = check.faults()
    for line in [*faults, *check.notes()]:
        print(line)
    print(f"{len(faults)} faults in data/" if faults else "data/ is sound: every table is what its description says")
    return 1 if faults else 0


def _describe(arguments: argparse.Namespace) -> int:
    from analysis import dictionary
    from analysis.descriptor import DescriptorError

    try:
        changed = dictionary.describe()
    except (DescriptorError, OSError) as error:
        return _wrong(error)
    print(f"changed: {', '.join(changed)}" if changed else "nothing to change: hashes and dictionary are up to date")
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def _wrong(error: Exception) -> int:
    print(f"analysis: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
