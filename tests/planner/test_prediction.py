"""Estimates of results left out: what predicts what, by hand; that nothing leaks; and the errors as shipped."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from analysis import tables
from analysis.paths import DATA, ROOT
from analysis.planner import prediction
from analysis.planner.prediction import KNOWN, OTHER_SYSTEM
from analysis.recipes import prediction_errors


def case(place, **changes):
    """A Server case that shares nothing with any other: 500 of 1,000 tokens/s Offline."""
    own = {"benchmark": "gpt-oss-120b", "scenario": "Server", "accelerator_count": 100.0 + place, "bare": True,
           "speed": 12.5, "ceiling": 1.0, "model_share": 1.0, "offline": 1000.0, "rate": 500.0}  # fmt: skip
    texts = ("round", "submitter", "system", "accelerator", "software", "precision", "family", "kind", "rack")
    return own | {name: f"{name} {place}" for name in texts} | changes


def test_the_share_of_others_goes_over_scaled_by_the_decoding_model():
    """The other keeps 0.8 where the model says 0.9: of 2,000 at a model share of 0.45, 0.8 x 0.45 / 0.9 are left."""
    rows = pd.DataFrame([case(1, rate=800.0, model_share=0.9), case(2, offline=2000.0, model_share=0.45)])
    assert prediction.retained_share(rows, rows)[1] == pytest.approx(0.4)
    unknown = rows.assign(model_share=[0.9, np.nan])
    assert prediction.retained_share(unknown, unknown)[1] == pytest.approx(0.8 / 0.9)


@pytest.mark.parametrize(("shared", "times"), prediction.SHARED.items())
def test_what_systems_share_weighs_more(shared, times):
    """One shared property doubles a weight so many times: as much as 2, 4, or 8 others, between whose rates it lies."""
    others = [case(place, rate=300.0) for place in range(2, 2 + 2**times)]
    rows = pd.DataFrame([case(0, **{shared: "same"}), case(1, rate=900.0, **{shared: "same"}), *others])
    assert prediction.retained_share(rows, rows.iloc[:1])[0] == pytest.approx((0.9 * 0.3) ** 0.5)
    assert prediction.retained_share(rows.iloc[:-1], rows.iloc[:1])[0] == pytest.approx(0.9)
    unknown = rows.assign(**{shared: rows[shared].replace("same", "")})
    assert prediction.retained_share(unknown, unknown.iloc[:1])[0] == pytest.approx(0.3)


def test_the_model_s_share_counts_down_to_a_50th():
    """An unknown share counts as 1, none at all as exp(-4)."""
    rows = pd.DataFrame([case(1, rate=800.0, model_share=0.0), case(2, model_share=np.nan)])
    assert prediction.retained_share(rows, rows)[1] == pytest.approx(0.8 * np.exp(4))
    assert np.isnan(prediction.retained_share(rows.iloc[:0], rows)).all()


def test_no_result_of_the_accelerator_counts():
    rows = pd.DataFrame([case(1, rate=900.0, accelerator="a"), case(2, rate=300.0), case(3, accelerator="a")])
    assert prediction.retained_share(rows, rows)[2] == pytest.approx(0.3)
    assert np.isnan(prediction.retained_share(rows[::2], rows)[2])


def test_offline_is_that_of_others_over_the_model_each_accelerator_once():
    """Others give 2 (three systems) and 4 times (one) what the model says: the geometric mean of both."""
    twice = [case(n, scenario="Offline", accelerator="a", rate=200.0, ceiling=100.0) for n in (1, 2, 3)]
    four = case(4, scenario="Offline", accelerator="b", rate=40.0, ceiling=10.0)
    rows = pd.DataFrame([*twice, four, case(5, ceiling=50.0)])
    assert prediction.offline_rates(rows, rows)[-1] == pytest.approx(8**0.5 * 50.0)


def test_errors_are_shares_of_the_actual_throughput():
    """100 for 80, 100, and 125: off by 25%, 0, and 20%."""
    found = pd.DataFrame({"question": KNOWN, "scenario": "Server", "benchmark": "llama2-70b", "predicted": 100.0,
                          "actual": [80.0, 100.0, 125.0, np.nan]})  # fmt: skip
    errors = prediction_errors.prediction_errors(found).set_index("benchmark")
    assert errors.loc["", ["results", "median"]].tolist() == pytest.approx([3, 0.2])
    assert np.isnan(errors.loc["", "p90"]) and errors.loc["llama2-70b", "results"] == 3


def test_a_case_is_a_system_in_a_scenario_with_its_own_offline_throughput(monkeypatch):
    """Two runs of one are their geometric mean; no other round, submitter, system, accelerator, or count is of it."""
    text = """
        round,submitter,system,accelerator,accelerator_count,scenario,rate,availability,hypervisor,speed,software,precision
        v6.1,s,box,B200,8,Offline,1000,available,,,vLLM,fp8
        v6.1,s,box,B200,8,Server,400,available,,30,vLLM,fp4
        v6.1,s,box,B200,8,Server,900,preview,,20,SGLang,fp8
        v6.0,s,box,B200,8,Offline,1,available,,,vLLM,fp8
        v6.1,t,box,B200,8,Offline,1,available,,,vLLM,fp8
        v6.1,s,other,B200,8,Offline,1,preview,,,vLLM,fp8
        v6.1,s,box,H200,8,Offline,1,available,,,vLLM,fp8
        v6.1,s,box,B200,72,Server,100,available,KVM,9,vLLM,fp8"""
    record = {"rate": "rate_per_accelerator", "speed": "tokens_per_second_per_user", "software": "serving_software"}
    rows = pd.read_csv(StringIO(text), skipinitialspace=True).fillna({"hypervisor": ""}).rename(columns=record)
    rows = rows.assign(round=rows["round"].astype("category"), framework="", benchmark="gpt-oss-120b")
    rows = pd.concat([rows, rows[:1].assign(benchmark="llama2-70b")])
    monkeypatch.setattr(prediction, "_results", lambda: rows)
    found = prediction.cases.__wrapped__("gpt-oss-120b")
    assert found["rate"].tolist() == pytest.approx([1000, 600, 1, 1, 1, 1, 100]) and found["model_share"].max() <= 1
    assert found["age"].tolist() == [1, 1, 0, 1, 1, 1, 1] and [*found.index[~found["bare"]]] == [4, 6]
    own = found.loc[[1, 6], ["speed", "software", "precision", "offline", "rack"]].fillna(0).round(6)
    assert own.to_numpy().tolist() == [[30, "vllm", "fp8", 1000, False], [9, "vllm", "fp8", 0, True]]


@pytest.fixture(scope="module")
def predicted():
    return prediction_errors.predictions()


@pytest.fixture(scope="module")
def errors(predicted):
    return prediction_errors.prediction_errors(predicted)


def test_the_shipped_errors_are_those_of_the_record(errors):
    """data/prediction_errors.csv again; `analysis import` makes it anew."""
    shipped = pd.read_csv(DATA / "prediction_errors.csv", keep_default_na=False,
                          na_values={name: [""] for name in ("p90", "low", "middle", "high")})  # fmt: skip
    pd.testing.assert_frame_equal(shipped, errors, check_dtype=False, rtol=1e-4)


def test_errors_are_no_worse_than_they_were(errors):
    """Server 4.2% and 18%, Interactive 8.3% and 21% (median and P90), of at least 500 and 120 results."""
    whole = errors[errors["benchmark"].eq("") & errors["question"].eq(KNOWN)].set_index("scenario")
    assert whole["median"].round(3).to_dict() == {"Server": 0.042, "Interactive": 0.083}
    assert whole["p90"].round(2).to_dict() == {"Server": 0.18, "Interactive": 0.21}
    assert (whole["results"] > pd.Series({"Server": 500, "Interactive": 120})).all()


def test_the_error_is_of_the_benchmark_where_it_has_enough_results():
    """DeepSeek-R1 has 9 in Interactive, so those of all; only another system has errors of Offline."""
    asked = [(KNOWN, "llama2-70b", "Server"), (KNOWN, "deepseek-r1", "Interactive"), (KNOWN, "llama2-70b", "Offline"),
             (OTHER_SYSTEM, "llama2-70b", "Offline")]  # fmt: skip
    found = [prediction.error_of(*each) for each in asked]
    assert [row["benchmark"] for row in found] == ["llama2-70b", "", "llama2-70b", "llama2-70b"]
    assert [row["scenario"] for row in found] == ["Server", "Interactive", "Server", "Offline"]
    assert found[0]["results"] == 194


def test_software_is_the_product_that_serves():
    rows = pd.DataFrame(
        {"serving_software": ["vLLM 0.6.2", "", "", "3.1"], "framework": ["x", "TensorRT-LLM 1", "", "y"]}
    )
    assert prediction.software(rows).tolist() == ["vllm", "tensorrt-llm", "", ""]


def test_estimates_are_of_limits_and_of_offline_where_it_is_unknown():
    """A node of B200 with 1,000 tokens/s Offline, and one without a result; a part without a datasheet has none."""
    names = {"accelerator": ["B200", "H100", "New part"], "offline": [1000.0, np.nan, np.nan]}
    systems = pd.DataFrame(names).assign(
        accelerator_count=np.nan, software="", submitter="", precision="", round="v6.1"
    )
    found = prediction.estimates("gpt-oss-120b", systems).set_index(["accelerator", "scenario"])
    questions = {("B200", "Server"): KNOWN, ("B200", "Interactive"): KNOWN} | {
        ("H100", scenario): prediction.NONE for scenario in ("Offline", "Server", "Interactive")}  # fmt: skip
    assert found["question"].to_dict() == questions and found.loc["B200", "throughput"].lt(1000).all()
    h100 = found.loc["H100"]
    assert h100.at["Offline", "throughput"] == h100["offline"].iloc[0] > h100.at["Server", "throughput"]
    assert h100.at["Offline", "interactivity"] == 0


def test_what_is_left_out_does_not_leak_into_its_prediction(predicted):
    """Three times the limited results of an accelerator leave its own predictions as they are."""
    known = prediction.cases("llama2-70b")
    changed = known["accelerator"].eq("H200") & known["scenario"].ne("Offline")
    tripled = known.assign(rate=known["rate"].where(~changed, 3 * known["rate"]))
    own = changed & known["offline"].notna()
    assert own.sum() > 20
    assert prediction.retained_share(tripled, known[own]) == pytest.approx(prediction.retained_share(known, known[own]))


def test_the_docs_state_the_errors_of_the_file(errors):
    """Each cell of the table in docs/planner.md: median and P90 of so many results."""
    text = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("## Prediction error")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    labels = tables.benchmarks.set_index("benchmark")["label"].to_dict() | {"": "all models"}
    told = {(row[0], row[1], head): cell for row in rows[1:] for head, cell in zip(rows[0][2:], row[2:], strict=True)}
    found = errors[errors["benchmark"].eq("") | errors["question"].eq(KNOWN)]
    found = found[found["scenario"].ne("Offline")]
    for row in found.itertuples():
        p90 = f" and {row.p90:.0%}" if row.p90 > 0 else ""
        assert told[row.question, labels[row.benchmark], row.scenario] == f"{row.median:.1%}{p90} of {row.results}"
    assert sum(cell != "-" for cell in told.values()) == len(found)


def test_the_docs_state_the_blind_check():
    rows = pd.read_csv(DATA / "blind_check.csv")
    cells = "| {model} | {accelerator} | {cases} | {error:+.0%} | {size:.0%} |"
    lines = [cells.format(**row) for row in rows.to_dict("records")]
    text = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("## Blind check")[2]
    assert [line for line in text.splitlines() if line.startswith("| ")][1:] == lines
