"""The numbers of the page on own runs, counted again from the files of its sample."""

from __future__ import annotations

import json
from unittest.mock import MagicMock

import pandas as pd
import pytest

from tests.reports.grid import code
from tests.reports.plain import DATA, table

FILES = ("vllm_concurrency.jsonl", "vllm_tuned.jsonl")


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    lines = [line for name in FILES for line in (DATA / "examples" / name).read_text(encoding="utf-8").splitlines()]
    return pd.DataFrame([json.loads(line) for line in lines])


def test_interactivity_is_that_of_p99_alone(runs):
    """4.8 to 30 tokens/s per user at p99, where medians have 10 to 42."""
    page = table("my_deployment", "runs")
    p99 = runs.groupby(["max_concurrency", runs["p99_tpot_ms"].lt(39)])["p99_tpot_ms"].median()
    assert sorted(page["tpot_p99_ms"]) == pytest.approx(sorted(p99))
    curve = next(cell["source"] for cell in code("my_deployment") if "speed = " in cell["source"])
    medians = runs.groupby("max_concurrency")["median_tpot_ms"].min()
    assessed = page.assign(file="f", load="l", tpot_p50_ms=medians.min())
    names = {"assessed": assessed, "charts": MagicMock(), "report": MagicMock(), "mark": "", "system": ""}
    exec(curve, names)
    speed = names["speed"]["speed"]
    assert (speed.min(), speed.max()) == pytest.approx((4.76, 30.3), abs=0.01)
