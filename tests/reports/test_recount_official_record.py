"""The numbers of the page official_record, recounted by plain pandas from the record's Parquet files."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from tests.reports import grid
from tests.reports.plain import DATA, outputs, table, values

BULK = ["krai", "ctuning"]


@pytest.fixture(scope="module")
def page() -> dict[str, dict]:
    return {record["name"]: record for record in outputs("official_record")}


@pytest.fixture(scope="module")
def record() -> pd.DataFrame:
    package = json.loads((DATA / "datapackage.json").read_text("utf-8"))
    parts = next(each for each in package["resources"] if each["name"] == "results")["parts"]
    rows = pd.concat([pd.read_parquet(DATA / part["path"]) for part in parts], ignore_index=True)
    return rows.assign(version=rows["round"].str.removeprefix("v").astype(float))


@pytest.fixture(scope="module")
def recent(record) -> pd.DataFrame:
    rows = record[record["division"].eq("closed") & record["suite"].str.contains("datacenter")]
    return rows[rows["version"].ge(5.0) & ~rows["submitter"].str.casefold().isin(BULK)]


def test_the_submitters_left_out_are_those_of_more_than_ten_thousand_results(record):
    sizes = record["submitter"].str.casefold().value_counts()
    assert sorted(sizes.index[sizes.gt(10_000)]) == sorted(BULK)


def test_the_share_that_is_recomputed(page, recent):
    logged = recent["recomputed"].notna() & ~recent["inferred"]
    assert (logged.sum(), len(recent)) == (1425, 2319)
    assert page["answer"]["value"] == pytest.approx(100 * logged.mean())
    assert recent["recomputed_difference"].abs().gt(1e-6).sum() == 0
    assert logged.groupby(recent["round"]).sum().to_dict() == {"v5.0": 0, "v5.1": 542, "v6.0": 443, "v6.1": 440}


def test_what_is_not_recomputed_in_the_newest_round_is_named(recent):
    missing = recent[recent["round"].eq("v6.1") & recent["recomputed"].isna()]
    shown = table("official_record", "without_log_table")
    assert sorted(shown["submitter"]) == sorted(missing["submitter"])
    assert missing["note"].str.contains("no log of it").sum() == 15


def test_odd_runs(recent):
    """One GB300 cluster completed 0.83 of its scheduled rate; four valid runs count errors; ten have a far p99."""
    done = recent["samples_per_second"] / recent["scheduled_samples_per_second"]
    far = recent["tpot_p99_ms"] / recent["tpot_p50_ms"]
    odd = recent[done.lt(0.95) | far.gt(2) | recent["errors"].gt(0)]
    shown = table("official_record", "odd_runs")
    assert len(shown) == len(odd) == values("official_record")["odd"]
    assert shown["completed_share"].min() == pytest.approx(done.min()) == pytest.approx(0.829, abs=1e-3)
    assert (shown["errors"].gt(0).sum(), shown["p99_over_median"].gt(2).sum()) == (4, 10)


def test_tokens_per_answer_and_the_rules_bounds(recent):
    """The rules of the submission checker: 90 to 110% of 294.45 for Llama 2 70B, 1,278.2 for GPT-OSS 120B."""
    rules = {"llama2-70b": 294.45, "gpt-oss-120b": 1278.2, "deepseek-r1": 3886.2274}
    rows = recent[recent["round"].eq("v6.1") & recent["benchmark"].isin(rules) & recent["evidence"].eq("log")]
    answers = rows["tokens_per_second"] / rows["samples_per_second"]
    shares = answers / rows["benchmark"].map(rules)
    shown = table("official_record", "lengths")
    assert sorted(shown["tokens_per_answer"]) == pytest.approx(sorted(answers.dropna()))
    assert values("official_record")["outside_rule"] == (~shares.dropna().between(0.9, 1.1)).sum() == 4


def test_a_compared_value_is_the_published_one(record):
    """But for two roundings: logs of v6.1 print two decimals, and what is published has six digits."""
    rows = record[record["recomputed_difference"].notna()]
    middle = (rows["low"] + rows["high"]) / 2
    apart, digit = (rows["recomputed"] - middle).abs(), 10.0 ** (middle.map("{:e}".format).str[-3:].astype(int) - 5)
    assert (apart / middle)[rows["round"].ne("v6.1")].max() < 1e-6
    assert (apart <= 1e-6 * middle + 0.505 * digit + 0.005).all()


def test_wrong_units(page, record):
    """A label of samples or queries on a benchmark that counts tokens; the factor is tokens per sample.

    Some results state none: theirs are between those of other runs of the benchmark.
    """
    rows = record[record["printed_unit"].isin(["Samples/s", "Queries/s"]) & record["unit"].eq("tokens/s")]
    fixes = pd.read_csv(DATA / "corrections.csv", keep_default_na=False).query("column == 'tokens_per_sample'")
    fixed = rows["id"].map(pd.to_numeric(fixes.set_index("key")["corrected"])).fillna(rows["tokens_per_sample"])
    unknown = fixed.isna()
    assert (len(rows), unknown.sum()) == (171, 59)
    models = pd.read_csv(DATA / "benchmarks.csv").set_index("benchmark").add_prefix("known_")
    rows = rows.join(models[["known_tokens_per_sample_low", "known_tokens_per_sample_high"]], on="benchmark")
    low = fixed.fillna(rows["known_tokens_per_sample_low"]).min()
    high = fixed.fillna(rows["known_tokens_per_sample_high"]).max()
    assert (low, high) == pytest.approx((63.456, 660.5))
    assert page["mislabeled"]["value"] == len(rows)
    assert page["mislabeled"]["text"].endswith(f"they are {low:.0f}x to {round(high, -1):.0f}x too high.")


def test_the_groups_with_most_wrong_units_are_named(page, record):
    """Whisper has 37 in v5.1 and in v6.0, Llama 2 70B in v4.0 has 29."""
    rows = record[record["printed_unit"].isin(["Samples/s", "Queries/s"]) & record["unit"].eq("tokens/s")]
    most = rows.groupby(["benchmark", "scenario", "round"]).size().nlargest(3)
    assert most.tolist() == [37, 37, 29]
    assert [int(count) for count in re.findall(r": (\d+)", page["most_wrong_units"]["text"])] == most.tolist()


def test_what_logs_state_is_counted(page, recent):
    """Rates of a schedule and errors are in logs of v6.1 alone, three rates by a correction; others have a TPOT."""
    fixes = pd.read_csv(DATA / "corrections.csv", keep_default_na=False)
    fixes = fixes[fixes["column"].eq("scheduled_samples_per_second") & fixes["key"].isin(recent["id"])]
    scheduled = recent["scheduled_samples_per_second"].count() + len(fixes)
    stated = [scheduled, *recent[["errors", "tpot_p50_ms"]].count()]
    assert [int(count) for count in re.findall(r"\d of (\d+)", page["odd"]["text"])] == stated == [183, 370, 645]


def test_a_round_in_part_inferred_is_not_recomputed_whole(record):
    """Of v2.0 99.6% have a log of their own; the page of rounds since then said 100%."""
    rows = record[record["division"].eq("closed") & record["suite"].str.contains("datacenter")]
    rows = rows[~rows["submitter"].str.casefold().isin(BULK) & rows["round"].eq("v2.0")]
    share = (rows["recomputed"].notna() & ~rows["inferred"]).mean()
    said = grid.run("official_record", {"since": "v2.0"})["said"]["each_round"]["text"]
    assert f"v2.0 {100 * share:.1f}%, v2.1" in said and share < 1


def test_power_values_and_their_samples(page, record):
    power = record["recomputed_power_difference"].abs().dropna()
    assert page["power"]["value"] == power.gt(1e-6).sum() == 4
    compared = record["recomputed_difference"].notna().sum()
    assert (
        f"0 of {compared:,} throughputs" in page["power"]["text"] and f"{len(power):,} power" in page["power"]["text"]
    )
    assert page["power"]["text"].endswith(f"(largest difference: {100 * power.max():.2f}%).")


def test_wrong_precisions(page, record):
    fixes = pd.read_csv(DATA / "corrections.csv", keep_default_na=False)
    fixes = fixes[fixes["column"].eq("precision") & fixes["printed"].ne("")]
    declared = record.set_index("id")["precision"][fixes["key"]]
    assert page["precisions"]["value"] == len(fixes) == 19
    assert (declared.to_numpy() == fixes["printed"].to_numpy()).all()


def test_the_table_by_round(record):
    counts = table("official_record", "by_round").set_index("round")
    by = record.groupby("round")
    assert counts["results"].to_dict() == by.size().to_dict()
    assert counts["recomputed"].to_dict() == by["recomputed"].count().to_dict()
    assert counts["inferred"].to_dict() == by["inferred"].sum().to_dict()
    assert (counts.at["v3.1", "inferred"], counts.at["v4.0", "inferred"]) == (1285, 5609)
    assert counts["compared"].to_dict() == by["recomputed_difference"].count().to_dict()
    assert counts["power_compared"].to_dict() == by["recomputed_power_difference"].count().to_dict()
