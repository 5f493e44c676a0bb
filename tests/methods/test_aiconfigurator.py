"""What aiconfigurator predicts of official results, beside our own predictions without the accelerator's results.

docs/aiconfigurator_0.12.0.csv is what that tool said; our columns and all errors are recomputed here from the record.
"""

import pandas as pd

from analysis._core.paths import ROOT
from analysis.methods import prediction
from analysis.methods.prediction import ALL, KNOWN, NONE

PAIR = ["accelerator", "benchmark", "scenario"]
THEIRS, ACTUAL, FASTEST = "aiconfigurator", "official", "fastest official"
PREDICTED = {THEIRS: THEIRS, NONE: f"planner, {NONE}", KNOWN: f"planner, {KNOWN}"}
FILE = ROOT / "docs" / "aiconfigurator_0.12.0.csv"


def beside(theirs, predictions):
    """A row per pair in `theirs` and scenario, in tokens/s per accelerator: ACTUAL, FASTEST, and each of PREDICTED.

    ACTUAL is the median and FASTEST the highest of the official results of the pair that both questions of ours
    predict, ours the median of their predictions.
    """
    asked = predictions[predictions["basis"].eq(ALL) & predictions["question"].isin([KNOWN, NONE])]
    asked = asked.dropna(subset=["predicted", "per_accelerator"])
    count = asked["accelerator_count"].astype("float64")
    asked = asked.assign(each=asked["predicted"] / count)
    asked = asked[asked.groupby([*PAIR, "system_key"])["question"].transform("nunique").eq(2)]
    wide = asked.pivot_table("each", PAIR, "question", "median")
    wide[[ACTUAL, FASTEST]] = asked.groupby(PAIR)["per_accelerator"].agg(["median", "max"])
    own = theirs.set_index(PAIR)["tokens_per_second_per_accelerator"].rename(THEIRS)
    return wide.join(own, how="inner").reset_index()


def table(rows, labels):
    """Median errors over pairs in Markdown: of ACTUAL for all models and each, of FASTEST for all."""
    names = [*PREDICTED]
    off, best = (rows.assign(**rows[names].div(rows[of], axis=0).sub(1).abs()) for of in (ACTUAL, FASTEST))
    heads = ["Scenario", "Model", "Pairs", *PREDICTED.values()]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for scenario, part in off.groupby("scenario", sort=True):
        parts = [("all", part), ("all, of the fastest result", best.loc[part.index])]
        for label, own in [*parts, *((labels[name], each) for name, each in part.groupby("benchmark"))]:
            cells = [f"{100 * own[name].median():.0f}%" for name in names]
            lines.append(f"| {scenario} | {label} | {len(own)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_page_has_the_errors_of_the_file_and_the_record(data):
    theirs = pd.read_csv(FILE)
    assert not theirs.duplicated(PAIR).any() and theirs["aiconfigurator"].eq("0.12.0").all()
    rows = beside(theirs, prediction.predictions_of_record(data))
    made = table(rows, {name: data.label(name) for name in rows["benchmark"].unique()})
    assert made in (ROOT / "docs" / "planner.md").read_text("utf-8"), f"docs/planner.md lacks this table:\n{made}"


def test_errors_by_hand():
    """Two systems of 100 and 300 each: 200 in the middle. Predicted 150 and 250, so 200 by one question."""
    case = {"accelerator": "A", "benchmark": "b", "scenario": "Server", "basis": ALL, "accelerator_count": 2}
    rows = [
        case | {"system_key": key, "per_accelerator": rate, "question": name, "predicted": predicted}
        for key, rate, predicted in (("x", 100.0, 300.0), ("y", 300.0, 500.0))
        for name in (KNOWN, NONE)
    ]
    rows.append(case | {"system_key": "z", "per_accelerator": 9.0, "question": KNOWN, "predicted": 1.0})
    theirs = pd.DataFrame([{"accelerator": "A", "benchmark": "b", "scenario": "Server",
                            "tokens_per_second_per_accelerator": 150.0}])  # fmt: skip
    (row,) = beside(theirs, pd.DataFrame(rows)).to_dict("records")
    assert (row[ACTUAL], row[FASTEST], row[KNOWN], row[NONE], row[THEIRS]) == (200.0, 300.0, 200.0, 200.0, 150.0)
    assert table(pd.DataFrame([row]), {"b": "B"}).splitlines()[-2:] == [
        "| Server | all, of the fastest result | 1 | 50% | 33% | 33% |",
        "| Server | B | 1 | 25% | 0% | 0% |",
    ]
