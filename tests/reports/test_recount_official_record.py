"""The numbers of the page official_record, recounted by plain pandas from the record's Parquet files."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.reports.plain import DATA, outputs, table


@pytest.fixture(scope="module")
def page() -> dict[str, dict]:
    return {record["name"]: record for record in outputs("official_record")}


@pytest.fixture(scope="module")
def record() -> pd.DataFrame:
    package = json.loads((DATA / "datapackage.json").read_text("utf-8"))
    parts = next(each for each in package["resources"] if each["name"] == "results")["parts"]
    return pd.concat([pd.read_parquet(DATA / part["path"]) for part in parts], ignore_index=True)


def test_recomputed_compared_and_not_yet(page, record):
    newest = record[record["round"].eq("v6.1")]
    different = record["recomputed_difference"].abs().gt(1e-6).sum()
    compared, without = record["recomputed_difference"].notna().sum(), newest["recomputed"].isna().sum()
    assert (different, compared, without, len(newest)) == (0, 18403, 484, 492)
    assert page["answer"]["text"] == (
        f"{different} mismatches in {compared:,} results compared with their logs; {without} of {len(newest)} v6.1 "
        "results cannot be recomputed yet"
    )
    share = record["recomputed"].notna().mean()
    assert page["read_from"]["title"] == f"{100 * share:.0f}% of the results are recomputed from their logs"


def test_a_compared_value_is_the_published_one(record):
    rows = record[record["recomputed_difference"].notna()]
    middle = (rows["low"] + rows["high"]) / 2
    apart = (rows["recomputed"] / middle - 1).abs()
    assert apart.max() < 1e-6


def test_wrong_units(page, record):
    """A label of samples or queries on a benchmark that counts tokens; the factor is tokens per sample.

    Half of the results state none: theirs are between those of other runs of the benchmark.
    """
    rows = record[record["printed_unit"].isin(["Samples/s", "Queries/s"]) & record["unit"].eq("tokens/s")]
    unknown = rows["tokens_per_sample"].isna()
    assert (len(rows), unknown.sum()) == (171, 84)
    models = pd.read_csv(DATA / "benchmarks.csv").set_index("benchmark").add_prefix("known_")
    rows = rows.join(models[["known_tokens_per_sample_low", "known_tokens_per_sample_high"]], on="benchmark")
    assert rows.loc[unknown, "known_tokens_per_sample_low"].notna().all()
    low = rows["tokens_per_sample"].fillna(rows["known_tokens_per_sample_low"]).min()
    high = rows["tokens_per_sample"].fillna(rows["known_tokens_per_sample_high"]).max()
    assert (low, high) == pytest.approx((63.456, 660.5))
    assert page["mislabeled"]["value"] == len(rows)
    assert page["mislabeled"]["text"].endswith(f"they are {low:.0f}x to {round(high, -1):.0f}x too high.")


def test_power_values_and_their_samples(page, record):
    power = record["recomputed_power_difference"].abs().dropna()
    assert page["power"]["value"] == power.gt(1e-6).sum() == 4
    assert f"of {len(power):,} power values" in page["power"]["text"]
    assert page["power"]["text"].endswith(f"by up to {100 * power.max():.2f}%.")


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
    assert counts["compared"].to_dict() == by["recomputed_difference"].count().to_dict()
    assert counts["power_compared"].to_dict() == by["recomputed_power_difference"].count().to_dict()
