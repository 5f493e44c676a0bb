"""Published figures as pages read them."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import load_published, tables
from analysis.paths import DATA


@pytest.fixture(scope="module")
def figures():
    return load_published()


def test_each_figure_is_there_once_with_a_verdict(figures):
    raw = pd.read_csv(DATA / "figures.csv", keep_default_na=False, dtype="str")
    assert figures["id"].tolist() == raw["id"].tolist()
    assert figures[["source", "claim", "printed", "verdict", "reason", "topic"]].ne("").all(axis=None)
    assert figures["verdict"].notna().all()


def test_the_columns_that_pages_use_are_there(figures):
    wanted = (
        "id source source_id locator claim printed record verdict reason check topic quantity benchmark scenario round "
        "accelerator baseline_accelerator precision low high unit printed_low printed_high expected_low expected_high "
        "duplicate_of"
    )
    assert set(wanted.split()) <= set(figures)
    assert set(figures["topic"]) == {"generations", "quantization", "power", "derating", "price", "datasheet", "other"}


def test_nothing_is_judged_at_load(monkeypatch):
    monkeypatch.setattr("analysis.recipes.documents.join.judge", lambda *_: pytest.fail("judged"))
    monkeypatch.setattr("analysis.recipes.documents.join.load_results", lambda: pytest.fail("results loaded"))
    assert len(load_published()) > 300


@pytest.mark.parametrize(
    ("id", "claim", "printed", "record", "verdict", "topic"),
    [
        ("doc000-mlperf-b200", "8x B200 SXM: Llama 2 70B Offline throughput", "~210 Samples/Second",
         "41.108 samples/s per accelerator (1x B200, 4.1-0074)", "contradicted", "generations"),
        ("doc000-quant-result-fp8", "1x H100 SXM: Llama 2 70B throughput at batch 1, FP8", "~155 Tokens/sec",
         "at most 47.86 tokens/s", "physically impossible", "quantization"),
        ("doc000-quant-faq4-fp8-speedup", "FP8 vs FP16: Llama 2 70B throughput", "1.8 x", "3.3 to 4.03x per GPU",
         "conditional", "quantization"),
        ("doc000-price-h200-lambda", "H200 at Lambda: price per accelerator-hour", "$3.29/hr", "", "unverifiable",
         "price"),
        ("doc002-l40s-sdxl-rank", "L40S: Stable Diffusion XL rank", "rank 1", "rank 7 in 2 benchmark scenarios",
         "contradicted", "generations"),
        ("doc003-bandwidth-ratio", "H200 vs H100: memory bandwidth", "1.4 x higher", "1.433", "within rounding",
         "datasheet"),
        ("doc001-footnote-rnn-t", "RNN-T is a benchmark of v4.1", "yes", "v4.1 has no results of RNN-T", "contradicted",
         "other"),
        ("doc003-result-3.1-0107", "Result 3.1-0107 exists", "yes", "", "unverifiable", "other"),
    ],
)  # fmt: skip
def test_a_figure_reads_as_its_document_means_it(figures, id, claim, printed, record, verdict, topic):
    row = figures.set_index("id").loc[id]
    assert row[["claim", "printed", "record", "verdict", "topic"]].tolist() == [claim, printed, record, verdict, topic]


def test_words_in_place_of_numbers_stand_as_printed(figures):
    words = {"half", "halved", "double", "doubles", "tripled"}
    assert words & {*figures["printed"]} == words


def test_corrections_reach_the_figures(figures):
    fixes = tables.corrections[tables.corrections["table"].eq("figures")]
    rows = figures.set_index("id").loc[fixes["key"]]
    assert [row[column] for (_, row), column in zip(rows.iterrows(), fixes["column"], strict=True)] == list(
        fixes["corrected"]
    )
