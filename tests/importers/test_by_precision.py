"""Official rows by the precision that ran, against hand-computed ratios."""

import pandas as pd
import pytest

from analysis import quantization
from analysis.answers import quantization_tradeoffs as answer

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
    same = {"basis": "official v5.1", "source_id": "s", "caveat": ""}
    return frame.assign(per_accelerator_high=frame["per_accelerator_low"], **same)


def test_each_precision_of_an_accelerator_beside_its_fp8(rows: pd.DataFrame) -> None:
    found = quantization.by_precision(rows).set_index(["accelerator", "precision"])
    fp4 = found.loc[("B200", "fp4")]
    assert (fp4["results"], fp4["gain_low"], fp4["gain_high"], fp4["known_from"]) == (2, 1.2, 1.5, "declared")
    assert found.loc[("B200", "unknown"), "gain_low"] != found.loc[("B200", "unknown"), "gain_low"]
    assert found["gain_low"].notna().sum() == 1 and len(found) == 4
    said = answer.official(found.reset_index(), "Llama").sentence
    assert said == (
        "Of 5 official results of Llama, 4 say which precision ran; "
        "fp4 on B200 gives 1.2 to 1.5 times its FP8 results (official v5.1, declared)."
    )


def test_nothing_official_says_so(rows: pd.DataFrame) -> None:
    none = quantization.by_precision(rows[rows["origin"].eq("published")])
    assert none.empty and answer.official(none, "Llama").low is None
    assert (
        "say which precision ran; no accelerator"
        in answer.official(quantization.by_precision(rows[rows["accelerator"].eq("H100")]), "Llama").sentence
    )
