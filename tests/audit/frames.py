"""Small frames of published figures and official results: only what a test sets differs from a plain one."""

from __future__ import annotations

import pandas as pd

from analysis import tables
from tests.frames import results

NAN = float("nan")
FIGURE = {
    "source_id": "doc000", "locator": "row 1", "duplicate_of": "", "topic": "generations", "quantity": "throughput",
    "subject": "B200", "accelerator": "B200", "baseline": "", "baseline_accelerator": "", "excluded_accelerators": [],
    "benchmark": "llama2-70b", "model": "Llama 2 70B", "scenario": "Offline", "round": "v6.1", "baseline_round": "",
    "division": "", "suite": "", "submitter": "", "system": "", "baseline_system": "", "framework": "",
    "technique": "", "precision": "", "accuracy_target": "", "batch_size": NAN, "accelerator_count": 8.0,
    "nodes": NAN, "baseline_nodes": NAN, "per": "system", "power_measured": False, "printed": "80",
    "printed_unit": "tokens/s", "low": 80.0, "high": 80.0, "unit": "tokens/s", "range_basis": "exact", "bound": "",
    "formula": "", "condition": "", "note": "",
}  # fmt: skip


def figures(*rows: dict) -> pd.DataFrame:
    """Return one published figure per mapping of what differs from FIGURE; ids count up, f0, f1, ..."""
    return pd.DataFrame([{"id": f"f{place}", **FIGURE, **row} for place, row in enumerate(rows)])


def official(*rows: dict) -> pd.DataFrame:
    """Return official results as the checks read them, with rates in tokens/s of 100 tokens per sample."""
    frame = results(*rows).astype({"round": "str"})
    given = {name: [row.get(name) for row in rows] for name in ("samples_per_second", "power_watts", "unit", "value")}
    tokens = frame["rate"]
    samples = pd.Series(given["samples_per_second"], dtype="float64").fillna(tokens / 100)
    return frame.assign(
        tokens_per_second=tokens,
        samples_per_second=samples,
        value=pd.Series(given["value"], dtype="float64").fillna(tokens),
        unit=pd.Series(given["unit"]).fillna("tokens/s"),
        power_watts=pd.Series(given["power_watts"], dtype="float64"),
        model_run=frame["benchmark"],
    )


def whole_rounds(monkeypatch, closed: dict[str, int]) -> None:
    """Let these rounds have so many closed results that they are complete in a test's frame."""
    rounds = tables.rounds.assign(closed_results=tables.rounds["round"].map(closed))
    monkeypatch.setattr(tables, "__getattr__", lambda name: rounds if name == "rounds" else tables.load(name))
