"""The decoding model by hand, on one model of round numbers, and the datasheets that it reads."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from analysis.planner import decoding
from analysis.planner.models import Lengths, Model

MODEL = {"benchmark": "llama2-70b", "name": "M", "parameters": 8.0, "active": 8.0, "layers": 1.0, "cached": 1e6,
         "windowed_layers": 0.0, "window_tokens": 0.0, "attended": 0.0}  # fmt: skip
LENGTHS = {
    "prompt": 1.0,
    "answer": 1000.0,
    "context": 500.0,
    "whole": 1000.0,
    "long_prompt": 1.0,
    "squared": 1.0,
}  # 0.5 GB a request
READ, COMPUTED = 0.6 * 3350, 0.4 * 1979e12  # GB/s and operations/s of an H100 in FP8, of 80 GB
OVERHEAD = 20e-6


def curve(speeds, group=1, accelerator="H100", lengths=None, **model):
    """Tokens/s per accelerator at each speed, and the roof."""
    setup = pd.DataFrame({"accelerator": [accelerator] * len(speeds), "weights": "fp8", "group": group})
    asked = Model(**MODEL | model), Lengths(**LENGTHS | (lengths or {}))
    return decoding.rates(setup, *asked, pd.Series(speeds)), decoding.roofs(setup, *asked)[0]


def test_the_largest_batch_reads_weights_and_kv_cache():
    """Beside 8 of 72 GB 128 requests of 0.5 GB; two as one hold 272 and lose the time of a layer twice.

    A prompt of one token adds 16e9 operations to each 1,000 tokens.
    """
    prefill = 16e6 / COMPUTED
    one = 128 / (72 / READ + OVERHEAD + 128 * prefill)
    two = 272 / (144 / (2 * READ) + 2 * OVERHEAD + 272 * prefill / 2) / 2
    assert curve([0.0])[0] == pytest.approx([one])
    assert curve([0.0], group=2)[0] == pytest.approx([two])
    assert curve([0.0], group=3)[0] > two  # groups of 1, 2, and all 3
    # Of 60 GB two groups of 2 hold 168 requests each; layers take so long that all 4 with 456 are slower.
    found, _ = curve([0.0], group=4, parameters=60.0, active=60.0, layers=2500.0, cached=400.0)
    layers = 2 * 2500 * OVERHEAD
    assert found == pytest.approx([168 / (144 / (2 * READ) + layers + 168 * 120e6 / COMPUTED / 2) / 2])


def test_a_step_takes_the_slower_of_reading_and_computing():
    """A hundredth of the KV cache: 12,800 requests, whose 0.26 s of computing take longer than reading 72 GB."""
    prompts = 1000 * 16e9 + 4 * 8192 * 3e6 / 2  # of 1,000 tokens whose mean square is 3e6
    batch = 12_800 * (16e9 + prompts / 1000) / COMPUTED
    found, _ = curve([0.0], cached=1e4, attended=8192.0, lengths={"prompt": 1000.0, "squared": 3e6})
    assert found == pytest.approx([12_800 / (batch + OVERHEAD)])
    found, _ = curve([0.0], cached=1.0, layers=1000.0)  # a step takes 2 s at most, also without a limit
    assert found == pytest.approx([(2 - 1000 * OVERHEAD) / (16.016e9 / COMPUTED) / 2], rel=1e-5)


def test_of_a_mixture_only_the_experts_of_some_token_are_read():
    """Two requests at a quarter of 8 GB each read 1 - 0.75^2 of it."""
    found, _ = curve([0.0], active=2.0, cached=64e6)
    step = (8 * (1 - 0.75**2) + 64) / READ + OVERHEAD + 2 * 4e6 / COMPUTED
    assert found == pytest.approx([2 / step])


def test_faster_users_get_the_largest_batch_that_keeps_their_pace():
    """At a step of 1/speed the batch fills the time: (1/speed - overhead) = (8 + batch / 2) / READ + its prefill."""
    speeds = 0.5 * 20_000 ** (np.array([120, 159]) / 259)  # 49 and 218 tokens/s, of the 260 speeds of a curve
    batch = (1 / speeds - OVERHEAD - 8 / READ) / (0.5 / READ + 16e6 / COMPUTED)
    assert batch.round(1).tolist() == [65.7, 2.3]
    assert curve(speeds)[0] == pytest.approx(batch * speeds, rel=1e-5)


def test_faster_than_a_batch_of_one_throughput_falls_evenly_to_nothing():
    """Alone at a bit less than 60% of the bandwidth, nothing at all of it."""
    end = 3350 / 8
    alone = 1 / (1 / (0.6 * end) + OVERHEAD)
    found, roof = curve([(alone + end) / 2, (alone + 3 * end) / 4, 2 * end], cached=1.0)
    assert found == pytest.approx([alone / 2, alone / 4, 0.0], rel=0.02)
    assert roof == pytest.approx(end, rel=1e-6)
    assert curve([0.0], group=2, cached=1.0)[1] == pytest.approx(2 * end, rel=1e-6)
    # Layers take most of the time: twice a batch of one, whatever prompts come with it.
    _, roof = curve([0.0], cached=1.0, layers=1000.0, lengths={"prompt": 1e5})
    assert roof == pytest.approx(2 / (1 / (0.6 * end) + 0.02), rel=1e-3)


def test_what_does_not_fit_or_is_unknown_has_no_curve():
    asked = [{"parameters": 72.0, "active": 72.0}, *({"accelerator": part} for part in ("A100 PCIe", "New part"))]
    for unknown in [curve([0.0, 5.0], **each) for each in asked]:
        assert np.isnan(unknown[0]).all() and np.isnan(unknown[1])
    assert curve([0.0], parameters=71.5, active=71.5)[0] > 0  # of 72 GB just one request is left


def test_setups_have_the_stated_precision_below_16_bits_and_whole_nodes_or_racks():
    stated = {
        ("B200", "", 8): ("fp4", 8), ("B200", "fp8", 8): ("fp8", 8), ("H100", "fp16", 16): ("fp8", 8),
        ("A100", "", 4): ("int8", 4), ("A100", "int4", 8): ("int4", 8), ("GB300", "fp4", np.nan): ("fp4", 72),
        ("New part", "bf16", np.nan): ("fp16", 8), ("Gaudi2", "", 8): ("fp16", 8),
    }  # fmt: skip
    accelerators, precisions, counts = map(pd.Series, zip(*stated, strict=True))
    found = decoding.setups(accelerators, precisions, counts)
    assert [*found[["weights", "group"]].itertuples(index=False, name=None)] == [*stated.values()]


def test_weights_are_computed_in_the_fastest_format_that_there_is():
    """H100 computes FP4 in FP8, A100 FP8 in FP16 and INT4 in INT8, Gaudi2 everything in FP16."""
    rows = [("H100", "fp4", 1979), ("A100", "fp8", 312), ("A100", "int4", 624), ("B200", "fp16", 2250),
            ("B200", "fp4", 9000), ("A100", "fp4", 312), ("A100", "int8", 624), ("B300", "int8", 2250),
            ("B300", "int4", 4500), ("Gaudi2", "int4", 432), ("New part", "fp8", np.nan)]  # fmt: skip
    systems = pd.DataFrame(rows, columns=["accelerator", "weights", "tflops"])
    assert decoding.peak_tflops(systems) == pytest.approx(systems["tflops"].to_numpy(), nan_ok=True)


def test_better_is_what_no_figure_of_the_datasheet_contradicts():
    """The FP4 rate of MI350P is unknown, so only its own family is better. Racks and nodes are apart."""
    pairs = decoding.ordered()
    better = pairs.groupby("worse")["better"].agg(set)
    assert better["MI350P"] == {"MI350X", "MI355X"} and {"H200", "B200"} < better["H100"]
    assert "GB300" in better["GB200"] and better["B200"].isdisjoint({"GB200", "GB300", "MI355X"})
    assert not pairs["worse"].eq(pairs["better"]).any() and "L4" not in set(pairs["better"])


def test_better_is_more_in_no_less_of_the_same_vendor_and_kind(monkeypatch):
    """Twice in all figures, or what is known of them; not the same, nor half in one figure, nor unknown in FP8."""
    text = """label,vendor,kind,family,memory_gb,memory_bandwidth_gb_per_s,fp16,fp8,fp4,rack_accelerators
        base,V,gpu,F,1,1,1,1,1,
        same,V,gpu,F,1,1,1,1,1,
        twice,V,gpu,F,2,2,2,2,2,
        one figure,V,gpu,F,1,1,1,1,2,
        unknown FP16,V,gpu,F,2,2,,2,2,
        memory,V,gpu,F,0.5,2,2,2,2,
        bandwidth,V,gpu,F,2,0.5,2,2,2,
        FP16,V,gpu,F,2,2,0.5,2,2,
        FP8,V,gpu,F,2,2,2,0.5,2,
        FP4,V,gpu,F,2,2,2,2,0.5,
        unknown memory,V,gpu,F,,2,2,2,2,
        unknown bandwidth,V,gpu,F,2,,2,2,2,
        unknown FP8,V,gpu,F,2,2,2,,2,
        other vendor,W,gpu,F,2,2,2,2,2,
        other kind,V,soc,F,2,2,2,2,2,
        rack,V,gpu,F,2,2,2,2,2,72"""
    sheets = pd.read_csv(StringIO(text), skipinitialspace=True).assign(fp4_dense_tflops=np.nan).set_index("label")
    monkeypatch.setattr(decoding, "sheets", lambda: sheets)
    pairs = decoding.ordered.__wrapped__()
    assert set(pairs.loc[pairs["worse"].eq("base"), "better"]) == {"twice", "one figure", "unknown FP16"}
