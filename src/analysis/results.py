"""Load results and select the comparable ones: frames in, frames out."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis._core import named_accelerators, notes
from analysis._core.choices import choose
from analysis._core.vocabulary import COST_MODELS, DATACENTER, EVIDENCE, WORKS, round_age

__all__ = ["COST_MODELS", "DATACENTER", "EVIDENCE", "comparable", "load_results", "round_age"]
from analysis.audit import flags
from analysis.comparability import selection

CHECKED = {"doubt": "", "checked": True}  # of rows that no document printed, such as a user's own


def load_results() -> pd.DataFrame:
    """Return every result, one row each: official results, figures of documents, and the user's own imports.

    The main columns are `round`, `division`, `availability`, `submitter`, `system`, `accelerator`,
    `accelerator_count`, `benchmark`, `scenario`, `low` and `high` in `unit`, `precision` and `result_id`;
    data/README.md describes those of the files. Added are `source` (its short name), `vendor` (of the accelerator,
    "" for one that data/accelerators.csv lacks), `power_capped`, `machine` and `comparable_since`. Raises
    TableError naming file, row and column of a broken table.
    """
    return flags.catalog().results


def comparable(
    results: pd.DataFrame | None = None, *, benchmark: str, scenario: str = "Offline", division: str = "closed",
    suite: str = "datacenter", rounds: Iterable[str] = (), accelerators: Iterable[str] = (),
    accuracy_target: str = "", power: bool = False, origins: Iterable[str] = ("official",),
    return_excluded: bool = False,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the results of one benchmark and scenario that may be compared, with throughput per accelerator.

    `results` is `load_results()` (the default) or a part of it. Empty `rounds` and `accelerators` mean all;
    `accelerators` are names, short names, or vendors: `["B300", "AMD"]`. Added columns: `tokens_per_second` and
    `tokens_per_second_per_accelerator` (`samples_...` or `queries_...` where the benchmark counts those), and `notes`,
    the caveats of a row in words. With `return_excluded` a second frame says why the other results were left
    out: `reason`, `results` (how many) and `accelerators`; where there are no results to compare, that there are none.
    Raises ValueError for an unknown benchmark, scenario, division, suite, accuracy target, origin, round or
    accelerator, with the valid choices, and for results that lack columns, with their names.
    """
    data = flags.catalog()
    rows = data.results if results is None else results
    if lacking := [name for name in (*selection.READ, *selection.READ_OF_KEPT) if name not in rows]:
        raise ValueError(f"results: no column {', '.join(lacking)}; pass rows of load_results() with all their columns")
    known = data.doubts.reindex(rows["id"])
    known = known.fillna(CHECKED).astype(data.doubts.dtypes)
    try:
        named = named_accelerators.each(_listed(accelerators), rows["accelerator"].unique())
    except ValueError as error:
        raise ValueError(f"accelerators: {error}") from None
    there = dict.fromkeys(filter(None, [*data.rounds["round"], *rows["round"].unique()]))
    asked = tuple(choose(name, there, "round") for name in _listed(rounds))
    question = selection.Question(
        benchmark, scenario, _listed(origins), asked, tuple(named), division, suite, power, accuracy_target
    )
    chosen = selection.select(selection.Data(rows.reset_index(drop=True), data.benchmarks, known), question)
    if accuracy_target:
        _a_filed_target(accuracy_target, benchmark, [data.results, rows])
    work = f"{WORKS[chosen.unit]}_per_second"
    frame = chosen.rows.assign(**{
        "notes": pd.Series(notes.as_text(chosen.rows["notes"]), chosen.rows.index, "object"),
        work: (chosen.rows["rate_low"] + chosen.rows["rate_high"]) / 2,
        f"{work}_per_accelerator": (chosen.rows["per_accelerator_low"] + chosen.rows["per_accelerator_high"]) / 2,
    })  # fmt: skip
    if not return_excluded:
        return frame
    excluded = chosen.excluded
    if frame.empty and excluded.empty:
        of_these = f" for these accelerators: {', '.join(_listed(accelerators))}" if named else ""
        reason = f"no {' or '.join(question.origins)} result of {chosen.topic}{of_these}"
        excluded = pd.DataFrame([(reason, 0, "")], columns=excluded.columns)
    return frame, excluded


def _a_filed_target(target: str, benchmark: str, frames: Iterable[pd.DataFrame]) -> None:
    """Refuse an accuracy target under which no result of the benchmark is."""
    filed = {each for frame in frames for each in frame["accuracy_target"][frame["benchmark"].eq(benchmark)]} - {""}
    if filed:
        choose(target, sorted(filed, key=float), f"accuracy target of {benchmark}")
    else:
        raise ValueError(f"accuracy_target {target!r}: results of {benchmark} have a single target; leave it out")


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names; a text is one name, not a list of its letters, and an empty one is none."""
    return tuple(filter(None, [names] if isinstance(names, str) else names))
