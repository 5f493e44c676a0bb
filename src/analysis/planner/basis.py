"""What a plan rests on: what the record proves of an accelerator at a speed, its price, its model in memory, its host.

Looked up once for a benchmark and an accelerator, planned over many times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.parameters import RealWorldDerating
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import BYTES_PER_WEIGHT, TOKENS
from analysis.methods import benchmark_rules, cost, memory, node_power, roofline, scaling
from analysis.planner.lower_bounds import Proof, Throughput, by_system, on_the_line, system
from analysis.planner.official_runs import FIRST_TOKEN, ONE_SYSTEM, RATE, SPEED, Supply, Tables, of_scenarios


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
class Proven:
    """What the record proves of an accelerator at a speed: its throughput, the rows behind it, and their supply.

    `drawn` is what it draws meanwhile.
    """

    supply: Supply
    behind: pd.DataFrame
    throughput: Throughput
    drawn: node_power.Drawn


@dataclass(frozen=True)
class Basis:
    """What plans on one accelerator rest on, whatever the users ask for: looked up once, planned over many times.

    `supplies` are of the scenario asked for and of those with a tighter limit, the loosest first: `within` the limit on
    the first token, then all of each, for where none is so quick. `ttft_ms` is that limit. `price` is in US
    dollars per accelerator-hour, `offers` names the provider of each of its quotes; `tokens_per_request` are those of
    the benchmark. `host` is what draws power beside the accelerators, `scaling` what several nodes keep, `runs` are its
    official ones at any speed. What is not known is NaN, a `model` None. `accelerators` are the datasheets, `rounds`
    those asked for.
    """

    accelerator: str
    unit: str
    supplies: tuple[Supply, ...]
    price: Interval
    offers: tuple[str, ...]
    accelerators: pd.DataFrame
    model: memory.Model | None
    prompt: Prompt
    ttft_ms: float
    tokens_per_request: float
    host: node_power.Host
    scaling: Scaling
    rounds: tuple[str, ...] = ()
    runs: tuple[dict, ...] = ()

    @cached_method
    def at(self, speed: float) -> Proven:
        """What is measured at `speed`: by the runs so fast, or by those at a higher speed where these gave more.

        Who gave users more gave them `speed`, so that a slower user never takes more of an accelerator; but no figure
        of a document replaces an official run, no preview for an available system, and no run whose first token took
        longer than the limit for one within it. Where each took longer, the limit is what the quickest took: a limit
        that nothing holds takes no less of an accelerator than one that something does. Plans for other users ask for
        the same speed.
        """
        first = self._proof(speed, speed)
        if not first.standing[-1]:
            return self._at_quickest(speed).at(speed)
        faster = [proof for proof in self._faster(speed) if proof.standing == first.standing]
        return self._worded(max([first, *faster], key=lambda proof: proof.rate.middle))

    def _at_quickest(self, speed: float) -> Basis:
        """The same under the tightest limit on the first token that a run so fast held, for where all are late."""
        quickest = min(
            supply.runs[place][FIRST_TOKEN]
            for supply in self.supplies
            for place in np.flatnonzero(supply.candidates.of_accelerator(self.accelerator, supply.fast(speed)))
        )
        return replace(self, ttft_ms=quickest, supplies=tuple(supply.within(quickest) for supply in self.supplies))

    def _faster(self, speed: float) -> Iterator[Proof]:
        """What is measured at higher speeds: from the next one measured on, just above each."""
        speeds = sorted({run[SPEED] for run in self.runs if run[SPEED] >= speed})
        return (self._proof(slower, level) for slower, level in pairwise(speeds))

    @cached_method
    def _proof(self, speed: float, level: float) -> Proof:
        """What runs in which each user saw `level` or more prove at `speed`."""
        supply, is_fast = self._supply(level)
        candidates = supply.candidates
        places = np.flatnonzero(candidates.of_rate(self.accelerator, is_fast))
        runs = [supply.runs[place] for place in places]
        late = self.unit == TOKENS and any(run[FIRST_TOKEN] > self.ttft_ms for run in runs)
        lines = tuple(on_the_line(run, self._of_system.get(system(run), []), speed) for run in runs)
        standing = bool(candidates.official[places].any()), bool(candidates.on_sale[places].any()), not late
        return Proof(supply, level, places, lines, standing)

    def late(self, behind: pd.DataFrame) -> bool:
        """Whether the first token took longer than its limit in one of the runs behind a rate."""
        return bool(behind[FIRST_TOKEN].gt(self.ttft_ms).any())

    def proven_by(self, throughput: Throughput) -> Proven:
        """What a throughput of one's own proves: it rests on no row of the record."""
        supply = self.supplies[0].none
        return Proven(supply, supply.chosen.rows, throughput, self._drawn(supply, supply.chosen.rows))

    def _drawn(self, supply: Supply, behind: pd.DataFrame) -> node_power.Drawn:
        return node_power.drawn(supply.power, behind, self.accelerators, self.accelerator, self.rounds, self.host)

    def gave(self, speed: float) -> bool:
        """Whether the accelerator gave each user `speed` tokens/s, in any of the supplies."""
        supply, is_fast = self._supply(speed)
        return bool(supply.candidates.of_accelerator(self.accelerator, is_fast).any())

    def _supply(self, speed: float) -> tuple[Supply, np.ndarray]:
        """The first of `supplies` in which the accelerator gave each user `speed` tokens/s, and which rows are so fast.

        Where it did in none, that of the scenario asked for: it has no such row of the accelerator. What is not counted
        in tokens has no speed, and no first token: the first supply with all its rows.
        """
        if self.unit != TOKENS:
            return self.supplies[0], np.ones(len(self.supplies[0].runs), "bool")
        for supply in self.supplies:
            is_fast = supply.fast(speed)
            if supply.candidates.of_accelerator(self.accelerator, is_fast).any():
                return supply, is_fast
        return self.supplies[0], self.supplies[0].fast(speed)

    def as_fast(self, speed: float) -> list[str]:
        """The accelerators that gave each user `speed`, in the scenario asked for or under a tighter limit."""
        return sorted({name for supply in self.supplies for name in supply.candidates.accelerator[supply.fast(speed)]})

    @cached_property
    def fastest(self) -> tuple[float, str]:
        """The most tokens/s that the accelerator is known to have given each user, and in which scenario.

        NaN and "" where no speed of it is known.
        """
        most = []
        for supply in self.supplies:
            speeds = supply.speeds[supply.candidates.accelerator == self.accelerator]
            if not np.isnan(speeds).all():
                most.append((float(np.nanmax(speeds)), supply.chosen.question.scenario))
        return max(most, default=(np.nan, ""))

    def _worded(self, proof: Proof) -> Proven:
        """The proof with its throughput (see Proof.rate) in words, and with what the accelerator draws meanwhile."""
        supply, behind = proof.at_speed, proof.behind
        range_of = cost.scope(supply.chosen.rows, self.accelerator, behind)
        range_of += f", widened by the error of {supply.band.cases} predictions" if proof.predicted else ""
        between = sum(line.between for line in proof.lines)
        range_of += f", {between} interpolated between two measured points" if between else ""
        systems_behind = {system(proof.supply.runs[place]) for place in proof.places}
        systems = zip(*(supply.kept[name] for name in ONE_SYSTEM), strict=True)
        is_behind = np.array([key in systems_behind for key in systems], "bool")
        kept = supply.kept[is_behind].dropna(subset="derate_low")
        share = Interval(float(kept["derate_low"].min()), float(kept["derate_high"].max()))
        throughput = Throughput(proof.rate, range_of, share, len(kept), behind["system_key"].nunique())
        return Proven(supply, behind, throughput, self._drawn(supply, behind))

    @cached_property
    def _of_system(self) -> dict[tuple, list[dict]]:
        """The runs of each system whose first token came within the limit."""
        return by_system(run for run in self.runs if not run[FIRST_TOKEN] > self.ttft_ms)


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

    Without names, of all that have comparable rows and a datasheet. A quote without a name is of the baseline asked
    for. `models` are the benchmarks where a model is planned of another size than that of the benchmark.
    """
    unlimited = of_scenarios(tables, asked)
    in_tokens = unlimited[0].chosen.unit == TOKENS
    supplies = (*(supply.within(asked.ttft_ms) for supply in unlimited), *unlimited) if in_tokens else unlimited
    models = tables.benchmarks if models is None else models
    model = _model(models, asked)
    row = models.set_index("benchmark").loc[asked.benchmark]
    offers = cost.priced(tables.prices, asked.prices, asked.baseline, tables.accelerators, asked.cost_model)
    offered = cost.each_offer(offers)
    facts = tables.accelerators.set_index("accelerator")
    columns = ["accelerator", "origin", *ONE_SYSTEM, SPEED, FIRST_TOKEN, *RATE]
    runs = pd.concat([supply.chosen.rows[columns] for supply in unlimited])
    runs = runs[runs["origin"].eq("official")].drop(columns="origin").dropna(subset=[SPEED, *RATE])
    shared = {
        "unit": supplies[0].chosen.unit,
        "supplies": supplies,
        "accelerators": tables.accelerators,
        "model": model,
        "tokens_per_request": float(row[["tokens_per_sample_low", "tokens_per_sample_high"]].astype(float).mean()),
        "host": node_power.host(tables, asked.wall_over_limit),
        "scaling": _scaling(unlimited[0].chosen.rows),
        "ttft_ms": asked.ttft_ms,
        "rounds": tuple(asked.rounds),
    }
    tokens, active = _prompt_tokens(tables, asked), roofline.active(row)
    with_rows = (name for supply in unlimited for name in supply.chosen.rows["accelerator"] if name in facts.index)
    return {
        name: Basis(
            accelerator=name,
            price=cost.price_range(offers, name),
            offers=tuple(offered.loc[offered["accelerator"].eq(name), "provider"]),
            prompt=_prompt(facts.loc[name], asked, model, tokens, active),
            runs=tuple(as_dicts(runs[runs["accelerator"].eq(name)].drop(columns="accelerator"))),
            **shared,
        )
        for name in list(accelerators) or dict.fromkeys(with_rows)
    }


def _prompt_tokens(tables: Tables, asked: RealWorldDerating) -> float:
    """The longest prompt, stated or of the benchmark."""
    rules = tables.benchmark_limits, asked.benchmark, asked.rounds
    return asked.prompt_tokens or benchmark_rules.longest_prompt(*rules)


def _prompt(
    facts: pd.Series, asked: RealWorldDerating, model: memory.Model | None, tokens: float, active: float
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


def _model(models: pd.DataFrame, asked: RealWorldDerating) -> memory.Model | None:
    weight, cache = BYTES_PER_WEIGHT[asked.weight_precision], BYTES_PER_WEIGHT[asked.cache_precision]
    return memory.model(models, asked.benchmark, weight, cache)
