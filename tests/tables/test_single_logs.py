"""Single results of v5.0 and v6.1 against what their own logs say.

Each log was read by itself, for the trees cannot be had. The figures are those of mlperf_log_summary.txt (or of
report.txt, for a run of Endpoints) in its own digits: of v6.1 at commit 5174fca of intel-ai-tce/inference_results_v6.1,
a fork of the round's repository, of v5.0 at commit cf35411 of ntuhpc/mlperf_inference_results_v5.0, a copy of it.
"""

from pathlib import Path

import pandas as pd
import pytest

LOGS = pd.read_csv(Path(__file__).with_name("single_logs.csv"), dtype="str", keep_default_na=False)
V61, V50 = (LOGS[LOGS["round"].eq(name)].to_dict("records") for name in ("v6.1", "v5.0"))
DIGITS = 5e-6  # half a unit of the sixth digit, which is the last of the round's summary
ROUNDING = 1e-9  # of the ends of a range in binary
FILED_AS = {"llama3_1-405b": "llama3.1-405b", "resnet50": "resnet"}  # folder -> column of the table of v5.0


@pytest.mark.parametrize("log", V61, ids=lambda log: log["run"])
def test_a_result_is_what_its_own_log_says(data, log):
    """To the digits of both."""
    rows = data.results[data.results["location"].eq(f"closed/{log['run']}") & data.results["round"].eq("v6.1")]
    half_a_unit = 0.5 * 10.0 ** -len(log["figure"].partition(".")[2])
    assert rows["low"].tolist() == pytest.approx([float(log["figure"])], rel=DIGITS, abs=half_a_unit)


@pytest.mark.parametrize("log", V50, ids=lambda log: log["run"])
def test_a_rounded_result_holds_what_its_own_log_says(data, log):
    *_, model, scenario = log["run"].split("/")
    if "interactive" in model and scenario == "Server":
        scenario = "Interactive"
    rows = data.results[data.results["round"].eq("v5.0") & data.results["result_id"].eq(log["result_id"])]
    rows = rows[rows["model_run"].eq(FILED_AS.get(model, model)) & rows["scenario"].eq(scenario)]
    (row,) = rows.to_dict("records")
    assert row["low"] - ROUNDING <= float(log["figure"]) <= row["high"] + ROUNDING


def test_the_note_on_v5_0_counts_them(data):
    submitters = {log["run"].split("/")[0] for log in V50}
    note = data.rounds.set_index("round").at["v5.0", "note"]
    assert f"{len(V50)} results of {len(submitters)} submitters agree with their own logs" in note
