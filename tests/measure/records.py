"""Records of benchmark clients: two by hand, and the examples with changes."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
CASES = Path(__file__).parents[3] / "shared" / "cases"
NAN = float("nan")
LLAMA = "meta-llama/Llama-2-70b-chat-hf"
VLLM = {  # 100 requests of 100 tokens in 50 s
    "date": "20260114-090000", "backend": "vllm", "model_id": "org/Llama-2-70b-chat-hf", "num_prompts": 100,
    "request_rate": "inf", "max_concurrency": 32, "duration": 50.0, "completed": 100, "failed": 0,
    "total_input_tokens": 20_000, "total_output_tokens": 10_000, "request_throughput": 2.0,
    "output_throughput": 200.0, "total_token_throughput": 600.0, "mean_ttft_ms": 120.0, "median_ttft_ms": 100.0,
    "p99_ttft_ms": 300.0, "mean_tpot_ms": 30.0, "median_tpot_ms": 28.0, "p99_tpot_ms": 60.0,
}  # fmt: skip
SGLANG = VLLM | {"total_output_tokens_retokenized": 9_950, "mean_e2e_latency_ms": 3100.0, "failed": None,
                 "num_prompts": None, "accept_length": None}  # fmt: skip


def text(name):
    """An example without the line that says so."""
    found = (EXAMPLES / name).read_text("utf-8")
    return found.partition("\n")[2] if found.startswith("# EXAMPLE") else found


def example(name, **changes):
    """The first record of an example; `a__0__b` is the place of a change in it."""
    record = json.loads(text(name).splitlines()[0] if name.endswith("jsonl") else text(name))
    for place, value in changes.items():
        *above, last = (int(step) if step.isdecimal() else step for step in place.split("__"))
        reduce(getitem, above, record)[last] = value
    return record


def case(name):
    """The path of a file that came from outside."""
    if not (path := CASES / name).exists():
        pytest.skip(f"{path} is not here")
    return path
