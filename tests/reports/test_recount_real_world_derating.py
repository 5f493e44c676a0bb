"""The numbers of the page on derating, counted again by plain pandas and by a queue of its own."""

import bisect
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.reports.plain import CAPPED, comparable, data, record, said, table, values

PAGE = "real_world_derating"
SYSTEM = ["round", "submitter", "system", "accelerator", "accelerator_count", "nodes"]
LLMS = ["llama2-70b", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1", "gpt-oss-120b"]
RACKS = ["GB200", "GB300"]
KINDS = ["TensorRT-LLM node", "vLLM node", "unstated node", "rack"]


def one_precision(pairs):
    return pairs.query("precision_x == precision_y or precision_x == '' or precision_y == ''")


def stated(rows):
    """The stack that descriptions of DeepSeek-R1 and GPT-OSS state: TensorRT-LLM if they name it, else any other."""
    texts = rows["serving_software_x"] + " " + rows["framework_x"] + " " + rows["system"]
    other = texts.str.contains("vllm|sglang|llmboost|llm-d", case=False)
    return np.select([texts.str.contains("TensorRT|TRTLLM"), other], KINDS[:2], KINDS[2])


def shares(benchmark, scenario, size):
    """Server or Interactive over Offline of one system, one value per accelerator: the median of its newest round.

    `size` is node, rack, or one of KINDS.
    """
    best = [
        comparable(benchmark, name).query("unit == 'tokens/s'").sort_values("rate").drop_duplicates(SYSTEM, keep="last")
        for name in (scenario, "Offline")
    ]
    pairs = one_precision(best[0].merge(best[1], on=SYSTEM))
    rack = "accelerator in @RACKS and accelerator_count >= 64"
    pairs = pairs.query(rack if size == "rack" else "accelerator_count == 8 and nodes == 1")
    pairs = pairs[stated(pairs) == size] if size in KINDS[:3] else pairs
    newest = pairs[pairs["version_x"].eq(pairs.groupby("accelerator")["version_x"].transform("max"))]
    return (newest["rate_x"] / newest["rate_y"]).groupby(newest["accelerator"]).median()


def of_two_models(scenario, size):
    return pd.concat([shares(name, scenario, size) for name in ("deepseek-r1", "gpt-oss-120b")])


def factor(step, use="", system="", fleet=""):
    rows = table(PAGE, "factors").rename(columns=str.lower).fillna({"use": "", "system": "", "fleet": ""})
    row = rows.query("step == @step and use == @use and system == @system and fleet == @fleet")
    return row.iloc[0][["median", "p10", "p90", "n"]].tolist()


def spread(kept):
    return pytest.approx([*np.quantile(kept, [0.5, 0.1, 0.9]), len(kept)], abs=1e-4)


@pytest.mark.parametrize(("use", "scenario"), [("chat", "Server"), ("interactive", "Interactive")])
@pytest.mark.parametrize("system", KINDS)
def test_the_latency_limit(use, scenario, system):
    counted = of_two_models(scenario, system)
    assert counted.empty or factor("latency limit", use, system) == spread(counted)


def test_shares_by_accelerator_and_their_title():
    page = table(PAGE, "accelerators").rename(columns=str.lower)
    page = page.set_index(["benchmark", "scenario", "size", "accelerator"])["share"].sort_index()
    for key in product(("gpt-oss-120b", "deepseek-r1"), ("Server", "Interactive"), ("node", "rack")):
        assert page.loc[key].to_dict() == pytest.approx(shares(*key).to_dict(), rel=1e-5)
    fast = pd.concat(of_two_models("Interactive", size) for size in ("node", "rack"))
    ends = f"{100 * fast.min():.1f}% to {100 * fast.max():.0f}%"
    assert said(PAGE)["by_accelerator"]["title"] == f"At 67 tokens/s (p99), systems keep {ends} of Offline"


def test_the_serving_stack():
    curve = ["checkpoint", "accelerator", "precision", "prompt_tokens", "answer_tokens", "gpus"]
    runs = data("inferencex_runs").query("source_id == 'inferencex-points' and not disaggregated and not unfinished")
    runs = runs[runs["measured"].ne("")]
    waited = runs["ttft_ms"] + (runs["answer_tokens"] - 1) * runs["tpot_ms"]
    runs = runs.assign(rate=runs["concurrency"] * runs["answer_tokens"] / waited / runs["gpus"])  # Little's law
    best = runs.groupby([*curve, "concurrency", "measured", "engine"])["rate"].max().unstack()
    ratios = (best["vLLM"] / best["TensorRT-LLM"]).dropna()
    assert len(ratios) == 187
    assert factor("serving stack", "", "node") == spread(ratios.groupby(curve).median())
    names = runs.drop_duplicates("checkpoint").set_index("checkpoint")["model"]
    models, text = ratios.index.get_level_values("checkpoint").unique().map(names), said(PAGE)["stack_models"]["text"]
    assert sorted(models) == ["GPT-OSS 120B", "Llama 3.1 70B"] and all(name in text for name in models)
    assert "/" not in text  # names as printed, not checkpoints


def language_models(scenarios):
    rows = record().query(
        "division == 'closed' and availability == 'available' and metric == 'throughput' and unit == 'tokens/s'"
        " and benchmark in @LLMS and scenario in @scenarios and kind == 'gpu' and version >= 4.1"
        " and duplicate_of == '' and not power_measured and accelerator_count > 0 and power_limit_watts.isna()"
    )
    rows = rows[rows["suite"].str.contains("datacenter") & ~rows["system"].str.contains(CAPPED, case=False)]
    two = rows["benchmark"].eq("llama2-70b")  # targets, of which the stricter counts
    strict = rows["accuracy_target"].eq("99.9")
    kind = [rows[name] for name in ("round", "benchmark", "scenario", "accelerator", "accelerator_count")]
    usual = rows["accuracy_target"].eq(rows.groupby("benchmark")["accuracy_target"].transform(lambda t: t.mode()[0]))
    return rows[usual.mask(two, strict | ~strict.groupby(kind).transform("any"))]


def over(rows, reference, alike):
    by_run = one_precision(rows.merge(reference[[*alike, "each", "precision"]], on=alike)).groupby("id")
    return by_run["each_x"].first() / by_run["each_y"].median()


def test_the_hypervisor():
    rows = language_models(["Offline", "Server"])
    alike = ["round", "benchmark", "scenario", "accelerator", "accelerator_count", "nodes"]
    kept = over(rows.query("hypervisor != ''"), rows.query("hypervisor == ''"), alike)
    assert factor("hypervisor", "", "node") == spread(kept)


@pytest.mark.parametrize(("use", "scenario"), [("chat", "Server"), ("batch", "Offline")])
def test_networked_nodes(use, scenario):
    rows = language_models([scenario]).query(
        "hypervisor == '' and accelerator not in @RACKS and accelerator != 'mixed'"
    )
    one = rows.query("nodes == 1 and accelerator_count == 8")
    kept = over(rows.query("nodes > 1"), one, ["round", "benchmark", "accelerator"])
    assert factor("networked nodes", use, "node") == spread(kept)


def test_load_of_the_four_services():
    found = {"fixed": [], "hourly": [], "foreseen": []}
    for _, rows in data("traffic_rates").groupby("service"):
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
    requests = data("traffic_traces").query("service == 'conversation'").iloc[:6000]
    arrivals = requests["arrival_seconds"].to_numpy() - requests["arrival_seconds"].iloc[0]
    seconds = (requests["prompt_tokens"] / 20_000 + requests["answer_tokens"] * 0.08).to_numpy()
    edges = np.linspace(0, arrivals[-1] + 1, round(arrivals[-1] / 600) + 1)
    done = np.append(0, np.cumsum(np.histogram(arrivals, edges, weights=seconds)[0])) / seconds.sum() * edges[-1]
    level, rng = np.interp(arrivals, edges, done), np.random.default_rng(7)
    even = [
        slots_needed(
            np.sort(rng.uniform(0, arrivals[-1], len(arrivals))).tolist(), rng.permutation(seconds).tolist(), 2
        )
        for _ in range(3)
    ]
    kept = np.mean(even) / slots_needed(level.tolist(), seconds.tolist(), 2)
    median, low, high, traces = factor("bursts", "chat")
    assert traces == 2 and low - 0.06 < kept < 1 and low <= median <= high < 1


def test_shares_are_products():
    places = [("serving stack", "", "node"), ("hypervisor", "", "node"), ("networked nodes", "chat", "node")]
    stack, virtual, network = (factor(*place)[0] for place in places)
    load = factor("mean over P99 load", "chat", "", "fixed")[0]
    served = factor("bursts", "chat")[0] * load * np.median([4 / 5, 8 / 9, 16 / 17])
    limit = {system: of_two_models("Server", system).median() for system in KINDS}
    busy = {kind: share if kind == "rack" else share * virtual * network for kind, share in limit.items()}
    moved = busy["TensorRT-LLM node to vLLM"] = busy["TensorRT-LLM node"] * stack
    low, high = min(busy.values()) * served, max(busy.values()) * served
    parts = said(PAGE)
    answer = parts["answer"]
    assert answer["text"] == f"Chat fleets deliver {100 * low:.0f}% to {100 * high:.0f}% of MLPerf Offline"
    assert [answer["value"], answer["low"], answer["high"]] == pytest.approx([moved * served, low, high], abs=1e-4)
    for kind, share in busy.items():
        assert f"{kind} {100 * share * served:.0f}%" in parts["kinds"]["text"]
    assert parts["waterfall"]["title"].startswith(f"TensorRT-LLM node to vLLM: {100 * moved * served:.0f}%")
    rates = data("traffic_rates").query("requests_per_second > 0").groupby("service")["requests_per_second"]
    highest = (rates.mean() / rates.max()).median()
    assert highest == pytest.approx(0.356, abs=5e-4)
    assert values(PAGE)["sized_for_peak"] == pytest.approx(low / load * highest, abs=1e-4)


def test_spares_by_a_sum_of_poisson_terms():
    failures = data("fleet_failures").query("out_of_service")["events"].sum() / 16_384 / 54  # of a GPU in a day
    assert failures * 1000 == pytest.approx(0.402, abs=5e-4)

    def needed(nodes, days):
        spare = 0
        while sum(poisson(down, (nodes + spare) * 8 * failures * days) for down in range(spare + 1)) < 0.999:
            spare += 1
        return spare / nodes

    assert values(PAGE)["spares"] == pytest.approx(needed(128, 3))
    text = said(PAGE)["spares"]["text"]
    assert f"{100 * needed(128, 1):.1f}% to {100 * needed(128, 7):.1f}% of spares" in text
    assert "128 nodes of 8 running 99.9%" in text and text.endswith("as H100 did in Llama 3.1 405B training.")


def poisson(count, mean):
    return mean**count * math.exp(-mean) / math.factorial(count)


def test_the_error_of_long_prompts_states_its_runs_and_engines():
    """Least squares over lengths of at most eight prompt tokens per answer token, held against the longer ones."""
    found = data("inferencex_runs").query("not disaggregated and not unfinished and speculative == ''")
    found = found[~found["prompt_tokens"].isin([1024, 8192])]
    engine, lengths = ["model", "accelerator", "engine", "precision"], ["prompt_tokens", "answer_tokens"]
    keys = [*engine, "engine_version", "gpus"]
    best = found.groupby([*keys, *lengths])["output_tokens_per_second_per_gpu"].max().dropna().reset_index(name="rate")
    best = best.assign(decode=1.0, context=best["prompt_tokens"] + best["answer_tokens"] / 2)
    best["prefill"] = best["prompt_tokens"] / best["answer_tokens"]
    missed = []
    for key, own in best.groupby(keys):
        relative = own[["decode", "context", "prefill"]].mul(own["rate"], axis=0)
        short = own["prefill"].le(8)
        if short.sum() >= 4:
            seconds = np.linalg.lstsq(relative[short], np.ones(short.sum()), rcond=None)[0]
            missed += [(key[:4], error) for error in 1 / (relative[~short] @ seconds) if error > 0]
    errors = pd.Series([error for _, error in missed])
    middle, low, high = errors.quantile([0.5, 0.1, 0.9])
    part = said(PAGE)["long_prompts_error"]
    assert part["value"] == pytest.approx(middle, abs=5e-4)
    assert part["text"].endswith(
        f"{middle:.2f}x the measured ({low:.2f}x to {high:.2f}x, P10 to P90 of {len(errors)} runs;"
        f" engines of a model on a GPU: {len({key for key, _ in missed})})."
    )
