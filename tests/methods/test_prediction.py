"""Estimates of results left out: what predicts what, by hand; that nothing leaks; and the shipped record."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.paths import ROOT
from analysis._core.vocabulary import LIMITED
from analysis.methods import prediction
from analysis.methods.prediction import ALL, EARLIER, KNOWN, MODEL, NAIVE, NESTED, NEW, NONE, SLOWER, Band

CLOSE = {"rel": 1e-12}
LANGUAGE_MODELS = {"llama2-70b", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1", "gpt-oss-120b"}


def case(place, **changes):
    """A Server case of 1,000 tokens/s Offline that shares nothing with any other but its benchmark."""
    name = f"{place}"
    own = {"benchmark": "llm", "scenario": "Server", "round": f"v{place}.0", "submitter": f"s{name}"}
    own |= {"system": f"box {name}", "system_key": f"key {name}", "accelerator": f"part {name}"}
    own |= {"accelerator_count": 100 + place, "software": f"software {name}", "on_sale": True, "offline": 1000.0}
    own |= {
        "precision": f"p{place}",
        "family": f"f{place}",
        "kind": f"k{place}",
        "rack": f"r{place}",
        "ceiling": 1.0,
        "model_share": 1.0,
    }
    row = own | {"rate": 500.0 + place} | changes
    return {"per_accelerator": row["rate"] / row["accelerator_count"]} | row


def frame(*rows):
    return pd.DataFrame(rows)[[*prediction.CASE, *prediction.DECODED]].astype({"accelerator_count": "Int64"})


def predicted(rows, question=KNOWN, basis=ALL):
    found = prediction.predictions(rows)
    return found[found["question"].eq(question) & found["basis"].eq(basis)]["predicted"].tolist()


def test_a_case_is_one_system_with_its_offline_rate_whatever_it_was_filed_as(comparable_rows):
    one, other = {"result_id": "4.1-1"}, {"result_id": "4.1-2", "accelerator": "mixed"}
    rows = comparable_rows(
        one | {"low": 1000.0},
        one | {"scenario": "Server", "low": 640.0, "accuracy_target": "99"},
        one | {"scenario": "Server", "low": 810.0, "accuracy_target": "99.9"},
        other | {"scenario": "Server", "low": 400.0, "availability": "preview"},
        {"result_id": "4.1-3", "power_measured": True},
    )
    software = ["TensorRT 10.11, CUDA 12.9"] * 3 + ["", "vLLM 0.6.5"]
    rows = rows.assign(framework=software, serving_software=["", "", "", "LLMBoost", ""], hypervisor="")
    offline, server, mixed = prediction.cases(rows).to_dict("records")
    assert (offline["rate"], offline["per_accelerator"], offline["offline"]) == (1000.0, 125.0, 1000.0)
    assert (server["rate"], server["per_accelerator"]) == pytest.approx((720.0, 90.0), **CLOSE)  # sqrt(640 x 810)
    assert (server["offline"], server["software"], server["on_sale"]) == (1000.0, "tensorrt", True)
    assert np.isnan([mixed["per_accelerator"], mixed["offline"]]).all()
    assert (mixed["software"], mixed["on_sale"]) == ("llmboost", False)


def test_no_result_of_its_accelerator_predicts_a_case_but_earlier_ones_do_a_later_round():
    rows = frame(case(1, rate=300.0), case(2, accelerator="x", round="v5.0", rate=900.0),
                 case(3, accelerator="x", round="v6.0", rate=910.0))  # fmt: skip
    assert predicted(rows)[2] == pytest.approx(300.0, **CLOSE)
    assert predicted(rows, basis=EARLIER)[2] == pytest.approx(900.0, **CLOSE)
    assert predicted(rows, basis=NAIVE)[0] == pytest.approx((900.0 * 910.0) ** 0.5, **CLOSE)


def test_the_ratio_goes_over_and_is_scaled_by_the_decoding_model():
    """The other keeps 0.8 where the model says 0.9: of 2,000 at a model share of 0.45 0.8 x 0.5 are left."""
    rows = frame(case(1, rate=800.0, model_share=0.9), case(2, offline=2000.0, model_share=0.45))
    assert predicted(rows)[1] == pytest.approx(800.0, **CLOSE)
    unknown = rows.assign(model_share=[0.9, np.nan])
    assert predicted(unknown)[1] == pytest.approx(2000.0 * 0.8 / 0.9, **CLOSE)


def test_without_a_result_the_offline_rate_is_that_of_others_over_the_model():
    """Others give 2 and 4 times the model Offline; one of three systems weighs a third of its accelerator."""
    part = {"scenario": "Offline", "accelerator_count": 1, "round": "v1.0"}
    twice = [case(place, **part, accelerator="a", rate=200.0, ceiling=100.0) for place in (1, 2, 3)]
    four = case(4, **part, accelerator="b", rate=40.0, ceiling=10.0)
    share = case(5, accelerator="a", rate=500.0)
    target = case(6, accelerator_count=1, ceiling=50.0, rate=1.0)
    found = predicted(frame(*twice, four, share, target), NONE)
    assert found[-1] == pytest.approx((2 * 50 + 4 * 50) / 2 * 0.5, **CLOSE) or found[-1] in (50.0, 100.0)


def test_a_new_system_has_the_median_of_the_systems_most_like_it():
    part = {"accelerator": "H100 SXM", "accelerator_count": 8}
    rows = frame(
        case(1, **part, round="v6.0", rate=808.0),
        case(2, **part, round="v6.0", rate=880.0),
        case(3, **part, round="v5.1", rate=720.0),
        case(4, **part | {"accelerator_count": 4}, round="v6.0", rate=600.0),
        case(5, **part, round="v6.0", rate=1600.0, on_sale=False),
        case(6, **part, round="v4.1", rate=400.0, submitter="s1", system="box 1"),
        case(7),
    )
    # 1: of eight, on sale, v6.0: 110. 2: likewise 101. 3: v6.0 was not there yet, so v4.1. 4: eight is the usual size,
    # as a plan takes it, whatever its own. 5: on sale, v6.0. 6: the first of its accelerator; the same box of another
    # round is none of the others, here and for 1. 7: the only one of its kind.
    expected = [110.0, 101.0, 50.0, 105.5, 105.5, np.nan, np.nan]
    assert predicted(rows, NEW) == pytest.approx(expected, nan_ok=True, **CLOSE)
    assert predicted(rows, NEW, EARLIER)[:2] == pytest.approx([90.0, 90.0], **CLOSE)
    assert predicted(rows, NEW, NAIVE)[0] == pytest.approx((110.0 + 150.0) / 2, **CLOSE)


def test_a_slower_scenario_and_another_benchmark_are_scaled_by_the_model():
    """400 in Server at a share of 0.8 are 250 at 0.5; 500 of a model that allows 1,000 are half of 2,000 too."""
    own = {"system_key": "k", "accelerator": "a", "accelerator_count": 1}
    server = case(1, **own, rate=400.0, model_share=0.8)
    rows = frame(server, case(2, **own, scenario="Interactive", model_share=0.5))
    assert predicted(rows, SLOWER) == pytest.approx([250.0], **CLOSE)
    other = case(3, **own | {"system_key": "m"}, benchmark="b", rate=500.0, ceiling=1000.0)
    rows = frame(other, case(4, **own, ceiling=2000.0), case(5, benchmark="far", ceiling=9e9))
    assert predicted(rows, MODEL)[:2] == pytest.approx([504.0 / 2000 * 1000, 1000.0], **CLOSE)


def test_weights_are_chosen_on_other_rounds_than_they_are_judged_on():
    """With one round there is nothing to choose on."""
    old = [case(place, round="v5.1") for place in range(1, 5)]
    assert np.isnan(predicted(frame(*old), KNOWN, NESTED)).all() and not np.isnan(predicted(frame(*old))).any()
    both = frame(*old, *(case(place, round="v6.0") for place in range(5, 8)))
    assert not np.isnan(predicted(both, KNOWN, NESTED)).any()


def factors(benchmark, scenario, values, question=NEW):
    rows = pd.DataFrame({"question": question, "benchmark": benchmark, "scenario": scenario, "factor": values})
    return rows.assign(basis=ALL)


def test_a_range_is_that_of_the_other_cases_and_of_the_nearest_kind_that_has_enough():
    """Of nine others the lowest and the highest are the tenth and the ninetieth percentile."""
    ten = [0.5, 0.7, 0.8, 0.9, 1.0, 1.0, 1.1, 1.2, 1.3, 1.5]
    few = factors("b", "Server", [2.0, 3.0]), factors("b", "Interactive", [4.0]), factors("c", "Interactive", [5.0])
    rows = pd.concat([factors("a", "Server", ten), *few, factors("a", "Server", [9.0] * 10, KNOWN)], ignore_index=True)
    band = prediction.ranges(rows)
    assert (band.low[0], band.high[0]) == pytest.approx((0.7, 1.5), **CLOSE)
    assert (band.low[9], band.high[9]) == pytest.approx((0.5, 1.3), **CLOSE)
    # b has three cases under limits, so all of Server represent it; in Interactive there are only two of all.
    assert prediction.pool(rows, "b", "Server", NEW).sum() == 12
    assert prediction.pool(rows, "b", "Interactive", NEW).sum() == 3 and np.isnan(band.low[12])
    known = prediction.band(rows, "a", "Server", NEW)
    assert (known.cases, known.factors) == (10, Interval(pytest.approx(0.52), pytest.approx(1.48)))  # at 1.1 and 9.9
    unknown = prediction.band(rows, "c", "Interactive", NEW)
    assert unknown.cases == 1 and not unknown.factors.known
    limited = pd.concat([factors("a", "Server", [1.0] * 9), factors("a", "Interactive", [2.0])], ignore_index=True)
    assert prediction.pool(limited, "a", "Interactive", NEW).sum() == 10  # its other limit too
    others = pd.concat([limited, factors("c", "Interactive", [3.0] * 9)], ignore_index=True)
    assert prediction.pool(others, "a", "Interactive", NEW).tolist() == others["scenario"].eq("Interactive").tolist()
    of_models = prediction.pool(others.assign(question=MODEL), "a", "Interactive", MODEL)
    assert of_models.tolist() == others["benchmark"].eq("a").tolist()


def test_what_is_drawn_has_the_factors_as_its_tenth_and_ninetieth_percentile():
    """A tenth of the way from a third to 100, on a scale of factors, is at 10 ** (-0.5 + 0.25)."""
    drawn = Band(Interval(10**-0.25, 10**1.75), 20).drawn
    assert (drawn.low, drawn.high) == pytest.approx((10**-0.5, 100.0), **CLOSE)
    assert not Band(Interval(np.nan, np.nan), 3).drawn.known


def test_errors_say_how_many_could_be_predicted_and_a_mean_weighs_each_model_alike():
    part = {"accelerator": "H100 SXM", "accelerator_count": 8, "round": "v1.0"}
    many = [case(place, **part, rate=100.0 * place) for place in (1, 2, 4)]
    few = [case(place, **part, benchmark="other", rate=rate) for place, rate in ((5, 100.0), (6, 300.0))]
    errors = prediction.errors(prediction.predictions(frame(*many, *few, case(7))))
    of = errors[errors["question"].eq(NEW) & errors["basis"].eq(ALL)].set_index("benchmark")
    assert of.loc[["", "llm", "other"], "systems"].tolist() == [5, 3, 2] and of.at["", "of_systems"] == 6
    assert of.at[prediction.MODELS, "median"] == pytest.approx(of.loc[["llm", "other"], "median"].mean(), **CLOSE)
    assert np.isnan(of.at["", "p90"]) and np.isnan(of.at["", "held"])


@pytest.fixture(scope="module")
def shipped(data):
    return prediction.predictions_of_record(data)


@pytest.fixture(scope="module")
def shipped_errors(data):
    return prediction.errors_of_record(data).set_index(["question", "basis", "scenario", "benchmark"])


def test_what_was_left_out_does_not_leak_into_its_prediction(data, shipped):
    """Other results of an accelerator leave the predictions that leave them out as they are.

    Limited ones where its Offline rates are known, all of them where no result of it is.
    """
    cases = prediction.record(data).copy()

    def of(rows, accelerator, benchmark):
        return rows["accelerator"].eq(accelerator) & rows["benchmark"].eq(benchmark)

    limited, every = ("H200 SXM", "llama2-70b"), ("GB300", "gpt-oss-120b")
    changed = of(cases, *every) | of(cases, *limited) & cases["scenario"].isin(LIMITED)
    cases.loc[changed, ["rate", "per_accelerator"]] *= 3.0
    after = prediction.predictions(cases)
    for side, question in ((limited, KNOWN), (limited, NONE), (every, NONE)):
        told = of(shipped, *side) & shipped["question"].eq(question) & shipped["basis"].eq(ALL)
        assert told.sum() > 5
        assert after.loc[told, "predicted"].tolist() == pytest.approx(shipped.loc[told, "predicted"].tolist())
        assert after.loc[told, "actual"].tolist() == pytest.approx((3.0 * shipped.loc[told, "actual"]).tolist())


def test_ranges_on_the_shipped_record_hold_what_they_promise(shipped, shipped_errors):
    whole = shipped_errors.xs("", level="benchmark")
    plans = whole[whole.index.isin([KNOWN, NONE, NEW], 0) & whole.index.isin([ALL, EARLIER], 1)]
    assert len(plans) == 12 and plans["held"].between(0.75, 0.85).all(), plans["held"]
    told = shipped[shipped["low"].notna()]
    assert told["held"].eq((told["actual"] >= told["low"]) & (told["actual"] <= told["high"])).mean() > 0.999
    assert set(told["benchmark"]) == LANGUAGE_MODELS


def test_docs_state_the_prediction_errors(data, shipped_errors):
    """The table of docs/planner.md is that of the record, and so is the share of cases within their range."""
    section = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("\n## Prediction error\n\n")[2]
    section = section.partition("\n## ")[0]
    told = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    errors = prediction.errors_of_record(data)
    table = prediction.table(errors, {name: data.label(name) for name in errors["benchmark"]})
    lines = "\n".join(f"| {' | '.join(row)} |" for row in table.to_numpy().tolist())
    assert told[0] == list(prediction.HEADS.values()) and told[2:] == table.to_numpy().tolist(), lines
    held = shipped_errors.xs("", level="benchmark").xs(ALL, level="basis").loc[[KNOWN, NONE, NEW], "held"]
    assert f"holds {100 * held.min():.0f}% to {100 * held.max():.0f}% of the cases" in " ".join(section.split())
    late = shipped_errors.xs("", level="benchmark").xs(EARLIER, level="basis").loc[[KNOWN, NONE, NEW], "held"]
    assert f"from earlier rounds only {100 * late.min():.0f}% to {100 * late.max():.0f}%" in " ".join(section.split())
    assert f"since {prediction.SINCE} " in section


def test_published_errors_are_those_of_a_second_computation(data, shipped_errors):
    """The prediction rule again, in plain Python, one case at a time."""
    rows = [row for row in prediction.record(data).to_dict("records") if row["scenario"] == "Interactive"]
    rows = [row | {"base": float(np.nan_to_num(np.log(row["model_share"])))} for row in rows]
    off = []
    for row in (row for row in rows if row["offline"] == row["offline"]):
        weighted = []
        for other in rows:
            is_other = other["benchmark"] == row["benchmark"] and other["accelerator"] != row["accelerator"]
            if is_other and other["offline"] == other["offline"]:
                weight = 2 ** sum(times for name, times in prediction.SHARED.items() if row[name] == other[name] != "")
                weighted.append((np.log(other["rate"] / other["offline"]) - other["base"], weight))
        half, passed, ends = sum(weight for _, weight in weighted) / 2, 0, []
        for ratio, weight in sorted(weighted):
            if passed <= half <= passed + weight:
                ends.append(ratio)
            passed += weight
        off.append(abs(row["offline"] * np.exp(np.mean(ends) + row["base"]) / row["rate"] - 1))
    published = shipped_errors.loc[(KNOWN, ALL, "Interactive", "")]
    assert [published["systems"], published["median"], published["p90"]] == pytest.approx(
        [len(off), np.median(off), np.quantile(off, 0.9)], rel=1e-9
    )


def test_an_unknown_benchmark_is_refused_with_the_valid_ones(data):
    with pytest.raises(ValueError, match=r"'gpt-5'.*llama2-70b"):
        prediction.gathered(data, ["gpt-5"])


def test_errors_of_the_record_reach_what_they_aim_at(shipped_errors):
    """Median and P90 with Offline known and no result of the accelerator; better than the median of the others."""
    for scenario, median, p90 in (("Interactive", 0.09, 0.25), ("Server", 0.045, 0.18)):
        own, naive = (shipped_errors.loc[(KNOWN, basis, scenario, "")] for basis in (ALL, NAIVE))
        assert own["median"] < median and own["p90"] < p90 and own["systems"] > 100
        assert own["median"] < 0.75 * naive["median"] and own["p90"] < 0.6 * naive["p90"]
        nested = shipped_errors.loc[(KNOWN, NESTED, scenario, "")]
        assert nested["median"] < 1.1 * own["median"] and nested["p90"] < 1.1 * own["p90"]
    earlier = shipped_errors.loc[(KNOWN, EARLIER, "Server", "")]
    assert earlier["median"] < 0.07 and earlier["p90"] < 0.26
