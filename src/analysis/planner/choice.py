"""Available accelerators ranked for a model, users, and a budget: one capacity plan each (see capacity.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.parameters import AcceleratorChoice
from analysis._core.vocabulary import LIMITED
from analysis.methods import cost
from analysis.planner import basis, capacity, nearest_benchmark, sizing
from analysis.planner.basis import Basis
from analysis.planner.capacity import FEWEST_DRAWS, Planned
from analysis.planner.curve import ESTIMATE, Tables
from analysis.planner.demand import requests
from analysis.planner.nearest_benchmark import Shape

ACCELERATORS, DOLLARS, KILOWATTS = "count", "usd_per_hour", "kilowatts"  # what a ranking is by
MARKS = {"low": "p10", "median": "p50", "high": "p90"}
# Why an accelerator is not ranked.
TOO_FAST, NO_RATE = "faster than memory bandwidth allows", "no result, and no datasheet to estimate from"
PREVIEW, PROMPT, MEMORY = "preview only", "prefill exceeds the TTFT limit", "memory too small"
# Whether a budget is met: none is given; by the P90; by the P10; price or power unknown; by neither. In this order: of
# two budgets the one that counts comes later.
WITHIN = ("", "yes", "possibly", "unknown", "no")
CAUSES = {"traffic": "throughput", "queue": "queueing", "groups": "weights", "memory": "KV cache"}  # of sizing.CAUSES
PER_MILLION, BREAK_EVEN, HEADROOM = "usd_per_million_tokens", "break_even", "headroom"
QUANTITIES = ("nodes", ACCELERATORS, DOLLARS, PER_MILLION, KILOWATTS, HEADROOM, BREAK_EVEN, "price_at_most")
CHANGES = ["change", "accelerator", "name", *(f"{name}_median" for name in (ACCELERATORS, DOLLARS, PER_MILLION))]
FEW = 5  # of the ranked, whose order `sensitivity` looks at
RANKED_BY = {"cost": DOLLARS, "power": KILOWATTS, "accelerators": ACCELERATORS}  # by the value of `rank_by`
RANKED = [
    "accelerator", "name", "node", "evidence", *(f"{name}_{end}" for name in QUANTITIES for end in MARKS),
    "metered", "metered_runs", "power_basis", "decided_by", "decided_share", "within", "measured_on",
    "speed", "rate_low", "rate_median", "rate_high", "rate_of", "scenario", "round", "basis", "origin",
    "systems", "system", "submitter", "framework", "serving_software", "source_ids", "notes", "power_notes",
]  # fmt: skip
UNRANKED = ["accelerator", "name", "why", "roof"]


@dataclass(frozen=True)
class Match:
    """The `benchmark` planned with, whether it was `found` as the closest, and the distance of each benchmark.

    `shape` is that of the model (None where it is the benchmark's own and unknown), `near` a frame of nearest.ranked,
    with a row of the benchmark itself, `model` what the model is called ("" not said).
    """

    benchmark: str
    found: bool
    shape: Shape | None
    near: pd.DataFrame
    model: str = ""

    @property
    def own(self) -> pd.Series | None:
        """The row of `near` of the benchmark; None where its distance is unknown."""
        rows = self.near[self.near["benchmark"].eq(self.benchmark) & self.near["distance"].notna()]
        return rows.iloc[0] if len(rows) else None

    @property
    def far(self) -> bool:
        """Whether the benchmark is known to be far from the model."""
        return self.own is not None and bool(self.own["distance"] > nearest_benchmark.FAR)

    @property
    def none_near(self) -> bool:
        """Whether even the closest benchmark is far."""
        return self.far and bool(self.near["distance"].min() > nearest_benchmark.FAR)

    @property
    def is_another_model(self) -> bool:
        """Whether the benchmark is known to be another model than the one planned for."""
        return self.own is not None and bool(self.own["distance"] > 0)

    @property
    def mapping(self) -> str:
        """Return what is planned with in one line: the benchmark, why it, and how its throughput is scaled."""
        if self.own is None or not self.is_another_model:
            return f"{self.benchmark}: benchmark of its own."
        size = f"{self.shape.parameters_billion:g}B" if self.shape else "this size"
        how = "closest" if self.found else "chosen"
        return (
            f"{self.model or size}: no benchmark of {size}; {self.own['label']} ({how}), scaled by parameters and "
            "lengths: estimate."
        )

    @property
    def notes(self) -> Notes:
        """Notes that the benchmark is of another kind (dense, mixture of experts) and that it is far."""
        row = self.own
        if row is None or self.shape is None:
            return NONE
        kinds = ("dense", "a mixture of experts")
        words = {"benchmark": row["label"], "kind": kinds[not self.shape.mixture], "model": kinds[self.shape.mixture]}
        other_kind = NONE if row["same_kind"] else frozenset({notes.note("other_kind", **words)})
        if not self.far:
            return other_kind
        distance, far = (interval.number(float(value), 2) for value in (row["distance"], nearest_benchmark.FAR))
        return other_kind | frozenset({notes.note("far_benchmark", benchmark=row["label"], distance=distance, far=far)})


@dataclass(frozen=True)
class Choice:
    """A ranking of available accelerators for `asked` (with its benchmark settled), best first.

    `ranked` has RANKED (see `rank`), `unranked` UNRANKED (see `unanswered`), `plans` the plan of each accelerator, `by`
    is what the ranking is by: ACCELERATORS, DOLLARS, or KILOWATTS.
    """

    asked: AcceleratorChoice
    match: Match
    plans: Mapping[str, Planned]
    bases: Mapping[str, Basis]
    ranked: pd.DataFrame
    unranked: pd.DataFrame
    by: str

    @property
    def behind(self) -> pd.DataFrame:
        """The results that the throughput of the ranked accelerators is taken from."""
        rows = [self.plans[name].behind for name in self.ranked["accelerator"]]
        return pd.concat(rows, ignore_index=True) if rows else next(iter(self.plans.values())).behind.head(0)

    @property
    def known(self) -> pd.DataFrame:
        """The ranked rows of which the quantity that the ranking is by is known."""
        return self.ranked[self.ranked[f"{self.by}_low"].notna()]

    @property
    def is_proxy(self) -> bool:
        """Whether the benchmark replaces another model: by its name, else by its distance."""
        if self.asked.model:
            return self.asked.benchmark_named != self.match.benchmark
        return self.match.is_another_model

    @property
    def budgets(self) -> dict[str, float]:
        """The budgets asked for, by the quantity that they limit."""
        limits = {DOLLARS: self.asked.usd_per_hour_at_most, KILOWATTS: self.asked.kilowatts_at_most}
        return {name: limit for name, limit in limits.items() if limit}

    @property
    def unit(self) -> str:
        """The unit of a user's speed, such as tokens/s."""
        return next(iter(self.plans.values())).chosen.unit

    @property
    def target(self) -> float:
        """The speed that each user sees at least, in `unit`."""
        return capacity.speed_asked(self.unit, self.asked)


def make(tables: Tables, asked: AcceleratorChoice) -> Choice:
    """Return the ranking that `asked` asks for. Raises ValueError as capacity.make does."""
    matched = match(tables, asked)
    settled = asked.model_copy(update={"benchmark": matched.benchmark})
    models = with_model(tables.benchmarks, matched)
    shown = dict.fromkeys([asked.baseline, *asked.accelerators]) if asked.accelerators else ()
    compared = basis.bases(tables, settled, shown, models)  # one pass over the results for all accelerators
    bases = compared | ({} if asked.baseline in compared else basis.bases(tables, settled, [asked.baseline], models))
    plans = planned(bases, settled)
    ranked = rank(plans, settled)
    return Choice(
        asked=settled,
        match=matched,
        plans=plans,
        bases=bases,
        ranked=ranked,
        unranked=unanswered(plans, ranked["accelerator"], settled),
        by=order_of(ranked, asked),
    )


def match(tables: Tables, asked: AcceleratorChoice) -> Match:
    """Return the benchmark asked for, else the one with the model's name, else the closest by its parameters.

    The closest is among those with results under a latency limit in the rounds asked for.
    """
    shapes, total = nearest_benchmark.shapes(tables.benchmarks), asked.parameters_billion
    prompt = requests(asked.lengths).lengths.prompt if asked.lengths else asked.prompt_tokens or np.nan
    stated = Shape(total, asked.active_parameters_billion or total, prompt) if total else None
    benchmark = asked.benchmark or asked.benchmark_named
    shape = stated or shapes.get(benchmark)
    near = pd.DataFrame(columns=nearest_benchmark.COLUMNS)
    if shape is not None:
        rows = tables.results
        was_run = rows["round"].isin(asked.rounds or rows["round"].unique()) & rows["scenario"].isin(LIMITED)
        unknown = nearest_benchmark.unmeasured(tables.benchmarks)
        of_text = {*shapes, *unknown}
        among = {*rows.loc[was_run & rows["benchmark"].isin(list(of_text)), "benchmark"], benchmark} & of_text
        near = nearest_benchmark.ranked(tables.benchmarks, shapes, shape, among, unknown)
    return Match(benchmark or _first(near), not benchmark, shape, near, asked.model)


def _first(near: pd.DataFrame) -> str:
    """Return the closest benchmark. Raises ValueError where none has a distance."""
    if not near["distance"].notna().any():
        raise ValueError("no benchmark of known size has results under a latency limit in these rounds: name one")
    return near["benchmark"].iloc[0]


def with_model(benchmarks: pd.DataFrame, matched: Match) -> pd.DataFrame:
    """Return the benchmarks with the model's parameters in the matched row, for its weights, prompts, and throughput.

    Layers and the shape of the KV cache stay those of the benchmark.
    """
    if matched.shape is None:
        return benchmarks
    is_matched = benchmarks["benchmark"].eq(matched.benchmark)
    active = matched.shape.active_billion if matched.shape.mixture else np.nan
    total = benchmarks["parameters_billion"].astype("float64").mask(is_matched, matched.shape.parameters_billion)
    at_work = benchmarks["active_parameters_billion"].astype("float64").mask(is_matched, active)
    return benchmarks.assign(parameters_billion=total, active_parameters_billion=at_work)


def planned(bases: Mapping[str, Basis], asked: AcceleratorChoice) -> dict[str, Planned]:
    """Return the plan of each accelerator."""
    return {
        name: capacity.over(plan_basis, asked.model_copy(update={"baseline": name}))
        for name, plan_basis in bases.items()
    }


def order_of(ranked: pd.DataFrame, asked: AcceleratorChoice) -> str:
    """Return what the ranking is by: that of `rank_by`, or ACCELERATORS where it is known of no row."""
    by = RANKED_BY[asked.rank_by]
    return by if ranked[f"{by}_high"].notna().any() else ACCELERATORS


def rank(plans: Mapping[str, Planned], asked: AcceleratorChoice) -> pd.DataFrame:
    """Return the available accelerators that have a plan, a row each, with RANKED; best first.

    count (accelerators rented), nodes (that hold them), usd_per_hour, usd_per_million_tokens, kilowatts, headroom (the
    share of throughput that peak traffic leaves): P10, median, and P90 of the draws; break_even: price of an
    accelerator-hour over the baseline's at the same bill, the ratio of throughputs draw by draw; price_at_most: US
    dollars per accelerator-hour that meet the budget. Unknown is NaN. `evidence` is that of curve.py, and ESTIMATE
    where a plan has fewer accelerators than the system of several nodes that was measured. `rate` is the throughput per
    accelerator at the interactivity, `rate_of` what it rests on; `decided_by` is the most frequent binding constraint
    of CAUSES; `within` the budget, one of WITHIN; `metered_runs` the power submissions behind the kilowatts, 0 for
    modeled ones. System, submitter, and software are those of the fastest row behind. Order: within the budget first,
    those that exceed it last; of each of WITHIN estimates last, then by the median and P90 of what `order_of` says,
    then by throughput.
    """
    base = plans[asked.baseline].draws
    wanted = {*(asked.accelerators or plans)}  # a baseline not asked for is a price reference only
    usable = [plan for name, plan in plans.items() if name in wanted and plan.serves and plan.rests_on.is_available]
    frame = pd.DataFrame([_row(plan, base, asked) for plan in usable], columns=RANKED)
    newest, by = round_order.newest(frame["round"]), order_of(frame, asked)
    apart = [
        of_row | notes.apart([round], [newest]) for of_row, round in zip(frame["notes"], frame["round"], strict=True)
    ]
    frame = frame.assign(notes=pd.Series(apart, index=frame.index, dtype="object"))
    sizes = frame[[f"{by}_median", f"{by}_high", f"{ACCELERATORS}_median"]].fillna(np.inf).to_numpy("float64")
    turn = [WITHIN.index(within) for within in frame["within"]]
    order = np.lexsort([-frame["rate_high"], *sizes.T[::-1], frame["evidence"].eq(ESTIMATE), turn])
    return frame.take(order).reset_index(drop=True)


def unanswered(plans: Mapping[str, Planned], ranked: Iterable[str], asked: AcceleratorChoice) -> pd.DataFrame:
    """Return the accelerators that are planned but not ranked, a row each, with UNRANKED.

    `why` is TOO_FAST, NO_RATE, PREVIEW, PROMPT, or MEMORY; `roof` the fastest that memory bandwidth allows a user.
    """
    left = [plan for name, plan in plans.items() if name in (asked.accelerators or plans) and name not in set(ranked)]
    rows = [(plan.accelerator, plan.called, _why(plan), plan.roof) for plan in left]
    return pd.DataFrame(rows, columns=UNRANKED).sort_values("roof", ascending=False, kind="stable", ignore_index=True)


def sensitivity(chosen: Choice) -> pd.DataFrame:
    """Return what changes the ranking: its first under each of capacity.alternatives, prices of the leader alone.

    Columns: CHANGES: the change in words, the accelerator that then leads, its name, and medians. Of the first FEW
    ranked, and FEWEST_DRAWS at most.
    """
    rows, first = [], list(chosen.ranked["accelerator"].head(FEW))
    for words, update, times in capacity.alternatives(chosen.asked, chosen.unit) if first else ():
        bases = {name: chosen.bases[name] for name in dict.fromkeys([*first, chosen.asked.baseline])}
        bases[first[0]] = replace(bases[first[0]], price=bases[first[0]].price * times)
        asked = chosen.asked.model_copy(update={"draws": min(chosen.asked.draws, FEWEST_DRAWS), **update})
        ranked = rank(planned(bases, asked), asked.model_copy(update={"accelerators": first}))
        changed = words if times == 1 else f"{chosen.plans[first[0]].called} {words}"
        rows += [(changed, *ranked.iloc[0][CHANGES[1:]])] if len(ranked) else []
    return pd.DataFrame(rows, columns=CHANGES)


def _why(plan: Planned) -> str:
    """Return why an accelerator is not ranked."""
    if plan.too_long:
        return PROMPT
    if plan.throughput is None:
        return TOO_FAST if plan.too_fast else NO_RATE
    return MEMORY if plan.held_nowhere else PREVIEW


def _row(plan: Planned, base: pd.DataFrame, asked: AcceleratorChoice) -> dict:
    """Return a row of `rank`; `base` are draws of the baseline."""
    draws, behind, throughput = plan.draws, plan.rests_on, plan.throughput
    count, traffic = draws["accelerators"].to_numpy(), draws["for_traffic"].to_numpy()
    less_is_worse = {
        HEADROOM: 1 - traffic / count,
        BREAK_EVEN: base["for_traffic"].to_numpy() / traffic if len(base) == len(draws) else count * np.nan,
        "price_at_most": (asked.usd_per_hour_at_most or np.nan) / count,
    }
    marks = {name: plan.percentiles(name) for name in ("nodes", DOLLARS, PER_MILLION, KILOWATTS)}
    marks |= {ACCELERATORS: plan.percentiles("accelerators")}
    marks |= {name: sizing.marks(values, unplanned=-np.inf) for name, values in less_is_worse.items()}
    ends = {
        f"{name}_{end}": mark for name, of_output in marks.items() for end, mark in zip(MARKS, of_output, strict=True)
    }
    shares = sizing.decided_shares(draws)
    system = {name: behind.fastest.get(name, "") for name in ("scenario", "round", "basis", "origin", *cost.RAN[1:])}
    return ends | system | {
        "accelerator": plan.accelerator,
        "name": plan.called,
        "node": plan.node,
        "metered": plan.drawn.metered,
        "metered_runs": len(plan.drawn.runs),
        "power_basis": plan.drawn.basis,
        "evidence": plan.evidence,
        "decided_by": list(CAUSES.values())[shares.argmax()],
        "decided_share": float(shares.max()),
        "within": _within(ends, asked),
        "measured_on": plan.measured_on,
        "speed": behind.speed,
        "rate_low": throughput.rate.low,
        "rate_median": throughput.middle,
        "rate_high": throughput.rate.high,
        "rate_of": throughput.range_of,
        "systems": behind.systems,
        "source_ids": behind.source_ids,
        "notes": behind.notes | plan.notes,
        "power_notes": plan.power_notes,
    }  # fmt: skip


def _within(ends: Mapping[str, float], asked: AcceleratorChoice) -> str:
    """Return whether the budgets are met: the worse of both, one of WITHIN."""
    budgets = {DOLLARS: asked.usd_per_hour_at_most, KILOWATTS: asked.kilowatts_at_most}
    return max((_budget_holds(ends, name, budget) for name, budget in budgets.items()), key=WITHIN.index)


def _budget_holds(ends: Mapping[str, float], name: str, budget: float) -> str:
    """Return one of WITHIN for one budget of the quantity `name`; "" without a budget."""
    if not budget:
        return ""
    low, high = ends[f"{name}_low"], ends[f"{name}_high"]
    if low != low:
        return "unknown"
    return "yes" if high <= budget else "possibly" if low <= budget else "no"


def ties(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the ranked rows as good as the first: the same median and P90 of what the ranking is by."""
    ends = [f"{by}_{end}" for end in ("median", "high")] + ["within", "evidence"]
    return rows[rows[ends].eq(rows.iloc[0][ends]).all(axis=1)] if len(rows) else rows


def budget_used(chosen: Choice, row: pd.Series) -> Interval:
    """Return the share of the budget that a ranked row takes, of two budgets the larger share; NaN where unknown."""
    shares = [interval.span(row, name) / budget for name, budget in chosen.budgets.items()]
    return max((share for share in shares if share.known), key=lambda share: share.low, default=interval.UNKNOWN)
