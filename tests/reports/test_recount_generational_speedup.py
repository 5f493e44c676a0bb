"""The numbers of the page on generations, counted again by plain pandas."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reports.plain import comparable, outputs, table, values

BASELINES = {"llama2-70b": "H100", "gpt-oss-120b": "H200", "deepseek-r1": "B200"}
MODELS = {"llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1"}


def eights(benchmark):
    """Return the best rate per accelerator of systems of eight by round and accelerator."""
    rows = comparable(benchmark, virtual=True)
    rows = rows[rows["accelerator_count"].eq(8)]
    return rows.groupby(["version", "accelerator"])["each"].max().unstack()


def test_gb300_over_h100_is_the_median_over_links_of_one_size():
    best = eights("llama2-70b")
    now, found = best.loc[6.1], []
    for then in best.index[best["H100"].notna()]:
        for link in best.columns.drop(["GB300", "H100"]):
            now_ratio, then_ratio = now["GB300"] / now[link], best.at[then, link] / best.at[then, "H100"]
            if now_ratio == now_ratio and then_ratio == then_ratio:
                found.append(now_ratio * then_ratio)
    answer = values("generational_speedup")["answer"]
    assert answer == pytest.approx(sorted(found)[len(found) // 2])
    assert answer == pytest.approx(4.07, abs=0.01)  # a second, independent count has 4.07


def test_same_round_ratios_are_of_eight_accelerators_in_the_newest_round_that_has_both():
    steps = table("generational_speedup", "speedups")
    checked = 0
    for benchmark, base in BASELINES.items():
        best = eights(benchmark)
        part = steps[steps["model"].eq(MODELS[benchmark]) & steps["basis"].eq("same round")].set_index("accelerator")
        assert set(part["base"]) == {base}
        for accelerator, row in part.iterrows():
            ratio = (best[accelerator] / best[base]).dropna()
            if len(ratio):
                assert row["speedup"] == pytest.approx(ratio.iloc[-1]), (benchmark, accelerator)
                checked += 1
    assert checked >= 10


def test_plain_ratios_are_newest_over_newest():
    steps = table("generational_speedup", "speedups").query("base == 'H100'").set_index("accelerator")
    best = eights("llama2-70b")
    newest = best.ffill().iloc[-1]
    for accelerator in steps.index[steps["accelerator_count"].eq(8)]:
        assert steps.at[accelerator, "plain"] == pytest.approx(newest[accelerator] / newest["H100"]), accelerator


def test_the_best_rack_over_the_best_smaller_system_under_the_interactive_limit():
    """The newest of each accelerator since v5.0, eight first. By hand: 2.51 and 2.65 are the middle of four models."""
    ratios = []
    for benchmark in (*BASELINES, "llama3.1-405b"):
        rows = comparable(benchmark, "Interactive").query("version >= 5")
        rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "version", "each"])
        newest = rows.drop_duplicates("accelerator", keep="last")
        rack = newest["accelerator"].isin(["GB200", "GB300"]) & newest["accelerator_count"].ge(64)
        ratios.append(newest[rack]["each"].max() / newest[~rack]["each"].max())
    title = next(part["title"] for part in outputs("generational_speedup") if part["name"] == "by_benchmark")
    assert f"reaches {np.median(ratios):.1f}x the best smaller system (median of {len(ratios)} models)" in title


def test_software_from_h100_to_gb300_is_a_chain_of_medians():
    rows = comparable("llama2-70b")
    best = rows.groupby(["accelerator", "accelerator_count", "submitter", "version"])["each"].max().unstack()
    chain = [("H100", 4.0, 4.1), ("H100", 4.1, 5.0), ("B200", 5.0, 5.1), ("B200", 5.1, 6.0), ("B300", 6.0, 6.1)]
    software = 1.0
    for accelerator, then, now in chain:
        software *= (best.loc[accelerator][now] / best.loc[accelerator][then]).dropna().median()
    eight = eights("llama2-70b")
    total = eight.at[6.1, "GB300"] / eight.at[4.0, "H100"]
    assert values("progress")["answer"] == pytest.approx(total)
    assert software == pytest.approx(1.54, abs=0.01)
    assert total / software == pytest.approx(3.86, abs=0.01)
