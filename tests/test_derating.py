"""What survives production: factors by what a result includes, their products, and the shipped table."""

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, bursts, derating, tables
from analysis.results import timed_benchmarks

FACTORS = {"serving stack": 0.8, "hypervisor": 0.9, "networked nodes": 0.5, "bursts": 0.7, derating.LOAD: 0.5,
           "spare node": 0.6}  # fmt: skip


@pytest.fixture
def halves(monkeypatch):
    """Let each step have the factor of FACTORS, from half to twice as much, and half be lost to a limit on latency."""
    rows = pd.DataFrame({"step": [*FACTORS], "median": [*FACTORS.values()], "use": "chat", "system": "", "fleet": ""})
    rows.loc[:2, ["use", "system"]] = ["", "node"]
    other = rows[rows["step"].isin(["bursts", derating.LOAD])].assign(median=0.9, fleet="pooled")
    limits = pd.DataFrame({"system": ["TensorRT-LLM node", "unstated node", "rack"], "step": "latency limit"})
    rows = pd.concat([rows, other, limits.assign(median=0.5, use="chat", fleet="")], ignore_index=True)
    rows = rows.assign(
        p10=rows["median"] / 2, p90=rows["median"] * 2, n=3, counted="services", kind="measured", source="S"
    )
    loaded = tables.load
    monkeypatch.setattr(tables, "load", lambda name: rows.copy() if name == "delivered" else loaded(name))


NODE = {"accelerator": "B200", "interactivity": 25.0, "stack": "TensorRT-LLM", "hypervisor": "", "nodes": 1}
CHAT = 0.7 * 0.5 * 0.6  # bursts, load, spare node


@pytest.mark.parametrize(
    ("result", "stack", "share", "unstated"),
    [
        ({}, "vLLM", 0.8 * 0.9 * 0.5 * CHAT, 1),
        ({}, "as submitted", 0.9 * 0.5 * CHAT, 1),
        ({"stack": "vLLM"}, "vLLM", 0.9 * 0.5 * CHAT, 1),
        ({"stack": "SGLang"}, "vLLM, unstated moved", 0.9 * 0.5 * CHAT, 1),
        ({"stack": ""}, "vLLM", 0.9 * 0.5 * CHAT, 0.8),  # a range, no guess
        ({"stack": ""}, "as submitted", 0.9 * 0.5 * CHAT, 1),
        ({"stack": ""}, "vLLM, unstated moved", 0.8 * 0.9 * 0.5 * CHAT, 1),
        ({"hypervisor": "KVM"}, "vLLM", 0.8 * 0.5 * CHAT, 1),
        ({"nodes": 2}, "vLLM", 0.8 * 0.9 * CHAT, 1),
        ({"interactivity": 0.0}, "vLLM", 0.8 * 0.9 * 0.5, 1),
        ({"accelerator": "GB300"}, "vLLM", CHAT, 1),
        ({"accelerator": "GB300", "stack": ""}, "vLLM", CHAT, 1),
        ({"accelerator": "GB300", "stack": "", "interactivity": 0.0}, "vLLM, unstated moved", 1, 1),
    ],
)
def test_a_factor_applies_only_to_a_result_that_does_not_hold_it(halves, result, stack, share, unstated):
    row = derating.served(pd.DataFrame([NODE | {"stack": "vLLM"}, NODE | result]), stack=stack).loc[1]
    applied = row[[*FACTORS]].dropna()
    assert (row["share"], row["unstated"]) == pytest.approx((share, unstated))
    assert applied.prod() == pytest.approx(share)
    # Each factor is uncertain by a factor of two, and so is that of a stack that is not stated.
    n = len(applied)
    assert row["high"] == pytest.approx(share * 2 ** np.sqrt(n))
    assert row["low"] == pytest.approx(share * unstated / 2 ** np.sqrt(n + (unstated < 1)))
    assert row["busy"] * (CHAT if "bursts" in applied else 1) == pytest.approx(share)
    assert row["peak"] == pytest.approx(2 if "bursts" in applied else 1)


def test_chat_is_up_to_25_tokens_a_second():
    assert [derating.use_at(speed) for speed in (0, 0.1, 25, 25.1)] == ["batch", "chat", "chat", "interactive"]


def test_between_two_results_the_share_moves_as_the_throughput_does(halves, monkeypatch):
    results = pd.DataFrame([NODE, NODE | {"stack": "vLLM"}, NODE | {"stack": "vLLM"}])
    results = results.assign(id=["a", "b", "c"], rate_per_accelerator=[100.0, 1.0, 100.0])
    monkeypatch.setattr(derating, "load_results", lambda: results)
    points = pd.DataFrame(
        {"accelerator": "B200", "interactivity": 25.0, "throughput": [100.0, 10.0, 1.0, 0.5, 5.0, 10.0, 100.0]}
    )
    points = points.assign(slower_id=["", "a", "a", "a", "", "b", "a"], id=["a", "b", "b", "b", "", "a", "c"])
    found = derating.served_at(points)
    stacks = found["share"] / (0.9 * 0.5 * CHAT)
    assert stacks.tolist() == pytest.approx([0.8, 0.8**0.5, 1, 1, 1, 0.8**0.5, 0.8])
    assert found["unstated"].tolist() == [1, 1, 1, 1, 0.8, 1, 1]  # what rests on no result states no stack
    assert found["hypervisor"].tolist() == pytest.approx([0.9] * 7)
    gained = derating.served_at(points.assign(gain=0.1))["share"] / (0.9 * 0.5 * CHAT)
    assert gained.tolist()[1:3] == pytest.approx([0.8, 0.8**0.5])  # as run it was ten times that


def test_a_chain_ends_at_the_product_of_the_factors_that_apply(halves):
    rows = derating.chain().set_index(["kind", "step"])
    median = rows["median"].unstack()
    busy = {"TensorRT-LLM node to vLLM": 0.5 * 0.8 * 0.9 * 0.5, "TensorRT-LLM node": 0.5 * 0.9 * 0.5,
            "unstated node": 0.5 * 0.9 * 0.5, "rack": 0.5}  # fmt: skip
    assert median["busy"].to_dict() == pytest.approx(busy) and median["offline"].eq(1).all()
    assert median["delivered"].to_dict() == pytest.approx({kind: share * CHAT for kind, share in busy.items()})
    assert rows.loc["rack"].index.tolist() == [*derating.LABELS]
    assert median.columns[median.loc["rack"].isna()].tolist() == ["hypervisor", "networked nodes", "serving stack"]
    whole = rows.loc[("TensorRT-LLM node to vLLM", "delivered"), derating.MARKS]
    assert whole.tolist() == pytest.approx([whole["median"] * 2 ** (side * 7**0.5) for side in (0, -1, 1)])
    own = rows.loc["unstated node"]  # a range, from no factor to the whole one
    assert own.loc["serving stack", derating.MARKS].tolist() == [1, 0.8, 1]
    assert own.at["busy", "p10"] == pytest.approx(own.at["busy", "median"] * 0.8 / 2**2)
    assert set(rows["basis"]) == {"total", "measured", ""} and rows[["counted", "source"]].notna().all(axis=None)
    assert rows.loc[("rack", "bursts"), ["n", "counted", "source"]].tolist() == [3, "services", "S"]
    pooled = derating.chain(fleet="pooled").set_index(["kind", "step"])["median"]
    assert pooled["rack", "delivered"] == pytest.approx(0.5 * 0.9 * 0.9 * 0.6)
    batch = derating.chain("batch").set_index(["kind", "step"])["median"]
    assert batch.xs("delivered", level="step").to_dict() == pytest.approx(
        {
            "TensorRT-LLM node to vLLM": 0.36,
            "TensorRT-LLM node": 0.45,
            "vLLM node": 0.45,
            "unstated node": 0.45,
            "rack": 1,
        }
    )
    spare = derating.chain(fleet_nodes=128).set_index(["kind", "step"]).loc[("rack", "spare node")]
    least, middle, most = 128 / 138, 128 / 134, 128 / 131  # a node is back after 7, 3, or 1 days
    ends = (0.8 * least + 0.2 * middle, 0.2 * middle + 0.8 * most)
    assert spare[derating.MARKS].tolist() == pytest.approx([middle, *ends])
    assert spare[["n", "counted"]].tolist() == [3, "times to repair"]


def test_outcomes_are_by_use_and_fleet(halves):
    found = derating.outcomes()
    assert found[["use", "fleet"]].drop_duplicates().to_numpy().tolist() == [
        ["batch", "busy"], ["chat", "fixed"], ["chat", "busy"], ["chat", "hourly"], ["chat", "foreseen"],
        ["chat", "pooled"],
    ]  # fmt: skip
    rack = found[found["kind"].eq("rack")].set_index(["use", "fleet"])["median"]
    assert rack["chat"].to_dict() == pytest.approx(
        {"fixed": 0.5 * CHAT, "busy": 0.5, "hourly": 0.5 * CHAT, "foreseen": 0.5 * CHAT, "pooled": 0.5 * 0.81 * 0.6}
    )


def test_unknown_names_and_what_nobody_ran_are_refused(monkeypatch):
    for wrong in ({"use": "chats"}, {"fleet": "elastic"}, {"benchmarks": ["nope"]}):
        with pytest.raises(ValueError, match=r"no (use 'chats': did you mean 'chat'|fleet 'elastic'|benchmark 'nope')"):
            derating.chain(**wrong)
    rows = pd.DataFrame([NODE])
    for wrong in ({"fleet": "elastic"}, {"stack": "SGLang"}):
        with pytest.raises(ValueError, match=r"no (fleet|stack) '"):
            derating.served(rows, **wrong)
    monkeypatch.setattr(bursts, "over_poisson", lambda *asked: np.array([0.9]))
    with pytest.raises(NoData, match="ResNet-50: expected models"):
        derating.chain("batch", benchmarks=["resnet50"])
    with pytest.raises(NoData, match="BERT: expected models"):
        derating.outcomes(["bert"])
    with pytest.raises(NoData, match="of Mixtral 8x7B in both Offline and Interactive"):
        derating.chain("interactive", benchmarks=["mixtral-8x7b"])
    mixtral = derating.chain(benchmarks="Mixtral 8x7B")
    assert "rack" not in set(mixtral["kind"]) and mixtral["median"].max() <= 1.0


def write(path, arrivals, tokens):
    pd.DataFrame({"arrival_seconds": arrivals, "answer_tokens": tokens}).to_csv(path, index=False)
    return path


def test_an_own_trace_of_a_day_brings_its_bursts_and_its_peak(tmp_path, monkeypatch):
    """18 hours at one rate, 6 at three times as much: a mean of 1.5 over a peak of 3. An hour has no peak of a day."""
    monkeypatch.setattr(bursts, "over_poisson", lambda *asked: np.array([0.9]))
    hour = np.arange(0, 3600, 10.0)
    times = np.concatenate([hour + 3600 * turn for turn in range(24) for _ in range(1 if turn < 18 else 3)])
    day, short = (write(tmp_path / name, own, 100) for name, own in (("day.csv", times), ("hour.csv", hour)))
    own = derating.shares(trace=day).query("source == 'day.csv' and use == 'chat' and fleet in ['', 'fixed']")
    assert own[["step", "median", "n", "counted"]].to_numpy().tolist() == [
        ["bursts", 0.9, 1, "your trace"], [derating.LOAD, 0.5, 1, "your trace"],
    ]  # fmt: skip
    assert derating.loads(day, quantile=1)["fixed"].tolist() == [0.5]  # its busiest ten minutes are as busy as the next
    assert derating.loads(short).equals(derating.loads())
    recorded, seen = (derating.loads(quantile=quantile)["fixed"].median() for quantile in (1, 0.99))
    assert recorded < 0.9 * seen


def test_a_night_without_requests_counts_in_an_own_trace(tmp_path):
    busy = np.append(np.arange(0, 43_200, 10.0), 86_399)
    assert derating.loads(write(tmp_path / "half.csv", busy, 100))["fixed"].tolist() == pytest.approx([0.5], abs=0.01)
    early = np.append(np.arange(0, 7200, 10.0), 86_399)  # of two planned hours one is as busy as planned, one idle
    assert derating.loads(write(tmp_path / "early.csv", early, 100))["hourly"].tolist() == pytest.approx([0.5])
    with pytest.raises(ValueError, match=r"once\.csv: no hour with requests follows another"):
        derating.loads(write(tmp_path / "once.csv", np.append(np.arange(0, 3600, 10.0), 86_399), 100))


def test_the_shipped_table_is_what_the_code_computes():
    computed = derating.computed.__wrapped__(derating.limited_models())
    pd.testing.assert_frame_equal(computed, tables.load("delivered"), atol=6e-5, check_dtype=False)
    assert derating.shares().equals(tables.load("delivered"))


@pytest.mark.slow
def test_shipped_bursts_are_what_the_simulation_gives_for_each_pair_of_limits():
    shipped = tables.load("burst_factors")
    own = shipped[shipped["tpot_ms"].eq(15) & shipped["ttft_ms"].eq(1500)].reset_index(drop=True)
    pd.testing.assert_frame_equal(bursts.simulated(15.0, 1500.0), own, atol=1e-6, check_dtype=False)
    for benchmark in timed_benchmarks():
        for use in ("chat", "interactive"):
            limits = [derating._limit([benchmark], use, name) for name in ("tpot_p99_limit", "ttft_p99_limit")]
            there = shipped["tpot_ms"].eq(limits[0]) & shipped["ttft_ms"].eq(limits[1])
            assert there.any() or np.isnan(limits).any()


def test_an_edited_trace_is_read_again(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(derating, "_values", lambda benchmarks, trace: read.append(trace) or [
        ("", "", "", "serving stack", np.array([0.5]), 1, "pairs of runs")])  # fmt: skip
    file = tmp_path / "mine.csv"
    for text in ("one", "one", "another"):
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        derating.shares(trace=file)
    assert len(read) == 2


def test_the_models_with_the_tightest_limit_count_by_default(monkeypatch):
    """Of limits of 15, 40, and 15 ms in Interactive both of 15 count; a limit of 10 in Server does not."""
    assert derating.limited_models(["GPT-OSS 120B", "gpt-oss-120b"]) == ("gpt-oss-120b",)
    both = [("new", "Interactive"), ("llama2-70b", "Interactive"), ("deepseek-r1", "Interactive"), ("gptj", "Server")]
    index = pd.MultiIndex.from_tuples(both, names=["benchmark", "scenario"])
    monkeypatch.setattr(derating, "rule_limits", lambda name: pd.Series([15.0, 40.0, 15.0, 10.0], index))
    assert derating.limited_models() == ("deepseek-r1", "new")
