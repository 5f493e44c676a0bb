"""The only place that decides which results may stand side by side, in which unit, and what was left out and why.

Rules: same benchmark, accuracy target, scenario, division and suite; one unit, converted with the run's own tokens
per sample; power submissions against power submissions only; each result once. What is allowed but needs care (preview,
another size, a power cap, a precision or division that is not stated) is kept with a note (see row_notes.py). What the
audit doubts carries its doubt as a note, or is left out where only checked figures are asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import pandas as pd

from analysis.compare import rates, row_notes, systems
from analysis.core.choices import choose
from analysis.core.notes import Note, note
from analysis.core.vocabulary import ORIGINS, SCENARIOS, TRUST, WORK, filed_under, round_age

JUDGED = ["scenario", "duplicate_of", "round", "division", "suite", "power_measured", "accuracy_target", "accelerator"]
ENERGY = "energy_millijoules_per_query"
JUDGED += ["metric", "accelerator_count", "rate_low", "slower", "checked", "doubt"]
Row = Mapping[str, Any]


class Tables(Protocol):
    """What a comparison is made from: the catalog, or anything that holds the same frames."""

    @property
    def results(self) -> pd.DataFrame:
        """The results, each with an `id` of its own."""

    @property
    def benchmarks(self) -> pd.DataFrame:
        """The benchmarks of which they are."""

    @property
    def doubts(self) -> pd.DataFrame:
        """What is doubted about each result, by its id: `doubt` (the code of a note, "" for nothing) and `checked`."""


class Data(NamedTuple):
    """The frames of a comparison, put together by hand."""

    results: pd.DataFrame
    benchmarks: pd.DataFrame
    doubts: pd.DataFrame


def record(results: pd.DataFrame, benchmarks: pd.DataFrame) -> Data:
    """The official results alone, as they are compared: they are no quotations, so that none of them is doubted."""
    rows = results[results["origin"].eq("official")]
    return Data(rows, benchmarks, pd.DataFrame({"doubt": "", "checked": True}, index=pd.Index(rows["id"])))


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
    """`rows` may stand side by side; `left_out` has one row per reason: reason (in words), results, accelerators."""

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
        return WORK[self.unit]

    @property
    def subtitle(self) -> str:
        """What a figure of these rows compares: benchmark, scenario, rounds, division. The figure adds their notes."""
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


def select(data: Tables, question: Question) -> Comparison:
    """The results that answer `question`, with rates in the unit in which the benchmark compares: mostly its own.

    Added columns: `rate_low/high` of the system and `per_accelerator_low/high` in the comparison's unit (tokens,
    samples or queries per second), `as_printed_low/high` per accelerator in the printed unit, `assumed` (tokens per
    sample were not stated and the benchmark's range was taken), `basis` (the document, or `official` and the round:
    ratios are taken within one), `system_key` (see systems.py), `notes` (a set of core.notes.Note). Raises ValueError
    for an unknown benchmark, scenario or origin, with the valid choices, and for a result without a word of the audit.
    """
    identity = _identity(data.benchmarks, question)
    own = identity["server_unit"] if question.scenario != "Offline" else ""
    unit = identity["compared_in"] or own or identity["offline_unit"]
    asked = _doubted(_asked(data.results, question), data.doubts)
    rated = rates.converted(asked, identity, unit)
    rated = rated.assign(basis=_basis(rated), system_key=systems.keys(rated))
    reasons = _reasons(rated, question, identity, unit)
    kept = rated[pd.Series([reason is None for reason in reasons], index=rated.index, dtype="bool")]
    kept = kept.assign(notes=row_notes.of_each(kept, question.suite, question.division))
    return Comparison(kept, _left_out(rated, reasons), unit, question, identity["label"])


def trusted(data: Tables, trust: str) -> pd.DataFrame:
    """The results for what does not ask a Question, with what is doubted about each as `notes`.

    All of them, or with `trust` "checked" those that are checked. Raises ValueError for another `trust`.
    """
    choose(trust, TRUST, "trust")
    rows = _doubted(data.results, data.doubts)
    rows = rows if trust == "all" else rows[rows["checked"]]
    return rows.assign(notes=row_notes.of_doubts(rows))


def select_all(data: Tables, question: Question, names: Iterable[str] = ()) -> pd.DataFrame:
    """The comparable rows of every benchmark of `names` (empty: all), one below the other, each in its own unit."""
    names = list(names) or list(data.benchmarks["benchmark"])
    chosen = [select(data, _about(question, name)) for name in names]
    return pd.concat([part.rows.assign(rate_unit=part.unit) for part in chosen], ignore_index=True)


def select_each(data: Tables, questions: Iterable[Question]) -> pd.DataFrame:
    """The comparable rows of every benchmark for each of several questions, one below the other."""
    return pd.concat([select_all(data, question) for question in questions], ignore_index=True)


def official_first(frame: pd.DataFrame, by: Sequence[str] = ("benchmark", "scenario", "accelerator")) -> pd.DataFrame:
    """One row per `by`: of the newest round of the official record, else of the first document.

    Needs the columns `origin` and `rounds` (those of its basis).
    """
    bases = zip(frame["origin"], frame["rounds"], strict=True)
    ages = [max(map(round_age, rounds)) if origin == "official" else (-1, -1) for origin, rounds in bases]
    newest = sorted(range(len(frame)), key=ages.__getitem__, reverse=True)
    return frame.iloc[newest].drop_duplicates(list(by)).reset_index(drop=True)


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
        key: max(high for _, high in figures)
        for key, figures in groups.items()
        if key and len({kind for kind, _ in figures}) > 1
    }
    slower = [key in most and high < most[key] for key, high in zip(keys, rows["high"], strict=True)]
    return pd.Series(slower, index=rows.index, dtype="bool")


def _doubted(rows: pd.DataFrame, doubts: pd.DataFrame) -> pd.DataFrame:
    """The rows with `doubt` and `checked`: a result that was never audited is an error and no result to trust."""
    if not doubts.index.is_unique:
        twice = doubts.index[doubts.index.duplicated()][0]
        raise ValueError(f"the doubts of result {twice!r} stand twice: each result has an id of its own")
    lacking = rows.loc[~rows["id"].isin(doubts.index), "id"]
    if len(lacking):
        raise ValueError(
            f"no doubts are known of result {lacking.iloc[0]!r} ({len(lacking)} of {len(rows)} results): compare "
            "results of a catalog that was judged (analysis.audit.doubts.catalog), with the doubts of the same rows"
        )
    return rows.assign(**{name: doubts[name].reindex(rows["id"]).to_numpy() for name in ("doubt", "checked")})


def _reasons(rows: pd.DataFrame, question: Question, identity: pd.Series, unit: str) -> list[Note | None]:
    """Why each row may not be compared, None where it may; the first rule that it breaks counts."""
    target = _target(rows[rows["metric"].ne("latency")], question)
    # One run may be filed under both targets; then either will do, unless one is asked for.
    either = bool(identity["targets_share_run"]) and not question.accuracy_target
    rules: dict[Note, Callable[[Row], bool]] = {
        note("stream_energy"): lambda row: row["metric"] == "latency",
        note("no_scenario"): lambda row: not row["scenario"],
        note("duplicate"): lambda row: row["duplicate_of"] != "",
        note("another_round"): lambda row: bool(question.rounds) and row["round"] not in question.rounds,
        note("another_division", division=question.division): lambda row: (
            row["division"] not in (question.division, "")
        ),
        note("another_suite"): lambda row: (
            question.suite != "" and row["suite"] != "" and question.suite not in filed_under(row["suite"])
        ),
        note("power_submission"): lambda row: row["power_measured"] and not question.power,
        note("no_power_submission"): lambda row: question.power and not row["power_measured"],
        note("slower_precision"): lambda row: row["slower"],
        note("another_target", target=target): lambda row: not either and row["accuracy_target"] not in (target, ""),
        note("other_unit", unit=unit): lambda row: pd.isna(row["rate_low"]) and pd.notna(row["accelerator_count"]),
        note("several_types"): lambda row: row["accelerator"] == "mixed" and not question.mixed,
        note("count_unstated"): lambda row: pd.isna(row["accelerator_count"]),
    }
    judged = rows.assign(slower=slower_precision(rows))[JUDGED].to_dict("records")
    first = (next((reason for reason, breaks in rules.items() if breaks(row)), None) for row in judged)
    return [reason or _unchecked(row, question) for reason, row in zip(first, judged, strict=True)]


def _unchecked(row: Row, question: Question) -> Note | None:
    if question.trust != "checked" or row["checked"]:
        return None
    return note("not_checked", doubt=note(row["doubt"]))


def _target(rows: pd.DataFrame, question: Question) -> str:
    """The target asked for, else the one that most of this division's rows have; "" where the benchmark has none."""
    if question.accuracy_target:
        return question.accuracy_target
    both = zip(rows["division"], rows["accuracy_target"], strict=True)
    counts = Counter(target for division, target in both if division == question.division and target)
    return max(counts, key=lambda target: (counts[target], target), default="")


def _left_out(rows: pd.DataFrame, reasons: list[Note | None]) -> pd.DataFrame:
    names: dict[str, list[str]] = {}
    for reason, accelerator in zip(reasons, rows["accelerator"], strict=True):
        if reason is not None:
            names.setdefault(reason.text, []).append(accelerator)
    out = [(reason, len(parts), ", ".join(sorted(set(parts) - {""}))) for reason, parts in sorted(names.items())]
    return pd.DataFrame(out, columns=["reason", "results", "accelerators"])
