"""A capacity plan put together: tables, comparable rows and parameters into sized draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from analysis.compare import gate
from analysis.compare.gate import Comparison
from analysis.core import interval, notes
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Note, Notes, note
from analysis.core.parameters import RealWorldDerating
from analysis.core.vocabulary import BYTES_PER_WEIGHT, TOKENS
from analysis.data.catalog import Catalog
from analysis.themes import cost, derating, memory, roofline, sizing
from analysis.themes.demand import Demand

MILLISECONDS = 1000.0
ASSUMED = "an assumption"  # what a range is one of that no row of a table gives


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
class Basis:
    """What plans on one accelerator rest on, whatever the users ask for: looked up once, planned over many times.

    `throughput` is in `unit` per accelerator, of `systems` (how many of how many), `price` in US dollars per
    accelerator-hour, of `offers`; `tokens_per_request` are those of the benchmark. `guaranteed` are the tokens/s that
    each user saw while the throughput was measured, `ceiling` those that one accelerator decodes at most for one user.
    What is not known is NaN, a `model` None. `metering` says what the watts of the `box` are, `power_notes` what must
    be said of them.
    """

    accelerator: str
    unit: str
    throughput: Interval
    systems: str
    price: Interval
    offers: int
    metering: str
    power_notes: Notes
    model: memory.Model | None
    box: sizing.Box
    prompt: Prompt
    tokens_per_request: float
    guaranteed: float
    ceiling: float


@dataclass(frozen=True)
class Planned:
    """A plan: the draws (see sizing.size) and what went into them, each as the report shows it.

    `metering` says what the watts are, `metered` whether a meter stands behind them, `power_notes` what must be said of
    the kilowatts. `impossible` says why there are no draws whatever the number of accelerators; "" otherwise.
    """

    draws: pd.DataFrame
    demand: Demand
    accelerator: str
    inputs: pd.DataFrame
    metering: str
    metered: bool
    power_notes: Notes
    notes: Notes
    impossible: str = ""

    @cached_property
    def marks(self) -> pd.DataFrame:
        """P10, P50 and P90 of every output."""
        return derating.percentiles(self.draws, list(sizing.OUTPUTS))

    @property
    def ranked(self) -> pd.DataFrame:
        """What dominates the uncertainty of the bill, or of the number of accelerators where no price is known."""
        output = "usd_per_hour" if sizing.priced(self.draws) else "accelerators"
        return derating.sensitivity(self.draws, output, sizing.INPUTS)


def make(
    catalog: Catalog,
    asked: RealWorldDerating,
    chosen: Comparison,
    derate: Interval,
    above_one: bool = False,
    derate_of: str = ASSUMED,
) -> Planned:
    """The plan that `asked` asks for on its baseline, from the throughput of the `chosen` rows x `derate`.

    `derate_of` says what the derate is a range of. No draws where no throughput is known, and no dollars where no price
    is. Raises ValueError for a derate that derating.draw refuses.
    """
    return over(basis(catalog, asked, chosen), asked, derate, above_one, derate_of)


def basis(catalog: Catalog, asked: RealWorldDerating, chosen: Comparison) -> Basis:
    """What the tables say of the baseline of `asked` on its benchmark, with the throughput of the `chosen` rows."""
    accelerator = asked.baseline
    runs = _power_runs(catalog, chosen, accelerator)
    watts, metering = cost.watts_range(runs, catalog.accelerators, accelerator)
    model, box = _model(catalog, asked), _box(catalog, asked, runs, watts)
    row = catalog.benchmarks.set_index("benchmark").loc[asked.benchmark]
    offers = cost.priced(catalog.prices, asked.prices, accelerator, catalog.accelerators)
    guaranteed = cost.guaranteed_speed(catalog.benchmark_limits, asked.benchmark, asked.scenario, asked.rounds)
    return Basis(
        accelerator=accelerator,
        unit=chosen.unit,
        throughput=cost.throughput(chosen.rows, accelerator),
        systems=cost.scope(chosen.rows, accelerator),
        price=cost.price_range(offers, accelerator),
        offers=int(cost.each_offer(offers)["accelerator"].eq(accelerator).sum()),
        metering=metering,
        power_notes=_of_power(runs, cost.behind(chosen.rows, accelerator), accelerator),
        model=model,
        box=box,
        prompt=_prompt(catalog, asked, model, box),
        tokens_per_request=float(row[["tokens_per_sample_low", "tokens_per_sample_high"]].astype(float).mean()),
        guaranteed=guaranteed or float("nan"),
        ceiling=_ceiling(catalog, asked, row),
    )


def over(
    of: Basis, asked: RealWorldDerating, derate: Interval, above_one: bool = False, derate_of: str = ASSUMED
) -> Planned:
    """The plan that `asked` asks for on a basis of its own benchmark, accelerator and memory; raises as `make`."""
    speed = max(asked.tokens_per_second_per_user, MILLISECONDS / asked.tpot_ms)
    demand = _demand(of, asked, speed)
    usd = of.price if of.price.known else Interval(1.0, 1.0)
    drawn = derating.draw(demand, of.throughput, derate, usd, asked.draws, asked.seed, above_one=above_one)
    drawn = drawn if of.price.known else drawn.assign(price=float("nan"))
    sized = sizing.size(drawn, demand, of.model, of.box, Interval(*asked.context_tokens), asked.seed)
    inputs = pd.concat([_inputs(of, asked, demand, derate, derate_of), _first_token(asked, demand, of.prompt)])
    own, why = _of_plan(of, demand, asked) | _of_speed(of, asked, speed), _impossible(asked, demand, of.prompt)
    power = of.metering, bool(of.box.runs), of.power_notes
    return Planned(sized, demand, of.accelerator, inputs, *power, own, why)


def _demand(of: Basis, asked: RealWorldDerating, speed: float) -> Demand:
    """Without tokens per request, stated or known, requests have no length, and no queue can be planned."""
    tokens, limit = asked.tokens_per_request or of.tokens_per_request, asked.ttft_ms / MILLISECONDS
    seconds = of.prompt.seconds if of.prompt.known else 0.0
    peak, waits = Interval(*asked.peak_over_mean), (asked.wait_percentile, asked.wait_variability)
    return Demand(asked.users, speed, peak, tokens, limit, *waits, seconds)


def _prompt(catalog: Catalog, asked: RealWorldDerating, model: memory.Model | None, box: sizing.Box) -> Prompt:
    """The longest prompt, stated or of the benchmark, read by the fewest accelerators that hold the weights."""
    own = cost.rules_of(catalog.benchmark_limits, asked.benchmark, "max_sequence_length", asked.rounds)
    tokens = asked.prompt_tokens or float(own["high"].max())
    count = memory.copy_on(model, box.memory_gb, box.headroom) if model else None
    if count is None:
        return Prompt(tokens, float("nan"), float("nan"))
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    active = roofline.active(catalog.benchmarks.set_index("benchmark").loc[asked.benchmark])
    tera, _ = roofline.fastest(facts, asked.weight_precision)
    return Prompt(tokens, count, roofline.prefill_s(tokens, tera, active, count, asked.prefill_share))


def _power_runs(catalog: Catalog, chosen: Comparison, accelerator: str) -> pd.DataFrame:
    """The power submissions of the chosen benchmark and scenario that tell what the accelerator draws."""
    question = replace(chosen.question, power=True, rounds=(), origins=("official",), accelerators=(accelerator,))
    return cost.metered(gate.select(catalog, question).rows, accelerator, chosen.question.rounds)


def _of_power(runs: pd.DataFrame, behind: pd.DataFrame, accelerator: str) -> Notes:
    """What must be said of kilowatts beside the throughput of the rows `behind` the plan."""
    if runs.empty:
        return frozenset({note("no_meter", accelerator=accelerator)})
    capped = notes.some(metered_capped=bool(runs["power_capped"].all()))
    apart = notes.apart(behind["round"], runs["round"])
    return capped | {replace(own, about=("throughput against kilowatts",)) for own in apart}


def _model(catalog: Catalog, asked: RealWorldDerating) -> memory.Model | None:
    weight, cache = BYTES_PER_WEIGHT[asked.weight_precision], BYTES_PER_WEIGHT[asked.cache_precision]
    return memory.model(catalog.benchmarks, asked.benchmark, weight, cache)


def _box(catalog: Catalog, asked: RealWorldDerating, runs: pd.DataFrame, watts: Interval) -> sizing.Box:
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    count = runs["accelerator_count"].astype("float64")
    rates, drawn = interval.of(runs, "per_accelerator"), interval.of(runs, "power_watts")
    ends = zip(rates.low, rates.high, drawn.low / count, drawn.high / count, strict=True)
    metered = tuple(sizing.Run(Interval(*own[:2]), Interval(*own[2:])) for own in ends)
    room = float(facts["memory_gb"]), asked.memory_headroom
    return sizing.Box(*room, watts.high, metered, asked.power_usage_effectiveness)


def _ceiling(catalog: Catalog, asked: RealWorldDerating, identity: pd.Series) -> float:
    """Tokens/s that one accelerator decodes for one user at most; more share the bandwidth that one copy is read at."""
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    every, part = float(identity["parameters_billion"]), roofline.active(identity)
    read = roofline.read_gb(every, part, asked.weight_precision)
    return roofline.decode(float(facts["memory_bandwidth_gb_per_s"]), read)


def _inputs(of: Basis, asked: RealWorldDerating, demand: Demand, derate: Interval, derate_of: str) -> pd.DataFrame:
    """What is drawn from: quantity, unit, value_low, value_high, range_of (what the range is one of)."""
    context, runs = Interval(*asked.context_tokens), of.box.runs
    rows = [
        ("throughput per accelerator", "tokens per second", of.throughput, of.systems),
        ("derate", "share of that throughput", derate, derate_of),
        ("peak over mean", "ratio of traffic", demand.peak_over_mean, ASSUMED),
        ("price", "US dollars per accelerator-hour", of.price, f"{of.offers} offer{'s' * (of.offers != 1)}"),
        ("context", "tokens in cache per request", context, ASSUMED),
    ]
    metered = [
        ("throughput while power was metered", "tokens per second per accelerator", _hull(run.rate for run in runs)),
        ("power at that throughput", "watts per accelerator", _hull(run.watts for run in runs)),
    ]
    bound = [("power", "watts per accelerator", Interval(of.box.limit_watts, of.box.limit_watts))]
    rows += [(*own, of.metering) for own in (metered if runs else bound)]
    ends = [(name, unit, drawn.low, drawn.high, range_of) for name, unit, drawn, range_of in rows]
    return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high", "range_of"])


def _hull(ranges: Iterable[Interval]) -> Interval:
    ends = list(ranges)
    return Interval(min(own.low for own in ends), max(own.high for own in ends)) if ends else cost.UNKNOWN


def _first_token(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> pd.DataFrame:
    """What stays fixed in every draw until the first token, in the columns of _inputs; no rows without a prompt."""
    count = f"{prompt.accelerators:g} accelerator{'s' * (prompt.accelerators > 1)}"
    share = f"{interval.number(100 * asked.prefill_share)} % of the dense compute of {count}"
    rows = [
        ("reading the prompt", f"seconds, {prompt.tokens:,.0f} tokens at {share}", demand.prompt_s),
        ("wait for a free slot", "seconds at most", max(demand.wait_limit_s, 0.0)),
    ]
    ends = [(name, unit, value, value, "") for name, unit, value in rows if prompt.known]
    return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high", "range_of"])


def _impossible(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> str:
    if demand.wait_limit_s > 0:
        return ""
    taken, limit = (interval.number(milliseconds) for milliseconds in (demand.prompt_s * MILLISECONDS, asked.ttft_ms))
    return (
        f"Reading a prompt of {prompt.tokens:,.0f} tokens takes {taken} ms on {prompt.accelerators:g} {asked.baseline} "
        f"at {100 * asked.prefill_share:g} % of the dense compute, no less than the ttft_ms of {limit}: more copies of "
        "the weights do not help; shorten prompt_tokens, or give a longer ttft_ms or a higher prefill_share."
    )


def _of_plan(of: Basis, demand: Demand, asked: RealWorldDerating) -> Notes:
    """What the plan leaves out or assumes."""
    wanted = asked.tokens_per_second_per_user
    own = notes.some(
        no_queue=bool(pd.isna(demand.service_s)), no_prompt=not of.prompt.known, no_memory=of.model is None
    )
    own |= {note("prompt_share", percent=f"{100 * asked.prefill_share:g}")} if of.prompt.known else NONE
    faster = demand.tokens_per_second_per_user > wanted
    return own | ({note("limit_decides_speed", speed=f"{wanted:g}")} if faster else NONE)


def _of_speed(of: Basis, asked: RealWorldDerating, speed: float) -> Notes:
    """What speaks against so many tokens/s for each user; nothing where no tokens are counted.

    The ceiling is that of the smallest copy of the weights: its accelerators read each token's weights together, once
    for each token. Batches and caches only lower it; drafts that give several tokens at a time would raise it.
    """
    if of.unit != TOKENS:
        return NONE
    own = notes.some(speed_unknown=bool(pd.isna(of.guaranteed)))
    if 0 < of.guaranteed < speed:
        own |= {note("measured_slower", guaranteed=interval.number(of.guaranteed), speed=f"{speed:g}")}
    copy = 1.0 if pd.isna(of.prompt.accelerators) else of.prompt.accelerators
    return own | ({_too_fast(of, asked, speed, copy)} if speed > of.ceiling * copy else NONE)


def _too_fast(of: Basis, asked: RealWorldDerating, speed: float, copy: float) -> Note:
    needed = interval.whole(speed / of.ceiling)
    return note(
        "above_decoding",
        speed=f"{speed:g}",
        ceiling=interval.number(of.ceiling * copy),
        copy=f"{copy:g}",
        accelerator=of.accelerator,
        precision=asked.weight_precision,
        needed=f"{needed:g}",
        beyond=" (more than one system has)" if needed > sizing.SYSTEM else "",
    )
