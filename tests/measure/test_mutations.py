"""Examples with seeded faults: they are refused by name, fast, or read without an impossible number."""

import copy
import json
import math
import random
import time
from pathlib import Path

import pytest

from analysis.measure import MeasurementError, read_runs
from analysis.measure.checks import BOUNDS, TEXTS

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
FILES = sorted(path for path in EXAMPLES.rglob("*") if path.is_file() and path.name != "README.md")
VALUES = (
    None, True, "x", "", [], {}, [[]], -1, 0, 0.5, 1e-300, 1e300, 10**24, 10**4000, math.inf, -math.inf, math.nan,
    "9" * 5000,
    "\x1b[2J\u202e", {"unit": "parsec", "avg": 3}, [1, "2", True], [{"a": 1}],
)  # fmt: skip
SECONDS = 2.0  # a file of a few kilobytes takes some milliseconds; loaded machines take longer
MUTATIONS = 400


def places(value, path=()):
    """The paths of all parts of a parsed file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def mutated_json(text, dice):
    lines = text.splitlines() if text.startswith("{") and "\n{" in text else [text]
    at = dice.randrange(len(lines))
    content = json.loads(lines[at])
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        *above, last = dice.choice(list(places(content)))
        holder = content
        for step in above:
            holder = holder[step]
        old = holder[last]
        choice = dice.randrange(len(VALUES) + 6)
        if choice < len(VALUES):
            holder[last] = copy.deepcopy(VALUES[choice])
        elif choice == len(VALUES):
            del holder[last]
        elif type(old) in (int, float) and abs(old) < 1e300:
            holder[last] = old * dice.choice((1e3, 1e-3, 1e6, 1e-6, 60, -1, 2))
        if not list(places(content)):
            break
    lines[at] = json.dumps(content)
    return "\n".join(lines).encode()


def mutated_text(content, dice):
    for _ in range(dice.choice((1, 2, 5))):
        kind, at = dice.randrange(6), dice.randrange(len(content))
        if kind == 0:
            content = content[:at]
        elif kind == 1:
            content = content[:at] + bytes([dice.randrange(256)]) + content[at + 1 :]
        elif kind == 2:
            content = content[:at] + content[dice.randrange(len(content)) :]
        elif kind == 3:
            digits = [place for place, byte in enumerate(content) if 48 <= byte <= 57]
            where = dice.choice(digits or [0])
            content = content[:where] + dice.choice((b"0", b"999", b"1e30", b"-1", b"nan")) + content[where + 1 :]
        elif kind == 4:
            lines = content.split(b"\n")
            del lines[dice.randrange(len(lines))]
            content = b"\n".join(lines)
        else:
            content = content + content[:at]
        if len(content) < 2:
            break
    return content


def sound(run):
    """Whether the numbers of a run can be together."""
    inside = all(math.isnan(run[name]) or low <= run[name] <= high for name, (low, high) in BOUNDS.items())
    texts = all(len(run[name]) < 2000 and run[name].isprintable() for name in TEXTS)
    rate = run["output_tokens"] / run["duration_s"]
    agree = math.isnan(rate) or abs(rate - run["tokens_per_second"]) <= 0.031 * rate + 0.01 or bool(run["said"])
    late = run["ttft_p99_ms"] > 1501 * run["duration_s"] or run["ttft_p50_ms"] > 1.01 * run["ttft_p99_ms"]
    return inside and texts and agree and not late and run["tokens_per_second"] > 0


def inside(record, path):
    for step in path.split("/"):
        record = record[step]
    return record


ARITHMETIC = {  # tool -> tokens per second from other keys of its file
    "vLLM": lambda record: record["total_output_tokens"] / record["duration"],
    "SGLang": lambda record: record["total_output_tokens"] / record["duration"],
    "AIPerf": lambda record: inside(record, "request_throughput/avg") * inside(record, "output_sequence_length/avg"),
    "genai-perf": lambda held: inside(held, "request_throughput/avg") * inside(held, "output_sequence_length/avg"),
    "inference-perf": lambda record: (
        inside(record, "successes/count") * inside(record, "successes/output_len/mean")
        / record["benchmark_time_seconds"]
    ),
    "TensorRT-LLM": lambda record: (
        inside(record, "performance/request_throughput_req_s") * inside(record, "request_info/avg_output_length")
    ),
    "LLMPerf": lambda record: (
        record["results_num_completed_requests_per_min"] / 60 * record["results_number_output_tokens_mean"]
    ),
    "MLPerf Endpoints": lambda record: (
        inside(record, "output_sequence_lengths/total") * 1e9
        / (record["legacy_loadgen_window_duration_ns"] or record["duration_ns"])
    ),
    "llama-bench": lambda record: record["n_gen"] / record["avg_ns"] * 1e9,
}  # fmt: skip


def told(run, content):
    """Whether the throughput is that of the arithmetic on the file, or a doubt is named."""
    if run["tool"] not in ARITHMETIC or run["said"]:
        return True
    kind, _, at = run["place"].partition(" ")
    try:
        whole = json.loads(content.splitlines()[int(at) - 1] if kind == "line" else content)
        if kind == "entry":
            whole = [each for each in whole if each.get("n_gen") != 0] or whole
            whole = whole[int(at) - 1]
        expected = float(ARITHMETIC[run["tool"]](whole))
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, OverflowError):
        return True  # what is missing cannot contradict
    return not expected > 0 or abs(expected - run["tokens_per_second"]) <= 0.031 * expected + 0.01


def mutate(number, tmp_path):
    dice = random.Random(number)
    source = FILES[number % len(FILES)]
    content = source.read_bytes()
    is_json = source.suffix in (".json", ".jsonl")
    path = tmp_path / f"{number}{source.suffix}"
    is_parsed = is_json and dice.random() < 0.8
    path.write_bytes(mutated_json(content.decode(), dice) if is_parsed else mutated_text(content, dice))
    start = time.process_time()
    try:
        runs = read_runs(path)
    except MeasurementError as error:
        assert str(error).startswith(str(path)[:100]) and len(str(error)) < 1500
        return 0
    finally:
        assert time.process_time() - start < SECONDS, path
    assert all(sound(run) for run in runs.to_dict("records")), path
    if is_parsed:
        assert all(told(run, path.read_text("utf-8")) for run in runs.to_dict("records")), path
    return len(runs)


@pytest.mark.parametrize("file", range(len(FILES)), ids=[path.name for path in FILES])
def test_mutated_examples_are_read_soundly_or_refused_by_name(tmp_path, file):
    read = [mutate(number, tmp_path) for number in range(file, MUTATIONS, len(FILES))]
    assert any(read), "no mutation was read"


@pytest.mark.slow
def test_three_thousand_more(tmp_path):
    assert sum(bool(mutate(number, tmp_path)) for number in range(10_000, 13_000)) > 200
