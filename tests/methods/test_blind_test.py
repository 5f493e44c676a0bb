"""A blind test: what is written down, and its score, by hand."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from analysis._core.paths import ROOT
from analysis.methods import blind_test, prediction
from analysis.methods.prediction import CASE, DECODED, KNOWN, NEW


def case(name, **changes):
    own = {"benchmark": "llm", "scenario": "Server", "round": "v5.1", "submitter": name, "system": name}
    own |= {"system_key": name, "accelerator": "H100 SXM", "accelerator_count": 8, "software": "vllm", "on_sale": True}
    own |= {"precision": "fp8", "family": "Hopper", "kind": "gpu", "rack": False, "ceiling": 1.0, "model_share": 1.0}
    return own | {"rate": 800.0, "per_accelerator": 100.0, "offline": 1000.0} | changes


def cases(*rows):
    return pd.DataFrame(rows)[[*CASE, *DECODED]].astype({"accelerator_count": "Int64"})


def test_predictions_are_written_down_for_the_whole_system_without_its_rate():
    asked = {"round": "v6.0", "accelerator_count": 16, "offline": 4000.0, "rate": 1.0, "per_accelerator": 1 / 16}
    (row,) = blind_test.written_down(cases(case("old"), case("new", **asked)), "v6.0").to_dict("records")
    assert list(row) == blind_test.COLUMNS
    assert (row["system_key"], row["unit"], row["offline"]) == ("new", "tokens/s", 4000.0)
    assert row["new_system_p50"] == 1600.0  # 100 of each accelerator
    assert row["offline_known_p50"] == 3200.0  # 0.8 of its Offline rate
    assert np.isnan([row["new_system_p10"], row["offline_known_p90"]]).all()  # from one case no range can be told


def test_a_score_counts_errors_what_lies_in_range_and_what_was_not_predicted():
    """Errors by hand: 110 for 100 is 10 %, 80 for 100 is 20 %, and one result has no prediction."""
    actual = cases(*(case(name, rate=100.0) for name in "abc"))
    ends = {"new_system_p10": [105.0, 70.0, np.nan], "new_system_p90": [120.0, 101.0, np.nan]}
    ends |= {"new_system_p50": [110.0, 80.0, np.nan]}
    ends |= {f"offline_known_{end}": [100.0] * 3 for end in ("p10", "p50", "p90")}
    predictions = actual[blind_test.CASE_KEY].assign(**ends)
    scores = blind_test.scored(predictions, actual).set_index(["question", "benchmark"])
    assert scores.index.tolist() == [(NEW, ""), (NEW, "llm"), (KNOWN, ""), (KNOWN, "llm")]
    new = scores.loc[(NEW, "llm")]
    assert (new["results"], new["predicted"], new["ranged"], new["held"]) == (3, 2, 2, 0.5)
    assert new["median"] == pytest.approx(0.15)
    assert np.isnan(new["p90"])
    assert new["low"] == 0.5
    assert (scores.loc[(KNOWN, ""), ["median", "low", "held"]] == [0.0, 0.0, 1.0]).all()
    lines = blind_test.table(scores.reset_index()[blind_test.SCORES]).splitlines()
    assert {line.count("|") for line in lines} == {10} and len(lines) == 6
    assert lines[3] == "| new system | Server | llm | 3 | 2 | 15% | - | 50% | 50% |"


def test_a_result_that_the_record_lacks_is_named():
    predictions = cases(case("gone"))[blind_test.CASE_KEY]
    with pytest.raises(ValueError, match="no result llm, Server, gone"):
        blind_test.scored(predictions, cases(case("there")))


def test_the_score_of_v6_1_is_that_of_its_file_and_the_record(data):
    """docs/planner.md has the table that file and record give, and the file is the one that was written down."""
    written = ROOT / "docs" / "blind_test_v6.1.csv"
    page = (ROOT / "docs" / "planner.md").read_text("utf-8")
    scores = blind_test.scored(pd.read_csv(written), prediction.record(data))
    assert blind_test.table(scores) in page, f"docs/planner.md lacks this table:\n{blind_test.table(scores)}"
    assert hashlib.sha256(written.read_bytes()).hexdigest() in page
