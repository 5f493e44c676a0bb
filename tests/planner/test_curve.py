"""The curve of throughput over interactivity: its points, the lines between them, and estimates beside the record."""

import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis._core.file_contents import sha256_of
from analysis._core.parameters import RealWorldDerating
from analysis._core.paths import ROOT
from analysis.methods.decoding import Lengths
from analysis.methods.prediction import Decoder
from analysis.planner.basis import basis
from analysis.planner.curve import ESTIMATE, INTERPOLATED, MEASURED, drawn
from analysis.planner.demand import requests

ASKED = RealWorldDerating(benchmark="llama2-70b", baseline="H100 SXM", rounds=["v4.1", "v5.1"])
SERVER = {"benchmark": "llama2-70b", "scenario": "Server", "low": 24_000.0, "round": "v5.1", "system": "box"}
INTERACTIVE = SERVER | {"scenario": "Interactive", "low": 12_000.0}
OFFLINE = SERVER | {"scenario": "Offline", "low": 32_000.0}
H200 = {"accelerator": "H200 SXM", "submitter": "Other", "result_id": "7"}


@pytest.fixture
def curve(record):
    """The curve on a record of these rows; `changes` are of what is asked."""
    return lambda *rows, **changes: (
        lambda asked: basis(record(*rows), asked).curve
    )(ASKED.model_copy(update=changes))  # fmt: skip


def rates(of, *speeds):
    return [of.at(speed).middle for speed in speeds]


def test_a_point_is_the_median_system_at_the_median_speed_of_its_runs(curve):
    """3,000 and 2,000 tokens/s at 5 and 10: what slower users get too; a system of four is of another kind."""
    rows = [SERVER | {"low": low, "system": f"{low}", "tpot_p50_ms": ms} for low, ms in ((24e3, 200.0), (16e3, 100.0))]
    other = SERVER | {"accelerator_count": 4, "low": 4_000.0}
    found = curve(*rows, other)
    (point,) = (each for each in found.points if each.evidence == MEASURED)
    assert (point.speed, point.rate.low, point.rate.high) == (7.5, 2500.0, 2500.0)
    assert rates(found, 1.0, 7.5) == [2500.0] * 2
    assert point.words == "2 of 3 systems (Server)"


def test_a_percentile_is_chosen_and_a_run_without_a_log_has_the_usual_one(curve):
    """At the median logged runs are twice as fast as their limit of 200 ms; at p99 a run has its limit or its log."""
    logged = SERVER | {"tpot_p50_ms": 100.0, "tpot_p99_ms": 160.0}
    assert curve(logged).points[0].speed == 10.0 and curve(logged, interactivity="p99").points[0].speed == 6.25
    both = logged | {"system": "other"}, SERVER
    assert curve(*both).points[0].speed == 10.0
    assert curve(*both, interactivity="p99").points[0].speed == pytest.approx((6.25 + 5.0) / 2)


def test_a_run_without_a_log_proves_its_limit_and_is_placed_by_logs_of_its_accelerator(curve, record):
    """Others are four times as fast as their limit of 200 ms; H100's own count from three on: twice as fast."""
    others = [SERVER | H200 | {"system": f"o{place}", "tpot_p50_ms": 50.0} for place in range(4)]
    own = [SERVER | {"system": f"h{place}", "tpot_p50_ms": 100.0, "round": "v4.1"} for place in range(3)]
    (few,) = curve(SERVER, *others, *own[:2]).points[:1]
    (many,) = curve(SERVER, *others, *own).points[:1]
    assert (few.least, few.speed, many.least, many.speed) == (5.0, 20.0, 5.0, 10.0)
    found = curve(SERVER, *others, *own)
    assert [found.at(speed).evidence for speed in (5.0, 7.5)] == [MEASURED, INTERPOLATED]
    for percentile in ("median", "p99"):
        points, _ = drawn(
            record(OFFLINE, SERVER, *others), "llama2-70b", ["v5.1"], ["H100 SXM", "H200 SXM"], percentile
        )
        bounds = points[points["scenario"].eq("Server")].set_index("accelerator")
        assert bounds.at["H100 SXM", "is_bound"] and bounds.at["H100 SXM", "speed"] == 5.0
    assert not points["is_bound"][points["scenario"].eq("Offline")].any()


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_between_two_points_the_logarithm_falls_evenly(curve, share):
    """3,000 at 5 tokens/s and 1,500 at 25: halfway 3,000 / sqrt(2)."""
    found = curve(SERVER, INTERACTIVE)
    (rate,) = rates(found, 5.0 + share * 20.0)
    assert rate == pytest.approx(3000.0 / 2**share, rel=1e-12)
    assert found.at(5.0 + share * 20.0).evidence == (INTERPOLATED if 0 < share < 1 else MEASURED)


def test_beyond_the_fastest_point_the_decoding_model_leads_to_the_roof(curve):
    """No cliff: just beyond 25 tokens/s as just before it; above the speed of memory bandwidth nothing."""
    found = curve(SERVER, INTERACTIVE)
    before, after, far = (found.at(speed) for speed in (25.0, 25.001, 60.0))
    assert after.middle == pytest.approx(before.middle, rel=1e-3)
    assert (before.evidence, after.evidence, far.evidence) == (MEASURED, ESTIMATE, ESTIMATE)
    assert far.middle == pytest.approx(1500.0 * found.decode.at(60.0) / found.decode.at(25.0))
    assert found.roof == pytest.approx(8 * 3.35e12 / (70e9 + 8 * 0), rel=0.01)  # eight read 70 GB in 2.6 ms
    assert found.at(found.roof * 0.99).middle > 0 and found.at(found.roof * 1.01) is None


def test_what_a_faster_run_gave_slower_users_get_too(curve):
    found = curve(SERVER | {"low": 8_000.0}, INTERACTIVE)
    assert rates(found, 5.0, 15.0, 25.0) == [1500.0] * 3


def test_a_hardly_loaded_run_is_no_evidence_for_slower_users(curve):
    """30 tokens/s each at 25 per user are 1.2 requests in flight: its Offline result and others' shares say more."""
    alone = INTERACTIVE | {"low": 240.0}
    others = [
        row | {"accelerator": "H200 SXM", "submitter": "Other", "result_id": "7"} for row in (OFFLINE, INTERACTIVE)
    ]
    assert rates(curve(SERVER, alone), 25.0) == [30.0], "where nothing else is known it is what was measured"
    found = curve(SERVER, OFFLINE, alone, *others)
    assert found.at(25.0).evidence == ESTIMATE and found.at(25.0).middle > 1000


def test_what_nobody_submitted_is_an_estimate_from_its_offline_result(curve):
    """H200 keeps 12/32 of Offline; H100 too, times what the decoding model says of both."""
    others = [
        row | {"accelerator": "H200 SXM", "submitter": "Other", "result_id": "7"} for row in (OFFLINE, INTERACTIVE)
    ]
    found = curve(OFFLINE, *others)
    (point,) = found.points
    assert (point.evidence, point.speed) == (ESTIMATE, 25.0)
    assert point.rate.middle == pytest.approx(4000.0 * 12 / 32, rel=0.05)
    assert found.at(10.0).evidence == ESTIMATE


def test_shorter_prompts_take_less_and_their_plan_is_an_estimate(curve):
    row = SERVER | {"benchmark": "llama3.1-405b", "accelerator": "B200 SXM", "low": 1_200.0}
    asked = {"benchmark": "llama3.1-405b", "baseline": "B200 SXM", "rounds": ["v5.1"]}
    own, chat = curve(row, **asked), curve(row, **asked, prompt_tokens=1000.0, tokens_per_request=500.0)
    speed = own.points[0].speed
    assert (own.at(speed).evidence, chat.at(speed).evidence) == (MEASURED, ESTIMATE)
    assert 3 < chat.at(speed).middle / own.at(speed).middle < 7


def test_a_preview_is_no_point_where_an_available_system_is_one(curve):
    preview = INTERACTIVE | {"availability": "preview"}
    assert [point.evidence for point in curve(SERVER, preview).points] == [MEASURED]
    assert [point.speed for point in curve(preview).points] == [25.0]


def test_documents_figures_are_one_range(curve):
    papers = [
        SERVER | {"low": low, "origin": "published", "source_id": "doc", "source": "Paper"} for low in (8e3, 16e3)
    ]
    found = curve(*papers, origins=["published"]).at(5.0)
    assert (found.rate.low, found.rate.high, found.range_of) == (1000.0, 2000.0, "2 of 2 figures of documents (Server)")


def test_on_the_shipped_record_no_curve_rises_and_none_has_a_cliff(data):
    """MI355X and MI350X at 20 to 40 tokens/s: each speed of a tenth more takes a fifth of throughput at most."""
    for name in ("MI355X", "MI350X", "B200 SXM", "H100 SXM"):
        found = basis(data, RealWorldDerating(benchmark="llama2-70b", baseline=name)).curve
        each = rates(found, *np.arange(20.0, 40.0, 2.0))
        assert all(slower * 0.8 < faster <= slower for slower, faster in pairwise(each)), name


def test_own_requests_average_over_their_lengths(record, lengths):
    """Requests of one length are the same as their means; long answers keep their cache for longer than short ones."""
    tables = record(SERVER)
    tables.request_lengths = tables.request_lengths.head(0)
    asked = {"prompt_tokens": 1000.0, "tokens_per_request": 500.0}, {"lengths": lengths("1000,500", "1000,500")}
    means, alike = (basis(tables, ASKED.model_copy(update=each)).curve for each in asked)
    assert rates(alike, 2.0, 20.0) == rates(means, 2.0, 20.0)
    mixed = requests(lengths("900,100", "1100,900"))
    assert mixed.lengths == Lengths(1000.0, 500.0, (950 * 100 + 1550 * 900) / 1000, (1000 * 100 + 2000 * 900) / 1000)
    assert mixed.prompt(0.99) == 1100.0


def test_asked_means_scale_the_requests_of_the_data_set(data):
    """They keep their spread; answers that the data set has not are of one length."""
    decoder = Decoder(data)
    own, scaled = decoder.requests("llama2-70b"), decoder.requests("llama2-70b", 1000.0, 500.0)
    assert (scaled.lengths.prompt, scaled.lengths.answer) == (pytest.approx(1000.0), pytest.approx(500.0))
    assert scaled.prompt(0.99) / 1000.0 == pytest.approx(own.prompt(0.99) / 222.3)
    assert set(decoder.requests("gpt-oss-120b", answer=500.0).answers) == {500.0}
    assert np.isnan(decoder.lengths("gptj").prompt) and decoder.requests("gptj", 10.0).lengths.whole == 79.0


def test_docs_state_the_requests_of_the_tables(data):
    lengths = Decoder(data).lengths("deepseek-r1")
    told = f"{lengths.context:,.0f} tokens, {lengths.prompt + lengths.answer / 2:,.0f} without the spread"
    assert told in " ".join((ROOT / "docs" / "planner.md").read_text("utf-8").split())
    assert f"({len(data.request_lengths):,} requests)" in (ROOT / "docs" / "data.md").read_text("utf-8")


def test_requests_without_an_answer_do_not_count_beside_others(record, data):
    tables = record(SERVER)
    rows = data.request_lengths.copy()
    rows.loc[rows.index % 2 == 0, "answer_tokens"] = pd.NA
    tables.request_lengths = rows
    halved, whole = (Decoder(each).lengths("deepseek-r1").context for each in (tables, data))
    assert halved == pytest.approx(whole, rel=0.05)


def test_the_error_of_other_lengths_grows_with_the_distance_from_the_benchmark_s(data):
    """None within a hundredth, which is measured; more prompt is never more throughput."""
    own, found = Decoder(data).lengths("llama3.1-8b").prompt, []
    for times in (1.0, 1.005, 1.02, 1.2, 2.0, 8.0, 20.0):
        asked = RealWorldDerating(benchmark="llama3.1-8b", baseline="H200 SXM", prompt_tokens=own * times)
        found.append(basis(data, asked).curve.at(20.0))
    assert [throughput.evidence for throughput in found] == [MEASURED] * 2 + [ESTIMATE] * 5
    middles = [throughput.middle for throughput in found]
    widths = [throughput.rate.high / throughput.rate.low for throughput in found]
    assert all(less <= more * 1.001 for more, less in pairwise(middles)) and middles[2] > 0.95 * middles[0]
    assert widths == sorted(widths) and widths[2] < 1.1 * widths[0] and widths[-1] > 2 * widths[0]


@pytest.mark.parametrize(("percentile", "tokens"), [(0.5, 100.0), (0.9, 900.0)])
def test_the_prompt_that_is_waited_for_is_that_of_the_percentile(record, lengths, percentile, tokens):
    file = lengths(*["100,50"] * 8, *["900,50"] * 2)
    asked = ASKED.model_copy(update={"lengths": file, "wait_percentile": percentile})
    assert basis(record(SERVER), asked).prompt.tokens == tokens


def test_a_file_of_requests_counts_as_read(record, lengths):
    """With its SHA-256, among the tables that a page is built again for; another plan reads none."""
    tables, file = record(SERVER), lengths("1000,500")
    basis(tables, ASKED)
    assert tables.used == {}
    basis(tables, ASKED.model_copy(update={"lengths": file}))
    assert tables.used == {file: sha256_of(Path(file))}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["1000,500", "1000,few"], "row 3, column answer_tokens: 'few' is no number of tokens above 0"),
        (["0,500"], "row 2, column prompt_tokens: '0' is no number of tokens above 0"),
        (["7"], "row 2, column answer_tokens: None is no number of tokens above 0"),
        ([], "no request; expected a row for each, with prompt_tokens and answer_tokens"),
    ],
)
def test_a_file_of_requests_is_refused_with_row_and_column(lines, said, lengths):
    file = lengths(*lines)
    with pytest.raises(ValueError, match=f"^{re.escape(file)}[:,] {re.escape(said)}$"):
        requests(file)


def test_a_file_of_requests_without_its_columns_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("prompt_tokens,output\n1,2\n")
    with pytest.raises(ValueError, match="no column answer_tokens; expected: prompt_tokens, answer_tokens; got: pro"):
        requests(str(tmp_path / "other.csv"))
    with pytest.raises(ValueError, match=r"lengths: .*none\.csv is no CSV file that can be read"):
        requests(str(tmp_path / "none.csv"))


def test_a_chart_has_what_was_measured_and_estimates_from_there_on(record):
    """Of H100 Offline and both limited points; H200, Offline alone, has an estimate where one can be made, no point."""
    logs = [SERVER | {"tpot_p50_ms": 100.0}, INTERACTIVE | {"tpot_p50_ms": 25.0}]
    points, estimates = drawn(record(OFFLINE, *logs), "llama2-70b", ["v5.1"], ["H100 SXM", "H200 SXM"])
    assert points["scenario"].tolist() == ["Offline", "Server", "Interactive"]
    assert points["speed"].tolist()[1:] == [10.0, 40.0] and points["rate_low"].tolist() == [4000.0, 3000.0, 1500.0]
    own = estimates[estimates["accelerator"].eq("H100 SXM")]
    assert own["speed"].iloc[[0, -1]].tolist() == [40.0, 48.0]
    assert own["rate_low"].iloc[0] == 1500.0 and own["rate_low"].is_monotonic_decreasing


@pytest.mark.parametrize(("scenarios", "benchmark", "name"), [
    (("Interactive",), "llama2-70b", "MI300X"), (("Offline", "Server", "Interactive"), "llama3.1-8b", "H200 NVL"),
])  # fmt: skip
def test_an_estimate_rests_on_no_result_of_its_own(data, scenarios, benchmark, name):
    """Without its results in the files an accelerator has the estimate that the record with them has of it."""
    own = data.results["accelerator"].eq(name) & data.results["scenario"].isin(scenarios)
    own &= data.results["benchmark"].eq(benchmark)
    fields = ("doubts", "benchmarks", "accelerators", "prices", "benchmark_limits", "request_lengths")
    without = SimpleNamespace(**{each: getattr(data, each) for each in fields}, results=data.results[~own])
    asked = RealWorldDerating(benchmark=benchmark, baseline=name)
    full, less = (basis(tables, asked).evidence.estimates for tables in (data, without))
    question = "Offline known" if len(scenarios) == 1 else "no result of the accelerator"
    keys = ["scenario", "system_key", "rate"]
    told = [
        frame[frame["accelerator"].eq(name) & frame["question"].eq(question) & frame["scenario"].isin(["Interactive"])]
        for frame in (full, less)
    ]
    assert len(told[0]) and own.any()
    pd.testing.assert_frame_equal(*(frame[keys].reset_index(drop=True) for frame in told))
