"""Notes: the words of each kind once, what a note takes, sets of them over rows, and a new kind from one entry."""

import json
from dataclasses import replace

import matplotlib
import pandas as pd
import pytest

from analysis._core import notes
from analysis._core.notes import KINDS, NONE, OTHER, Scope, note
from analysis._display import tables as shown

matplotlib.use("agg")
DOUBT = note("contradicts_record")
ONE, FOUR = (note("another_size", count=count, usual=8) for count in (1, 4))
EDGE, PREVIEW, BACKGROUND = note("edge_suite"), note("preview", round="v4.1"), note("division_unstated")


def rows(*groups, **columns):
    """One row per set of notes, of accelerators A, B, C ... on a basis each, unless `columns` say otherwise."""
    names = {"accelerator": list("ABCDEFGH"[: len(groups)]), "basis": [f"doc {place}" for place in range(len(groups))]}
    return pd.DataFrame(names | columns).assign(notes=[frozenset(group) for group in groups])


def test_notes_in_words_are_read_back_and_words_of_ones_own_are_a_note():
    cells = [frozenset({ONE, EDGE}), NONE, frozenset({PREVIEW})]
    texts = notes.as_text(cells)
    assert texts[1] == "" and all(isinstance(text, str) for text in texts)
    assert [frozenset(notes.of_cell(text)) for text in texts] == cells
    told = rows(NONE, NONE).assign(notes=["measured {on} a laptop", ""])
    (own,) = notes.of_rows(told)
    assert (own.text, own.about, own.kind.mark) == ("measured {on} a laptop (A)", ("A",), "")
    assert notes.of_rows(told.assign(notes=float("nan"))) == NONE == frozenset(notes.of_cell(None))
    with pytest.raises(TypeError, match="column notes: 3 is neither words nor notes"):
        notes.of_rows(told.assign(notes=3))
    assert shown.table(told, "Own", {"notes": "Caveat"}).cells["Caveat"].tolist() == told["notes"].tolist()


def test_words_take_their_values_and_name_what_they_are_about():
    assert note("preview").text == "preview system"
    assert note("preview", ["A", "B"], round="v4.1").text == "preview system, not available in v4.1 (A, B)"
    assert note("another_target", target="99.9").text == "accuracy target other than 99.9%"
    assert note("not_checked", doubt=DOUBT).text == "not checked: contradicted by the official record"


def test_unknown_code_is_refused_with_the_near_one_and_all():
    with pytest.raises(ValueError, match="no kind of note 'preveiw': did you mean 'preview'") as error:
        note("preveiw")
    assert str(error.value).endswith(f"valid: {', '.join(KINDS)}")


@pytest.mark.parametrize(
    ("code", "values", "takes"),
    [
        ("printed_unit", {}, "takes unit; given none"),
        ("edge_suite", {"suite": "edge"}, "takes no values; given suite"),
        ("different_rounds", {"rounds": "v5.1", "round": "v4.1"}, "takes other_rounds, rounds; given round, rounds"),
    ],
)
def test_lacking_or_surplus_values_are_refused_by_name(code, values, takes):
    with pytest.raises(ValueError, match=f"a note '{code}' {takes}"):
        note(code, **values)


def test_notes_are_the_same_in_whatever_order_their_values_are_given():
    assert note("another_size", usual=8, count=1) == ONE
    assert {ONE, note("another_size", usual=8, count=1)} == {ONE}
    assert len({ONE, FOUR, note("another_size"), replace(ONE, about=("A",))}) == 4


def test_note_as_json_has_code_words_values_what_it_is_about_label_and_scope():
    about = replace(ONE, about=("A", "B"))
    record = {"code": "another_size", "words": about.text, "values": {"count": 1, "usual": 8}, "about": ["A", "B"]}
    record |= {"bare": "different system size", "label": "different size", "scope": "row"}
    assert json.loads(json.dumps(about.record())) == about.record() == record
    nested = note("not_checked", doubt=DOUBT).record()
    assert nested["values"] == {"doubt": DOUBT.text} and json.dumps(nested)


def test_notes_of_two_runs_on_one_system_leave_out_its_size():
    assert notes.beside([{PREVIEW, ONE}, {ONE}], [{EDGE, PREVIEW}, NONE]) == [{PREVIEW, EDGE}, NONE]
    assert notes.beside([{ONE}], [{EDGE}], [{BACKGROUND, FOUR}]) == [{EDGE, BACKGROUND}]
    with pytest.raises(ValueError, match="zip"):
        notes.beside([NONE], [NONE, NONE])


def test_ratio_of_two_rounds_is_marked():
    assert notes.apart(["v5.1"], ["v4.1"]) == {note("different_rounds", rounds="v5.1", other_rounds="v4.1")}
    both = note("different_rounds", rounds="v4.1/v5.1", other_rounds="v4.1")
    assert notes.apart(["v5.1", "v4.1", "v5.1"], ("v4.1",)) == {both}


def test_note_of_all_rows_is_about_nothing_and_that_of_some_names_them():
    given = rows({EDGE, PREVIEW}, {EDGE}, benchmark=["llm", "images"])
    assert notes.of_rows(given, "benchmark") == {EDGE, replace(PREVIEW, about=("llm",))}


def test_note_of_documents_as_a_whole_is_about_the_basis():
    of_documents = [note(code) for code in ("division_unstated", "tokens_assumed", "precision_unstated")]
    assert {own.kind.scope for own in of_documents} == {Scope.BACKGROUND}
    told = notes.of_rows(rows({EDGE, *of_documents}, NONE))
    assert told == {replace(EDGE, about=("A",)), *(replace(own, about=("doc 0",)) for own in of_documents)}
    assert notes.of_rows(rows({BACKGROUND}, NONE).drop(columns="basis")) == {replace(BACKGROUND, about=("A",))}


def test_notes_that_differ_in_their_detail_only_become_one_without_it():
    size = note("another_size")
    assert notes.of_rows(rows({ONE}, {FOUR}, NONE)) == {replace(size, about=("A", "B"))}
    assert notes.of_rows(rows({ONE}, {FOUR})) == {size}
    assert notes.of_rows(rows({ONE}, {ONE}, NONE)) == {replace(ONE, about=("A", "B"))}
    assert notes.of_rows(rows({PREVIEW}, {note("preview")})) == {note("preview")}


def test_key_explains_each_meaning_once_by_its_mark_or_by_the_names_of_its_rows():
    """What differs between rows of a meaning falls away; what holds for nearly all rows is not explained."""
    sized, ratio = replace(ONE, about=("A",)), replace(note("different_sizes"), about=("B",))
    given = {sized, FOUR, EDGE, BACKGROUND, ratio, replace(note("tokens_differ"), about=("A", "C"))}
    assert [list(entry.values()) for entry in notes.key(given)] == [
        ["edge_suite", "", "edge suite", "edge suite"],
        ["another_size", OTHER, "different system size", "different system size"],
        ["tokens_differ", "", "tokens per sample differ (A, C)", "tokens per sample differ"],
    ]
    of_two = {note("single_wider", precision=name) for name in ("FP8", "INT8")}
    assert [entry["words"] for entry in notes.key(of_two)] == [own.text for own in notes.ordered(of_two)]
    assert notes.key([sized, ONE])[0]["words"] == ONE.text
    assert notes.key(NONE) == []


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        ({BACKGROUND}, ""),
        ({EDGE}, OTHER),
        ({EDGE, ONE, FOUR, note("bridged")}, f"{OTHER}{notes.ROUNDS}"),
    ],
)
def test_marks_are_of_what_is_true_of_the_row_and_not_of_its_document(given, marks):
    assert sorted(notes.marks(given, [replace(own, about=("A",)) for own in given])) == sorted(marks)
    assert notes.marks(given, given) == "", "what holds for all rows marks none"


def test_kinds_have_a_code_of_their_own_and_a_mark_unless_they_hold_for_nearly_all():
    assert len(KINDS) == len(notes._TABLE) + len(notes._EXCLUDED)
    own = {notes.PREVIEW, notes.ROUNDS, OTHER}
    of_rows = [kind for kind in KINDS.values() if kind.scope is not Scope.BACKGROUND and kind.code != "own_words"]
    assert {kind.mark for kind in of_rows} == own
    assert {kind.mark for kind in KINDS.values() if kind.scope is Scope.BACKGROUND} == {""}
