"""The command `analysis`: arguments in, one call into the package, an exit status out; no work of its own."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

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

    new = _add(commands, "new-report", _new_report, "start a report: a notebook and its run file, from the template")
    new.add_argument("name", metavar="NAME", help="its name, such as price_per_token")
    new.add_argument("--question", default="", help="what it answers, in one line that ends in a question mark")

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

    try:
        return refresh(arguments.names, jobs=arguments.jobs, timeout=arguments.timeout, say=_say)
    except UnknownNotebook as error:
        return _wrong(error)


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
