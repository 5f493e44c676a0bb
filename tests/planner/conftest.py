"""What tests of the planner share."""

from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.methods import prediction

LOGS = ("tpot_p50_ms", "tpot_p99_ms", "ttft_p99_ms")


@pytest.fixture
def record(results, tables, data):
    """Makes tables whose record is the rows given; LOGS are what their logs say, `nodes` what the descriptions do."""

    def make(*rows):
        more = {name: [row.get(name, float("nan")) for row in rows] for name in LOGS}
        more["nodes"] = pd.array([row.get("nodes", pd.NA) for row in rows], dtype="Int64")
        frame = results(*({name: row[name] for name in row if name not in more} for row in rows))
        own = tables(frame.assign(**more), of=data.benchmarks)
        names = ("accelerators", "prices", "benchmark_limits", "request_lengths")
        facts = {name: getattr(data, name) for name in names}
        return SimpleNamespace(results=own.results, doubts=own.doubts, benchmarks=data.benchmarks, used={}, **facts)

    return make


@pytest.fixture
def lengths(tmp_path):
    """Makes a CSV file of requests, a line each, and returns its path."""

    def make(*lines):
        file = tmp_path / "requests.csv"
        file.write_text("\n".join(["prompt_tokens,answer_tokens", *lines]))
        return str(file)

    return make


@pytest.fixture(autouse=True)
def predicted_once(monkeypatch):
    """Predictions of one record are made once in a test: made-up tables have no place where a catalog keeps its own."""
    for name in ("record", "predictions_of_record", "estimates", "bands"):
        monkeypatch.setattr(prediction, name, _once(getattr(prediction, name)))


def _once(make):
    kept = {}

    def frame(tables, *texts):
        key = id(tables), *texts
        if key not in kept:
            kept[key] = tables, make(tables, *texts)  # held, so that the id stays theirs
        return kept[key][1]

    return frame
