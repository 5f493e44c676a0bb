"""The numbers of the page on derating, counted again by plain pandas and by a queue of its own."""

import bisect
import math
from itertools import product

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


KINDS = ["TensorRT-LLM node", "vLLM node", "unstated node", "rack"]


def stated(rows):
    """The stack that descriptions of DeepSeek-R1 and GPT-OSS state: TensorRT-LLM if they name it, else any other."""
    texts = rows["serving_software_x"] + " " + rows["framework_x"] + " " + rows["system"]
    other = texts.str.contains("vllm|sglang|llmboost|llm-d", case=False)
    tensorrt = texts.str.contains("TensorRT|TRTLLM")
    return np.select([tensorrt, other], ["TensorRT-LLM node", "vLLM node"], "unstated node")


def shares(benchmark, scenario, size):
    """Server or Interactive over Offline of one system, one value per accelerator: the median of its newest round.

    `size` is node, rack, or one of KINDS.
    """
    best = [
        comparable(benchmark, name).query("unit == 'tokens/s'").sort_values("rate").drop_duplicates(SYSTEM, keep="last")
        for name in (scenario, "Offline")
    ]
    pairs = best[0].merge(best[1], on=SYSTEM)
    pairs = pairs[one_precision(pairs)]
    rack = pairs["accelerator"].isin(RACKS) & pairs["accelerator_count"].ge(64)
    pairs = pairs[rack if size == "rack" else pairs["accelerator_count"].eq(8) & pairs["nodes"].eq(1)]
    pairs = pairs[stated(pairs) == size] if size in KINDS[:3] else pairs
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
@pytest.mark.parametrize("system", KINDS)
def test_the_latency_limit(use, scenario, system):
    counted = of_two_models(scenario, system)
    if counted.empty:
        return
    assert factor("latency limit", use, system) == spread(counted)


def test_shares_by_accelerator_and_their_title():
    page = table(PAGE, "accelerators").rename(columns=str.lower)
    page = page.set_index(["benchmark", "scenario", "size", "accelerator"])["share"].sort_index()
    for benchmark, scenario, size in product(
        ("gpt-oss-120b", "deepseek-r1"), ("Server", "Interactive"), ("node", "rack")
    ):
        counted = shares(benchmark, scenario, size)
        assert page.loc[(benchmark, scenario, size)].to_dict() == pytest.approx(counted.to_dict(), rel=1e-5)
    figure = next(part for part in outputs(PAGE) if part["name"] == "by_accelerator")
    fast = pd.concat(of_two_models("Interactive", size) for size in ("node", "rack"))
    ends = f"{100 * fast.min():.1f}% to {100 * fast.max():.0f}%"
    assert figure["title"] == f"At 67 tokens/s (p99), systems keep {ends} of Offline"


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
    names = dated.drop_duplicates("checkpoint").set_index("checkpoint")["model"]
    models = shares.index.get_level_values("checkpoint").unique().map(names)
    said = next(part["text"] for part in outputs(PAGE) if part["name"] == "stack_models")
    assert sorted(models) == ["GPT-OSS 120B", "Llama 3.1 70B"] and all(name in said for name in models)
    assert "/" not in said  # names as printed, not checkpoints


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
    load = factor("mean over P99 load", "chat", "", "fixed")[0]
    served = factor("bursts", "chat")[0] * load * np.median([4 / 5, 8 / 9, 16 / 17])
    limit = {system: of_two_models("Server", system).median() for system in KINDS}
    busy = {
        "TensorRT-LLM node to vLLM": limit["TensorRT-LLM node"] * stack * virtual * network,
        "TensorRT-LLM node": limit["TensorRT-LLM node"] * virtual * network,
        "vLLM node": limit["vLLM node"] * virtual * network,
        "unstated node": limit["unstated node"] * virtual * network,
        "rack": limit["rack"],
    }
    low, high = min(busy.values()) * served, max(busy.values()) * served
    parts = {part["name"]: part for part in outputs(PAGE) if "name" in part}
    answer = parts["answer"]
    assert answer["text"] == f"Chat fleets deliver {100 * low:.0f}% to {100 * high:.0f}% of MLPerf Offline"
    moved = busy["TensorRT-LLM node to vLLM"]
    assert [answer["value"], answer["low"], answer["high"]] == pytest.approx([moved * served, low, high], abs=1e-4)
    for kind, share in busy.items():
        assert f"{kind} {100 * share * served:.0f}%" in parts["kinds"]["text"]
    assert parts["waterfall"]["title"].startswith(f"TensorRT-LLM node to vLLM: {100 * moved * served:.0f}%")
    found = values(PAGE)
    rates = pd.read_csv(DATA / "traffic_rates.csv").query("requests_per_second > 0").groupby("service")
    highest = (rates["requests_per_second"].mean() / rates["requests_per_second"].max()).median()
    assert highest == pytest.approx(0.356, abs=5e-4)
    assert found["sized_for_peak"] == pytest.approx(low / load * highest, abs=1e-4)


def test_spares_by_a_sum_of_poisson_terms():
    failures = pd.read_csv(DATA / "fleet_failures.csv").query("out_of_service")
    assert failures["events"].sum() / 16_384 / 54 * 1000 == pytest.approx(0.402, abs=5e-4)
    daily = 8 * failures["events"].sum() / 16_384 / 54  # of a node

    def needed(nodes, days):
        spare = 0
        while sum(poisson(down, (nodes + spare) * daily * days) for down in range(spare + 1)) < 0.999:
            spare += 1
        return spare / nodes

    assert values(PAGE)["spares"] == pytest.approx(needed(128, 3))
    text = next(part["text"] for part in outputs(PAGE) if part["name"] == "spares")
    assert f"{100 * needed(128, 1):.1f}% to {100 * needed(128, 7):.1f}% of spares" in text
    assert "128 nodes of 8 running 99.9%" in text and text.endswith("as H100 did in Llama 3.1 405B training.")


def poisson(count, mean):
    return mean**count * math.exp(-mean) / math.factorial(count)


def test_the_error_of_long_prompts_says_its_runs_and_its_engines():
    runs = pd.read_parquet(DATA / "inferencex_runs.parquet").query("not disaggregated and not unfinished")
    runs = runs[runs["speculative"].eq("") & ~runs["prompt_tokens"].isin([1024, 8192])]
    runs = runs[runs["output_tokens_per_second_per_gpu"].notna()]
    engine = ["model", "accelerator", "engine", "precision"]
    found = {}
    for key, own in runs.groupby([*engine, "engine_version", "gpus"]):
        lengths = own[["prompt_tokens", "answer_tokens"]].drop_duplicates()
        long = (lengths["prompt_tokens"] / lengths["answer_tokens"]).gt(8)
        if (~long).sum() >= 4 and long.any():
            found[key[:4]] = found.get(key[:4], 0) + long.sum()
    text = next(part["text"] for part in outputs(PAGE) if part["name"] == "long_prompts_error")
    assert text.endswith(f"P10 to P90 of {sum(found.values())} runs; engines of a model on a GPU: {len(found)}).")


def test_the_error_of_long_prompts_states_its_runs_and_engines():
    """Least squares over lengths of at most eight prompt tokens per answer token, held against the longer ones."""
    found = pd.read_parquet(DATA / "inferencex_runs.parquet")
    found = found[~found["disaggregated"] & ~found["unfinished"] & found["speculative"].eq("")]
    found = found[~found["prompt_tokens"].isin([1024, 8192])]
    engine, lengths = ["model", "accelerator", "engine", "precision"], ["prompt_tokens", "answer_tokens"]
    keys = [*engine, "engine_version", "gpus"]
    best = found.groupby([*keys, *lengths])["output_tokens_per_second_per_gpu"].max().dropna().reset_index(name="rate")
    best["prefill"] = best["prompt_tokens"] / best["answer_tokens"]
    best["context"] = best["prompt_tokens"] + best["answer_tokens"] / 2
    missed = []
    for key, own in best.groupby(keys):
        short, long = own[own["prefill"].le(8)], own[own["prefill"].gt(8)]
        if len(short) < 4:
            continue
        parts = [each.assign(decode=1)[["decode", "context", "prefill"]] for each in (short, long)]
        relative = [part.mul(each["rate"], axis=0) for part, each in zip(parts, (short, long), strict=True)]
        seconds = np.linalg.lstsq(relative[0], np.ones(len(short)), rcond=None)[0]
        missed += [(key[:4], error) for error in 1 / (relative[1] @ seconds) if error > 0]
    errors = pd.Series(dict(enumerate(error for _, error in missed)))
    middle, low, high = errors.quantile([0.5, 0.1, 0.9])
    part = next(part for part in outputs(PAGE) if part["name"] == "long_prompts_error")
    assert part["value"] == pytest.approx(middle, abs=5e-4)
    assert f"{middle:.2f}x the measured ({low:.2f}x to {high:.2f}x, P10 to P90 of {len(errors)} runs" in part["text"]
    assert f"engines of a model on a GPU: {len({key for key, _ in missed})})" in part["text"]
