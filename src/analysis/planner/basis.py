"""What a plan rests on: the curve of an accelerator, its price, its model in memory, its host.

Looked up once for a benchmark and an accelerator, planned over many times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.parameters import RealWorldDerating
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.methods import benchmark_rules, cost, memory, node_power, roofline, scaling
from analysis.planner import curve
from analysis.planner.curve import SPEED, Behind, Curve, Evidence, Tables


@dataclass(frozen=True)
class Prompt:
    """How a prompt is read: its `tokens`, the `accelerators` that share it, and in how many seconds; NaN: not known."""

    tokens: float
    accelerators: float
    seconds: float

    @property
    def known(self) -> bool:
        """Whether the time that the prompt takes could be computed."""
        return bool(pd.notna(self.seconds))

    def within(self, limit_s: float, most: int) -> Prompt:
        """The prompt read by a group twice as large, and again twice as large, until it takes less than `limit_s`.

        By no more than `most` accelerators: those of one node, whose links such a group needs.
        """
        if not self.seconds >= limit_s or 2 * self.accelerators > most:
            return self
        return Prompt(self.tokens, 2 * self.accelerators, self.seconds / 2).within(limit_s, most)


@dataclass(frozen=True)
class Scaling:
    """What systems of several nodes keep of the throughput per accelerator of one, at most all; and of what systems."""

    kept: Interval
    range_of: str


@dataclass(frozen=True)
class Basis:
    """What plans on one accelerator rest on, whatever the users ask for: looked up once, planned over many times.

    `price` is in US dollars per accelerator-hour, `offers` names the provider of each of its quotes. `host` is what
    draws power beside the accelerators, `scaling` what several nodes keep, `ttft_ms` the scenario's limit (infinite
    without one). What is not known is NaN, a `model` None. `facts` are the datasheet, `rounds` those
    asked for, `prompt` is that at the `wait_percentile` asked for.
    """

    accelerator: str
    evidence: Evidence
    curve: Curve
    price: Interval
    offers: tuple[str, ...]
    facts: Mapping[str, Any]
    model: memory.Model | None
    prompt: Prompt
    ttft_ms: float
    host: node_power.Host
    scaling: Scaling
    rounds: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """What the throughput is counted in, per second."""
        return self.evidence.chosen.unit

    def behind(self, speed: float) -> Behind:
        """The rows that the throughput at `speed` rests on."""
        places = {int(place) for point in self.curve.used(speed) for place in point.places}
        return self.evidence.behind(tuple(sorted(places)))

    @cached_method
    def drawn(self, behind: Behind, speed: float) -> node_power.Drawn:
        """What an accelerator draws beside the throughput of the rows `behind` it.

        Metered in the loosest scenario in which it was metered at that speed.
        """
        own = self.evidence.metered[self.accelerator]
        fast = own[~own[SPEED].lt(speed)] if len(own) else own
        fast = fast[fast["scenario"].eq(fast["scenario"].iloc[0])] if len(fast) else fast
        return node_power.drawn(fast, behind.read, self.facts["power_limit_w"], self.rounds, self.host)

    def settled(self, asked: RealWorldDerating) -> RealWorldDerating:
        """`asked` with the defaults of the benchmark: the TTFT limit of the scenario, and the context of its lengths.

        A request's cache holds its prompt and, on average, half of its answer; at the end all of both.
        """
        lengths = self.evidence.requests.lengths
        context = [lengths.context, lengths.whole] if lengths.whole == lengths.whole else [1.0, 1.0]
        update = {
            "ttft_ms": asked.ttft_ms or self.ttft_ms,
            "tokens_per_request": lengths.answer,
            "context_tokens": list(asked.context_tokens) or context,
        }
        return asked.model_copy(update=update)


def basis(tables: Tables, asked: RealWorldDerating) -> Basis:
    """What the tables say of the baseline of `asked` on its benchmark."""
    return bases(tables, asked, [asked.baseline])[asked.baseline]


def bases(
    tables: Tables,
    asked: RealWorldDerating,
    accelerators: Iterable[str] = (),
    models: pd.DataFrame | None = None,
) -> dict[str, Basis]:
    """The basis of each of these accelerators, by name; the record is looked up once for all of them.

    Without names, of all that have comparable rows, and of those with a price that can be estimated. A quote without a
    name is of the baseline asked for. `models` are the benchmarks where a model is planned of another size than that of
    the benchmark.
    """
    models = tables.benchmarks if models is None else models
    known = curve.evidence(tables, asked, models)
    facts = known.decoder.facts
    weight, cache = BYTES_PER_WEIGHT[asked.weight_precision], BYTES_PER_WEIGHT[asked.cache_precision]
    model = memory.model(models, asked.benchmark, weight, cache)
    offers = cost.priced(tables.prices, asked.prices, asked.baseline, tables.accelerators, asked.cost_model)
    offered = cost.each_offer(offers)
    price_ranges = as_dicts(interval.hull(offered, ["accelerator"], "price"))
    prices = {row["accelerator"]: interval.of(row, "price") for row in price_ranges}
    providers = offered.groupby("accelerator", sort=False)["provider"].agg(tuple)
    limited = known.rows[known.rows["scenario"].ne("Offline") | bool(known.typical)]
    with_rows = [name for name in dict.fromkeys(limited["accelerator"]) if name in facts]
    priced = [name for name in known.accelerators if name in prices]
    rules = tables.benchmark_limits, asked.benchmark
    limit = benchmark_rules.limit_ms(*rules, asked.scenario, benchmark_rules.TTFT, asked.rounds)
    shared = {
        "evidence": known,
        "model": model,
        "host": node_power.host(tables, asked.wall_over_limit),
        "scaling": _scaling(known.chosen.rows),
        "ttft_ms": limit if limit == limit else np.inf,
        "rounds": tuple(asked.rounds),
    }
    active = roofline.active(models.set_index("benchmark").loc[asked.benchmark])
    tokens = known.requests.prompt(asked.wait_percentile)
    if np.isnan(tokens):
        longest = benchmark_rules.longest_prompts(tables.benchmark_limits, asked.rounds)
        tokens = longest.get(asked.benchmark, np.nan)
    return {
        name: Basis(
            accelerator=name,
            curve=known.curve(name),
            price=prices.get(name, interval.UNKNOWN),
            offers=providers.get(name, ()),
            facts=facts[name],
            prompt=_prompt(facts[name], asked, model, tokens, active),
            **shared,
        )
        for name in dict.fromkeys(list(accelerators) or [*with_rows, *priced])
    }


def _prompt(
    facts: Mapping[str, Any], asked: RealWorldDerating, model: memory.Model | None, tokens: float, active: float
) -> Prompt:
    """A prompt of `tokens` read by the smallest group of the accelerator with these `facts` that holds the weights."""
    weights = model.weight_bytes / 1e9 if model else float("nan")
    count = float(memory.holding(weights, float(facts["memory_gb"]), asked.memory_headroom))
    if pd.isna(count):
        return Prompt(tokens, float("nan"), float("nan"))
    tera, _ = roofline.fastest(facts, asked.weight_precision)
    return Prompt(tokens, count, roofline.prefill_s(tokens, tera, active, count, asked.prefill_share))


def _scaling(rows: pd.DataFrame) -> Scaling:
    """Of comparable rows of one benchmark and scenario: systems of several nodes over a submitter's smaller ones.

    All is kept where no submitter has two such sizes: nothing is known, and nothing taken off.
    """
    grown = scaling.grown(scaling.compared(rows))
    grown = grown[grown["layout"].ne(scaling.BOX) & grown["submitters"].gt(0)]
    if grown.empty:
        return Scaling(Interval(1.0, 1.0), "no multi-node result: linear")
    kept = Interval(min(float(grown["kept_low"].min()), 1.0), min(float(grown["kept_high"].max()), 1.0))
    count, most = len(grown), int(grown["to_count"].max())
    return Scaling(kept, f"{count} multi-node system{'s' * (count > 1)}, up to {most} accelerators")
