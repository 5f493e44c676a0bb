"""Valid files with a few bytes or values changed, for every parser: what is read, or a named error, and nothing else.

25 changes of each file in `make test`; ANALYSIS_EXAMPLES=10000 asks for more (see tests/conftest.py).
"""

import csv
import io
import json
import os
import shutil
import signal
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analysis._build.runs.folders import Places
from analysis._build.runs.runfiles import RunFileError, read_run
from analysis._build.runs.sweepfiles import read_sweep
from analysis._core import parameters
from analysis._core.parameters import MyDeployment
from analysis._core.paths import DATA, NOTEBOOKS
from analysis._import.measured import formats
from analysis._import.measured.measurement import MeasurementError, frame
from analysis._import.official import (
    archive,
    configuration,
    configuration_facts,
    configuration_modules,
    endpoints,
    evidence,
    loadgen,
    power_log,
    round_of_logs,
    run_log,
)
from analysis._import.official.import_run import ImportFailed, import_results
from analysis._tables import descriptor, loading
from analysis._tables.catalog import Catalog
from analysis.audit import flags
from analysis.methods import assessment, deployment, plausibility

EACH = int(os.environ.get("ANALYSIS_EXAMPLES", "25"))
ANY = settings(max_examples=EACH, suppress_health_check=[HealthCheck.function_scoped_fixture])
SECONDS = 30  # that no input takes on any machine
EXAMPLES = sorted(path for path in (DATA / "examples").rglob("*") if path.suffix in (".json", ".jsonl", ".txt"))
TOOLS = ("aiperf", "genai_perf", "guidellm", "inferencex", "mlperf_log", "sglang", "vllm")
TABLES = [table for table in descriptor.read_tables().values() if table.path.endswith(".csv")]
WHICH = st.integers(0, 15)
FACTS = b"""round,division,submitter,file,class,bases,name,value
v4.1,closed,Acme,closed/Acme/configs/bert/__init__.py,L40Sx8,A,use_fp8,True
v4.1,closed,Acme,closed/Acme/configs/bert/__init__.py,L40Sx8_MaxQ,L40Sx8,power_limit,250
"""
MODULE = b"""class H100_SXM_80GBx8(OfflineGPUBaseConfig):
    system = KnownSystem.H100_SXM_80GBx8
    precision = "fp8"
    power_limit = 350


class H100_SXM_80GBx8_MaxQ(H100_SXM_80GBx8):
    use_fp8 = True
"""
SERIES = {"avg": 2.5e9, "percentiles": {"99.0": 4e9, "90.0": 3e9, "50.0": 2e9}}
ENDPOINTS = {
    "result_summary.json": {
        "version": "0.1.0", "n_samples_issued": 100, "n_samples_completed": 100, "n_samples_failed": 0,
        "duration_ns": 50_000_000_000, "state": "complete", "complete": True, "ttft": SERIES, "tpot": SERIES,
        "latency": SERIES, "output_sequence_lengths": {"total": 30_000, "avg": 300.0}, "qps": 2.475, "tps": 750.0,
        "legacy_loadgen_window_duration_ns": 40_000_000_000, "run_config": {"load_pattern": {"type": "poisson"}}},
    "results.json": {
        "config": {"mode": "both"}, "results": {"total": 100, "successful": 100, "failed": 0, "elapsed_time": 40.0,
                                                "qps": 2.5}},
}  # fmt: skip
COLLECTED = {"Organization": "Acme", "Division": "closed", "SystemType": "edge", "MlperfModel": "resnet", "Units": "ms",
             "Model": "resnet50", "Scenario": "SingleStream", "Result": 2.0, "accelerator_model_name": "NVIDIA L4",
             "Platform": "a", "Availability": "available", "Location": "closed/Acme/results/a/r/s"}  # fmt: skip

PIECES = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\t",
          b"1e999", b"-1", b"NaN", b"Infinity", b"null", b"true", b"0", b"9" * 400, b"9" * 5000, b"(" * 300, b"'", b"#",
          b"- ", b"&a ", b"*a", b"!!python/object:x ", b"../", b"\\", b"\xc3\xa9", b" ", b"\\ud800", b"2026-13-41",
          b"[" * 3000]  # fmt: skip
VALUES = [None, True, False, 0, -1, 1, 1e308, -0.0, 1e-320, float("nan"), float("inf"), 10**400, "", "x", "8", "\0",
          "NaN",          "\ud800", "9" * 5000, [], {}, [[]], [0], {"": 0}, {"avg": {}}, [None] * 3]  # fmt: skip
# One draw for an input, for drawing is what costs: bytes that say what is changed, zeros for nothing.
KINDS, LENGTH = ("none", "put", "over", "cut", "twice", "end"), 6
CHANGES = st.binary(min_size=1 + 3 * LENGTH, max_size=1 + 3 * LENGTH)


def orders(changes: bytes) -> Iterator[tuple[int, int, int, int]]:
    """What `changes` says: kind, place, choice and length of each change."""
    for at in range(1, len(changes), LENGTH):
        kind, *place, choice, length = changes[at : at + LENGTH]
        yield kind, int.from_bytes(place), choice, 1 + length % 40


def edited(content: bytes, changes: bytes) -> bytes:
    """Some bytes put in, written over, cut out, repeated, or all behind a place left out."""
    for kind, place, choice, length in orders(changes):
        at, piece = place % (len(content) + 1), PIECES[choice % len(PIECES)]
        before, part, after = content[:at], content[at : at + length], content[at + length :]
        content = {"none": content, "put": before + piece + part + after, "cut": before + after, "end": before,
                   "over": before + piece + content[at + len(piece) :], "twice": before + part + part + after,
                  }[KINDS[kind % len(KINDS)]]  # fmt: skip
    return content


def swapped(held: Any, changes: bytes) -> Any:
    """Some values of a nested object replaced, left out, called otherwise, or taken from elsewhere in it."""
    held = {"": deepcopy(held)}
    for kind, place, choice, length in orders(changes):
        slots = list(_slots(held))
        (owner, key), (other, name) = slots[place % len(slots)], slots[length % len(slots)]
        value = deepcopy(VALUES[choice % len(VALUES)])
        match ("none", "set", "twin", "name", "drop")[kind % 5]:
            case "set":
                owner[key] = value
            case "twin":
                owner[key] = deepcopy(other[name])
            case "name" if isinstance(owner, dict) and owner is not held:
                owner[str(value)[:9]] = owner.pop(key)
            case "drop" if owner is not held:
                del owner[key]
    return held[""]


def _slots(held: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(held) if isinstance(held, dict) else range(len(held)):
        yield held, key
        if isinstance(held[key], dict | list):
            yield from _slots(held[key])


def changed(content: bytes, changes: bytes) -> bytes:
    """A file of JSON, or of lines of it, with values or bytes changed."""
    if changes[0] % 2:
        return edited(content, changes)
    try:
        return json.dumps(swapped(json.loads(content), changes)).encode()
    except ValueError:
        lines = swapped([json.loads(line) for line in content.splitlines()], changes)
        return "\n".join(map(json.dumps, lines if isinstance(lines, list) else [lines])).encode()


@contextmanager
def in_time() -> Iterator[None]:
    """A block that ends, and soon."""

    def late(*_: object) -> None:
        raise AssertionError(f"took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def mutated(example: Path, changes: bytes) -> bytes:
    """An example file, changed."""
    return (edited if example.suffix == ".txt" else changed)(example.read_bytes(), changes)


@pytest.mark.parametrize("tool", TOOLS)
@ANY
@given(which=WHICH, changes=CHANGES)
def test_a_measurement_is_read_or_refused_by_name(tmp_path: Path, tool: str, which: int, changes: bytes) -> None:
    examples = [path for path in EXAMPLES if path.name.startswith(tool)]
    example = examples[which % len(examples)]
    path = tmp_path / example.name
    path.write_bytes(mutated(example, changes))
    with in_time():
        try:
            runs = formats.read_runs(path)
        except MeasurementError as error:
            assert str(error).startswith(example.name)
        else:
            assert all(run.output_tokens_per_s > 0 and not run.requests_completed <= 0 for run in runs)


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """The tables, of which each question is asked once."""
    monkeypatch.setattr(assessment.gate, "select", cache(assessment.gate.select))
    return flags.catalog()


@ANY
@given(example=st.sampled_from(EXAMPLES), changes=CHANGES)
def test_what_is_read_is_assessed_or_refused_by_name(
    tmp_path: Path, catalog: Catalog, example: Path, changes: bytes
) -> None:
    path = tmp_path / example.name
    path.write_bytes(mutated(example, changes))
    asked = MyDeployment(benchmark="llama2-70b", accelerator="H100 SXM", accelerator_count=8, scenario="Server")
    with in_time():
        try:
            assert assessment.make(catalog, frame(formats.read_runs(path)), asked).best["per_accelerator_low"] > 0
        except (MeasurementError, deployment.Unsaid, plausibility.Implausible) as error:
            assert example.name in str(error) or "the files have several" in str(error)


@ANY
@given(scenario=st.sampled_from(["Server", "Offline", "SingleStream", "MultiStream"]), changes=CHANGES)
def test_a_log_of_loadgen_is_a_figure_or_refused_by_name(tree: Any, scenario: str, changes: bytes) -> None:
    text = tree.log_text(effective_scenario=scenario, early_stopping_latency_ss=9, early_stopping_latency_ms=9)
    path = tree.write("mlperf_log_detail.txt", edited(text.encode(), changes))
    with in_time():
        try:
            assert loadgen.logged(path, "resnet50", scenario, "v4.1").value > 0
        except run_log.LogError as error:
            assert str(error).startswith("mlperf_log_detail.txt")


HEAD = b""":::MLLOG {"key": "loadgen_version", "value": "4.1 @ abc"}
:::MLLOG {"key": "test_datetime", "value": "2024-07-20T10:00:00Z"}
"""
NO_DAY = bytes([KINDS.index("over"), *HEAD.index(b"2024").to_bytes(3), PIECES.index(b"2026-13-41"), 0])


@ANY
@given(changes=CHANGES)
@example(changes=bytes(1) + NO_DAY + bytes(2 * LENGTH))
def test_logs_tell_a_round_or_why_they_tell_none(tree: Any, changes: bytes) -> None:
    tree.run(log=edited(HEAD, changes))
    with in_time():
        name, reason = round_of_logs.of_tree(str(tree.root))
        assert bool(name) != bool(reason)


@pytest.mark.parametrize("name", ENDPOINTS)
@ANY
@given(changes=CHANGES)
def test_a_log_of_endpoints_is_a_figure_or_refused_by_name(tmp_path: Path, name: str, changes: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(changed(json.dumps(ENDPOINTS[name]).encode(), changes))
    with in_time():
        for scenario in ("Server", "SingleStream"):
            try:
                assert endpoints.logged(path, "llama3.1-8b", scenario, "v6.1").value > 0
            except run_log.LogError as error:
                assert str(error).startswith(name)
        assert isinstance(endpoints.accuracy(path), str)


@ANY
@given(changes=CHANGES)
def test_a_power_log_is_watts_or_refused_by_name(tree: Any, changes: bytes) -> None:
    path = tree.write("spl.txt", edited(tree.spl_text().encode(), changes))
    log = {"power_begin": "07-24-2024 10:00:00.000", "power_end": "07-24-2024 10:00:03.000"}
    with in_time():
        try:
            assert power_log.read_power(path, log).watts > 0
        except power_log.PowerError as error:
            assert str(error).startswith("spl.txt")


@ANY
@given(changes=CHANGES)
def test_a_configuration_is_a_precision_or_none(tmp_path: Path, changes: bytes) -> None:
    path = tmp_path / "llama2-70b" / "__init__.py"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(edited(MODULE, changes))
    asked = configuration.Asked(("llama2-70b",), "Offline", "H100-SXM-80GBx8_TRT_MaxQ", "llama2-70b-99")
    said = configuration_modules.Modules(tmp_path)
    with in_time():
        assert isinstance(configuration.precision(said, asked), str)
        assert configuration.power_limit(said, asked) is None or configuration.power_limit(said, asked) >= 0


@ANY
@given(changes=CHANGES)
def test_facts_of_a_configuration_are_read_or_refused_by_row(tmp_path: Path, changes: bytes) -> None:
    path = tmp_path / "facts.csv"
    path.write_bytes(edited(FACTS, changes))
    asked = configuration.Asked(("bert",), "Offline", "L40Sx8_TRT_MaxQ", "bert-99.9", "L40S")
    with in_time():
        try:
            facts = configuration_facts.by_submitter(configuration_facts.read(path))
        except configuration_facts.FactsError as error:
            assert "facts.csv" in str(error) or "row " in str(error) or " text; save it as UTF-8" in str(error)
        else:
            assert all(isinstance(configuration.precision(said, asked), str) for said in facts.values())


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.bz2"])
@ANY
@given(changes=CHANGES)
def test_an_archive_gives_whole_files_or_is_refused_by_name(tmp_path: Path, kind: str, changes: bytes) -> None:
    path, folder = tmp_path / f"x{kind}", tmp_path / "unpacked"
    files = {f"closed/Acme/systems/{name}.json": json.dumps({name: "x" * 200}).encode() for name in "ab"}
    path.write_bytes(edited(_packed(kind, files), changes))
    with in_time():
        try:
            problems = archive.unpack(path, folder)
        except archive.ArchiveError as error:
            assert str(error) and not any(each.is_file() for each in folder.rglob("*"))
        else:
            assert all(problem.reason for problem in problems)
    sizes = {len(content) for content in files.values()}
    assert kind != ".zip" or {each.stat().st_size for each in folder.rglob("*.json")} <= sizes
    assert {each.name for each in tmp_path.iterdir()} <= {path.name, "unpacked"}
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("form", ["list", "object", "collected"])
@ANY
@given(changes=CHANGES)
def test_a_summary_is_rows_or_refused_and_no_file_is_half_written(
    tmp_path: Path, tree: Any, form: str, changes: bytes
) -> None:
    rows = {"list": [tree.row, tree.row | {"ID": "v4.1-0008"}], "object": {"1": tree.row}, "collected": [COLLECTED]}[
        form
    ]
    path, out = tmp_path / ("cm-result.json" if form == "collected" else "summary.json"), tmp_path / "out.csv"
    path.write_bytes(changed(json.dumps(rows).encode(), changes))
    before = out.read_bytes() if out.exists() else b""
    with in_time():
        try:
            outcome = import_results([path], out, round="v4.1", origin="official", say=lambda line: None)
        except ImportFailed as error:
            assert path.name in str(error) and (out.read_bytes() if out.exists() else b"") == before
        else:
            with out.open(encoding="utf-8", newline="") as file:
                assert len(list(csv.DictReader(file))) == outcome.rows
    assert {each.name for each in tmp_path.iterdir() if each.is_file()} <= {path.name, "out.csv"}


@ANY
@given(which=WHICH, changes=CHANGES)
def test_a_description_is_a_row_or_a_named_error(tree: Any, which: int, changes: bytes) -> None:
    names = ("systems/acme.json", "measurements/acme/llama2-70b-99.9/Offline/acme.json")
    location, path = tree.run(), tree.root / "closed/Acme" / names[which % 2]
    valid, out = path.read_bytes(), tree.root.parent / "out.csv"
    path.write_bytes(changed(valid, changes))
    evidence._system.cache_clear()
    with in_time():
        try:
            assert import_results([tree.root], out, workers=1, say=lambda line: None).rows == 1
        except ImportFailed as error:
            assert location in str(error) or "systems/acme.json" in str(error)
    assert {each.name for each in out.parent.iterdir() if each.is_file()} <= {"out.csv"}
    path.write_bytes(valid)


@pytest.mark.parametrize("kind", ["runs", "sweeps"])
@ANY
@given(which=WHICH, changes=CHANGES)
def test_a_run_file_is_read_or_refused_by_name(
    tmp_path: Path, shipped: list, kind: str, which: int, changes: bytes
) -> None:
    files = [path for path in shipped if path.parent.name == kind]
    path = tmp_path / f"{kind}.yml"
    path.write_bytes(edited(files[which % len(files)].read_bytes(), changes))
    places = Places(root=tmp_path, notebooks=NOTEBOOKS, runs=tmp_path)
    with in_time():
        try:
            if kind == "sweeps":
                assert read_sweep(path, places, partial(parameters.validate)).points
            else:
                run = read_run(path, places)
                assert parameters.validate(run.notebook, run.parameters)
        except (RunFileError, parameters.ParameterError) as error:
            assert str(error)


@ANY
@given(which=WHICH, changes=CHANGES)
def test_a_table_is_loaded_or_refused_by_line(tmp_path: Path, which: int, changes: bytes) -> None:
    table = TABLES[which % len(TABLES)]
    path = tmp_path / table.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(edited(b"".join((DATA / table.path).read_bytes().splitlines(keepends=True)[:6]), changes))
    with in_time():
        try:
            assert list(loading.load(tmp_path, table).columns) == table.columns
        except loading.TableError as error:
            assert error.faults and all(fault.file == table.path for fault in error.faults)


@ANY
@given(changes=CHANGES)
def test_a_description_of_tables_is_read_or_refused_by_name(tmp_path: Path, changes: bytes) -> None:
    content = json.loads((DATA / "datapackage.json").read_bytes())
    content["resources"] = content["resources"][:2]
    (tmp_path / "datapackage.json").write_bytes(changed(json.dumps(content).encode(), changes))
    with in_time():
        try:
            assert isinstance(descriptor.read_tables(tmp_path), dict)
        except descriptor.DescriptorError as error:
            assert str(error).startswith("datapackage.json")


def _packed(kind: str, files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    if kind == ".zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode=f"w:{kind[5:]}") as packed:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return out.getvalue()
