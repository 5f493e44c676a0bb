"""The only place that decides which results are comparable, in which unit, and what was excluded and why.

Rules: same benchmark and version of it, accuracy target, scenario, division and suite; one unit, converted with the
run's own tokens per sample; power submissions against power submissions only, and a power cap among them alone; each
result once. What is allowed but needs care (preview, another size, a power cap that was metered, a precision or
division that is not stated) is kept with a note (see row_caveats.py). What the audit doubts carries its doubt as a
note, or is left out where only checked figures are asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from analysis._core import shared_memory
from analysis._core.cell_lists import first_of
from analysis._core.choices import choose
from analysis._core.notes import kind, note
from analysis._core.vocabulary import (
    ACCURACY_TARGETS,
    DIVISIONS,
    MIXED,
    ORIGINS,
    SCENARIOS,
    SUITES,
    TRUST,
    WORK,
    WORKS,
    filed_under,
    round_age,
)
from analysis.comparability import rates, row_caveats, systems

ENERGY = "energy_millijoules_per_query"
FACTS = ["benchmark", "label", "compared_in", "server_unit", "offline_unit"]
OF_EACH = ["tokens_per_sample_low", "tokens_per_sample_high", "targets_share_run"]  # what its results are judged by
# What the rules and rates read of a result. Results have scores of columns more, each of which is copied where rows are
# chosen, so that it is decided on these which rows stay.
READ = ["id", "origin", "source_id", "round", "division", "suite", "accelerator", "accelerator_count", "benchmark"]
READ += ["accuracy_target", "scenario", "metric", "low", "high", "unit", "per", "tokens_per_sample", "precision"]
READ += ["power_measured", "power_capped", "power_limit_watts", "duplicate_of", "comparable_since", "availability"]
# What is read of the rows that are kept.
READ_OF_KEPT = ["source", "result_id", "nodes", "range_basis", "inferred", "corrected"]
# Results of these in common are of one kind of system: of them the one at the stricter accuracy target is compared.
OF_ONE_KIND = ["benchmark", "scenario", "source_id", "round", "division", "accelerator", "accelerator_count"]
OF_ONE_KIND += ["availability", "power_measured"]
NAMED = 8  # accelerators named among the excluded

PLACE, VERSION = "place", "version"  # `comparable_since` of the version of a benchmark that is compared

# What keeps two results apart: the field of a Question that asks for it, and the rules that refuse the other ones.
ASPECTS = {
    "rounds": ("another_round",),
    "division": ("another_division",),
    "suite": ("another_suite",),
    "accuracy_target": ("another_target", "stricter_target"),
    "power": ("power_submission", "no_power_submission"),
}
# Rules that no question of a rate gets around.
NEVER = ("stream_count", "duplicate", "capped_unmetered", "other_unit", "several_types", "count_unstated")
Columns = Mapping[str, Any]  # of rows, by name: arrays of one length, at a fraction of the price of a frame of them
COMPARABILITY = [
    "rate_low",
    "rate_high",
    "rate_unit",
    "per_accelerator_low",
    "per_accelerator_high",
    "assumed",
    "excluded",
]
COMPARABILITY += [f"apart_{aspect}" for aspect in ASPECTS]
BITS = 31  # questions of one aspect that a number of four bytes holds


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
    rows = shared_memory.where(results, results["origin"].eq("official"))
    return Data(rows, benchmarks, pd.DataFrame({"doubt": "", "checked": True}, index=pd.Index(rows["id"])))


@dataclass(frozen=True)
class Question:
    """What is compared. Empty `accelerators`, `rounds` or `suite` mean all; `power` asks for power submissions.

    `accuracy_target` is "99" or "99.9" (per cent of the reference); empty: the one that most results have. `trust` is
    "all", or "checked" for published figures that official results confirm. `mixed` takes in clusters of several types.
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
    """`rows` are comparable; `excluded` has one row per reason: reason (in words), results, accelerators.

    The accelerators are named in words: of more than NAMED those with most results, and how many more there are.
    """

    rows: pd.DataFrame
    excluded: pd.DataFrame
    unit: str
    question: Question
    label: str

    @property
    def topic(self) -> str:
        """Benchmark and scenario in words."""
        return f"{self.label} {self.question.scenario}"

    @property
    def per_second(self) -> str:
        """The unit in words, such as `tokens per second`."""
        return f"{WORKS[self.unit]} per second"

    @property
    def work(self) -> str:
        """What one unit of the rate is: token, sample or query."""
        return WORK[self.unit]

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
    ratios are taken within one), `system_key` (see systems.py), `notes` (a set of _core.notes.Note). Raises ValueError
    for an unknown benchmark, scenario, division, suite, accuracy target or origin, with the valid choices, and for a
    result without a word of the audit.
    """
    rows, reasons, facts = _judged(data, question, [question.benchmark])
    label, target, unit = (facts[name][0] for name in ("label", "target", "rate_unit"))
    kept = _kept(data.results, rows, reasons == "", question)
    return Comparison(kept, _left_out(rows, reasons, question, target, unit), unit, question, label)


def select_all(data: Tables, question: Question, names: Iterable[str] = ()) -> pd.DataFrame:
    """The comparable rows of every benchmark of `names` (empty: all), one below the other, each in its own unit.

    They are those that `select` gives for each, with their `rate_unit`. Raises ValueError as it does.
    """
    rows, reasons, _ = _judged(data, question, list(names) or data.benchmarks["benchmark"].tolist())
    is_kept = reasons == ""
    return (
        _kept(data.results, rows, is_kept, question).assign(rate_unit=rows["rate_unit"][is_kept]).reset_index(drop=True)
    )


def select_each(data: Tables, questions: Iterable[Question]) -> pd.DataFrame:
    """The comparable rows of every benchmark for each of several questions, one below the other."""
    return pd.concat([select_all(data, question) for question in questions], ignore_index=True)


def select_scenarios(data: Tables, question: Question, scenarios: Iterable[str]) -> pd.DataFrame:
    """The comparable rows of a benchmark in several scenarios, one below the other, with the notes of one comparison.

    The usual size is then that of most systems of all these scenarios.
    """
    rows = pd.concat([select(data, replace(question, scenario=name)).rows for name in scenarios], ignore_index=True)
    return rows.assign(notes=row_caveats.of_each(rows, question.suite, question.division))


def comparability_of_each(data: Tables) -> pd.DataFrame:
    """What the gate says of each result alone, from which any pair of results can be judged; index as results.

    `rate_low/high` and `per_accelerator_low/high` are in `rate_unit`, the one in which the benchmark compares in the
    result's scenario (a latency in its own). `excluded` is the code of the rule of NEVER that it breaks, "" for none.
    Each of ASPECTS has a number, `apart_<aspect>`: bit n is set where the n-th question of that aspect
    (`questions_apart`) takes the result in. Two results are comparable where a question takes in both: where
    they have a bit in common. Raises ValueError where an aspect has more questions than BITS.
    """
    asked = questions_apart(data.results["round"].unique())
    if many := [aspect for aspect, values in asked.items() if len(values) > BITS]:
        raise ValueError(f"{many[0]} has {len(asked[many[0]])} questions, more than the {BITS} bits of a number")
    names = data.benchmarks["benchmark"].tolist()
    frames = []
    for scenario in SCENARIOS:
        question = Question(names[0], scenario)
        places = np.flatnonzero(data.results["scenario"].eq(scenario))
        rows, _ = _read(data, question, places, _benchmarks(data.benchmarks, question, names))
        unit = pd.Series(rows["rate_unit"]).where(rows["metric"] == "throughput", rows["unit"])
        rows = {**rows, **rates.in_unit(rows, rows, unit), "rate_unit": unit.array}
        frames.append(pd.DataFrame(rows, index=data.results.index.take(places)))
    frame = pd.concat(frames)
    rows = {name: frame[name].array for name in frame}
    never = {code: mask for code, mask in _rules(rows, question).items() if code in NEVER}
    # What these rules read is alike in thousands of rows, so that each kind of row is asked about once.
    columns = ["round", "division", "suite", "accuracy_target", "power_measured", "target", "targets_share_run"]
    columns += ["has_stricter"]
    kinds = pd.MultiIndex.from_arrays([rows[name] for name in columns])
    is_first, kind_of = ~kinds.duplicated(), pd.factorize(kinds)[0]
    of_kind, bits = {name: cells[is_first] for name, cells in rows.items()}, {}
    for aspect, values in asked.items():
        masks = [_taken_in(of_kind, replace(question, **{aspect: value}), aspect) for value in values]
        bits[f"apart_{aspect}"] = sum(
            (mask.astype("int64") << bit for bit, mask in enumerate(masks)), np.zeros(is_first.sum(), "int64")
        )[kind_of]
    return frame.assign(excluded=_first(never), **bits)[COMPARABILITY].reindex(data.results.index)


def questions_apart(rounds: Iterable[str]) -> dict[str, list[Any]]:
    """What may be asked in each of ASPECTS, in the order of the bits of `comparability_of_each`.

    `rounds` are those of the results.

    The accuracy target "" is the usual one of a benchmark, under which a run submitted under several counts once.
    """
    each_round = [(name,) for name in sorted(set(rounds) - {""}, key=round_age)]
    values = [each_round, list(DIVISIONS), list(SUITES), ["", *ACCURACY_TARGETS], [False, True]]
    return dict(zip(ASPECTS, values, strict=True))


def _taken_in(rows: Columns, question: Question, aspect: str) -> np.ndarray:
    """Which rows no rule of an aspect refuses under a question."""
    target = question.accuracy_target
    rules = _rules({**rows, "target": np.full(len(rows[PLACE]), target)} if target else rows, question)
    return ~np.any([rules[code] for code in ASPECTS[aspect]], axis=0)


def official_first(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, scenario and accelerator: of the newest round of the official record, else of a document.

    Of several documents the first counts.

    Needs the columns `origin` and `rounds` (those of its basis).
    """
    bases = zip(frame["origin"], frame["rounds"], strict=True)
    ages = [max(map(round_age, rounds)) if origin == "official" else (-1, -1) for origin, rounds in bases]
    newest = sorted(range(len(frame)), key=ages.__getitem__, reverse=True)
    return frame.iloc[newest].drop_duplicates(["benchmark", "scenario", "accelerator"]).reset_index(drop=True)


def _judged(data: Tables, question: Question, names: Sequence[str]) -> tuple[Columns, np.ndarray, Columns]:
    """The results about some benchmarks, in the order of `names`, and the code of why each may not be compared or "".

    Of a result there is what `_read` gives, and its rates; with them the benchmarks, as `_read` gives them too.
    """
    facts = _benchmarks(data.benchmarks, question, names)
    rows, facts = _read(data, question, _asked(data.results, question, facts["benchmark"]), facts)
    rows = {**rows, **rates.in_unit(rows, rows, rows["rate_unit"])}
    return rows, _first(_rules(rows, question)), facts


def _benchmarks(benchmarks: pd.DataFrame, question: Question, names: Sequence[str]) -> Columns:
    """The benchmarks of these names, each once: FACTS, OF_EACH, and the `rate_unit` in which each is compared."""
    choose(question.scenario, SCENARIOS, "scenario")
    choose(question.trust, TRUST, "trust")
    choose(question.division, DIVISIONS, "division")
    if question.suite:
        choose(question.suite, SUITES, "suite")
    if question.accuracy_target:
        choose(question.accuracy_target, ACCURACY_TARGETS, "accuracy target")
    for origin in question.origins:
        choose(origin, ORIGINS, "origin")
    valid = benchmarks["benchmark"].tolist()
    places = [valid.index(choose(name, valid, "benchmark")) for name in dict.fromkeys(names)]
    facts = {name: benchmarks[name].array.take(places) for name in [*FACTS, *OF_EACH]}
    of_server = question.scenario != "Offline"
    units = zip(facts["compared_in"], facts["server_unit"], facts["offline_unit"], strict=True)
    units = [asked or (in_server if of_server else "") or offline for asked, in_server, offline in units]
    return {**facts, "rate_unit": pd.array(units, dtype="str")}


def _asked(results: pd.DataFrame, question: Question, names: Iterable[str]) -> np.ndarray:
    """The places of rows about each of the benchmarks, of the scenario or of none: a batch-1 rate has none.

    So is energy per query where power is asked for: it belongs to a latency.
    """
    benchmarks = results["benchmark"].array
    places = np.concatenate([np.flatnonzero(benchmarks == name) for name in names])
    facts = {name: results[name].array.take(places) for name in ("scenario", "metric", "origin", "accelerator")}
    chosen = _among(facts["scenario"], [question.scenario, ""]) & (facts["metric"] == "throughput")
    if question.power and ENERGY in results:
        chosen |= results[ENERGY].notna().to_numpy()[places]
    chosen &= _among(facts["origin"], question.origins)
    if question.accelerators:
        chosen &= facts["accelerator"].isin(question.accelerators)
    return places[chosen]


def slower_precision(rows: Columns | pd.DataFrame) -> np.ndarray:
    """Whether the document prints the same accelerators faster at another precision: submitters pick the fastest."""
    slower = np.array((rows["origin"] == "published") & (rows["scenario"] != "") & (rows["duplicate_of"] == ""))
    if not slower.any():
        return slower
    columns = ["benchmark", "scenario", "source_id", "accelerator", "accelerator_count", "precision", "high"]
    figures = list(zip(*(rows[name][slower].tolist() for name in columns), strict=True))
    fastest: dict[tuple, dict[str, float]] = defaultdict(dict)
    for *setting, precision, high in figures:
        by_precision = fastest[tuple(setting)]
        by_precision[precision] = max(high, by_precision.get(precision, high))
    at_several = {setting: max(highs.values()) for setting, highs in fastest.items() if len(highs) > 1}
    slower[slower] = [high < at_several.get(tuple(setting), high) for *setting, _, high in figures]
    return slower


def _read(data: Tables, question: Question, places: np.ndarray, facts: Columns) -> tuple[Columns, Columns]:
    """READ of the results at these places, with their doubts, the PLACE itself and what is true of their benchmark.

    That is of its `facts` OF_EACH and the `rate_unit`, the accuracy `target` in which it is compared, and the VERSION;
    the facts with this target come second.
    """
    read = {name: data.results[name].array.take(places) for name in READ} | _doubts(data, places)
    targets = _targets(data.results, read, question, facts["benchmark"])
    facts = {**facts, "target": pd.array(targets, dtype="str")}
    benchmark_places = pd.Index(facts["benchmark"]).get_indexer(read["benchmark"])
    of_benchmark = {name: facts[name].take(benchmark_places) for name in [*OF_EACH, "rate_unit", "target"]}
    newest = _newest_versions(data.results, read, question, facts["benchmark"])
    # Where the rounds that are asked for have no result there is no version to be another one than.
    own = zip(read["benchmark"].tolist(), read["comparable_since"].tolist(), strict=True)
    of_benchmark[VERSION] = pd.array([newest.get(name, since) for name, since in own], dtype="str")
    rows = read | {PLACE: places} | of_benchmark
    return rows | {"has_stricter": _has_stricter(rows)}, facts


def _has_stricter(rows: Columns) -> np.ndarray:
    """Which results have one of OF_ONE_KIND at a stricter accuracy target, where one run may have both."""
    shared = np.asarray(rows["targets_share_run"], "bool") & (rows["accuracy_target"] != "")
    shared &= (rows["duplicate_of"] == "") & (rows["metric"] == "throughput")
    targets = [float(target) for target in rows["accuracy_target"][shared]]
    kinds = list(zip(*(rows[name][shared].tolist() for name in OF_ONE_KIND), strict=True))
    strictest: dict[tuple, float] = {}
    for kind_of, target in zip(kinds, targets, strict=True):
        strictest[kind_of] = max(target, strictest.get(kind_of, target))
    has_stricter = np.zeros(len(shared), "bool")
    has_stricter[shared] = [target < strictest[kind_of] for kind_of, target in zip(kinds, targets, strict=True)]
    return has_stricter


def _doubts(data: Tables, places: np.ndarray) -> dict[str, pd.api.extensions.ExtensionArray]:
    """`doubt` and `checked` of results: one that was never audited is an error and no result to trust."""
    audited, ids = data.doubts.index, data.results["id"].array.take(places)
    if len(audited) != len(data.results) or (audited.array.take(places) != ids).any():
        places = _looked_up(audited, ids)
    return {name: data.doubts[name].array.take(places) for name in ("doubt", "checked")}


def _looked_up(audited: pd.Index, ids: pd.api.extensions.ExtensionArray) -> np.ndarray:
    """The places of results among those that were audited, which are in another order or are of another number."""
    if not audited.is_unique:
        twice = audited[audited.duplicated()][0]
        raise ValueError(f"the doubts of result {twice!r} stand twice: each result has an id of its own")
    places = audited.get_indexer(ids)
    if (places < 0).any():
        lacking = ids[places < 0]
        raise ValueError(
            f"no doubts are known of result {lacking[0]!r} ({len(lacking)} of {len(ids)} results): compare "
            "results of a catalog that was judged (analysis.audit.flags.catalog), with the doubts of the same rows"
        )
    return places


def _rules(rows: Columns, question: Question) -> dict[str, np.ndarray]:
    """Which rows break each rule, by the code of its note; of several the first counts."""
    metered, capped, checked = (
        np.asarray(rows[name], "bool") for name in ("power_measured", "power_capped", "checked")
    )
    uncounted = pd.isna(rows["accelerator_count"])
    unlimited = pd.isna(rows["power_limit_watts"])
    suites = [name for name in rows["suite"].unique() if not name or question.suite in filed_under(name)]
    # One run may be submitted under both targets; then either will do, unless one is asked for.
    either = np.asarray(rows["targets_share_run"], "bool") & (not question.accuracy_target)
    target = rows["accuracy_target"]
    return {
        "stream_energy": rows["metric"] == "latency",
        "stream_count": rows["metric"] == "streams",
        "no_scenario": rows["scenario"] == "",
        "duplicate": rows["duplicate_of"] != "",
        "another_version": (rows["round"] != "") & (rows["comparable_since"] != rows[VERSION]),
        "another_round": ~_among(rows["round"], question.rounds) & bool(question.rounds),
        "another_division": ~_among(rows["division"], [question.division, ""]),
        "another_suite": ~_among(rows["suite"], suites) & bool(question.suite),
        "power_submission": metered & (not question.power),
        "no_power_submission": ~metered & question.power,
        "capped_unmetered": capped & ~metered & unlimited,
        "slower_precision": slower_precision(rows),
        "another_target": (target != "") & (target != rows["target"]) & ~either,
        "stricter_target": np.asarray(rows["has_stricter"], "bool") & either,
        "other_unit": pd.isna(rows["rate_low"]) & ~uncounted,
        "several_types": (rows["accelerator"] == MIXED) & (not question.mixed),
        "count_unstated": uncounted,
        "not_checked": ~checked & (question.trust == "checked"),
    }


def _among(cells: pd.api.extensions.ExtensionArray, values: Iterable[str]) -> np.ndarray:
    """Whether each cell is one of a few values."""
    is_among = np.zeros(len(cells), "bool")
    for value in values:
        is_among |= cells == value
    return is_among


def _first(rules: Mapping[str, np.ndarray]) -> np.ndarray:
    """The code of the first rule that each row breaks, "" where it breaks none."""
    broken, codes = np.array(list(rules.values())), np.array(list(rules), dtype="object")
    return np.where(broken.any(axis=0), codes[broken.argmax(axis=0)], "")


def _targets(results: pd.DataFrame, asked: Columns, question: Question, names: Sequence[str]) -> list[str]:
    """For each benchmark the target that the question states, else the usual one; "" where there is none.

    The usual one is that of most results of the division, whichever accelerators are asked for, so that a result is
    compared or not whatever else is shown; where none of those asked for has it, that of most of these.
    """
    if question.accuracy_target:
        return [question.accuracy_target] * len(names)
    pairs = all_pairs = _with_target(asked, question)
    if question.accelerators:
        places = _asked(results, replace(question, accelerators=()), names)
        columns = ("benchmark", "accuracy_target", "metric", "division")
        all_pairs = _with_target({name: results[name].array.take(places) for name in columns}, question)
    usual, of_asked, there = row_caveats.usual(all_pairs), row_caveats.usual(pairs), set(pairs)
    return [usual[name] if (name, usual.get(name)) in there else of_asked.get(name, "") for name in names]


def _newest_versions(results: pd.DataFrame, asked: Columns, question: Question, names: Sequence[str]) -> dict[str, str]:
    """By benchmark, the `comparable_since` of the newest round among the rates that are asked for.

    Of whichever accelerators, so that a result is compared or not whatever else is shown.
    """
    columns = ("benchmark", "round", "comparable_since", "metric")
    if question.accelerators:
        places = _asked(results, replace(question, accelerators=()), names)
        asked = {name: results[name].array.take(places) for name in columns}
    is_rate = asked["metric"] == "throughput"
    kinds = set(zip(*(asked[name][is_rate].tolist() for name in columns[:-1]), strict=True))
    in_time = sorted((kind for kind in kinds if kind[1]), key=lambda kind: (round_age(kind[1]), round_age(kind[2])))
    return {name: since for name, round, since in in_time if not question.rounds or round in question.rounds}


def _with_target(rows: Columns, question: Question) -> list[tuple[str, str]]:
    """Benchmark and accuracy target of each rate of the division that has one."""
    counted = (
        (rows["accuracy_target"] != "") & (rows["metric"] == "throughput") & (rows["division"] == question.division)
    )
    return list(zip(*(rows[name][counted].tolist() for name in ("benchmark", "accuracy_target")), strict=True))


def _kept(results: pd.DataFrame, judged: Columns, is_kept: np.ndarray, question: Question) -> pd.DataFrame:
    """The judged results that break no rule (`is_kept`), all their columns, with rates, basis, system and notes."""
    rows = results.iloc[judged[PLACE][is_kept]]
    added = {name: judged[name][is_kept] for name in ["doubt", "checked", *rates.COLUMNS]}
    bases = zip(rows["origin"].tolist(), rows["source"].tolist(), rows["round"].tolist(), strict=True)
    basis = [f"official {round}" if origin == "official" else source for origin, source, round in bases]
    added |= {"basis": pd.array(basis, dtype="str"), "system_key": systems.keys(rows)}
    rows = pd.concat([rows, pd.DataFrame(added, index=rows.index)], axis=1)
    return rows.assign(notes=row_caveats.of_each(rows, question.suite, question.division))


def _left_out(rows: Columns, reasons: np.ndarray, question: Question, target: str, unit: str) -> pd.DataFrame:
    stated = {"division": question.division, "target": target, "unit": unit}
    parts: dict[str, Counter[str]] = {}
    broken = reasons != ""
    columns = (reasons, rows["doubt"], rows["accelerator"])
    counted = Counter(zip(*(cells[broken].tolist() for cells in columns), strict=True))
    for (code, doubt, accelerator), results in counted.items():
        values = stated | ({"doubt": note(doubt)} if doubt else {})
        reason = note(code, **{name: values[name] for name in kind(code).required}).text
        parts.setdefault(reason, Counter())[accelerator] += results
    lines = [(reason, counts.total(), _named(counts)) for reason, counts in sorted(parts.items())]
    return pd.DataFrame(lines, columns=["reason", "results", "accelerators"])


def _named(counts: Counter[str]) -> str:
    """The accelerators in order; of more than NAMED those with most results, and how many more there are."""
    most = sorted(filter(None, counts), key=lambda name: (-counts[name], name))
    return first_of([*sorted(most[:NAMED]), *most[NAMED:]], NAMED)
