"""Rank the plans of all accelerators by cost, and test what would change the ranking."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis import cost, interactivity, names, tables
from analysis.compare import NoData
from analysis.planner import prediction
from analysis.planner.capacity import Demand, every_plan
from analysis.planner.curve import CARRIED, ESTIMATED, INTERPOLATED, MEASURED

RANK_BY = {"cost": "usd_per_hour", "power": "kilowatts", "accelerators": "accelerators"}
OFF = 0.2  # relative change of the leader's price in `sensitivity`


def ranking(demand: Demand, *, by: str = "cost", usd_per_hour: float = 0.0, kilowatts: float = 0.0) -> pd.DataFrame:
    """Return the plan of each accelerator, best first: the columns of `every_plan`, rank, within, and break_even.

    Results rank before estimates. Within each, plans whose P90 is within the budgets (dollars per hour and kilowatts;
    0: none) come first, then by the median of what `by` names (a key of RANK_BY), unknown last. `within` is "no" if a
    budget is exceeded, "yes" if each is met, and "" without a budget or if what it limits is unknown. `break_even` is
    the price per accelerator-hour at which the plan costs as much as the cheapest result's (NaN without one). `chance`
    and `alike` are those of `cost.with_chances`: how often it costs least per token before whole units. Accelerators
    without a plan come last, with their reason.
    """
    quantity = RANK_BY[names.choose(by, RANK_BY, "ranking")]
    budgets = pd.Series({"usd_per_hour": usd_per_hour, "kilowatts": kilowatts})
    for name, budget in budgets.items():
        names.bounded(budget, name, 0, 1e12)
    budgets = budgets[budgets > 0].add_suffix("_p90")
    found = every_plan(demand)
    spent = found[budgets.index]
    unknown, over = spent.isna().any(axis=1) | budgets.empty, spent.gt(budgets).any(axis=1)
    found["within"] = np.select([over, unknown], ["no", ""], "yes")
    parts = {
        "unplanned": found["reason"].ne(""),
        "estimated": found["evidence"].eq(ESTIMATED),
        "over": found["within"].eq("no"),
    }
    order = [*parts, f"{quantity}_p50", f"{quantity}_p90", "needed"]
    found = found.assign(**parts).sort_values(order, kind="stable", ignore_index=True).drop(columns=[*parts])
    found["rank"] = (found.index + 1.0).where(found["reason"].eq(""))
    leader = found["usd_per_hour_p50"].where(found["evidence"].ne(ESTIMATED)).min()
    found["break_even"] = leader / found["accelerators_p50"]
    found = found.join(_chances(found))
    return found.assign(chance=found["chance"].fillna(0.0), alike=found["alike"].eq(True))


def _chances(found: pd.DataFrame) -> pd.DataFrame:
    """Return `chance`, how often each plan is cheapest per token, and `alike`, those that tie within the error."""
    usd = found["usd_per_million_at_full_use"]
    low, high = (usd * found["throughput"] / found[f"throughput_{end}"] for end in ("high", "low"))
    costs = found.assign(usd_per_million=usd, usd_low=low, usd_high=high, estimated=found["evidence"].eq(ESTIMATED))
    costs = costs.dropna(subset="usd_per_million").assign(every="")
    return cost.with_chances(costs, ["every"])[["chance", "alike"]]


def leaders(found: pd.DataFrame, by: str = "cost") -> pd.DataFrame:
    """Return the first row of `ranking` and the next of the same evidence (result or estimate), if there is one.

    Raises NoData, with the reasons, where nothing is planned.
    """
    ranked = found.dropna(subset=f"{RANK_BY[by]}_p50")
    if ranked.empty:
        reasons = found["accelerator"] + ": " + found["reason"].replace("", f"{RANK_BY[by]} unknown")
        raise NoData(f"no accelerator is planned: {'; '.join(reasons.head(3)) or 'none is known'}")
    estimated = ranked["evidence"].eq(ESTIMATED)
    return ranked[estimated.eq(estimated.iloc[0])].head(2)


def sensitivity(demand: Demand, found: pd.DataFrame, by: str = "cost") -> pd.DataFrame:
    """Return who leads under other assumptions.

    Changes: the leader's price OFF higher and lower (ranked by cost), other interactivities (those of the scenarios'
    limits, and twice the one asked for), a tenth and ten times the users, other fleets. Columns: change, accelerator,
    runner_up, margin (how much more the runner-up costs or takes), usd_per_million_tokens, evidence.
    """
    first, price = leaders(found, by)[["accelerator", "usd_per_accelerator_hour"]].iloc[0]
    changes = {"as asked": demand}
    if by == "cost":
        own = cost.own_prices(demand.prices or {}).set_index("accelerator")["usd_per_hour"]
        for off in (OFF, -OFF):
            changed = own.to_dict() | {first: float(np.clip(price * (1 + off), *cost.PLAUSIBLE_USD))}
            changes[f"{first} price {off:+.0%}"] = replace(demand, prices=changed)
    limits = interactivity.limits(demand.workload.model.benchmark)["interactivity"]
    speeds = [*limits.round(1), 2 * demand.tokens_per_user]
    changes |= {f"{speed:g} tokens/s per user": replace(demand, tokens_per_user=speed) for speed in speeds}
    several = [users for users in (demand.users / 10, demand.users * 10) if 1 <= users <= 1e8]
    changes |= {f"{users:,.0f} users": replace(demand, users=users) for users in several}
    fleets = [fleet for fleet in ("fixed", "pooled") if fleet != demand.fleet and not demand.delivered_share]
    changes |= {f"{fleet} fleet": replace(demand, fleet=fleet) for fleet in fleets}
    rows = []
    for change, changed in changes.items():
        row = {"change": change, "accelerator": "none", "runner_up": ""}
        with suppress(NoData):
            best = leaders(ranking(changed, by=by), by)
            row |= best[["accelerator", "evidence"]].iloc[0]
            row["usd_per_million_tokens"] = best["usd_per_million_tokens_p50"].iloc[0]
            row["runner_up"] = "no other"
            if len(best) > 1:
                row["runner_up"] = best["accelerator"].iloc[1]
                row["margin"] = best[f"{RANK_BY[by]}_p50"].pct_change().iloc[1]
        rows.append(row)
    columns = ["change", "accelerator", "runner_up", "margin", "usd_per_million_tokens", "evidence"]
    return pd.DataFrame(rows, columns=columns).fillna({"evidence": ""})


def blind_errors(demand: Demand, plans: pd.DataFrame) -> pd.DataFrame:
    """Return how far estimates like those of `plans` were from InferenceX, to which nothing is fitted.

    From data/blind_check.csv: of the model where it was checked, else of all mixtures of experts for another mixture;
    no dense model was checked. Columns: accelerator, cases, low and high (least and highest error of these models:
    planned over measured, minus 1), the highest first.
    """
    rows, model = tables.blind_check, demand.workload.model
    own = rows[rows["model"].eq(model.name)]
    rows = own if len(own) or not model.is_mixture else rows
    rows = rows[rows["accelerator"].isin(plans.loc[plans["evidence"].eq(ESTIMATED), "accelerator"])]
    ends = {"cases": ("cases", "sum"), "low": ("error", "min"), "high": ("error", "max")}
    found = rows.groupby("accelerator", as_index=False).agg(**ends)
    return found.sort_values("high", ascending=False, ignore_index=True)


def error_behind(demand: Demand, row: pd.Series | None = None) -> pd.Series:
    """Return the prediction error that applies to a plan (a row of `every_plan`), to an estimate if none is given.

    A row of data/prediction_errors.csv: the model's own, or that of all models if it has no P90.
    """
    evidence, benchmark = ESTIMATED if row is None else row["evidence"], demand.workload.model.benchmark
    question, scenario = prediction.KNOWN, demand.limit["scenario"]
    if evidence in (MEASURED, CARRIED):
        question = prediction.OTHER_SYSTEM
    elif evidence == INTERPOLATED:
        question, scenario = prediction.BETWEEN, "Server"
    elif not demand.workload.is_as_run:
        question, benchmark = prediction.OTHER_MODEL, ""
    elif demand.limit["interactivity"] < demand.tokens_per_user * (1 - interactivity.ROUNDING):
        question, scenario = prediction.BEYOND, "Interactive"
    elif row is not None and not row["id"]:
        question = prediction.NONE
    return prediction.error_of(question, benchmark, scenario)
