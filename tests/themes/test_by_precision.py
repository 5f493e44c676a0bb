"""Official rows by the precision that ran, against hand-computed ratios."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import quantization_tradeoffs as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import quantization

OLD, NEW = (
    {"round": name, "source": f"official {name}", "source_id": f"mlcommons-{name}"} for name in ("v5.1", "v6.0")
)
B200 = NEW | {"accelerator": "B200 SXM", "precision_basis": "declared"}
ROWS = [  # of eight accelerators: 150, 120 and, not on sale, 200 at FP4, 100 and 90 at FP8, 300 at what nobody says
    B200 | {"result_id": "6.0-0001", "precision": "fp4", "low": 960.0, "submitter": "Acme"},
    B200 | {"result_id": "6.0-0002", "precision": "fp4", "low": 1200.0, "submitter": "Best"},
    B200 | {"result_id": "6.0-0003", "precision": "fp4", "low": 1600.0, "availability": "preview"},
    B200 | {"result_id": "6.0-0004", "precision": "fp8", "low": 800.0, "submitter": "Other"},
    B200 | {"result_id": "6.0-0005", "precision": "fp8", "low": 720.0, "precision_basis": "configuration"},
    B200 | {"result_id": "6.0-0006", "precision": "", "low": 2400.0, "precision_basis": "unknown"},
    OLD | {"result_id": "5.1-0007", "precision": "fp8", "low": 240.0, "precision_basis": "configuration"},
    B200 | {"origin": "published", "precision": "fp4", "low": 9000.0, "precision_basis": "document"},
]


@pytest.fixture
def rows(comparable_rows: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    bases = [row["precision_basis"] for row in ROWS]
    return comparable_rows(*ROWS).assign(precision_basis=bases, hypervisor="")


def test_the_fastest_on_sale_of_each_precision_stands_beside_the_fastest_fp8(rows: pd.DataFrame) -> None:
    found = quantization.by_precision(rows)
    assert found["precision"].tolist() == ["unknown", "fp4", "fp8", "fp8"]
    assert found["basis"].tolist() == ["official v6.0"] * 3 + ["official v5.1"]
    fp4, fp8 = found.iloc[1], found.iloc[2]
    assert (fp4["per_accelerator_low"], fp4["results"], fp4["systems"]) == (150.0, 3, 3)
    assert (fp4["gain_low"], fp4["gain_high"], fp4["pairs"]) == (1.5, 1.5, 0)
    assert (fp8["per_accelerator_low"], fp8["known_from"]) == (100.0, "configuration, declared")
    assert found["gain_low"].notna().tolist() == [False, True, False, False]
    assert (fp4["source_ids"], fp4["notes"]) == (("mlcommons-v6.0",), NONE)
    beside = answer.official_gain(found, "LLM")
    assert beside.headline == (
        "On LLM, best against best, FP4 gives 1.5 times the FP8 of B200 SXM (v6.0); 1 of 2 pairs of accelerator and "
        "round ran both."
    )
    assert beside.value == Interval(1.5, 1.5)


def test_a_submitter_of_both_is_a_pair_of_its_own(rows: pd.DataFrame) -> None:
    own = rows.assign(submitter=rows["submitter"].replace({"Other": "Acme"}))
    fp4 = quantization.by_precision(own).iloc[1]
    assert (fp4["pairs"], fp4["pairs_low"], fp4["pairs_high"], fp4["gain_low"]) == (1, 1.2, 1.2, 1.5)


def test_where_only_a_preview_ran_it_says_so(rows: pd.DataFrame) -> None:
    preview = frozenset({note("preview", round="v6.0")})
    kept = rows[rows["result_id"].isin(["6.0-0003", "6.0-0004"])].assign(notes=[preview, NONE])
    fp4 = quantization.by_precision(kept).iloc[0]
    assert (fp4["gain_low"], fp4["notes"]) == (2.0, preview)


def test_the_record_says_which_precision_ran_on_what(rows: pd.DataFrame) -> None:
    said = answer.official(quantization.by_precision(rows), "LLM")
    assert said.headline == (
        "Of 7 official results of LLM, 6 say which precision ran: FP4 on 1 accelerator and FP8 on 2 accelerators."
    )
    assert said.value == Interval(6, 6)
    unknown = quantization.by_precision(rows[rows["precision"].eq("")])
    assert answer.official(unknown, "LLM").headline == "Of 1 official results of LLM, 0 say which precision ran."


def test_nothing_official_says_so(rows: pd.DataFrame) -> None:
    none = quantization.by_precision(rows[rows["origin"].eq("published")])
    assert none.empty and answer.official(none, "LLM").value is None
    alone = quantization.by_precision(rows[rows["round"].eq("v5.1")])
    for found, count in ((none, 0), (alone, 1)):
        said = answer.official_gain(found, "LLM")
        assert said.value is None and f"(0 of {count} pairs of accelerator and round)" in said.headline
