"""The planner against InferenceX of July 2026, not used to fit: the median errors of data/blind_check.csv.

The runs are read from the folder shared/ beside the project; without it the check is skipped. `python -m
tests.planner.test_blind_check` makes the table.
"""

import numpy as np
import pandas as pd
import pytest

from analysis import interactivity, names
from analysis.paths import DATA, ROOT
from analysis.planner import curve

RUNS = ROOT.parent / "shared" / "evidence" / "inferencex_2026_07_named.csv"
MODELS = {  # as the runs name them: the label, and the benchmark or the billions of parameters and of active ones
    "dsr1": ("DeepSeek-R1", {"benchmark": "deepseek-r1"}),
    "gptoss120b": ("GPT-OSS 120B", {"benchmark": "gpt-oss-120b"}),
    "glm5": ("GLM-5", {"parameters": 744.0, "active_parameters": 40.0}),
    "kimik2.5": ("Kimi K2.5", {"parameters": 1000.0, "active_parameters": 32.0}),
    "minimaxm2.5": ("MiniMax M2.5", {"parameters": 230.0, "active_parameters": 10.0}),
    "qwen3.5": ("Qwen3.5 397B", {"parameters": 397.0, "active_parameters": 17.0}),
}
SPEEDS = [25.0, 50.0]  # tokens/s per user
LENGTHS = ["prompt_tokens", "answer_tokens"]
KEY = ["model", "accelerator", "precision", *LENGTHS]


def measured():
    """Return the highest output tokens/s per GPU of runs as fast as each of SPEEDS: on one node, none speculating."""
    rows = pd.read_csv(RUNS)
    rows = rows[~rows["disaggregated"] & rows["spec_method"].eq("none")]
    rows = rows[rows["model"].isin(list(MODELS)) & rows["precision"].isin(["fp4", "fp8"])]
    concurrent = rows["concurrency"] * (rows["prompt_tokens"] + rows["answer_tokens"])
    implied = concurrent / rows["answer_tokens"] / rows["median_tpot_ms"] * 1000 / rows["tokens_per_second_per_gpu"]
    rows = rows[implied / rows["decode_tp"] < 2.5]  # rows that contradict themselves
    output = rows["tokens_per_second_per_gpu"] * rows["answer_tokens"] / rows[LENGTHS].sum(axis=1)
    rows = rows.assign(accelerator=rows["hardware"].map(names.accelerator), actual=output)
    fast = [rows[rows["median_tpot_ms"].le(1000 / speed)].assign(speed=speed) for speed in SPEEDS]
    return pd.concat(fast).groupby([*KEY, "speed"], as_index=False)["actual"].max()


def checked():
    """Return what is measured beside what the planner says for the same model, lengths, and precision."""
    found = []
    for key, own in measured().groupby(["model", "precision", *LENGTHS]):
        asked = dict(zip(["model", "precision", *LENGTHS], key, strict=True))
        workload = curve.workload(**MODELS[asked.pop("model")][1], **asked)
        rows = interactivity.runs(workload.grounds)
        at = curve.throughput_at(rows, SPEEDS, accelerators=own["accelerator"].unique(), workload=workload)
        at = at[["accelerator", "interactivity", "throughput"]].rename(columns={"interactivity": "speed"})
        found.append(own.merge(at, on=["accelerator", "speed"]))
    found = pd.concat(found).dropna(subset="throughput")
    return found.assign(model=found["model"].map({key: label for key, (label, _) in MODELS.items()}),
                        error=found["throughput"] / found["actual"] - 1)  # fmt: skip


def table(rows):
    """Return data/blind_check.csv: model, accelerator, cases, and the medians of the error and of its size."""
    groups = rows.groupby(["model", "accelerator"])["error"]
    return groups.agg(cases="count", error="median", size=lambda each: each.abs().median()).round(4).reset_index()


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows():
    if not RUNS.exists():
        pytest.skip(f"no {RUNS}: the blind check needs the runs beside the project")
    return checked()


def test_the_table_is_computed_again(rows):
    pd.testing.assert_frame_equal(table(rows), pd.read_csv(DATA / "blind_check.csv"), check_dtype=False, rtol=1e-3)


def test_every_case_has_a_measured_and_an_estimated_throughput(rows):
    assert len(rows) > 100 and np.isfinite(rows[["actual", "throughput"]]).all(axis=None)


if __name__ == "__main__":
    every = checked()
    table(every).to_csv(DATA / "blind_check.csv", index=False, lineterminator="\n")
    print(len(every), every["error"].median(), every["error"].abs().median(), (every["error"].abs() < 1).mean())
