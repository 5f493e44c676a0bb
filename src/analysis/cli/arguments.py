"""The arguments of commands that take many, and their kinds."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis._core.vocabulary import COST_MODELS

KERNELS_HELP = "warm: forked with their libraries loaded (default); ordinary: each started anew. The same reports."

FILES_HELP = (
    "what a serving benchmark wrote: vllm bench serve, SGLang bench_serving, genai-perf, AIPerf, GuideLLM, InferenceX "
    "or a LoadGen log"
)


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Ways to execute notebooks: jobs, time limit in seconds, kernels."""
    parser.add_argument("--jobs", type=positive, default=3, metavar="N", help="notebooks at a time (default 3)")
    parser.add_argument("--timeout", type=positive, default=300, metavar="S", help="seconds a cell may take (300)")
    parser.add_argument("--kernels", choices=("warm", "ordinary"), default="warm", help=KERNELS_HELP)


def execution(arguments: argparse.Namespace) -> dict[str, Any]:
    """Those ways as a keyword argument."""
    from analysis._build.kernels.pool import Workers

    return {"workers": Workers(arguments.jobs, arguments.timeout, arguments.kernels)}


PLAN_EXAMPLES = """examples:
  analysis plan --benchmark gpt-oss-120b --users 1000 --tokens-per-user 25 --accelerator B200
  analysis plan --benchmark gpt-oss-120b --users 500 --tokens-per-user 20 --price 2.5-3 --spare-nodes 1
"""
CHOOSE_EXAMPLES = """examples:
  analysis choose --benchmark gpt-oss-120b --users 1000 --tokens-per-user 25
  analysis choose --model "Qwen3 32B" --parameters 32 --users 1000 --tokens-per-user 20 --kilowatts 40
"""


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of a capacity plan."""
    add = _with_examples(parser, PLAN_EXAMPLES)
    add("--benchmark", required=True, help="as in data/benchmarks.csv, such as gpt-oss-120b")
    add("--users", required=True, type=int, help="concurrent users")
    _add_speed(add)
    add(
        "--accelerator",
        dest="baseline",
        default="B200 SXM",
        metavar="NAME",
        help="such as B300 or MI355X, as in data/accelerators.csv (default B200 SXM)",
    )
    add("--price", metavar="USD", help="per accelerator-hour: 4.76, 2-4.76, or a quote")
    _add_cost_model(add)
    derate = (
        "share of MLPerf Inference throughput retained in production: 60-80 (%%), 0.6-0.8, measured (all), or your "
        "run's FILE"
    )
    add("--derate", default="60-80", metavar="D", help=f"{derate} (60-80)")
    add("--count", type=int, default=0, help="accelerators of that run, where FILE does not say")
    add("--above-one", action="store_true", help="allow a derate above 100 %%")
    _add_demand(add)
    add("--wait-percentile", type=float, metavar="P", help="share of requests within the TTFT limit (0.99)")
    add("--prefill-share", type=float, metavar="S", help="share of dense compute that prefill reaches (0.5)")
    add(
        "--context",
        dest="context_tokens",
        metavar="T",
        help="tokens in the KV cache of a request (of prompt and answer)",
    )
    add("--wall-over-limit", metavar="R", help="node power over summed power limits (as measured systems)")
    _add_draws(add)


def add_choose(parser: argparse.ArgumentParser) -> None:
    """Add the options of a choice of accelerators."""
    add = _with_examples(parser, CHOOSE_EXAMPLES)
    add("--users", required=True, type=int, help="concurrent users")
    _add_speed(add)
    add("--benchmark", help="as in data/benchmarks.csv (default: closest to the model, gpt-oss-120b without one)")
    add("--model", help="name of your model; the name of a benchmark selects it")
    add("--parameters", dest="parameters_billion", type=float, metavar="B", help="of the model, in billions")
    add("--active-parameters", dest="active_parameters_billion", type=float, metavar="B", help="per token (all)")
    add("--usd-per-hour", dest="usd_per_hour_at_most", type=float, metavar="USD", help="budget (none)")
    add("--kilowatts", dest="kilowatts_at_most", type=float, metavar="KW", help="budget of facility power (none)")
    add("--price", action="append", metavar="NAME=USD", help="per accelerator-hour; may be repeated")
    _add_cost_model(add)
    add("--rank-by", choices=["cost", "power", "accelerators"], help="what the ranking is by (cost)")
    about = "origin of the throughput, one alone: mlperf, or runs that `analysis data --inferencex` fetched (mlperf)"
    add("--evidence", choices=["mlperf", "inferencex"], default="mlperf", help=about)
    add("--accelerators", nargs="+", metavar="NAME", help="accelerators ranked, or vendors such as AMD (all available)")
    add("--baseline", help="baseline of break-even prices (B200 SXM)")
    add(
        "--derate",
        metavar="D",
        help="share of MLPerf Inference throughput retained: 60-80 (%%), 0.6-0.8, or measured (60-80)",
    )
    _add_demand(add)
    _add_draws(add)


def _with_examples(parser: argparse.ArgumentParser, examples: str) -> Callable[..., Any]:
    parser.epilog, parser.formatter_class = examples, argparse.RawDescriptionHelpFormatter
    return parser.add_argument


def _add_cost_model(add: Callable[..., Any]) -> None:
    add("--cost-model", choices=list(COST_MODELS), help="prices of data/prices.csv where none is given (neocloud)")


def _add_demand(add: Callable[..., Any]) -> None:
    """Add the options of traffic, latency limits, requests, and memory that plans and choices share."""
    add("--spare-nodes", type=int, metavar="N", help="nodes beyond those needed; N+1 is 1 (0)")
    whole = {"action": "store_true", "default": None}
    add("--whole-nodes", **whole, help="rent whole nodes (single accelerators and parts of nodes too)")
    add("--peak", dest="peak_over_mean", metavar="R", help="peak over mean traffic (1-1.5)")
    add("--scenario", help="MLPerf Inference scenario whose TTFT limit holds (Server)")
    add("--ttft-ms", type=float, help="limit on TTFT (that of the scenario)")
    add("--tpot-ms", type=float, help="limit on TPOT (200)")
    add("--prompt-tokens", type=float, metavar="T", help="mean tokens of a prompt (those of the benchmark)")
    add("--tokens-per-request", type=float, metavar="T", help="mean output tokens (those of the benchmark)")
    columns = "CSV of your requests: prompt_tokens, answer_tokens"
    add("--lengths", type=lambda file: str(Path(file).resolve()), metavar="FILE", help=columns)
    add("--precision", dest="weight_precision", help="of the weights in memory (fp8)")
    add("--cache-precision", help="of the KV cache (fp16)")


def _add_speed(add: Callable[..., Any]) -> None:
    add("--interactivity", choices=["median", "p99"], help="of the runs that throughput is read from (median)")
    about = "interactivity: tokens/s each user sees"
    add("--tokens-per-user", dest="tokens_per_second_per_user", required=True, type=float, metavar="T", help=about)


def _add_draws(add: Callable[..., Any]) -> None:
    add("--rounds", nargs="+", metavar="ROUND", help="MLPerf Inference rounds planned with (v4.1 v5.1 v6.0)")
    add("--draws", type=int, help="Monte Carlo draws (10000)")
    add("--seed", type=int, help="of the draws (0)")
    add("--format", default="text", choices=["text", "json"], help="output (text)")


def add_measure(parser: argparse.ArgumentParser) -> None:
    """What is known of a measurement where its files do not say it."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES_HELP)
    parser.add_argument("--accelerator", help="that the runs ran on, where the files do not say")
    parser.add_argument(
        "--count", dest="accelerator_count", type=int, help="of accelerators, where the files do not say"
    )
    parser.add_argument("--benchmark", help="to compare with, where the model's name does not tell")
    parser.add_argument("--precision", help="of the weights, where the files do not say")
    parser.add_argument("--price", metavar="USD", help="per accelerator-hour: 4.76, 2-4.76 or a quote")
    _add_cost_model(parser.add_argument)
    parser.add_argument("--scenario", help="to compare with (default Server)")
    parser.add_argument(
        "--rounds", nargs="+", metavar="ROUND", help="MLPerf Inference rounds to compare with (default v4.1)"
    )
    parser.add_argument("--ttft-ms", type=float, help="limit on the time to a first token (default: the scenario's)")
    parser.add_argument("--tpot-ms", type=float, help="limit on the time per output token (default: the scenario's)")


def positive(text: str) -> int:
    """A whole number from 1. Raises ArgumentTypeError."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number


def port(text: str) -> int:
    """The number of a port, 0 for any. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number up to 65535, 0 for any")
    return int(text)


def round_name(text: str) -> str:
    """A round such as v5.1. Raises ArgumentTypeError."""
    if not re.fullmatch(r"v\d+\.\d+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a round such as v5.1")
    return text
