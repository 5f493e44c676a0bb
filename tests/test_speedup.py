"""What explains a speedup, by hand: the chain since the first result, answers, previews, and InferenceX."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis import current, evidence, over, speedup
from tests.frames import results

H100, B200, GB300 = {"accelerator": "H100"}, {"accelerator": "B200"}, {"accelerator": "GB300"}


def rate(per_accelerator, round="v6.1", count=8, **more):
    return {"rate": per_accelerator * count, "accelerator_count": float(count), "round": round, **more}


def test_the_chain_begins_with_the_first_result_of_eight_and_ends_with_the_speedup():
    """H100 10 in v5.0 (4 before, on 16 and on four), 12 in v6.0, by B200's x1.5 18 in v6.1; GB300 54: 1.8 x 3 = 5.4."""
    rows = results(
        {**H100, **rate(4, "v4.0", 16)}, {**H100, **rate(4, "v4.1", 4)}, {**H100, **rate(10, "v5.0")},
        {**H100, **rate(12, "v6.0")},
        {**B200, **rate(20, "v6.0")}, {**B200, **rate(30)}, {**GB300, **rate(54)},
    )  # fmt: skip
    chain = speedup.since_first(rows, current(rows), "H100", "GB300")
    assert chain["value"].tolist() == pytest.approx([1, 1.8, 3, 5.4])
    assert chain["rate"].tolist() == pytest.approx([10, 18, 54, 54])
    assert chain["kind"].tolist() == ["total", "modeled", "modeled", "total"]
    assert chain["round"].astype(str).tolist() == ["v5.0", "v6.1", "v6.1", "v6.1"]


def test_a_baseline_whose_first_result_is_the_newest_has_no_gain_of_its_own():
    rows = results({**H100, **rate(10)}, {**GB300, **rate(30)}, {**B200, **rate(5, "v6.0")})
    measured = speedup.since_first(rows, current(rows), "H100", "GB300")
    assert measured[["value", "kind"]].values.tolist() == [[1, "total"], [3, "measured"], [3, "total"]]
    assert speedup.since_first(rows, current(rows), "H100", "B200")["kind"].tolist()[1] == "modeled"


def test_answers_are_the_rate_over_the_tokens_of_the_run_behind_it():
    """GB300: 3x in tokens; answers of 100 tokens over the baseline's 120: 3.6x. B200 takes its median, TPU has none."""
    ran = [
        {**H100, **rate(12)}, {**GB300, **rate(36)}, {**GB300, **rate(30, submitter="B")}, {**B200, **rate(24)},
        *({**B200, **rate(20, submitter=name)} for name in "BCD"), {"accelerator": "TPU", **rate(6)},
    ]  # fmt: skip
    tokens = np.array([120.0, 100.0, 400.0, np.nan, 240.0, 200.0, 900.0, np.nan])
    rows = results(*ran).assign(tokens_per_answer=tokens)
    found = speedup.in_answers(over(current(rows), "H100"), rows).set_index("accelerator")
    assert found["answers"].dropna().to_dict() == pytest.approx({"GB300": 0.36, "B200": 0.1, "H100": 0.1})
    assert found.loc[["GB300", "B200"], "in_answers"].tolist() == pytest.approx([3.6, 1.0])
    assert found.loc[["GB300", "B200"], "change"].tolist() == pytest.approx([0.2, -0.5])
    assert found.loc["TPU", ["answers", "in_answers", "change"]].isna().all()
    for other in ({"scenario": "Server"}, {"benchmark": "deepseek-r1"}):  # whose answers are of a tenth of the tokens
        rows = results(*ran, *(row | other for row in ran)).assign(tokens_per_answer=[*tokens, *tokens / 10])
        both = speedup.in_answers(over(current(rows), "H100"), rows).groupby("accelerator")
        answers = both["answers"].apply(sorted)
        assert answers[["GB300", "B200", "H100"]].tolist() == [[0.36, 3.6], [0.1, 1], [0.1, 1]]
        assert both["change"].agg(["min", "max"]).loc["GB300"].tolist() == pytest.approx([0.2, 0.2])


def test_what_is_not_counted_in_tokens_has_no_answers():
    rows = results({**H100, **rate(12)}).assign(tokens_per_answer=100.0, rate_unit="samples/s")
    assert speedup.in_answers(over(current(rows), "H100"), rows)["answers"].isna().all()


@pytest.mark.parametrize(
    ("benchmark", "limits"),
    [  # by the rules: TPOT 200 and 40 ms; a query in 20 s; 12 and 1.5 s of an answer; Offline alone; none known
        ("llama2-70b", [("Server", 5, "tokens/s"), ("Interactive", 25, "tokens/s")]),
        ("stable-diffusion-xl", [("Server", 20, "s")]),
        ("qwen3-vl-235b-a22b", [("Server", 12, "s"), ("Interactive", 1.5, "s")]),
        ("whisper", []),
        ("dlrm", []),
    ],
)
def test_the_limit_of_a_user_is_a_speed_or_the_time_of_a_query(benchmark, limits):
    found = speedup.latency_limits(benchmark)
    assert [*found.itertuples(index=False, name=None)] == limits


def test_previews_are_of_the_newest_round_over_the_present_rate_of_the_fastest():
    """GB300 is carried to v6.1: 20 x 1.5 = 30, and leads B200's 15. The preview of v6.0 is not shown."""
    preview = {"accelerator": "Vera Rubin", "availability": "preview"}
    rows = results(
        {**GB300, **rate(20, "v6.0")}, {**B200, **rate(10, "v6.0")}, {**B200, **rate(15)},
        {**preview, **rate(60, "v6.1", 72)}, {**preview, **rate(45, "v6.1", 36)}, {**preview, **rate(30, "v6.1", 36)},
        {**preview, **rate(90, "v6.0")}, {**preview, **rate(99, scenario="Server")},
        {**preview, **rate(99, "v6.1", 72, benchmark="deepseek-r1")}, {**B200, **rate(99, benchmark="gptj")},
        {**preview, **rate(15, "v6.1", 72, accelerator="MI455X")},
    )  # fmt: skip
    found = speedup.previews(rows, current(rows))
    assert found[["accelerator_count", "over", "speedup"]].values.tolist() == [
        [72, "GB300", 2], [36, "GB300", 1.5], [72, "GB300", 0.5],
    ]  # fmt: skip
    assert speedup.previews(rows.iloc[:3], current(rows)).empty
    assert speedup.previews(rows, current(rows), ["H100"]).empty
    assert len(speedup.previews(rows, current(rows), ["Vera Rubin"])) == 2


def test_inferencex_takes_the_best_run_that_is_at_least_so_fast(monkeypatch):
    columns = ["accelerator", evidence.SPEED, evidence.THROUGHPUT]
    runs = [("H200", 10, 100.0), ("H200", 60, 20.0), ("B200", 30, 500.0), ("B200", 30, 400.0), ("B200", 50, 30.0)]
    runs = pd.DataFrame(runs, columns=columns).assign(model="M", prompt_tokens=8192.0, answer_tokens=1024.0)
    monkeypatch.setattr(evidence, "inferencex_runs", lambda: runs)
    found = speedup.inferencex_speedups("M", "H200", 8192, 1024)
    assert found.values.tolist() == [["B200", 10, 5.0], ["B200", 25, 25.0], ["B200", 40, 1.5], ["B200", 50, 1.5]]
    for asked in (("N", "H200", 8192, 1024), ("M", "A100", 8192, 1024), ("M", "H200", 1, 1024), ("M", "H200", 8192, 1)):
        assert speedup.inferencex_speedups(*asked).empty
