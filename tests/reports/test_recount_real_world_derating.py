"""The numbers of the page on derating, counted again by plain pandas and by a queue of its own."""

import bisect

import numpy as np
import pandas as pd
import pytest

from tests.reports.plain import DATA, comparable, outputs, record, table, values

PAGE = "real_world_derating"
SYSTEM = ["round", "submitter", "system", "accelerator", "accelerator_count", "nodes"]
LLMS = ["llama2-70b", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1", "gpt-oss-120b"]
RACKS = ["GB200", "GB300"]


def one_precision(pairs):
    return pairs["precision_x"].eq(pairs["precision_y"]) | pairs["precision_x"].eq("") | pairs["precision_y"].eq("")


def shares(benchmark, scenario, size):
    """Server or Interactive over Offline of one system, one value per accelerator: the median of its newest round."""
    best = [
        comparable(benchmark, name).query("unit == 'tokens/s'").sort_values("rate").drop_duplicates(SYSTEM, keep="last")
        for name in (scenario, "Offline")
    ]
    pairs = best[0].merge(best[1], on=SYSTEM)
    pairs = pairs[one_precision(pairs)]
    rack = pairs["accelerator"].isin(RACKS) & pairs["accelerator_count"].ge(64)
    pairs = pairs[rack if size == "rack" else pairs["accelerator_count"].eq(8) & pairs["nodes"].eq(1)]
    newest = pairs[pairs["version_x"].eq(pairs.groupby("accelerator")["version_x"].transform("max"))]
    return (newest["rate_x"] / newest["rate_y"]).groupby(newest["accelerator"]).median()


def of_two_models(scenario, size):
    return pd.concat([shares(name, scenario, size) for name in ("deepseek-r1", "gpt-oss-120b")])


def factor(step, use="", system="", fleet=""):
    rows = table(PAGE, "factors").rename(columns=str.lower).fillna({"use": "", "system": "", "fleet": ""})
    row = rows[rows["step"].eq(step) & rows["use"].eq(use) & rows["system"].eq(system) & rows["fleet"].eq(fleet)]
    return row.iloc[0][["median", "p10", "p90", "n"]].tolist()


def spread(kept):
    return pytest.approx([*np.quantile(kept, [0.5, 0.1, 0.9]), len(kept)], abs=1e-4)


@pytest.mark.parametrize(("use", "scenario"), [("chat", "Server"), ("interactive", "Interactive")])
@pytest.mark.parametrize("size", ["node", "rack"])
def test_the_latency_limit(use, scenario, size):
    assert factor("latency limit", use, size) == spread(of_two_models(scenario, size))


def test_shares_by_accelerator_and_their_title():
    page = (
        table(PAGE, "accelerators")
        .rename(columns=str.lower)
        .set_index(["benchmark", "scenario", "size", "accelerator"])["share"]
        .sort_index()
    )
    for benchmark in ("llama2-70b", "gpt-oss-120b", "deepseek-r1"):
        for scenario in ("Server", "Interactive"):
            for size in ("node", "rack"):
                counted = shares(benchmark, scenario, size)
                assert page.loc[(benchmark, scenario, size)].to_dict() == pytest.approx(counted.to_dict(), rel=1e-5)
    figure = next(part for part in outputs(PAGE) if part["name"] == "by_accelerator")
    node, rack = (shares("gpt-oss-120b", "Interactive", size).median() for size in ("node", "rack"))
    said = f"GPT-OSS 120B keeps {100 * node:.0f}% of Offline on nodes, {100 * rack:.0f}% on racks"
    assert figure["title"] == f"At 67 tokens/s (p99), {said}"
    node, rack = (shares("deepseek-r1", "Interactive", size).median() for size in ("node", "rack"))
    assert f"DeepSeek-R1: {100 * node:.1f}% and {100 * rack:.0f}%." in figure["alt"]


def runs():
    found = pd.read_parquet(DATA / "inferencex_runs.parquet").query("source_id == 'inferencex-points'")
    found = found[~found["disaggregated"] & ~found["unfinished"]]
    waited = found["ttft_ms"] + (found["answer_tokens"] - 1) * found["tpot_ms"]
    return found.assign(rate=found["concurrency"] * found["answer_tokens"] / waited / found["gpus"])  # Little's law


def test_the_serving_stack():
    curve = ["checkpoint", "accelerator", "precision", "prompt_tokens", "answer_tokens", "gpus"]
    dated = runs().query("measured != ''")
    best = dated.groupby([*curve, "concurrency", "measured", "engine"])["rate"].max()
    pairs = pd.concat([best.xs(name, level="engine") for name in ("vLLM", "TensorRT-LLM")], axis=1, join="inner")
    shares = pairs.iloc[:, 0] / pairs.iloc[:, 1]
    assert len(shares) == 187
    assert factor("serving stack", "", "node") == spread(shares.groupby(curve).median())


def language_models(scenarios, virtual=False):
    rows = record().query("division == 'closed' and availability == 'available' and metric == 'throughput'")
    rows = rows[rows["benchmark"].isin(LLMS) & rows["scenario"].isin(scenarios) & rows["unit"].eq("tokens/s")]
    rows = rows[rows["suite"].str.contains("datacenter") & rows["kind"].eq("gpu") & rows["version"].ge(4.1)]
    rows = rows[rows["duplicate_of"].eq("") & ~rows["power_measured"] & rows["accelerator_count"].gt(0)]
    rows = rows[~rows["system"].str.contains("maxq|power.?cap", case=False) & rows["power_limit_watts"].isna()]
    strict = rows["accuracy_target"].eq("99.9") & rows["benchmark"].eq("llama2-70b")
    kind = [rows[name] for name in ("round", "benchmark", "scenario", "accelerator", "accelerator_count")]
    either = strict | ~strict.groupby(kind).transform("any") | rows["benchmark"].ne("llama2-70b")
    target = rows["accuracy_target"].eq(rows.groupby("benchmark")["accuracy_target"].transform(lambda t: t.mode()[0]))
    return rows[either & (target | rows["benchmark"].eq("llama2-70b"))]


def over(rows, reference, alike):
    pairs = rows.merge(reference[[*alike, "each", "precision"]], on=alike)
    pairs = pairs[one_precision(pairs)]
    by_run = pairs.groupby("id")
    return by_run["each_x"].first() / by_run["each_y"].median()


def test_the_hypervisor():
    rows = language_models(["Offline", "Server"])
    virtual, bare = rows[rows["hypervisor"].ne("")], rows[rows["hypervisor"].eq("")]
    alike = ["round", "benchmark", "scenario", "accelerator", "accelerator_count", "nodes"]
    assert factor("hypervisor", "", "node") == spread(over(virtual, bare, alike))


@pytest.mark.parametrize(("use", "scenario"), [("chat", "Server"), ("batch", "Offline")])
def test_networked_nodes(use, scenario):
    rows = language_models([scenario]).query(
        "hypervisor == '' and accelerator not in @RACKS and accelerator != 'mixed'"
    )
    one = rows[rows["nodes"].eq(1) & rows["accelerator_count"].eq(8)]
    kept = over(rows[rows["nodes"].gt(1)], one, ["round", "benchmark", "accelerator"])
    assert factor("networked nodes", use, "node") == spread(kept)


def test_load_of_the_four_services():
    rates = pd.read_csv(DATA / "traffic_rates.csv")
    found = {"fixed": [], "hourly": [], "foreseen": []}
    for _, rows in rates.groupby("service"):
        hours = rows.groupby(rows["seconds"] // 3600)["requests_per_second"].agg(list).to_dict()
        seen = [rate for rate in rows["requests_per_second"] if rate > 0]
        found["fixed"].append(np.mean(seen) / np.quantile(seen, 0.99))
        planned = [
            (rate, np.mean(hours[hour - 1]))
            for hour, windows in hours.items()
            for rate in windows
            if rate > 0 and min(hours.get(hour - 1, [0])) > 0
        ]
        now, last = np.array(planned).T
        found["hourly"].append(now.mean() / (np.quantile(now / last, 0.99) * last.mean()))
        within = [rate / np.mean([w for w in each if w > 0]) for each in hours.values() for rate in each if rate > 0]
        found["foreseen"].append(1 / np.quantile(within, 0.99))
    for fleet, kept in found.items():
        assert factor("mean over P99 load", "chat", "", fleet) == spread(kept)


def slots_needed(arrivals, seconds, wait):
    """The fewest slots with which at most 1% of requests wait longer: a sorted list in place of a heap."""
    few, many = 1, len(arrivals)
    while few < many:
        slots = (few + many) // 2
        free, late = [0.0] * slots, 0
        for arrival, held in zip(arrivals, seconds, strict=True):
            start = max(arrival, free.pop(0))
            late += start - arrival > wait
            bisect.insort(free, start + held)
            if late > len(arrivals) // 100:
                break
        few, many = (few, slots) if late <= len(arrivals) // 100 else (slots + 1, many)
    return few


def test_bursts_lie_where_the_recorded_trace_puts_them():
    """The traces as recorded, which are a sixteenth of a node, over random arrivals of the same requests."""
    requests = pd.read_parquet(DATA / "traffic_traces.parquet").query("service == 'conversation'").iloc[:6000]
    arrivals = requests["arrival_seconds"].to_numpy() - requests["arrival_seconds"].iloc[0]
    seconds = (requests["prompt_tokens"] / 20_000 + requests["answer_tokens"] * 0.08).to_numpy()
    edges = np.linspace(0, arrivals[-1] + 1, round(arrivals[-1] / 600) + 1)
    done = np.append(0, np.cumsum(np.histogram(arrivals, edges, weights=seconds)[0])) / seconds.sum() * edges[-1]
    level = np.interp(arrivals, edges, done)
    rng = np.random.default_rng(7)
    even = [
        slots_needed(
            np.sort(rng.uniform(0, arrivals[-1], len(arrivals))).tolist(), rng.permutation(seconds).tolist(), 2
        )
        for _ in range(3)
    ]
    kept = np.mean(even) / slots_needed(level.tolist(), seconds.tolist(), 2)
    median, low, high, traces = factor("bursts", "chat")
    assert traces == 2
    assert low - 0.06 < kept < 1
    assert low <= median <= high < 1


def test_shares_are_products():
    places = [("serving stack", "", "node"), ("hypervisor", "", "node"), ("networked nodes", "chat", "node")]
    stack, virtual, network = (factor(*place)[0] for place in places)
    busy = of_two_models("Server", "node").median() * stack * virtual * network
    served = (
        factor("bursts", "chat")[0]
        * factor("mean over P99 load", "chat", "", "fixed")[0]
        * np.median([4 / 5, 8 / 9, 16 / 17])
    )
    assert factor("busy", "chat", "node")[0] == pytest.approx(busy, abs=1e-4)
    assert factor("delivered", "chat", "node", "fixed")[0] == pytest.approx(busy * served, abs=1e-4)
    found = values(PAGE)
    assert found["answer"] == pytest.approx(busy * served, abs=1e-4)
    assert found["cost_factor"] == pytest.approx(1 / (busy * served), rel=1e-3)
    assert found["other_choices"] == pytest.approx(busy * served / stack / virtual, abs=1e-4)
    named = of_two_models("Server", "node").median() * factor("bursts", "chat")[0] * stack * virtual
    assert found["named_causes"] == pytest.approx(named, abs=1e-4)
    rates = pd.read_csv(DATA / "traffic_rates.csv").query("requests_per_second > 0").groupby("service")
    highest = (rates["requests_per_second"].mean() / rates["requests_per_second"].max()).median()
    fixed = factor("mean over P99 load", "chat", "", "fixed")[0]
    assert highest == pytest.approx(0.356, abs=5e-4)
    assert found["sized_for_peak"] == pytest.approx(busy * served / fixed * highest, abs=1e-4)
    headline = next(part["text"] for part in outputs(PAGE) if part["kind"] == "headline")
    assert headline.startswith(f"A busy chat node keeps {100 * busy:.0f}% of MLPerf Offline")
    assert headline.endswith(f"at average traffic it delivers {100 * busy * served:.0f}%")


def test_the_range_holds_every_mix_of_factors_between_its_tenths():
    """P10 to P90 of the delivered share by another generator: all factors drawn at once from their ranks."""
    rng = np.random.default_rng(11)
    kept = [of_two_models("Server", "node").to_numpy(), [4 / 5, 8 / 9, 16 / 17]]
    drawn = np.prod([rng.choice(each, 100_000) for each in kept], axis=0)
    rest = ["serving stack", "hypervisor", "networked nodes", "bursts", "mean over P99 load"]
    places = [("", "node"), ("", "node"), ("chat", "node"), ("chat",), ("chat", "", "fixed")]
    for step, place in zip(rest, places, strict=True):
        median, low, high, _ = factor(step, *place)
        drawn = drawn * np.interp(rng.uniform(size=100_000), [0, 0.1, 0.5, 0.9, 1], [low, low, median, high, high])
    assert factor("delivered", "chat", "node", "fixed")[1:3] == pytest.approx(np.quantile(drawn, [0.1, 0.9]), abs=0.025)


@pytest.mark.parametrize(("model", "benchmark"), [("GPT-OSS 120B", "gpt-oss-120b"), ("DeepSeek-R1", "deepseek-r1")])
def test_inferencex_keeps_more_at_the_limit_of_interactive(model, benchmark):
    """The share of the highest throughput that the best run at 66.7 tokens/s or more has, on one node of each GPU."""
    runs = pd.read_parquet(DATA / "inferencex_runs.parquet").query(
        "model == @model and gpus <= 8 and not disaggregated"
    )
    runs = runs[~runs["unfinished"] & runs["speculative"].eq("") & runs["output_tokens_per_second_per_gpu"].notna()]
    by = ["accelerator", "prompt_tokens", "answer_tokens"]
    fast = runs[runs["tokens_per_second_per_user"].ge(1000 / 15)]
    best = "output_tokens_per_second_per_gpu"
    kept = (fast.groupby(by)[best].max() / runs.groupby(by)[best].max()).dropna()
    assert kept.size > 6
    assert kept.median() > 2 * shares(benchmark, "Interactive", "node").median()
