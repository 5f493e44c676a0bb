"""Ceilings by hand: bandwidth at batch 1, memory that holds the weights, dense compute."""

import math

import pandas as pd
import pytest

from analysis import roofline
from analysis.catalog import Catalog
from analysis.interval import Interval

H100 = pd.Series({"fp16_dense_tflops": 989.0, "fp8_dense_tflops": 1979.0, "int8_dense_tops": 1979.0})
H100["fp4_dense_tflops"] = math.nan


@pytest.mark.parametrize(("precision", "gigabytes"), [("fp16", 140.0), ("fp8", 70.0), ("int4", 35.0), ("", 35.0)])
def test_weights_of_70_billion(precision: str, gigabytes: float) -> None:
    assert roofline.weight_gb(70.0, precision) == gigabytes


def test_decode_is_bandwidth_over_bytes_read() -> None:
    assert roofline.decode(3350.0, 140.0, 2) == pytest.approx(47.857142857, rel=1e-9)
    assert roofline.decode(3350.0, 140.0, 2, cache_gb=27.5) == pytest.approx(40.0, rel=1e-12)


@pytest.mark.parametrize(("held", "count"), [(80.0, 1), (80.1, 2), (160.0, 2), (160.1, 3), (1.0, 1)])
def test_accelerators_that_hold_the_weights(held: float, count: int) -> None:
    assert roofline.needed(80.0, held) == count


def test_compute_is_two_operations_per_weight() -> None:
    assert roofline.compute(1979.0, 70.0) == pytest.approx(14_135.714, rel=1e-6)


def test_the_rate_of_the_precision_else_the_fastest_of_the_part() -> None:
    assert roofline.fastest(H100, "fp16") == (989.0, "fp16_dense_tflops")
    assert roofline.fastest(H100, "fp4")[0] == roofline.fastest(H100)[0] == 1979.0
    assert math.isnan(roofline.fastest(H100 * math.nan)[0])


def test_a_mixture_of_experts_works_with_a_part_of_its_weights() -> None:
    assert roofline.active(pd.Series({"parameters_billion": 46.7, "active_parameters_billion": 12.9})) == 12.9
    assert roofline.active(pd.Series({"parameters_billion": 70.0, "active_parameters_billion": math.nan})) == 70.0
    assert roofline.active(pd.Series({"parameters_billion": 70.0})) == 70.0


def test_roofs_rise_with_the_batch_up_to_the_ridge() -> None:
    identity = pd.Series({"parameters_billion": 70.0})
    facts = H100.to_frame().T.assign(accelerator="H100 SXM", memory_gb=80.0, memory_bandwidth_gb_per_s=3350.0)
    wanted = pd.DataFrame({"accelerator": ["H100 SXM"], "precision": ["fp16"]})
    (roof,) = roofline.roofs(facts, identity, wanted).to_dict("records")
    assert (roof["weight_gb"], roof["needed"]) == (140.0, 2)
    assert roof["at_batch_1"] == pytest.approx(23.928571, rel=1e-6)
    assert roof["ridge"] == pytest.approx(roof["flat"] / roof["at_batch_1"], rel=1e-12)
    assert roofline.least_batch(Interval(23.928571, 47.857142), roof["at_batch_1"]).high == pytest.approx(2, rel=1e-6)


def test_no_official_result_is_above_its_compute_ceiling() -> None:
    data = Catalog()
    facts, known = data.accelerators.set_index("accelerator"), data.benchmarks.set_index("benchmark")
    rows = data.results[data.results["origin"].eq("official") & data.results["unit"].eq("tokens/s")]
    sized = rows["benchmark"].isin(known.index[known["parameters_billion"].notna()])
    rows = rows[sized & rows["accelerator"].ne("mixed") & rows["division"].eq("closed")]
    above = []
    for row in rows.to_dict("records"):
        tera, _ = roofline.fastest(facts.loc[row["accelerator"]])
        ceiling = roofline.compute(tera, roofline.active(known.loc[row["benchmark"]]), float(row["accelerator_count"]))
        above += [row["id"]] if row["low"] > ceiling else []
    assert len(rows) > 50
    assert above == []
