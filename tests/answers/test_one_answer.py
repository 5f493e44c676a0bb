"""One question about sizing has one answer: of the report, of the command line and of the audit."""

import json
from dataclasses import replace

import pytest

from analysis.answers import real_world_derating as answer
from analysis.audit import doubts, sizes
from analysis.audit.frames import Tables
from analysis.cli import main
from analysis.core.interval import Interval
from analysis.core.parameters import RealWorldDerating
from analysis.data.catalog import Catalog
from analysis.themes import quantization
from analysis.themes.hardware import memory
from analysis.themes.plans import capacity

OFFER = "3.29"


@pytest.fixture(scope="module")
def judged_catalog() -> Catalog:
    return doubts.catalog()


def of_the_audit(catalog: Catalog, part: str, users: int, speed: float) -> dict[str, tuple[str, Interval]]:
    """Verdict and expected range of each figure of an example that asks the question, by what it states."""
    own = catalog.claims[catalog.claims["id"].str.startswith("doc002-sizing")].copy()
    own["subject_accelerator"] = own["subject_accelerator"].mask(own["subject_accelerator"].ne(""), part)
    stated = {"users": float(users), "tokens_per_second_per_user": speed}
    for end in ("low", "high"):
        own[end] = own["quantity"].map(stated).fillna(own[end])
    prices = catalog.prices.assign(source_id="doc002")
    tables = replace(Tables.of(catalog), claims=own, prices=prices)
    found = sizes.official_sizing(tables)
    return {one.figure["quantity"]: (one.verdict.value, one.expected) for one in found}


def of_the_command_line(capsys: pytest.CaptureFixture[str], part: str, users: int, speed: float) -> tuple[int, str]:
    asked = ["--accelerator", part, "--users", str(users), "--tokens-per-user", f"{speed:g}"]
    status = main.main(["plan", "--benchmark", "llama2-70b", "--price", OFFER, *asked, "--format", "json"])
    return status, "".join(capsys.readouterr())


def in_json(finding: dict) -> list[tuple[str, float, float]]:
    """The range of a finding and those of its further values, by name."""
    return [(own["name"], own["low"], own["high"]) for own in (finding, *finding["values"])]


@pytest.mark.parametrize(("users", "speed"), [(100, 25.0), (5_000, 25.0), (5_000, 5.0)])
def test_report_command_line_and_audit_give_one_number(
    judged_catalog: Catalog, capsys: pytest.CaptureFixture[str], users: int, speed: float
) -> None:
    part = "H200 SXM"
    asked = RealWorldDerating(baseline=part, users=users, tokens_per_second_per_user=speed, prices=[OFFER])
    report = answer.need(capacity.make(judged_catalog, asked)).record()
    status, text = of_the_command_line(capsys, part, users, speed)
    command = json.loads(text)["findings"][0]
    assert status == 0 and in_json(command) == in_json(report)
    audit = of_the_audit(judged_catalog, part, users, speed)
    of_report = {value["name"]: value for value in report["values"]}
    beside = {"accelerators_needed": report, "bill_per_hour": of_report["usd_per_hour"],
              "bill_per_user_hour": of_report["usd_per_user_hour"]}  # fmt: skip
    assert set(audit) == set(beside)
    for quantity, (_, expected) in audit.items():
        ends = beside[quantity]["low"], beside[quantity]["high"]
        assert (expected.low, expected.high) == pytest.approx(ends, rel=1e-8), quantity


def test_what_the_record_does_not_prove_is_answered_by_none(
    judged_catalog: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example of the document: no official run of H100 SXM gave 30 tokens/s to each user."""
    asked = RealWorldDerating(baseline="H100 SXM", users=100, tokens_per_second_per_user=30.0)
    report = answer.need(capacity.make(judged_catalog, asked))
    status, text = of_the_command_line(capsys, "H100 SXM", 100, 30.0)
    assert report.value is None and status == 1 and "no H100 result at 30 tokens/s per user" in text
    audit = of_the_audit(judged_catalog, "H100 SXM", 100, 30.0)
    assert {verdict for verdict, _ in audit.values()} == {"no_official_result"}
    assert not any(expected.known for _, expected in audit.values())


@pytest.mark.parametrize("benchmark", ["llama2-70b", "llama3.1-405b"])
def test_weights_take_as_many_accelerators_in_each_report(judged_catalog: Catalog, benchmark: str) -> None:
    """In the table of precisions, in the audit and where a plan reads its prompts: one function, with its headroom."""
    free, asked = 0.1, RealWorldDerating(benchmark=benchmark, memory_headroom=0.1)
    table = quantization.weights(judged_catalog.benchmarks, benchmark, judged_catalog.accelerators, free)
    tables = Tables.of(judged_catalog)
    for row in table.to_dict("records"):
        assert row["needed"] == memory.holding(row["weight_gb"], row["memory_gb"], free)
        held, _, least = tables.holding(benchmark, row["precision"], row["accelerator"])
        assert held == row["weight_gb"] and least <= row["needed"]
        assert least == memory.holding(held, row["memory_gb"])
    for part in ("H100 SXM", "H200 SXM"):
        prompt = capacity.basis(judged_catalog, asked.model_copy(update={"baseline": part})).prompt
        own = table[table["accelerator"].eq(part) & table["precision"].eq(asked.weight_precision)]
        assert prompt.accelerators == own["needed"].item()


def test_what_was_measured_is_taken_whole_where_the_report_takes_no_derate(
    judged_catalog: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    """--derate measured is the report's plan without a derate, and a band after it the band."""
    asked = RealWorldDerating(users=5000, tokens_per_second_per_user=20.0)
    for given, derate in (("measured", Interval(1.0, 1.0)), ("measured x 60-80", Interval(0.6, 0.8))):
        report = answer.need(capacity.make(judged_catalog, asked, derate)).record()
        own = ["--benchmark", "llama2-70b", "--users", "5000", "--tokens-per-user", "20", "--derate", given]
        assert main.main(["plan", *own, "--format", "json"]) == 0
        assert in_json(json.loads(capsys.readouterr().out)["findings"][0]) == in_json(report)
