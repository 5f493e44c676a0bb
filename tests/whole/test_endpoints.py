"""MLPerf Endpoints from files to page: a made-up cohort of three systems, and the page before there is one."""

import json

import pytest
from bs4 import BeautifulSoup


def test_without_results_the_page_says_where_to_get_them(endpoints_pages):
    before = json.loads((endpoints_pages / "before.json").read_text("utf-8"))
    assert before["front"] == [] and before["findings"][0]["low"] is None
    assert before["findings"][0]["headline"] == (
        "No data: no MLPerf Endpoints results imported "
        "(clone mlcommons/endpoints_results_v*, then “analysis data PATH”)"
    )


def test_a_made_up_cohort_goes_from_files_to_page(endpoints_pages, made):
    stated = json.loads((endpoints_pages / "endpoints.json").read_text("utf-8"))
    assert stated["findings"][0]["headline"] == (
        "gpt-oss-120b at 100 tokens/s per user: B300 8x, NVIDIA leads with 65 tokens/s per accelerator (v1.0)"
    )
    values = {each["name"]: each["low"] for each in stated["findings"]}
    reached = 1.3 * made.CURVE[512][0]  # 33 tokens/s per user: what serves 25, where no point was measured
    assert values["per_accelerator_v1_0_gpt_oss_120b_mmlu_25"] == pytest.approx(reached / 8)
    assert values["per_kilowatt_v1_0_gpt_oss_120b_mmlu_25"] == pytest.approx(reached / 12.74)
    assert "endpoints/endpoints-results-v1.0.parquet" in stated["provenance"]["tables"]
    assert [source["id"] for source in stated["provenance"]["sources"]] == ["mlperf-endpoints"]
    text = BeautifulSoup((endpoints_pages / "endpoints.html").read_text("utf-8"), "html.parser").get_text(" ")
    for words in ("H200 8x, Acme, Preview, available 2027-03-01", "target cohorts 2026-11-C1", "3 results"):
        assert words in text
