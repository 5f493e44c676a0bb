"""The only place that decides which results may stand side by side, in which unit, and what was left out and why.

Rules: same benchmark, accuracy target, scenario, division and suite; one unit, converted with the run's own tokens
per sample; power submissions against power submissions only; each result once. What is allowed but needs care (preview,
another size, a power cap, a precision or division that is not stated) is kept with a caveat (see
caveats.py). What the audit doubts carries its doubt as a caveat, or is left out where only checked figures are asked
for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from analysis.compare import caveats, rates, systems
from analysis.core.choices import choose

SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
ORIGINS = ("published", "official", "measured")
TRUST = ("all", "checked")
JUDGED = ["scenario", "duplicate_of", "round", "division", "suite", "power_measured", "accuracy_target", "accelerator"]
ENERGY = "energy_millijoules_per_query"
JUDGED += ["metric", "accelerator_count", "rate_low", "slower", "checked"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What is compared. Empty `accelerators`, `rounds` or `suite` mean all; `power` asks for power submissions.

    `accuracy_target` is "99" or "99.9" (per cent of the reference); empty: the one that most results have. `trust` is
    "all", or "checked" for published figures that the record bears out. `mixed` takes in clusters of several types.
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
    mixed: bool = False


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
    ratios are taken within one), `system_key` (see systems.py), `caveat`. Raises ValueError for an unknown
    benchmark, scenario or origin, with the valid choices.
    """
    identity = _identity(benchmarks, question)
    unit = identity["server_unit"] if question.scenario != "Offline" else ""
    unit = unit or identity["offline_unit"]
    asked = _asked(results, question)
    rated = rates.converted(asked, identity, unit)
    rated = rated.assign(basis=_basis(rated), system_key=systems.keys(rated))
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
    """Rows about the benchmark, of the scenario or of none: a batch-1 rate has no scenario and is left out by name.

    So is energy per query where power is asked for: it belongs to a latency.
    """
    rated = results["scenario"].isin([question.scenario, ""]) & results["metric"].eq("throughput")
    if question.power and ENERGY in results:
        rated |= results[ENERGY].notna()
    chosen = results["benchmark"].eq(question.benchmark) & rated & results["origin"].isin(question.origins)
    if question.accelerators:
        chosen &= results["accelerator"].isin(question.accelerators)
    return results[chosen]


def _basis(rows: pd.DataFrame) -> pd.Series:
    return rows["source"].where(rows["origin"].ne("official"), "official " + rows["round"])


def slower_precision(rows: pd.DataFrame) -> pd.Series:
    """Whether the document prints the same accelerators faster at another precision: submitters pick the fastest."""
    read = ["origin", "duplicate_of", "scenario", "source_id", "accelerator", "accelerator_count", "precision", "high"]
    groups: dict[tuple, list[tuple[str, float]]] = defaultdict(list)
    keys = []
    for origin, again, scenario, *same, precision, high in zip(*(rows[name] for name in read), strict=True):
        keys.append(tuple(same) if origin == "published" and scenario and not again else None)
        groups[keys[-1]].append((precision, high))
    most = {
        key: max(high for _, high in each)
        for key, each in groups.items()
        if key and len({kind for kind, _ in each}) > 1
    }
    slower = [key in most and high < most[key] for key, high in zip(keys, rows["high"], strict=True)]
    return pd.Series(slower, index=rows.index, dtype="bool")


def _checked(rows: pd.DataFrame) -> pd.Series:
    """Whether each result may be trusted; rows that were not audited may."""
    return rows["checked"] if "checked" in rows else pd.Series(True, index=rows.index)


def _reasons(rows: pd.DataFrame, question: Question, identity: pd.Series, unit: str) -> pd.Series:
    """Why each row may not be compared, "" where it may; the first rule that it breaks counts."""
    target = _target(rows[rows["metric"].ne("latency")], question)
    # One run may be filed under both targets; then either will do, unless one is asked for.
    either = bool(identity["targets_share_run"]) and not question.accuracy_target
    suites = {question.suite, "", "datacenter,edge"}  # A result may be filed under both suites.
    rules: dict[str, Callable[[Row], bool]] = {
        "energy per query of a stream: a latency, no throughput per watt": lambda row: row["metric"] == "latency",
        "no MLPerf scenario: a rate at a stated batch size or on a framework": lambda row: not row["scenario"],
        "duplicate of another row": lambda row: row["duplicate_of"] != "",
        "another round": lambda row: bool(question.rounds) and row["round"] not in question.rounds,
        f"not of the {question.division} division: another model or other rules": lambda row: (
            row["division"] not in (question.division, "")
        ),
        "another suite": lambda row: question.suite != "" and row["suite"] not in suites,
        "power submission: measured under the power rules, often capped": lambda row: (
            row["power_measured"] and not question.power
        ),
        "not a power submission": lambda row: question.power and not row["power_measured"],
        "a slower precision of the same accelerator in the same document": lambda row: row["slower"],
        f"another accuracy target than {target} %": lambda row: (
            not either and row["accuracy_target"] not in (target, "")
        ),
        f"unit cannot be turned into {unit}": lambda row: (
            pd.isna(row["rate_low"]) and pd.notna(row["accelerator_count"])
        ),
        "several accelerator types in one system": lambda row: row["accelerator"] == "mixed" and not question.mixed,
        "number of accelerators not stated": lambda row: pd.isna(row["accelerator_count"]),
        "not checked: ": lambda row: question.trust == "checked" and not row["checked"],
    }
    judged = rows.assign(slower=slower_precision(rows), checked=_checked(rows))[JUDGED].to_dict("records")
    first = [next((reason for reason, breaks in rules.items() if breaks(row)), "") for row in judged]
    doubts = caveats.doubt(rows)
    told = [
        reason + doubt if reason == "not checked: " else reason for reason, doubt in zip(first, doubts, strict=True)
    ]
    return pd.Series(told, index=rows.index, dtype="str")


def _target(rows: pd.DataFrame, question: Question) -> str:
    """The target asked for, else the one that most of this division's rows have; "" where the benchmark has none."""
    if question.accuracy_target:
        return question.accuracy_target
    both = zip(rows["division"], rows["accuracy_target"], strict=True)
    counts = Counter(target for division, target in both if division == question.division and target)
    return max(counts, key=lambda target: (counts[target], target), default="")


def _left_out(rows: pd.DataFrame, reasons: pd.Series) -> pd.DataFrame:
    names: dict[str, list[str]] = {}
    for reason, accelerator in zip(reasons, rows["accelerator"], strict=True):
        names.setdefault(reason, []).append(accelerator)
    out = [(reason, len(each), ", ".join(sorted(set(each) - {""}))) for reason, each in sorted(names.items()) if reason]
    return pd.DataFrame(out, columns=["reason", "results", "accelerators"])
