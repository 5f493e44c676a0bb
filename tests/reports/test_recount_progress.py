"""The numbers of the page on rounds, counted again by plain pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.reports.plain import DATA, comparable, outputs, table, values

MODELS = ["llama2-70b", "llama3.1-8b", "mixtral-8x7b", "deepseek-r1", "gpt-oss-120b", "llama3.1-405b", "whisper"]


def gains(benchmark, vendors=("NVIDIA", "AMD")):
    """Return the gain of each accelerator, size, and submitter on its round before, by the later round."""
    rows = comparable(benchmark, vendors=vendors)
    best = rows.groupby(["accelerator", "accelerator_count", "submitter", "version"])["each"].max().reset_index()
    best["before"] = best.groupby(["accelerator", "accelerator_count", "submitter"])["each"].shift()
    best["then"] = best.groupby(["accelerator", "accelerator_count", "submitter"])["version"].shift()
    return best.assign(gain=best["each"] / best["before"]).dropna()


def test_the_total_is_the_newest_leader_over_the_first():
    rows = comparable("llama2-70b", vendors=("NVIDIA", "AMD", "Intel", "Google"))
    eight = rows[rows["accelerator_count"].eq(8)].groupby("version")["each"].max()
    assert values("progress")["answer"] == pytest.approx(eight.max() / eight[4.0])


def test_newest_software_is_the_median_over_gpu_pairs():
    newest = [gains(name).query("version == 6.1 and then == 6.0")["gain"] for name in MODELS]
    every = [gain for part in newest for gain in part]
    found = table("progress", "software_gains")
    found = found[found["next_round"].eq("v6.1") & found["round"].eq("v6.0")]
    found = found[~found["accelerator"].str.contains("Xeon|EPYC|Arc")]
    assert sorted(found["gain"]) == pytest.approx(sorted(every))


def test_the_lowest_gain_of_llama_2_70b_in_v61_is_nvidias_b300():
    lowest = gains("llama2-70b").query("version == 6.1").sort_values("gain").iloc[0]
    assert (lowest["accelerator"], lowest["submitter"]) == ("B300", "nvidia")
    assert lowest["gain"] == pytest.approx(0.967, abs=0.001)
    page = table("progress", "software_gains").query("model == 'Llama 2 70B' and next_round == 'v6.1'")
    assert page["gain"].min() == pytest.approx(lowest["gain"])


def test_whisper_is_compared_in_samples():
    """B300 has 7,059 tokens/s on one and 6,658 each on eight; TensorRT counts 63.46 tokens in a sample."""
    rows = comparable("whisper").query("accelerator == 'B300'")
    best = rows.groupby(["accelerator_count", "version"])["each"].max()
    assert best[8][6.0] == pytest.approx(6320 / 63.46, rel=1e-3)
    assert (best[8][6.1], best[1][6.1]) == pytest.approx((6658 / 63.46, 7059 / 63.46), rel=1e-3)
    page = table("progress", "software_gains").query("model == 'Whisper' and next_round == 'v6.1'")
    page = page[~page["accelerator"].str.contains("Xeon")]
    assert sorted(page["gain"]) == pytest.approx(sorted(gains("whisper").query("version == 6.1")["gain"]))


def test_the_newest_gain_is_the_median_over_models_and_gpus():
    """Of 40 pairs; the lowest is 0.967, where ignorance of tokens made it 0.84."""
    newest = pd.concat(gains(name).query("version == 6.1 and then == 6.0").assign(model=name) for name in MODELS)
    assert (len(newest), newest["gain"].min()) == (40, pytest.approx(0.967, abs=0.001))
    every = pd.read_csv(DATA / "accelerators.csv").set_index("label")["vendor"]
    page = table("progress", "software_gains").query("next_round == 'v6.1'")
    units = page.groupby(["model", "accelerator"])["gain"].median()
    assert values("progress")["newest_software"] == pytest.approx(units.median())
    own = units[units.index.get_level_values("accelerator").map(every).isin(["NVIDIA", "AMD"])]
    assert sorted(own) == pytest.approx(sorted(newest.groupby(["model", "accelerator"])["gain"].median()))


def test_software_is_told_apart_by_two_pairs_or_more():
    """v6.0 has one pair of B200: its 1.11 are not split. v4.1 has seven, v5.0 three, v5.1 two, v6.1 three."""
    own = gains("llama2-70b").set_index("accelerator")
    told = {("H100", 4.0, 4.1): 7, ("H100", 4.1, 5.0): 3, ("B200", 5.0, 5.1): 2, ("B300", 6.0, 6.1): 3}
    software = 1.0
    for (accelerator, then, now), count in told.items():
        pairs = own.loc[[accelerator]]
        pairs = pairs[pairs["then"].eq(then) & pairs["version"].eq(now)]["gain"]
        assert len(pairs) == count
        software *= pairs.median()
    assert len(own.loc[["B200"]].query("then == 5.1 and version == 6.0")) == 1
    answer = next(part["text"] for part in outputs("progress") if part["kind"] == "headline")
    assert f"software x{software:.2f} (known in rounds: 4, not in: 1)" in answer
