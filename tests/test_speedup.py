"""Speedups by hand: one round, links across rounds, the ladder, and the waterfall."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import speedup
from analysis.compare import NoData
from analysis.progress import by_round, software_chain, software_gains
from analysis.speedup import (
    basis_in_words,
    by_benchmark,
    ladder,
    links,
    matrix,
    per_dollar_and_kilowatt,
    waterfall,
    within_rounds,
)
from tests.frames import results

H100, B200, GB300 = {"accelerator": "H100"}, {"accelerator": "B200"}, {"accelerator": "GB300"}


def rate(per_accelerator, count=8, **more):
    return {"rate": per_accelerator * count, "accelerator_count": float(count), **more}


def test_speedup_within_a_round_compares_one_size():
    rows = results({**H100, **rate(10)}, {**H100, **rate(12, 16)}, {**B200, **rate(36, 16)}, {**GB300, **rate(50, 72)})
    pairs = within_rounds(rows, "H100").set_index("accelerator")
    assert pairs.at["B200", "speedup"] == pytest.approx(36 / 12)  # 16 against 16, though H100 has eight too
    assert pairs.at["GB300", "speedup"] == pytest.approx(50 / 10)  # no common size: the baseline's eight
    assert pairs["same_size"].to_dict() == {"B200": True, "GB300": False}


def test_eight_of_each_come_before_larger_systems():
    rows = results({**H100, **rate(10)}, {**H100, **rate(12, 16)}, {**B200, **rate(30)}, {**B200, **rate(36, 16)})
    assert within_rounds(rows, "H100")["speedup"].tolist() == [3.0]


def test_submitters_are_a_range_over_one_baseline():
    rows = results({**H100, **rate(10)}, {**B200, **rate(30)}, {**B200, **rate(24, submitter="B")})
    pair = within_rounds(rows, "H100").iloc[0]
    assert (pair["low"], pair["high"], pair["submitters"]) == (2.4, 3.0, 2)


def test_a_link_multiplies_two_ratios():
    rows = results(
        {**H100, **rate(10, round="v5.1")}, {**B200, **rate(30, round="v5.1")},
        {**B200, **rate(33, round="v6.1")}, {**GB300, **rate(44, round="v6.1")},
    )  # fmt: skip
    link = links(rows, "H100").iloc[0]
    assert (link["accelerator"], link["link"], link["round_then"]) == ("GB300", "B200", "v5.1")
    assert link["speedup"] == pytest.approx(44 / 33 * 30 / 10)
    assert link["matched"]


def test_the_ladder_says_what_each_speedup_rests_on():
    rows = results(
        {**H100, **rate(10, round="v5.1")}, {**B200, **rate(30, round="v5.1")},
        {**B200, **rate(33, round="v6.1")}, {**GB300, **rate(44, round="v6.1")}, rate(50, 512, accelerator="MI355X"),
    )  # fmt: skip
    steps = ladder(rows, "H100").set_index("accelerator")
    assert steps["basis"].to_dict() == {"MI355X": "plain", "GB300": "links", "B200": "same round"}
    assert steps.at["GB300", "speedup"] == pytest.approx(4.0)
    assert (steps.at["GB300", "low"], steps.at["GB300", "high"]) == pytest.approx((4.0, 4.4))  # the plain ratio is 4.4
    assert steps.at["B200", "speedup"] == pytest.approx(3.0)
    assert steps.at["MI355X", "speedup"] == pytest.approx(5.0)


def test_a_link_that_changed_its_size_widens_the_range_but_makes_no_estimate():
    """Over GB200, 4x then and 72x now, 40 / 33 x 30 / 10 = 3.64; over B200, 8x in both rounds, 40 / 20 x 20 / 10."""
    gb200 = {"accelerator": "GB200"}
    rows = results(
        {**H100, **rate(10, round="v5.1")}, {**B200, **rate(20, round="v5.1")}, {**gb200, **rate(30, 4, round="v5.1")},
        {**B200, **rate(20, round="v6.0")}, {**gb200, **rate(33, 72, round="v6.0")},
        {**GB300, **rate(40, round="v6.0")},
    )  # fmt: skip
    step = ladder(rows, "H100").set_index("accelerator").loc["GB300"]
    assert (step["basis"], step["speedup"], step["evidence_count"]) == ("links", pytest.approx(4.0), 1)
    assert step["low"] == pytest.approx(40 / 33 * 3)
    over = links(rows, "H100").query("accelerator == 'GB300'").set_index("link")
    assert over["matched"].to_dict() == {"B200": True, "GB200": False}
    assert over.loc["GB200", ["sizes", "sizes_then"]].tolist() == ["8 / 72", "4 / 8"]


def test_a_baseline_without_a_result_is_no_data():
    with pytest.raises(NoData, match=r"H100.*B200"):
        within_rounds(results(B200), "H100")


def test_software_is_one_accelerator_size_and_submitter_in_its_next_round():
    rows = results(
        {**H100, **rate(10, round="v4.0")}, {**H100, **rate(11, round="v4.1")}, {**H100, **rate(22, 16, round="v5.0")},
        {**H100, **rate(8, round="v4.0", submitter="B")}, {**H100, **rate(12, round="v5.0", submitter="B")},
    )  # fmt: skip
    gains = software_gains(rows)
    assert gains[["submitter", "round", "next_round"]].values.tolist() == [["A", "v4.0", "v4.1"], ["B", "v4.0", "v5.0"]]
    assert gains["gain"].tolist() == pytest.approx([1.1, 1.5])


def test_the_chain_goes_on_with_the_next_accelerator_and_the_waterfall_adds_up():
    rows = results(
        {**H100, **rate(10, round="v4.0")}, {**H100, **rate(12, round="v5.0")}, {**B200, **rate(30, round="v5.0")},
        {**B200, **rate(33, round="v6.1")}, {**GB300, **rate(60, round="v6.1")},
    )  # fmt: skip
    steps = software_chain(rows, ["H100", "B200"], "v4.0")
    assert steps["gain"].tolist() == pytest.approx([1.2, 1.1])
    factors = waterfall(rows, ["H100", "B200"], "GB300", "v4.0").set_index("factor")["value"]
    assert factors["Software"] == pytest.approx(1.32)
    assert factors["Precision and hardware"] == pytest.approx(6.0 / 1.32)
    assert factors["GB300 v6.1"] == pytest.approx(6.0)


def test_the_chain_goes_on_after_a_round_without_a_pair_and_takes_the_nearest_round():
    """H100 has no pair from v4.0; from v4.1 B200 reaches v5.0, H100 only v6.1."""
    rows = results(
        {**H100, **rate(9, round="v4.0", submitter="B")}, {**H100, **rate(10, round="v4.1")},
        {**H100, **rate(13, round="v6.1")}, {**B200, **rate(20, round="v4.1")}, {**B200, **rate(24, round="v5.0")},
    )  # fmt: skip
    steps = software_chain(rows, ["H100", "B200"], "v4.0")
    assert steps[["accelerator", "next_round", "gain"]].values.tolist() == [["B200", "v5.0", 1.2]]


def test_each_round_is_software_on_the_leader_and_the_rest():
    rows = results(
        {**H100, **rate(10, round="v4.0")}, {**H100, **rate(12, round="v5.0")}, {**B200, **rate(30, round="v5.0")},
        {**B200, **rate(28, round="v5.1")}, {**B200, **rate(33, round="v6.1")}, {**GB300, **rate(60, round="v6.1")},
    )  # fmt: skip
    steps = by_round(rows).set_index("factor")["value"]
    assert steps["v5.0 software"] == pytest.approx(1.2)
    assert steps["v5.0 B200"] == pytest.approx(30 / 10 / 1.2)
    assert "v5.1 software" not in steps  # the leader was no faster than before
    assert steps.drop("Total").prod() == pytest.approx(steps["Total"]) == pytest.approx(6.0)


def test_the_matrix_has_the_latest_result_and_says_where_another_size_is_faster():
    other = rate(12, 16, submitter="Other", framework="vLLM 0.24.0, CUDA")
    rows = results(rate(10), other, rate(11, 4, accelerator="GB200"), rate(9, 72, **H100))
    cells = matrix(rows, "v6.0", least=1).set_index("accelerator")
    assert cells["rate_per_accelerator"].to_dict() == {"B200": 10.0, "GB200": 11.0, "H100": 9.0}
    assert cells.at["GB200", "cell"] == "100%\nv6.1 @4"
    assert (cells.at["B200", "other_size"], cells.at["B200", "other_gain"]) == pytest.approx((16, 0.2))
    assert cells["other_gain"].isna().to_dict() == {"B200": False, "GB200": True, "H100": True}
    assert cells.at["B200", "other_by"] == "Other vLLM 0.24.0"


def test_by_benchmark_divides_by_the_other_baseline_where_the_first_has_no_result():
    rows = results(
        {**B200, **rate(20)}, {**GB300, **rate(30)}, {"scenario": "Server", "accelerator": "B300", **rate(10)}
    )
    grid = by_benchmark(rows, "B200", "B300", "v6.0", ["Offline", "Server"]).set_index(["scenario", "accelerator"])
    assert grid.at[("Offline", "GB300"), "speedup"] == pytest.approx(1.5)
    assert grid.at[("Server", "B300"), "base"] == "B300"


def test_ratios_per_dollar_and_kilowatt():
    prices = pd.DataFrame({"accelerator": ["H100", "GB300"], "usd_per_hour": [2.0, 4.0], "kilowatts": [1.0, 1.5]})
    steps = pd.DataFrame({"accelerator": ["GB300", "X"], "base": "H100", "plain": [6.0, 2.0]})
    found = per_dollar_and_kilowatt(steps, prices)
    assert found["per_dollar"].tolist() == pytest.approx([3.0, float("nan")], nan_ok=True)
    assert found["per_kilowatt"].tolist() == pytest.approx([4.0, float("nan")], nan_ok=True)


def test_nothing_to_compare_is_no_data_in_words():
    rows = results({"accelerator": "B200"})
    with pytest.raises(NoData, match="B300 or H100"):
        by_benchmark(rows, "B300", "H100", "v6.0", ["Offline"])
    with pytest.raises(NoData):
        by_round(rows.iloc[:0])
    with pytest.raises(NoData, match="no comparable result of H100 or of B200"):
        waterfall(rows, ["H100"], "B200")


def test_matched_links_and_the_range_of_all_are_said():
    step = pd.Series({"accelerator": "GB300", "basis": "links", "compared_in": "v6.1", "evidence_count": 1})
    through = pd.DataFrame({"link": ["B200", "B300"], "matched": [True, False], "speedup": [4.04, 3.66]})
    through["accelerator"] = "GB300"
    assert basis_in_words(step, through) == "GB300: 1 matched link (B200); all 2: 3.7x to 4.0x"
    assert basis_in_words(step.replace("links", "same round"), through) == "GB300: both in v6.1, 1 submitter"
    assert basis_in_words(step, through.assign(matched=False)) == "GB300: newest ratio, no matched link"


def test_factors_and_ratios_in_words():
    names = ["H100 v4.0", "Software", "Precision and hardware", "GB300 v6.1"] * 2
    factors = pd.DataFrame({"factor": names, "value": [1.0, 1.5, 4.0, 6.0, 1.0, 1.1, 2.0, 2.2], "pairs": 3})
    said = "From H100 v4.0 to GB300 v6.1 throughput rose 6.0x: software gave 1.5x, precision and hardware 4.0x"
    assert speedup.factors_in_words(factors) == said
    alone = speedup.factors_in_words(factors.assign(pairs=0))
    assert alone == f"{said.partition(':')[0]}; no pair tells software from precision and hardware"
    pairs = ["H200 FP8 / H100 FP8", "B200 FP8 / H100 FP8"]
    equal = pd.DataFrame(
        {"pair": pairs * 2, "at": ["50 tokens/s"] * 2 + ["75 tokens/s"] * 2, "ratio": [1.5, 3, 1.7, 9]}
    )
    assert speedup.equal_in_words(equal) == "At equal software and 50 tokens/s: B200 FP8 over H100 FP8 3.0x"
