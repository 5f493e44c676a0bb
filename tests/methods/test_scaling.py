"""What larger systems keep, and how far submitters lie apart, computed by hand."""

import pandas as pd
import pytest

from analysis.methods import scaling

TWO, FOUR = {"accelerator_count": 16, "low": 1520.0}, {"accelerator_count": 32, "low": 2880.0}
VENDORS = pd.DataFrame({"accelerator": ["H100 SXM", "Gaudi2"], "vendor": ["NVIDIA", "Intel"]})


def layouts(rows, nodes):
    return scaling.compared(rows.assign(nodes=nodes))


def test_layouts_tell_boxes_racks_and_clusters_apart(comparable_rows):
    """72 GB200 are one rack, 80 are not; an H100 on two nodes is no rack; an unstated node count is one node."""
    rack = {"accelerator": "GB200", "accelerator_count": 72}
    rows = comparable_rows({}, TWO, rack, rack | {"accelerator_count": 80}, {}, {"availability": "preview"})
    found = layouts(rows, [1, 2, 18, 20, None, 1])
    assert found["layout"].tolist() == [
        scaling.BOX,
        scaling.CLUSTER,
        scaling.RACK,
        scaling.CLUSTER,
        scaling.BOX,
    ]


def drawn(rows):
    return scaling.by_size(rows)[["submitter", "accelerator_count", "per_accelerator_low"]].values.tolist()


def test_a_line_over_sizes_is_of_one_submitter_and_precision(comparable_rows):
    """ACME has two sizes of fp8, the faster of its eights counts; Other's single one is faster, and no line."""
    slow, other = {"precision": "fp16", "low": 400.0}, {"submitter": "Other", "low": 1000.0}
    rows = layouts(comparable_rows({"low": 700.0}, TWO, {}, slow, other), [1, 2, 1, 1, 1])
    assert drawn(rows) == [["ACME", 8, 100.0], ["ACME", 16, 95.0]]


def test_of_two_lines_the_one_to_the_largest_system_is_drawn_of_single_sizes_the_fastest(comparable_rows):
    other = {"submitter": "Other"}
    rows = layouts(comparable_rows({}, TWO, other | TWO, other | FOUR), [1, 2, 2, 4])
    assert drawn(rows) == [["Other", 16, 95.0], ["Other", 32, 90.0]]
    single = layouts(comparable_rows({}, other | {"accelerator_count": 4, "low": 500.0}, other | TWO), [1, 1, 2])
    assert drawn(single.head(2)) == [["Other", 4, 125.0]]


def test_the_largest_system_stands_alone_where_no_line_reaches_it(comparable_rows):
    """ACME has two sizes and makes the line; Other's single system of 32 is larger than both."""
    rows = layouts(comparable_rows({}, TWO, FOUR | {"submitter": "Other"}), [1, 2, 4])
    assert drawn(rows) == [["ACME", 8, 100.0], ["ACME", 16, 95.0], ["Other", 32, 90.0]]
    assert scaling.by_size(rows)["alone"].tolist() == [False, False, True]


def test_a_pair_names_the_submitters_of_both_sizes(comparable_rows):
    """ACME has 8 and 16; of 32 there is one of Other alone, over ACME's 16."""
    rows = layouts(comparable_rows({}, TWO, FOUR | {"submitter": "Other"}), [1, 2, 4])
    found = scaling.grown(rows)[["to_count", "submitters", "submitter", "from_submitter"]].values.tolist()
    assert found == [[16, 1, "ACME", "ACME"], [32, 0, "Other", "ACME"]]


def test_the_vendor_stands_beside_the_median_of_the_others(comparable_rows):
    """Others 90 (not their slower 60), 100 and 120, the vendor 110; a group with one other is left out."""
    lows = {"a": 720.0, "b": 800.0, "c": 960.0, "NVIDIA": 880.0}
    like = [{"submitter": name, "low": low} for name, low in lows.items()]
    rows = layouts(comparable_rows(*like, {"submitter": "a", "low": 480.0}, TWO), [1] * 5 + [2])
    (row,) = scaling.spread(rows, VENDORS).to_dict("records")
    ends = [row[name] for name in ("others_low", "others_high", "own_low", "own_high")]
    assert ends == pytest.approx([0.9, 1.2, 1.1, 1.1])
    assert (row["submitters"], row["slowest"], row["vendor"]) == (3, "a", "NVIDIA")
    assert row["second_lowest"] == pytest.approx(1.0)


def test_without_the_vendor_others_are_told_alone(comparable_rows):
    rows = layouts(comparable_rows({"submitter": "a"}, {"submitter": "b"}), [1, 1])
    (row,) = scaling.spread(rows, VENDORS).to_dict("records")
    assert pd.isna(row["own_low"]) and row["submitters"] == 2


@pytest.mark.parametrize(
    ("submitter", "vendor", "own"),
    [
        ("NVIDIA", "NVIDIA", True),
        ("Intel-HabanaLabs", "Intel", True),
        ("Intel_VMware", "Intel", False),
        ("Dell", "NVIDIA", False),
        ("ACME", "", False),
    ],
)
def test_who_is_the_vendor(submitter, vendor, own):
    assert scaling.is_vendor(submitter, vendor) is own
