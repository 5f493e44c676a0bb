"""The arguments of commands that take many, and their kinds."""

import argparse
import re
from typing import Any

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
    """Those ways as keyword arguments."""
    return {"jobs": arguments.jobs, "timeout": arguments.timeout, "kernels": arguments.kernels}


def add_plan(parser: argparse.ArgumentParser) -> None:
    """What a capacity plan may be asked."""
    parser.add_argument("--benchmark", required=True, help="as in data/benchmarks.csv, for instance llama2-70b")
    parser.add_argument("--users", required=True, type=int, help="users served at the same time")
    parser.add_argument("--tokens-per-user", required=True, type=float, metavar="T", help="tokens/s each user sees")
    parser.add_argument("--accelerator", default="H200 SXM", help="as in data/accelerators.csv (default H200 SXM)")
    parser.add_argument("--scenario", default="Server", help="that or a tighter one is planned with (default Server)")
    derate = (
        "what production leaves of the throughput measured under the limit: 60-80 (%%) or 0.6-0.8, measured (all), "
        "a run's FILE (default 60-80)"
    )
    parser.add_argument("--derate", default="60-80", metavar="D", help=derate)
    parser.add_argument("--count", type=int, default=0, help="accelerators of that run, where FILE does not say")
    parser.add_argument("--above-one", action="store_true", help="allow a derate above 100 %%")
    parser.add_argument("--price", metavar="USD", help="per accelerator-hour: 4.76, 2-4.76 or a quote")
    parser.add_argument("--peak", default="1-1.5", metavar="R", help="peak over mean traffic (default 1-1.5)")
    parser.add_argument("--ttft-ms", type=float, help="longest time to a first token (default 2000)")
    parser.add_argument("--tpot-ms", type=float, help="longest time per output token (default 200)")
    parser.add_argument("--wait-percentile", type=float, metavar="P", help="requests that wait no longer (0.99)")
    parser.add_argument("--tokens-per-request", type=float, metavar="T", help="output tokens (the benchmark's)")
    parser.add_argument("--prompt-tokens", type=float, metavar="T", help="tokens of a prompt (the benchmark's longest)")
    parser.add_argument("--prefill-share", type=float, metavar="S", help="of the compute that reads it (default 0.5)")
    parser.add_argument("--precision", dest="weight_precision", help="of the weights in memory (default fp8)")
    parser.add_argument("--cache-precision", help="of the key-value cache (default fp16)")
    parser.add_argument("--context", metavar="T", help="tokens in the cache of a request (default 500-2000)")
    parser.add_argument("--spare-nodes", type=int, metavar="N", help="nodes kept beside those needed: N+1 is 1 (0)")
    parser.add_argument("--wall-over-limit", metavar="R", help="wall watts over power limits (metered systems')")
    parser.add_argument("--rounds", nargs="+", metavar="ROUND", help="MLPerf rounds planned with (v4.1 v5.1 v6.0)")
    parser.add_argument("--draws", type=int, help="seeded draws (default 20000)")
    parser.add_argument("--seed", type=int, help="of the draws (default 0)")
    parser.add_argument("--format", default="text", choices=["text", "json"], help="how to print (text)")


def add_choose(parser: argparse.ArgumentParser) -> None:
    """What a choice of accelerators may be asked."""
    parser.add_argument(
        "--benchmark",
        help="planned with, as in data/benchmarks.csv (default: nearest to the model, or llama2-70b without one)",
    )
    parser.add_argument("--model", help="its name; that of a benchmark is that benchmark")
    parser.add_argument("--parameters", dest="parameters_billion", type=float, metavar="B", help="in billions")
    parser.add_argument(
        "--active-parameters",
        dest="active_parameters_billion",
        type=float,
        metavar="B",
        help="at work on a token (all)",
    )
    parser.add_argument("--users", required=True, type=int, help="users served at the same time")
    parser.add_argument("--tokens-per-user", required=True, type=float, metavar="T", help="tokens/s each user sees")
    parser.add_argument("--usd-per-hour", dest="usd_per_hour_at_most", type=float, metavar="USD", help="budget (none)")
    parser.add_argument("--kilowatts", dest="kilowatts_at_most", type=float, metavar="KW", help="budget (none)")
    parser.add_argument("--price", action="append", metavar="NAME=USD", help="per accelerator-hour; may be repeated")
    parser.add_argument("--baseline", help="accelerator that the others are priced against (default H200 SXM)")
    parser.add_argument("--accelerators", nargs="+", metavar="NAME", help="ranked (default: all on sale)")
    parser.add_argument("--spare-nodes", type=int, metavar="N", help="nodes kept beside those needed: N+1 is 1 (0)")
    parser.add_argument("--scenario", help="that or a tighter one is planned with (default Server)")
    parser.add_argument("--derate", metavar="D", help="as in plan: 60-80 (%%) or 0.6-0.8, measured (all)")
    parser.add_argument("--peak", metavar="R", help="peak over mean traffic (default 1-1.5)")
    parser.add_argument("--ttft-ms", type=float, help="longest time to a first token (default 2000)")
    parser.add_argument("--tpot-ms", type=float, help="longest time per output token (default 200)")
    parser.add_argument("--prompt-tokens", type=float, metavar="T", help="tokens of a prompt (the benchmark's longest)")
    parser.add_argument("--tokens-per-request", type=float, metavar="T", help="output tokens (the benchmark's)")
    parser.add_argument("--precision", dest="weight_precision", help="of the weights in memory (default fp8)")
    parser.add_argument("--cache-precision", help="of the key-value cache (default fp16)")
    parser.add_argument("--rounds", nargs="+", metavar="ROUND", help="MLPerf rounds planned with (v4.1 v5.1 v6.0)")
    parser.add_argument("--draws", type=int, help="seeded draws (default 20000)")
    parser.add_argument("--seed", type=int, help="of the draws (default 0)")
    parser.add_argument("--format", default="text", choices=["text", "json"], help="how to print (text)")


def add_measure(parser: argparse.ArgumentParser) -> None:
    """What is said of a measurement where its files do not say it."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES_HELP)
    parser.add_argument("--accelerator", default="", help="that the runs ran on, where the files do not say")
    parser.add_argument("--count", type=int, default=0, help="how many accelerators, where the files do not say")
    parser.add_argument("--benchmark", help="to compare with, where the model's name does not tell")
    parser.add_argument("--precision", help="of the weights, where the files do not say")
    parser.add_argument("--price", metavar="USD", help="per accelerator-hour: 4.76, 2-4.76 or a quote")
    parser.add_argument("--scenario", help="to compare with (default Server)")
    parser.add_argument("--rounds", nargs="+", metavar="ROUND", help="MLPerf rounds to compare with (default v4.1)")
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
