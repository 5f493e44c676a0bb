"""What each accelerator does in the newest round of a benchmark and scenario: measured there, or carried there.

An accelerator that nobody submitted in the newest round is carried there from its last result: round by round, by the
median gain of its vendor's accelerators of its kind that two successive rounds have at one size. All ratios and ranks
of accelerators come from `current`, so ratios are transitive and the order of what is measured is that of the record.

The functions take results of `comparable` and return frames of numbers; words and formats belong to notebooks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.compare import GROUP, USUAL_SIZE, fastest
from analysis.tables import COMPUTE

MAKER = ["vendor", "kind"]  # gains are shared only within these groups; a vendor's GPUs are no evidence about its CPUs
FACTS = ["model", "id", "accelerator", *MAKER, "round", "submitter", "accelerator_count", "precision", "rate_unit"]
READ = [*GROUP, *FACTS, "rate_per_accelerator", "availability", "hypervisor"]
COLUMNS = [
    *GROUP, *FACTS, "submitters", "last_rate", "measured", "gain", "links", "borrowed", "rate", "low", "high",
]  # fmt: skip
OF_ACCELERATOR = [*GROUP, "accelerator"]


def matched(rows: pd.DataFrame) -> pd.DataFrame:
    """Pair the results of a system in two successive rounds.

    Parameters
    ----------
    rows : DataFrame
        Results of `comparable`; several benchmarks and scenarios are computed each by itself.

    Returns
    -------
    DataFrame
        One row for each pair, oldest first: `benchmark`, `scenario`, `vendor`, `kind`, `accelerator`,
        `accelerator_count`, `round_before`, `round`, `rate_before` and `rate` (the fastest of each round per
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
    system = [*GROUP, *MAKER, "accelerator", "accelerator_count"]
    best = fastest(rows, [*GROUP, *MAKER, "accelerator", "round"], per_size=True)
    best = best[[*system, "round", "rate_per_accelerator"]].rename(columns={"rate_per_accelerator": "rate"})
    best = best.sort_values(["round", *system], ignore_index=True)
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
        that round, the median over accelerators of the median over their sizes. `links`: how many accelerators are
        behind it. `borrowed`: the vendor has none, so those of all vendors are taken, and 1.0 without any.

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
    each = matched(rows).groupby([*GROUP, *MAKER, "accelerator", "round"], observed=True)["gain"].median()
    own = each.groupby([*GROUP, *MAKER, "round"], observed=True).agg(gain="median", links="size").reset_index()
    everyone = each.groupby([*GROUP, "round"], observed=True).agg(gain="median", links="size").reset_index()
    rounds = rows[[*GROUP, "round"]].drop_duplicates().sort_values("round")
    later = rounds[rounds.duplicated(GROUP)]
    steps = rows[[*GROUP, *MAKER]].drop_duplicates().sort_values([*GROUP, *MAKER]).merge(later, on=GROUP)
    steps = steps.merge(own, on=[*GROUP, *MAKER, "round"], how="left")
    usual = steps[[*GROUP, "round"]].merge(everyone, on=[*GROUP, "round"], how="left")
    return steps.assign(
        gain=steps["gain"].fillna(usual["gain"]).fillna(1.0),
        links=steps["links"].fillna(usual["links"]).fillna(0).astype(int),
        borrowed=steps["gain"].isna(),
    )


def current(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rate of each accelerator in the newest round of its benchmark and scenario.

    Parameters
    ----------
    rows : DataFrame
        Results of `comparable`; several benchmarks and scenarios are computed each by itself. Only available systems
        count, as in `fastest`.

    Returns
    -------
    DataFrame
        One row for each `benchmark`, `scenario`, and `accelerator`, fastest first. `model`, `id`, `round`, `submitter`,
        `accelerator_count`, `precision`: of its last result, with eight accelerators if there is one. `submitters`: how
        many the accelerator has in that round. `last_rate`: that result per accelerator, in `rate_unit`. `measured`:
        `round` is the newest. `gain`: from `round` to the newest, the product of `gains`; `links`: the accelerators
        behind the thinnest of its steps, 0 where measured; `borrowed`: a step is of other vendors. `rate`: `last_rate`
        times `gain`. `low`, `high`: its range by data/carry_errors.csv, `rate` itself where measured.

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
    last = last_results(rows).rename(columns={"rate_per_accelerator": "last_rate"})
    submitters = rows.groupby([*OF_ACCELERATOR, "round"], observed=True)["submitter"].nunique().rename("submitters")
    table = last.join(submitters, on=[*OF_ACCELERATOR, "round"])
    used = table[OF_ACCELERATOR].merge(_usual_precision(rows), on=OF_ACCELERATOR, how="left")["precision"]
    table["precision"] = table["precision"].mask(table["precision"].eq(""), used.fillna(""))
    steps = table[[*OF_ACCELERATOR, *MAKER, "round"]].merge(gains(rows), on=[*GROUP, *MAKER], suffixes=("", "_step"))
    steps = steps[steps["round_step"].gt(steps["round"])].groupby(OF_ACCELERATOR, observed=True)
    steps = steps.agg(gain=("gain", "prod"), links=("links", "min"), borrowed=("borrowed", "any"))
    table = table.join(steps, on=OF_ACCELERATOR)
    table = table.fillna({"gain": 1.0, "links": 0}).astype({"links": int})
    ranges = {pair: carry_error(*pair) for pair in table[GROUP].drop_duplicates().itertuples(index=False, name=None)}
    own = [ranges[pair] for pair in table[GROUP].itertuples(index=False, name=None)]
    error = pd.DataFrame(own, table.index, columns=["low", "high"])
    rate = table["last_rate"] * table["gain"]
    table = table.assign(
        borrowed=table["borrowed"].eq(True),
        rate=rate,
        low=rate.where(table["measured"], rate * error["low"]),
        high=rate.where(table["measured"], rate * error["high"]),
    )
    return table.sort_values([*GROUP, "rate"], ascending=[True, True, False], ignore_index=True)[COLUMNS]


def last_results(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the last result of each accelerator in its benchmark and scenario, as `current` takes it.

    The fastest of the newest round (`measured`); of an accelerator that has none there with eight accelerators if there
    is one, then the newest.
    """
    best = fastest(rows, [*OF_ACCELERATOR, "round"])
    newest = best.groupby(GROUP, observed=True)["round"].transform("max")
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
        The accelerator that counts as 1, or that of each benchmark. Benchmarks and scenarios without it are left out.

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
    fewest = table[["submitters", "submitters_base"]].min(axis=1)
    table = table.drop(columns=["submitters_base", "rate_base", "low_base", "high_base"])
    return table.assign(
        fewest=fewest,
        speedup=speedup,
        speedup_low=speedup * np.exp(-down * other),
        speedup_high=speedup * np.exp(up * other),
    )


def datasheet(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the datasheets promise for the accelerators of a table.

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
    facts = tables.accelerators.set_index("label")
    peaks = facts.rename(columns={column: precision for precision, column in COMPUTE.items()})[list(COMPUTE)]
    asked = table.set_index("accelerator")["precision"].replace({"bf16": "fp16"})
    peak = peaks.stack().reindex(pd.MultiIndex.from_arrays([asked.index, asked])).set_axis(asked.index)
    bandwidth = facts["memory_bandwidth_gb_per_s"].reindex(asked.index)
    highest = peaks.max(axis=1).reindex(asked.index)
    return pd.DataFrame({"bandwidth": bandwidth, "peak": peak.fillna(highest)})


def language_models() -> list[str]:
    """Return the benchmarks of language models: those of which data/benchmarks.csv has the layers of the decoder."""
    facts = tables.benchmarks
    return facts.loc[facts["layers"].notna(), "benchmark"].tolist()


def carry_error(benchmark: str, scenario: str) -> pd.Series:
    """Return the row of data/carry_errors.csv that counts: `median`, `p90`, the range `low` to `high`, `held`, `tests`.

    That of the benchmark, with or without a latency limit; of a benchmark without tests, that of its class.
    """
    benchmark = names.benchmark(benchmark, [benchmark])
    errors = tables.carry_errors
    errors = errors[errors["latency_limit"].eq(scenario != "Offline")]
    own = errors[errors["benchmark"].eq(benchmark)]
    pool = errors[errors["benchmark"].eq("") & errors["language_model"].eq(benchmark in language_models())]
    return pd.concat([own, pool]).iloc[0]


def _usual_precision(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the most common stated precision of each accelerator by benchmark and scenario."""
    stated = rows.loc[rows["precision"].ne(""), [*OF_ACCELERATOR, "precision"]].value_counts(sort=False).reset_index()
    return stated.sort_values("count", ascending=False, kind="stable").drop_duplicates(OF_ACCELERATOR)
