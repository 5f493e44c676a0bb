"""Speedups computed by hand: bases apart, the leader, rounds, steps, software, explanations, claims."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.core.notes import NONE, note
from analysis.themes import speedup

Rows = Callable[..., pd.DataFrame]
NEW = {"accelerator": "B200 SXM", "accelerator_count": 8}
CLOSE = {"rel": 1e-12}


def ends(frame: pd.DataFrame, **where: str) -> tuple[float, float]:
    """The speedup range of the one row that `where` picks."""
    for column, value in where.items():
        frame = frame[frame[column].eq(value)]
    (row,) = frame.to_dict("records")
    return row["speedup_low"], row["speedup_high"]


def test_speedup_is_per_accelerator(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 800.0}, NEW | {"low": 1000.0, "accelerator_count": 4})
    found = speedup.over_baseline(rows, "H100 SXM")
    assert ends(found, accelerator="B200 SXM") == (2.5, 2.5)
    assert ends(found, accelerator="H100 SXM") == (1.0, 1.0)


def test_the_baseline_stands_at_one_beside_the_spread_of_its_own_systems(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 790.0, "high": 800.0}, {"low": 600.0}, NEW | {"low": 1600.0})
    row = speedup.over_baseline(rows, "H100 SXM").set_index("accelerator").loc["H100 SXM"]
    assert (row["speedup_low"], row["speedup_high"], row["pairs"], row["notes"]) == (1.0, 1.0, 0, NONE)
    assert (row["spread_low"], row["systems"], row["of_systems"]) == (600 / 800, 2, 2)


def test_bases_are_kept_apart(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "source": "Paper", "source_id": "doc000"}
    rows = comparable_rows({"low": 800.0}, NEW | {"low": 1600.0}, paper | {"low": 400.0}, paper | NEW | {"low": 2000.0})
    found = speedup.over_baseline(rows, "H100 SXM")
    assert ends(found, accelerator="B200 SXM", basis="official v4.1") == (2.0, 2.0)
    assert ends(found, accelerator="B200 SXM", basis="Paper") == (5.0, 5.0)
    ids = {"official v4.1": ("mlcommons-v4.1",), "Paper": ("doc000",)}
    assert found.set_index("basis")["source_ids"].to_dict() == ids
    assert found.set_index("basis")["origin"].to_dict() == {"official v4.1": "official", "Paper": "published"}


def test_basis_without_the_baseline_gives_no_speedup(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 800.0}, NEW | {"origin": "published", "source": "Paper"})
    assert speedup.over_baseline(rows, "H100 SXM")["accelerator"].tolist() == ["H100 SXM"]


def test_benchmarks_and_scenarios_are_kept_apart(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 800.0}, NEW | {"scenario": "Server"}, NEW | {"benchmark": "images"})
    assert speedup.over_baseline(rows, "H100 SXM")["accelerator"].tolist() == ["H100 SXM"]


def test_ratio_of_assumed_tokens_is_taken_as_printed(comparable_rows: Rows) -> None:
    given = {"assumed": True, "notes": {note("tokens_assumed")}, "unit": "samples/s"}
    rows = comparable_rows(given | {"low": 80.0}, NEW | given | {"low": 200.0})
    rows = rows.assign(per_accelerator_low=1.0, per_accelerator_high=9.0)
    row = speedup.over_baseline(rows, "H100 SXM").iloc[1]
    assert (row["speedup_low"], row["speedup_high"]) == (2.5, 2.5)
    assert row["notes"] == {note("printed_unit", unit="samples/s")}


def test_ratio_of_stated_to_assumed_tokens_keeps_the_assumption_s_width(comparable_rows: Rows) -> None:
    given = {"assumed": True, "notes": {note("tokens_assumed")}}
    rows = comparable_rows(given | {"low": 80.0}, NEW | {"low": 200.0})
    rows = rows.assign(per_accelerator_low=[10.0, 100.0], per_accelerator_high=[20.0, 100.0])
    found = speedup.over_baseline(rows, "H100 SXM")
    assert ends(found, accelerator="B200 SXM") == (5.0, 10.0)
    assert found["notes"].tolist() == [NONE, {note("tokens_assumed")}]


def test_the_leader_is_the_fastest_on_sale_in_the_newest_round(comparable_rows: Rows) -> None:
    newest, ahead = {"round": "v5.1"}, {"availability": "preview", "low": 9000.0}
    rows = comparable_rows(
        NEW | {"low": 8000.0}, newest | {"low": 900.0}, newest | {"accelerator": "L40S", "low": 600.0},
        newest | {"accelerator": "MI300X", "accelerator_count": 4, "low": 500.0}, newest | NEW | ahead,
        newest | {"accelerator": "GB200", "origin": "published", "low": 9999.0},
    )  # fmt: skip
    assert speedup.leader(rows) == "MI300X"
    assert speedup.leader(rows[rows["availability"].eq("preview") | rows["round"].eq("v4.1")]) == "B200 SXM"
    assert speedup.leader(rows[rows["origin"].eq("published")]) == ""


def test_rounds_say_what_stands_beside_the_baseline(comparable_rows: Rows) -> None:
    """v5.1 sets B200 beside H100; in v6.0 B300 is bridged by it; v6.1 shares nothing with either."""
    old, later, last = ({"round": name} for name in ("v5.1", "v6.0", "v6.1"))
    rows = comparable_rows(
        last | {"accelerator": "L40S"}, later | NEW, later | {"accelerator": "B300 SXM"}, old, old | NEW,
        later | {"accelerator": "B300 SXM"}, {"origin": "published", "round": "v4.0"},
    )  # fmt: skip
    covered = speedup.rounds_covered(rows, speedup.over_baseline(rows, "H100 SXM", rows), "H100 SXM")
    assert covered.to_dict("records") == [
        {"round": "v5.1", "baseline": True, "accelerators": 2, "direct": 2, "bridged": 0, "elsewhere": 0, "alone": (),
         "others": ("H100 SXM", "B200 SXM")},
        {"round": "v6.0", "baseline": False, "accelerators": 2, "direct": 0, "bridged": 1, "elsewhere": 1, "alone": (),
         "others": ("B300 SXM", "B200 SXM")},
        {"round": "v6.1", "baseline": False, "accelerators": 1, "direct": 0, "bridged": 0, "elsewhere": 0,
         "alone": ("L40S",), "others": ("L40S",)},
    ]  # fmt: skip


def test_later_round_over_the_earlier_on_the_same_accelerator(comparable_rows: Rows) -> None:
    later, other = {"round": "v5.1"}, {"submitter": "Other"}
    rows = comparable_rows(
        {"low": 800.0}, {"low": 400.0, "accelerator_count": 4}, {"low": 960.0} | other,
        later | {"low": 1000.0}, later | {"low": 1200.0} | other, later | {"low": 3000.0, "accelerator_count": 16},
        later | {"low": 5000.0, "availability": "preview"}, later | NEW, later | {"low": 9.0, "origin": "published"},
    )  # fmt: skip
    found = speedup.by_round(rows, "v4.1", "v5.1")
    assert found["accelerator"].tolist() == ["H100 SXM"]
    assert ends(found) == (1.25, 1.25)
    (row,) = found.to_dict("records")
    assert (row["pairs_low"], row["pairs_high"], row["pairs"]) == (1.25, 1.25, 2)
    assert (row["systems"], row["of_systems"]) == (2, 4)
    assert row["notes"] == {note("different_rounds", rounds="v5.1", other_rounds="v4.1")}
    assert row["source_ids"] == ("mlcommons-v4.1",)


@pytest.mark.parametrize(
    ("asked", "later", "both"),
    [
        ([], "", ("v4.1", "v6.0")),
        ([], "v5.1", ("v4.0", "v5.1")),
        ([], "v4.0", ("", "v4.0")),
        ([], "v6.1", ("", "v6.1")),
        (["v6.0"], "", ("v4.1", "v6.0")),
        (["v6.1"], "", ("", "v6.1")),
        (["v4.0", "v5.1"], "", ("v4.0", "v5.1")),
        (["v4.0"], "v5.1", ("v4.0", "v5.1")),
    ],
)
def test_software_is_compared_between_the_newest_rounds_that_share_a_part(
    comparable_rows: Rows, asked: list[str], later: str, both: tuple[str, str]
) -> None:
    """H100 is in v4.0 and v5.1, B200 in v4.1 and v6.0."""
    rows = comparable_rows({"round": "v4.0"}, NEW, {"round": "v5.1"}, NEW | {"round": "v6.0"})
    assert speedup.two_rounds(rows, asked, later) == both
    assert speedup.two_rounds(rows.head(0), [], "") == ("", "")


def test_round_over_itself_is_no_progress(comparable_rows: Rows) -> None:
    assert speedup.by_round(comparable_rows({"low": 800.0}, {"low": 1000.0}), "v4.1", "v4.1").empty


def test_ratio_between_rounds_of_one_document_is_marked(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "source": "Paper"}
    rows = comparable_rows(paper, paper | NEW | {"round": "v4.0"}, paper | {"accelerator": "L40S", "round": ""})
    found = speedup.over_baseline(rows, "H100 SXM").set_index("accelerator")
    marked = {note("different_rounds", rounds="v4.0", other_rounds="v4.1")}
    assert found["notes"].to_dict() == {"H100 SXM": NONE, "B200 SXM": marked, "L40S": NONE}
    assert found["rounds"].to_dict() == {"H100 SXM": ("v4.1",), "B200 SXM": ("v4.0", "v4.1"), "L40S": ("v4.1",)}


def test_step_is_over_the_accelerator_before(comparable_rows: Rows) -> None:
    rows = comparable_rows(
        {"accelerator": "H100 SXM", "low": 800.0}, {"accelerator": "H200 SXM", "low": 1200.0},
        {"accelerator": "H200 SXM CTS", "low": 1500.0}, {"accelerator": "H200 SXM", "low": 1.0, "origin": "published"},
    )  # fmt: skip
    found = speedup.steps(rows, ["H100 SXM", "H200 SXM", "L40S", "H200 SXM CTS"])
    assert found["step"].tolist() == ["H100 SXM to H200 SXM"]
    found = speedup.steps(rows, ["H100 SXM", "H200 SXM", "H200 SXM CTS"])
    assert ends(found, step="H100 SXM to H200 SXM") == (1.5, 1.5)
    assert ends(found, step="H200 SXM to H200 SXM CTS") == (1.25, 1.25)


def test_step_is_of_the_newest_round_with_both(comparable_rows: Rows) -> None:
    old, new = {"round": "v4.1"}, {"round": "v5.1"}
    rows = comparable_rows(old | {"low": 800.0}, old | NEW | {"low": 2400.0}, new | {"low": 800.0}, new | NEW)
    found = speedup.steps(rows, ["H100 SXM", "B200 SXM"])
    assert (ends(found), found["rounds"].tolist()) == ((1.0, 1.0), [("v5.1",)])
    assert ends(speedup.steps(rows.head(3), ["H100 SXM", "B200 SXM"])) == (3.0, 3.0)


def datasheets() -> pd.DataFrame:
    """The base and another part with twice the bandwidth, three times the memory, four times the compute."""
    facts = {"accelerator": ["H100 SXM", "B200 SXM", "half"], "memory_bandwidth_gb_per_s": [2.0, 4.0, 4.0]}
    facts |= {"memory_gb": [1.0, 3.0, 3.0], "fp16_dense_tflops": [1.0, 4.0, 4.0], "fp8_dense_tflops": [1.0, 8.0, None]}
    facts |= {"fp4_dense_tflops": [None, 16.0, 16.0], "int8_dense_tops": [None, None, None]}
    return pd.DataFrame(facts)


def test_speedup_stands_beside_each_datasheet_ratio(comparable_rows: Rows) -> None:
    speedups = speedup.over_baseline(comparable_rows({"low": 800.0}, NEW | {"low": 1600.0}), "H100 SXM")
    beside = speedup.beside_specs(speedups, datasheets(), "H100 SXM")
    ratios = {"memory bandwidth": 2.0, "memory capacity": 3.0, "16-bit compute": 4.0, "8-bit compute": 8.0}
    ratios |= {speedup.RAN: 8.0}
    assert beside.set_index("spec")["spec_ratio_low"].to_dict() == ratios
    assert beside["spec_ratio_high"].equals(beside["spec_ratio_low"])
    assert set(beside["accelerator"]) == {"B200 SXM"}


@pytest.mark.parametrize(
    ("own", "base", "ratio"),
    [("fp4", "fp8", 16.0), ("fp8", "fp16", 8.0), ("bf16", "fp16", 4.0), ("fp4", "fp4", None), ("", "fp8", None)],
)
def test_compute_is_that_of_the_precisions_that_ran(
    comparable_rows: Rows, own: str, base: str, ratio: float | None
) -> None:
    rows = comparable_rows({"precision": base}, NEW | {"precision": own})
    beside = speedup.beside_specs(speedup.over_baseline(rows, "H100 SXM"), datasheets(), "H100 SXM")
    found = beside.set_index("spec")["spec_ratio_low"].get(speedup.RAN)
    assert found == ratio


def test_nothing_stands_beside_a_baseline_without_a_datasheet(comparable_rows: Rows) -> None:
    speedups = speedup.over_baseline(comparable_rows({"accelerator": "XPU"}, NEW), "XPU")
    assert len(speedups) == 2 and speedup.beside_specs(speedups, datasheets(), "XPU").empty


def test_nearest_datasheet_ratio_explains_best(comparable_rows: Rows) -> None:
    speedups = speedup.over_baseline(comparable_rows({"low": 800.0}, NEW | {"low": 2400.0}), "H100 SXM")
    explained = speedup.explained_by(speedup.beside_specs(speedups, datasheets(), "H100 SXM"))
    order = ["memory capacity", "16-bit compute", "memory bandwidth", "8-bit compute", speedup.RAN]
    assert explained["spec"].tolist() == order
    assert explained["miss"].tolist() == pytest.approx([1.0, 4 / 3, 1.5, 8 / 3, 8 / 3], **CLOSE)
    assert explained["accelerators"].tolist() == [1] * 5


def test_accelerator_with_an_unknown_fact_does_not_judge(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 800.0}, NEW | {"low": 1600.0}, {"accelerator": "half", "low": 9e9})
    beside = speedup.beside_specs(speedup.over_baseline(rows, "H100 SXM"), datasheets(), "H100 SXM")
    assert len(beside[beside["accelerator"].eq("half")]) == 3
    assert speedup.explained_by(beside).set_index("spec")["miss"]["memory bandwidth"] == pytest.approx(1.0, **CLOSE)


CLAIM = {
    "id": "c1",
    "source_id": "doc000",
    "subject": "B200",
    "subject_accelerator": "B200 SXM",
    "baseline": "H100",
    "baseline_accelerator": "H100 SXM",
    "benchmark": "llm",
    "scenario": "Offline",
    "quantity": "throughput_ratio",
    "low": 2.0,
    "high": 2.0,
    "bound": "",
    "duplicate_of": "",
    "round": "v4.1",
    "baseline_round": "v4.1",
}


def judged(rows: pd.DataFrame, **changes: object) -> pd.DataFrame:
    """The claim, with `changes`, beside the pairs of the rows."""
    return speedup.claimed(pd.DataFrame([CLAIM | changes]), speedup.pairs(rows, ["", "H100 SXM"]))


@pytest.fixture
def doubled(comparable_rows: Rows) -> pd.DataFrame:
    """B200 at 1.9 to 2.1 times H100."""
    return comparable_rows({"low": 800.0}, NEW | {"low": 1520.0, "high": 1680.0})


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(2.0, 2.0, "holds"), (2.05, 2.5, "holds"), (2.2, 2.2, "not reached"), (1.5, 1.8, "exceeded")],
)
def test_claim_holds_where_ranges_meet(doubled: pd.DataFrame, low: float, high: float, verdict: str) -> None:
    (row,) = judged(doubled, low=low, high=high).to_dict("records")
    assert row["verdict"] == verdict
    assert (row["stated_low"], row["stated_high"]) == (low, high)
    assert (row["speedup_low"], row["speedup_high"]) == pytest.approx((1.9, 2.1), **CLOSE)


@pytest.mark.parametrize(
    ("bound", "stated", "verdict"),
    [
        ("at_most", 3.0, speedup.UNDER),
        ("at_most", 2.0, "holds"),
        ("at_most", 1.5, "exceeded"),
        ("at_least", 1.5, speedup.OVER),
        ("at_least", 3.0, "not reached"),
    ],
)
def test_claim_that_is_a_bound_is_not_refuted_on_its_side(
    doubled: pd.DataFrame, bound: str, stated: float, verdict: str
) -> None:
    assert judged(doubled, low=stated, high=stated, bound=bound)["verdict"].tolist() == [verdict]


@pytest.mark.parametrize(
    "changes",
    [
        {"quantity": "price_ratio"},
        {"duplicate_of": "c0"},
        {"low": None, "high": None},
        {"baseline_accelerator": "B200 SXM"},
        {"benchmark": "images"},
        {"scenario": "Server"},
        {"subject_accelerator": ""},
        {"round": "v4.0", "baseline_round": "v4.0"},
        {"baseline_round": "v4.0"},
    ],
)
def test_claim_without_such_a_pair_is_not_judged(doubled: pd.DataFrame, changes: dict) -> None:
    assert judged(doubled, **changes).empty


@pytest.mark.parametrize(
    ("stated", "verdict"), [(2.0, "holds"), (2.5, "holds"), (3.0, "holds"), (1.9, "exceeded"), (3.1, "not reached")]
)
def test_claim_holds_by_the_fastest_or_by_one_submitter_s_own(
    comparable_rows: Rows, stated: float, verdict: str
) -> None:
    """2400 / 960 of the fastest; 2400 / 800 of ACME, 1920 / 960 of the other."""
    other = {"submitter": "Other"}
    rows = comparable_rows({"low": 800.0}, {"low": 960.0} | other, NEW | {"low": 2400.0}, NEW | {"low": 1920.0} | other)
    assert judged(rows, low=stated, high=stated)["verdict"].tolist() == [verdict]


def test_claim_is_judged_by_its_own_round_alone(comparable_rows: Rows) -> None:
    later = {"round": "v5.1", "baseline_round": "v5.1"}
    rows = comparable_rows({}, NEW | {"low": 1600.0}, later, NEW | later)
    assert judged(rows)[["basis", "verdict"]].to_numpy().tolist() == [["official v4.1", "holds"]]
    assert judged(rows, **later)[["basis", "verdict"]].to_numpy().tolist() == [["official v5.1", "not reached"]]
    pairs = speedup.pairs(rows[rows["round"].eq("v5.1")], ["H100 SXM"])
    claims = pd.DataFrame([CLAIM, CLAIM | later, CLAIM | {"round": ""}, CLAIM | {"benchmark": ""}])
    assert speedup.of_other_rounds(claims, pairs)["round"].tolist() == ["v4.1"]


def test_claim_without_a_round_is_judged_by_any_and_says_so(comparable_rows: Rows) -> None:
    later = {"round": "v5.1"}
    rows = comparable_rows({}, NEW, later, NEW | later | {"low": 1600.0})
    (row,) = judged(rows, round="", baseline_round="").to_dict("records")
    assert (row["basis"], row["verdict"], row["notes"]) == ("official v5.1", "holds", {note("round_unnamed")})
    (row,) = judged(rows[rows["round"].eq("v4.1")], round="", baseline_round="").to_dict("records")
    assert (row["basis"], row["verdict"]) == ("official v4.1", "not reached")


def test_judged_claim_keeps_the_notes_of_its_pair(comparable_rows: Rows) -> None:
    noted = {note("approximate")}
    rows = comparable_rows({}, NEW | {"low": 1600.0, "notes": noted})
    assert judged(rows)["notes"].tolist() == [noted]
    assert judged(rows, round="", baseline_round="")["notes"].tolist() == [noted | {note("round_unnamed")}]


def test_claim_without_scenario_is_judged_in_each(comparable_rows: Rows) -> None:
    rows = comparable_rows({}, NEW, {"scenario": "Server"}, NEW | {"scenario": "Server"})
    assert judged(rows, scenario="")["scenario"].tolist() == ["Offline", "Server"]


def test_official_pair_judges_before_the_document_s_own(comparable_rows: Rows) -> None:
    own = {"origin": "published", "source": "Paper", "source_id": "doc000"}
    other = own | {"source": "Other", "source_id": "doc009"}
    rows = comparable_rows(own, own | NEW, {}, NEW, other, other | NEW)
    assert judged(rows)["basis"].tolist() == ["official v4.1"]
    assert judged(rows[rows["origin"].eq("published")])["basis"].tolist() == ["Paper"]
    assert judged(rows[rows["basis"].eq("Other")]).empty


def test_empty_rows_give_empty_frames(comparable_rows: Rows) -> None:
    nothing = comparable_rows()
    over = speedup.over_baseline(nothing, "H100 SXM")
    beside = speedup.beside_specs(over, datasheets(), "H100 SXM")
    frames = [over, beside, speedup.explained_by(beside), speedup.by_round(nothing, "v4.1", "v5.1")]
    frames += [speedup.steps(nothing, ["H100 SXM", "B200 SXM"]), speedup.pairs(nothing, []), judged(nothing)]
    assert [len(frame) for frame in frames] == [0] * len(frames)
