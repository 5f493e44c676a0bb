"""The blind test of v6.1: the table in docs/planner.md is that of the predictions written down and of the record."""

import hashlib

import numpy as np
import pandas as pd

from analysis._core.paths import ROOT
from analysis.methods import prediction

CASE = ["benchmark", "scenario", "system_key"]
QUESTIONS = {"new system": "new_system", "Offline known": "offline_known"}  # the columns of each begin so
FEWEST = 10  # predictions that a P90 error is given for


def score(rows, prefix):
    """The cells of a row of the table: errors are shares of the actual rate, "-" where there is none."""
    low, middle, high = (rows[f"{prefix}_{end}"] for end in ("p10", "p50", "p90"))
    off = (middle / rows["rate"] - 1).abs().dropna()
    shares = [off.median(), off.quantile(0.9) if len(off) >= FEWEST else np.nan]
    shares += [(middle < rows["rate"])[middle.notna()].mean()]
    shares += [rows["rate"].between(low, high)[low.notna() & high.notna()].mean()]
    return [len(rows), len(off), *("-" if np.isnan(share) else f"{100 * share:.0f}%" for share in shares)]


def test_the_score_of_v6_1_is_that_of_its_file_and_the_record(data):
    """And the file is the one that was written down: the message of the commit that added it has its digest."""
    written = ROOT / "docs" / "blind_test_v6.1.csv"
    page = (ROOT / "docs" / "planner.md").read_text("utf-8")
    rates = prediction.record(data)[[*CASE, "rate"]]
    rows = pd.read_csv(written).merge(rates, on=CASE, how="left", validate="one_to_one")
    assert rows["rate"].notna().all()
    lines = []
    for question, prefix in QUESTIONS.items():
        for scenario, part in rows.groupby("scenario"):
            for benchmark, own in {"all": part, **dict(iter(part.groupby("benchmark")))}.items():
                lines.append(" | ".join(map(str, [question, scenario, benchmark, *score(own, prefix)])))
    assert len(lines) == 20
    for line in lines:
        assert f"| {line} |" in page
    assert hashlib.sha256(written.read_bytes()).hexdigest() in page
