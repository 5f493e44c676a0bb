"""A capacity plan: how many accelerators, nodes and dollars users need.

The one place that answers it: report, command line, sliders and audit ask here, and so have one set of assumptions.
What a plan rests on is looked up once (see basis.py) and planned over many times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import interval, notes
from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.notes import NONE, Notes, note
from analysis._core.parameters import MOST_USERS, RealWorldDerating
from analysis._core.vocabulary import COST_MODELS, MS_PER_SECOND, TOKENS, WORKS
from analysis.comparability.selection import Comparison
from analysis.methods import cost, node_power
from analysis.planner import sizing
from analysis.planner.basis import Basis, Prompt, basis
from analysis.planner.curve import ESTIMATE, Behind, Tables, Throughput
from analysis.planner.demand import Demand

_Input = tuple[str, str, Interval, str]  # quantity, unit, range, what the range is one of
ASSUMED = "assumed"  # basis of a range that no table gives
FEWEST_DRAWS = 1000  # of a median alone
SPEEDS, PRICE_CHANGE, PEAKS = (15.0, 25.0, 50.0), 0.2, (1.0, 2.0)  # of `alternatives`
CHANGED = ("accelerators", "usd_per_hour", "usd_per_million_tokens")
MEASURED = "measured under the latency limit, no production loss"  # basis of a derate of 1


@dataclass(frozen=True)
class LongPrompt:
    """A prompt that is read in no less than the limit on the first token; `compute_share` is of what reads it."""

    tokens: float
    accelerators: float
    compute_share: float
    read_ms: float
    limit_ms: float


@dataclass(frozen=True)
class Planned:
    """A plan: the draws (see sizing.size) and what went into them, each as the report shows it.

    `called` is what people call the accelerator, `chosen` are the rows of the scenario asked for, `rests_on` those of
    the `throughput` (none of one of one's own, or where others' results give the estimate; None: nothing is known, or
    no group is so fast). `roof` is the fastest that memory bandwidth allows a user (NaN unknown), `box` what is
    planned on. `drawn` says what the watts are, `power_notes` their caveats. `too_long` is a prompt for which there are
    no draws whatever the number of accelerators.
    """

    draws: pd.DataFrame
    demand: Demand
    accelerator: str
    called: str
    chosen: Comparison
    rests_on: Behind
    throughput: Throughput | None
    roof: float
    box: sizing.Box
    ranges: Sequence[_Input]
    drawn: node_power.Drawn
    power_notes: Notes
    notes: Notes
    too_long: LongPrompt | None = None

    @cached_property
    def marks(self) -> pd.DataFrame:
        """P10, P50 and P90 of every output."""
        rows = [(name, *self.percentiles(name)) for name in sizing.OUTPUTS]
        return pd.DataFrame(rows, columns=["output", "p10", "p50", "p90"])

    @cached_method
    def percentiles(self, output: str) -> list[float]:
        """P10, P50 and P90 of one output."""
        return sizing.marks(self.draws[output])

    def likely(self, output: str) -> Interval:
        """From the tenth to the ninetieth percentile of one output."""
        low, _, high = self.percentiles(output)
        return Interval(low, high)

    @property
    def inputs(self) -> pd.DataFrame:
        """What is drawn from: quantity, unit, value_low, value_high, range_of (what the range is one of)."""
        ends = [(name, unit, drawn.low, drawn.high, range_of) for name, unit, drawn, range_of in self.ranges]
        return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high", "range_of"])

    @property
    def behind(self) -> pd.DataFrame:
        """The rows that the throughput rests on."""
        return self.rests_on.rows

    @property
    def node(self) -> int:
        """The accelerators of a node."""
        return self.box.node

    @property
    def evidence(self) -> str:
        """MEASURED, INTERPOLATED, or ESTIMATE of curve.py, "" where the throughput is unknown.

        A part of a rack is an estimate where only whole racks were measured.
        """
        if self.throughput is None:
            return ""
        is_part = self.measured_on > self.node and self.likely("accelerators").high < self.measured_on
        return ESTIMATE if is_part else self.throughput.evidence

    @property
    def measured_on(self) -> int:
        """The accelerators of the smallest system behind the throughput; 0 where none is known."""
        return min(self.rests_on.counts, default=0)

    @property
    def too_fast(self) -> bool:
        """Whether memory bandwidth allows no user the speed asked for."""
        return self.demand.tokens_per_second_per_user > self.roof

    @cached_property
    def serves(self) -> bool:
        """Whether some number of accelerators serves the users nine times in ten, so that P90 is known."""
        return not np.isnan(self.likely("nodes").high)

    @property
    def held_nowhere(self) -> float:
        """The share of the draws in which no number of accelerators holds the weights beside one request, 0 to 1."""
        return sizing.held_nowhere(self.draws)

    @property
    def ranked(self) -> pd.DataFrame:
        """What dominates the uncertainty of the bill, or of their number where no price is known."""
        return sizing.sensitivity(self.draws, "usd_per_hour" if sizing.priced(self.draws) else "accelerators")


def make(
    tables: Tables,
    asked: RealWorldDerating,
    derate: Interval | None = None,
    above_one: bool = False,
    derate_of: str = ASSUMED,
    own: Throughput | None = None,
) -> Planned:
    """The plan that `asked` asks for on its baseline, from the throughput of its curve x `derate` (asked.derate).

    `derate_of` says what the derate is a range of; `own` replaces that throughput. No draws where no throughput at the
    speed is known, and no dollars where no price is. Raises ValueError for a derate that sizing.draw refuses.
    """
    return over(basis(tables, asked), asked, derate, above_one, derate_of, own)


def over(
    plan_basis: Basis,
    asked: RealWorldDerating,
    derate: Interval | None = None,
    above_one: bool = False,
    derate_of: str = ASSUMED,
    own: Throughput | None = None,
) -> Planned:
    """The plan that `asked` asks for on a basis of its own benchmark, accelerator and memory; raises as `make`."""
    asked, speed = plan_basis.settled(asked), speed_asked(plan_basis.unit, asked)
    throughput = own or plan_basis.curve.at(speed)
    behind = plan_basis.behind(speed) if throughput and not own else plan_basis.evidence.behind(())
    drawn, rate = plan_basis.drawn(behind, speed), throughput.rate if throughput else interval.UNKNOWN
    prompt = plan_basis.prompt.within(asked.ttft_ms / MS_PER_SECOND, behind.node)
    demand = _demand(plan_basis, asked, speed, prompt)
    derate = Interval(*asked.derate) if derate is None else derate
    box = _box(plan_basis, asked, behind, drawn.watts, prompt)
    usd = plan_basis.price if plan_basis.price.known else Interval(1.0, 1.0)
    of_draws = asked.draws, asked.seed, above_one, plan_basis.accelerator
    draws = sizing.draw(rate, derate, demand.peak_over_mean, usd, *of_draws)
    draws = draws if plan_basis.price.known else draws.assign(price=float("nan"))
    sized = sizing.size(draws, demand, plan_basis.model, box, Interval(*asked.context_tokens), asked.seed)
    ranges = [
        *_of_throughput(plan_basis, throughput, derate, derate_of),
        *_inputs(plan_basis, asked, demand, box, drawn),
        *_first_token(asked, demand, prompt),
    ]
    return Planned(
        draws=sized,
        demand=demand,
        accelerator=plan_basis.accelerator,
        called=plan_basis.facts["label"],
        chosen=plan_basis.evidence.chosen,
        rests_on=behind,
        throughput=throughput,
        roof=plan_basis.curve.roof,
        box=box,
        ranges=ranges,
        drawn=drawn,
        power_notes=_of_power(drawn, behind, plan_basis.accelerator, asked.scenario),
        notes=_of_plan(plan_basis, demand, asked, behind, prompt)
        | _of_unit(plan_basis, plan_basis.evidence.chosen.label)
        | _of_memory(plan_basis, sized),
        too_long=_too_long(asked, demand, prompt),
    )


def speed_asked(unit: str, asked: RealWorldDerating) -> float:
    """The speed that each user is to see; where the `unit` is tokens, a limit on the time of each asks for one too."""
    least = MS_PER_SECOND / asked.tpot_ms if unit == TOKENS else 0.0
    return max(asked.tokens_per_second_per_user, least)


def alternatives(asked: RealWorldDerating, unit: str) -> list[tuple[str, dict[str, Any], float]]:
    """What a buyer asks next: in words, the parameters that it changes, and what times it multiplies a price by.

    The price by PRICE_CHANGE either way, the interactivities SPEEDS, and utilization, which is mean over peak traffic.
    """
    speeds = [speed for speed in SPEEDS if speed != speed_asked(unit, asked)] if unit == TOKENS else []
    peaks = [peak for peak in PEAKS if [peak, peak] != list(asked.peak_over_mean)]
    return [
        *((f"price {change:+.0%}", {}, 1 + change) for change in (-PRICE_CHANGE, PRICE_CHANGE)),
        *((f"{speed:g} {unit} per user", {"tokens_per_second_per_user": speed}, 1.0) for speed in speeds),
        *((f"utilization {1 / peak:.0%}", {"peak_over_mean": [peak, peak]}, 1.0) for peak in peaks),
    ]


def sensitivity(plan_basis: Basis, asked: RealWorldDerating) -> pd.DataFrame:
    """The plan under each of the `alternatives`: change, the medians of accelerators and dollars, evidence.

    NaN where nothing is planned. Of FEWEST_DRAWS at most.
    """
    rows = []
    for words, update, times in alternatives(asked, plan_basis.unit):
        changed = asked.model_copy(update={"draws": min(asked.draws, FEWEST_DRAWS), **update})
        planned = over(replace(plan_basis, price=plan_basis.price * times), changed)
        medians = (planned.percentiles(name)[1] for name in CHANGED)
        rows.append((words, *medians, planned.evidence))
    return pd.DataFrame(rows, columns=["change", *CHANGED, "evidence"])


def by_users(plan_basis: Basis, asked: RealWorldDerating, counts: Iterable[float]) -> pd.DataFrame:
    """The plans for those of several numbers of users that may be asked for, P10 to P90 of their draws.

    Columns: users, accelerators_low/median/high, usd_per_user_hour_low/median/high (NaN without a price). No rows where
    nothing is planned.
    """
    rows = []
    for users in (int(count) for count in counts if 1 <= count <= MOST_USERS and count == int(count)):
        planned = over(plan_basis, asked.model_copy(update={"users": users}))
        rows.append((users, *planned.percentiles("accelerators"), *planned.percentiles("usd_per_user_hour")))
    names = [f"{name}_{end}" for name in ("accelerators", "usd_per_user_hour") for end in ("low", "median", "high")]
    return pd.DataFrame(rows, columns=["users", *names]).dropna(subset=["accelerators_low", "accelerators_high"])


def staircase(
    plan_basis: Basis, asked: RealWorldDerating, users: tuple[int, int] = (1, 10_000_000), steps: int = 100
) -> pd.DataFrame:
    """The steps of the staircase from users to accelerators, for the plan of `asked` with any number of users.

    One row a step, the fewest first: accelerators (rented, with asked.spare_nodes), users_from_p10/p50/p90: the fewest
    users for whom that percentile of the plan's draws has so many or more; for one user less `over` has fewer. P90
    takes its steps among fewer users than P50; accelerators that only serve together begin with the same user. From
    the P50 of the lowest of `users` to that of the highest; of more than `steps` so many, spread evenly by their ratio,
    each with its own first user. No rows where nothing is planned.
    """
    spare, asked = asked.spare_nodes, asked.model_copy(update={"users": users[0], "spare_nodes": 0})
    plan, largest = (over(plan_basis, asked.model_copy(update={"users": count})) for count in users)
    names = ["accelerators", *(f"users_from_{mark}" for mark in ("p10", "p50", "p90"))]
    if not (plan.serves and largest.serves):
        return pd.DataFrame(columns=names)
    unit = plan.box.unit
    least, most = (int(end.percentiles("accelerators")[1]) // unit for end in (plan, largest))
    counts = range(least, most + 1)
    if len(counts) > steps:
        counts = sorted({round(count) for count in np.geomspace(least, most, steps)})
    rows = []
    for count in counts:
        fewer = (plan.draws, plan.demand, plan_basis.model, plan.box, (count - 1) * unit)
        first = _first_users(sizing.served(*fewer) if count > least else None, users[0])
        rows.append((count * unit + spare * plan.node, *first))
    return pd.DataFrame(rows, columns=names)


def _first_users(served_by_fewer: np.ndarray | None, least: int) -> list[int]:
    """The fewest users for whom the draws of sizing.MARKS need more than the accelerators behind `served_by_fewer`.

    That is the most users which so many serve, draw by draw; None where they are the fewest: the `least` users.
    """
    if served_by_fewer is None:
        return [least] * len(sizing.MARKS)
    ranks = [int(np.ceil(mark * (len(served_by_fewer) - 1))) for mark in sizing.MARKS]
    places = [len(served_by_fewer) - 1 - rank for rank in ranks]
    ordered = np.partition(served_by_fewer, places)
    return [int(np.floor(np.round(ordered[place], 6))) + 1 for place in places]


def _demand(plan_basis: Basis, asked: RealWorldDerating, speed: float, prompt: Prompt) -> Demand:
    """Without tokens per request, stated or known, requests have no length, and no queue can be planned."""
    tokens, limit = asked.tokens_per_request, asked.ttft_ms / MS_PER_SECOND
    seconds = prompt.seconds if prompt.known else 0.0
    mean_s = seconds * plan_basis.evidence.requests.lengths.prompt / prompt.tokens
    peak, waits = Interval(*asked.peak_over_mean), (asked.wait_percentile, asked.wait_variability)
    return Demand(asked.users, speed, peak, tokens, limit, *waits, seconds, mean_s)


def _of_power(drawn: node_power.Drawn, behind: Behind, accelerator: str, scenario: str) -> Notes:
    """The caveats of kilowatts beside the throughput of the rows `behind` the plan, which are of a `scenario`."""
    if not drawn.metered:
        return frozenset({note("no_meter", accelerator=accelerator, scenario=scenario)})
    apart = notes.apart(behind.read["round"], drawn.runs["round"])
    return frozenset(replace(remark, about=("throughput against kilowatts",)) for remark in apart)


def _box(plan_basis: Basis, asked: RealWorldDerating, behind: Behind, drawn: Interval, prompt: Prompt) -> sizing.Box:
    return sizing.Box(
        memory_gb=float(plan_basis.facts["memory_gb"]),
        headroom=asked.memory_headroom,
        watts=drawn,
        power_usage_effectiveness=asked.power_usage_effectiveness,
        node=behind.node,
        unit=behind.node if asked.whole_nodes else 1,
        spare_nodes=asked.spare_nodes,
        measured_on=max(behind.counts, default=behind.node),
        kept=plan_basis.scaling.kept,
        group=int(prompt.accelerators) if prompt.known else 1,
    )


def _of_throughput(plan_basis: Basis, throughput: Throughput | None, derate: Interval, derate_of: str) -> list[_Input]:
    """The throughput that is planned with, and what production takes."""
    rate, range_of = (throughput.rate, throughput.range_of) if throughput else (interval.UNKNOWN, "")
    return [
        ("throughput per accelerator", f"{WORKS[plan_basis.unit]} per second", rate, range_of),
        ("derate", "share of that throughput in production", derate, derate_of),
    ]


def _of_prices(providers: Sequence[str], cost_model: str) -> str:
    """Return whose prices a range is of, and of which cost model those of data/prices.csv are."""
    named = ", ".join(dict.fromkeys(providers))
    return f"{named} ({COST_MODELS[cost_model]})" if named and named != cost.GIVEN else named or "no price"


def _inputs(
    plan_basis: Basis, asked: RealWorldDerating, demand: Demand, box: sizing.Box, drawn: node_power.Drawn
) -> list[_Input]:
    context, beyond = Interval(*asked.context_tokens), f"share per accelerator beyond {box.measured_on}"
    lengths = plan_basis.evidence.requests.lengths
    of_context = f"prompts of {lengths.prompt:,.0f} and answers of {lengths.answer:,.0f} tokens in the mean"
    return [
        ("peak over mean", "traffic ratio", demand.peak_over_mean, ASSUMED),
        ("price", "US dollars per accelerator-hour", plan_basis.price, _of_prices(plan_basis.offers, asked.cost_model)),
        ("context", "tokens in the KV cache per request", context, of_context),
        (sizing.KEPT, beyond, box.kept, plan_basis.scaling.range_of),
        ("power", "watts per accelerator with host", drawn.watts, drawn.basis),
    ]


def _first_token(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> list[_Input]:
    """What stays fixed in every draw until the first token; nothing without a prompt."""
    count = f"{prompt.accelerators:g} accelerator{'s' * (prompt.accelerators > 1)}"
    share = f"{interval.number(100 * asked.prefill_share)}% of dense compute of {count}"
    rows = [
        ("prefill", f"seconds, prompts of up to {prompt.tokens:,.0f} tokens at {share}", demand.prompt_s),
        ("queueing", "seconds at most", max(demand.wait_limit_s, 0.0)),
    ]
    return [(name, unit, Interval(value, value), "") for name, unit, value in rows if prompt.known]


def _too_long(asked: RealWorldDerating, demand: Demand, prompt: Prompt) -> LongPrompt | None:
    if demand.wait_limit_s > 0:
        return None
    read_ms = demand.prompt_s * MS_PER_SECOND
    return LongPrompt(prompt.tokens, prompt.accelerators, asked.prefill_share, read_ms, asked.ttft_ms)


def _of_unit(plan_basis: Basis, label: str) -> Notes:
    return NONE if plan_basis.unit == TOKENS else frozenset({note("no_tokens", unit=plan_basis.unit, benchmark=label)})


def _of_memory(plan_basis: Basis, sized: pd.DataFrame) -> Notes:
    """That some of the draws have no plan, for memory holds no request."""
    if not (share := sizing.held_nowhere(sized)):
        return NONE
    percent = interval.number(100 * share, 2)
    return frozenset({note("held_nowhere", percent=percent, accelerator=plan_basis.accelerator)})


def _of_plan(plan_basis: Basis, demand: Demand, asked: RealWorldDerating, behind: Behind, prompt: Prompt) -> Notes:
    """What the plan leaves out or assumes."""
    wanted = asked.tokens_per_second_per_user
    remarks = notes.some(
        no_queue=bool(pd.isna(demand.service_s)),
        no_prompt=not prompt.known,
        no_memory=plan_basis.model is None,
        latent_cache=plan_basis.model is not None and plan_basis.model.latent and prompt.accelerators > 1,
        speed_unknown=plan_basis.unit == TOKENS and not plan_basis.evidence.typical,
    )
    if plan_basis.unit == TOKENS and behind.first_token_ms.high > asked.ttft_ms:
        took = {"seconds": interval.number(behind.first_token_ms.low / MS_PER_SECOND, 2)}
        took |= {"limit": interval.number(asked.ttft_ms / MS_PER_SECOND)}
        remarks |= {note("late_first_token", accelerator=plan_basis.accelerator, **took)}
    if prompt.known:
        remarks |= {note("prompt_share", percent=f"{100 * asked.prefill_share:g}")}
    context, mean = asked.context_tokens[-1], plan_basis.evidence.requests.lengths.context
    if plan_basis.model is not None and mean > context:
        remarks |= {note("short_context", context=f"{context:,.0f}", mean=f"{mean:,.0f}")}
    faster = demand.tokens_per_second_per_user > wanted
    return remarks | ({note("limit_decides_speed", speed=f"{wanted:g}")} if faster else NONE)
