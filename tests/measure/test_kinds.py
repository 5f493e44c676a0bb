"""Kinds of files that once gave a wrong number without a word: two instances of each, of different tools."""

import json
import os
import time

import numpy as np
import pandas as pd
import pytest

from analysis.measure import MeasurementError, files, read_runs
from tests.measure.records import EXAMPLES, LISTED, NAN, PARTS, VLLM, case, record, text


def rows(name):
    """The rows of a list of records.yaml, with ids."""
    return pytest.mark.parametrize(
        "row", LISTED[name], ids=[f"{at} {row['said'][:40]}" for at, row in enumerate(LISTED[name])]
    )


def holds(found, expected, said):
    """Whether a run has these values, numbers within a millionth, and exactly this is said of it."""
    words = "; ".join(found["said"])
    assert found[[*expected]].to_dict() == pytest.approx(expected, nan_ok=True)
    assert said in words if said else not words


@rows("twice")
def test_where_nothing_tells_which_of_two_statements_holds_both_rates_are_shown(run, row):
    """Parts against totals, rates against seconds, and the sum over drafts, iterations, or repetitions of a tool."""
    rates = {"tokens_per_second": row["rate"], "other_tokens_per_second": row["other"]}
    holds(run(record(row)), rates, row["said"])


@rows("settled")
def test_of_two_counts_of_tokens_the_one_with_a_reason_holds(run, row):
    """TPOT divides by the server's count, and is left out with it."""
    found = run(record(row))
    holds(found, {"tokens_per_second": row["rate"], "other_tokens_per_second": NAN}, row["said"])
    if row["of"].startswith("SGLANG"):
        assert np.isnan(found["tpot_p99_ms"]) == ("recount is used" in "".join(found["said"]))


@rows("read")
def test_what_a_record_says_is_read_and_the_rest_is_unknown(run, row):
    holds(run(record(row)), row["is"], row["said"])


@rows("refused")
def test_what_cannot_be_is_refused_with_the_known_reason_first(runs, row):
    assert row["said"] in runs(record(row))


def test_times_of_single_requests_are_of_the_answered_ones(run):
    found = run(VLLM | PARTS["EMPTY"])
    assert len(found["request_ttft_ms"]) == len(found["request_tpot_ms"]) == 80


# ---- bytes


@pytest.mark.parametrize(
    "name", ["vllm_old.json", "sglang.jsonl", "aiperf.csv", "llm_d_report.yaml", "vllm_printed.txt"]
)
@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_passed_over_in_each_reader(runs, name, coding):
    plain, marked = runs(text(name)), runs(text(name).encode(coding))
    assert marked["tokens_per_second"].tolist() == plain["tokens_per_second"].tolist()


HOSTILE = [
    (b"", "contains no result from a supported tool"), (b"\xff\xfe\xfa", "can't decode byte 0xfa"),
    (b"[" * 100_000 + b"]" * 100_000, "maximum recursion"), (b"{\"a\": \x80}", "can't decode byte 0x80"),
    (b"version: '0.2'\nscenario: " + b"{a: " * 900 + b"1" + b"}" * 900, "is not from a supported tool"),
    (b"version: '0.2'\nscenario: " + b"[" * 100_000, "nested too deep"),
    (b"version: '0.2'\nscenario:\n" + b"- " * 100_000, "nested too deep"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {<<: [*a, *a]}\n", "merge keys"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {!!merge y: [*a, *a]}\n", "merge keys"),
    (b"version: 1\nscenario:\n" + b" " * 2000 + b"- " * 90, "nested too deep"),
    (b"version: &a [x, x]\nscenario: &b [*a, *a]\nmetrics: [*b, *b, *b]\n", "has no output tokens"),
    (b"metric,avg\n" + b"x" * 200_000, "field larger than field limit"),
    (b"not a result at all\n" * 1000, "contains no result from a supported tool"),
    (json.dumps(VLLM).encode() + b'\n{"y"', "line 2"),
    (json.dumps(VLLM)[:-1].encode() + b', "completed": 90}', "the key 'completed' is duplicated; expected once"),
    (json.dumps(VLLM).encode() + b'\n{"y": {"z": 1, "z": 2}}', "line 2: the key 'z' is duplicated"),
    (b"version: '0.2'\nscenario: {a: 1, a: 2}\nmetrics: {}\n", "the key 'a' is duplicated; expected once"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_are_refused_by_name(runs, content, said):
    assert said in runs(content)


def test_a_yaml_is_read_up_to_a_size():
    with pytest.raises(ValueError, match="larger than 32 MB, the limit for YAML"):
        files._yaml("x" * ((32 << 20) + 1))


def test_a_file_of_many_single_requests_is_given_up_soon(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b'{"error_msg": "", "ttft_s": 0.2}\n' * 100_000)
    start = time.process_time()
    with pytest.raises(MeasurementError, match="LLMPerf's"):
        read_runs(path, [])
    assert time.process_time() - start < 5


def test_only_plain_files_are_opened_up_to_a_size(tmp_path, runs, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path, tmp_path / "none.json", "a\0b"):
        with pytest.raises(
            MeasurementError, match="does not exist, is not a regular file, or is a folder without mlperf"
        ):
            read_runs(path)
    monkeypatch.setattr(files, "MOST", len(json.dumps(VLLM)) - 1)
    assert "the limit" in runs(VLLM)


# ---- what is around a result


@pytest.mark.parametrize(
    "prefix", ["[pod/bench-7f9/main] ", "bench-1  | ", "2026-01-14T09:00:0{}Z INFO client: ", "(APIServer pid=8{}) "]
)
@pytest.mark.parametrize("name", ["vllm_printed.txt", "trtllm_printed.txt", "evalscope.txt", "mlperf_log_summary.txt"])
def test_a_prefix_before_each_line_is_cut_off(run, prefix, name):
    lines = [prefix.format(at % 10) + line for at, line in enumerate(text(name).splitlines())]
    columns = ["tokens_per_second", "ttft_p99_ms", "requests"]
    assert run("\n".join(lines))[columns].equals(read_runs(EXAMPLES / name).iloc[0][columns])


# ---- the cases that came from outside

CASES = pd.read_csv(__file__.replace("test_kinds.py", "cases.csv"), dtype=str, keep_default_na=False)


@pytest.mark.parametrize("name", (CASES["case"] + "/" + CASES["file"]).unique())
def test_numbers_of_an_outside_case(name):
    """Within 0.2% of what the README of the case calls right, in its last run."""
    found = read_runs(case(name)).iloc[-1]
    for column, value in CASES[(CASES["case"] + "/" + CASES["file"]).eq(name)][["column", "value"]].to_numpy():
        is_text = isinstance(found[column], str)
        assert found[column] == (value if is_text else pytest.approx(float(value or NAN), rel=2e-3, nan_ok=True))
    assert np.isnan(found["other_tokens_per_second"])


@pytest.mark.parametrize(
    ("name", "said"),
    [("inference_benchmark.txt", "AI-Hypercomputer"), ("u_onebatch.jsonl", "of one batch; expected that of bench_serv"),
     ("vllm_0_1_serving.txt", "does not count output tokens"),
    ("vllm_sweep_summary.csv", "the JSON of each run beside it")],
)  # fmt: skip
def test_a_file_that_is_not_read_names_the_one_that_is(name, said):
    with pytest.raises(MeasurementError, match=said):
        read_runs(case(f"42-unread-formats/{name}"))
