"""Official rows by the precision that ran, side by side and from round to round, against hand-computed ratios."""

import pytest

from analysis._core.notes import NONE, note
from analysis.methods import quantization

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
def rows(comparable_rows):
    bases = [row["precision_basis"] for row in ROWS]
    return comparable_rows(*ROWS).assign(precision_basis=bases, hypervisor="")


def test_the_fastest_on_sale_of_each_precision_is_told(rows):
    found = quantization.by_precision(rows)
    assert found["precision"].tolist() == ["unknown", "fp4", "fp8", "fp8"]
    assert found["basis"].tolist() == ["official v6.0"] * 3 + ["official v5.1"]
    fp4, fp8 = found.iloc[1], found.iloc[2]
    assert (fp4["per_accelerator_low"], fp4["results"], fp4["systems"], fp4["submitter"]) == (150.0, 3, 3, "Best")
    assert (fp8["per_accelerator_low"], fp8["known_from"]) == (100.0, "configuration, declared")
    assert (fp4["source_ids"], fp4["notes"]) == (("mlcommons-v6.0",), NONE)


def test_the_lower_precision_stands_over_the_wider_on_one_accelerator_in_one_round(rows):
    (pair,) = quantization.precision_pairs(rows).to_dict("records")
    assert (pair["accelerator"], pair["round"], pair["lower"], pair["higher"]) == ("B200 SXM", "v6.0", "fp4", "fp8")
    assert (pair["speedup_low"], pair["speedup_high"], pair["pairs"]) == (1.5, 1.5, 0)
    assert (pair["higher_systems"], pair["notes"]) == (2, NONE)
    assert (pair["gain_low"], pair["gain_high"]) == (1.2, 1.5)  # both FP4 systems over the fastest at FP8
    alone = rows[~rows["submitter"].eq("Other")]
    (pair,) = quantization.precision_pairs(alone).to_dict("records")
    assert (pair["higher_systems"], pair["notes"]) == (1, {note("single_wider", precision="FP8")})
    own = rows.assign(submitter=rows["submitter"].replace({"Other": "Acme"}))
    (pair,) = quantization.precision_pairs(own).to_dict("records")
    assert (pair["pairs"], pair["pairs_low"], pair["speedup_low"]) == (1, 1.2, 1.5)
    assert (pair["gain_low"], pair["gain_high"]) == (1.2, 1.2)
    assert pair["notes"] == {note("single", of="pair")}


def test_each_precision_stands_beside_the_next_wider_and_none_beside_one_as_wide(comparable_rows):
    """100 at FP16, 150 at FP8, 300 at FP4; in Server INT8 and FP8, which take one byte each."""
    server = {"scenario": "Server"}
    rows = comparable_rows(
        {"precision": "fp4", "low": 2400.0}, {"precision": "fp16", "low": 800.0}, {"precision": "fp8", "low": 1200.0},
        server | {"precision": "fp8"}, server | {"precision": "int8"},
    ).assign(precision_basis="declared")  # fmt: skip
    found = quantization.precision_pairs(rows)
    told = found[["scenario", "lower", "higher", "speedup_low"]].to_numpy().tolist()
    assert told == [["Offline", "fp8", "fp16", 1.5], ["Offline", "fp4", "fp8", 2.0]]
