"""Evidence beside MLPerf: curves and pairs by hand, and values as their collectors state them."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, tables

RATE = evidence.THROUGHPUT


def points(*pairs, **columns):
    return pd.DataFrame(pairs, columns=[evidence.SPEED, RATE]).assign(**columns)


def test_envelope_keeps_points_of_a_group_that_none_beats_in_both():
    a = points((10, 100), (20, 90), (20, 80), (30, 95), (40, np.nan), (50, 40), (45, 40), (np.nan, 99), model="a")
    upper = evidence.envelope(pd.concat([points((10, 10), (20, 40), model="b"), a]), ["model"])
    assert upper["model"].tolist() == ["a", "a", "a", "b"]
    assert upper[evidence.SPEED].tolist() == [10, 30, 50, 20] and upper[RATE].tolist() == [100, 95, 40, 40]


def test_value_at_is_log_linear_and_nothing_outside():
    frame = pd.concat([points((10, 100), (20, 1), model="a"), points((10, 7), (20, 7), model="b")])
    for speed, value in ((15, 10), (10, 100), (20, 1), (9, np.nan), (21, np.nan)):  # 10: the geometric mean, half-way
        expected = {"a": value, "b": 7 if speed == 20 else np.nan}
        assert evidence.value_at(frame, speed, ["model"]).to_dict() == pytest.approx(expected, nan_ok=True)


def test_value_at_leaves_wide_gaps_open():
    """Points at 10, 20, and 45: the second gap is 2.25x."""
    frame = points((10, 100), (20, 25), (45, 1), model="a")
    for speed, apart, value in ((15, 2, 50), (30, 2, np.nan), (45, 2, 1), (32.5, 3, 5), (15, 1.5, np.nan)):
        found = evidence.value_at(frame, speed, ["model"], most_apart=apart)
        assert found.to_dict() == pytest.approx({"a": value}, nan_ok=True)
    by = pd.concat([frame, points((28, 9), (32, 4), model="b")])
    assert evidence.value_at(by, 30, ["model"]).to_dict() == pytest.approx({"a": np.nan, "b": 6}, nan_ok=True)


def test_matched_pairs_differ_in_one_column():
    frame = pd.DataFrame({
        "gpu": ["A", "A", "A", "A", "A", "B", "C", "C"],
        "batch": [1, 1, 1, 1, 8, 1, 1, 1],
        "version": [np.nan, np.nan, np.nan, np.nan, 2, 2, 2, 3],
        "precision": ["fp8", "fp4", "fp4", "fp4", "fp4", "fp8", "fp8", "fp4"],
        "rate": [10.0, 12.0, 14.0, 19.0, 99.0, 99.0, 99.0, 99.0],
    })  # fmt: skip
    pairs = evidence.matched_pairs(frame, ["gpu", "batch", "version"], "precision", ("fp8", "fp4"), "rate")
    assert pairs[["gpu", "batch", "first", "second", "ratio"]].values.tolist() == [["A", 1, 10.0, 14.0, 1.4]]
    same = ["gpu", "batch", "version"]
    best = evidence.matched_pairs(frame, same, "precision", ("fp8", "fp4"), "rate", repeats="max")
    assert best["ratio"].tolist() == [1.9]


@pytest.mark.parametrize(
    ("model", "accelerator", "precision", "expected"),
    [
        ("Llama 3.1 70B", "H100", "fp8", 829),
        ("Llama 3.1 70B", "B200", "fp4", 5296),
        ("DeepSeek-R1", "B200", "fp4", 1443),  # 1989 before the runs of 16 and 64 GPUs were corrected
        ("MiniMax M2.5", "B200", "fp8", 2083),  # 1932 before
    ],
)
def test_inferencex_throughput_at_50_tokens_per_second(model, accelerator, precision, expected):
    runs = evidence.inferencex_runs(disaggregated=False).query(
        "source_id == 'inferencex-points' and gpus <= 8 and model == @model and accelerator == @accelerator "
        "and precision == @precision and prompt_tokens == 1024 and answer_tokens == 1024"
    )
    assert round(evidence.value_at(runs, 50, ["model"]).loc[model]) == expected


def test_inferencex_rates_follow_from_concurrency_and_latency():
    runs = evidence.inferencex_runs(disaggregated=False).dropna(subset=[RATE])
    answer = runs["ttft_ms"] + (runs["answer_tokens"] - 1) * runs["tpot_ms"]
    implied = 1000 * runs["concurrency"] * runs["answer_tokens"] / answer / runs["gpus"]
    assert (implied / runs[RATE]).quantile([0.01, 0.99]).between(0.98, 1.35).all()


def test_inferencex_runs_are_listed_once_and_unfinished_ones_left_out():
    runs = evidence.inferencex_runs()
    assert not runs.duplicated(evidence.SAME_RUN).any() and not runs["unfinished"].any()
    assert 0 < len(tables.inferencex_runs.drop_duplicates(evidence.SAME_RUN)) - len(runs) < 200
    assert set(runs["accelerator"]) <= set(tables.accelerators["label"])


@pytest.mark.parametrize(("service", "minute", "ten_seconds"), [("conversation", 1.52, 1.77), ("code", 4.18, 12.8)])
def test_traffic_within_an_hour(service, minute, ten_seconds):
    arrivals = tables.traffic_traces.query("service == @service")["arrival_seconds"]
    for window, expected in ((60, minute), (10, ten_seconds)):
        windows = range(int(arrivals.max() // window))  # whole ones
        requests = (arrivals // window).value_counts().reindex(windows, fill_value=0)
        assert requests.max() / requests.mean() == pytest.approx(expected, rel=0.004)


def test_reused_prompt_tokens_of_mooncake():
    trace = tables.traffic_traces.query("service == 'mooncake'")
    assert round(trace["reused_prompt_tokens"].sum() / trace["prompt_tokens"].sum(), 2) == 0.37


def test_prices_of_september_2026_raise_rentals_alone():
    prices = tables.prices[tables.prices["source_id"].isin(["inferencex-2026-08", "inferencex-2026-09"])]
    usd = prices.pivot(index="accelerator", columns=["cost_model", "quoted"], values="usd_per_accelerator_hour_low")
    before, after = usd["rental"]["2026-08-01"], usd["rental"]["2026-09-08"]
    assert usd["hyperscaler"]["2026-08-01"].equals(usd["hyperscaler"]["2026-09-08"]) and list(usd["neocloud"])[1:] == []
    assert after.ge(before).all() and (before["B200 SXM"], after["B200 SXM"], len(after)) == (2.6, 3.7, 10)
    assert prices.groupby("accelerator")["all_in_kilowatts"].nunique().eq(1).all()
    assert prices["usd_per_accelerator_hour_high"].lt(9).all()  # no placeholder


def test_accuracy_targets_are_the_share_of_the_reference():
    targets = tables.accuracy_targets
    known = targets["target_percent"].notna()
    expected = targets["reference"] * targets["target_percent"] / 100
    assert (targets["minimum"] - expected)[known].abs().max() < 1e-3 * 1e-3 * targets["minimum"].max()
    llama = targets[targets["round"].eq("v6.0") & targets["model_run"].eq("llama2-70b-99.9")].set_index("metric")
    assert llama.loc["ROUGE1", "reference"] == pytest.approx(44.4312)
