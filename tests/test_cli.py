"""The command `analysis` as typed: help, refusals in one line, exit statuses, closed outputs."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

from analysis import paths
from analysis.cli import main
from analysis.compare import NoData
from analysis.recipes import descriptor

COMMANDS = ["reports", "refresh", "measure", "plan", "choose", "audit", "claims", "data", "import", "check", "describe"]
MEASURE = ["measure", str(paths.DATA / "examples" / "vllm_tuned.jsonl"), "--accelerator", "H100"]
ANALYSIS = [sys.executable, "-m", "analysis.cli.main"]


def test_help_lists_every_command_and_each_has_its_own(said):
    status, out, _ = said("--help")
    assert status == 0 and all(f"  {command} " in out for command in COMMANDS)
    assert said()[1] == out
    for command in COMMANDS:
        status, out, _ = said(command, "--help")
        assert status == 0 and f"analysis {command}" in out


def test_a_long_error_is_cut_and_whole_in_a_file(said, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(descriptor, "describe", lambda **_: (_ for _ in ()).throw(ValueError("x" * 5_001)))
    status, _, error = said("describe")
    (file,) = tmp_path.iterdir()
    assert status == 2 and len(error) < 5_000 and error.endswith(f" ... (full text in {file})\n")
    assert file.read_text() == "x" * 5_001


def test_help_loads_nothing_heavy():
    program = """
import sys
from analysis.cli import main
main.main(["--help"])
heavy = {"matplotlib", "seaborn", "IPython", "pandas", "pandera", "papermill", "pydantic"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["import"], "Missing argument 'PATH...'"),
        (["import", "a.json"], "Missing option '--out'"),
        (["import", "a.json", "--out", "a.txt"], "file extension of --out"),
        (["reports", "--jobs", "many"], "'--jobs'"),
        (["reports", "--jobs", "0"], "'--jobs'"),
        (["reports", "nosuch"], "nosuch"),
        (["reports", "--watch", "--force"], "--force cannot be combined with --watch"),
        (["refresh", "nosuch"], "no notebook 'nosuch'"),
        (["audit", "--verdict", "nice"], "no verdict 'nice'"),
        (["audit", "--source", "doc999"], "no source_id 'doc999'"),
        (["audit", "--format", "xml"], "no format 'xml'"),
        (["audit", "--nosuch"], "No such option: --nosuch"),
        ([*MEASURE, "--price", "1e308"], "usd_per_hour is 1e+308; expected a number from 0.01 to 1,000"),
        ([*MEASURE, "--price", "nan"], "usd_per_hour is nan; expected a number from 0.01"),
        ([*MEASURE, "--ttft-ms", "inf"], "ttft_ms is inf"),
        ([*MEASURE, "--count", str(10**12)], "count is 1000000000000"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(said, arguments, words):
    status, out, err = said(*arguments)
    assert status == 2 and words in err and err.startswith("analysis: ")
    assert len(err.splitlines()) <= 2 and "Traceback" not in err + out


def test_failures_are_status_1(said, tmp_path, monkeypatch):
    status, out, err = said("import", str(tmp_path / "a\x1b[31m.json"), "--out", str(tmp_path / "a.csv"))
    assert status == 1 and "does not exist" in out and "nothing to import" in err and "\x1b" not in err
    monkeypatch.setattr("analysis.published.load_published", lambda: (_ for _ in ()).throw(NoData("nothing is left")))
    assert said("audit") == (1, "", "analysis: nothing is left\n")
    monkeypatch.setattr("analysis.published.load_published", lambda: (_ for _ in ()).throw(OSError(28, "disk full")))
    assert said("audit")[0] == 1


def test_no_text_of_a_file_acts_on_the_terminal_or_fills_it(said, monkeypatch, tmp_path):
    hostile = "\x1b]0;title\x07\x9b31m\rover\u202e" + "x" * 100_000
    monkeypatch.setattr("analysis.published.load_published", lambda: print(hostile) or {}[0])
    monkeypatch.setattr(main, "_explained", lambda error: (hostile, 1))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    status, out, err = said("audit")
    assert status == 1 and len(err) < 5000
    assert not set("\x1b\x07\x9b\r\u202e") & {*out, *err} and "\\x1b]0;title" in out


def test_a_terminal_of_another_encoding_is_no_failure():
    code = (
        "from analysis.cli import main; main.app = lambda *_, **__: print('gr\u00f6\u00dfe \u2013'); main.main(['x'])"
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert done.stdout == b"gr\\xf6\\xdfe \\u2013\n"


def test_a_command_of_another_copy_of_the_project_says_so(tmp_path):
    for name in ("src/analysis/paths.py", "data/datapackage.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(paths.ROOT / name, tmp_path / name)
    (tmp_path / "notebooks").mkdir()
    done = subprocess.run([*ANALYSIS, "check"], cwd=tmp_path / "notebooks", capture_output=True, text=True, check=False)
    assert done.returncode == 1 and str(paths.ROOT) in done.stderr and f"{tmp_path}: run make" in done.stderr


def test_an_interrupted_command_says_so(said, monkeypatch):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
    monkeypatch.setattr("analysis.published.load_published", lambda: signal.raise_signal(signal.SIGINT))
    assert said("audit") == (130, "", "analysis: interrupted; no file is partially written\n")


def test_an_import_replaces_a_file_only_where_it_is_told_to(said, tmp_path):
    (out := tmp_path / "prices.csv").write_text("mine")
    status, _, err = said("import", str(tmp_path / "a.json"), "--out", str(out))
    assert status == 2 and "--force replaces it" in err and out.read_text() == "mine"
    assert "does not exist" in said("import", str(tmp_path / "a.json"), "--out", str(out), "--force")[1]


def test_a_broken_descriptor_is_named_and_a_fault_of_the_program_is_not_hidden(said, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.published.load_published", lambda: {}["schema"])
    with pytest.raises(KeyError):
        said("audit")
    (tmp_path / descriptor.FILE).write_text('{"name": "a", "resources": [{"name": "b"}]}')
    monkeypatch.setattr(paths, "DATA", tmp_path)
    monkeypatch.setattr("analysis.pages.reports.build", lambda *_, **__: 1)  # each of its reports failed
    for command in ("audit", "reports"):
        status, _, err = said(command)
        assert status == 1 and "datapackage.json: key resources.b.path: Field required" in err


def test_audit_prints_text_csv_and_json(said):
    status, out, _ = said("audit", "--verdict", "contradicted")
    first, *lines = out.splitlines()
    assert status == 0 and first == f"{len(lines)} figures: {len(lines)} contradicted"
    assert len(said("audit", "--verdict", "contradicted", "--format", "csv")[1].splitlines()) > len(lines)
    assert said("audit", "--source", "doc001", "--format", "json")[1].startswith("[")


def test_check_says_that_the_tables_are_sound(said):
    assert said("check") == (0, "data/: no faults\n", "")


@pytest.mark.parametrize("closed", ["reader", "stdout"])
def test_a_closed_output_gives_no_traceback(closed):
    if closed == "stdout":
        done = subprocess.run(
            ["sh", "-c", 'exec "$0" -m analysis.cli.main audit >&-', sys.executable], capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*ANALYSIS, "audit"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (main.UNREAD, b"")


def test_completion_knows_the_reports():
    from analysis.cli.reports import _named

    assert "scaling" in _named("sca") and _named("_") == []
