"""Read the results of each tool: fields.csv has the keys and units of each format, this module special cases.

In fields.csv steps of a key are joined by dots and alternatives by `|`; `{a b c d}` are the names of mean, P50, P90,
P99, and " in s" is the unit where the file states none; with " in not stated" a number without its unit is rejected.
Columns that columns.csv lacks are for this module alone.
The terms are those of llm-d's benchmark report.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pandas as pd

from analysis.measure.checks import checked
from analysis.measure.reconcile import APART, SAME, counts, near
from analysis.measure.record import NAN, Record, printable, shipped_rows
from analysis.measure.run import STATISTICS, TEXTS, UNKNOWN, Run

MOST_SETTINGS = 1900  # characters of the settings of a run
# Keys of a client's result that differ between repeated runs:
MEASURED = re.compile(
    r"_ms$|\(ms\)$|token|throughput|date|time|duration|latency|complet|success|fail|number|rtfx|concurren|goodput|seed|_id$|example|peak"
)


@cache  # a file of the package, asked for each record
def fields(format: str) -> dict[str, str]:
    """Return the keys of each column in a format; a time has one column for each statistic."""
    keys = {}
    for row in shipped_rows("fields"):
        if row["format"] == format and "{" not in row["key"]:
            keys[row["column"]] = row["key"]
        elif row["format"] == format:
            for place, statistic in enumerate(STATISTICS):
                column = f"{row['column']}_{statistic}_ms"
                keys[column] = re.sub(r"\{(.*?)\}", lambda names, at=place: names[1].split()[at], row["key"])
    return keys


def run_of(record: Record) -> Run:
    """Return the run in `record`. Raises MeasurementError naming file, place, and key."""
    if not isinstance(record.value, dict):
        raise record.fault(f"is {type(record.value).__name__}, not an object; {known_tools()}")
    if other := next((row for row in shipped_rows("others") if row["keys"] and record.holds(row["keys"])), None):
        raise record.fault(f"is {other['words']}")
    format = next((row for row in shipped_rows("formats") if record.holds(row["told_by"])), None)
    if format is None:
        keys = printable(", ".join(map(str, list(record.value)[:6])))
        raise record.fault(f"is not from a supported tool (keys: {keys or 'none'}); {known_tools()}")
    run = stated(record, format["fields"])
    run.update(tool=format["tool"], example=bool(record.get("example|report.example")))
    if format["fields"] == "client":
        run.setting = _setting(record)
    SPECIAL[format["format"]](record, run)
    return checked(run, record)


def stated(record: Record, format: str) -> Run:
    """Return the values of a record by the keys of a format; the rest is unknown. Raises MeasurementError."""
    kinds = dict.fromkeys(TEXTS, record.text) | {
        "accelerator_count": record.count, "request_rate": record.rate, "concurrency_limit": record.rate
    }  # fmt: skip
    read = {
        column: kinds[column](keys) if column in kinds else record.number(keys, column)
        for column, keys in fields(format).items()
    }
    return Run(UNKNOWN | read)


def known_tools() -> str:
    """Return the supported tools as text for error messages."""
    tools = dict.fromkeys(row["tool"] for row in shipped_rows("formats"))
    return f"expected a result from {', '.join(tools)}; docs/import.md lists the files"


def _setting(record: Record) -> str:
    """Return the keys of a client's result that neither a field nor a measurement explains."""
    known = {key for column, keys in fields("client").items() if column in UNKNOWN for key in keys.split("|")}
    found = sorted(
        f"{key}={value}"
        for key, value in record.value.items()
        if type(value) in (str, int, bool) and key not in known and not MEASURED.search(str(key))
    )
    return printable(", ".join(found), MOST_SETTINGS)


def client(record: Record, run: Run) -> None:
    """Take times from the arrays of single requests: averages of the file count empty answers as zeros."""
    each = _single_requests(record)
    detailed = len(each) > 0 and run.requests > 0
    run.fill(failures=(len(each) if detailed else run.sent) - run.requests)
    last_steps = run.requests * run.drafted_tokens / (run.drafts or NAN)  # may be cut off
    _at_least(run, run.drafts + run.accepted_tokens - last_steps)
    if not detailed:
        return
    counts(run, {"total": run.output_tokens, "output_lens": each["tokens"].sum()})
    _at_least(run, each["pieces"].sub(1).clip(0).sum())  # a last piece may be empty
    with_empty = each["ttft"].sum() / run.requests
    each = each[each["tokens"].gt(0)]
    streamed = each["after"].where(each["tokens"].gt(1) & each["after"].gt(0))
    if each["ttft"].eq(0).any() or (each["tokens"].gt(1).any() and streamed.isna().all()):
        return run.unstreamed("the file has no times between tokens")
    if not any(near(average, run.ttft_mean_ms, APART) for average in (with_empty, each["ttft"].mean())):
        raise record.fault(f"ttfts average {with_empty:g} ms, but mean_ttft_ms is {run.ttft_mean_ms:g}")
    _take(run, "ttft", each["ttft"])
    _take(run, "tpot", streamed / (each["tokens"] - 1))
    run.without_tokens = max(float(run.requests - len(each)), 0.0)
    if run.without_tokens:
        of = f"{run.without_tokens:,.0f} of {run.requests:,.0f} requests"
        run.say(f"{of} returned no token; times are over the others")


def _single_requests(record: Record) -> pd.DataFrame:
    """Return `ttft` and the time `after` it in ms, streamed `pieces`, and `tokens` of each request in the file."""
    gaps = [Record({"itls": each}, record.where).series("itls") for each in record.listed("itls")]
    columns = {
        "ttft": 1e3 * record.series("ttfts"), "after": pd.Series([1e3 * gap.sum() for gap in gaps], dtype=float),
        "pieces": pd.Series(map(len, gaps), dtype=float), "tokens": record.series("output_lens"),
    }  # fmt: skip
    if len(set(map(len, columns.values()))) > 1:
        raise record.fault("ttfts, itls, and output_lens have different lengths; expected one entry per request")
    return pd.DataFrame(columns)


def _at_least(run: Run, tokens: float) -> None:
    """Compare the count of tokens with the fewest that the run's steps, or its streamed pieces, put out."""
    if tokens > run.output_tokens:
        counts(run, {"count": run.output_tokens, "steps": tokens})


def _take(run: Run, name: str, times: pd.Series) -> None:
    """Take the times of single requests, in ms, and their statistics."""
    found = times.mean(), *times.quantile([0.5, 0.9, 0.99])
    run.update({f"{name}_{statistic}_ms": value for statistic, value in zip(STATISTICS, found, strict=True)})
    run[f"request_{name}_ms"] = times.to_numpy()


def sglang(record: Record, run: Run) -> None:
    """Reconcile the server's token count and the recount of the text, and set the accelerators of the server."""
    asked = run.asked_length if run.length_ratio == 1 else NAN
    taken = counts(run, {"server": run.output_tokens, "recount": run.recount}, gap_ms=run.gap_ms, asked=asked)
    if taken == "recount" or run.other_tokens_per_second > 0:  # TPOT divides by the server's count
        run.remove("tpot")
    if taken != "recount":
        client(record, run)
    server = record.part("server_info")
    copies = 1 if server.get("enable_dp_attention") else server.count("dp_size", 1)
    run.accelerator_count = server.count("tp_size") * server.count("pp_size", 1) * copies


def offline(record: Record, run: Run) -> None:
    """Mark the run as Offline: the engine gets all requests at once."""
    run.update(scenario="Offline", request_rate=math.inf)


def throughput(record: Record, run: Run) -> None:
    """Reject a JSON of `vllm bench throughput` without output tokens, which older versions write."""
    offline(record, run)
    if not (run.tokens_per_second > 0 or run.output_tokens > 0):
        raise record.fault("counts input and output tokens together; expected the printed line 'Throughput: ...'")


def inferencex(record: Record, run: Run) -> None:
    """Count the accelerators for answers and for prompts, and set the total rate from the rate per accelerator."""
    run.fill(reading=0.0, writing=0.0)
    reading, writing, output = run.reading, run.writing, run.output_per_gpu
    if str(record.get("disagg")).lower() == "false" and reading == writing:
        reading = 0.0  # the same accelerators do both
    world = record.count("tp") * record.count("pp", 1) * record.count("pcp_size", 1)
    count = reading + writing or record.count("num_gpus", world)
    if math.isnan(count):
        raise record.fault("tp is missing; expected the number of accelerators that share the model")
    writing = writing or count
    summed = (output * writing + run.input_per_gpu * (count - writing or count)) / count
    if abs(run.total_per_gpu - summed) > SAME * run.total_per_gpu:
        run.other_tokens_per_second = output * writing * run.total_per_gpu / summed
        run.say(f"tput_per_gpu is {run.total_per_gpu:g}, but input and output sum to {summed:g} over {count:g} GPUs")
    for statistic in ("median", "p99") if not run.traffic.startswith("agent") else ():
        product = record.number(f"{statistic}_tpot") * record.number(f"{statistic}_intvty")
        if abs(product - 1) > APART:
            raise record.fault(f"{statistic}_tpot times {statistic}_intvty is {product:g}; expected 1 (s x tokens/s)")
    machines = {record.text(key) for key in ("prefill_hw", "decode_hw")} - {""} or {run.accelerator}
    name = _only(record, machines).rpartition(":")[2].partition("-")[0].replace("rtx6000pro", "RTX PRO 6000")
    run.update(accelerator=name, accelerator_count=count, request_rate=math.inf, tokens_per_second=output * writing)


def _only(record: Record, accelerators: set[str]) -> str:
    if len(accelerators) > 1:
        raise record.fault(f"runs on {sorted(accelerators)}; expected one accelerator type")
    return "".join(accelerators)


def aiperf(record: Record, run: Run) -> None:
    """Set the load of the measured phase, wherever the version keeps it, failures, and the accelerators."""
    if record.get("was_cancelled"):
        raise record.fault("was_cancelled is true: its averages are from an unfinished run")
    config = record.part("input_config")
    phases = (each for each in config.parts("phases") if each.get("name") != "warmup")
    if phase := next((each for each in phases if not each.get("exclude_from_results")), None):
        run.update(request_rate=phase.rate("rate|request_rate"), concurrency_limit=phase.number("concurrency"))
    if isinstance(record.get("error_summary"), list):
        run.fill(failures=sum(each.number("count") for each in record.parts("error_summary")))
    lengths = run.output_length * run.requests
    client = lengths if math.isnan(run.output_tokens) else run.output_tokens
    counts(run, {"client": client, "server": run.server_tokens}, gap_ms=run.gap_ms)
    if run.alarms > 0:
        run.say(f"AIPerf warning: client and server token counts differ in {run.alarms:,.0f} requests")
    if config.get("endpoint.streaming|streaming") is False:
        run.unstreamed("streaming is false in its configuration")
    servers = record.parts("telemetry_data.endpoints")
    names = {gpu.text("gpu_name") for server in servers for gpu in server.parts("gpus")}
    run.accelerator = " + ".join(sorted(names))


def aggregate(record: Record, run: Run) -> None:
    """Add a remark with the number of runs behind the means."""
    run.say(f"means of {record.number('metadata.num_successful_runs'):g} runs")


def guidellm(record: Record, run: Run) -> None:
    """Take the load from the strategy; where it has a rate, its concurrency limit is not the load."""
    run.fill(duration_s=run.end_s - run.start_s)
    strategy = record.part("config.strategy|args.strategy|strategy")
    kind = strategy.text("type_|type|kind")
    run.concurrency_limit = 1.0 if kind == "synchronous" else strategy.number("streams|max_concurrency")
    if kind == "throughput":
        run.request_rate, run.load = math.inf, "all at once"
    elif kind not in ("", "concurrent", "synchronous"):
        run.request_rate = strategy.number("rate")
        run.load = kind if math.isnan(run.request_rate) else ""
    counts(run, {"requests": run.output_length * run.requests, "steps": run.steps})
    requests = record.parts("requests.successful")
    keys = "time_to_first_token_ms", "inter_token_latency_ms", "output_tokens"
    first, gaps, tokens = (pd.Series([each.number(key) or NAN for each in requests], dtype=float) for key in keys)
    whole = len(requests) == run.requests and first.gt(0).all()
    _weighted_by_tokens(run, not whole)
    if whole:
        counts(run, {"metrics": run.output_length * run.requests, "requests": tokens.sum()})
        _take(run, "ttft", first)
        _take(run, "tpot", gaps)


def _weighted_by_tokens(run: Run, weighted: bool) -> None:
    """Add a remark if TPOT percentiles are over tokens, where a slow request with few tokens has little weight."""
    run.of_tokens = weighted and run.tpot_p99_ms > 0
    if run.of_tokens:
        run.say("TPOT percentiles are over tokens, not over requests as in MLPerf: no limit counts as met")


def inference_perf(record: Record, run: Run) -> None:
    """Drop a TPOT per streamed chunk, reconcile the two counts, and add a remark on summaries over stages."""
    gap_ms = run.tpot_mean_ms  # between tokens as the server counts them
    if near(gap_ms, run.gap_mean_ms, 1e-6) and run.gap_p50_ms < APART * run.gap_mean_ms:  # versions of 2025
        run.remove("tpot")
        run.say(f"TPOT is per streamed chunk, and half of the chunks follow within {run.gap_p50_ms:.2g} ms: left out")
    counts(run, {"server": run.server_tokens, "recount": run.output_length * run.requests}, gap_ms=gap_ms)
    if run.shortest_answer == 0:
        run.say("some answers have no tokens; the file does not say how many")
    if math.isnan(run.request_rate) and math.isnan(run.concurrency_limit):
        run.say("a summary over stages whose loads may differ; each stage_*_lifecycle_metrics.json has one stage")


def llm_d(record: Record, run: Run) -> None:
    """Sum the accelerators of the engines, and take the completed requests from those that were sent."""
    run.requests = run.sent - np.nansum([run.failures, run.incomplete])
    engines = [each.part("standardized") for each in record.parts("scenario.stack")]
    parts = [(each.part("accelerator"), each.count("replicas", 1)) for each in engines if each.get("accelerator")]
    parts = parts or [(each, 1) for each in record.parts("scenario.host.accelerator")]
    run.accelerator = _only(record, {part.text("model") for part, _ in parts} - {"", "unknown", "auto"})
    run.accelerator_count = sum(part.count("count") * copies for part, copies in parts) or NAN
    run.model = next(filter(None, (each.text("model") for each in engines)), run.model)
    _weighted_by_tokens(run, record.text("scenario.load.standardized.tool") == "guidellm")


def llmperf(record: Record, run: Run) -> None:
    """Take TPOT from the means: LLMPerf's inter-token latency divides the whole request by its tokens."""
    each = (run.latency_mean_ms - run.ttft_mean_ms) / max(run.output_length - 1, 1)
    run.tpot_mean_ms = each if each > 0 else NAN
    run.say("LLMPerf's inter-token latency includes the first token: only the mean TPOT is known")


def trtllm(record: Record, run: Run) -> None:
    """Take the accelerators of the world; in a report without streaming metrics nothing was streamed."""
    sizes = record.count("world_info.tp_size|tp size") * record.count("world_info.pp_size|pp size", 1)
    run.accelerator_count = record.count("world_info.world_size", sizes)
    if record.get("world_info") and not record.get("streaming_metrics"):
        run.unstreamed("the report has no streaming_metrics")


def evalscope(record: Record, run: Run) -> None:
    """Take total, completed, and failed requests from the one row that newer versions print."""
    if found := re.fullmatch(r"(\d+) / (\d+) / (\d+)", record.text("total / success / failed")):
        run.sent, run.requests, run.failures = map(float, found.groups())


def llama_bench(record: Record, run: Run) -> None:
    """Take the decoding of one sequence; the test of a prompt and its answer in one has no rate of output."""
    if run.prompt_tokens > 0 or not run.output_length > 0:
        raise record.fault("includes prompt processing (n_prompt); expected a decode-only test, such as -p 0 -n 128")
    run.update(concurrency_limit=1.0, concurrency=1.0, requests=1.0)
    run.tpot_mean_ms = 1e3 * run.duration_s / run.output_length
    steps = run.output_length * run.duration_s * 1e9 / (record.series("samples_ns").mean() or NAN)
    counts(run, {"average": run.output_length, "samples_ns": steps})


def endpoints(record: Record, run: Run) -> None:
    """Reject an unfinished run; take the load."""
    complete, state = record.get("complete"), record.text("state")
    if complete is False or state not in ("", "complete"):
        raise record.fault(f"complete is {complete}, state {state!r}; expected a completed run")
    if record.text("run_config.load_pattern.type") == "max_throughput":
        offline(record, run)


def loadgen(record: Record, run: Run) -> None:
    """Reject what LoadGen does not call valid; a sample is a request, and a Server run states the rate it sends."""
    if (mode := record.text("effective_test_mode|mode")) not in ("", "PerformanceOnly"):
        raise record.fault(f"is the log of a run in mode {mode}; expected PerformanceOnly")
    if (validity := record.text("result_validity|result is")) != "VALID":
        state = validity or "not logged (the run did not finish, or the log is truncated)"
        raise record.fault(f"result_validity is {state}; expected VALID")
    if not run.tokens_per_second > 0:
        raise record.fault("logs no tokens per second; expected a language model run")
    run.fill(samples_per_query=1.0)
    if run.scenario == "Server":
        run.request_rate = run.queries_per_second * run.samples_per_query
    elif run.scenario == "Offline":  # one query, which LoadGen fills up with samples that no key counts
        run.update(request_rate=math.inf, duration_s=run.longest_s)
    run.requests = run.requests * run.samples_per_query if math.isnan(run.duration_s) else NAN


READERS = (
    sglang, offline, client, throughput, inferencex, aiperf, aggregate, guidellm, inference_perf, llm_d, llmperf,
    trtllm, evalscope, llama_bench, endpoints, loadgen,
)  # fmt: skip
SPECIAL = {reader.__name__: reader for reader in READERS}
