"""The command `analysis`: arguments in, one call into the package, an exit status out."""

import argparse
import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from analysis._core import unprintable
from analysis._core.refusal import Failed, Refused
from analysis._core.table_text import UnusableTable
from analysis._core.vocabulary import FILED_AS
from analysis._import.official import UNPACKED_GB
from analysis.cli.arguments import (
    add_choose,
    add_execution,
    add_measure,
    add_plan,
    execution,
    port,
    positive,
    round_name,
)

OBJECTS = 100_000  # made before garbage is looked for: what is imported is none, and looking takes a tenth of the time
INTERRUPTED, UNREAD = 130, 141  # as a shell reports SIGINT and SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done; 1: something failed; 2: asked wrongly; 130: interrupted; 141: whoever reads the output has closed it.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)  # Nor is what was imported to be looked through once more when the process ends.
    arguments = _parser().parse_args(argv)
    # Whoever ends this process politely (a CI system, `timeout`) gets the same orderly end as Ctrl-C.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        status = arguments.command(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\nInterrupted: nothing is half-written, and the next run completes what is missing.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # Whoever reads has seen enough, as `head` has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except Refused as error:
        return _failed(error, 2)
    except Failed as error:
        return _failed(error)
    except UnusableTable as error:
        return _failed(f"{error}\nNext: put the table right; `make check` names every fault of data/")
    except OSError as error:  # A full disk, a folder without write permission: the message says which.
        return _failed(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="analysis", description="Reports on published MLPerf Inference figures.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    _building(commands)
    _figures(commands)
    add_plan(_add(commands, "plan", _answer, "plan capacity: nodes, cost, and power for users on one accelerator"))
    add_choose(_add(commands, "choose", _answer, "rank available accelerators for a model, users, and a budget"))
    add_measure(_add(commands, "measure", _answer, "set measurement files of your own beside the official record"))
    return parser


def _building(commands: argparse._SubParsersAction) -> None:
    reports = _add(commands, "reports", _reports, "build the reports that are not up to date")
    reports.add_argument("names", nargs="*", metavar="REPORT", help="a run file of notebooks/runs, without its ending")
    which = reports.add_mutually_exclusive_group()
    which.add_argument("--force", action="store_true", help="build also what is up to date")
    which.add_argument("--watch", action="store_true", help="serve them, and build again what each edit makes stale")
    reports.add_argument("--port", type=port, default=8000, metavar="N", help="of --watch, on this machine (8000)")
    add_execution(reports)

    sweep = _add(commands, "sweep", _sweep, "build a report for each combination of a matrix of parameters")
    sweep.add_argument("file", metavar="FILE.yml", help="a sweep file, or the name of one in notebooks/sweeps")
    sweep.add_argument("--force", action="store_true", help="build also what is up to date")
    add_execution(sweep)

    refresh = _add(commands, "refresh", _refresh, "execute the notebooks in place, so that stored outputs match")
    refresh.add_argument("names", nargs="*", metavar="NOTEBOOK", help="a notebook, with or without folder and ending")
    add_execution(refresh)
    new = _add(commands, "new-report", _new_report, "start a report: a notebook and its run file, from the template")
    new.add_argument("name", metavar="NAME", help="its name, such as price_per_token")
    new.add_argument("--question", default="", help="what it answers, in one line that ends in a question mark")

    stored = _add(commands, "notebook", _notebook, "a notebook for git: as it is stored, or in the words of a diff")
    stored.add_argument(
        "form", choices=["stored", "words"], help="stored: what refresh writes; words: what people read"
    )
    stored.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the notebook (default: standard input)")


def _figures(commands: argparse._SubParsersAction) -> None:
    bring = _add(commands, "import", _import, "turn official files into result rows: summaries, trees, archives")
    about = "a summary file, a submission tree or a part; a file of facts on configurations"
    bring.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=about)
    bring.add_argument("--out", required=True, type=Path, metavar="FILE", help="a .parquet or .csv file to write")
    bring.add_argument("--round", type=round_name, metavar="vX.Y", help="the round, where no path or row says it")
    bring.add_argument(
        "--origin", choices=FILED_AS, help="with --round: what rows are whose summary is of no repository of the record"
    )
    bring.add_argument("--jobs", type=positive, default=None, metavar="N", help="processes (default: the processors)")
    about = "what an archive may unpack to, in gigabytes (%(default)s)"
    bring.add_argument("--unpacked-gb", type=positive, default=UNPACKED_GB, metavar="N", help=about)

    record = _add(commands, "record", _record, "make the shipped files of data/official/ again, from what they are of")
    record.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="summaries, trees, archives, collections")
    record.add_argument("--check", action="store_true", help="write nothing; status 1 where a file would be another")
    record.add_argument("--fewer", action="store_true", help="ship a round also where rows, or what logs say, are lost")
    record.add_argument("--jobs", type=positive, default=None, metavar="N", help="processes (default: the processors)")

    data = _add(commands, "data", _data, "bring rounds that are not shipped, or files of your own, into data/official/")
    data.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="summaries, clones or archives")
    about = "fetch the newest runs of these models from InferenceX's API (all), into data/inferencex/"
    data.add_argument("--inferencex", nargs="*", metavar="MODEL", help=about)
    data.add_argument("--mirror", default="", metavar="URL", help="another address of that API")
    audit = _add(
        commands, "audit", _audit, "check published figures against official results, arithmetic and hardware limits"
    )
    audit.add_argument("--source", default="", metavar="ID", help="one document, by its id in data/sources.csv")
    audit.add_argument("--verdict", default="", metavar="V", help="one verdict, such as contradicted")
    audit.add_argument("--format", default="table", choices=["table", "json", "csv"], help="how to print (table)")
    _add(commands, "check", _check, "hold every table of data/ to its description")
    _add(commands, "describe", _describe, "bring the tables' hashes and column dictionary up to an edit")


def _add(commands: argparse._SubParsersAction, name: str, command: Callable, about: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    parser.set_defaults(command=command, name_of_command=name)
    return parser


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def _reports(arguments: argparse.Namespace) -> int:
    from analysis._build.reports import build_reports

    if arguments.watch:
        return _watch(arguments)
    return build_reports(arguments.names, force=arguments.force, say=_say, **execution(arguments)).status


def _watch(arguments: argparse.Namespace) -> int:
    from analysis._build.watch import loop

    try:
        loop.watch(arguments.names, port=arguments.port, say=_say, **execution(arguments))
    except loop.Restart as restart:
        _say("the preview's own code was edited: it starts again")
        os.execv(sys.executable, [*sys.orig_argv, "--port", str(restart.port)])
    except KeyboardInterrupt:
        _say("\npreview ended")
    return 0


def _sweep(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from analysis._build.sweep import build_sweep

    how = execution(arguments) | {"force": arguments.force}
    with tqdm(total=0, unit=" reports", dynamic_ncols=True, disable=None) as bar:  # None: in a terminal alone

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        def say(line: str) -> None:
            bar.clear()
            _say(line)

        return build_sweep(arguments.file, say=say, progress=progress, **how).status


def _refresh(arguments: argparse.Namespace) -> int:
    from analysis._build.refresh import refresh

    os.environ["ANALYSIS_OFFICIAL"] = "shipped"  # Stored outputs are the same on every machine, whatever was imported.
    return refresh(arguments.names, say=_say, **execution(arguments))


def _notebook(arguments: argparse.Namespace) -> int:
    from analysis._build.stored_outputs import as_stored, as_words

    content = arguments.file.read_bytes() if arguments.file else sys.stdin.buffer.read()
    sys.stdout.buffer.write((as_stored if arguments.form == "stored" else as_words)(content))
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from analysis._import import endpoints_suite
    from analysis._import.official.import_run import import_results

    if arguments.origin and not arguments.round:
        raise Refused("--origin: needs --round, the round whose rules the results followed, such as v5.1")
    choices = {"round": arguments.round or "", "origin": arguments.origin or ""}
    choices |= {"workers": arguments.jobs, "unpacked_gb": arguments.unpacked_gb}
    if suite := endpoints_suite.among(arguments.paths):
        return endpoints_suite.import_points(suite, arguments.out, _say)
    return import_results(arguments.paths, arguments.out, **choices, say=_say).status


def _record(arguments: argparse.Namespace) -> int:
    from analysis._import.official import shipped_rounds

    choices = {"check": arguments.check, "fewer": arguments.fewer, "workers": arguments.jobs}
    return shipped_rounds.make(arguments.paths, **choices, say=_say)


def _data(arguments: argparse.Namespace) -> int:
    from analysis._import import endpoints_suite, inferencex_api
    from analysis._import.official import own_rounds

    if arguments.inferencex is not None:
        if arguments.paths:
            raise Refused("--inferencex takes models, no PATH; name those after it")
        return inferencex_api.bring(arguments.inferencex, address=arguments.mirror, say=_say)
    if suite := endpoints_suite.among(arguments.paths):
        return endpoints_suite.bring(suite, say=_say)
    if not arguments.paths:
        raise Refused(
            "PATH is missing: a summary, clone, or archive, such as make data FROM=path/to/summary_results.json"
        )
    return own_rounds.bring(arguments.paths, say=_say)


def _answer(arguments: argparse.Namespace) -> int:
    """Print what the module of a command, one of planner's questions, has to say."""
    module = import_module(f"analysis.cli.{arguments.name_of_command}")
    try:
        lines = module.run(arguments)
    except ValueError as error:
        return _failed(error, 2)
    for line in lines:
        _say(line)
    return 0


def _audit(arguments: argparse.Namespace) -> int:
    from analysis._tables.catalog import Catalog
    from analysis.audit import listing

    try:
        _say(listing.printed(Catalog(), arguments.source, arguments.verdict, arguments.format))
    except ValueError as error:
        return _failed(error, 2)
    return 0


def _new_report(arguments: argparse.Namespace) -> int:
    from analysis._build.new_report import start

    _say(f"written: {' and '.join(start(arguments.name, arguments.question))}")
    _say(f"Next: make lab, edit the notebook, make refresh, make reports/{arguments.name}.html")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from analysis._tables import check
    from analysis.audit import typos

    faults = check.faults()
    for line in [*faults, *typos.notes()]:
        _say(str(line))
    count = f"{len(faults)} fault{'s' * (len(faults) != 1)} in data/"
    _say(count if faults else "data/ is sound: every table is what its description says")
    return 1 if faults else 0


def _describe(arguments: argparse.Namespace) -> int:
    from analysis._build import api_page
    from analysis._tables import dictionary

    changed = dictionary.describe() + ["docs/api.md"] * api_page.write()
    _say(f"changed: {', '.join(changed)}" if changed else "nothing to change: hashes and pages are up to date")
    return 0


def _say(line: str) -> None:
    """Print lines, the one way to the terminal: what is quoted in them from files does nothing to it."""
    print(unprintable.escaped_lines(line), flush=True)


def _failed(error: Exception | str, status: int = 1) -> int:
    print(unprintable.escaped_lines(f"analysis: {error}"), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
