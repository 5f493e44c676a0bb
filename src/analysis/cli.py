"""The command `analysis`: arguments in, one call into the package, an exit status out; no work of its own."""

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

INTERRUPTED = 130


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

    reports = _add(commands, "reports", _reports, "build the reports that are not up to date")
    reports.add_argument("names", nargs="*", metavar="REPORT", help="a run file of notebooks/runs, without its ending")
    reports.add_argument("--force", action="store_true", help="build also what is up to date")
    _add_execution(reports)

    refresh = _add(commands, "refresh", _refresh, "execute the notebooks in place, so that stored outputs match")
    refresh.add_argument("names", nargs="*", metavar="NOTEBOOK", help="a notebook, with or without folder and ending")
    _add_execution(refresh)

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

    _add(commands, "check", _check, "hold every table of data/ to its description")
    _add(commands, "describe", _describe, "bring the tables' hashes and column dictionary up to an edit")
    return parser


def _add(commands: argparse._SubParsersAction, name: str, command: Callable, about: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    parser.set_defaults(command=command)
    return parser


def _add_execution(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=_positive, default=3, metavar="N", help="notebooks at a time (default 3)")
    parser.add_argument("--timeout", type=_positive, default=300, metavar="S", help="seconds a cell may take (300)")


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
        outcome = build_reports(
            arguments.names, jobs=arguments.jobs, force=arguments.force, timeout=arguments.timeout, say=_say
        )
    except UnknownReport as error:
        return _wrong(error)
    return outcome.status


def _refresh(arguments: argparse.Namespace) -> int:
    from analysis.reports.refresh import UnknownNotebook, refresh

    os.environ["ANALYSIS_OFFICIAL"] = "off"  # Stored outputs are the same on every machine, whatever was imported.
    try:
        return refresh(arguments.names, jobs=arguments.jobs, timeout=arguments.timeout, say=_say)
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


def _check(arguments: argparse.Namespace) -> int:
    from analysis import check

    faults = check.faults()
    for fault in faults:
        print(fault)
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
