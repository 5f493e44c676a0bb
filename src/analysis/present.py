"""Compute the rate of each accelerator in the newest round of a benchmark and scenario, measured or carried there.

If nobody submitted an accelerator in the newest round, its last result is carried there round by round, by the median
gain of its vendor's accelerators of the same kind that have results in two successive rounds at one size. All ratios
and ranks of accelerators come from `current`, so ratios are transitive and measured accelerators keep the order of the
record.

The functions take results of `comparable` and return frames of numbers; words and formats belong to notebooks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.compare import GROUP, USUAL_SIZE, fastest
from analysis.tables import COMPUTE

MAKER = ["vendor", "kind"]  # gains are shared only within these groups; a vendor's GPUs say nothing about its CPUs
FACTS = ["model", "id", "accelerator", *MAKER, "round", "submitter", "accelerator_count", "precision", "rate_unit"]
READ = [*GROUP, *FACTS, "rate_per_accelerator", "availability", "hypervisor"]
COLUMNS = [
    *GROUP, *FACTS, "submitters", "last_rate", "measured", "gain", "links", "rate", "low", "high",
]  # fmt: skip
OF_ACCELERATOR = [*GROUP, "accelerator"]


def matched(rows: pd.DataFrame, also: Sequence[str] = ()) -> pd.DataFrame:
    """Pair the results of a system in two successive rounds.

    Parameters
    ----------
    rows : DataFrame
        Results of `comparable`; benchmarks and scenarios are computed separately.
    also : sequence of str, optional
        Further columns that both results of a pair share, such as `submitter`.

    Returns
    -------
    DataFrame
        One row for each pair, oldest first: `benchmark`, `scenario`, `vendor`, `kind`, `accelerator`,
        `accelerator_count`, `also`, `round_before`, `round`, `rate_before` and `rate` (the fastest of each round per
        accelerator, in the unit of the benchmark), and `gain`, their ratio.

    Examples
    --------
    >>> rows = comparable(benchmark="llama2-70b", scenario="Offline")
    >>> pairs = matched(rows).query("accelerator == 'H100' and accelerator_count == 8")
    >>> pairs.set_index("round")[["round_before", "rate_before", "rate", "gain"]].round(2)
          round_before  rate_before     rate  gain
    round
    v4.1          v4.0      2786.21  3065.61  1.10
    v5.0          v4.1      3065.61  3913.35  1.28
    """
    system = [*GROUP, *MAKER, "accelerator", "accelerator_count", *also]
    best = fastest(rows, [*system, "round"])
    best = best[[*system, "round", "rate_per_accelerator"]].rename(columns={"rate_per_accelerator": "rate"})
    best = best.sort_values(["round", *system])
    best["step"] = best["round"].cat.codes.groupby([best[name] for name in GROUP]).rank(method="dense")
    before = best.assign(step=best["step"] + 1)
    pairs = best.merge(before, on=[*system, "step"], suffixes=("", "_before"))
    pairs["gain"] = pairs["rate"] / pairs["rate_before"]
    return pairs[[*system, "round_before", "round", "rate_before", "rate", "gain"]]


def gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the median gain of each vendor from round to round.

    Parameters
    ----------
    rows : DataFrame
        As for `matched`.

    Returns
    -------
    DataFrame
        One row for each `benchmark`, `scenario`, `vendor`, `kind`, and `round` that has a round before it. `gain`: over
        that round, the median over accelerators of the median over their sizes. `links`: the number of accelerators
        behind it. `borrowed`: the vendor has none, so the gain is that of all vendors, or 1.0 without any.

    Examples
    --------
    >>> steps = gains(comparable(benchmark="llama2-70b", scenario="Offline"))
    >>> steps[steps["vendor"].eq("NVIDIA")].set_index("round")[["gain", "links", "borrowed"]].tail(3).round(3)
            gain  links  borrowed
    round
    v5.1   0.998      3     False
    v6.0   1.024      3     False
    v6.1   1.008      5     False
    """
    maker, scope = [*GROUP, *MAKER, "round"], [*GROUP, "round"]
    each = matched(rows).groupby([*maker, "accelerator"])["gain"].median()
    own = each.groupby(maker).agg(gain="median", links="size")
    everyone = each.groupby(scope).agg(gain="median", links="size")
    rounds = rows[scope].drop_duplicates().sort_values("round")
    later = rounds[rounds.duplicated(GROUP)]
    steps = rows[[*GROUP, *MAKER]].drop_duplicates().sort_values([*GROUP, *MAKER]).merge(later, on=GROUP)
    steps = steps.join(own, on=maker).join(everyone.add_suffix("_of_all"), on=scope)
    steps["borrowed"] = steps["gain"].isna()
    for name, of_none in (("gain", 1.0), ("links", 0)):
        steps[name] = steps[name].fillna(steps.pop(f"{name}_of_all")).fillna(of_none)
    return steps.astype({"links": int})


def current(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rate of each accelerator in the newest round of its benchmark and scenario.

    Parameters
    ----------
    rows : DataFrame
        Results of `comparable`; benchmarks and scenarios are computed separately. Only available systems
        count, as in `fastest`.

    Returns
    -------
    DataFrame
        One row for each `benchmark`, `scenario`, and `accelerator`, fastest first. `model`, `id`, `round`, `submitter`,
        `accelerator_count`, `precision`: of its last result, with eight accelerators if there is one. `submitters`: the
        number of its submitters in that round. `last_rate`: that result per accelerator, in `rate_unit`. `measured`:
        `round` is the newest. `gain`: from `round` to the newest, the product of `gains`. `links`: the fewest
        accelerators behind one of its steps, 0 where measured. `rate`: `last_rate` times `gain`. `low`, `high`: its
        range by data/carry_errors.csv, `rate` itself where measured.

    Examples
    --------
    >>> now = current(comparable(benchmark="llama2-70b", scenario="Offline")).set_index("accelerator")
    >>> now.loc[["GB300", "H100"], ["round", "last_rate", "gain", "links", "rate"]].round(3)
                round  last_rate  gain  links       rate
    accelerator
    GB300        v6.1  16531.625  1.00      0  16531.625
    H100         v5.0   3913.350  1.03      3   4031.084
    """
    rows = rows.loc[rows["availability"].eq("available"), READ]
    submitters = rows.groupby([*OF_ACCELERATOR, "round"])["submitter"].nunique().rename("submitters")
    table = last_results(rows).rename(columns={"rate_per_accelerator": "last_rate"})
    table = table.join(submitters, on=[*OF_ACCELERATOR, "round"])
    stated = rows[rows["precision"].ne("")].groupby(OF_ACCELERATOR)["precision"].agg(lambda each: each.mode().iloc[0])
    usual = table[OF_ACCELERATOR].join(stated, on=OF_ACCELERATOR)["precision"].fillna("")
    steps = table[[*OF_ACCELERATOR, *MAKER, "round"]].merge(gains(rows), on=[*GROUP, *MAKER], suffixes=("", "_step"))
    steps = steps[steps["round_step"].gt(steps["round"])].groupby(OF_ACCELERATOR)
    table = table.join(steps.agg(gain=("gain", "prod"), links=("links", "min")), on=OF_ACCELERATOR)
    table = table.fillna({"gain": 1.0, "links": 0}).astype({"links": int})
    errors = [carry_error(*pair) for pair in table[GROUP].itertuples(index=False, name=None)]
    error = pd.DataFrame(errors, table.index, columns=["low", "high"])
    rate = table["last_rate"] * table["gain"]
    table = table.assign(
        precision=table["precision"].mask(table["precision"].eq(""), usual),
        rate=rate,
        low=rate.where(table["measured"], rate * error["low"]),
        high=rate.where(table["measured"], rate * error["high"]),
    )
    return table.sort_values([*GROUP, "rate"], ascending=[True, True, False], ignore_index=True)[COLUMNS]


def last_results(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the last result of each accelerator in its benchmark and scenario, as used by `current`.

    This is the fastest of the newest round (`measured`); for an accelerator without one there, a result with eight
    accelerators if there is one, then the newest.
    """
    best = fastest(rows, [*OF_ACCELERATOR, "round"])
    newest = best.groupby(GROUP)["round"].transform("max")
    best = best.assign(measured=best["round"].eq(newest), usual=best["accelerator_count"].eq(USUAL_SIZE))
    best = best.sort_values(["measured", "usual", "round"]).drop_duplicates(OF_ACCELERATOR, keep="last")
    return best.drop(columns="usual").reset_index(drop=True)


def over(table: pd.DataFrame, baseline: str | Mapping[str, str]) -> pd.DataFrame:
    """Add the speedup over a baseline to a table of `current`.

    Parameters
    ----------
    table : DataFrame
        A table of `current`.
    baseline : str or mapping
        The reference accelerator, or one per benchmark. Benchmarks and scenarios without it are left out.

    Returns
    -------
    DataFrame
        The table with `base` (the baseline), `base_round` (of its last result), `fewest` (submitters, the fewer of the
        two), `speedup`, a ratio of two of its rates, `speedup_low`, and `speedup_high`. Two carried rates add their
        errors in quadrature; a carried baseline moves the ratios of its benchmark and scenario together.

    Examples
    --------
    >>> now = over(current(comparable(benchmark="llama2-70b", scenario="Offline")), "H100").set_index("accelerator")
    >>> now.loc[["GB300", "H200"], ["speedup", "speedup_low", "speedup_high"]].round(2)
                 speedup  speedup_low  speedup_high
    accelerator
    GB300           4.10         3.63          4.48
    H200            1.13         0.97          1.32
    """
    table = table.assign(base=baseline if isinstance(baseline, str) else table["benchmark"].map(baseline))
    base = table.loc[table["accelerator"].eq(table["base"]), [*GROUP, "round", "submitters", "rate", "low", "high"]]
    table = table.merge(base.rename(columns={"round": "base_round"}), on=GROUP, suffixes=("", "_base"))
    other = table["accelerator"].ne(table["base"])
    down = np.hypot(np.log(table["rate"] / table["low"]), np.log(table["high_base"] / table["rate_base"]))
    up = np.hypot(np.log(table["high"] / table["rate"]), np.log(table["rate_base"] / table["low_base"]))
    speedup = table["rate"] / table["rate_base"]
    table = table.assign(
        fewest=table[["submitters", "submitters_base"]].min(axis=1),
        speedup=speedup,
        speedup_low=speedup * np.exp(-down * other),
        speedup_high=speedup * np.exp(up * other),
    )
    return table.drop(columns=["submitters_base", "rate_base", "low_base", "high_base"])


def datasheet(table: pd.DataFrame) -> pd.DataFrame:
    """Return the datasheet bandwidth and peak compute of the accelerators of a table.

    Parameters
    ----------
    table : DataFrame
        Columns `accelerator` and `precision`, such as a table of `current` of one benchmark and scenario.

    Returns
    -------
    DataFrame
        By accelerator, in the order of the table: `bandwidth` of the memory (GB/s) and `peak` of dense arithmetic
        (TFLOPS, TOPS for integers) at `precision`, or the highest of the datasheet where it has none at that precision
        or none is stated. NaN where data/accelerators.csv has neither.

    Examples
    --------
    >>> datasheet(current(comparable(benchmark="llama2-70b"))).loc[["GB300", "H100"]]
                 bandwidth     peak
    accelerator
    GB300           8000.0  15000.0
    H100            3350.0   1979.0
    """
    facts = tables.accelerators.set_index("label").reindex(table["accelerator"])
    peaks = facts[list(COMPUTE.values())].set_axis(list(COMPUTE), axis="columns")
    precision = table["precision"].replace({"bf16": "fp16"}).to_numpy()
    peak = peaks.where(precision[:, None] == peaks.columns.to_numpy()).max(axis=1)
    return pd.DataFrame({"bandwidth": facts["memory_bandwidth_gb_per_s"], "peak": peak.fillna(peaks.max(axis=1))})


def language_models() -> list[str]:
    """Return the benchmarks of language models: those of which data/benchmarks.csv has the layers of the decoder."""
    facts = tables.benchmarks
    return facts.loc[facts["layers"].notna(), "benchmark"].tolist()


@cache  # called for each accelerator; cleared by tables.forget
def carry_error(benchmark: str, scenario: str) -> pd.Series:
    """Return the applicable row of data/carry_errors.csv: `median`, `p90`, the range `low` to `high`, `held`, `tests`.

    It is the benchmark's row, with or without a latency limit; without tests of the benchmark, that of its class.
    """
    benchmark = names.benchmark(benchmark, [benchmark])
    errors = tables.carry_errors
    errors = errors[errors["latency_limit"].eq(scenario != "Offline")]
    own = errors[errors["benchmark"].eq(benchmark)]
    pool = errors[errors["benchmark"].eq("") & errors["language_model"].eq(benchmark in language_models())]
    return pd.concat([own, pool]).iloc[0]
