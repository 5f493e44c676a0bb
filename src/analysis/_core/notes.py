"""Notes: what a row, a finding, a figure or a table must still say, as data, and the one table of their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from string import Formatter
from typing import TYPE_CHECKING, Any

from analysis._core.cell_lists import first_of
from analysis._core.choices import not_among

if TYPE_CHECKING:  # The engine words notes too, and has no use for pandas, which takes as long to load as all of it.
    import pandas as pd

PREVIEW, ROUNDS, OTHER = "\u25cb", "\u2021", "*"  # the three marks of dense tables and charts
Row = Mapping[str, Any]
Values = Mapping[str, Any]


class Scope(Enum):
    """What a kind of note is true of, which decides where a page says it."""

    BACKGROUND = "nearly all rows, or a document as a whole"
    ROW = "one row"
    DISQUALIFYING = "a row that cannot stand beside the others"


@dataclass(frozen=True)
class Setting:
    """What rows are compared in, as far as their notes depend on it.

    `suite` ("" for all) and `division` are those asked for, `usual_size` the number of accelerators that most systems
    have, `sized` the pairs of basis and accelerator that have a system of that size. `target` is the strictest accuracy
    target among them, in percent.
    """

    suite: str
    division: str
    usual_size: int
    sized: frozenset[tuple[str, str]]
    target: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of note: its code, its words, what it is true of, its mark, and for notes of rows when it holds.

    `words` and `detail` are templates of the note's values; `detail` follows behind a comma where its values are known
    and falls away where rows that differ in them are summarized together. `label` is the short caveat shown beside a
    sentence, `mark` the sign at a row of a dense table or chart ("" for none). `holds` gives the values of the note for
    a result row, or None where it does not hold; it is called once for all rows that agree in READ, its only input.
    """

    code: str
    words: str
    detail: str = ""
    scope: Scope = Scope.ROW
    label: str = ""
    mark: str = OTHER
    holds: Callable[[Row, Setting], Values | None] | None = None

    @property
    def required(self) -> set[str]:
        """The values without which the note has no words."""
        return _fields(self.words)

    @property
    def optional(self) -> set[str]:
        """The values that the detail tells."""
        return _fields(self.detail)


def _when(column: str, value: object) -> Callable[[Row, Setting], Values | None]:
    return lambda row, _: {} if row[column] == value else None


def _preview(row: Row, _: Setting) -> Values | None:
    if row["availability"] != "preview":
        return None
    return {"round": row["round"]} if row["round"] else {}


def _of_another_size(row: Row, setting: Setting) -> Values | None:
    """What one accelerator gives depends on how many work together; a rate printed per accelerator is of no system."""
    if row["per"] != "system" or (row["basis"], row["accelerator"]) in setting.sized:
        return None
    return {"count": row["accelerator_count"], "usual": setting.usual_size}


def _counted_by_name(row: Row, _: Setting) -> Values | None:
    """A last node that is not full, of one type: the published total is that of full nodes."""
    count, nodes = row["accelerator_count"], row["nodes"]
    if row["accelerator"] == "mixed" or not nodes or not isinstance(count, int | float) or not count % nodes > 0:
        return None
    return {"count": count, "total": -(-count // nodes) * nodes}


def _capped(row: Row, _: Setting) -> Values | None:
    if not row["power_capped"]:
        return None
    return {"watts": row["power_limit_watts"]} if row["power_limit_watts"] else {}


def _of_a_looser_target(row: Row, setting: Setting) -> Values | None:
    is_looser = row["accuracy_target"] not in ("", setting.target)
    return {"target": row["accuracy_target"], "stricter": setting.target} if is_looser else None


def _of_a_division(row: Row, setting: Setting) -> Values | None:
    is_other = row["division"] != "" and setting.division != "closed"
    return {"division": setting.division} if is_other else None


def _of_the_edge(row: Row, setting: Setting) -> Values | None:
    return {} if row["suite"] == "edge" and setting.suite != "edge" else None


_WHOLE = {"scope": Scope.BACKGROUND, "mark": ""}
_OUT = {"scope": Scope.DISQUALIFYING}

# The columns that the rules read.
READ = ("accelerator", "accelerator_count", "accuracy_target", "assumed", "availability", "basis", "corrected",
        "division", "inferred", "nodes", "per", "power_capped", "power_limit_watts", "precision", "range_basis",
        "round", "suite")  # fmt: skip

_TABLE = (
    # Of a result row, in any comparison.
    Kind("preview", "preview system", "not available in {round}", label="preview", holds=_preview, mark=PREVIEW),
    Kind("division_unstated", "division not stated", **_WHOLE, holds=_when("division", "")),
    Kind("tokens_assumed", "tokens per sample assumed", **_WHOLE, holds=_when("assumed", True)),
    Kind("precision_unstated", "precision not stated", **_WHOLE, holds=_when("precision", "")),
    Kind("approximate", "marked approximate", holds=_when("range_basis", "approximate"), **_WHOLE),
    Kind("inferred", "inferred from another scenario", holds=_when("inferred", True), **_WHOLE),
    Kind("power_capped", "power-capped system", "{watts:g} W per accelerator", label="power-capped", holds=_capped),
    Kind(
        "looser_target",
        "accuracy target of {target}%, no result at {stricter}%",
        label="{target}% accuracy target",
        holds=_of_a_looser_target,
    ),
    Kind("edge_suite", "edge suite", label="edge", holds=_of_the_edge),
    Kind(
        "another_size",
        "different system size",
        "{count}x; most results compared are {usual}x",
        label="different size",
        holds=_of_another_size,
    ),
    Kind(
        "counted_by_name",
        "accelerator count taken from the system's name",
        "{count}; the published total is {total}",
        label="count by name",
        holds=_counted_by_name,
    ),
    Kind(
        "label_corrected",
        "published label corrected",
        holds=lambda row, _: {} if row["corrected"] else None,
        **_WHOLE,
    ),
    Kind("division_asked", "{division} division", label="{division} division", holds=_of_a_division),
    # What the audit found about a published result.
    Kind("above_hardware", "above the hardware limit", label="impossible", **_OUT),
    Kind("contradicts_record", "contradicted by the official record", label="contradicted", **_OUT),
    Kind("no_official_result", "no official result", label="no official result"),
    Kind("system_not_at_hand", "no official result of this system", label="no official result"),
    Kind("other_power_limit", "holds only for the part with another power limit", label="other power limit"),
    # What it found about conclusions that rest on such results.
    Kind("rate_contradicts_record", "its throughput is contradicted by the official record", **_OUT),
    Kind("contradicts_meter", "contradicted by measured power", **_OUT),
    # Of a ratio of two results.
    Kind("different_sizes", "different system size", "{sizes} vs {other_sizes}", label="different size"),
    Kind("virtualized", "baseline {accelerator} only virtualized", "under {hypervisor}", label="virtualized"),
    Kind(
        "bridged",
        "cross-round estimate",
        "through {bridge} of {submitter} in both {rounds}",
        label="cross-round",
        mark=ROUNDS,
    ),
    Kind("printed_unit", "counted in {unit}", **_WHOLE),
    Kind(
        "tokens_differ",
        "tokens per sample differ",
        "{tokens} vs {other_tokens}; per sample the ratio is {times}x",
        label="tokens per sample differ",
    ),
    Kind(
        "different_rounds",
        "different rounds",
        "{rounds} vs {other_rounds}: software and rules differ",
        label="cross-round",
        mark=ROUNDS,
    ),
    # Of a ratio, and of a cell of a heat map, which has no room for a range or a number of systems.
    Kind("single", "single {of}", label="single {of}"),
    Kind("single_submitter", "single submitter", label="single submitter"),
    Kind("single_wider", "single submitter at {precision}", label="single submitter"),
    Kind(
        "single_base",
        "baseline from a single submitter",
        "{accelerator} in {round}",
        label="single-submitter baseline",
    ),
    # Of a finding.
    Kind("prices_undated", "document prices carry no date", **_WHOLE),
    Kind("documents_differ", "documents contradict each other", "{rates} vs {other_rates} per accelerator"),
    Kind("unofficial_ratio", "ratio to summed power limits, not an official metric", label="unofficial"),
    # Of a plan.
    Kind("no_queue", "queueing not modeled: request length unknown"),
    Kind("no_prompt", "prefill time left out: prompt length or compute unknown"),
    Kind("prompt_share", "prefill assumed to reach {percent}% of dense peak compute", **_WHOLE),
    Kind("short_context", "KV cache planned for {context} tokens per request, fewer than {mean} in the mean"),
    Kind("latent_cache", "latent KV cache counted once per copy of the weights (data-parallel attention)"),
    Kind("other_kind", "{benchmark} is {kind}, the model is {model}"),
    Kind("far_benchmark", "{benchmark} is far from the model: distance {distance}; a model twice as large is at {far}"),
    Kind("held_nowhere", "a request does not fit on any number of {accelerator} in {percent}% of the draws"),
    Kind("no_memory", "memory not modeled: model size or shape unknown"),
    Kind(
        "no_meter",
        "no measured power of {accelerator} in {scenario} at this interactivity and power limit: modeled kW",
        label="modeled kW",
    ),
    Kind("limit_decides_speed", "the TPOT limit requires more than {speed} tokens/s per user"),
    Kind(
        "late_first_token",
        "no run of {accelerator} met the TTFT limit of {limit} s: p99 was {seconds} s or more",
        label="TTFT limit not met",
    ),
    Kind("no_tokens", "speed per user is in {unit}: {benchmark} has no token metric"),
    Kind("speed_unknown", "interactivity of the measurement unknown"),
    # Of a measurement.
    Kind("requests_failed", "some requests failed"),
    Kind("few_requests", "too few requests for a p99"),
    Kind("load_light", "load-limited: requests were answered as fast as they arrived; raise the request rate"),
    Kind("load_unsaid", "request rate not in the file: the run may be load-limited"),
    # Of a user's own frame.
    Kind("own_words", "{words}", mark=""),
)
_EXCLUDED = {  # why a result is not compared, by code
    "stream_energy": "energy per query of a stream scenario, not throughput",
    "stream_count": "a count of streams, the metric of MultiStream until v1.1",
    "no_scenario": "no MLPerf Inference scenario: a stated batch size or framework",
    "duplicate": "duplicate: the same run under another accuracy target",
    "another_version": "older version of the benchmark, not compatible with later ones",
    "another_round": "another round",
    "another_division": "not in the {division} division: other model or rules",
    "another_suite": "another suite",
    "power_submission": "power submission: measured under the power rules, often power-capped",
    "no_power_submission": "no power measurement",
    "capped_unmetered": "power-capped without a power measurement or a stated limit",
    "slower_precision": "slower precision of the same accelerator in the same document",
    "another_target": "accuracy target other than {target}%",
    "stricter_target": "another result of this accelerator and size meets a stricter accuracy target",
    "other_unit": "unit cannot be converted to {unit}",
    "several_types": "several accelerator types in one system",
    "count_unstated": "accelerator count not stated",
    "not_checked": "not checked: {doubt}",
}
KINDS: dict[str, Kind] = {own.code: own for own in (*_TABLE, *(Kind(*pair, **_OUT) for pair in _EXCLUDED.items()))}


@dataclass(frozen=True)
class Note:
    """One note: the code of its kind, its values, and the names of what it is about (none: of all that is there)."""

    code: str
    values: tuple[tuple[str, Any], ...] = ()
    about: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind of the note. Raises ValueError for a code that is in no entry of KINDS."""
        return kind(self.code)

    @property
    def label(self) -> str:
        """The short caveat beside a sentence, such as `preview`; "" for a kind without one."""
        return self._filled(self.kind.label)

    @property
    def bare(self) -> str:
        """The note in words without detail and without what it is about."""
        return self._filled(self.kind.words)

    @property
    def text(self) -> str:
        """The note in words, with what it is about in brackets."""
        known = self.kind.detail and self.kind.optional <= dict(self.values).keys()
        words = f"{self.bare}, {self._filled(self.kind.detail)}" if known else self.bare
        return f"{words} ({_few(self.about)})" if self.about else words

    def record(self) -> dict[str, Any]:
        """The note as JSON holds it: code, words, values by name, what it is about, its label and scope.

        `bare` are its words without detail and without what it is about: they tell one meaning of a mark from another.
        """
        return {
            "code": self.code,
            "words": self.text,
            "bare": self.bare,
            "values": self._values_in_words,
            "about": list(self.about),
            "label": self.label,
            "scope": self.kind.scope.name.lower(),
        }

    @property
    def _values_in_words(self) -> dict[str, Any]:
        return {name: value.text if isinstance(value, Note) else value for name, value in self.values}

    def _filled(self, template: str) -> str:
        return template.format(**self._values_in_words)


Notes = frozenset[Note]
NONE: Notes = frozenset()


class Words(str):
    """Notes in words, which pandas can export, with the notes that they are of."""

    notes: Notes

    def __new__(cls, notes: Iterable[Note] | str) -> Words:
        """The words of some notes."""
        words = super().__new__(cls, worded(notes))
        words.notes = frozenset(of_cell(notes))
        return words


def kind(code: str) -> Kind:
    """The entry of KINDS with this code. Raises ValueError naming the code and the valid ones."""
    if code not in KINDS:
        raise ValueError(f"no kind of note {not_among(code, KINDS)}")
    return KINDS[code]


def note(code: str, about: Iterable[str] = (), **values: Any) -> Note:
    """A note of one kind. Raises ValueError for an unknown kind, and for values that its words lack or do not know."""
    definition, names = kind(code), set(values)
    if not definition.required <= names <= definition.required | definition.optional:
        expected = ", ".join(sorted(definition.required | definition.optional)) or "no values"
        raise ValueError(f"a note {code!r} takes {expected}; given {', '.join(sorted(names)) or 'none'}")
    return Note(code, tuple(sorted(values.items())), tuple(about))


def some(**codes: bool) -> Notes:
    """The notes, by their codes, that hold and take no values: `some(no_queue=True)`."""
    return frozenset(note(code) for code, holds in codes.items() if holds)


def as_text(cells: Iterable[Notes]) -> list[Words]:
    """The notes of each row in words, as a column that pandas can export; of_cell has the notes again."""
    cells = list(cells)
    texts = {cell: Words(cell) for cell in set(cells)}
    return [texts[cell] for cell in cells]


def of_cell(cell: Iterable[Note] | str) -> Iterable[Note]:
    """The notes of a cell; of one in words those that it is of, else a note in these words; of an empty one none.

    Raises TypeError for what is neither notes nor words.
    """
    if isinstance(cell, Words):
        return cell.notes
    if cell is None or cell != cell:  # NaN, as read back from a file or left over by a merge
        return NONE
    if isinstance(cell, str):
        return frozenset({note("own_words", words=cell)}) if cell else NONE
    if not isinstance(cell, Iterable):
        raise TypeError(f"column notes: {cell!r} is neither words nor notes")
    return cell


def union(groups: Iterable[Iterable[Note] | str]) -> Notes:
    """The notes of several cells as one set."""
    return frozenset(note for group in groups for note in of_cell(group))


def without(notes: Iterable[Note] | str, *codes: str) -> Notes:
    """The notes but for those of these kinds."""
    return frozenset(note for note in of_cell(notes) if note.code not in codes)


def beside(*columns: Iterable[Iterable[Note]]) -> list[Notes]:
    """The notes of pairs of runs on one system, from those of each run: in their ratio its size does not count."""
    return [without(union(sides), "another_size", "counted_by_name") for sides in zip(*columns, strict=True)]


def apart(rounds: Iterable[str], other_rounds: Iterable[str]) -> Notes:
    """The note of a ratio whose two sides are of these rounds; none where they are the same or one is not stated."""
    sides = [sorted(set(side) - {""}) for side in (rounds, other_rounds)]
    if not all(sides) or sides[0] == sides[1]:
        return NONE
    return frozenset({note("different_rounds", rounds="/".join(sides[0]), other_rounds="/".join(sides[1]))})


def sized_apart(count: float, other_count: float) -> Notes:
    """The note of a ratio whose two sides are of systems of so many accelerators; none where they are as many."""
    sizes, other_sizes = f"{count:.0f}x", f"{other_count:.0f}x"
    return NONE if sizes == other_sizes else frozenset({note("different_sizes", sizes=sizes, other_sizes=other_sizes)})


def tokens_apart(row: Row, other: Row, times: float) -> Notes:
    """The note of a ratio in tokens of two precisions, `times`, by `tokens_per_sample` of both; none within 1%."""
    tokens, other_tokens = (float(side.get("tokens_per_sample") or "nan") for side in (row, other))
    stated = {row["precision"], other["precision"]} - {""}
    if len(stated) < 2 or not abs(tokens / other_tokens - 1) > 0.01:  # NaN: not known
        return NONE
    values = {"tokens": round(tokens), "other_tokens": round(other_tokens)}
    return frozenset({note("tokens_differ", **values, times=f"{times * other_tokens / tokens:.2g}")})


def of_rows(rows: pd.DataFrame, label: str = "accelerator") -> Notes:
    """Every note of `rows` once, with what it is about, unless it holds for all of them.

    That is the row's `label`, a column of text, or its `basis` where the note is of documents as a whole or all rows
    have one label. Notes that differ in their detail only (sizes) become one without it. Rows without a column `notes`
    have none.
    """
    if "notes" not in rows:
        return NONE
    holders: dict[Note, list[int]] = {}
    for place, notes in enumerate(rows["notes"]):
        for note in of_cell(notes):
            holders.setdefault(note, []).append(place)
    names = rows[label].tolist()
    bases = rows["basis"].tolist() if "basis" in rows else None
    labeled = []
    for note, places in _merged(holders).items():
        whole = note.kind.scope is Scope.BACKGROUND or len(set(names)) == 1
        about = bases if bases and whole else names
        short = () if len(places) == len(rows) else tuple(dict.fromkeys(str(about[place]) for place in places))
        labeled.append(replace(note, about=short))
    return frozenset(labeled)


def _merged(holders: dict[Note, list[int]]) -> dict[Note, list[int]]:
    """The notes with the places of their rows, those of one kind as one where they differ in their detail only."""
    shared = {note: _without_detail(note) for note in holders}
    alike = Counter(shared.values())
    merged: dict[Note, list[int]] = {}
    for note, places in holders.items():
        key = shared[note] if alike[shared[note]] > 1 else note
        merged[key] = sorted({*merged.get(key, []), *places})
    return merged


def _without_detail(note: Note) -> Note:
    return replace(note, values=tuple(pair for pair in note.values if pair[0] in note.kind.required))


def ordered(notes: Iterable[Note] | str) -> list[Note]:
    """The notes in the order of KINDS, then by their words; also those of a cell in words."""
    places = {code: place for place, code in enumerate(KINDS)}
    return sorted(set(of_cell(notes)), key=lambda note: (places[note.code], note.text))


def texts(notes: Iterable[Note] | str) -> list[str]:
    """The notes in words, in the order of KINDS."""
    return [note.text for note in ordered(notes)]


def worded(notes: Iterable[Note] | str) -> str:
    """The notes in words as one cell says them; "" where there are none."""
    return "; ".join(texts(notes))


def marks(notes: Iterable[Note] | str, of_all: Iterable[Note]) -> str:
    """The marks of what is true of a row with these notes, each once; "" where nothing but of all rows is.

    `of_all` are the notes of all rows together (`of_rows`): what holds for each of them marks none, and of two kinds
    that share a mark only the first has it (`signs`).
    """
    sign = signs(note for note in of_all if note.about)
    return "".join(dict.fromkeys(sign[note.code] for note in aloud(notes) if note.code in sign))


def signs(notes: Iterable[Note]) -> dict[str, str]:
    """The mark of each kind by its code: a mark has one meaning in a figure or table, so other kinds have none."""
    shown = aloud(notes)
    meanings: dict[str, str] = {}
    for note in shown:
        meanings.setdefault(note.kind.mark, note.bare)
    return {note.code: note.kind.mark for note in shown if meanings[note.kind.mark] == note.bare}


def aloud(notes: Iterable[Note] | str) -> list[Note]:
    """The notes, ordered, of what is true of a row and not of nearly all: those that have a mark."""
    return [note for note in ordered(notes) if note.kind.scope is not Scope.BACKGROUND]


def key(notes: Iterable[Note]) -> list[dict[str, str]]:
    """The legend of rows with these notes: code, mark, and words of each meaning once, in order.

    Words without a mark (`signs`) name what they are about, unless that is all rows; detail that differs between notes
    of one meaning is left out. `bare` is as in a note's record.
    """
    notes = aloud(notes)
    sign = signs(note for note in notes if note.about)
    meanings: dict[str, list[Note]] = {}
    for note in notes:
        meanings.setdefault(note.bare, []).append(note)
    entries = []
    for bare, own in meanings.items():
        mark = next((sign[note.code] for note in own if note.code in sign), "")
        texts = {replace(note, about=()).text for note in own}
        words = texts.pop() if len(texts) == 1 else bare
        about = tuple(dict.fromkeys(name for note in own for name in note.about))
        words += f" ({_few(about)})" if about and not mark else ""
        entries.append({"code": own[0].code, "mark": mark, "words": words, "bare": bare})
    return entries


@cache
def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def _few(names: tuple[str, ...]) -> str:
    return first_of(names, 3 if len(names) > 4 else 4)
