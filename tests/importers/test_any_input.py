"""Any bytes in, a row or a named error out, for every file that an import reads; and files too large to be held."""

import io
import json
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis._import.official import (
    archive,
    configuration,
    configuration_facts,
    configuration_modules,
    endpoints,
    evidence,
    run_log,
)
from analysis._import.official.import_run import ImportFailed, import_results
from analysis.cli import main

FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
HUGE = 512 << 20  # bytes of a line, ten times ENOUGH; sparse, so that it takes no disk
ENOUGH = 48 << 20  # bytes of memory that an import may take whatever lies before it
LINES = ["class H100_SXM_80GBx8(A):", "class A(H100_SXM_80GBx8):", "    use_fp8 = True", "    precision = 'int8'",
         "    power_limit = 350", "    power_limit = [1]", "    precision = [1]", "    system = Known.H100", "\0",
         "(" * 300, "\xe9", "x = y = 1"]  # fmt: skip
PYTHON = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
NAMES = st.text(st.sampled_from("ab./\\:~ \xe9"), min_size=1, max_size=12)
CELLS = st.sampled_from(
    ["v4.1", "closed", "Acme", "closed/Acme/configs/bert/__init__.py", "L40S", "", "use_fp8", "True", "precision",
     "'int8'", "(" * 90, '"', "\0", "power_limit", "1e999", "\xe9"]
)  # fmt: skip
NUMBERS = st.sampled_from([0, 4, -1, 2.0, 1e999, 10**400, True, None, "4", float("nan")])
STATED = ("n_samples_issued", "n_samples_completed", "n_samples_failed", "duration_ns", "qps", "tps", "total", "failed",
          "legacy_loadgen_window_duration_ns", "successful", "elapsed_time", "average_accuracy")  # fmt: skip
SERIES = st.fixed_dictionaries(
    {}, optional={"avg": NUMBERS, "total": NUMBERS, "percentiles": st.just({"50.0": 2, "90.0": 1})}
)
PARTS = ("ttft", "tpot", "latency", "output_sequence_lengths", "run_config", "results")
SUMMARY = st.fixed_dictionaries({}, optional=dict.fromkeys(STATED, NUMBERS) | dict.fromkeys(PARTS, SERIES | NUMBERS))
VALUES = st.none() | st.booleans() | st.floats() | st.text(max_size=6) | st.lists(st.integers(), max_size=2)


@FEW
@given(content=st.binary(max_size=300) | PYTHON.map(str.encode))
def test_any_bytes_of_a_configuration_are_a_precision_or_none(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "llama2-70b"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_bytes(content)
    asked = configuration.Asked(("llama2-70b",), "Offline", "H100-SXM-80GBx8_TRT_MaxQ", "llama2-70b-99")
    said = configuration_modules.Modules(tmp_path)
    assert configuration.precision(said, asked) in ("", "fp8", "int8")
    assert configuration.power_limit(said, asked) in (None, 350.0)


@FEW
@given(rows=st.lists(st.lists(CELLS, min_size=8, max_size=10), max_size=3), tail=st.binary(max_size=20))
def test_any_bytes_of_a_file_of_facts_are_facts_or_refused_by_row(tmp_path: Path, rows: list, tail: bytes) -> None:
    path = tmp_path / "facts.csv"
    lines = [",".join(configuration_facts.HEADER), *map(",".join, rows)]
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape") + b"\n" + tail)
    try:
        facts = configuration_facts.by_submitter(configuration_facts.read(path))
    except configuration_facts.FactsError as error:
        assert "row " in str(error)
        return
    asked = configuration.Asked(("bert",), "Offline", "L40Sx8_TRT_MaxQ", "bert-99.9", "L40S")
    assert {configuration.precision(said, asked) for said in facts.values()} <= {"", "fp8", "int8"}


@FEW
@given(content=st.binary(max_size=200) | SUMMARY.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_of_an_endpoints_log_are_a_figure_or_refused_by_name(tmp_path: Path, content: bytes) -> None:
    for name in ("result_summary.json", "results.json"):
        path = tmp_path / name
        path.write_bytes(content)
        for scenario in ("Server", "SingleStream"):
            try:
                found = endpoints.logged(path, "llama3.1-8b", scenario, "v6.1")
            except run_log.LogError as error:
                assert str(error).startswith(name)
            else:
                assert found.value > 0
        assert isinstance(endpoints.accuracy(path), str)


@FEW
@given(content=st.binary(max_size=400), kind=st.sampled_from(archive.ENDINGS))
def test_any_bytes_of_an_archive_are_refused_by_name(tmp_path: Path, content: bytes, kind: str) -> None:
    path, folder = tmp_path / f"x{kind}", tmp_path / "unpacked"
    path.write_bytes(content)
    try:
        archive.unpack(path, folder)
    except archive.ArchiveError as error:
        assert "breaks off, or is no archive" in str(error)
    assert not list(folder.rglob("*"))


@FEW
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True), kind=st.sampled_from([".zip", ".tar"]))
def test_whatever_a_member_is_called_nothing_lands_outside(tmp_path: Path, names: list[str], kind: str) -> None:
    path, folder = tmp_path / f"x{kind}", tmp_path / "deep" / "unpacked"
    folder.mkdir(parents=True, exist_ok=True)
    _packed(path, {f"{name}/systems/a.json": b"{}" for name in names})
    try:
        problems = archive.unpack(path, folder)
    except archive.ArchiveError as error:
        assert str(error)
    else:
        assert all(problem.reason for problem in problems)
    outside = {each for each in tmp_path.rglob("*") if each.is_file() and not each.is_relative_to(folder)}
    assert outside <= {tmp_path / "x.zip", tmp_path / "x.tar"}


@FEW
@given(rows=st.lists(st.dictionaries(st.sampled_from(["Result", "Units", "Result_Units", "Result_Power", "Location",
                                                      "Scenario", "Division", "Organization", "MlperfModel"]), VALUES)
                     | VALUES, max_size=5))  # fmt: skip
def test_any_summary_is_rows_or_named_errors(tmp_path: Path, rows: list) -> None:
    good = {"Organization": "Acme", "Division": "closed", "SystemType": "edge", "MlperfModel": "resnet", "Units": "ms",
            "Model": "resnet50", "Scenario": "SingleStream", "Result": 2.0, "accelerator_model_name": "NVIDIA L4",
            "Platform": "a", "Availability": "available", "Location": "closed/Acme/results/a/r/s"}  # fmt: skip
    path, out = tmp_path / "cm-result.json", tmp_path / "out.csv"
    path.write_text(json.dumps([good, *(good | row if isinstance(row, dict) else row for row in rows)]))
    try:
        outcome = import_results([path], out, round="v4.0", origin="official", say=lambda line: None)
    except ImportFailed as error:
        assert "cm-result.json" in str(error)
    else:
        assert 1 <= outcome.rows <= len(rows) + 1 and outcome.rows + len(outcome.problems) <= len(rows) + 1


@FEW
@given(content=st.binary(max_size=200) | st.text('[]{}",:0e \n', max_size=40).map(str.encode), which=st.integers(0, 3))
def test_any_bytes_beside_a_log_are_a_row_or_a_named_error(tree: Any, content: bytes, which: int) -> None:
    location = tree.run()
    names = ["closed/Acme/systems/acme.json", "closed/Acme/measurements/acme/llama2-70b-99.9/Offline/acme.json",
             f"{location}/accuracy/accuracy.txt", f"{location}/performance/run_1/spl.txt"]  # fmt: skip
    before = {name: (tree.root / name).read_bytes() for name in names if (tree.root / name).exists()}
    tree.write(names[which], content)
    evidence._system.cache_clear()
    try:
        assert import_results([tree.root], tree.root.parent / "out.csv", say=lambda line: None).rows == 1
    except ImportFailed as error:
        assert location in str(error)
    (tree.root / names[which]).unlink()
    for name, old in before.items():
        tree.write(name, old)


def _sparse(path: Path, before: bytes, after: bytes) -> None:
    """A file with one line of HUGE bytes between two parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(before)
    with path.open("r+b") as file:
        file.seek(HUGE)
        file.write(after)


@contextmanager
def _little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < ENOUGH
    finally:
        tracemalloc.stop()


def test_a_huge_line_in_any_file_of_a_tree_costs_no_memory_and_its_own_row_at_most(tree: Any, bring: Callable) -> None:
    text = tree.log_text().encode()
    at = text.index(b':::MLLOG {"key": "result_validity"')
    tree.run("bert-99")
    location = tree.run("bert-99.9", log=b"")
    _sparse(tree.root / location / "performance/run_1/mlperf_log_detail.txt", text[:at], text[at:])
    _sparse(tree.root / tree.run("3d-unet-99") / "accuracy/accuracy.txt", b"mean = 1\n", b"\n")
    power = tree.run("resnet50")
    tree.power(power)
    _sparse(tree.root / power / "performance/run_1/spl.txt", b"Time,07-24-2024 10:00:01.000,Watts,5.0\n", b"\n")
    with _little_memory():
        outcome = bring(tree.root, workers=1)
    assert {row["model_run"] for row in outcome.table} == {"bert-99", "bert-99.9", "3d-unet-99", "resnet50"}
    assert ["spl.txt, line 2: longer than" in problem.reason for problem in outcome.problems] == [True]


def test_a_huge_line_in_a_description_or_a_summary_costs_no_memory(tree: Any, bring: Callable) -> None:
    tree.run()
    _sparse(tree.root / "closed/Acme/systems/acme.json", b'{"a": "', b'"}')
    _sparse(tree.root.parent / "summary.json", json.dumps([tree.row])[:-1].encode() + b', {"ID": "', b'"}]')
    with _little_memory(), pytest.raises(ImportFailed, match="is no JSON"):
        bring(tree.root)
    with _little_memory():
        outcome = bring(tree.root.parent / "summary.json")
    assert outcome.rows == 1 and "breaks off, or is no JSON, in row 2" in str(outcome.problems[0])


def test_the_command_ends_with_1_where_anything_was_left_out_and_2_where_nothing_could_be_written(
    tree: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"ID": "v4.1-0008", "Platform": "b"}
    out = tmp_path / "out.csv"
    assert main.main(["import", str(tree.summary({}, good)), "--out", str(out)]) == 0
    assert main.main(["import", str(tree.summary({"Nodes": "x"}, good)), "--out", str(out)]) == 1
    assert "left out" in capsys.readouterr().out and len(out.read_text().splitlines()) == 2
    before = out.read_bytes()
    assert main.main(["import", str(tree.summary({"Nodes": "x"})), "--out", str(out)]) != 0
    assert out.read_bytes() == before and not list(tmp_path.glob(".*"))


def _packed(path: Path, files: dict[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as out:
            for name, content in files.items():
                out.writestr(name, content)
    else:
        with tarfile.open(path, "w") as out:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                out.addfile(info, io.BytesIO(content))
