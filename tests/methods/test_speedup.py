"""Speedups computed by hand: bases apart, the leader, rounds, steps, software, explanations."""

import pandas as pd
import pytest

from analysis._core.notes import NONE, note, without
from analysis.methods import speedup

LONE = ("single", "single_submitter", "single_base")  # who filed the two sides, tried in test_alike

NEW = {"accelerator": "B200 SXM", "accelerator_count": 8}
CLOSE = {"rel": 1e-12}


def ends(frame, **where):
    """The speedup range of the one row that `where` picks."""
    for column, value in where.items():
        frame = frame[frame[column].eq(value)]
    (row,) = frame.to_dict("records")
    return row["speedup_low"], row["speedup_high"]


def test_the_baseline_stands_at_one_beside_the_spread_of_its_own_systems(comparable_rows):
    rows = comparable_rows({"low": 790.0, "high": 800.0}, {"low": 600.0}, NEW | {"low": 1600.0})
    row = speedup.over_baseline(rows, "H100 SXM").set_index("accelerator").loc["H100 SXM"]
    assert (row["speedup_low"], row["speedup_high"], row["pairs"], row["notes"]) == (1.0, 1.0, 0, NONE)
    assert (row["spread_low"], row["systems"], row["of_systems"]) == (600 / 800, 2, 2)


def test_ratio_of_assumed_tokens_is_taken_as_printed(comparable_rows):
    given = {"assumed": True, "notes": {note("tokens_assumed")}, "unit": "samples/s"}
    rows = comparable_rows(given | {"low": 80.0}, NEW | given | {"low": 200.0})
    rows = rows.assign(per_accelerator_low=1.0, per_accelerator_high=9.0)
    row = speedup.over_baseline(rows, "H100 SXM").iloc[1]
    assert (row["speedup_low"], row["speedup_high"]) == (2.5, 2.5)
    assert without(row["notes"], *LONE) == {note("printed_unit", unit="samples/s")}


def test_ratio_of_stated_to_assumed_tokens_keeps_the_assumption_s_width(comparable_rows):
    given = {"assumed": True, "notes": {note("tokens_assumed")}}
    rows = comparable_rows(given | {"low": 80.0}, NEW | {"low": 200.0})
    rows = rows.assign(per_accelerator_low=[10.0, 100.0], per_accelerator_high=[20.0, 100.0])
    found = speedup.over_baseline(rows, "H100 SXM")
    assert ends(found, accelerator="B200 SXM") == (5.0, 10.0)
    assert [without(own, *LONE) for own in found["notes"]] == [NONE, {note("tokens_assumed")}]


def led(rows, baseline="H100 SXM"):
    """Accelerator and basis of the leader."""
    row = speedup.leader(speedup.over_baseline(rows, baseline, rows), baseline).iloc[0]
    return row["accelerator"], row["basis"]


def test_the_newest_round_with_the_baseline_leads_and_no_bridge_document_or_preview(comparable_rows):
    """B200 at 3 in v5.1; B300 at 4 across rounds, GB200 at 5 in preview, all at 9 in a document and in v4.1."""
    old, later, preview = {"round": "v5.1"}, {"round": "v6.0"}, {"availability": "preview"}
    rows = comparable_rows(
        {}, NEW | {"low": 7200.0}, old, old | NEW | {"low": 2400.0}, later | NEW | {"low": 2400.0},
        later | {"accelerator": "B300 SXM", "low": 3200.0}, old | preview | {"accelerator": "GB200", "low": 4000.0},
        {"origin": "published"}, NEW | {"origin": "published", "low": 7200.0},
    )  # fmt: skip
    assert led(rows) == ("B200 SXM", "official v5.1")
    assert led(rows[rows["round"].eq("v6.0") | ~rows["accelerator"].eq("B200 SXM")]) == ("GB200", "official v5.1")
    linked = rows[rows["round"].ne("v4.1") & rows["accelerator"].ne("GB200")]
    found = speedup.over_baseline(linked[linked["round"].eq("v6.0")], "H100 SXM", linked)
    assert speedup.leader(found, "H100 SXM")["basis"].item() == "official v6.0 via v5.1"
    assert led(rows[rows["origin"].eq("published")])[0] == "B200 SXM"
    assert speedup.leader(speedup.over_baseline(rows.head(1), "H100 SXM"), "H100 SXM").empty


DATES = pd.DataFrame(
    {"round": ["v4.1", "v5.1", "v6.0", "v6.1"], "published": ["2024-08-28", "2025-09-09", "2026-04-01", ""]}
)
GENERATIONS = pd.DataFrame(
    {
        "accelerator": ["H100 SXM", "H100 NVL", "B200 SXM", "GB200", "L40S"],
        "vendor": "NVIDIA",
        "generation": pd.Series([2, 2, 4, 4, None], dtype="Int64"),
    }
)


def test_previews_of_the_newest_round_are_over_its_fastest_available_accelerator(comparable_rows):
    """At 100 and 300 available in v6.1; previews at 600, at 50 of a part that is available too, and in v6.0."""
    new, preview = {"round": "v6.1"}, {"availability": "preview"}
    rows = comparable_rows(
        new | {"low": 800.0}, new | NEW | {"low": 2400.0}, new | NEW | preview | {"low": 400.0},
        new | preview | {"accelerator": "R", "low": 4800.0}, new | {"accelerator": "I", "availability": "rdi"},
        {"round": "v6.0"}, {"round": "v6.0", "accelerator": "GB200", "low": 9000.0} | preview,
        new | preview | {"accelerator": "R", "benchmark": "images"},
    )  # fmt: skip
    found = speedup.previews(rows)
    assert found[["benchmark", "accelerator", "over"]].to_numpy().tolist() == [["llm", "R", "B200 SXM"]]
    assert ends(found, accelerator="R") == (2.0, 2.0)
    assert speedup.previews(rows[rows["availability"].ne("preview")]).empty and speedup.previews(rows.head(0)).empty


def test_a_generation_is_one_accelerator_over_the_rounds(comparable_rows):
    """B200 of eight before GB200 of four, the baseline before H100 NVL, nothing of a round without a day."""
    later = {"round": "v5.1"}
    rows = comparable_rows(
        {}, later | {"low": 1000.0}, {"accelerator": "H100 NVL", "low": 4000.0}, later | NEW | {"low": 2400.0},
        later | {"accelerator": "GB200", "accelerator_count": 4, "low": 2000.0}, later | {"accelerator": "L40S"},
        NEW | {"round": "v6.1", "low": 9000.0}, NEW | {"availability": "preview", "low": 9000.0},
    )  # fmt: skip
    lines = speedup.by_generation(rows, GENERATIONS, DATES, "H100 SXM")
    told = lines[["accelerator", "round", "per_accelerator_low"]].to_numpy().tolist()
    assert told == [["B200 SXM", "v5.1", 300.0], ["H100 SXM", "v4.1", 100.0], ["H100 SXM", "v5.1", 125.0]]
    assert lines["published"].tolist()[0] == pd.Timestamp("2025-09-09")
    assert speedup.by_generation(rows, GENERATIONS, DATES, "L40S")["accelerator"].unique().tolist()[-1] == "L40S"
    other = speedup.by_generation(rows, GENERATIONS, DATES, "B200 SXM")
    assert set(other["accelerator"]) == {"B200 SXM", "H100 SXM"}


def test_later_round_over_the_earlier_on_the_same_accelerator(comparable_rows):
    later, other = {"round": "v5.1"}, {"submitter": "Other"}
    rows = comparable_rows(
        {"low": 800.0}, {"low": 400.0, "accelerator_count": 4}, {"low": 960.0} | other,
        later | {"low": 1000.0}, later | {"low": 1200.0} | other, later | {"low": 3000.0, "accelerator_count": 16},
        later | {"low": 5000.0, "availability": "preview"}, later | NEW, later | {"low": 9.0, "origin": "published"},
    )  # fmt: skip
    found = speedup.same_accelerators(rows, "v4.1", "v5.1")
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
        ([], "v4.0", ("", "v4.0")),
        (["v6.0"], "", ("v4.1", "v6.0")),
        (["v6.1"], "", ("", "v6.1")),
    ],
)
def test_software_is_compared_between_the_newest_rounds_that_share_a_part(comparable_rows, asked, later, both):
    """H100 is in v4.0 and v5.1, B200 in v4.1 and v6.0."""
    rows = comparable_rows({"round": "v4.0"}, NEW, {"round": "v5.1"}, NEW | {"round": "v6.0"})
    assert speedup.two_rounds(rows, asked, later) == both
    assert speedup.two_rounds(rows.head(0), [], "") == ("", "")


def datasheets():
    """The base, a part with 2 times the bandwidth, 3 the memory, 8 the compute at FP8, twice that at FP4; a half."""
    facts = {"accelerator": ["H100 SXM", "B200 SXM", "half"], "memory_bandwidth_gb_per_s": [2.0, 4.0, 4.0]}
    facts |= {"memory_gb": [1.0, 3.0, 3.0], "fp16_dense_tflops": [1.0, 4.0, 4.0], "fp8_dense_tflops": [1.0, 8.0, None]}
    facts |= {"fp4_dense_tflops": [None, 16.0, 16.0], "int8_dense_tops": [None, None, None]}
    return pd.DataFrame(facts)


@pytest.mark.parametrize(
    ("own", "base", "ran", "equal"),
    [
        ("fp4", "fp8", 16.0, 8.0),
        ("fp8", "fp16", 8.0, 4.0),
        ("bf16", "fp16", 4.0, 4.0),
    ],
)
def test_compute_is_that_of_the_precisions_that_ran(comparable_rows, own, base, ran, equal):
    rows = comparable_rows({"precision": base}, NEW | {"precision": own})
    beside = speedup.with_datasheet_ratios(speedup.over_baseline(rows, "H100 SXM"), datasheets(), "H100 SXM")
    found = beside.set_index("spec")["spec_ratio_low"]
    assert (found.get(speedup.RAN), found.get(speedup.EQUAL)) == (ran, equal)
    assert (found["memory bandwidth"], found["memory capacity"]) == (2.0, 3.0)
    assert set(beside["accelerator"]) == {"B200 SXM"} and set(beside["same"]) == {own == base}
    assert beside["spec_ratio_high"].equals(beside["spec_ratio_low"])


def explained(*speedups, same=True):
    """Miss and closeness of each fact, of speedups with their ratios of bandwidth and of compute; capacity is 100."""
    facts = ["memory bandwidth", speedup.RAN, "memory capacity", *([] if same else [speedup.EQUAL])]
    rows = [
        {"benchmark": "llm", "basis": "b", "accelerator": f"x{at}", "same": same, "spec": fact}
        | {"speedup_low": own, "speedup_high": own, "speedup_middle": own, "spec_ratio_low": ratio}
        for at, (own, *ratios) in enumerate(speedups)
        for fact, ratio in zip(facts, [*ratios, 100.0, 100.0], strict=False)
    ]
    found = speedup.explained_by(pd.DataFrame(rows))
    assert found["same"].eq(same).all() and found["accelerators"].eq(len(speedups)).all()
    told = found.set_index("spec")
    return {name: (float(told.at[name, "miss"]), bool(told.at[name, "close"])) for name in told.index}


def test_facts_whose_misses_cross_are_too_close_to_call():
    """Bandwidth is exact twice and off by 4, compute by 1.5 each time: what it is behind by is less than its error."""
    found = explained((2.0, 2.0, 3.0), (2.0, 2.0, 3.0), (2.0, 8.0, 3.0))
    assert list(found) == [speedup.RAN, "memory bandwidth", "memory capacity"]
    assert found[speedup.RAN] == (pytest.approx(1.5, **CLOSE), True)
    assert found["memory bandwidth"] == (pytest.approx(4 ** (1 / 3), **CLOSE), True)
    assert not found["memory capacity"][1]


def test_each_round_that_has_both_sides_is_a_base_of_its_own(comparable_rows):
    """H200 in two rounds, L40S in the older alone, B200 as a preview of the older one, a document's A100."""
    old, newer = {"round": "v4.1"}, {"round": "v5.1"}
    h200, l40s, b200, a100 = ({"accelerator": name} for name in ("H200 SXM", "L40S", "B200 SXM", "A100 SXM 80GB"))
    paper = {"origin": "published", "source": "Paper", "round": ""}
    rows = comparable_rows(
        old, newer | {"low": 1000.0}, old | h200 | {"low": 1048.0}, newer | h200 | {"low": 1100.0}, old | l40s,
        old | b200 | {"availability": "preview"}, newer | b200, paper, paper | a100, paper | h200,
    )  # fmt: skip
    found = speedup.in_each_round(speedup.over_baseline(rows, "H100 SXM"))
    shown = found[found["accelerator"].ne("H100 SXM")].sort_values(["base", "accelerator"], ascending=[False, True])
    assert list(zip(shown["accelerator"], shown["base"], shown["speedup_low"], strict=True)) == [
        ("B200 SXM", "v5.1", 0.8), ("H200 SXM", "v5.1", 1.1), ("H200 SXM", "v4.1", 1.31), ("L40S", "v4.1", 1.0),
        ("A100 SXM 80GB", "Paper", 1.0),
    ]  # fmt: skip
    assert list(dict.fromkeys(found["base"])) == ["v5.1", "v4.1", "Paper"]
    assert found["rounds"].iloc[-1] == ()
