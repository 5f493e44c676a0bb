"""The best rate per accelerator of each v6.1 benchmark and scenario, computed a second way: from the summary alone."""

import json
import re

import pandas as pd
import pytest

from analysis._core.vocabulary import DATACENTER
from analysis.comparability import selection

SUMMARY = "v6.1_summary.json"
KEYS = ["benchmark", "scenario", "accelerator"]
# MlperfModel of v6.1 that are classes, and other names of a model, by the name of the model that ran.
SAME = {"llama3_1-8b": "llama3.1-8b", "llama2-70b-99.9": "llama2-70b"}


@pytest.fixture(scope="module")
def by_the_summary(shared):
    """The highest Result over accelerators (sockets of a system without), by the names that the summary prints."""
    rows = pd.DataFrame(json.loads((shared / "mlcommons" / SUMMARY).read_text("utf-8")).values())
    rows = rows[
        rows["Division"].eq("closed") & rows["SystemType"].eq("datacenter") & ~rows["Units"].str.contains("Lat")
    ]
    sockets = rows["host_processors_per_node"].astype("float64") * rows["number_of_nodes"].astype("float64")
    count = rows["total_accelerators"].astype("float64").where(rows["accelerator_model_name"].notna(), sockets)
    name = rows["accelerator_model_name"].fillna(rows["host_processor_model_name"]).str.lower()
    rows = rows.assign(rate=rows["Result"].astype("float64") / count, accelerator=name)
    rows = rows.assign(benchmark=rows["Model"].replace(SAME), scenario=rows["Scenario"])
    rows = rows[~name.str.contains(r" \+ | and ")]  # clusters of two types have no figure per accelerator
    return rows.groupby(KEYS)["rate"].max()


@pytest.fixture(scope="module")
def by_the_gate(data):
    asked = [selection.Question("", scenario, ("official",), ("v6.1",)) for scenario in DATACENTER]
    rows = selection.select_each(data, asked).astype({name: "object" for name in KEYS})
    rows["accelerator"] = rows["accelerator_as_published"].str.lower()
    return rows.groupby(KEYS)["as_printed_high"].max()


def test_the_best_rate_of_each_benchmark_scenario_and_accelerator(by_the_summary, by_the_gate):
    assert len(by_the_summary) > 100
    pd.testing.assert_series_equal(by_the_gate, by_the_summary, check_names=False, check_exact=False, rtol=1e-12)


def test_two_types_in_one_cluster_count_for_neither(data):
    rows = data.results[data.results["round"].eq("v6.1")]
    several = rows["accelerator_as_published"].str.contains(r" \+ |\) and ")
    assert rows[several]["accelerator"].eq("mixed").all() and several.sum() == 10
    assert set(rows[several]["accelerator_count"]) == {16, 32}
    assert not rows["accelerator"].str.contains(re.compile("mi300x.*mi355x", re.IGNORECASE)).any()
