"""A finding has a name, a unit, a range in order and a headline; its record is rounded, its markup shown, not run."""

import math
from dataclasses import replace

import pytest

from analysis._core import mime
from analysis._core.findings import Finding
from analysis._core.interval import Interval
from analysis._core.notes import note

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
SOME = Finding("apples", Interval(1.0, 2.0), "apples", "Some.")
PREVIEW, SIZES = note("preview", about=["B200"], round="v4.1"), note("different_sizes", sizes="1x", other_sizes="8x")


@pytest.mark.parametrize("name", ["Apples", "2_apples", "äpfel", "apples\n"])
def test_name_that_is_not_snake_case_is_refused(name):
    with pytest.raises(ValueError, match="snake_case"):
        replace(SOME, name=name)


@pytest.mark.parametrize("lacking", ["unit", "headline"])
def test_unit_and_headline_are_needed(lacking):
    with pytest.raises(ValueError, match="'apples' needs a unit in words and a headline"):
        replace(SOME, **{lacking: ""})


@pytest.mark.parametrize(("low", "high"), [(2, 1), (math.nan, 1), (math.nan, math.nan)])
def test_range_out_of_order_or_with_one_end_is_refused(low, high):
    with pytest.raises(ValueError, match=r"'apples': .* is no range, low to high"):
        replace(SOME, value=Interval(low, high))


def test_more_stands_behind_the_headline_and_notes_behind_both():
    full = replace(SOME, more="More of them.", notes=frozenset({SIZES, PREVIEW}))
    assert full.headline == "Some."
    assert full.sentence == "Some. More of them."
    assert full.said == f"Some. More of them. Caveat: {PREVIEW.text}; {SIZES.text}."
    assert replace(SOME, notes=frozenset({SIZES})).sentence == "Some."


def test_record_has_nine_digits_and_each_source_once_sorted():
    value = Interval(1 / 3, 123456.7891234)
    full = replace(SOME, value=value, sources=["b", "a", "b"], notes=frozenset({SIZES, PREVIEW}), more="Really.")
    assert full.record() == {
        "name": "apples",
        "low": 0.333333333,
        "high": 123456.789,
        "unit": "apples",
        "headline": "Some.",
        "sentence": full.said,
        "sources": ["a", "b"],
        "caveats": [PREVIEW.text, SIZES.text],
        "notes": [PREVIEW.record(), SIZES.record()],
        "about": "",
        "systems": [],
        "values": [],
    }


def test_record_of_what_cannot_be_written_as_json_is_empty():
    assert replace(SOME, value=Interval(1, math.inf)).record()["high"] is None
    none = replace(SOME, value=None).record()
    assert (none["low"], none["high"], none["notes"], none["caveats"]) == (None, None, [], [])


def test_markup_in_a_headline_further_words_or_notes_is_shown_not_run():
    shown = replace(SOME, headline=EVIL, more=EVIL, notes=frozenset({note("preview", about=[EVIL])}))
    bundle = shown._repr_mimebundle_()
    assert "<script" not in bundle["text/html"]
    assert "<img" not in bundle["text/html"]
    assert bundle["text/html"].count("&lt;script&gt;") == 3
    assert bundle["text/plain"] == shown.said
    assert bundle[mime.FINDING] == shown.record()
    assert bundle[mime.FINDING]["sentence"].count(EVIL) == 3


def test_caveats_are_labels_behind_the_sentence_with_their_words_as_tooltip():
    own = replace(SOME, notes=frozenset({PREVIEW, note("division_unstated")}))
    markup = own._repr_mimebundle_()["text/html"]
    assert markup.endswith(f'Some. <span class="caveat" title="{PREVIEW.text}">preview</span></p>')
    unmarked = replace(SOME, notes=frozenset({note("division_unstated")}))
    assert all("caveat" not in each._repr_mimebundle_()["text/html"] for each in (SOME, unmarked))


def test_further_values_and_what_the_value_is_of_are_data_too():
    said = Finding(
        "need", Interval(2, 3), "apples", "2 to 3.", about="Boskoop", values={"bill": (Interval(4, 5), "USD")}
    )
    stated = said.record()
    assert stated["about"] == "Boskoop"
    assert stated["values"] == [{"name": "bill", "low": 4.0, "high": 5.0, "unit": "USD"}]
    with pytest.raises(ValueError, match="'need': 5 to 4 is no range"):
        Finding("need", None, "apples", "None.", values={"bill": (Interval(5, 4), "USD")})
