"""`analysis choose`: available accelerators ranked for a model, users, and a budget, as text or JSON."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import pandas as pd

from analysis._core import interval, parameters
from analysis._core import notes as wording
from analysis._core.findings import Finding, exactly
from analysis._core.interval import Interval
from analysis._core.number_words import count, names, range_text, usd, x_times
from analysis._core.parameters import AcceleratorChoice
from analysis._core.plain_values import as_json
from analysis._core.vocabulary import COST_MODELS
from analysis._display import tables
from analysis._tables.catalog import Catalog
from analysis.audit import flags
from analysis.cli import option_values
from analysis.methods import provisioned_power
from analysis.planner import choice
from analysis.planner.choice import ACCELERATORS, BREAK_EVEN, DOLLARS, HEADROOM, KILOWATTS, PER_MILLION, Choice

OPTIONS = {
    "active_parameters_billion": "--active-parameters",
    "baseline": "--baseline",
    "kilowatts_at_most": "--kilowatts",
    "parameters_billion": "--parameters",
    "spare_nodes": "--spare-nodes",
    "usd_per_hour_at_most": "--usd-per-hour",
}
UNITS = {ACCELERATORS: "accelerators", DOLLARS: "US dollars an hour", KILOWATTS: "kilowatts of facility power"}
PROVISIONED = "provisioned_kilowatts"
COLUMNS = {
    "name": "Accelerator",
    "evidence": "Evidence",
    "rate_median": "{} per accelerator",
    "count": "Accelerators",
    "nodes": "Nodes",
    "usd_per_hour": "$/hour",
    PER_MILLION: "$/million tokens",
    BREAK_EVEN: "Break-even (x {})",
    "price_at_most": "Price in budget ($/h)",
    "kilowatts": "Facility kW",
    "power_from": "Power from",
    PROVISIONED: "Provisioned kW",
    HEADROOM: "Headroom",
    "decided_by": "Binding constraint",
    "within": "In budget",
    "round": "Round",
}
UNRANKED = {"name": "Accelerator", "why": "Reason", "roof": "Highest {} per user"}
CHANGES = {"change": "Change", "name": "First", "count_median": "Accelerators", "usd_per_hour_median": "$/hour",
           "usd_per_million_tokens_median": "$/million tokens"}  # fmt: skip
FEW = 8  # rows of accelerators that are not ranked


def option(parameter: str) -> str:
    """Return the option of a parameter of the report."""
    return OPTIONS.get(parameter) or option_values.option(parameter)


@option_values.in_options(option)
def run(arguments: argparse.Namespace) -> list[str]:
    """Return the lines of the ranking: the answer, tables, assumptions; or one line of JSON.

    Raises asking.Nothing without an answer, ValueError (also of parameters.py) for invalid options.
    """
    if arguments.evidence == "inferencex":
        from analysis.cli import choose_inferencex

        return choose_inferencex.run(arguments, option)
    catalog = flags.catalog()
    chosen = choice.make(catalog, _asked(arguments, catalog))
    label = catalog.label(chosen.match.benchmark)
    if chosen.ranked.empty:
        raise option_values.Nothing(_why_nothing(chosen, label))
    chosen = replace(chosen, ranked=_with_power(chosen.ranked, catalog))
    findings = [_answer(chosen, label), _so_what(chosen)]
    if arguments.format == "json":
        return [_json(chosen, findings)]
    caveats = wording.union([*chosen.ranked["notes"], chosen.match.notes])
    return [*(found.headline for found in findings), chosen.match.mapping, "", *_tables(chosen, label),
            "Assumptions", *_assumptions(chosen.asked), *wording.texts(caveats)]  # fmt: skip


def _with_power(ranked: pd.DataFrame, catalog: Catalog) -> pd.DataFrame:
    """Return the ranking with what its facility power is from, and the provisioned power of its accelerators.

    Provisioned kilowatts are rated parts by the rules of MLPerf Endpoints: never of one column with the other.
    """
    systems = provisioned_power.of_systems(catalog.system_hardware, catalog.component_power)
    each = ranked["accelerator"].map(provisioned_power.per_accelerator(systems)["kw_each"])
    power_from = ranked["metered_runs"].map(lambda runs: f"measured ({count(runs, 'run')})" if runs else "modeled")
    power_from = power_from.mask(ranked["kilowatts_low"].isna(), "unknown")
    ends = {f"{PROVISIONED}_{end}": ranked[f"count_{end}"] * each for end in ("low", "high")}
    return ranked.assign(power_from=power_from, **ends)


def _answer(chosen: Choice, label: str) -> Finding:
    """Return what is needed at least and the accelerators that need it."""
    model = f"{chosen.asked.model or 'your model'} (as {label})" if chosen.is_proxy else label
    users = f"{count(chosen.asked.users, 'concurrent user')} of {model} at {chosen.target:g} {chosen.unit}"
    far = "; no close benchmark" if chosen.match.none_near else ""
    rows, unit = chosen.known, f"{UNITS[chosen.by]}, P10 to P90"
    if rows.empty:
        words = f"Serving {users}: {'prices' if chosen.by == DOLLARS else 'power'} unknown"
        return Finding("best_accelerator", None, unit, f"{words}{far}.")
    first, value = rows.iloc[0], interval.span(rows.iloc[0], chosen.by)
    least = names(choice.ties(rows, chosen.by)["name"], word="or")
    unit_text = " kW of facility power" if chosen.by == KILOWATTS else " accelerators"
    per_million = f", {usd(interval.span(first, PER_MILLION))} per million tokens" if chosen.by == DOLLARS else ""
    amount = f"{usd(value)}/hour" if chosen.by == DOLLARS else f"{range_text(value)}{unit_text}"
    known = "" if len(rows) == len(chosen.ranked) else f" ({len(rows)} of {len(chosen.ranked)} known)"
    words = f"Serving {users} takes at least {amount}{per_million}: {least} ({first['evidence']}){known}{far}."
    values = {row["accelerator"]: (interval.span(row, chosen.by), unit) for _, row in rows.iterrows()}
    return Finding("best_accelerator", value, unit, words, about=first["accelerator"], values=values)


def _so_what(chosen: Choice) -> Finding:
    """Return how many accelerators meet the budget, without one the break-even price of the first."""
    ranked, asked = chosen.ranked, chosen.asked
    if chosen.budgets:
        fit = {name: int(ranked["within"].eq(name).sum()) for name in choice.WITHIN}
        words = (
            f"Within the budget: {fit['yes']} of {len(ranked)} ({fit['possibly']} possibly, {fit['unknown']} unknown)."
        )
        if not fit["yes"] + fit["possibly"] and (used := choice.budget_used(chosen, ranked.iloc[0])).known:
            words += f" {ranked['name'].iloc[0]} takes {x_times(used)} the budget."
        return Finding("within_budget", exactly(fit["yes"]), "accelerators within the budget at P90", words)
    base, unit = (
        chosen.plans[asked.baseline].called,
        "price of an accelerator-hour over that of the baseline, P10 to P90",
    )
    others = ranked[ranked["accelerator"].ne(asked.baseline) & ranked[f"{BREAK_EVEN}_low"].notna()]
    if others.empty:
        return Finding("break_even", None, unit, f"Break-even price vs {base}: unknown.")
    first, value = others.iloc[0], interval.span(others.iloc[0], BREAK_EVEN)
    words = f"Break-even price vs {base}: {first['name']} {x_times(value)}."
    return Finding("break_even", value, unit, words, about=first["accelerator"])


def _why_nothing(chosen: Choice, label: str) -> str:
    """Return why no accelerator is ranked, and what to change."""
    who = names(chosen.unranked["name"], 2, "or") if chosen.asked.accelerators else "accelerator"
    whys = [f"; {row.name}: {row.why}" for row in chosen.unranked.head(2).itertuples(index=False)]
    return (
        f"no available {who} serves {label} at {chosen.target:g} {chosen.unit} per user{''.join(whys)}. "
        f"Lower {option('tokens_per_second_per_user')}, add --rounds, or choose another --benchmark"
    )


def _tables(chosen: Choice, label: str) -> list[str]:
    base = chosen.plans[chosen.asked.baseline].called
    hidden = set() if DOLLARS in chosen.budgets else {"price_at_most"}
    hidden |= set() if chosen.budgets else {"within"}
    heads = {name: head.format(chosen.unit if name == "rate_median" else base) for name, head in COLUMNS.items()
             if name not in hidden}  # fmt: skip
    title = f"Available accelerators on {label}, estimates last, P10 to P90"
    ranked = tables.table(chosen.ranked, title, heads)
    heads = {name: head.format(chosen.unit) for name, head in UNRANKED.items()}
    left = tables.table(chosen.unranked, "Not ranked", heads, most=FEW)
    leading = f"What changes the ranking (of the leading {min(choice.FEW, len(chosen.ranked))})"
    changed = tables.table(choice.sensitivity(chosen), leading, CHANGES)
    shown = [ranked, *[left] * bool(len(chosen.unranked)), changed]
    return [line for table in shown for line in option_values.lines(table)]


def _assumptions(asked: AcceleratorChoice) -> list[str]:
    """Return what is assumed of production, limits, memory, and power, one line each."""
    derate, peak = (Interval(*each).text() for each in (asked.derate, asked.peak_over_mean))
    context = f"{Interval(*asked.context_tokens).text()} tokens" if asked.context_tokens else "that of the lengths"
    ttft = f"{asked.ttft_ms:g} ms" if asked.ttft_ms else "the limit of the scenario"
    return [
        f"derate {derate} of benchmark throughput, peak over mean {peak}, spare nodes {asked.spare_nodes}",
        f"TTFT at most {ttft}, TPOT at most {asked.tpot_ms:g} ms (p99)",
        f"prices: {COST_MODELS[asked.cost_model]}{', or as given' if asked.prices else ''}",
        f"weights {asked.weight_precision}, KV cache {asked.cache_precision}, context {context}",
        f"facility power with PUE {asked.power_usage_effectiveness:g}; provisioned power is rated parts x 1.3 to 1.5",
        f"{asked.draws:,} draws, seed {asked.seed}",
    ]


def _json(chosen: Choice, findings: list[Finding]) -> str:
    """Return the ranking as JSON: parameters, findings, and the rows of the frames of the choice."""
    data = {
        "parameters": chosen.asked.model_dump(),
        "ranked_by": chosen.by,
        "findings": [found.record() for found in findings],
        "mapping": chosen.match.mapping,
        "ranked": _records(chosen.ranked),
        "not_ranked": _records(chosen.unranked),
        "changes": _records(choice.sensitivity(chosen)),
        "benchmarks": _records(chosen.match.near),
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a frame for JSON, notes in words."""
    texts = {name: frame[name].map(wording.texts) for name in ("notes", "power_notes") if name in frame}
    return as_json(frame.assign(**texts))


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> AcceleratorChoice:
    values = option_values.asked(arguments, AcceleratorChoice, catalog, option)
    if arguments.model or arguments.parameters_billion:
        values.setdefault("benchmark", "")
    named = arguments.accelerators or ()
    values["accelerators"] = option_values.accelerators("--accelerators", named)
    values["prices"] = option_values.quotes("--price", arguments.price)
    if arguments.derate:
        derate = option_values.derate(arguments.derate)
        values["derate"] = [derate.low, derate.high]
    return AcceleratorChoice(**parameters.validate("accelerator_choice", values))
