"""Cross-round estimates computed by hand: A / X x X' / base, which links count, and their notes."""

from typing import Any

import pandas as pd
import pytest

from analysis._core.notes import note, without
from analysis.methods import speedup

LONE = ("single", "single_submitter", "single_base")  # who filed the two sides, tried in test_alike

BASE, B200, NEW = ({"accelerator": name} for name in ("H100 SXM", "B200 SXM", "B300 SXM"))
OLD, LATER = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v5.1", "v6.0"))
OTHER = {"submitter": "Other"}
CLOSE = {"rel": 1e-12}


def over(rows: pd.DataFrame, **asked: Any) -> pd.DataFrame:
    """The cross-round speedups over H100; of the round `asked`, else of all."""
    chosen = rows[rows["round"].eq(asked["round"])] if asked else rows
    found = speedup.over_baseline(chosen, "H100 SXM", rows)
    return found[found["through"].ne("")].set_index("accelerator")


def ends(found: pd.DataFrame, name: str, what: str = "speedup") -> tuple[float, float]:
    return found.at[name, f"{what}_low"], found.at[name, f"{what}_high"]


def test_without_the_record_no_bridge_is_taken(comparable_rows):
    rows = comparable_rows(OLD | BASE, OLD | B200, LATER | B200, LATER | NEW)
    assert "B300 SXM" not in set(speedup.over_baseline(rows, "H100 SXM")["accelerator"])


def test_what_the_record_does_not_compare_has_no_bridge(comparable_rows):
    """A round, or an accelerator of it, that the record has in another accuracy target alone."""
    record = comparable_rows(OLD | BASE, OLD | B200, LATER | B200)
    for round, accelerator in (({"round": "v2.1"}, BASE), (LATER, NEW)):
        rows = comparable_rows(round | {"source_id": ""} | accelerator)
        assert speedup.over_baseline(rows, "MI300X", record).empty
        assert speedup.over_baseline(rows, "H100 SXM", record)["through"].eq("").all()


def test_one_submitter_s_bridge_comes_first(comparable_rows):
    rows = comparable_rows(
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, OLD | B200 | OTHER | {"low": 1200.0},
        LATER | B200 | {"low": 800.0}, LATER | B200 | {"low": 1000.0, "submitter": "Third"},
        LATER | NEW | {"low": 1600.0},
    )  # fmt: skip
    assert ends(over(rows), "B300 SXM") == (6.0, 6.0)


def link(name: str, older: float, later: float, size: int = 8) -> list[dict]:
    own = {"accelerator": name, "submitter": name}
    return [OLD | own | {"low": older}, LATER | own | {"low": later * size / 8, "accelerator_count": size}]


def test_links_of_another_size_count_where_fewer_than_two_are_of_one_size(comparable_rows):
    """Over X 6, over Y 4.4, over Z of 16 accelerators 1600 / 200 x 300 / 300 = 8."""
    ends_of = {"X": link("X", 900.0, 800.0), "Y": link("Y", 330.0, 400.0), "Z": link("Z", 300.0, 200.0, 16)}
    frame = [OLD | BASE | {"low": 300.0}, LATER | NEW | {"low": 1600.0}]
    found = over(comparable_rows(*frame, *(row for name in "XYZ" for row in ends_of[name])))
    assert ends(found, "B300 SXM") == pytest.approx((4.4, 6.0), **CLOSE)
    found = over(comparable_rows(*frame, *ends_of["X"], *ends_of["Z"]))
    assert (ends(found, "B300 SXM"), found.at["B300 SXM", "links"]) == ((6.0, 8.0), ("X", "Z"))


def test_many_links_are_counted(comparable_rows):
    rows = [row for name in "WXYZ" for row in link(name, 900.0, 800.0)]
    found = over(comparable_rows(OLD | BASE | {"low": 300.0}, LATER | NEW | {"low": 1600.0}, *rows))
    about = {"bridge": "4 accelerators", "rounds": "v6.0 and v5.1", "submitter": "one submitter each"}
    assert without(found.at["B300 SXM", "notes"], *LONE) == {note("bridged", **about)}
