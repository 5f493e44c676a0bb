"""The commands `plan` and `choose`: what a number of users needs on one accelerator, and which accelerator to take."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from analysis.planner.capacity import Demand

Benchmark = Annotated[str, typer.Option(help="Benchmark of the language model, such as gpt-oss-120b.")]
Model = Annotated[str, typer.Option(help="Model name; with --parameters, a model without a benchmark.")]
Parameters = Annotated[float, typer.Option(help="Billions of parameters, for a model without a benchmark.")]
Active = Annotated[float, typer.Option(help="Billions of parameters active per token (mixture of experts).")]
Users = Annotated[float, typer.Option(help="Mean number of requests in service (not the peak).")]
Speed = Annotated[float, typer.Option("--tokens-per-user", help="Tokens/s that each user sees at p99 (interactivity).")]
Prompt = Annotated[float, typer.Option(help="Mean prompt tokens (0: the benchmark's).")]
Answer = Annotated[
    float, typer.Option("--answer-tokens", "--tokens-per-request", help="Mean answer tokens (0: the benchmark's).")
]
Lengths = Annotated[str, typer.Option(help="CSV file with prompt_tokens and answer_tokens, one row per request.")]
Context = Annotated[float, typer.Option(help="Maximum tokens of prompt plus answer (0: the model's).")]
Reuse = Annotated[float, typer.Option(help="Share of prompt tokens in a perfect prefix cache, 0 to 1 (upper bound).")]
Ttft = Annotated[float, typer.Option("--ttft-ms", help="p99 TTFT limit in ms (0: the scenario's).")]
Share = Annotated[float, typer.Option(help="Mean share of throughput delivered (0: from the derating report).")]
Fleet = Annotated[str, typer.Option(help="How capacity follows traffic: fixed, hourly, foreseen, or pooled.")]
Stack = Annotated[str, typer.Option(help="Serving stack: 'vLLM', 'as submitted', or 'vLLM, unstated moved'.")]
Costs = Annotated[
    str, typer.Option(help="neocloud, hyperscaler, rental, on_demand, capacity_block, one_year, or three_years.")
]
Price = Annotated[list[str] | None, typer.Option(help="Your own price, such as B200=2.50, or a CSV file.")]
Precision = Annotated[str, typer.Option(help="Precision of the weights (default: that of the submitted run).")]
Rounds = Annotated[list[str] | None, typer.Option("--round", help="Rounds to take results from; all by default.")]
Seed = Annotated[int, typer.Option(help="Seed of the random draws.")]
Format = Annotated[str, typer.Option("--format", help="text or json.")]

NAMES = {"accelerators": "accelerators", "units": "{}s", "usd_per_hour": "$/hour",
         "usd_per_million_tokens": "$/million tokens", "kilowatts": "kW, all-in"}  # fmt: skip
RANKED = {"accelerator": "", "evidence": "evidence", "throughput": "tokens/s", "usd_per_accelerator_hour": "$/h each",
          "accelerators_p50": "count", "usd_per_hour_p50": "$/hour", "usd_per_hour_p10": "P10",
          "usd_per_hour_p90": "P90", "usd_per_million_tokens_p50": "$/M", "kilowatts_p50": "kW",
          "within": "in budget"}  # fmt: skip


def plan(
    accelerator: Annotated[str, typer.Option(help="Accelerator, such as B200.")],
    benchmark: Benchmark = "", model: Model = "", parameters: Parameters = 0.0, active_parameters: Active = 0.0,
    users: Users = 10_000, tokens_per_user: Speed = 25.0, prompt_tokens: Prompt = 0.0, answer_tokens: Answer = 0.0,
    lengths: Lengths = "", context_tokens: Context = 0.0, prompt_reuse: Reuse = 0.0, ttft_ms: Ttft = 0.0,
    delivered_share: Share = 0.0, fleet: Fleet = "fixed", stack: Stack = "vLLM", cost_model: Costs = "neocloud",
    price: Price = None, precision: Precision = "", round: Rounds = None, seed: Seed = 0, format: Format = "text",
) -> int:  # fmt: skip
    """Size a deployment on one accelerator: accelerators, nodes or racks, dollars, and kilowatts (P10, P50, P90)."""
    import pandas as pd

    from analysis import cost
    from analysis.planner import capacity, choice

    asked, as_json = _demand({**locals(), "accelerators": [accelerator]}), _is_json(format)
    row = capacity.plan(asked, accelerator)
    error, off = choice.error_behind(asked, row), choice.blind_errors(asked, row.to_frame().T)
    if as_json:
        return _print_json(asked, plan=row, prices=_basis(asked), errors=error, blind_check=off)
    low, middle, high = row[["throughput_low", "throughput", "throughput_high"]].map(_number)
    named = ", ".join(f"{name} {value:.2f}" for name, value in row[cost.FACTORS].dropna().items())
    since = f"gain since {row['round'] or 'no run'}: x{row['gain']:.3f}"
    usd, cache = row["usd_per_accelerator_hour"], row["cache_gb"]
    each = f"${usd:.2f} per accelerator-hour" if usd > 0 else f"none for {row['accelerator']}"
    wide = {f"P{mark}": [_number(row[f"{name}_p{mark}"]) for name in NAMES] for mark in capacity.MARKS}
    typer.echo(f"""{_serving(asked)} on {row["accelerator"]}
{middle} tokens/s per accelerator ({row["evidence"]}, P10 to P90 {low} to {high}; {since})
Delivered on average: {row["delivered"]:.0%} ({named or "as given"}; {fleet} fleet)
Weights: {row["precision"].upper()}, {_number(row["weights_gb"])} GB
KV cache in FP8: {_number(cache)} GB per user, {_number(cache * users)} GB for all; twice that in 16 bits
Prices: {_basis(asked)}; {each}

{pd.DataFrame(wide, [label.format(row["unit_name"]) for label in NAMES.values()])}
P10 to P90: errors of throughput and delivered share, in whole {row["unit_name"]}s

Used on average: {row["used"]:.1%} of rented capacity ({row["decided_by"]} decides); fully used: \
${_number(row["usd_per_million_at_full_use"])}/million tokens
{_blind(off)}{_error(error)}""")
    return 0


def choose(
    benchmark: Benchmark = "", model: Model = "", parameters: Parameters = 0.0, active_parameters: Active = 0.0,
    users: Users = 10_000, tokens_per_user: Speed = 25.0, prompt_tokens: Prompt = 0.0, answer_tokens: Answer = 0.0,
    lengths: Lengths = "", context_tokens: Context = 0.0, prompt_reuse: Reuse = 0.0, ttft_ms: Ttft = 0.0,
    delivered_share: Share = 0.0, fleet: Fleet = "fixed", stack: Stack = "vLLM",
    accelerators: Annotated[
        list[str] | None, typer.Option("--accelerator", help="Accelerators or vendors; all by default.")
    ] = None,
    cost_model: Costs = "neocloud", price: Price = None, precision: Precision = "", round: Rounds = None,
    by: Annotated[str, typer.Option(help="Rank by cost, power, or accelerators.")] = "cost",
    usd_per_hour: Annotated[float, typer.Option(help="Budget in dollars per hour; 0: none.")] = 0.0,
    kilowatts: Annotated[float, typer.Option(help="Budget in kilowatts; 0: none.")] = 0.0,
    seed: Seed = 0, format: Format = "text",
) -> int:  # fmt: skip
    """Rank accelerators for a model and a number of users, results before estimates, and show what would change it."""
    from analysis.planner import choice

    asked, as_json = _demand({**locals(), "accelerators": accelerators or []}), _is_json(format)
    found = choice.ranking(asked, by=by, usd_per_hour=usd_per_hour, kilowatts=kilowatts)
    leaders = choice.leaders(found, by)
    first = leaders.iloc[0]
    changes, error = choice.sensitivity(asked, found, by), choice.error_behind(asked, first)
    off = choice.blind_errors(asked, found)
    if as_json:
        return _print_json(
            asked, ranked=found, changes=changes, prices=_basis(asked), blind_check=off, errors=error
        )  # fmt: skip
    quantity, ranked = f"{choice.RANK_BY[by]}_p50", found[found["rank"].notna()]
    lower = ranked[ranked["evidence"].eq("estimated") & ranked[quantity].lt(first[quantity])].head(5)
    alike = found[found["alike"]].sort_values("chance", ascending=False)
    unplanned = [f"{row.accelerator} not planned: {row.reason}\n" for row in found[found["rank"].isna()].itertuples()]
    names = {"change": "What would change it", "accelerator": "first", "runner_up": "next", "margin": "costs more"}
    told = changes[[*names, "evidence"]].rename(columns=names).replace("", "-")
    typer.echo(f"""{_serving(asked)}: {_each(leaders, quantity, _number, ", then ")} {NAMES[choice.RANK_BY[by]]}, \
{first["evidence"]}
Estimates below that: {_each(lower, quantity, _number)}
{_blind(off)}Lowest cost per token before whole units, by share of draws: {_each(alike, "chance", "{:.0%}".format)}; \
{first["accelerator"]}, first in whole units, {first["chance"]:.0%}
{_error(error)}
Prices: {_basis(asked)}

{_text(ranked[[*RANKED]].rename(columns=RANKED), _number)}
{"".join(unplanned)}
{_text(told, "{:.0%}".format)}""")
    return 0


def _demand(given: dict[str, Any]) -> Demand:
    from analysis.planner.capacity import Demand

    for several in [name for name in given["accelerators"] if "," in name]:
        names = " ".join(f"--accelerator {name.strip()}" for name in several.split(","))
        raise ValueError(f"--accelerator {several!r}: expected one name; `choose` takes several: {names}")
    given |= {"rounds": given["round"] or [], "prices": _prices(given["price"] or [])}
    return Demand(**{field.name: given[field.name] for field in fields(Demand)})


def _prices(quotes: list[str]) -> dict[str, float] | str | None:
    """Return prices by accelerator, or the one CSV file of them. Raises ValueError for an invalid NAME=DOLLARS."""
    if len(quotes) == 1 and quotes[0].endswith(".csv"):
        return quotes[0]
    prices = {}
    for quote in quotes:
        name, _, dollars = quote.partition("=")
        if name.strip() in prices:
            raise ValueError(f"--price {quote[:60]!r}: {name.strip()} already has a price")
        try:
            prices[name.strip()] = float(dollars)
        except ValueError:
            raise ValueError(
                f"--price {quote[:60]!r}: expected a CSV file or NAME=DOLLARS, such as B200=2.50"
            ) from None
    return prices or None


def _basis(asked: Demand) -> str:
    """Return the source and date of a plan's prices; for a user's own file, its name."""
    from analysis import cost

    words = cost.basis(cost.prices(asked.cost_model, own=asked.prices), asked.cost_model)
    return words.replace("own for", f"{asked.prices} for", 1) if isinstance(asked.prices, str) else words


def _serving(asked: Demand) -> str:
    model = asked.workload.model
    near = "" if asked.workload.is_benchmark else " (estimated from benchmarks)"
    return f"Users: {asked.users:,.0f} (mean) of {model.name}{near} at {asked.tokens_per_user:g} tokens/s"


def _error(error: pd.Series) -> str:
    from analysis import names

    scope = f"{error['question']}, {names.label(error['benchmark']) or 'all models'}, {error['scenario']}"
    return (
        f"Prediction error ({scope}): {error['median']:.1%} median, {error['p90']:.0%} P90 (n = {error['results']:.0f})"
    )


def _blind(errors: pd.DataFrame) -> str:
    """Return a line about estimates that InferenceX contradicts, "" for none."""
    ends = [
        f"{row.accelerator} {row.low:+.0%}" + f" to {row.high:+.0%}" * (row.low < row.high)
        for row in errors.itertuples()
    ]
    words = "Estimates checked against InferenceX (planned over measured, median of a model): "
    return f"{words}{', '.join(ends)}\n" if ends else ""


def _each(rows: pd.DataFrame, column: str, number: Callable[[float], str], separator: str = ", ") -> str:
    """Return the accelerators with their numbers in a column, "none" without any."""
    pairs = zip(rows["accelerator"], rows[column].map(number), strict=True)
    return separator.join(map(" ".join, pairs)) or "none"


def _text(frame: pd.DataFrame, number: Callable[[float], str]) -> str:
    return frame.to_string(index=False, float_format=number, na_rep="-")


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _is_json(format: str) -> bool:
    from analysis import names

    return names.choose(format, ("text", "json"), "format") == "json"


def _print_json(asked: Demand, **parts: Any) -> int:
    """Print frames as lists of rows, rows as objects, and unknown numbers as null."""
    import pandas as pd

    def plain(value: Any) -> Any:
        if isinstance(value, pd.DataFrame | pd.Series):
            known = value.astype(object).where(value.notna(), None)
            return known.to_dict("records") if value.ndim > 1 else known.to_dict()
        return value.item() if hasattr(value, "item") else str(value)

    data = {"asked": asdict(asked), **parts}
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=plain))
    return 0
