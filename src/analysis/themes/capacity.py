"""A capacity plan: how many accelerators, nodes and dollars users need.

The one place that answers it: report, command line, sliders and audit ask here, and so have one set of assumptions. A
throughput is only planned with at the speed per user that it was measured at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import pandas as pd

from analysis.compare import gate
from analysis.compare.gate import Comparison
from analysis.core import interval, notes
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note
from analysis.core.parameters import RealWorldDerating
from analysis.core.vocabulary import BYTES_PER_WEIGHT, LIMITED, TOKENS
from analysis.themes import cost, memory, of_a_kind, roofline, serving, sizing
from analysis.themes.demand import Demand

MILLISECONDS = 1000.0
ASSUMED = "an assumption"  # what a range is one of that no row of a table gives
SPEED = "tokens_per_second_per_user"


class Tables(gate.Tables, Protocol):
    """What a plan is made from: the catalog, or anything that holds the same frames."""

    @property
    def accelerators(self) -> pd.DataFrame:
        """The datasheets."""

    @property
    def prices(self) -> pd.DataFrame:
        """The rental prices."""

    @property
    def benchmark_limits(self) -> pd.DataFrame:
        """The limits of the scenarios."""


@dataclass(frozen=True)
class Prompt:
    """The reading of a prompt: its `tokens`, the `accelerators` that share it, the seconds. NaN where not known."""

    tokens: float
    accelerators: float
    seconds: float

    @property
    def known(self) -> bool:
        """Whether the time that the prompt takes could be computed."""
        return bool(pd.notna(self.seconds))


@dataclass(frozen=True)
class Supply:
    """What one scenario offers a plan: comparable rows, and the power submissions of the accelerator.

    Both have SPEED, what each user saw (see serving.proven).
    """

    chosen: Comparison
    power: pd.DataFrame

    def at(self, speed: float) -> Supply:
        """What is left of it where each user is to see `speed`; a row whose speed is not known stays."""
        rows, power = (rows[~rows[SPEED].lt(speed)] for rows in (self.chosen.rows, self.power))
        return Supply(replace(self.chosen, rows=rows), power)

    @property
    def none(self) -> Supply:
        """The same without rows, for a plan that rests on none of them."""
        return Supply(replace(self.chosen, rows=self.chosen.rows.head(0)), self.power.head(0))


@dataclass(frozen=True)
class Own:
    """A throughput per accelerator that somebody measured, and what it was measured on."""

    rate: Interval
    of: str


@dataclass(frozen=True)
class Basis:
    """What plans on one accelerator rest on, whatever the users ask for: looked up once, planned over many times.

    `supplies` are of the scenario asked for and of those with a tighter limit, the loosest first. `price` is in US
    dollars per accelerator-hour, of `offers`; `tokens_per_request` are those of the benchmark. What is not known is
    NaN, a `model` None. `accelerators` are the datasheets.
    """

    accelerator: str
    unit: str
    supplies: tuple[Supply, ...]
    price: Interval
    offers: int
    accelerators: pd.DataFrame
    model: memory.Model | None
    prompt: Prompt
    tokens_per_request: float

    def supply(self, speed: float) -> Supply:
        """The first supply in which the accelerator gave each user `speed` tokens/s, of the rows that did.

        Where it did in none, that in which most rows did, whatever they are of: it has no row of the accelerator. What
        is not counted in tokens has no speed, and the first supply as it is.
        """
        if self.unit != TOKENS:
            return self.supplies[0]
        fast = [supply.at(speed) for supply in self.supplies]
        own = (supply for supply in fast if supply.chosen.rows["accelerator"].eq(self.accelerator).any())
        return next(own, None) or max(fast, key=lambda supply: len(supply.chosen.rows))

    @property
    def fastest(self) -> tuple[float, str]:
        """The most tokens/s that the accelerator is known to have given each user, and in which scenario.

        NaN and "" where no speed of it is known.
        """
        seen = [(supply.chosen.rows, supply.chosen.question.scenario) for supply in self.supplies]
        speeds = [(float(rows.loc[rows["accelerator"].eq(self.accelerator), SPEED].max()), name) for rows, name in seen]
        return max((own for own in speeds if own[0] == own[0]), default=(float("nan"), ""))


@dataclass(frozen=True)
class Planned:
    """A plan: the draws (see sizing.size) and what went into them, each as the report shows it.

    `names` are what people call accelerators, `chosen` the rows that gave users the speed that `demand` has,
    `fastest` is that of the accelerator (see Basis.fastest), a node has `node` accelerators. `metering` says what
    the watts are, `metered` whether a meter stands behind them, `power_notes` what must be said of the kilowatts.
    `impossible` says why there are no draws whatever the number of accelerators; "" otherwise.
    """

    draws: pd.DataFrame
    demand: Demand
    accelerator: str
    names: Mapping[str, str]
    chosen: Comparison
    fastest: tuple[float, str]
    node: int
    inputs: pd.DataFrame
    metering: str
    metered: bool
    power_notes: Notes
    notes: Notes
    impossible: str = ""

    @cached_property
    def marks(self) -> pd.DataFrame:
        """P10, P50 and P90 of every output."""
        return sizing.percentiles(self.draws, list(sizing.OUTPUTS))

    def likely(self, output: str) -> Interval:
        """From the tenth to the ninetieth percentile of one output."""
        return Interval(*self.marks.set_index("output").loc[output, ["p10", "p90"]].astype(float))

    @property
    def behind(self) -> pd.DataFrame:
        """The rows that the throughput is taken from."""
        return cost.behind(self.chosen.rows, self.accelerator)

    @property
    def called(self) -> str:
        """What people call the accelerator."""
        return self.names.get(self.accelerator, self.accelerator)

    @property
    def unproven(self) -> bool:
        """Whether the accelerator has runs, but none at this speed."""
        return self.behind.empty and self.fastest[1] != ""

    @property
    def ranked(self) -> pd.DataFrame:
        """What dominates the uncertainty of the bill, or of the number of nodes where no price is known."""
        return sizing.sensitivity(self.draws, "usd_per_hour" if sizing.priced(self.draws) else "nodes")


def make(
    tables: Tables,
    asked: RealWorldDerating,
    derate: Interval | None = None,
    above_one: bool = False,
    derate_of: str = ASSUMED,
    own: Own | None = None,
) -> Planned:
    """The plan that `asked` asks for on its baseline, from official or printed throughput x `derate` (asked.derate).

    `derate_of` says what the derate is a range of; `own` stands in place of that throughput. No draws where no
    throughput at the speed is known, and no dollars where no price is. Raises ValueError for a derate that sizing.draw
    refuses.
    """
    return over(basis(tables, asked), asked, derate, above_one, derate_of, own)


def basis(tables: Tables, asked: RealWorldDerating) -> Basis:
    """What the tables say of the baseline of `asked` on its benchmark."""
    accelerator = asked.baseline
    supplies = tuple(_supply(tables, asked, scenario) for scenario in _scenarios(tables, asked))
    model = _model(tables, asked)
    row = tables.benchmarks.set_index("benchmark").loc[asked.benchmark]
    offers = cost.priced(tables.prices, asked.prices, accelerator, tables.accelerators)
    return Basis(
        accelerator=accelerator,
        unit=supplies[0].chosen.unit,
        supplies=supplies,
        price=cost.price_range(offers, accelerator),
        offers=int(cost.each_offer(offers)["accelerator"].eq(accelerator).sum()),
        accelerators=tables.accelerators,
        model=model,
        prompt=_prompt(tables, asked, model),
        tokens_per_request=float(row[["tokens_per_sample_low", "tokens_per_sample_high"]].astype(float).mean()),
    )


def over(
    of: Basis,
    asked: RealWorldDerating,
    derate: Interval | None = None,
    above_one: bool = False,
    derate_of: str = ASSUMED,
    own: Own | None = None,
) -> Planned:
    """The plan that `asked` asks for on a basis of its own benchmark, accelerator and memory; raises as `make`."""
    demand = _demand(of, asked)
    supply = of.supply(demand.tokens_per_second_per_user) if own is None else of.supplies[0].none
    rows, derate = supply.chosen.rows, Interval(*asked.derate) if derate is None else derate
    behind, runs = cost.behind(rows, of.accelerator), cost.metered(supply.power, of.accelerator, asked.rounds)
    watts, metering = cost.watts_range(runs, of.accelerators, of.accelerator)
    box = _box(of, asked, behind, runs, watts)
    rate = cost.throughput(rows, of.accelerator) if own is None else own.rate
    usd = of.price if of.price.known else Interval(1.0, 1.0)
    drawn = sizing.draw(rate, derate, demand.peak_over_mean, usd, asked.draws, asked.seed, above_one=above_one)
    drawn = drawn if of.price.known else drawn.assign(price=float("nan"))
    sized = sizing.size(drawn, demand, of.model, box, Interval(*asked.context_tokens), asked.seed)
    scope = cost.scope(rows, of.accelerator) if own is None else own.of
    seen = Interval(float(behind[SPEED].min()), float(behind[SPEED].max()))
    stated = [
        ("throughput per accelerator", f"{of.unit.removesuffix('/s')} per second", rate, scope),
        *[("speed per user of those runs", "tokens per second, slowest hundredth", seen, scope)] * seen.known,
        ("derate", "share of that throughput", derate, derate_of),
    ]
    inputs = [_table(stated), _inputs(of, asked, demand, box, metering), _first_token(asked, demand, of.prompt)]
    return Planned(
        draws=sized,
        demand=demand,
        accelerator=of.accelerator,
        names=dict(zip(of.accelerators["accelerator"], of.accelerators["label"], strict=True)),
        chosen=supply.chosen,
        fastest=of.fastest,
        node=box.node,
        inputs=pd.concat(inputs, ignore_index=True),
        metering=metering,
        metered=bool(box.runs),
        power_notes=_of_power(runs, behind, of.accelerator),
        notes=_of_plan(of, demand, asked, behind),
        impossible=_impossible(asked, demand, of.prompt),
    )


def by_users(of: Basis, asked: RealWorldDerating, counts: Iterable[int]) -> pd.DataFrame:
    """The plans for several numbers of users, P10 to P90 of their draws.

    Columns: users, nodes_low/high, usd_per_user_hour_low/high (NaN without a price). No rows where nothing is planned.
    """
    rows = []
    for users in counts:
        marks = over(of, asked.model_copy(update={"users": users})).marks.set_index("output")
        ends = (mark for name in ("nodes", "usd_per_user_hour") for mark in marks.loc[name, ["p10", "p90"]])
        rows.append((users, *ends))
    names = [f"{name}_{end}" for name in ("nodes", "usd_per_user_hour") for end in ("low", "high")]
    return pd.DataFrame(rows, columns=["users", *names]).dropna(subset="nodes_low")


def _scenarios(tables: Tables, asked: RealWorldDerating) -> list[str]:
    """The scenario asked for and those with a tighter limit on the time per output token, the loosest first."""
    of = tables.benchmark_limits, asked.benchmark
    limits = {name: cost.limit_ms(*of, name, "tpot_p99_limit", asked.rounds) for name in LIMITED}
    tighter = [name for name in LIMITED if limits[name] < limits[asked.scenario]]
    return [asked.scenario, *sorted(tighter, key=limits.__getitem__, reverse=True)]


def _supply(tables: Tables, asked: RealWorldDerating, scenario: str) -> Supply:
    question = gate.ask(asked, scenario=scenario)
    metered = replace(question, power=True, rounds=(), origins=("official",), accelerators=(asked.baseline,))
    chosen, power = gate.select(tables, question), gate.select(tables, metered).rows
    limits = tables.benchmark_limits, asked.rounds
    rows, power = (own.assign(**{SPEED: serving.proven(own, *limits)}) for own in (chosen.rows, power))
    return Supply(replace(chosen, rows=rows), power)


def _demand(of: Basis, asked: RealWorldDerating) -> Demand:
    """Without tokens per request, stated or known, requests have no length, and no queue can be planned."""
    speed = max(asked.tokens_per_second_per_user, MILLISECONDS / asked.tpot_ms)
    tokens, limit = asked.tokens_per_request or of.tokens_per_request, asked.ttft_ms / MILLISECONDS
    seconds = of.prompt.seconds if of.prompt.known else 0.0
    peak, waits = Interval(*asked.peak_over_mean), (asked.wait_percentile, asked.wait_variability)
    return Demand(asked.users, speed, peak, tokens, limit, *waits, seconds)


def _prompt(tables: Tables, asked: RealWorldDerating, model: memory.Model | None) -> Prompt:
    """The longest prompt, stated or of the benchmark, read by the fewest accelerators that hold the weights."""
    own = cost.rules_of(tables.benchmark_limits, asked.benchmark, "max_sequence_length", asked.rounds)
    tokens = asked.prompt_tokens or float(own["high"].max())
    facts = tables.accelerators.set_index("accelerator").loc[asked.baseline]
    count = memory.copy_on(model, float(facts["memory_gb"]), asked.memory_headroom) if model else None
    if count is None:
        return Prompt(tokens, float("nan"), float("nan"))
    active = roofline.active(tables.benchmarks.set_index("benchmark").loc[asked.benchmark])
    tera, _ = roofline.fastest(facts, asked.weight_precision)
    return Prompt(tokens, count, roofline.prefill_s(tokens, tera, active, count, asked.prefill_share))


def _of_power(runs: pd.DataFrame, behind: pd.DataFrame, accelerator: str) -> Notes:
    """What must be said of kilowatts beside the throughput of the rows `behind` the plan."""
    if runs.empty:
        return frozenset({note("no_meter", accelerator=accelerator)})
    capped = notes.some(metered_capped=bool(runs["power_capped"].all()))
    apart = notes.apart(behind["round"], runs["round"])
    return capped | {replace(own, about=("throughput against kilowatts",)) for own in apart}


def _model(tables: Tables, asked: RealWorldDerating) -> memory.Model | None:
    weight, cache = BYTES_PER_WEIGHT[asked.weight_precision], BYTES_PER_WEIGHT[asked.cache_precision]
    return memory.model(tables.benchmarks, asked.benchmark, weight, cache)


def _box(of: Basis, asked: RealWorldDerating, behind: pd.DataFrame, runs: pd.DataFrame, watts: Interval) -> sizing.Box:
    facts = of.accelerators.set_index("accelerator").loc[of.accelerator]
    count = runs["accelerator_count"].astype("float64")
    rates, drawn = interval.of(runs, "per_accelerator"), interval.of(runs, "power_watts")
    ends = zip(rates.low, rates.high, drawn.low / count, drawn.high / count, strict=True)
    metered = tuple(sizing.Run(Interval(*own[:2]), Interval(*own[2:])) for own in ends)
    room = float(facts["memory_gb"]), asked.memory_headroom
    return sizing.Box(*room, watts.high, metered, asked.power_usage_effectiveness, of_a_kind.node(behind))


def _inputs(of: Basis, asked: RealWorldDerating, demand: Demand, box: sizing.Box, metering: str) -> pd.DataFrame:
    rows = [
        ("peak over mean", "ratio of traffic", demand.peak_over_mean, ASSUMED),
        ("price", "US dollars per accelerator-hour", of.price, f"{of.offers} offer{'s' * (of.offers != 1)}"),
        ("context", "tokens in cache per request", Interval(*asked.context_tokens), ASSUMED),
    ]
    rate, watts = (_hull(ends) for ends in ([run.rate for run in box.runs], [run.watts for run in box.runs]))
    metered = [
        ("throughput while power was metered", "tokens per second per accelerator", rate),
        ("power at that throughput", "watts per accelerator", watts),
    ]
    bound = [("power", "watts per accelerator", Interval(box.limit_watts, box.limit_watts))]
    return _table(rows + [(*own, metering) for own in (metered if box.runs else bound)])


def _table(rows: Iterable[tuple[str, str, Interval, str]]) -> pd.DataFrame:
    """What is drawn from: quantity, unit, value_low, value_high, range_of (what the range is one of)."""
    ends = [(name, unit, drawn.low, drawn.high, range_of) for name, unit, drawn, range_of in rows]
    return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high", "range_of"])


def _hull(ends: Sequence[Interval]) -> Interval:
    return Interval(min(own.low for own in ends), max(own.high for own in ends)) if ends else cost.UNKNOWN


def _first_token(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> pd.DataFrame:
    """What stays fixed in every draw until the first token, as a _table; no rows without a prompt."""
    count = f"{prompt.accelerators:g} accelerator{'s' * (prompt.accelerators > 1)}"
    share = f"{interval.number(100 * asked.prefill_share)} % of the dense compute of {count}"
    rows = [
        ("reading the prompt", f"seconds, {prompt.tokens:,.0f} tokens at {share}", demand.prompt_s),
        ("wait for a free slot", "seconds at most", max(demand.wait_limit_s, 0.0)),
    ]
    return _table((name, unit, Interval(value, value), "") for name, unit, value in rows if prompt.known)


def _impossible(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> str:
    if demand.wait_limit_s > 0:
        return ""
    taken, limit = (interval.number(milliseconds) for milliseconds in (demand.prompt_s * MILLISECONDS, asked.ttft_ms))
    return (
        f"Reading a prompt of {prompt.tokens:,.0f} tokens takes {taken} ms on {prompt.accelerators:g} {asked.baseline} "
        f"at {100 * asked.prefill_share:g} % of the dense compute, no less than the ttft_ms of {limit}: more copies of "
        "the weights do not help; shorten prompt_tokens, or give a longer ttft_ms or a higher prefill_share."
    )


def _of_plan(of: Basis, demand: Demand, asked: RealWorldDerating, behind: pd.DataFrame) -> Notes:
    """What the plan leaves out or assumes."""
    wanted = asked.tokens_per_second_per_user
    own = notes.some(
        no_queue=bool(pd.isna(demand.service_s)),
        no_prompt=not of.prompt.known,
        no_memory=of.model is None,
        speed_unknown=of.unit == TOKENS and bool(behind[SPEED].isna().any()),
    )
    own |= {note("prompt_share", percent=f"{100 * asked.prefill_share:g}")} if of.prompt.known else NONE
    faster = demand.tokens_per_second_per_user > wanted
    return own | ({note("limit_decides_speed", speed=f"{wanted:g}")} if faster else NONE)
