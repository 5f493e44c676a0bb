"""Records of benchmark clients: small ones by hand, the examples, and either with changes; records.yaml lists them."""

import json
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
OUTSIDE = Path(__file__).parents[3] / "shared" / "cases"
NAN = float("nan")
LLAMA = "meta-llama/Llama-2-70b-chat-hf"
LISTED = yaml.safe_load(Path(__file__).with_name("records.yaml").read_text("utf-8"))


def text(name):
    """An example without the line that says so."""
    found = (EXAMPLES / name).read_text("utf-8")
    return found.partition("\n")[2] if found.startswith("# EXAMPLE") else found


def example(name):
    """The first record of an example."""
    return json.loads(text(name).splitlines()[0] if name.endswith("jsonl") else text(name))


REQUESTS = {  # times and tokens of each of 100 requests
    "PIECES": {"ttfts": [0.12] * 100, "itls": [[0.03] * 9] * 100, "output_lens": [10] * 100},
    "MANY_PIECES": {"ttfts": [0.12] * 100, "itls": [[0.03] * 101] * 100, "output_lens": [1] * 100},
    "SKEWED": {"ttfts": [0.0] * 20 + [0.1] * 60 + [0.9] * 20, "itls": [[]] * 20 + [[0.03] * 124] * 80,
               "output_lens": [0] * 20 + [125] * 80},
    "UNSTREAMED": {"ttfts": [0.12] * 100, "itls": [[]] * 100, "output_lens": [100] * 100},
    "EMPTY": {"ttfts": [0.0] * 20 + [0.15] * 80, "itls": [[]] * 20 + [[0.03] * 124] * 80,
              "output_lens": [0] * 20 + [125] * 80},
}  # fmt: skip
PARTS = LISTED["parts"] | REQUESTS | {"INFERENCEX": example("inferencex.json")[0]}
VLLM = PARTS["VLLM"]


def record(row):
    """The record of a row of records.yaml."""
    made = {}
    for name in row.get("of", "").split(" + "):
        made = example(name) if "." in name else made | deepcopy(PARTS.get(name, {}))
    for place, value in row.get("with", {}).items():
        *above, last = (int(step) if step.isdecimal() else step for step in place.split("/"))
        reduce(getitem, above, made)[last] = value
    return made


def case(name):
    """The path of a file that came from outside."""
    if not (path := OUTSIDE / name).exists():
        pytest.skip(f"{path} is not here")
    return path
