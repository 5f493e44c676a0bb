"""Available accelerators ranked for a model, users, and a budget: one capacity plan each (see capacity.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.parameters import MOST_USERS, AcceleratorChoice
from analysis._core.vocabulary import LIMITED, TOKENS, round_age
from analysis.comparability import selection
from analysis.methods import benchmark_rules, cost, system_properties
from analysis.methods.system_properties import USUAL_SIZE
from analysis.planner import basis, capacity, nearest_benchmark, sizing
from analysis.planner.basis import Basis
from analysis.planner.capacity import Planned
from analysis.planner.nearest_benchmark import Shape
from analysis.planner.official_runs import SPEED, Tables

ACCELERATORS, DOLLARS, KILOWATTS = "count", "usd_per_hour", "kilowatts"  # what a ranking is by
MARKS = {"low": "p10", "median": "p50", "high": "p90"}
# Why an accelerator is not ranked.
TOO_SLOW, OTHER_ROUND, NO_RUN = "no run at this interactivity", "run in other rounds only", "no run of this benchmark"
PREVIEW, PROMPT, MEMORY = "preview only", "prefill exceeds the TTFT limit", "memory too small"
NO_RATE = "throughput unknown"
# Whether a budget is met: none is given; by the P90; by the P10; price or power unknown; by neither. In this order: of
# two budgets the one that counts comes later.
WITHIN = ("", "yes", "possibly", "unknown", "no")
CAUSES = {"traffic": "throughput", "queue": "queueing", "groups": "weights", "memory": "KV cache"}  # of sizing.CAUSES
ONE_NODE = "one node is enough"
AROUND, STEPS = 10, 30  # a staircase goes from a tenth of the users to ten times as many, in at most so many steps
FEWER_DRAWS = 5000  # of a staircase, each step of which is solved for each draw
MANY_USERS = 100_000_000  # so many that whole nodes round nothing away
AT_SCALE = "break_even_at_scale"
# What each would be in nodes as large as the largest compared (see equal_node): what the ranking is by.
EQUAL = {name: f"{name}_in_equal_nodes" for name in (ACCELERATORS, DOLLARS, KILOWATTS)}
PER_MILLION = "usd_per_million_tokens"
QUANTITIES = ("nodes", ACCELERATORS, DOLLARS, PER_MILLION, KILOWATTS, *EQUAL.values(), "break_even", "price_at_most")
RANKED_BY = {"cost": DOLLARS, "power": KILOWATTS, "accelerators": ACCELERATORS}  # by the value of `rank_by`
RANKED = [
    "accelerator", "name", "node", *(f"{name}_{end}" for name in (*QUANTITIES, AT_SCALE) for end in MARKS),
    "metered", "metered_runs", "power_basis", "decided_by", "decided_share", "within", "measured_on", "extrapolated",
    "speed", "rate_low", "rate_high", "scenario", "round", "basis", "origin",
    "systems", "system", "submitter", "framework", "serving_software", "source_ids", "notes", "power_notes",
]  # fmt: skip
RAN = ["accelerator", "benchmark", "scenario", "round", "origin", "availability", "system_key", "source_id", SPEED]
UNRANKED = [
    "accelerator", "why", "benchmark", "distance", "scenario", "speed", "of_target", "rounds", "systems", "source_ids",
]  # fmt: skip


@dataclass(frozen=True)
class Match:
    """The `benchmark` planned with, whether it was `found` as the closest, and the distance of each benchmark.

    `shape` is that of the model (None where it is the benchmark's own and unknown), `near` a frame of nearest.ranked,
    with a row of the benchmark itself.
    """

    benchmark: str
    found: bool
    shape: Shape | None
    near: pd.DataFrame

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

    `ranked` has RANKED (see `rank` and `at_scale`), `unranked` UNRANKED (see `unanswered`), `plans` the plan of each
    accelerator that has one and of the baseline, `by` is what the ranking is by: ACCELERATORS, DOLLARS, or KILOWATTS.
    `limited` are the labels of benchmarks with results under a latency limit in the rounds asked for.
    """

    asked: AcceleratorChoice
    match: Match
    plans: Mapping[str, Planned]
    bases: Mapping[str, Basis]
    ranked: pd.DataFrame
    unranked: pd.DataFrame
    by: str
    limited: tuple[str, ...] = ()

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
    def node(self) -> int:
        """The accelerators of a node in which the ranking compares."""
        return equal_node(self.ranked["node"])

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
    evidence = ran(tables, settled)
    ranked = at_scale(rank(plans, settled), bases, settled)
    return Choice(
        asked=settled,
        match=matched,
        plans=plans,
        bases=bases,
        ranked=ranked,
        unranked=unanswered(evidence, plans, ranked["accelerator"], settled, matched),
        by=order_of(ranked, asked),
        limited=_limited(tables, asked),
    )


def match(tables: Tables, asked: AcceleratorChoice) -> Match:
    """Return the benchmark asked for, else the one with the model's name, else the closest by its parameters.

    The closest is among those with results under a latency limit in the rounds asked for.
    """
    shapes = nearest_benchmark.shapes(tables.benchmarks, tables.benchmark_limits, asked.rounds)
    total = asked.parameters_billion
    stated = Shape(total, asked.active_parameters_billion or total, asked.prompt_tokens or np.nan) if total else None
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
    return Match(benchmark or _first(near), not benchmark, shape, near)


def _limited(tables: Tables, asked: AcceleratorChoice) -> tuple[str, ...]:
    """Return the labels of benchmarks with official results under a latency limit in these rounds, text first."""
    rows = tables.results
    in_rounds = rows["round"].isin(asked.rounds or rows["round"].unique())
    ran_limited = set(rows.loc[in_rounds & rows["scenario"].isin(LIMITED) & rows["origin"].eq("official"), "benchmark"])
    rows = tables.benchmarks[tables.benchmarks["benchmark"].isin(ran_limited)]
    is_text = rows["server_unit"].eq(TOKENS)
    return (*rows.loc[is_text, "label"], *rows.loc[~is_text, "label"])


def _first(near: pd.DataFrame) -> str:
    """Return the closest benchmark. Raises ValueError where none has a distance."""
    if not near["distance"].notna().any():
        raise ValueError("no benchmark of known size has results under a latency limit in these rounds: name one")
    return near["benchmark"].iloc[0]


def with_model(benchmarks: pd.DataFrame, matched: Match) -> pd.DataFrame:
    """Return the benchmarks with the model's parameters in the matched row, for its weights and prompts.

    Throughput and the shape of the KV cache stay those of the benchmark.
    """
    if matched.shape is None:
        return benchmarks
    is_matched = benchmarks["benchmark"].eq(matched.benchmark)
    active = matched.shape.active_billion if matched.shape.mixture else np.nan
    total = benchmarks["parameters_billion"].astype("float64").mask(is_matched, matched.shape.parameters_billion)
    at_work = benchmarks["active_parameters_billion"].astype("float64").mask(is_matched, active)
    return benchmarks.assign(parameters_billion=total, active_parameters_billion=at_work)


def planned(bases: Mapping[str, Basis], asked: AcceleratorChoice) -> dict[str, Planned]:
    """Return the plan of each accelerator with a run at the target speed, and of the baseline (among `bases`)."""
    return {
        name: capacity.over(plan_basis, asked.model_copy(update={"baseline": name}))
        for name, plan_basis in bases.items()
        if name == asked.baseline or _ran_so_fast(plan_basis, asked)
    }


def order_of(ranked: pd.DataFrame, asked: AcceleratorChoice) -> str:
    """Return what the ranking is by: that of `rank_by`, or ACCELERATORS where it is known of no row."""
    by = RANKED_BY[asked.rank_by]
    return by if ranked[f"{by}_high"].notna().any() else ACCELERATORS


def rank(plans: Mapping[str, Planned], asked: AcceleratorChoice) -> pd.DataFrame:
    """Return the available accelerators that have a plan, a row each, with RANKED but AT_SCALE; best first.

    nodes, count (accelerators in whole nodes), usd_per_hour, usd_per_million_tokens, kilowatts: P10, median, and P90 of
    the draws; break_even: price of an accelerator-hour over the baseline's at the same bill, the ratio of their counts
    draw by draw, NaN where their nodes differ in size; price_at_most: US dollars per accelerator-hour that meet the
    budget. Unknown is NaN.
    `decided_by` is the most frequent binding constraint of CAUSES, or ONE_NODE where one node (beside spare ones) is
    enough in nine of ten draws; `within` the budget, one of WITHIN; `metered_runs` the power submissions behind the
    kilowatts, 0 for modeled ones; those of EQUAL: in nodes of equal_node where their own are smaller; `measured_on` the
    accelerators of the smallest system behind, `extrapolated` whether the plan has fewer in nine of ten draws. System,
    submitter, and software are those of the fastest row behind, `speed` the lowest of its rows. Order: within the
    budget first, those that exceed it last; of each of WITHIN measured sizes before extrapolated ones, then by the
    median and P90 of what `order_of` says in equal nodes (the size that somebody submitted is no merit of an
    accelerator), then by throughput.
    """
    base = plans[asked.baseline].draws
    wanted = {*(asked.accelerators or plans)}  # a baseline not asked for is a price reference only
    usable = [plan for name, plan in plans.items() if name in wanted and plan.serves]
    usable = [plan for plan in usable if _is_available(plan)]
    equal = equal_node(plan.node for plan in usable)
    rows = [_row(plan, base, plans[asked.baseline].node, equal, asked) for plan in usable]
    frame = pd.DataFrame(rows, columns=RANKED)
    newest = round_order.newest(frame["round"])
    apart = [
        of_row | notes.apart([round], [newest]) for of_row, round in zip(frame["notes"], frame["round"], strict=True)
    ]
    by = order_of(frame, asked)
    order = frame.assign(
        notes=pd.Series(apart, index=frame.index, dtype="object"), turn=frame["within"].map(WITHIN.index)
    )
    keys = [
        "turn",
        "extrapolated",
        f"{EQUAL[by]}_median",
        f"{EQUAL[by]}_high",
        f"{EQUAL[ACCELERATORS]}_median",
        "rate_high",
    ]
    ranked = order.sort_values(keys, ascending=[True] * 5 + [False], kind="stable", na_position="last")
    return ranked.drop(columns="turn").reset_index(drop=True)


def equal_node(nodes: Iterable[int]) -> int:
    """Return the size of a node in which plans on nodes of these sizes are compared: the largest, at most the usual."""
    return min(USUAL_SIZE, max(nodes, default=USUAL_SIZE))


def at_scale(ranked: pd.DataFrame, bases: Mapping[str, Basis], asked: AcceleratorChoice) -> pd.DataFrame:
    """Return the ranking with AT_SCALE: break_even (see rank) where neither whole nor spare nodes count.

    From plans for MANY_USERS without spare nodes and FEWER_DRAWS at most. Inputs that both sides share (derate, peak,
    context) are fixed at their middle. NaN without a plan of the baseline.
    """
    many = {"users": MANY_USERS, "spare_nodes": 0, "draws": min(asked.draws, FEWER_DRAWS)}
    many |= {name: [sum(getattr(asked, name)) / 2] * 2 for name in ("derate", "peak_over_mean", "context_tokens")}
    names = [*ranked["accelerator"], asked.baseline]
    plans = planned({name: bases[name] for name in names}, asked.model_copy(update=many))
    base = plans[asked.baseline]
    ratios = {name: _break_even(plan, base.draws, base.node) for name, plan in plans.items()}
    frames = [ratios[name].to_frame(AT_SCALE) for name in ranked["accelerator"]]
    rows = [sizing.percentiles(frame, [AT_SCALE], unplanned=-np.inf).iloc[0] for frame in frames]
    columns = {f"{AT_SCALE}_{end}": [float(row[mark]) for row in rows] for end, mark in MARKS.items()}
    return ranked.assign(**columns)


def ran(tables: Tables, asked: AcceleratorChoice) -> pd.DataFrame:
    """Return comparable official results of text under a latency limit, of all rounds, with the columns RAN."""
    shapes = nearest_benchmark.shapes(tables.benchmarks, tables.benchmark_limits)
    names = list(dict.fromkeys([asked.benchmark, *shapes]))
    questions = [selection.Question(asked.benchmark, name, ("official",), trust=asked.trust) for name in LIMITED]
    rows = pd.concat([selection.select_all(tables, question, names) for question in questions], ignore_index=True)
    return rows.assign(**{SPEED: benchmark_rules.interactivity_bounds(rows, tables.benchmark_limits)["speed"]})[RAN]


def unanswered(
    evidence: pd.DataFrame, plans: Mapping[str, Planned], ranked: Iterable[str], asked: AcceleratorChoice, match: Match
) -> pd.DataFrame:
    """Return the accelerators of `evidence` (see ran) that are not ranked, a row each, with UNRANKED; closest first.

    `why` is TOO_SLOW, OTHER_ROUND, NO_RUN, PREVIEW, PROMPT, MEMORY, or NO_RATE. The evidence is of this benchmark, in
    the rounds asked for where there is such, else of the closest benchmark (`distance`): its highest interactivity
    (`speed`), its share of the target, and how many systems ran it.
    """
    asked_for = set(asked.accelerators) or set(evidence["accelerator"])
    unranked = [name for name in dict.fromkeys(evidence["accelerator"]) if name in asked_for - set(ranked)]
    far = dict(zip(match.near["benchmark"], match.near["distance"], strict=True)) | {match.benchmark: 0.0}
    rows = []
    for name in unranked:
        of_accelerator = evidence[evidence["accelerator"].eq(name)]
        on_benchmark = of_accelerator[of_accelerator["benchmark"].eq(match.benchmark)]
        in_rounds = on_benchmark[on_benchmark["round"].isin(asked.rounds or on_benchmark["round"].unique())]
        why = _why(plans.get(name), on_benchmark, in_rounds)
        by_distance = of_accelerator["benchmark"].map(far).fillna(np.inf)
        nearest_runs = of_accelerator[by_distance.eq(by_distance.min())]
        near = next(runs for runs in (in_rounds, on_benchmark, nearest_runs) if len(runs))
        near = system_properties.narrowed(near, near["availability"].eq("available"))
        best = near.loc[near[SPEED].idxmax()] if near[SPEED].notna().any() else near.iloc[0]
        rows.append(
            {
                "accelerator": name,
                "why": why,
                "benchmark": best["benchmark"],
                "distance": far.get(best["benchmark"], np.nan),
                "scenario": best["scenario"],
                "speed": float(best[SPEED]),
                "of_target": float(best[SPEED]) / capacity.speed_asked(TOKENS, asked),
                "rounds": tuple(sorted(set(near["round"]), key=round_age)),
                "systems": system_properties.counted(near),
                "source_ids": several(near["source_id"]),
            }
        )
    frame = pd.DataFrame(rows, columns=UNRANKED)
    return frame.sort_values(["distance", "of_target"], ascending=[True, False], kind="stable", ignore_index=True)


def _is_available(plan: Planned) -> bool:
    return bool(
        system_properties.kind(plan.behind).isin([system_properties.AVAILABLE, system_properties.VIRTUAL]).any()
    )


def _ran_so_fast(plan_basis: Basis, asked: AcceleratorChoice) -> bool:
    return plan_basis.gave(capacity.speed_asked(plan_basis.unit, asked))


def _why(plan: Planned | None, on_benchmark: pd.DataFrame, in_rounds: pd.DataFrame) -> str:
    """Return why an accelerator with these runs of the benchmark, and these of the rounds asked for, is not ranked."""
    if in_rounds.empty:
        return OTHER_ROUND if len(on_benchmark) else NO_RUN
    if plan is None or plan.behind.empty:
        return TOO_SLOW
    if plan.too_long:
        return PROMPT
    if not _is_available(plan):
        return PREVIEW
    return MEMORY if plan.held_nowhere else NO_RATE


def _row(plan: Planned, base: pd.DataFrame, base_node: int, equal: int, asked: AcceleratorChoice) -> dict:
    """Return a row of `rank`; `base` are draws of the baseline in nodes of `base_node`, `equal` that of EQUAL."""
    draws, behind = plan.draws, plan.behind
    count = draws["nodes"] * plan.node
    outputs = {"nodes": draws["nodes"], ACCELERATORS: count}
    outputs |= {name: draws[name] for name in (DOLLARS, PER_MILLION, KILOWATTS)}
    times = _in_equal_nodes(plan, equal, asked.spare_nodes) / count
    outputs |= {name: outputs[source] * times for source, name in EQUAL.items()}
    ratio = _break_even(plan, base, base_node if base_node == plan.node else np.nan)
    outputs |= {"break_even": ratio, "price_at_most": (asked.usd_per_hour_at_most or np.nan) / count}
    more_is_worse = [name for name in outputs if name not in ("break_even", "price_at_most")]
    marks = pd.concat(
        [
            sizing.percentiles(outputs, more_is_worse),
            sizing.percentiles(outputs, ["break_even", "price_at_most"], unplanned=-np.inf),
        ]
    ).set_index("output")
    ends = {f"{name}_{end}": float(marks.at[name, mark]) for name in outputs for end, mark in MARKS.items()}
    causes = sizing.decided(draws).set_index("cause")["share"]
    least = 1 + asked.spare_nodes
    one_node = ends["nodes_high"] == least
    best = behind.loc[behind["per_accelerator_high"].idxmax()]
    system = {name: best.get(name, "") for name in ("scenario", "round", "basis", "origin", *cost.RAN[1:])}
    return ends | system | {
        "accelerator": plan.accelerator,
        "name": plan.called,
        "node": plan.node,
        "metered": plan.drawn.metered,
        "metered_runs": len(plan.drawn.runs),
        "power_basis": plan.drawn.basis,
        "decided_by": ONE_NODE if one_node else CAUSES[causes.idxmax()],
        "decided_share": float(draws["nodes"].eq(least).mean()) if one_node else float(causes.max()),
        "within": _within(ends, asked),
        "measured_on": int(behind["accelerator_count"].min()),
        "extrapolated": ends[f"{ACCELERATORS}_high"] < behind["accelerator_count"].min(),
        "speed": float(behind[SPEED].min()),
        "rate_low": float(behind["per_accelerator_low"].min()),
        "rate_high": float(behind["per_accelerator_high"].max()),
        "systems": system_properties.counted(behind),
        "source_ids": several(behind["source_id"]),
        "notes": notes.union(behind["notes"]) | plan.notes,
        "power_notes": plan.power_notes,
    }  # fmt: skip


def _in_equal_nodes(plan: Planned, equal: int, spare: int) -> pd.Series:
    """Return the accelerators of a plan, draw by draw, in nodes of `equal` accelerators where its own are smaller."""
    node = max(plan.node, equal)
    return (interval.whole(plan.draws["accelerators"] / node) + spare) * node


def _break_even(plan: Planned, base: pd.DataFrame, base_node: float) -> pd.Series:
    """Return the accelerators of the baseline for each of the plan, draw by draw; NaN without draws of the baseline."""
    count = plan.draws["nodes"] * plan.node
    return base["nodes"] * base_node / count if len(base) == len(count) else count * np.nan


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


def stairs(chosen: Choice, most: int) -> pd.DataFrame:
    """Return the steps from users to accelerators in whole nodes, of the first `most` ranked and a ranked baseline.

    From a tenth of the users asked for to ten times as many, of FEWER_DRAWS at most. Columns: accelerator, name, count,
    and those of capacity.staircase.
    """
    rows, ends = [], (max(1, chosen.asked.users // AROUND), users_at_most(chosen.asked))
    draws = min(chosen.asked.draws, FEWER_DRAWS)
    ranked = chosen.ranked["accelerator"]
    for name in dict.fromkeys([*ranked.head(most), *ranked[ranked.eq(chosen.asked.baseline)]]):
        plan, asked = chosen.plans[name], chosen.asked.model_copy(update={"baseline": name, "draws": draws})
        steps = capacity.staircase(chosen.bases[name], asked, ends, STEPS)
        begins = [f"users_from_{mark}" for mark in MARKS.values()]
        steps = steps.assign(**steps[begins].clip(lower=ends[0]))
        rows.append(steps.assign(accelerator=name, name=plan.called, count=steps["nodes"] * plan.node))
    columns = ["accelerator", "name", "count", "nodes", *(f"users_from_{mark}" for mark in ("p10", "p50", "p90"))]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


def users_at_most(asked: AcceleratorChoice) -> int:
    """Return the users at the end of a staircase: AROUND times those asked for, at most those that may be asked for."""
    return min(asked.users * AROUND, MOST_USERS)


def with_users(chosen: Choice, users: int) -> pd.DataFrame:
    """Return the ranking (see rank) of the same accelerators for another number of users."""
    asked = chosen.asked.model_copy(update={"users": users})
    return rank(planned(chosen.bases, asked), asked)


def ties(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the ranked rows as good as the first: the same median and P90 of what the ranking is by."""
    ends = [f"{name}_{end}" for name in (by, EQUAL[by]) for end in ("median", "high")] + ["within", "extrapolated"]
    return rows[rows[ends].eq(rows.iloc[0][ends]).all(axis=1)] if len(rows) else rows


def less_extrapolated(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows that need less of `name` than the first, but in sizes smaller than any measured, unlike it."""
    if rows.empty or rows["extrapolated"].iloc[0]:
        return rows.head(0)
    is_less = rows[f"{name}_median"] < rows[f"{name}_median"].iloc[0]
    return rows[rows["extrapolated"].astype(bool) & is_less & rows["within"].eq(rows["within"].iloc[0])]


def less_in_smaller_nodes(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows of a measured size that need less of `name` than the first, but in smaller nodes."""
    if rows.empty:
        return rows
    first = rows.iloc[0]
    is_less = (rows[f"{name}_median"] < first[f"{name}_median"]) & (rows["node"] < first["node"])
    return rows[is_less & ~rows["extrapolated"].astype(bool) & rows["within"].eq(first["within"])]


def by_power(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with known power by the P90 of their kilowatts in equal nodes, measured sizes first."""
    known = rows[rows["kilowatts_low"].notna()]
    return known.sort_values(["extrapolated", f"{EQUAL[KILOWATTS]}_high"], kind="stable")


def budget_used(chosen: Choice, row: pd.Series) -> Interval:
    """Return the share of the budget that a ranked row takes, of two budgets the larger share; NaN where unknown."""
    shares = [interval.span(row, name) / budget for name, budget in chosen.budgets.items()]
    return max((share for share in shares if share.known), key=lambda share: share.low, default=interval.UNKNOWN)
