"""Run the command `analysis`: arguments in, one call into the package, an exit status out.

Command modules import the rest of the package inside their functions, so that `analysis --help` loads nothing heavy.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import typer
from typer.exceptions import Exit, TyperException

from analysis.cli import audit, data, measure, plan, reports

LONGEST = 4000  # characters of an error on the terminal
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069](?<!\r(?=\n))")
USAGE, FAILURE, INTERRUPTED, UNREAD = 2, 1, 130, 141  # the last two as a shell reports SIGINT and SIGPIPE

app = typer.Typer(
    name="analysis",
    help="Reports on MLPerf Inference results, capacity plans, and comparisons with your own runs.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    reports.reports, reports.refresh, measure.measure, plan.plan, plan.choose, audit.audit, audit.claims, data.bring,
    data.import_, data.check, data.describe,
):  # fmt: skip
    app.command({"import_": "import", "bring": "data"}.get(command.__name__, command.__name__))(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done; 1: something failed; 2: wrong usage; 130: interrupted; 141: the reader of the output closed it.
    """
    for name in ("SIGTERM", "SIGHUP"):  # `timeout`, CI, and a closed terminal get the orderly end of Ctrl-C
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:  # not under nohup
            signal.signal(getattr(signal, name), signal.default_int_handler)
    if sys.stdout is None:  # closed by the shell
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        _guard(stream)
    from analysis import paths

    if other := paths.other_project():
        return _failed(f"this command belongs to {paths.ROOT}, not to {other}: run make in {other} first", FAILURE)
    try:
        status = app(
            list(sys.argv[1:] if arguments is None else arguments) or ["--help"],
            prog_name="analysis",
            standalone_mode=False,
        )
        if status == INTERRUPTED:  # typer reports Ctrl-C only by this status
            raise KeyboardInterrupt
        sys.stdout.flush()
        return status or 0
    except SystemExit:  # raised by typer if the reader closes the output
        return UNREAD
    except KeyboardInterrupt:
        return _failed("interrupted; no file is partially written", INTERRUPTED)
    except Exit as ended:
        return ended.exit_code
    except TyperException as error:
        return _failed(f"{error.format_message()} (analysis --help)", USAGE)
    except (OSError, RuntimeError) as error:
        return _failed(str(error), FAILURE)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return _failed(*_explained(error))


def _explained(error: Exception) -> tuple[str, int]:
    """Return what is wrong and the exit status. Raises the error again if it is a bug."""
    from analysis.compare import NoData
    from analysis.paths import DATA
    from analysis.recipes import descriptor

    try:
        descriptor.read_descriptor(DATA)
    except descriptor.DescriptorError as wrong:
        return str(wrong), FAILURE
    if isinstance(error, ValueError):
        return str(error), FAILURE if isinstance(error, NoData) else USAGE
    raise error


def _guard(stream: Any) -> None:
    """Make a stream escape what would act on the terminal, and what its encoding does not have."""
    write = stream.write
    stream.write = lambda text: write(CONTROLS.sub(lambda found: repr(found[0])[1:-1], text))
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def _failed(text: str, status: int) -> int:
    """Print an error and return the status; a long text is cut, and saved whole in a file."""
    if len(text) > LONGEST:
        with tempfile.NamedTemporaryFile(
            "w", prefix="analysis-", suffix=".txt", delete=False, errors="replace"
        ) as whole:
            whole.write(text)
        text = f"{text[:LONGEST]} ... (full text in {whole.name})"
    print(f"analysis: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
