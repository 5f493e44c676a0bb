"""`analysis choose --evidence inferencex`: accelerators ranked from InferenceX runs alone, as text or JSON."""

from __future__ import annotations

import argparse
import json

import pandas as pd

from analysis._core import interval
from analysis._core.choices import folded, not_among
from analysis._core.number_words import count, usd
from analysis._core.paths import inferencex_files
from analysis._core.plain_values import as_json
from analysis._core.refusal import Called
from analysis._core.vocabulary import COST_MODELS
from analysis._display import tables
from analysis._tables.catalog import Catalog
from analysis.cli import option_values
from analysis.methods import cost, public_runs
from analysis.methods.public_runs import LENGTHS

# Options that change this answer; any other that is given is refused.
APPLY = {"users", "tokens_per_second_per_user", "model", "price", "cost_model", "accelerators", "interactivity",
         "prompt_tokens", "tokens_per_request", "ttft_ms", "format", "evidence", "command",
         "name_of_command"}  # fmt: skip
COLUMNS = {
    "accelerator": "Accelerator",
    "rate": "tokens/s per accelerator",
    "count": "Accelerators",
    "usd_per_hour": "$/hour",
    "usd_per_million_tokens": "$/million tokens",
    "precision": "Precision",
    "software": "Software",
    "accelerator_count": "Accelerators per replica",
    "date": "Run",
}
UNRANKED = {"accelerator": "Accelerator", "fastest": "Highest tokens/s per user measured"}


def run(arguments: argparse.Namespace, option: Called) -> list[str]:
    """Return the lines of the ranking: the answer, tables, assumptions; or one line of JSON.

    `option` names the option of a parameter. Raises Nothing without runs, ValueError for options that are wrong or do
    not apply.
    """
    catalog, target = Catalog(), arguments.tokens_per_second_per_user
    if wrong := sorted(name for name, value in vars(arguments).items() if value is not None and name not in APPLY):
        raise ValueError(f"{option(wrong[0])} does not apply to --evidence inferencex")
    if not (arguments.users > 0 and target > 0):
        raise ValueError("--users and --tokens-per-user must be above 0")
    runs, model, lengths = _runs(arguments, catalog)
    cost_model = arguments.cost_model or "neocloud"
    quotes = option_values.quotes("--price", arguments.price)
    prices = cost.priced(catalog.prices, quotes, "", catalog.accelerators, cost_model)
    names = option_values.accelerators("--accelerators", arguments.accelerators or ())
    statistic = "p99" if arguments.interactivity == "p99" else "p50"
    runs = public_runs.speeds(runs, statistic)
    if arguments.ttft_ms:
        runs = runs[runs["ttft_p99_ms"].le(arguments.ttft_ms)]
    ranked, left = public_runs.ranked(runs, prices, target, arguments.users, names)
    if ranked.empty:
        fastest = f"; highest measured: {left['fastest'].max():.3g}" if len(left) else ""
        raise option_values.Nothing(f"InferenceX: no run of {model} at {target:g} tokens/s per user{fastest}")
    if arguments.format == "json":
        data = {"origin": "inferencex", "model": model, "lengths": list(lengths), "ranked": as_json(ranked)}
        return [json.dumps(data | {"not_ranked": as_json(left)}, indent=2, ensure_ascii=False, allow_nan=False)]
    first = ranked.iloc[0]
    price = interval.span(first, "usd_per_million_tokens")
    amount = f", {usd(price)} per million tokens" if price.known else ""
    answer = (
        f"InferenceX runs (not MLPerf): {count(arguments.users, 'concurrent user')} of {model} at {target:g} tokens/s, "
        f"{first['count']} {first['accelerator']}{amount}."
    )
    shown = [tables.table(ranked, "InferenceX runs, least dollars per million tokens first", COLUMNS)]
    shown += [tables.table(left, "Not measured at this interactivity", UNRANKED)] * bool(len(left))
    return [
        answer, "", *(line for table in shown for line in option_values.lines(table)), "Assumptions",
        f"prompts of {lengths[0]:,} and answers of {lengths[1]:,} tokens; interactivity: {statistic} of TPOT",
        "log-linear between measured concurrencies of one configuration, nothing beyond them",
        "measured throughput in whole replicas: no derating, no peak traffic, no spare nodes",
        f"prices: {COST_MODELS[cost_model]}{', or as given' if quotes else ''}",
    ]  # fmt: skip


def _runs(arguments: argparse.Namespace, catalog: Catalog) -> tuple[pd.DataFrame, str, tuple[int, int]]:
    """The runs of one model at one pair of lengths, that asked for, else the one with most runs."""
    files = inferencex_files(catalog.folder)
    if not files:
        raise option_values.Nothing("no InferenceX runs are here. Next: analysis data --inferencex (needs a network)")
    runs = pd.concat([pd.read_parquet(path) for path in files], ignore_index=True)
    known = {folded(name): name for name in runs["model"].unique()}
    asked = arguments.model or (next(iter(known.values())) if len(known) == 1 else "")
    if folded(asked) not in known:
        raise ValueError(f"--model: no InferenceX runs of {not_among(asked, known.values())}")
    model = known[folded(asked)]
    runs = runs[runs["model"].eq(model)]
    pairs = runs.value_counts(LENGTHS).index.tolist()
    given = arguments.prompt_tokens, arguments.tokens_per_request
    fit = [pair for pair in pairs if all(value in (None, length) for value, length in zip(given, pair, strict=True))]
    if not fit:
        valid = ", ".join(f"{prompt} and {answer}" for prompt, answer in sorted(pairs))
        raise ValueError(f"--prompt-tokens and --tokens-per-request: InferenceX measured {model} at {valid}")
    return runs[runs[LENGTHS].eq(list(fit[0])).all(axis=1)], model, fit[0]
