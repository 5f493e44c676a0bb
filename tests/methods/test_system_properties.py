"""Systems of one kind make a range: on sale and bare, of one size and round; the others are told apart."""

import pandas as pd
import pytest

from analysis.methods import system_properties


def test_a_system_is_on_sale_virtualized_or_not_yet_on_sale(comparable_rows):
    said = ["available", "", "preview", "rdi", "available", "preview"]
    rows = comparable_rows(*({"availability": each} for each in said))
    assert system_properties.kind(rows).tolist() == ["available", "available", "preview", "rdi", "available", "preview"]
    rows = rows.assign(hypervisor=["", "", "", "", "VMware vSphere", "VMware vSphere"])
    assert system_properties.kind(rows).tolist() == [
        "available",
        "available",
        "preview",
        "rdi",
        "virtualized",
        "preview",
    ]


PLAIN = {"round": "v4.1"}


@pytest.mark.parametrize(
    "other",
    [{"availability": "preview"}, {"availability": "rdi"}, {"accelerator_count": 1}, {"accelerator_count": 16},
     {"round": "v4.0"}],
)  # fmt: skip
def test_a_system_of_another_kind_is_not_in_the_range(comparable_rows, other):
    rows = comparable_rows(PLAIN, PLAIN | other, PLAIN | other)
    assert system_properties.alike(rows)["id"].tolist() == ["r0"]
    assert system_properties.alike(rows.tail(2))["id"].tolist() == ["r1", "r2"]


def test_the_usual_size_is_that_of_any_round(comparable_rows):
    rows = comparable_rows(PLAIN, {"round": "v5.1", "accelerator_count": 16}, {"round": "v5.1"})
    assert system_properties.of_usual_size(rows)["id"].tolist() == ["r0", "r2"]
    assert system_properties.of_usual_size(comparable_rows()).empty


def test_official_systems_are_counted_once_and_each_figure_of_a_document(comparable_rows):
    one, paper = {"result_id": "4.1-0001"}, {"origin": "published"}
    rows = comparable_rows(one, one | {"accuracy_target": "99"}, {"result_id": "4.1-0002"}, paper, paper)
    assert system_properties.counted(rows) == 4


@pytest.mark.parametrize(
    ("counts", "nodes", "size"),
    [([8], [1], 8), ([72], [18], 4), ([8, 4], [None, None], 4), ([87], [11], 8), ([], [], 8), ([1], [1], 1)],
)
def test_a_node_has_as_many_accelerators_as_those_of_the_systems(counts, nodes, size):
    """Of 72 on eighteen nodes each has four; what divides into no whole nodes tells nothing."""
    rows = pd.DataFrame({"accelerator_count": counts, "nodes": nodes}).astype("Int64")
    assert system_properties.node(rows) == size
    assert system_properties.node(rows.drop(columns="nodes").head(1)) == (counts[0] if counts else 8)


def test_software_is_what_served_else_the_framework():
    rows = pd.DataFrame({"serving_software": ["vLLM", "", None], "framework": ["PyTorch", "TensorRT 10", None]})
    assert system_properties.software(rows).tolist() == ["vLLM", "TensorRT 10", ""]
    assert system_properties.software(rows[["framework"]]).tolist() == ["PyTorch", "TensorRT 10", ""]
    assert system_properties.software(rows[[]]).tolist() == ["", "", ""]
