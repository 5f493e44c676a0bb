"""Official rows by the precision that ran, against hand-computed ratios."""

import pandas as pd
import pytest

from analysis.answers import quantization_tradeoffs as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import quantization

NOTED = frozenset({note("preview", round="v5.1")})
ROWS = [  # accelerator, precision, basis of it, origin, per accelerator
    ("B200", "fp4", "declared", "official", 120.0),
    ("B200", "fp4", "declared", "official", 150.0),
    ("B200", "fp8", "declared", "official", 100.0),
    ("B200", "", "unknown", "official", 300.0),
    ("H100", "fp8", "configuration", "official", 30.0),
    ("B200", "fp4", "document", "published", 999.0),
]


@pytest.fixture
def rows() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=["accelerator", "precision", "precision_basis", "origin", "per_accelerator_low"])
    same = {"basis": "official v5.1", "source_id": "s", "notes": [NONE, *[NOTED] * 2, *[NONE] * 3]}
    return frame.assign(per_accelerator_high=frame["per_accelerator_low"], **same)


def test_each_precision_of_an_accelerator_beside_its_fp8(rows: pd.DataFrame) -> None:
    found = quantization.by_precision(rows).set_index(["accelerator", "precision"])
    fp4 = found.loc[("B200", "fp4")]
    assert (fp4["results"], fp4["gain_low"], fp4["gain_high"], fp4["known_from"]) == (2, 1.2, 1.5, "declared")
    assert found.loc[("B200", "unknown"), "gain_low"] != found.loc[("B200", "unknown"), "gain_low"]
    assert found["gain_low"].notna().sum() == 1 and len(found) == 4
    assert (fp4["source_ids"], fp4["notes"]) == (("s",), NOTED)
    assert found.loc[("B200", "unknown"), "notes"] == NONE
    beside = answer.official_gain(found.reset_index(), "Llama")
    assert beside.sentence == "Of Llama fp4 on B200 gives 1.2 to 1.5 times its FP8 results (official v5.1, declared)."
    assert beside.value == Interval(1.2, 1.5)
    assert beside.notes == {*NOTED, note("mixed_within_row")}


def test_the_record_says_which_precision_ran_on_what(rows: pd.DataFrame) -> None:
    said = answer.official(quantization.by_precision(rows), "Llama")
    assert said.sentence == (
        "Of 5 official results of Llama, 4 say which precision ran: fp4 on B200; fp8 on B200 and H100."
    )
    assert said.value == Interval(4, 4)
    unknown = quantization.by_precision(rows[rows["precision"].eq("")])
    assert answer.official(unknown, "Llama").sentence == "Of 1 official results of Llama, 0 say which precision ran."


def test_nothing_official_says_so(rows: pd.DataFrame) -> None:
    none = quantization.by_precision(rows[rows["origin"].eq("published")])
    assert none.empty and answer.official(none, "Llama").value is None
    alone = quantization.by_precision(rows[rows["accelerator"].eq("H100")])
    for found in (none, alone):
        said = answer.official_gain(found, "Llama")
        assert said.value is None
        assert said.sentence.startswith("No accelerator has official results of Llama at FP8 and")
