"""Estimates of results left out: what predicts what, by hand; that nothing leaks; and the errors as shipped."""

import numpy as np
import pandas as pd
import pytest

from analysis import tables
from analysis.paths import DATA, ROOT
from analysis.planner import prediction
from analysis.planner.prediction import BETWEEN, BEYOND, KNOWN, NONE, OTHER_MODEL, OTHER_SYSTEM
from analysis.recipes import prediction_errors
from analysis.results import timed_benchmarks


def case(place, **changes):
    """A Server case that shares nothing with any other: 500 of 1,000 tokens/s Offline."""
    own = {"benchmark": "gpt-oss-120b", "scenario": "Server", "round": "v6.1", "submitter": f"s{place}"}
    own |= {"system": f"box {place}", "accelerator": f"part {place}", "accelerator_count": 100.0 + place}
    own |= {
        "software": f"software {place}",
        "bare": True,
        "speed": 12.5,
        "precision": f"p{place}",
        "family": f"f{place}",
    }
    own |= {
        "kind": f"k{place}",
        "rack": f"r{place}",
        "ceiling": 1.0,
        "model_share": 1.0,
        "offline": 1000.0,
        "rate": 500.0,
    }
    return own | changes


def test_the_share_of_others_goes_over_scaled_by_the_decoding_model():
    """The other keeps 0.8 where the model says 0.9: of 2,000 at a model share of 0.45, 0.8 x 0.45 / 0.9 are left."""
    rows = pd.DataFrame([case(1, rate=800.0, model_share=0.9), case(2, offline=2000.0, model_share=0.45)])
    assert prediction.retained_share(rows, rows)[1] == pytest.approx(0.4)
    unknown = rows.assign(model_share=[0.9, np.nan])
    assert prediction.retained_share(unknown, unknown)[1] == pytest.approx(0.8 / 0.9)


def test_what_systems_share_weighs_more():
    """Software and round count twice each: 16 times the weight of one that shares nothing."""
    like, unlike = (
        case(1, rate=900.0, software="a", round="v6.1"),
        [case(n, rate=300.0, round="v5.1") for n in (2, 3, 4)],
    )
    rows = pd.DataFrame([like, *unlike, case(5, software="a", round="v6.1")])
    assert prediction.retained_share(rows, rows)[-1] == pytest.approx(0.9)
    apart = rows.assign(software=[f"s{place}" for place in range(5)], round=["v4.1", "v5.1", "v5.1", "v5.1", "v6.0"])
    assert prediction.retained_share(apart, apart)[-1] == pytest.approx(0.3)


def test_no_result_of_the_accelerator_counts():
    rows = pd.DataFrame([case(1, rate=900.0, accelerator="a"), case(2, rate=300.0), case(3, accelerator="a")])
    assert prediction.retained_share(rows, rows)[2] == pytest.approx(0.3)


def test_offline_is_that_of_others_over_the_model_each_accelerator_once():
    """Others give 2 (three systems) and 4 times (one) what the model says: the geometric mean of both."""
    twice = [case(n, scenario="Offline", accelerator="a", rate=200.0, ceiling=100.0) for n in (1, 2, 3)]
    four = case(4, scenario="Offline", accelerator="b", rate=40.0, ceiling=10.0)
    rows = pd.DataFrame([*twice, four, case(5, ceiling=50.0)])
    assert prediction.offline_rates(rows, rows)[-1] == pytest.approx(8**0.5 * 50.0)


def test_errors_are_shares_of_the_actual_throughput():
    """100 for 80, 100, and 125: off by 25%, 0, and 20%."""
    found = pd.DataFrame({"question": KNOWN, "scenario": "Server", "benchmark": "llama2-70b", "predicted": 100.0,
                          "actual": [80.0, 100.0, 125.0, np.nan]})  # fmt: skip
    errors = prediction_errors.prediction_errors(found).set_index("benchmark")
    assert errors.loc["", ["results", "median"]].tolist() == pytest.approx([3, 0.2])
    assert np.isnan(errors.loc["", "p90"]) and errors.loc["llama2-70b", "results"] == 3


@pytest.fixture(scope="module")
def predicted():
    return prediction_errors.predictions()


@pytest.fixture(scope="module")
def errors(predicted):
    return prediction_errors.prediction_errors(predicted)


def test_the_shipped_errors_are_those_of_the_record(errors):
    """data/prediction_errors.csv again; `analysis import` makes it anew."""
    shipped = pd.read_csv(DATA / "prediction_errors.csv", keep_default_na=False,
                          na_values={name: [""] for name in ("p90", "low", "middle", "high")})  # fmt: skip
    pd.testing.assert_frame_equal(shipped, errors, check_dtype=False, rtol=1e-4)


def test_errors_are_no_worse_than_they_were(errors):
    """Server 4.2% and 18%, Interactive 8.3% and 21% (median and P90), of at least 500 and 120 results."""
    whole = errors[errors["benchmark"].eq("") & errors["question"].eq(KNOWN)].set_index("scenario")
    assert whole["median"].round(3).to_dict() == {"Server": 0.042, "Interactive": 0.083}
    assert whole["p90"].round(2).to_dict() == {"Server": 0.18, "Interactive": 0.21}
    assert (whole["results"] > pd.Series({"Server": 500, "Interactive": 120})).all()


def test_each_question_is_answered(errors):
    asked = errors[errors["benchmark"].eq("")].groupby("question")["results"].max()
    assert set(asked.index) == {OTHER_SYSTEM, BETWEEN, KNOWN, prediction.EARLIER, BEYOND, NONE, OTHER_MODEL}
    assert asked.min() > 100


def test_interactive_errors_are_those_of_a_second_computation(errors):
    """The rule again in plain Python, one result at a time."""
    off = []
    for benchmark in timed_benchmarks():
        rows = [row for row in prediction.cases(benchmark).to_dict("records") if row["scenario"] == "Interactive"]
        rows = [row for row in rows if row["offline"] == row["offline"]]
        for row in rows:
            weighted = []
            for other in rows:
                if other["accelerator"] != row["accelerator"]:
                    shared = sum(n for name, n in prediction.SHARED.items() if row[name] == other[name] != "")
                    base = np.log(other["model_share"]) if other["model_share"] > 0 else 0.0
                    weighted.append((np.log(other["rate"] / other["offline"]) - max(base, -4.0), 2**shared))
            if not weighted:
                continue
            half, passed, ends = sum(weight for _, weight in weighted) / 2, 0, []
            for ratio, weight in sorted(weighted):
                if passed <= half <= passed + weight:
                    ends.append(ratio)
                passed += weight
            base = np.log(row["model_share"]) if row["model_share"] > 0 else 0.0
            off.append(abs(row["offline"] * np.exp(np.mean(ends) + max(base, -4.0)) / row["rate"] - 1))
    own = errors[errors["question"].eq(KNOWN) & errors["scenario"].eq("Interactive") & errors["benchmark"].eq("")].iloc[
        0
    ]
    assert [own["results"], own["median"], own["p90"]] == pytest.approx(
        [len(off), np.median(off), np.quantile(off, 0.9)], rel=1e-4
    )


def test_what_is_left_out_does_not_leak_into_its_prediction(predicted):
    """Three times the limited results of an accelerator leave its own predictions as they are."""
    known = prediction.cases("llama2-70b")
    changed = known["accelerator"].eq("H200") & known["scenario"].ne("Offline")
    tripled = known.assign(rate=known["rate"].where(~changed, 3 * known["rate"]))
    own = changed & known["offline"].notna()
    assert own.sum() > 20
    assert prediction.retained_share(tripled, known[own]) == pytest.approx(prediction.retained_share(known, known[own]))


def test_the_docs_state_the_errors_of_the_file(errors):
    """Each cell of the table in docs/planner.md: median and P90 of so many results."""
    text = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("## Prediction error")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    labels = tables.benchmarks.set_index("benchmark")["label"].to_dict() | {"": "all models"}
    told = {(row[0], row[1], head): cell for row in rows[1:] for head, cell in zip(rows[0][2:], row[2:], strict=True)}
    found = errors[errors["benchmark"].eq("") | errors["question"].eq(KNOWN)]
    found = found[found["scenario"].ne("Offline")]
    for row in found.itertuples():
        p90 = f" and {row.p90:.0%}" if row.p90 > 0 else ""
        assert told[row.question, labels[row.benchmark], row.scenario] == f"{row.median:.1%}{p90} of {row.results}"
    assert sum(cell != "-" for cell in told.values()) == len(found)


def test_the_docs_state_the_blind_check():
    rows = pd.read_csv(DATA / "blind_check.csv")
    cells = "| {model} | {accelerator} | {cases} | {error:+.0%} | {size:.0%} |"
    lines = [cells.format(**row) for row in rows.to_dict("records")]
    text = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("## Blind check")[2]
    assert [line for line in text.splitlines() if line.startswith("| ")][1:] == lines
