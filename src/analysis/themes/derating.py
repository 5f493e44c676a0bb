"""What is left of a benchmark throughput under latency limits and real traffic, and how many accelerators users need.

Derates are measured on submitted pairs of scenarios; needs are seeded Monte Carlo draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.core import interval, notes
from analysis.core.interval import Interval
from analysis.core.notes import NONE
from analysis.core.vocabulary import round_age
from analysis.themes.demand import Demand
from analysis.themes.of_a_kind import AVAILABLE, kind, narrowed, of_one_size

SYSTEM = ["basis", "benchmark", "scenario", "accelerator", "accelerator_count", "system_key"]
TWO_PRECISIONS = "of two precisions"
OUTPUTS = ("exact", "accelerators", "usd_per_hour", "usd_per_user_hour")
INPUTS = ("throughput per accelerator", "derate", "peak over mean", "price")


def measured(offline: pd.DataFrame, limited: pd.DataFrame) -> pd.DataFrame:
    """What a latency limit leaves of the Offline throughput, one row per official system, benchmark and scenario.

    Both frames are comparable rows, `limited` of Server or Interactive. Runs pair within one system of one submitter
    and one round (see systems.py), on their accuracy target where it ran for both; what a document prints pairs with
    nothing, for it does not say of which system. Columns: SYSTEM, round, submitter, system, result_id, origin, kind
    (see of_a_kind.kind; TWO_PRECISIONS where the two runs state different ones), derate_low/high (a ratio; NaN of a
    system without an Offline run), rounds and source_ids (tuples), notes.
    """
    runs, free = (rows[rows["origin"].eq("official")] for rows in (limited, offline))
    runs = runs.assign(kind=kind(runs))
    keys = [*SYSTEM, "source_id"]
    both = _of_one_target(runs.merge(free, on=[name for name in keys if name != "scenario"], suffixes=("", "_offline")))
    derate = interval.of(both, "rate") / Interval(both["rate_low_offline"], both["rate_high_offline"])
    both = interval.put(both, "derate", derate)
    stated = both["precision"].ne("") & both["precision_offline"].ne("")
    apart = stated & both["precision"].ne(both["precision_offline"])
    both = both.assign(notes=notes.beside(both["notes"], both["notes_offline"]), apart=apart)
    ends = {"derate_low": ("derate_low", "min"), "derate_high": ("derate_high", "max"), "apart": ("apart", "any")}
    derates = both.groupby(keys, sort=False).agg(**ends, notes=("notes", notes.union)).reset_index()
    about = runs[[*keys, "round", "submitter", "system", "result_id", "origin", "kind"]].drop_duplicates(keys)
    found = about.merge(derates, on=keys, how="left")
    two = found["apart"].eq(True) & found["kind"].eq(AVAILABLE)
    return found.assign(
        kind=found["kind"].mask(two, TWO_PRECISIONS),
        notes=[told if isinstance(told, frozenset) else NONE for told in found["notes"]],
        rounds=[(name,) for name in found["round"]],
        source_ids=[(name,) for name in found["source_id"]],
    ).drop(columns=["source_id", "apart"])


def pooled(measured: pd.DataFrame) -> pd.DataFrame:
    """The systems whose derates make one range: on sale, bare, of one precision; whatever was paired where none is."""
    paired = measured[measured["derate_low"].notna()]
    return narrowed(paired, paired["kind"].eq(AVAILABLE))


def by_accelerator(measured: pd.DataFrame) -> pd.DataFrame:
    """The derates of each accelerator in each round, systems on sale apart from others; newest round first.

    Columns: basis, round, benchmark, scenario, accelerator, kind, derate_low/high, derate_median (of the middles of the
    systems), systems, origin, rounds and source_ids (tuples), notes. Within a round those of most systems first.
    """
    paired = measured[measured["derate_low"].notna()]
    paired = paired.assign(middle=interval.of(paired, "derate").middle)
    by = ["basis", "round", "benchmark", "scenario", "accelerator", "kind", "origin"]
    ends = {"derate_low": ("derate_low", "min"), "derate_high": ("derate_high", "max")}
    ends |= {"derate_median": ("middle", "median"), "systems": ("middle", "size"), "notes": ("notes", notes.union)}
    ends |= {name: (name, "first") for name in ("rounds", "source_ids")}
    found = paired.groupby(by, sort=False).agg(**ends).reset_index()
    groups = zip(found["round"], found["systems"], found["derate_median"], strict=True)
    ranks = [(*round_age(name), systems, median) for name, systems, median in groups]
    return found.loc[sorted(range(len(found)), key=ranks.__getitem__, reverse=True)].reset_index(drop=True)


def _of_one_target(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs of one accuracy target; of two only where one of the runs is filed under a single target."""
    same = pairs["accuracy_target"].eq(pairs["accuracy_target_offline"])
    matched = same.groupby([pairs[name] for name in [*SYSTEM, "accuracy_target"]], dropna=False).transform("any")
    return pairs[same | ~matched]


def overall(measured: pd.DataFrame) -> Interval:
    """The lowest and highest derate of `measured`, at most 1: a system may be faster under a limit than without."""
    known = measured.dropna(subset=["derate_low", "derate_high"])
    if known.empty:
        return Interval(np.nan, np.nan)
    return Interval(float(min(known["derate_low"].min(), 1.0)), float(min(known["derate_high"].max(), 1.0)))


def of_accelerator(measured: pd.DataFrame, accelerator: str) -> pd.DataFrame:
    """The systems that tell what is left on an accelerator: its own, of one size and round; else those of all."""
    own = of_one_size(pooled(measured[measured["accelerator"].eq(accelerator)]))
    return own if len(own) else pooled(measured)


def layered(rows: pd.DataFrame, layer: str) -> pd.DataFrame:
    """The rate of systems that name a software layer over that of the same system without it.

    `rows` are comparable rows. Columns: benchmark, scenario, accelerator, system_key, share_low/high (a ratio),
    source_ids.
    """
    keys = ["basis", "benchmark", "scenario", "accuracy_target", "accelerator", "accelerator_count"]
    keys += ["submitter", "system", "source_id"]
    rows = rows.reset_index(drop=True)
    bare = rows["system"].str.replace(f", {layer}", "", regex=False)
    both = rows[bare.ne(rows["system"])].assign(system=bare).merge(rows, on=keys, suffixes=("", "_bare"))
    share = interval.of(both, "rate") / Interval(both["rate_low_bare"], both["rate_high_bare"])
    columns = ["benchmark", "scenario", "accelerator", "system_key", "share_low", "share_high", "source_ids"]
    return interval.put(both, "share", share).assign(source_ids=[(name,) for name in both["source_id"]])[columns]


def causes(under_latency: pd.DataFrame, with_layer: pd.DataFrame, layer: str) -> pd.DataFrame:
    """The four causes that documents name for derating, and what official data measure of each.

    `under_latency` are rows of `measured`, `with_layer` those of `layered`. Columns: cause, measured_by,
    share_low/high (what is left, NaN where nothing measures it), systems and benchmarks (how many the range is of).
    """
    latency = (under_latency["derate_low"].min(), under_latency["derate_high"].max(), *_scope(under_latency))
    software = (with_layer["share_low"].min(), with_layer["share_high"].max(), *_scope(with_layer))
    nothing = (np.nan, np.nan, 0, 0)
    scenario = " and ".join(under_latency["scenario"].unique()) or "Server"
    rows = [
        ("batches kept small by latency limits", f"{scenario} over Offline, same system", *latency),
        ("requests that come in bursts", f"nothing: MLPerf {scenario} arrivals are random but steady", *nothing),
        ("layers of serving software", f"with over without {layer}, same system", *software),
        ("memory shared with other tenants", "nothing: a submission has its system to itself", *nothing),
    ]
    columns = ["cause", "measured_by", "share_low", "share_high", "systems", "benchmarks"]
    return pd.DataFrame(rows, columns=columns)


def _scope(rows: pd.DataFrame) -> tuple[int, int]:
    """Of how many systems and benchmarks rows are."""
    return rows["system_key"].nunique(), rows["benchmark"].nunique()


def example(claims: pd.DataFrame, per_accelerator: Interval, price: Interval) -> pd.DataFrame:
    """A document's sizing example, computed again from a throughput per accelerator (tokens/s) and a price (USD/hour).

    `claims` are those of one document. Columns: quantity, unit, stated_low/high, computed_low/high, holds (the two
    ranges meet), source_ids; no rows where the document states no users or no speed.
    """
    by_quantity = claims[claims["duplicate_of"].eq("")].drop_duplicates("quantity").set_index("quantity")
    columns = ["quantity", "unit", "stated_low", "stated_high", "computed_low", "computed_high", "holds", "source_ids"]
    if not {"users", "tokens_per_second_per_user"} <= set(by_quantity.index):
        return pd.DataFrame(columns=columns)
    speed = float(_stated(by_quantity, "tokens_per_second_per_user").middle.round(9))
    demand = Demand(int(by_quantity.at["users", "low"]), speed)
    needed = need(demand, per_accelerator, Interval(1.0, 1.0), price)
    rows = []
    names = {
        "accelerators_needed": "accelerators",
        "bill_per_hour": "usd_per_hour",
        "bill_per_user_hour": "usd_per_user_hour",
    }
    for quantity, name in ((quantity, name) for quantity, name in names.items() if quantity in by_quantity.index):
        stated, computed = _stated(by_quantity, quantity), needed[name]
        ends = (stated.low, stated.high, computed.low, computed.high)
        rows.append(
            (
                quantity,
                by_quantity.at[quantity, "unit"],
                *ends,
                bool(stated.overlaps(computed)),
                (by_quantity.at[quantity, "source_id"],),
            )
        )
    return pd.DataFrame(rows, columns=columns)


def need(demand: Demand, per_accelerator: Interval, derate: Interval, price: Interval, at_least: int = 1) -> dict:
    """Accelerators and dollars by interval arithmetic, without draws: the least and the most that the ranges allow.

    accelerators = users x tokens/s each x peak / (throughput x derate), rounded up, at least `at_least` (what the
    weights need). Returns intervals: accelerators, usd_per_hour, usd_per_user_hour. Raises ValueError as `draw` does.
    """
    _usable(derate, price)
    wanted = demand.peak_over_mean * demand.tokens_per_second
    exact = wanted / (per_accelerator * derate)
    whole = Interval(*(max(interval.whole(end), at_least) for end in (exact.low, exact.high)))
    bill = whole * price
    return {"accelerators": whole, "usd_per_hour": bill, "usd_per_user_hour": bill * (1 / demand.users)}


def draw(
    demand: Demand,
    per_accelerator: Interval,
    derate: Interval,
    price: Interval,
    draws: int,
    seed: int,
    at_least: int = 1,
    above_one: bool = False,
) -> pd.DataFrame:
    """Monte Carlo draws of the need: every input uniform in its range and independent, from a seeded generator.

    Columns: the four INPUTS, exact (accelerators before rounding up), accelerators, usd_per_hour, usd_per_user_hour;
    `draws` rows, the same for the same seed on any machine; none where an input is unknown. Raises ValueError for a
    price or derate of zero or below, and for a derate above one unless `above_one` says that this is meant.
    """
    ranges = (per_accelerator, derate, demand.peak_over_mean, price)
    if not all(ends.known for ends in ranges):
        return pd.DataFrame(columns=[*INPUTS, *OUTPUTS], dtype="float64")
    _usable(derate, price, above_one)
    random = np.random.Generator(np.random.PCG64(seed))
    inputs = {name: random.uniform(r.low, r.high, draws) for name, r in zip(INPUTS, ranges, strict=True)}
    throughput, share, peak, usd = (inputs[name] for name in INPUTS)
    exact = demand.tokens_per_second * peak / (throughput * share)
    whole = np.maximum(interval.whole(exact), at_least)
    bill = whole * usd
    outputs = dict(zip(OUTPUTS, (exact, whole, bill, bill / demand.users), strict=True))
    return pd.DataFrame({**inputs, **outputs})


def sensitivity(draws: pd.DataFrame, output: str = "usd_per_hour", inputs: Sequence[str] = INPUTS) -> pd.DataFrame:
    """What matters most: Spearman's rank correlation of each input with `output`, and its square's share.

    The output is that of whole accelerators, as it is paid: what rounding up takes away moves nothing. Inputs that do
    not vary, or whose output does not, are left out. Columns: input, correlation (-1 to 1), share (of the sum of
    squares, 0 to 1).
    """
    varying = [name for name in inputs if name in draws and draws[name].nunique() > 1]
    ranks = _ranks(draws[output])
    correlations = [{"input": name, "correlation": _correlation(_ranks(draws[name]), ranks)} for name in varying]
    frame = pd.DataFrame(correlations, columns=["input", "correlation"]).dropna()
    return frame.assign(share=frame["correlation"] ** 2 / (frame["correlation"] ** 2).sum())


def _usable(derate: Interval, price: Interval, above_one: bool = False) -> None:
    if derate.low <= 0 or derate.low > derate.high or (derate.high > 1 and not above_one):
        raise ValueError(f"derate {derate.low:g} to {derate.high:g} is not within 0 (not itself) to 1")
    if price.low <= 0 or price.low > price.high:
        raise ValueError(f"price {price.low:g} to {price.high:g} is not a range of US dollars above 0")


def _ranks(values: pd.Series) -> np.ndarray:
    """Twice the ranks around their mean: whole numbers, so that sums of them are exact in any order."""
    return (2 * values.rank()).to_numpy().astype("int64") - (len(values) + 1)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's correlation of two of `_ranks`, the same bits on any machine; NaN where one does not vary."""
    spread = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / spread**0.5 if spread else float("nan")


def percentiles(draws: pd.DataFrame, outputs: list[str]) -> pd.DataFrame:
    """P10, P50 and P90 of the outputs, one row each: output, p10, p50, p90."""
    marks = draws[outputs].quantile([0.1, 0.5, 0.9])
    return marks.T.set_axis(["p10", "p50", "p90"], axis=1).rename_axis("output").reset_index()


def _stated(by_quantity: pd.DataFrame, quantity: str) -> Interval:
    return Interval(by_quantity.at[quantity, "low"], by_quantity.at[quantity, "high"])
