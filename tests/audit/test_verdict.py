"""Two ranges and what is said of them: hand-computed cases on both sides of every border."""

import pytest

from analysis._core.interval import Interval
from analysis.audit import verdict
from analysis.audit.verdict import Judgment, Verdict

FIGURE = {"table": "claims", "id": "r", "source_id": "docA", "locator": "text"}


@pytest.mark.parametrize(
    ("printed", "expected", "basis", "found"),
    [
        ((24524.5, 24525.5), (24525.0, 24525.0), "rounded", "confirmed"),
        ((24524.5, 24525.5), (24524.9, 24524.9), "rounded", "within_rounding"),
        ((24524.5, 24525.5), (24525.5, 24525.5), "rounded", "within_rounding"),
        ((24524.5, 24525.5), (24525.6, 24525.6), "rounded", "within_5_percent"),
        ((750.0, 820.0), (820.0, 900.0), "range", "within_rounding"),
        ((95.0, 100.0), (105.1, 110.0), "range", "contradicted"),
        ((105.1, 110.0), (95.0, 100.0), "range", "contradicted"),
        ((1.0, 1.0), (float("nan"), float("nan")), "exact", "unverifiable"),
    ],
)
def test_two_ranges(printed, expected, basis, found):
    assert verdict.compare(Interval(*printed), Interval(*expected), basis) == found


@pytest.mark.parametrize(
    ("low", "found"),
    [
        (99.0, "within_rounding"),
        (100.0, "within_rounding"),
        (105.0, "within_5_percent"),
        (105.1, "physically_impossible"),
    ],
)
def test_a_figure_and_its_ceiling(low, found):
    assert verdict.below(Interval(low, low + 50), 100.0) == found


def test_the_worst_and_the_best_of_several():
    assert verdict.worst(["confirmed", "contradicted", "no_official_result"]) == "contradicted"
    assert verdict.best(["contradicted", "within_5_percent"]) == "within_5_percent"
    assert verdict.worst([]) == verdict.best([]) == "unverifiable"


@pytest.mark.parametrize(
    ("printed", "words"),
    [(1.0, "not off"), (1.02, "2% too high"), (0.5, "too low by a factor of 2"), (3.0, "too high by a factor of 3")],
)
def test_how_far_it_is_off(printed, words):
    assert verdict.difference_in_words(Interval(printed, printed), Interval(1.0, 1.0)).startswith(words)


def test_every_verdict_has_a_meaning_and_a_word():
    assert [one.value for one in Verdict][::7] == ["confirmed", "physically_impossible"]
    assert all(one.meaning for one in Verdict)
    with pytest.raises(ValueError, match="'perhaps' is not a valid Verdict"):
        verdict.worst(["confirmed", "perhaps"])


@pytest.mark.parametrize(("stated", "found"), [(1, "physically_impossible"), (2, "confirmed"), (3, "within_rounding")])
def test_a_number_that_must_be_large_enough(stated, found):
    assert verdict.enough(stated, 2) == found


def test_judgments_are_a_frame_of_plain_words_and_numbers():
    one = Judgment(
        figure=FIGURE,
        check="rank",
        verdict=Verdict.CONFIRMED,
        printed=Interval(1, 1),
        expected=verdict.NOTHING,
        reference="",
        unit="rank",
        explanation="So it is.",
    )
    frame = verdict.frame([one])
    assert list(frame.columns) == verdict.COLUMNS
    assert frame.iloc[0, :6].tolist() == ["claims", "r", "docA", "text", "rank", "confirmed"]
    assert type(frame.at[0, "verdict"]) is str
    assert frame[verdict.ENDS].dtypes.eq("float64").all()


def test_a_judgment_on_a_figure_compares_what_it_prints():
    figure = FIGURE | {"low": 95.0, "high": 105.0, "unit": "GB", "range_basis": "range"}
    one = Judgment(figure, "size", Interval(100.0, 100.0), "sheet", "So it is.")
    assert (one.verdict, one.printed, one.unit) == ("within_rounding", Interval(95.0, 105.0), "GB")
    assert Judgment(figure, "size", Interval(100.0, 100.0), "sheet", "So.", basis="rounded").verdict == "confirmed"
    own = Judgment(figure, "size", one.expected, "", "So.", printed=Interval(50.0, 50.0), unit="W")
    assert (own.verdict, own.printed, own.unit) == ("contradicted", Interval(50.0, 50.0), "W")
    fixed = Judgment(figure, "size", one.expected, "", "So.", verdict=Verdict.CONDITIONAL)
    assert fixed.verdict == "conditional"
