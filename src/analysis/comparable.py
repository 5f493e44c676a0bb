"""The only place that decides which results may stand side by side, in which unit, and what was left out and why.

Rules: same benchmark, accuracy target, scenario, division and suite; one unit, converted with the run's own tokens
per sample; power submissions against power submissions only; each result once. What is allowed but needs care (preview,
another round, another size, a power cap, a precision or division that is not stated) is kept with a caveat (see
caveats.py). What the audit doubts carries its doubt as a caveat, or is left out where only checked figures are asked
for.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis import caveats, rates

SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
ORIGINS = ("published", "official", "measured")
TRUST = ("all", "checked")


@dataclass(frozen=True)
class Question:
    """What is compared. Empty `accelerators`, `rounds` or `suite` mean all; `power` asks for power submissions.

    `accuracy_target` is "99" or "99.9" (per cent of the reference); empty: the one that most results have. `trust` is
    "all" or "checked": published figures that the official record bears out, beside official and measured ones.
    """

    benchmark: str
    scenario: str
    origins: tuple[str, ...] = ("published", "official")
    rounds: tuple[str, ...] = ()
    accelerators: tuple[str, ...] = ()
    division: str = "closed"
    suite: str = "datacenter"
    power: bool = False
    accuracy_target: str = ""
    trust: str = "all"


@dataclass(frozen=True)
class Comparison:
    """`rows` may stand side by side; `left_out` has one row per reason: reason, results, accelerators."""

    rows: pd.DataFrame
    left_out: pd.DataFrame
    unit: str
    question: Question
    label: str

    @property
    def topic(self) -> str:
        """Benchmark and scenario in words."""
        return f"{self.label} {self.question.scenario}"

    @property
    def work(self) -> str:
        """What one unit of the rate is: token, sample or query."""
        return {"tokens/s": "token", "samples/s": "sample", "queries/s": "query"}[self.unit]

    @property
    def subtitle(self) -> str:
        """What a figure of these rows compares: benchmark, scenario, rounds, division. The figure adds the caveats."""
        rounds = " and ".join(self.question.rounds) or "all rounds"
        kind = "power submissions" if self.question.power else f"{self.question.division} division"
        return f"{self.topic}, {rounds}, {kind}."

    @property
    def sources(self) -> list[str]:
        """The ids of the documents and rounds that the rows come from, each once."""
        return sorted(set(self.rows["source_id"]))


def ask(parameters: Any, **changes: Any) -> Question:
    """The question that a report's parameters ask; `changes` replace fields of it.

    The baseline is always among the accelerators: without it there is nothing to compare with.
    """
    names = parameters.accelerators
    asked = Question(
        benchmark=parameters.benchmark,
        scenario=parameters.scenario,
        origins=tuple(parameters.origins),
        rounds=tuple(parameters.rounds),
        accelerators=tuple(dict.fromkeys([parameters.baseline, *names])) if names else (),
        trust=parameters.trust,
    )
    return replace(asked, **changes)


def select(results: pd.DataFrame, benchmarks: pd.DataFrame, question: Question) -> Comparison:
    """The results that answer `question`, with rates in the benchmark's own unit.

    Added columns: `rate_low/high` of the system and `per_accelerator_low/high` in the comparison's unit (tokens,
    samples or queries per second), `as_printed_low/high` per accelerator in the printed unit, `assumed` (tokens per
    sample were not stated and the benchmark's range was taken), `basis` (the document, or `official` and the round:
    ratios are taken within one), `caveat`. Raises ValueError for an unknown benchmark, scenario or origin, with the
    valid choices.
    """
    identity = _identity(benchmarks, question)
    unit = identity["server_unit"] if question.scenario != "Offline" else ""
    unit = unit or identity["offline_unit"]
    asked = _asked(results, question)
    rated = rates.converted(asked, identity, unit)
    rated = rated.assign(basis=_basis(rated))
    reasons = _reasons(rated, question, identity, unit)
    kept = rated[reasons.eq("")]
    kept = kept.assign(caveat=caveats.written(kept, question.suite, question.division))
    return Comparison(kept, _left_out(rated, reasons), unit, question, identity["label"])


def trusted(results: pd.DataFrame, trust: str) -> pd.DataFrame:
    """The results for what does not ask a Question: all of them, or with `trust` "checked" those without a doubt.

    Raises ValueError for another `trust`.
    """
    choose(trust, TRUST, "trust")
    return results if trust == "all" else results[_checked(results)]


def select_all(
    results: pd.DataFrame, benchmarks: pd.DataFrame, question: Question, names: Iterable[str] = ()
) -> pd.DataFrame:
    """The comparable rows of every benchmark of `names` (empty: all), one below the other, each in its own unit."""
    names = list(names) or list(benchmarks["benchmark"])
    each = [select(results, benchmarks, _about(question, name)) for name in names]
    return pd.concat([found.rows.assign(rate_unit=found.unit) for found in each], ignore_index=True)


def select_each(results: pd.DataFrame, benchmarks: pd.DataFrame, questions: Iterable[Question]) -> pd.DataFrame:
    """The comparable rows of every benchmark for each of several questions, one below the other."""
    return pd.concat([select_all(results, benchmarks, each) for each in questions], ignore_index=True)


def official_first(frame: pd.DataFrame, by: Sequence[str] = ("benchmark", "scenario", "accelerator")) -> pd.DataFrame:
    """One row per `by`: of the newest round of the official record, else of the first document. Needs `basis`."""
    rounds = frame["basis"].str.extract(r"^official v(\d+)\.(\d+)$").astype("float64")
    ranked = frame.assign(major=rounds[0], minor=rounds[1])
    ranked = ranked.sort_values(["major", "minor"], ascending=False, kind="stable").drop(columns=["major", "minor"])
    return ranked.drop_duplicates(list(by)).reset_index(drop=True)


def choose(value: str, choices: Iterable[str], what: str) -> str:
    """`value` if it is one of `choices`; else ValueError naming `what`, the nearest choice and all of them."""
    choices = list(choices)
    if value in choices:
        return value
    near = difflib.get_close_matches(value, choices, n=1, cutoff=0.5)
    hint = f": did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"no {what} {value!r}{hint} Valid: {', '.join(choices)}")


def _about(question: Question, benchmark: str) -> Question:
    return replace(question, benchmark=benchmark)


def _identity(benchmarks: pd.DataFrame, question: Question) -> pd.Series:
    choose(question.scenario, SCENARIOS, "scenario")
    choose(question.trust, TRUST, "trust")
    for origin in question.origins:
        choose(origin, ORIGINS, "origin")
    name = choose(question.benchmark, benchmarks["benchmark"], "benchmark")
    return benchmarks.set_index("benchmark").loc[name]


def _asked(results: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Rows about the benchmark, of the scenario or of none: a batch-1 rate has no scenario and is left out by name."""
    scenario = results["scenario"].isin([question.scenario, ""])
    chosen = results["benchmark"].eq(question.benchmark) & scenario & results["metric"].eq("throughput")
    chosen &= results["origin"].isin(question.origins)
    if question.accelerators:
        chosen &= results["accelerator"].isin(question.accelerators)
    return results[chosen]


def _basis(rows: pd.DataFrame) -> pd.Series:
    return rows["source"].where(rows["origin"].ne("official"), "official " + rows["round"])


def slower_precision(rows: pd.DataFrame) -> pd.Series:
    """Whether the document prints the same accelerators faster at another precision: submitters pick the fastest."""
    same = ["source_id", "accelerator", "accelerator_count"]
    documents = rows["origin"].eq("published") & rows["duplicate_of"].eq("") & rows["scenario"].ne("")
    own = rows.loc[documents, [*same, "high", "precision"]]
    if own["precision"].nunique() < 2:
        return pd.Series(False, index=rows.index)
    groups = own.groupby(same)
    slower = groups["precision"].transform("nunique").gt(1) & own["high"].lt(groups["high"].transform("max"))
    return slower.reindex(rows.index, fill_value=False).astype("bool")


def _checked(rows: pd.DataFrame) -> pd.Series:
    """Whether each result may be trusted; rows that were not audited may."""
    return rows["checked"] if "checked" in rows else pd.Series(True, index=rows.index)


def _reasons(rows: pd.DataFrame, question: Question, identity: pd.Series, unit: str) -> pd.Series:
    """Why each row may not be compared, "" where it may; the first rule that it breaks counts."""
    target = _target(rows, question)
    rules = {
        "no MLPerf scenario: a rate at a stated batch size or on a framework": rows["scenario"].eq(""),
        "says again what another row says": rows["duplicate_of"].ne(""),
        "another round": ~rows["round"].isin(question.rounds) if question.rounds else rows["round"].eq("-"),
        f"not of the {question.division} division: another model or other rules": _other_division(rows, question),
        "another suite": _other_suite(rows, question),
        "power submission: measured under the power rules, often capped": rows["power_measured"] & (not question.power),
        "not a power submission": ~rows["power_measured"] & question.power,
        "a slower precision of the same accelerator in the same document": slower_precision(rows),
        f"another accuracy target than {target} %": ~_meets(rows, target, identity, question),
        f"unit cannot be turned into {unit}": rows["rate_low"].isna() & rows["accelerator_count"].notna(),
        "several accelerator types in one system": rows["accelerator"].eq("mixed"),
        "number of accelerators not stated": rows["accelerator_count"].isna(),
    }
    first = np.select([np.broadcast_to(broken, len(rows)) for broken in rules.values()], list(rules), "")
    reasons = pd.Series(first, index=rows.index, dtype="str")
    if question.trust == "all":
        return reasons
    return reasons.mask(reasons.eq("") & ~_checked(rows), "not checked: " + caveats.doubt(rows))


def _target(rows: pd.DataFrame, question: Question) -> str:
    """The target asked for, else the one that most of this division's rows have; "" where the benchmark has none."""
    if question.accuracy_target:
        return question.accuracy_target
    stated = rows.loc[rows["division"].eq(question.division) & rows["accuracy_target"].ne(""), "accuracy_target"]
    return stated.mode().max() if len(stated) else ""


def _meets(rows: pd.DataFrame, target: str, identity: pd.Series, question: Question) -> pd.Series:
    """Of the target or of none stated; either will do where one run is filed under both, unless one is asked for."""
    either = bool(identity["targets_share_run"]) and not question.accuracy_target
    return rows["accuracy_target"].isin([target, ""]) | either


def _other_division(rows: pd.DataFrame, question: Question) -> pd.Series:
    return ~rows["division"].isin([question.division, ""])


def _other_suite(rows: pd.DataFrame, question: Question) -> pd.Series:
    """A result may be filed under both suites ("datacenter,edge")."""
    return ~rows["suite"].isin([question.suite, "", "datacenter,edge"]) & (question.suite != "")


def _left_out(rows: pd.DataFrame, reasons: pd.Series) -> pd.DataFrame:
    names: dict[str, list[str]] = {}
    for reason, accelerator in zip(reasons, rows["accelerator"], strict=True):
        names.setdefault(reason, []).append(accelerator)
    out = [(reason, len(each), ", ".join(sorted(set(each) - {""}))) for reason, each in sorted(names.items()) if reason]
    return pd.DataFrame(out, columns=["reason", "results", "accelerators"])
