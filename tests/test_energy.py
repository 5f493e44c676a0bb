"""Joules by user speed and at part load: small frames with answers by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, tables

CURVE = {
    "model": "A 70B", "accelerator": "B200", "engine": "vLLM", "precision": "fp4", "format": "NVFP4", "speculative": "",
    "prompt_tokens": 8192, "answer_tokens": 1024, "locator": "1", "gpus": 2, "expert_parallel": 1,
}  # fmt: skip


def runs(*rows):
    """Return runs of (concurrency, watts over the rated 1,000, requests over those implied), with joules of 1."""
    frame = pd.DataFrame([{**CURVE, **more, "concurrency": n} | {"w": w, "q": q} for n, w, q, *rest in rows
                          for more in [rest[0] if rest else {}]])  # fmt: skip
    frame["joules_per_output_token"] = 1.0
    frame["output_tokens_per_second_per_gpu"] = 1000.0 * frame["w"]
    speed = 2 * frame["output_tokens_per_second_per_gpu"] * frame["q"] / frame["concurrency"]
    return frame.assign(tpot_ms=1000 / speed)


@pytest.fixture
def shipped(monkeypatch):
    loaded = tables.load

    def use(frame):
        monkeypatch.setattr(tables, "load", lambda name: frame if name == "inferencex_energy" else loaded(name))

    return use


def test_rows_above_rated_watts_or_with_far_fewer_requests_are_left_out(shipped):
    shipped(runs((1, 0.5, 1), (2, 0.6, 1), (4, 1.06, 1), (8, 0.8, 1), (16, 0.8, 2.6), (32, 0.5, 2.5)))
    left_out = evidence.energy(left_out=True)
    assert left_out[["concurrency", "reason"]].values.tolist() == [
        [4, "implies more than rated watts"], [16, "throughput and time per token imply far fewer requests"],
    ]  # fmt: skip
    assert evidence.energy()["concurrency"].tolist() == [1, 2, 8, 32]


def test_a_curve_of_which_a_quarter_is_above_rated_watts_does_not_count(shipped):
    """Of B200 two of four rows are; of H200 (700 W) none, of B300 exactly a quarter, of another model exactly 1 W."""
    h200, b300 = {"accelerator": "H200", "locator": "2"}, {"accelerator": "B300", "locator": "3"}
    rated = tables.accelerators.set_index("label")["power_limit_w"]["B300"] / 1000
    rows = [(n, rated * share, 1, b300) for n, share in ((1, 0.9), (2, 0.9), (4, 0.9), (8, 1.01))]
    rows += [(1, 0.9, 1), (2, 1.01, 1), (4, 1.02, 1), (8, 0.9, 1), (1, 0.5, 1, h200), (1, 1.0, 1, {"model": "B 70B"})]
    shipped(runs(*rows))
    assert evidence.energy().groupby("accelerator").size().to_dict() == {"B200": 1, "B300": 4, "H200": 1}


def test_what_stands_before_a_jump_of_watts_is_left_out(shipped):
    """Watts double from 2 to 4 requests; from 4 to 16 they rise by 1.5 a doubling, and of another by 1.6: no jump."""
    other = {"locator": "2"}
    shipped(
        runs((4, 0.4, 1), (2, 0.2, 1), (1, 0.2, 1), (16, 0.9, 1), (32, 0.5, 1), (1, 0.5, 1, other), (2, 0.8, 1, other))
    )
    assert evidence.energy(left_out=True)["concurrency"].tolist() == [1, 2]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "B 70B"}, {"accelerator": "B300"}, {"engine": "SGLang"}, {"precision": "fp8"}, {"format": "MXFP4"},
        {"speculative": "mtp"}, {"prompt_tokens": 1024}, {"locator": "2"},
    ],
)  # fmt: skip
def test_a_jump_is_within_one_curve_by_rising_requests(shipped, other):
    shipped(runs((4, 0.9, 1, other), (2, 0.3, 1), (1, 0.2, 1)))
    assert evidence.energy(left_out=True).empty


def test_joules_between_two_points_of_a_curve_and_of_a_faster_run():
    """At 50 between 40 (1 J) and 60 (4 J): 2 J. Others have 9 J, or 3 J at 70, B300 nothing but 5 J at 80: bounds."""
    rows = [("B200", "1", 40, 1.0), ("B200", "1", 60, 4.0), ("B200", "2", 70, 3.0), ("B300", "3", 80, 5.0)]
    rows += [("B300", "3", 90, 6.0), ("B200", "6", 40, 9.0), ("B200", "6", 60, 9.0)]
    rows += [("H200", "4", 10, 1.0), ("MI355X", "5", 20, 1.0), ("MI355X", "5", 70, 8.0)]  # slow; too far apart
    frame = pd.DataFrame(rows, columns=["accelerator", "locator", evidence.SPEED, evidence.JOULES])
    frame = frame.assign(**{name: value for name, value in CURVE.items() if name not in frame})
    found = evidence.joules_at(frame, 50, 100_000).set_index("accelerator")  # none is so fast
    assert found["joules"].to_dict() == pytest.approx({"B200": 2.0, "B300": 5.0, "MI355X": 8.0})
    assert found["measured"].to_dict() == {"B200": True, "B300": False, "MI355X": False}
    assert found["n"].to_dict() == {"B200": 5, "B300": 2, "MI355X": 2} and set(found["speed"]) == {50}
    other = frame[frame["accelerator"].eq("B200")].assign(accelerator="B200X")
    other[evidence.JOULES] *= 2
    both = evidence.joules_at(pd.concat([frame, other]), 50).set_index("accelerator")
    assert both["over_best"].to_dict() == pytest.approx({"B200": 1, "B200X": 2, "B300": 2.5, "MI355X": 4})
    assert set(both["rivals"]) == {2}  # a bound is no rival
    two = evidence.joules_at(pd.concat([frame, other.assign(model="C")]), 50)
    assert two.set_index(["model", "accelerator"]).loc[("C", "B200X"), ["over_best", "rivals"]].tolist() == [1, 1]
    at_a_run = evidence.joules_at(frame, 0.1, 40)[["speed", "accelerator", "joules", "measured"]].values.tolist()
    assert [0.1, "B200", 1, False] in at_a_run and [40, "B200", 1, True] in at_a_run
    for speed in (0.09, 100_001):
        with pytest.raises(ValueError, match="tokens/s per user"):
            evidence.joules_at(frame, speed)


def test_part_load_is_over_the_joules_at_the_peak_of_a_curve(shipped):
    """Two curves from 3 J at the peak to 24 J at a tenth, along a line of logarithms, and one to 9.5 J.

    A curve from 0.15 on does not count, nor does one of three points.
    """
    other = {"locator": "2"}
    even = [
        (count, rate, 1, {"locator": "4", "model": "B 70B"}) for count, rate in ((1, 0.1), (2, 0.2), (4, 0.5), (8, 1.0))
    ]
    frame = runs(*even, (1, 0.1, 1), (2, 0.2, 1), (4, 0.5, 1), (8, 1.0, 1), (1, 0.15, 1, other), (2, 0.3, 1, other),
                 (4, 0.6, 1, other), (8, 1.0, 1, other),
                 *[(n, 0.1 * n, 1, {"locator": "3"}) for n in (1, 3, 10)])  # fmt: skip
    frame = pd.concat([frame, frame[4:8].assign(locator="5")], ignore_index=True)
    rates, power = frame[evidence.THROUGHPUT] / 1000, frame["model"].map({"A 70B": -np.log10(8), "B 70B": -0.5})
    frame = frame.assign(**{evidence.JOULES: 3 * rates**power, evidence.THROUGHPUT: 100 * rates})
    shipped(frame.assign(tpot_ms=1000 * frame["concurrency"] / frame[evidence.THROUGHPUT]))
    found = evidence.part_load().query("source == 'InferenceX July 2026'").set_index("load")
    assert found["median"].to_dict() == pytest.approx(
        {load: load ** -np.log10(8) for load in (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)}
    )
    assert found.loc[0.1, ["curves", "models"]].tolist() == [3, 2]
    assert "ML.ENERGY v3" in {*evidence.part_load()["source"]}
    power = evidence.part_load().query("source == 'InferenceX PowerX'")
    assert set(power["curves"]) == {2} and set(power["models"]) == {1}  # two aggregated layouts
