"""Examples with seeded faults: they are refused by name, fast, or read without an impossible number."""

import copy
import json
import math
import random
import re
import time
from functools import reduce
from operator import getitem

import pytest

from analysis.measure import MeasurementError, read_runs
from analysis.measure.run import BOUNDS, TEXTS
from tests.measure.records import EXAMPLES

FILES = sorted(path for path in EXAMPLES.rglob("*") if path.is_file() and path.name != "README.md")
VALUES = (
    None, True, "x", "", [], {}, [[]], -1, 0, 0.5, 1e-300, 1e300, 10**24, 10**4000, math.inf, -math.inf, math.nan,
    "9" * 5000,
    "\x1b[2J\u202e", {"unit": "parsec", "avg": 3}, [1, "2", True], [{"a": 1}],
)  # fmt: skip
FACTORS = 1e3, 1e-3, 1e6, 1e-6, 60, -1, 2
SECONDS = 2.0  # a file of a few kilobytes takes some milliseconds; loaded machines take longer
MUTATIONS = 10  # of each file
ARITHMETIC = {  # tool -> keys of a product, what it is divided by, and a factor: output tokens/s from other keys
    "vLLM": ("total_output_tokens", "duration", 1),
    "SGLang": ("total_output_tokens", "duration", 1),
    "AIPerf": ("request_throughput/avg output_sequence_length/avg", "", 1),
    "genai-perf": ("request_throughput/avg output_sequence_length/avg", "", 1),
    "inference-perf": ("successes/count successes/output_len/mean", "benchmark_time_seconds", 1),
    "TensorRT-LLM": ("performance/request_throughput_req_s request_info/avg_output_length", "", 1),
    "LLMPerf": ("results_num_completed_requests_per_min results_number_output_tokens_mean", "", 1 / 60),
    "MLPerf Endpoints": ("output_sequence_lengths/total", "legacy_loadgen_window_duration_ns", 1e9),
    "llama-bench": ("n_gen", "avg_ns", 1e9),
}


def places(value, path=()):
    """The paths of all parts of a parsed file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def mutated_json(content, dice):
    """A JSON, or JSON lines, with a few values replaced or multiplied."""
    lines = content.decode().splitlines() if b"\n{" in content else [content]
    at = dice.randrange(len(lines))
    record = json.loads(lines[at])
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        *above, last = dice.choice(list(places(record)))
        holder = reduce(getitem, above, record)
        old = holder[last]
        is_number = type(old) in (int, float) and abs(old) < 1e300
        holder[last] = copy.deepcopy(dice.choice(VALUES))
        if is_number and dice.random() < 0.3:
            holder[last] = old * dice.choice(FACTORS)
    lines[at] = json.dumps(record)
    return "\n".join(lines).encode()


def mutated_text(content, dice):
    """A text cut off, repeated, or with a hole, another byte, or another number."""
    for _ in range(dice.choice((1, 2, 5))):
        at, end = sorted(dice.choices(range(len(content)), k=2))
        number = dice.choice([*re.finditer(rb"\d+", content), re.match(b"", content)])
        other = dice.choice((b"0", b"999", b"1e30", b"-1", b"nan"))
        content = dice.choice([
            content[: at + 2], content[: at + 2] + content[end:], content + content[:at],
            content[:at] + bytes([dice.randrange(256)]) + content[at + 1 :],
            content[: number.start()] + other + content[number.end() :],
        ])  # fmt: skip
    return content


def sound(run):
    """Whether the numbers of a run can be together."""
    inside = all(math.isnan(run[name]) or low <= run[name] <= high for name, (low, high) in BOUNDS.items())
    texts = all(len(run[name]) < 2000 and run[name].isprintable() for name in TEXTS)
    rate = run["output_tokens"] / run["duration_s"]
    agree = math.isnan(rate) or abs(rate - run["tokens_per_second"]) <= 0.031 * rate + 0.01 or bool(run["said"])
    late = run["ttft_p99_ms"] > 1501 * run["duration_s"] or run["ttft_p50_ms"] > 1.01 * run["ttft_p99_ms"]
    return inside and texts and agree and not late and run["tokens_per_second"] > 0


def follows(run, content):
    """Whether the throughput is that of the arithmetic on the file, or a doubt is named."""
    if run["tool"] not in ARITHMETIC or run["said"]:
        return True
    kind, _, at = run["place"].partition(" ")
    try:
        record = json.loads(content.splitlines()[int(at) - 1] if kind == "line" else content)
        if kind == "entry":
            record = [each for each in record if each.get("n_gen") != 0][int(at) - 1]
        *keys, factor = ARITHMETIC[run["tool"]]
        product, divisor = (math.prod(reduce(getitem, key.split("/"), record) for key in each.split()) for each in keys)
        expected = float(product / divisor * factor)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError, OverflowError):
        return True  # what is missing cannot contradict
    return not expected > 0 or abs(expected - run["tokens_per_second"]) <= 0.031 * expected + 0.01


def mutate(file, number, tmp_path):
    """Read a file after the changes that `number` draws; return how many runs it has."""
    dice = random.Random(number)
    is_parsed = file.suffix in (".json", ".jsonl") and dice.random() < 0.8
    path = tmp_path / f"{number}{file.suffix}"
    path.write_bytes((mutated_json if is_parsed else mutated_text)(file.read_bytes(), dice))
    start = time.process_time()
    try:
        runs = read_runs(path)
    except MeasurementError as error:
        assert str(error).startswith(str(path)[:100]) and len(str(error)) < 1500
        return 0
    finally:
        assert time.process_time() - start < SECONDS, path
    for run in runs.to_dict("records"):
        assert sound(run) and (not is_parsed or follows(run, path.read_text("utf-8"))), path
    return len(runs)


@pytest.mark.parametrize("file", FILES, ids=[path.name for path in FILES])
def test_mutated_examples_are_read_soundly_or_refused_by_name(tmp_path, file):
    assert any([mutate(file, number, tmp_path) for number in range(MUTATIONS)]), "no mutation was read"


@pytest.mark.slow
def test_three_thousand_more(tmp_path):
    assert sum(bool(mutate(FILES[number % len(FILES)], number, tmp_path)) for number in range(10_000, 13_000)) > 200
