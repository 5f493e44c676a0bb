"""Choose an accelerator: plans of all of them ranked by cost, and what would change the ranking."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis import cost, interactivity, names
from analysis.compare import NoData
from analysis.planner import prediction
from analysis.planner.capacity import Demand, plans
from analysis.planner.curve import ESTIMATED, INTERPOLATED, MEASURED

RANK_BY = {"cost": "usd_per_hour", "power": "kilowatts", "accelerators": "accelerators"}
OFF = 0.2  # change of the leader's price in `sensitivity`


def choose(demand: Demand, *, by: str = "cost", usd_per_hour: float = 0.0, kilowatts: float = 0.0) -> pd.DataFrame:
    """Return the plan of each accelerator, best first: the columns of `plans`, rank, within, and break_even.

    Results come before estimates; within both, plans within the budgets (dollars per hour and kilowatts at most, by
    P90; 0: none) first, then by the median of what `by` names (a key of RANK_BY), unknown last. `within` is "yes",
    "no", or "" without a budget or a price. `break_even` is the price per accelerator-hour at which it costs what the
    cheapest measured plan does (NaN without one). `chance` and `alike` are those of `cost.with_chances`: how often it
    costs least per token before whole units. Accelerators without a plan come last, with their reason.
    """
    quantity = RANK_BY[names.choose(by, RANK_BY, "ranking")]
    budgets = {"usd_per_hour_p90": usd_per_hour, "kilowatts_p90": kilowatts}
    for name, budget in budgets.items():
        names.bounded(budget, name.removesuffix("_p90"), 0, 1e12)
    found = plans(demand)
    spent = found[[name for name, budget in budgets.items() if budget]]
    over = spent.gt(pd.Series(budgets)).any(axis=1)
    found["within"] = np.select([spent.isna().any(axis=1) | spent.empty, over], ["", "no"], "yes")
    last = {
        "unplanned": found["reason"].ne(""),
        "estimated": found["evidence"].eq(ESTIMATED),
        "over": found["within"].eq("no"),
    }
    order = [*last, f"{quantity}_p50", f"{quantity}_p90", "needed"]
    found = found.assign(**last).sort_values(order, kind="stable", ignore_index=True).drop(columns=list(last))
    found["rank"] = (found.index + 1.0).where(found["reason"].eq(""))
    leader = found["usd_per_hour_p50"].where(found["evidence"].ne(ESTIMATED)).min()
    found["break_even"] = leader / found["accelerators_p50"]
    found = found.join(_chances(found))
    return found.assign(chance=found["chance"].fillna(0.0), alike=found["alike"].eq(True))


def _chances(found: pd.DataFrame) -> pd.DataFrame:
    """Return how often each plan costs least per token, and which are the same within the error."""
    usd = found["usd_per_million_at_full_use"]
    low, high = (usd * found["throughput"] / found[f"throughput_{end}"] for end in ("high", "low"))
    costs = found.assign(usd_per_million=usd, usd_low=low, usd_high=high, estimated=found["evidence"].eq(ESTIMATED))
    costs = costs.dropna(subset="usd_per_million").assign(every="")
    return cost.with_chances(costs, ["every"])[["chance", "alike"]]


def leaders(found: pd.DataFrame, by: str = "cost") -> tuple[pd.Series, pd.Series | None]:
    """Return the first and the second row of `choose`, None where there is no second of the same evidence.

    Raises NoData, with the reasons, where nothing is planned.
    """
    ranked = found.dropna(subset=f"{RANK_BY[by]}_p50")
    if ranked.empty:
        reasons = found["accelerator"] + ": " + found["reason"].replace("", f"{RANK_BY[by]} unknown")
        raise NoData(f"no accelerator is planned: {'; '.join(reasons.head(3)) or 'none is known'}")
    alike = ranked[ranked["evidence"].eq(ESTIMATED).eq(ranked["evidence"].iloc[0] == ESTIMATED)]
    return alike.iloc[0], alike.iloc[1] if len(alike) > 1 else None


def sensitivity(demand: Demand, found: pd.DataFrame, by: str = "cost") -> pd.DataFrame:
    """Return who leads under other reasonable choices: change, accelerator, runner_up, margin, usd_per_million_tokens.

    Changes: the leader's price OFF higher and lower (ranked by cost), other interactivities (those of the scenarios'
    limits, and twice the one asked for), a tenth and ten times the users, other fleets. `margin` is how much more the
    runner-up takes.
    """
    first, _ = leaders(found, by)
    price = first["usd_per_accelerator_hour"]
    limits = interactivity.limits(demand.workload.model.benchmark)["interactivity"]
    speeds = [*limits.round(1), 2 * demand.tokens_per_user]
    changes: dict[str, Demand] = {"as asked": demand}
    if by == "cost" and price > 0:
        own = cost.own_prices(demand.prices or {})
        own = own.set_index("accelerator")["usd_per_hour"].to_dict()
        for off in (OFF, -OFF):
            changed = {**own, first["accelerator"]: float(np.clip(price * (1 + off), *cost.PLAUSIBLE_USD))}
            changes[f"{first['accelerator']} price {off:+.0%}"] = replace(demand, prices=changed)
    changes |= {f"{speed:g} tokens/s per user": replace(demand, tokens_per_user=speed) for speed in speeds}
    several = [users for users in (demand.users / 10, demand.users * 10) if 1 <= users <= 1e8]
    changes |= {f"{users:,.0f} users": replace(demand, users=users) for users in several}
    fleets = [fleet for fleet in ("fixed", "pooled") if fleet != demand.fleet and not demand.delivered_share]
    changes |= {f"{fleet} fleet": replace(demand, fleet=fleet) for fleet in fleets}
    rows = []
    for words, changed in changes.items():
        row = {"change": words, "accelerator": "none", "runner_up": "", "margin": np.nan}
        row |= {"usd_per_million_tokens": np.nan, "evidence": ""}
        with suppress(NoData):
            best, second = leaders(choose(changed, by=by), by)
            row |= {"accelerator": best["accelerator"], "runner_up": "no other", "evidence": best["evidence"]}
            row["usd_per_million_tokens"] = best["usd_per_million_tokens_p50"]
            if second is not None:
                margin = second[f"{RANK_BY[by]}_p50"] / best[f"{RANK_BY[by]}_p50"] - 1
                row |= {"runner_up": second["accelerator"], "margin": margin}
        rows.append(row)
    return pd.DataFrame(rows)


def error_line(demand: Demand, row: pd.Series | None = None) -> str:
    """Return the error of what a plan (`row` of `plans`) rests on in one line with n, else that of estimates.

    Of the model's results, and over all models where these are too few for a P90.
    """
    model, limit = demand.workload.model, demand.limit
    evidence = ESTIMATED if row is None else row["evidence"]
    scenario, under = limit["scenario"], f"under {limit['scenario']} limits"
    question, label = prediction.KNOWN, f"Estimates for {model.name} {under} are off by"
    if not demand.workload.is_benchmark:
        question, label = prediction.OTHER_MODEL, f"Estimates for another model {under} are off by"
    elif evidence == MEASURED:
        question, label = prediction.OTHER_SYSTEM, f"Two systems of an accelerator on {model.name} {under} differ by"
    elif evidence == INTERPOLATED:
        question, scenario, label = prediction.BETWEEN, "Server", f"Values between runs of {model.name} are off by"
    elif not demand.workload.is_as_run:
        question = prediction.OTHER_MODEL
        label = f"Estimates for other lengths or precision are off by at most those for another model {under}:"
    elif limit["interactivity"] < demand.tokens_per_user * (1 - interactivity.ROUNDING):
        question, scenario = prediction.BEYOND, "Interactive"
        label = "The decoding model beyond the limits, before its median error is taken off, is off by"
    elif row is not None and not row["ids"]:
        question, label = prediction.NONE, f"Estimates without a {model.name} result of the accelerator are off by"
    rows = prediction.errors()
    rows = rows[rows["question"].eq(question) & rows["scenario"].eq(scenario)].set_index("benchmark")
    every = f"{_off(rows.loc[''])} over all models."
    if question == prediction.OTHER_MODEL or model.benchmark not in rows.index:
        return f"{label} {every}"
    own = rows.loc[model.benchmark]
    return f"{label} {_off(own)}" + (f"; {every}" if np.isnan(own["p90"]) else ".")


def _off(row: pd.Series) -> str:
    tail = f" and {row['p90']:.0%} at P90" if row["p90"] > 0 else ""
    return f"{row['median']:.1%} in the median{tail} (n = {row['results']:.0f})"
