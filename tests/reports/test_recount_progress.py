"""The numbers of the page on rounds, counted again by plain pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import comparable as comparable_results
from analysis import progress
from tests.reports.plain import comparable, fastest, said, table, values

MODELS = ["llama2-70b", "llama3.1-8b", "mixtral-8x7b", "deepseek-r1", "gpt-oss-120b", "llama3.1-405b", "whisper"]


def gains(benchmark, vendors=("NVIDIA", "AMD")):
    """Return the gain of each accelerator, size, and submitter on its round before, by the later round."""
    system = ["accelerator", "accelerator_count", "submitter"]
    best = comparable(benchmark, vendors=vendors).groupby([*system, "version"])["each"].max().reset_index()
    best[["before", "then"]] = best.groupby(system)[["each", "version"]].shift()
    return best.assign(gain=best["each"] / best["before"]).dropna()


def leaders(benchmark, scenario="Offline"):
    """Return the fastest GPU of each round: each by its fastest system of eight, or of any size without one."""
    rows = comparable(benchmark, scenario, vendors=("NVIDIA", "AMD", "Intel"), virtual=True).query("kind == 'gpu'")
    each = fastest(rows, "version").reset_index().sort_values("each")
    return each.drop_duplicates("version", keep="last").set_index("version").sort_index()


def test_the_total_is_the_newest_leader_over_the_first():
    """In v6.0 a rack of GB300 leads, 15,651 tokens/s per GPU; the fastest system of eight has 14,119."""
    best = leaders("llama2-70b")
    assert (best["accelerator_count"][6.0], best["each"][6.0]) == (72, pytest.approx(15650.7, abs=0.1))
    assert values("progress")["answer"] == pytest.approx(best["each"].max() / best["each"][4.0])


def test_a_rack_of_both_rounds_is_no_gain_over_a_node():
    """DeepSeek-R1 Interactive: 3,612 over 3,481 tokens/s per GPU of racks, where eight B300 have 617."""
    best = leaders("deepseek-r1", "Interactive")
    assert best["accelerator_count"].tolist() == [72, 72]
    rows = comparable_results(benchmark="deepseek-r1", scenario="Interactive")
    total = progress.gains_by_round(rows[rows["kind"].eq("gpu")]).iloc[-1]
    assert total["value"] == pytest.approx(best["each"][6.1] / best["each"][6.0]) == pytest.approx(1.0378, abs=1e-4)


def test_the_lowest_gain_of_llama_2_70b_in_v61_is_nvidias_b300():
    lowest = gains("llama2-70b").query("version == 6.1").sort_values("gain").iloc[0]
    assert (lowest["accelerator"], lowest["submitter"]) == ("B300", "nvidia")
    assert lowest["gain"] == pytest.approx(0.967, abs=0.001)
    page = table("progress", "software_gains").query("model == 'Llama 2 70B' and round == 'v6.1'")
    assert page["gain"].min() == pytest.approx(lowest["gain"])


def test_whisper_is_compared_in_samples():
    """B300 has 7,059 tokens/s on one and 6,658 each on eight; TensorRT counts 63.46 tokens in a sample."""
    rows = comparable("whisper").query("accelerator == 'B300'")
    best = rows.groupby(["accelerator_count", "version"])["each"].max()
    assert best[8][6.0] == pytest.approx(6320 / 63.46, rel=1e-3)
    assert (best[8][6.1], best[1][6.1]) == pytest.approx((6658 / 63.46, 7059 / 63.46), rel=1e-3)
    page = table("progress", "software_gains").query("model == 'Whisper' and round == 'v6.1'")
    page = page[~page["accelerator"].str.contains("Xeon")]
    assert sorted(page["gain"]) == pytest.approx(sorted(gains("whisper").query("version == 6.1")["gain"]))


def test_the_newest_gain_is_the_median_over_models_and_gpus():
    """Of 40 pairs; the lowest is 0.967, where ignorance of tokens made it 0.84."""
    newest = pd.concat(gains(name).query("version == 6.1 and then == 6.0").assign(model=name) for name in MODELS)
    assert (len(newest), newest["gain"].min()) == (40, pytest.approx(0.967, abs=0.001))
    page = table("progress", "software_gains").query("round == 'v6.1'")
    units = page.groupby(["model", "accelerator"])["gain"].median()
    assert values("progress")["newest_software"] == pytest.approx(units.median())
    gpus = [*newest["accelerator"].unique()]
    own = page.query("round_before == 'v6.0' and accelerator in @gpus")
    assert sorted(own["gain"]) == pytest.approx(sorted(newest["gain"]))
    assert page[~page["accelerator"].isin(gpus)]["accelerator"].str.contains("Xeon|EPYC|Arc").all()


def test_software_is_the_median_over_the_gpus_of_the_vendor_that_leads():
    """v5.0: H100 1.28, H200 1.11, and GH200 with two memories 1.15 and 1.01, in nine pairs of NVIDIA's GPUs."""
    own = gains("llama2-70b", vendors=("NVIDIA",))
    software = 1.0
    for then, now, count in ((4.0, 4.1, 7), (4.1, 5.0, 9), (5.0, 5.1, 9), (5.1, 6.0, 3), (6.0, 6.1, 5)):
        pairs = own[own["then"].eq(then) & own["version"].eq(now)]
        assert len(pairs) == count
        software *= pairs.groupby("accelerator")["gain"].median().median()
    assert f"software x{software:.2f} (separated in rounds: 5, not in: 0)" in said("progress")["answer"]["text"]
