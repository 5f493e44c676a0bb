"""What an accelerator draws at the wall, its share of the host included: metered, else by a stated model.

Watts are metered where a power submission of the same accelerator ran under the same cap as the throughput that they
accompany. The model is the power limit of the accelerator times what metered systems drew at the wall over the
summed limits of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.vocabulary import TOKENS
from analysis._tables.catalog import kept_with
from analysis.methods import power, system_properties


class Tables(Protocol):
    """What hosts are known from: the catalog, or anything that holds the same frames."""

    @property
    def results(self) -> pd.DataFrame:
        """The results."""

    @property
    def accelerators(self) -> pd.DataFrame:
        """The datasheets."""


@dataclass(frozen=True)
class Host:
    """Watts at the wall over the summed power limits of the accelerators: a ratio, and in words what it is one of."""

    over_limit: Interval
    range_of: str


@dataclass(frozen=True)
class Drawn:
    """Watts at the wall for each accelerator, what they are in words, and the power submissions that metered them."""

    watts: Interval
    basis: str
    runs: pd.DataFrame

    @property
    def metered(self) -> bool:
        """Whether a meter is behind the watts."""
        return len(self.runs) > 0


@kept_with("results", "accelerators")
def over_limits(tables: Tables) -> pd.DataFrame:
    """Each metered system of the usual size that served tokens: round, submitter, system, accelerator, over_limit.

    `over_limit` is the median over its runs of wall watts over the summed limits in force (see power.beside_limits).
    """
    results = tables.results
    served = results["origin"].eq("official") & results["unit"].eq(TOKENS) & results["duplicate_of"].eq("")
    rows = results[served & results["accelerator_count"].eq(system_properties.USUAL_SIZE)]
    beside = power.beside_limits(rows, tables.accelerators)
    keys = ["round", "submitter", "system", "accelerator"]
    beside = beside.assign(over_limit=interval.of(beside, "of_limits").middle)
    return beside.groupby(keys, sort=False)["over_limit"].median().reset_index()


def host(tables: Tables, given: Sequence[float] = ()) -> Host:
    """The ratio `given` (low, high), else that of `over_limits`, from the lowest to the highest."""
    if given:
        return Host(Interval(*given), "given")
    ratios = over_limits(tables)
    if ratios.empty:
        return Host(interval.UNKNOWN, "")
    names, count = several(ratios["accelerator"]), len(ratios)
    systems = f"{count} metered system{'s' * (count > 1)}"
    ratio = ratios["over_limit"]
    return Host(Interval(float(ratio.min()), float(ratio.max())), f"{systems}, {', '.join(names)}")


def drawn(runs: pd.DataFrame, behind: pd.DataFrame, limit_w: float, rounds: Sequence[str], host: Host) -> Drawn:
    """Watts for each accelerator beside the throughput of the rows `behind` it: of its `runs`, or modeled.

    Metered ones (see `metered`) from the lowest run to the highest, and how many these are is in the words: one run has
    no spread. The model is limit x `host`; the limit is the datasheet's `limit_w`, of power-capped rows the highest cap
    that they state. Unknown where a cap is not stated, or neither limit nor host is known.
    """
    capped = bool(len(behind)) and bool(behind["power_capped"].all())
    metered_runs = metered(runs, capped, rounds)
    if len(metered_runs):
        count = metered_runs["accelerator_count"].astype("float64")
        ends = (metered_runs["power_watts_low"] / count).min(), (metered_runs["power_watts_high"] / count).max()
        runs_counted = "one run" if len(metered_runs) == 1 else f"{len(metered_runs)} runs"
        systems, bases = system_properties.counted(metered_runs), ", ".join(several(metered_runs["basis"]))
        whose = f"{systems}{' power-capped' * capped} system{'s' * (systems > 1)}, {bases}"
        return Drawn(Interval(*map(float, ends)), f"measured at the wall in {runs_counted} of {whose}", metered_runs)
    stated = behind["power_limit_watts"].max() if capped and "power_limit_watts" in behind else np.nan
    limit = float(stated if capped else limit_w)
    watts = host.over_limit * limit if limit == limit else interval.UNKNOWN
    if not watts.known:
        return Drawn(interval.UNKNOWN, "not known", metered_runs)
    kind_of_limit = "cap in force" if capped else "power limit"
    times = f"{kind_of_limit} of {limit:g} W, times {host.over_limit.text()} for the host"
    return Drawn(watts, f"modeled: {times} ({host.range_of})", metered_runs)


def metered(runs: pd.DataFrame, capped: bool, rounds: Sequence[str] = ()) -> pd.DataFrame:
    """The power submissions in `runs` of one accelerator, `capped` or not: of systems alike, of the newest of `rounds`.

    Of the newest of all rounds where those have none.
    """
    if runs.empty:
        return runs
    is_metered = runs["power_watts_low"].notna() & runs["power_capped"].astype(bool).eq(capped)
    in_rounds = is_metered & runs["round"].isin(rounds)
    return system_properties.alike(runs, (in_rounds if in_rounds.any() else is_metered).to_numpy("bool"))
