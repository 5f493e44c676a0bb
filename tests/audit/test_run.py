"""The whole audit on the project's own tables: what must come out, and that no verdict stands fast."""

import json
import shutil
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis.audit import checks, listing, typos, verdict
from analysis.cli import main

TABLES = (*checks.TABLES, "benchmarks", "accelerators", "corrections", "sources", "benchmark_limits")
TABLES += ("request_lengths", "rounds")


def tables(data, **changed):
    """The project's tables, some of them changed."""
    return SimpleNamespace(**{name: getattr(data, name) for name in TABLES} | changed)


@pytest.fixture(scope="module")
def judged(data):
    """The whole audit, once."""
    return checks.audit(data)


@pytest.fixture(scope="module")
def changed(data):
    """The audit where one figure is put right, a repeat says something else, and an official row is not there.

    Beside the official results of the one round that these are of.
    """
    kept = data.results["origin"].eq("published") | data.results["round"].eq("v4.1")
    kept &= ~data.results["id"].str.startswith("o-4.1-0029")
    results = data.results[kept].set_index("id", drop=False)
    results.loc["doc002-llama2-70b-h100-fp8", ["low", "high"]] = 3020.0, 3066.0
    results.loc["doc000-faq1-h100-vllm", ["low", "high"]] = 40.0, 41.0
    return checks.audit(tables(data, results=results.reset_index(drop=True)))


def found(judged, row, check):
    return judged.loc[judged["row_id"].eq(row) & judged["check"].eq(check), "verdict"].tolist()


WHAT_MUST_COME_OUT = """
doc000-batch1-h100-vllm | batch-1 bandwidth | physically_impossible
doc000-dollar-h100-lambda | deployment price | contradicted
doc000-dollar-h100-lambda | tokens per dollar | within_rounding
doc000-dollar-h200-lambda | deployment price | within_rounding
doc000-dollar-h200-lambda | tokens per dollar at the ceiling | physically_impossible
doc000-faq2-vllm | weights fit | physically_impossible
doc000-mlperf-a100 | official | contradicted
doc000-mlperf-b200 | official per accelerator | contradicted
doc000-mlperf-h100 | official | within_5_percent
doc000-mlperf-h100-over-a100 | across documents | contradicted
doc000-mlperf-h100-over-a100 | stated claim | contradicted
doc000-mlperf-h200 | official | conditional
doc000-mlperf-tpu-v5e | official | contradicted
doc000-publication-date | date | contradicted
doc000-quant-faq4-fp8 | ratio of its own figures | conditional
doc000-quant-result-fp16 | batch-1 bandwidth | physically_impossible
doc001-footnote-rnn-t | benchmark named | contradicted
doc001-result-4.1-0049 | result cited | confirmed
doc002-a100-over-h100 | across documents | contradicted
doc002-derating | stated claim | unverifiable
doc002-gptj-l40s | official per accelerator | contradicted
doc002-h100-break-even | ratio of its own figures | within_rounding
doc002-l40s-model-size-limit | model fits | conditional
doc002-l40s-sdxl-rank | rank | contradicted
doc002-llama2-70b-a100 | official | contradicted
doc002-llama2-70b-h100-fp16 | official | no_official_result
doc002-llama2-70b-h100-fp8 | official per accelerator | contradicted
doc002-llama2-70b-h100-pcie | official per accelerator | contradicted
doc002-llama2-70b-mi300x | official per accelerator | contradicted
doc002-mi300x-first | first result | within_rounding
doc002-mi300x-over-h100 | ratio of its own figures | conditional
doc002-mi300x-over-h100 | stated claim | contradicted
doc002-pcie-over-sxm | stated claim | contradicted
doc002-ratio-by-bandwidth | ratio of its own figures | contradicted
doc002-scenarios | count | confirmed
doc002-sizing-bill | sizing | confirmed
doc002-sizing-gpus | official sizing | no_official_result
doc002-sizing-gpus | sizing | within_rounding
doc002-workloads | count | contradicted
doc003-cts-over-h100-offline | stated claim | within_rounding
doc003-cts-over-h200-server | stated claim | within_rounding
doc003-gptj-offline | stated claim | within_rounding
doc003-gptj-pruning | stated claim | within_rounding
doc003-gptj-triple | stated claim | conditional
doc003-h200-over-h100 | stated claim | within_rounding
doc003-hopper-rank | rank | confirmed
doc003-llama2-70b-sparsity | size of what is kept | conditional
doc003-llama2-70b-sparsity | stated claim | within_rounding
doc003-result-4.0-0060 | result cited | unverifiable
doc003-sdxl-deepcache | stated claim | within_rounding
doc003-sdxl-rank | rank | confirmed
doc003-workloads-added | count | confirmed
doc004-cisco-results | count | confirmed
doc004-dell-results | count | confirmed
doc004-dell-systems | count | confirmed
doc004-fujitsu-l40s-over-h100 | stated claim | within_rounding
doc004-fujitsu-l40s-over-h100-3d-unet | stated claim | within_rounding
doc004-fujitsu-systems | count | conditional
doc004-gigabyte-llama2 | stated claim | within_rounding
doc004-gigabyte-sdxl | stated claim | within_rounding
doc004-gigabyte-vision-language | stated claim | conditional
doc004-google-results-a3 | count | conditional
doc004-google-trillium-offline | stated claim | within_rounding
doc004-hpe-dl380a-llama2-offline | rank | confirmed
doc004-hpe-mixtral-only | count | confirmed
doc004-hpe-xd670 | stated claim | within_5_percent
doc004-intel-bert | stated claim | within_rounding
doc004-intel-first | first result | contradicted
doc004-intel-only-vendor | count | conditional
doc004-intel-xeon6 | stated claim | conditional
doc004-juniper-scaling | stated claim | within_rounding
doc004-krai-resnet50-multistream-4x | official | within_rounding
doc004-krai-resnet50-offline-6x | official | confirmed
doc004-krai-rounds | count | unverifiable
doc004-nvidia-b200-over-h100 | stated claim | conditional
doc004-nvidia-h200-over-h100 | stated claim | conditional
doc004-nvidia-h200-since-v4.0 | stated claim | within_rounding
doc004-nvidia-orin-gptj | stated claim | within_5_percent
doc004-nvidia-orin-sdxl | stated claim | within_rounding
doc004-nvidia-partners | count | unverifiable
doc004-oracle-share | stated claim | conditional
doc004-redhat-l40s-count | accelerators of a system | confirmed
doc004-smc-share | stated claim | conditional
doc004-supermicro-rank | rank | confirmed
nv-offline-resnet50-gh200-96gb | label of benchmark | conditional
nv-offline-resnet50-h100 | official | confirmed
nv-server-gptj-h200 | label of unit | conditional
"""


def test_what_must_come_out(judged):
    lines = [line.split(" | ") for line in WHAT_MUST_COME_OUT.strip().splitlines()]
    assert {(row, check): found(judged, row, check) for row, check, _ in lines} == {
        (row, check): [expected] for row, check, expected in lines
    }


def test_each_throughput_of_the_results_page_is_one_of_the_results_that_it_cites(judged):
    own = judged[judged["row_id"].str.startswith("nv-") & judged["check"].eq("official")]
    cited = judged.loc[judged["check"].eq("result cited"), "row_id"].str.removeprefix("doc001-result-")
    assert (len(own), own["row_id"].nunique()) == (70, 70)
    assert set(own["verdict"]) <= set(verdict.AGREES)
    assert set(own["reference"]) == {id for id in cited if id.startswith("4.1")}
    page = judged[judged["row_id"].str.startswith("nv-")]
    assert page[page["verdict"].isin(checks.WRONG)]["row_id"].tolist() == []


def test_a_figure_that_repeats_a_wrong_one_is_wrong(judged):
    assert found(judged, "doc000-faq1-h100-vllm", "repeat") == ["physically_impossible", "no_official_result"]
    assert found(judged, "doc000-mlperf-lead-h200", "repeat") == ["conditional"]
    assert found(judged, "doc002-memory-l40s-again", "repeat") == ["confirmed"]
    said = judged[judged["row_id"].eq("doc000-faq1-h100-vllm") & judged["verdict"].eq("physically_impossible")].iloc[0]
    assert said["explanation"].startswith("Repeats Single-stream tokens per second table, row 4, H100 vLLM: At batch 1")
    assert (said["expected_high"], said["reference"]) == (pytest.approx(47.857, rel=1e-4), "doc000-batch1-h100-vllm")


def test_a_repeat_that_says_something_else_stands_for_itself(changed):
    assert found(changed, "doc000-faq1-h100-vllm", "repeat") == ["contradicted"]


def test_every_published_figure_has_a_verdict_and_every_row_its_place(judged, data):
    for name in checks.TABLES:
        frame = getattr(data, name)
        own = frame[frame["origin"].eq("published")] if "origin" in frame else frame
        own = own[own["cost_model"].eq("documents")] if "cost_model" in own else own
        own = own[own["duplicate_of"].eq("")]
        assert set(own["id"]) - set(judged.loc[judged["table"].eq(name), "row_id"]) == set()
    assert judged["explanation"].str.fullmatch(r"(doc\d|[A-Z0-9]).+\.").all()
    assert not judged["locator"].eq("").any()


def test_a_verdict_follows_its_figure(changed):
    assert found(changed, "doc002-llama2-70b-h100-fp8", "official per accelerator") == ["within_rounding"]


def test_without_its_official_row_a_figure_has_no_official_basis(judged, changed):
    key = "doc004-google-sdxl-offline-tpu-v5e"
    assert found(judged, key, "official") == ["within_rounding"]
    assert found(changed, key, "official") == ["no_official_result"]


def test_the_cheap_checks_find_nothing_now_and_a_broken_row_at_once(data):
    assert checks.wrong_without_record(data).empty
    row = data.claims["id"].eq("doc000-dollar-a100-lambda")
    wrong = data.claims.assign(low=data.claims["low"].mask(row, 90_000.0), high=data.claims["high"].mask(row, 90_100.0))
    assert "doc000-dollar-a100-lambda" in set(checks.wrong_without_record(tables(data, claims=wrong))["row_id"])


def test_a_row_typed_wrongly_is_noted_by_table_row_and_check(tmp_path, documents_only):
    assert typos.notes() == []
    documents_only(tmp_path / "data")
    path = tmp_path / "data" / "claims.csv"
    text = path.read_text("utf-8")
    path.write_text(text.replace('"~70,400",Tokens/Dollar,66880,73920', '"~90,400",Tokens/Dollar,85880,94920'), "utf-8")
    assert path.read_text("utf-8") != text
    noted = typos.notes(tmp_path / "data")
    assert any(line.startswith("note: claims.csv, row doc000-dollar-a100-lambda, ") for line in noted)
    assert all(line.startswith("note: ") for line in noted)


def test_tables_that_cannot_be_read_or_are_others_have_no_notes(package, tmp_path):
    """Their faults are told by the check of the tables."""
    assert typos.notes(package) == []
    (tmp_path / "bare").mkdir()
    assert typos.notes(tmp_path / "bare") == []
    shutil.copytree(DATA, tmp_path / "data", ignore=shutil.ignore_patterns("official"))
    (tmp_path / "data" / "claims.csv").write_text("id\n", encoding="utf-8")
    assert typos.notes(tmp_path / "data") == []


def test_what_several_verdicts_come_to():
    rows = [
        ("a", "confirmed"),
        ("a", "no_official_result"),
        ("b", "confirmed"),
        ("b", "contradicted"),
        ("c", "unverifiable"),
        ("d", "confirmed"),
    ]
    frame = pd.DataFrame(rows, columns=["row_id", "verdict"]).assign(
        source_id="docA", table="results", check="official"
    )
    frame["check"] = frame["check"].mask(frame["row_id"].eq("d"), "accelerators of a system")
    each = checks.overall(frame).set_index("row_id")
    assert each["verdict"].to_dict() == {"a": "confirmed", "b": "contradicted", "c": "unverifiable", "d": "confirmed"}
    assert each["official"].to_dict() == {"a": False, "b": True, "c": True, "d": True}
    card = checks.scorecard(frame, {"docA": "A"}).iloc[0]
    counts = card[["figures", "confirmed", "named", "holds", "contradicted", "unchecked", "without_official_result"]]
    assert counts.tolist() == [4, 2, 1, 1, 1, 1, 1]


def test_the_scorecard_adds_up(judged, data):
    card = checks.scorecard(judged, data.labels)
    assert (card[[*checks.DEFINITE, *checks.WRONG, "unchecked"]].sum(axis=1) == card["figures"]).all()
    assert card["figures"].sum() == len(checks.overall(judged))


def test_printing_as_csv_json_and_table(data):
    text = listing.printed(data, "doc003", "unverifiable", "csv")
    assert text.splitlines()[0] == ",".join(verdict.COLUMNS)
    rows = json.loads(listing.printed(data, "doc003", "unverifiable", "json"))
    assert len(rows) == len(text.splitlines()) - 1 > 5
    assert {row["source_id"] for row in rows} == {"doc003"}
    assert any(row["expected_low"] is None for row in rows)
    assert "verdicts on" in listing.printed(data, "doc003", "unverifiable").splitlines()[0]


@pytest.mark.parametrize(("option", "valid"), [("--source", "doc000"), ("--verdict", "confirmed, within_rounding")])
def test_what_does_not_exist_is_refused_by_name(option, valid, capsys):
    assert main.main(["audit", option, "nothing"]) == 2
    assert valid in capsys.readouterr().err
