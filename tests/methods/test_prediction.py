"""Predictions of results left out: what predicts what, by hand; that nothing leaks; and the shipped record."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.paths import OFFICIAL, ROOT
from analysis._core.vocabulary import LIMITED, round_age
from analysis._tables.catalog import Catalog
from analysis.methods import benchmark_rules, prediction, system_properties
from analysis.methods.prediction import KNOWN, NEW, Band

Rows = Callable[..., pd.DataFrame]
CLOSE = {"rel": 1e-12}
LANGUAGE_MODELS = {"llama2-70b", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1", "gpt-oss-120b"}


def case(place: int, **changes: object) -> dict[str, object]:
    """A Server case of 1,000 tokens/s Offline that shares nothing with any other but its benchmark."""
    name = f"{place}"
    own = {"benchmark": "llm", "scenario": "Server", "round": f"v{place}.0", "submitter": f"s{name}"}
    own |= {"system": f"box {name}", "system_key": f"key {name}", "accelerator": f"part {name}"}
    own |= {"accelerator_count": place, "software": f"software {name}", "on_sale": True, "offline": 1000.0}
    row = own | {"rate": 500.0 + place} | changes
    return {"per_accelerator": row["rate"] / row["accelerator_count"]} | row


def frame(*rows: Mapping[str, object]) -> pd.DataFrame:
    text = dict.fromkeys(
        ("benchmark", "scenario", "round", "submitter", "system", "system_key", "accelerator", "software"), "str"
    )
    return pd.DataFrame(rows)[prediction.CASE].astype(text | {"accelerator_count": "Int64"})


def predicted(rows: pd.DataFrame, name: str = "predicted") -> list[float]:
    return prediction.known(rows)[name].tolist()


def test_a_case_is_one_system_with_its_offline_rate_whatever_it_was_filed_as(comparable_rows: Rows) -> None:
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


def test_the_ratio_of_a_like_system_outweighs_that_of_others() -> None:
    """Weights by hand. Of A: B has part, round, number (4^4), C submitter, round, number (4^3): 0.9, the heavier.

    Of B: A 4^4, C 4^2: 0.8. Of C: A 4^3, B 4^2: 0.8. Naively each has the middle of the two others.
    """
    same = {"round": "v5.1", "accelerator_count": 8}
    rows = frame(
        case(1, **same, accelerator="H100 SXM", submitter="ACME", rate=800.0),
        case(2, **same, accelerator="H100 SXM", rate=900.0),
        case(3, **same, submitter="ACME", rate=500.0, offline=1000.0),
    )
    assert predicted(rows) == pytest.approx([900.0, 800.0, 800.0], **CLOSE)
    assert predicted(rows, "naive") == pytest.approx([700.0, 650.0, 850.0], **CLOSE)
    assert predicted(rows, "stranger") == pytest.approx([900.0, 800.0, 900.0], **CLOSE)
    twice = rows.assign(offline=[1000.0, 2000.0, 1000.0], rate=[800.0, 1800.0, 500.0])
    assert predicted(twice) == pytest.approx([900.0, 1600.0, 800.0], **CLOSE)  # a ratio goes over, no rate


@pytest.mark.parametrize(("name", "others"), [("accelerator", 15), ("submitter", 3), ("software", 3), ("round", 3),
                                              ("accelerator_count", 3)])  # fmt: skip
def test_each_thing_in_common_weighs_fourfold_and_the_accelerator_twice(name: str, others: int) -> None:
    """A system that shares one thing weighs as much as four, or sixteen, that share nothing."""
    target, like = case(50), case(51, rate=900.0)
    like[name] = target[name]
    apart = [case(place, rate=100.0 + place) for place in range(1, others + 1)]
    assert predicted(frame(target, like, *apart))[0] == pytest.approx(900.0, **CLOSE)
    two_more = [case(40, rate=100.0), case(41, rate=101.0)]
    assert predicted(frame(target, like, *apart, *two_more))[0] < 200


def test_what_is_not_known_is_not_in_common() -> None:
    target, like = case(1, software=""), case(2, software="", rate=900.0)
    rows = frame(target, like, case(3, rate=100.0), case(4, rate=101.0))
    assert predicted(rows)[0] == pytest.approx(101.0, **CLOSE)


def test_a_result_with_the_same_figure_does_not_predict_its_copy() -> None:
    part = {"accelerator": "H100 SXM", "accelerator_count": 8}
    first, again = case(1, **part, rate=800.0), case(2, **part, rate=800.0, submitter="s1", offline=900.0)
    assert predicted(frame(first, again, case(3, rate=300.0))) == pytest.approx([300.0, 270.0, 800.0 / 0.9 / 2 + 400])
    assert np.isnan(predicted(frame(first, again))).all()
    smaller = again | {"accelerator_count": 4}
    assert predicted(frame(first, smaller))[0] == pytest.approx(1000 * 800 / 900, **CLOSE)


def test_benchmarks_and_scenarios_do_not_predict_each_other() -> None:
    rows = frame(case(1), case(2, scenario="Interactive"), case(3, benchmark="other"), case(4, offline=np.nan))
    assert np.isnan(prediction.known(rows)[prediction.ANSWERS].to_numpy("float64")).all()
    assert len(prediction.known(rows)) == 3  # what has no Offline rate is no case of this question


def test_weights_are_chosen_on_other_rounds_than_they_are_judged_on() -> None:
    """In v5.1 the accelerator must count twice, and twofold will do: by that the case of v6.0 has the others' 0.1.

    Of its weights 2 x 2^2 are of its accelerator and 6 x 2 of its round; by FACTOR they are 2 x 4^2 and 6 x 4.
    """
    sides = [("a", "x", 900.0), ("a", "y", 900.5), ("b", "x", 500.0), ("b", "y", 500.5)]
    old = [case(place, round="v5.1", accelerator=part, submitter=who, rate=rate)
           for place, (part, who, rate) in enumerate(sides, start=1)]  # fmt: skip
    new = [case(place, round="v6.0", rate=100.0 + place / 10) for place in range(11, 17)]
    found = prediction.known(frame(*old, *new, case(20, round="v6.0", accelerator="a"))).iloc[-1]
    assert (round(found["nested"]), round(found["predicted"])) == (102, 900)
    only = prediction.known(frame(*old))
    assert only["nested"].isna().all() and only["predicted"].notna().all()  # one round: nothing to choose on


def test_a_new_system_has_the_median_of_the_systems_most_like_it() -> None:
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
    found = prediction.new(rows)
    # 1: of eight, on sale, v6.0: 110. 2: likewise 101. 3: v6.0 was not there yet, so v4.1. 4: eight is the usual size,
    # as a plan takes it, whatever its own. 5: on sale, v6.0. 6: the first of its accelerator; the same box of another
    # round is none of the others, here and for 1. 7: the only one of its kind.
    expected = [110.0, 101.0, 50.0, 105.5, 105.5, np.nan, np.nan]
    assert found["predicted"].tolist() == pytest.approx(expected, nan_ok=True, **CLOSE)
    assert found["nested"].tolist() == pytest.approx(expected, nan_ok=True, **CLOSE)
    assert found["actual"].tolist()[:2] == [101.0, 110.0]
    naive = sorted([110.0, 90.0, 150.0, 200.0])
    assert found["naive"].iloc[0] == pytest.approx((naive[1] + naive[2]) / 2, **CLOSE)
    twin = prediction.new(rows.assign(submitter=["s1", "s1", *rows["submitter"][2:]]))
    assert (twin["predicted"].iloc[0], twin["stranger"].iloc[0]) == (110.0, 90.0)


def factors(benchmark: str, scenario: str, values: list[float], question: str = NEW) -> pd.DataFrame:
    return pd.DataFrame({"question": question, "benchmark": benchmark, "scenario": scenario, "factor": values})


def test_a_range_is_that_of_the_other_cases_and_of_the_nearest_kind_that_has_enough() -> None:
    """Of nine others the lowest and the highest are the tenth and the ninetieth percentile."""
    ten = [0.5, 0.7, 0.8, 0.9, 1.0, 1.0, 1.1, 1.2, 1.3, 1.5]
    few = factors("b", "Server", [2.0, 3.0]), factors("b", "Interactive", [4.0]), factors("c", "Interactive", [5.0])
    rows = pd.concat([factors("a", "Server", ten), *few, factors("a", "Server", [9.0] * 10, KNOWN)], ignore_index=True)
    band = prediction.ranges(rows)
    assert (band.low[0], band.high[0]) == pytest.approx((0.7, 1.5), **CLOSE)
    assert (band.low[4], band.high[4]) == pytest.approx((0.5, 1.5), **CLOSE)
    assert (band.low[9], band.high[9]) == pytest.approx((0.5, 1.3), **CLOSE)
    # b has three cases under limits, so all of Server stand for it; in Interactive there are only two of them.
    assert prediction.pool(rows, NEW, "b", "Server").sum() == 12
    assert prediction.pool(rows, NEW, "b", "Interactive").sum() == 2 and np.isnan(band.low[12])
    known = prediction.band(rows, "a", "Server")
    assert (known.cases, known.factors) == (10, Interval(pytest.approx(0.52), pytest.approx(1.48)))  # at 1.1 and 9.9
    unknown = prediction.band(rows, "c", "Interactive")
    assert unknown.cases == 2 and not unknown.factors.known


def test_a_benchmark_with_few_cases_of_a_scenario_has_the_errors_of_its_other_limit() -> None:
    limited = factors("a", "Server", [1.0] * 9), factors("a", "Interactive", [2.0])
    free = factors("a", "Offline", [3.0] * 3), factors("b", "Offline", [4.0] * 27)
    rows = pd.concat([*limited, *free], ignore_index=True)
    assert prediction.pool(rows, NEW, "a", "Interactive").sum() == 10
    assert rows.loc[prediction.pool(rows, NEW, "a", "Offline"), "scenario"].eq("Offline").sum() == 30


def test_what_is_drawn_has_the_factors_as_its_tenth_and_ninetieth_percentile() -> None:
    drawn = Band(Interval(0.8, 1.2), 20).drawn
    assert (drawn.low, drawn.high) == pytest.approx((0.75, 1.25), **CLOSE)  # a tenth of 0.5 is 0.05
    assert Band(Interval(0.1, 1.7), 20).drawn.low == 0.05
    assert not Band(Interval(np.nan, np.nan), 3).drawn.known


def test_a_band_is_that_of_the_benchmark_itself_or_of_all_language_models(data: Catalog) -> None:
    rows = prediction.gathered(data, ["llama2-70b"], LIMITED)
    own = prediction.band(prediction.predictions(prediction.cases(rows), [NEW]), "llama2-70b", "Server")
    found = prediction.bands(data, "llama2-70b", LIMITED)
    assert found["Server"] == own and list(found) == list(LIMITED)
    lent = prediction.bands(data, "rnnt", ["Server"])["Server"]  # of v4.0 at the latest
    rows = prediction.gathered(data, benchmark_rules.language_models(data.benchmark_limits))
    everything = prediction.predictions(prediction.cases(rows), [NEW])
    assert lent == prediction.band(everything, "rnnt", "Server") and lent.cases > own.cases


def test_bands_are_kept_of_a_catalog_that_this_package_judges(
    data: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(judge: Callable[[Catalog], pd.DataFrame]) -> Catalog:
        return Catalog(data.folder, judge, tmp_path)

    asked = [("llama2-70b", tuple(LIMITED)), ("rnnt", ("Server",))]
    made = [prediction.bands(opened(data.judge), *own) for own in asked]
    monkeypatch.setattr(prediction, "gathered", lambda *_: pytest.fail("made again"))
    again = opened(data.judge)
    assert [prediction.bands(again, *own) for own in asked] == made
    assert [[type(band.cases) for band in own.values()] for own in made] == [[int] * len(LIMITED), [int]]
    with pytest.raises(pytest.fail.Exception):
        prediction.bands(again, "llama2-70b", ["Server"])  # another question
    with pytest.raises(pytest.fail.Exception):
        prediction.bands(opened(lambda own: data.judge(own)), *asked[0])


def test_published_factors_are_the_range_that_plans_are_drawn_from() -> None:
    rows = frame(*(case(place, accelerator="H100 SXM", rate=100.0 + place**2) for place in range(1, 13)))
    told = prediction.predictions(rows, [NEW])
    (part,) = prediction.errors(told)[lambda own: own["benchmark"].eq("llm")].to_dict("records")
    band = prediction.band(told, "llm", rows["scenario"].iloc[0])
    assert (
        Interval(part["factor_low"], part["factor_high"]) == band.factors and band.cases == 11
    )  # the first of its accelerator is predicted by none


def test_errors_say_how_many_could_be_predicted() -> None:
    rows = frame(*(case(place, accelerator="H100 SXM", rate=100.0 * place) for place in (1, 2, 4)), case(5))
    whole, part = prediction.errors(prediction.predictions(rows))[lambda own: own["question"].eq(NEW)].to_dict(
        "records"
    )
    assert (whole["benchmark"], part["benchmark"]) == ("", "llm")
    assert (whole["systems"], whole["of_systems"], whole["predicted_median"]) == (2, 4, 0.0)
    assert np.isnan([whole["predicted_p90"], whole["factor_low"], whole["held"]]).all()


@pytest.fixture(scope="module")
def shipped_cases(data: Catalog) -> pd.DataFrame:
    return prediction.cases(prediction.gathered(data, benchmark_rules.language_models(data.benchmark_limits)))


@pytest.fixture(scope="module")
def shipped_predictions(shipped_cases: pd.DataFrame) -> pd.DataFrame:
    return prediction.predictions(shipped_cases)


@pytest.fixture(scope="module")
def shipped_errors(shipped_predictions: pd.DataFrame) -> pd.DataFrame:
    return prediction.errors(shipped_predictions).set_index(["question", "scenario", "benchmark"])


def test_errors_of_the_record_are_those_of_all_language_models_and_kept(
    data: Catalog, shipped_errors: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (Catalog(data.folder, data.judge, tmp_path) for _ in range(2))
    made, rows = prediction.errors_of_record(first), prediction.record(first)
    pd.testing.assert_frame_equal(made.set_index(shipped_errors.index.names), shipped_errors)
    assert set(rows["benchmark"]) == LANGUAGE_MODELS and set(rows["scenario"]) == {prediction.OFFLINE, *LIMITED}
    for name in ("gathered", "errors"):
        monkeypatch.setattr(prediction, name, lambda *_: pytest.fail("made again"))
    pd.testing.assert_frame_equal(prediction.errors_of_record(again), made)
    pd.testing.assert_frame_equal(prediction.record(again), rows)
    assert again.used == first.used


@pytest.mark.parametrize("change", [0.2, 3.0])
def test_what_was_left_out_does_not_leak_into_its_prediction(shipped_cases: pd.DataFrame, change: float) -> None:
    """Cases of both questions with another figure: what is predicted of each stays as it was."""
    before = {question: method(shipped_cases) for question, method in METHODS.items()}
    for question, method in METHODS.items():
        for place in range(3, len(before[question]), 61):
            own = before[question].iloc[place]
            keys = ["benchmark", "scenario", "system_key"]
            hit = (shipped_cases[keys] == own[keys]).all(axis=1)
            assert hit.sum() == 1
            other = shipped_cases.copy()
            other.loc[hit, ["rate", "per_accelerator"]] *= change
            after = method(other).iloc[place]
            assert after["actual"] == pytest.approx(change * own["actual"])
            assert after[prediction.ANSWERS].tolist() == pytest.approx(own[prediction.ANSWERS].tolist(), nan_ok=True)


METHODS = {KNOWN: prediction.known, NEW: prediction.new}
ENDS = ("median", "p90")


def test_the_shipped_record_has_the_cases_that_the_rival_was_measured_on(shipped_errors: pd.DataFrame) -> None:
    """The rival again, from the shipped files: the median ratio to Offline of all other systems of the benchmark."""
    columns = ["benchmark", "round", "division", "suite", "result_id", "scenario", "low", "power_measured"]
    columns += ["location", "accelerator", "accelerator_count", "availability", "accuracy_target", "duplicate_of"]
    rows = pd.concat(
        [pd.read_parquet(path, columns=columns) for path in OFFICIAL.glob("v?.?.parquet")], ignore_index=True
    )
    rows = rows[rows["benchmark"].isin(LANGUAGE_MODELS) & rows["round"].ge("v4.1") & rows["division"].eq("closed")]
    rows = rows[rows["suite"].str.contains("datacenter") & ~rows["power_measured"]]
    folder = rows["location"].str.rsplit("/", n=2).str[0].str.lower()  # of the system: v6.1 numbers no results
    kind = ["benchmark", "scenario", "round", "accelerator", "accelerator_count", "availability"]
    counted = rows[rows["duplicate_of"].eq("")]
    strictest = counted.groupby(kind)["accuracy_target"].transform("max")  # one run may be filed under both targets
    shared = counted["benchmark"].eq("llama2-70b")
    rows = counted[~shared | counted["accuracy_target"].eq(strictest)]
    rows = rows.assign(key=rows["result_id"].where(rows["result_id"].ne(""), folder))
    filed = rows.groupby(["benchmark", "round", "key", "scenario"])["low"]
    wide = np.sqrt(filed.min() * filed.max()).unstack("scenario")  # twice, for two accuracy targets
    for scenario in ("Server", "Interactive"):
        ratios = (wide[scenario] / wide["Offline"]).dropna()
        off = [
            abs(own.drop(label).median() / ratio - 1)
            for _, own in ratios.groupby(level="benchmark") for label, ratio in own.items()
        ]  # fmt: skip
        row = shipped_errors.loc[(KNOWN, scenario, "")]
        assert row["systems"] == row["of_systems"] == len(off) > 70
        assert (row["naive_median"], row["naive_p90"]) == pytest.approx((np.median(off), np.quantile(off, 0.9)))
        assert row["predicted_median"] < row["naive_median"] and row["predicted_p90"] < row["naive_p90"]


def test_docs_state_the_prediction_errors(data: Catalog, shipped_errors: pd.DataFrame) -> None:
    """The table of docs/planner.md is that of the record, and so is the share of cases within their range."""
    section = (ROOT / "docs" / "planner.md").read_text("utf-8").partition("\n## Prediction error\n\n")[2]
    section = section.partition("\n## ")[0]
    told = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    table = prediction.basis_table(prediction.bases_of_record(data))
    assert told[0][1:] == list(table)[1:] and told[2:] == table.to_numpy().tolist()
    held = shipped_errors.xs("", level="benchmark")["held"]
    assert f"holds {100 * held.min():.0f}% to {100 * held.max():.0f}% of the cases" in " ".join(section.split())
    assert f"since {prediction.SINCE} " in section


def test_errors_are_stated_by_what_they_rest_on() -> None:
    """Of two models the one with most cases is left out of one row; a mean over models weighs each alike."""
    many = [case(place, rate=500.0 + place % 3, accelerator="a", software="x", round="v4.1") for place in range(1, 13)]
    few = [
        case(place, benchmark="other", rate=600.0 + 60 * place, accelerator="b", round="v5.1") for place in (1, 2, 3)
    ]
    found = prediction.bases(prediction.predictions(frame(*many, *few)), {"llm": "LLM"})
    known = found[found["question"].eq(KNOWN)].set_index("basis")
    assert known.at["without", "words"] == "without LLM" and known.at["without", "systems"] == 3
    assert known.loc[["predicted", "llm", "other"], "systems"].tolist() == [15, 12, 3]
    medians = known["median"]
    assert medians["models"] == pytest.approx((medians["llm"] + medians["other"]) / 2, **CLOSE)
    assert medians["without"] == medians["other"] > medians["llm"]
    assert "earlier" not in known.index and "other_accelerator" not in known.index  # none is of another round or part
    assert known.at["other_configuration", "systems"] == 3  # those of the other model differ in software


def test_each_basis_leaves_out_what_it_says() -> None:
    """0.9 of the same accelerator and software, 0.7 of other software, 0.5 of an earlier round's other accelerator."""
    own = {"accelerator": "a", "software": "x", "accelerator_count": 8, "round": "v5.1"}
    rows = frame(
        case(1, **own, rate=890.0),
        case(2, **own, rate=900.0),
        case(3, **own | {"software": "y"}, rate=700.0),
        case(4, accelerator="b", round="v4.1", rate=500.0),
    )
    first = prediction.known(rows).iloc[0]
    names = ["other_configuration", "other_accelerator", "earlier"]
    assert first[names].tolist() == pytest.approx([700.0, 500.0, 500.0], **CLOSE)
    last = prediction.known(rows).iloc[3]
    assert np.isnan(last["earlier"]) and last["other_configuration"] == last["predicted"]
    new = prediction.new(rows).iloc[0]
    assert new["other_configuration"] == 87.5 and np.isnan(new[["other_accelerator", "earlier"]].astype(float)).all()


def test_published_errors_are_those_of_a_second_computation(
    shipped_cases: pd.DataFrame, shipped_errors: pd.DataFrame
) -> None:
    """The prediction rule again, in plain Python, one case at a time."""
    rows = shipped_cases[shipped_cases["scenario"].isin(LIMITED)].to_dict("records")
    for scenario in LIMITED:
        own = [row for row in rows if row["scenario"] == scenario]
        for question, rule in ((KNOWN, by_ratio), (NEW, by_rate)):
            factors = [found for row in own if (found := rule(row, own)) == found]
            off = [abs(1 / factor - 1) for factor in factors]
            published = shipped_errors.loc[(question, scenario, "")]
            measured = published[["systems", "predicted_median", "predicted_p90", "factor_low", "factor_high"]].tolist()
            again = [len(off), np.median(off), np.quantile(off, 0.9),
                     *np.quantile(factors, [0.1, 0.9], method="weibull")]  # fmt: skip
            assert measured == pytest.approx(again, rel=1e-9), (question, scenario)


def by_ratio(row: dict, rows: list[dict]) -> float:
    """Actual over predicted where Offline is known; NaN where it is not."""
    if row["offline"] != row["offline"]:
        return float("nan")
    weighted = []
    for other in rows:
        figure = ("accelerator", "accelerator_count", "rate")
        again = all(other[name] == row[name] for name in figure) or other is row
        if other["benchmark"] == row["benchmark"] and other["offline"] == other["offline"] and not again:
            things = ["accelerator", "accelerator", "submitter", "software", "round", "accelerator_count"]
            weight = 4 ** sum(row[name] == other[name] != "" for name in things)
            weighted.append((other["rate"] / other["offline"], weight))
    weighted.sort()
    half, passed, ends = sum(weight for _, weight in weighted) / 2, 0, []
    for ratio, weight in weighted:
        if passed <= half <= passed + weight:
            ends.append(ratio)
        passed += weight
    return row["rate"] / (row["offline"] * np.mean(ends))


def by_rate(row: dict, rows: list[dict]) -> float:
    """Actual over predicted where nobody submitted the system; NaN where it is the only one of its accelerator."""
    alike = ("benchmark", "accelerator")
    left = [
        other for other in rows
        if row["per_accelerator"] == row["per_accelerator"] and all(other[name] == row[name] for name in alike)
        and other is not row and (other["submitter"], other["system"]) != (row["submitter"], row["system"])
        and (other["accelerator_count"], other["rate"]) != (row["accelerator_count"], row["rate"])
    ]  # fmt: skip
    left = [other for other in left if round_age(other["round"]) <= round_age(row["round"])]
    left = [other for other in left if other["on_sale"]] or left
    sizes = [other["accelerator_count"] for other in left]
    usual = 8 if 8 in sizes else max(sizes, key=lambda size: (sizes.count(size), size), default=0)
    left = [other for other in left if other["accelerator_count"] == usual]
    newest = max((round_age(other["round"]) for other in left), default=())
    rates = [other["per_accelerator"] for other in left if round_age(other["round"]) == newest]
    return row["per_accelerator"] / np.median(rates) if rates else float("nan")


def test_ranges_on_the_shipped_record_hold_what_they_promise(
    shipped_cases: pd.DataFrame, shipped_predictions: pd.DataFrame, shipped_errors: pd.DataFrame
) -> None:
    found, whole = shipped_predictions, shipped_errors.xs("", level="benchmark")
    assert len(whole) == 5 and whole["held"].between(0.75, 0.85).all(), whole["held"]
    told = found[found["low"].notna()]
    assert told["held"].eq((told["actual"] >= told["low"]) & (told["actual"] <= told["high"])).mean() > 0.999
    for benchmark, scenario in {(row.benchmark, row.scenario) for row in shipped_cases.itertuples()}:
        band = prediction.band(found, benchmark, scenario)
        assert band.cases > prediction.FEWEST and 0.3 < band.factors.low < 1 < band.factors.high < 2


def test_an_unknown_benchmark_is_refused_with_the_valid_ones(data: Catalog) -> None:
    with pytest.raises(ValueError, match=r"'gpt-5'.*llama2-70b"):
        prediction.gathered(data, ["gpt-5"])


def test_what_is_left_out_is_predicted_by_the_very_rule_of_a_plan(shipped_cases: pd.DataFrame) -> None:
    """Of frames as of_a_kind.alike takes them: the median of what it leaves of a case's others is its prediction."""
    found = prediction.new(shipped_cases)
    named = shipped_cases.assign(availability=np.where(shipped_cases["on_sale"], "available", "preview"))
    for place in range(0, len(found), 37):
        own = found.iloc[place]
        keys = ["benchmark", "scenario", "accelerator"]
        rows = named[named[keys].eq(own[keys]).all(axis=1)]
        again = rows["submitter"].eq(own["submitter"]) & rows["system"].eq(own["system"])
        copies = rows["accelerator_count"].eq(own["accelerator_count"]) & rows["rate"].eq(own["rate"])
        later = np.array([round_age(name) > round_age(own["round"]) for name in rows["round"]], "bool")
        taken = system_properties.alike(rows[~(again | copies | later)])
        assert own["predicted"] == pytest.approx(taken["per_accelerator"].median(), nan_ok=True)


def test_a_round_is_predicted_ahead_from_earlier_rounds_alone() -> None:
    """By hand: Offline x 0.9, the only earlier ratio; no range from one case; the later round and its rates unread."""
    part = {"accelerator": "H100 SXM", "accelerator_count": 8}
    old, later = case(1, **part, round="v5.1", rate=900.0), case(3, **part, round="v6.1", rate=100.0)
    asked = case(2, **part, round="v6.0", rate=777.0, offline=2000.0)
    rows = prediction.ahead(frame(old, asked, later), "v6.0").set_index("question")
    assert rows["predicted"].to_dict() == pytest.approx({KNOWN: 1800.0, NEW: 900.0}, **CLOSE)
    assert rows[["low", "high"]].isna().all(axis=None)
    others = prediction.ahead(frame(old, asked | {"rate": 5.0, "per_accelerator": 1.0}), "v6.0")
    pd.testing.assert_frame_equal(others, rows.reset_index()[others.columns])


def test_the_range_of_a_prediction_ahead_is_that_of_earlier_errors() -> None:
    """Ten earlier systems at 0.5 and one at 0.4 or so: the range is what leaving each of them out was off by."""
    old = [case(place, round="v5.1", rate=500.0 + place) for place in range(1, 12)]
    asked = case(20, round="v6.0", rate=1.0)
    (row,) = prediction.ahead(frame(*old, asked), "v6.0").query("question == @KNOWN").to_dict("records")
    factors = prediction.predictions(frame(*old), [KNOWN])["factor"]
    low, high = np.quantile(factors, prediction.LIKELY, method="weibull")
    assert (row["low"], row["high"]) == pytest.approx((row["predicted"] * low, row["predicted"] * high), **CLOSE)


def test_errors_are_tabled_in_percent_and_summed_up_over_benchmarks() -> None:
    cells = dict.fromkeys(prediction.ERRORS, 0.5) | {"scenario": "Server", "systems": 9, "of_systems": 12}
    parts = [(name, part) for name in (KNOWN, NEW) for part in ("", "a", "b")]
    errors = pd.DataFrame([cells | {"question": name, "benchmark": part} for name, part in parts])
    table = prediction.error_table(errors, KNOWN, {"a": "A", "b": "B"})
    assert table["label"].tolist() == ["2 language models", "A", "B"]
    assert table.iloc[0][["predicted", "held", "naive_p90"]].tolist() == ["9 of 12", 50.0, 50.0]
    assert {*prediction.ERROR_HEADS} <= {name.removesuffix("_low") for name in table}
    assert prediction.overall(errors)["question"].tolist() == [KNOWN, NEW]
    assert prediction.error_table(errors.head(0), KNOWN, {}).empty
