"""The official curves of MLPerf Endpoints: system tokens/s over interactivity as a step function, and its values.

Rules, section 5.2: each measured point is a step, and the curve holds the last measured value until the next one;
nothing is interpolated. At an interactivity the curve gives what the points at that interactivity or above it reached:
a system that serves 40 tokens/s per user serves 25 as well. A dedicated Offline run has no interactivity and no step.
All functions take rows of the table endpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

KEYS = ["model", "dataset", "interactivity_basis"]  # what curves that are compared must share


def rated(points: pd.DataFrame) -> pd.DataFrame:
    """Return the points with `per_accelerator` and `per_kilowatt`: tokens/s per accelerator and provisioned kilowatt.

    The kilowatts are those of the nodes that the point engages (section 4.5.3); NaN where they are not known.
    """
    return points.assign(
        per_accelerator=points["tokens_per_second"] / points["accelerator_count"],
        per_kilowatt=points["tokens_per_second"] / points["point_power_kw"],
    )


def steps(points: pd.DataFrame) -> pd.DataFrame:
    """Return the steps of each curve, the slowest point first: rows of `rated` that no faster one of the curve exceeds.

    Each holds from the interactivity of the row before it (0 for the first) up to its own: the column `holds_from`.
    """
    paced = rated(points).dropna(subset="interactivity").sort_values("interactivity", ascending=False, kind="stable")
    best = paced.groupby("curve")["tokens_per_second"].cummax()
    kept = paced[paced["tokens_per_second"].eq(best) & ~paced.duplicated(["curve", "tokens_per_second"])]
    kept = kept.sort_values(["curve", "interactivity"], kind="stable")
    return kept.assign(holds_from=kept.groupby("curve")["interactivity"].shift(fill_value=0.0)).reset_index(drop=True)


def at_targets(points: pd.DataFrame, targets: Sequence[float]) -> pd.DataFrame:
    """Return a row per curve and target interactivity (tokens/s per user): the step of the curve there.

    Columns of `steps` and `target`; the figures are NaN where no point of the curve is as fast.
    """
    each = steps(points)
    speeds = pd.DataFrame({"target": [float(target) for target in targets]})
    wanted = each[["curve"]].drop_duplicates().merge(speeds, "cross")
    pairs = wanted.merge(each, on="curve")
    within = pairs[pairs["target"].gt(pairs["holds_from"]) & pairs["target"].le(pairs["interactivity"])]
    names = ["submitter", "system", "accelerator", "accelerator_count", "availability", "division", *KEYS]
    facts = each.drop_duplicates("curve")[["curve", *names]]
    measured = within.drop(columns=names)
    return wanted.merge(facts, on="curve").merge(measured, on=["curve", "target"], how="left")


def named(points: pd.DataFrame, short_name: Callable[[str], str]) -> pd.DataFrame:
    """Return the rows with `name`: accelerator, count, and submitter of the curve, and what it is not.

    `short_name` is that of an accelerator. A result that is not Standardized or not Available says so, a Preview one
    with its date; where two curves of one model would have one name, each has its system too.
    """
    status = points["availability"].where(points["availability"].ne("Available"), "")
    dated = points["availability"].eq("Preview") & points["available_from"].ne("")
    status = status.where(~dated, "Preview, available " + points["available_from"])
    division = points["division"].where(points["division"].isin(["Serviced", "RDI"]), "").where(status.ne("RDI"), "")
    tail = (", " + division).where(division.ne(""), "") + (", " + status).where(status.ne(""), "")
    count = points["accelerator_count"]
    count = (" " + count.astype("str") + "x").where(count.notna(), "")
    names = points["accelerator"].map(short_name) + count + ", " + points["submitter"] + tail
    several = points["curve"].groupby([points["model"], names]).transform("nunique").gt(1)
    return points.assign(name=names.where(~several, names + " (" + points["system"] + ")"))


def leaders(reached: pd.DataFrame, rate: str) -> pd.DataFrame:
    """Return, of `at_targets`, the highest `rate` at each target of each model, available systems only.

    Curves are compared within one model, data set and definition of interactivity. Only Standardized results: others
    follow other rules.
    """
    fit = reached[reached["availability"].eq("Available") & reached["division"].eq("Standardized")].dropna(subset=rate)
    by = [*KEYS, "target"]
    return fit.sort_values(rate, ascending=False, kind="stable").drop_duplicates(by).sort_values(by)
