"""The numbers of the page official_record, recounted by plain pandas from the record's Parquet files."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from tests.reports import grid
from tests.reports.plain import data, published, said, table, values

PAGE = "official_record"
BULK = ["krai", "ctuning"]


@pytest.fixture(scope="module")
def page() -> dict[str, dict]:
    return said(PAGE)


@pytest.fixture(scope="module")
def record() -> pd.DataFrame:
    rows = published()
    return rows.assign(version=rows["round"].str.removeprefix("v").astype(float), by=rows["submitter"].str.casefold())


@pytest.fixture(scope="module")
def closed(record) -> pd.DataFrame:
    return record[record["suite"].str.contains("datacenter")].query("division == 'closed' and by not in @BULK")


@pytest.fixture(scope="module")
def recent(closed) -> pd.DataFrame:
    return closed.query("version >= 5.0")


def test_the_submitters_left_out_are_those_of_more_than_ten_thousand_results(record):
    sizes = record["by"].value_counts()
    assert sorted(sizes.index[sizes.gt(10_000)]) == sorted(BULK)


def test_the_share_that_is_recomputed(page, recent):
    logged = recent["recomputed"].notna() & ~recent["inferred"]
    assert (logged.sum(), len(recent)) == (1425, 2319)
    assert page["answer"]["value"] == pytest.approx(100 * logged.mean())
    assert recent["recomputed_difference"].abs().gt(1e-6).sum() == 0
    assert logged.groupby(recent["round"]).sum().to_dict() == {"v5.0": 0, "v5.1": 542, "v6.0": 443, "v6.1": 440}


def test_what_is_not_recomputed_in_the_newest_round_is_named(recent):
    missing = recent.query("round == 'v6.1' and recomputed.isna()")
    assert sorted(table(PAGE, "without_log_table")["submitter"]) == sorted(missing["submitter"])
    assert missing["note"].str.contains("no log of it").sum() == 15


def test_odd_runs(recent):
    """One GB300 cluster completed 0.83 of its scheduled rate; four valid runs count errors; ten have a far p99."""
    done = recent["samples_per_second"] / recent["scheduled_samples_per_second"]
    far = recent["tpot_p99_ms"] / recent["tpot_p50_ms"]
    odd = recent[done.lt(0.95) | far.gt(2) | recent["errors"].gt(0)]
    shown = table(PAGE, "odd_runs")
    assert len(shown) == len(odd) == values(PAGE)["odd"]
    assert shown["completed_share"].min() == pytest.approx(done.min()) == pytest.approx(0.829, abs=1e-3)
    assert (shown["errors"].gt(0).sum(), shown["p99_over_median"].gt(2).sum()) == (4, 10)


def test_tokens_per_answer_and_the_rules_bounds(recent):
    """The rules of the submission checker: 90 to 110% of 294.45 for Llama 2 70B, 1,278.2 for GPT-OSS 120B."""
    rules = {"llama2-70b": 294.45, "gpt-oss-120b": 1278.2, "deepseek-r1": 3886.2274}
    rows = recent.query("round == 'v6.1' and benchmark in @rules and evidence == 'log'")
    answers = (rows["tokens_per_second"] / rows["samples_per_second"]).dropna()
    shares = answers / rows["benchmark"].map(rules)[answers.index]
    assert sorted(table(PAGE, "lengths")["tokens_per_answer"]) == pytest.approx(sorted(answers))
    assert values(PAGE)["outside_rule"] == (~shares.between(0.9, 1.1)).sum() == 4


def test_a_compared_value_is_the_published_one(record):
    """But for two roundings: logs of v6.1 print two decimals, and what is published has six digits."""
    rows = record.dropna(subset="recomputed_difference")
    middle = (rows["low"] + rows["high"]) / 2
    apart, digit = (rows["recomputed"] - middle).abs(), 10.0 ** (middle.map("{:e}".format).str[-3:].astype(int) - 5)
    assert (apart / middle)[rows["round"].ne("v6.1")].max() < 1e-6
    assert (apart <= 1e-6 * middle + 0.505 * digit + 0.005).all()


def test_wrong_units(page, record):
    """A label of samples or queries on a benchmark that counts tokens; the factor is tokens per sample.

    Some results state none: theirs are between those of other runs of the benchmark. Whisper has 37 in v5.1 and in
    v6.0, Llama 2 70B in v4.0 has 29.
    """
    rows = record.query("printed_unit in ['Samples/s', 'Queries/s'] and unit == 'tokens/s'")
    fixes = data("corrections", texts=True).query("column == 'tokens_per_sample'").set_index("key")["corrected"]
    stated = rows["id"].map(pd.to_numeric(fixes)).fillna(rows["tokens_per_sample"])
    assert (len(rows), stated.isna().sum()) == (171, 59)
    models = data("benchmarks").set_index("benchmark")
    low, high = (stated.fillna(rows["benchmark"].map(models[f"tokens_per_sample_{end}"])) for end in ("low", "high"))
    assert (low.min(), high.max()) == pytest.approx((63.456, 660.5))
    assert page["mislabeled"]["value"] == len(rows)
    assert page["mislabeled"]["text"].endswith(f"they are {low.min():.0f}x to {round(high.max(), -1):.0f}x too high.")
    most = rows.groupby(["benchmark", "scenario", "round"]).size().nlargest(3)
    assert most.tolist() == [37, 37, 29]
    assert [int(count) for count in re.findall(r": (\d+)", page["most_wrong_units"]["text"])] == most.tolist()


def test_what_logs_state_is_counted(page, recent):
    """Rates of a schedule and errors are in logs of v6.1 alone, three rates by a correction; others have a TPOT."""
    fixes = data("corrections", texts=True).query("column == 'scheduled_samples_per_second'")
    scheduled = recent["scheduled_samples_per_second"].count() + fixes["key"].isin(recent["id"]).sum()
    stated = [scheduled, *recent[["errors", "tpot_p50_ms"]].count()]
    assert [int(count) for count in re.findall(r"\d of (\d+)", page["odd"]["text"])] == stated == [183, 370, 645]


def test_a_round_in_part_inferred_is_not_recomputed_whole(closed):
    """Of v2.0 99.6% have a log of their own; the page of rounds since then said 100%."""
    rows = closed.query("round == 'v2.0'")
    share = (rows["recomputed"].notna() & ~rows["inferred"]).mean()
    text = grid.run(PAGE, {"since": "v2.0"})["said"]["each_round"]["text"]
    assert f"v2.0 {100 * share:.1f}%, v2.1" in text and share < 1


def test_power_values_and_their_samples(page, record):
    power, text = record["recomputed_power_difference"].abs().dropna(), page["power"]["text"]
    assert page["power"]["value"] == power.gt(1e-6).sum() == 4
    assert f"0 of {record['recomputed_difference'].count():,} throughputs" in text
    assert f"{len(power):,} power" in text and text.endswith(f"(largest difference: {100 * power.max():.2f}%).")


def test_wrong_precisions(page, record):
    fixes = data("corrections", texts=True).query("column == 'precision' and printed != ''")
    assert page["precisions"]["value"] == len(fixes) == 19
    assert record.set_index("id")["precision"][fixes["key"]].tolist() == fixes["printed"].tolist()


def test_the_table_by_round(record):
    counts, by = table(PAGE, "by_round").set_index("round"), record.groupby("round")
    assert counts["results"].to_dict() == by.size().to_dict()
    assert counts["inferred"].to_dict() == by["inferred"].sum().to_dict()
    assert (counts.at["v3.1", "inferred"], counts.at["v4.0", "inferred"]) == (1285, 5609)
    named = {"recomputed": "recomputed", "compared": "recomputed_difference",
             "power_compared": "recomputed_power_difference"}  # fmt: skip
    for column, counted in named.items():
        assert counts[column].to_dict() == by[counted].count().to_dict()
