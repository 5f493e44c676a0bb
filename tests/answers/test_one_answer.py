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
from analysis.core.vocabulary import BYTES_PER_WEIGHT
from analysis.data.catalog import Catalog
from analysis.themes import capacity, memory, quantization

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


@pytest.mark.parametrize(("users", "speed"), [(100, 25.0), (5_000, 25.0), (5_000, 5.0)])
def test_report_command_line_and_audit_give_one_number(
    judged_catalog: Catalog, capsys: pytest.CaptureFixture[str], users: int, speed: float
) -> None:
    part = "H200 SXM"
    asked = RealWorldDerating(baseline=part, users=users, tokens_per_second_per_user=speed, prices=[OFFER])
    report = answer.need(capacity.make(judged_catalog, asked)).record()
    status, text = of_the_command_line(capsys, part, users, speed)
    command = json.loads(text)["findings"][0]
    assert status == 0 and command == report
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
    assert report.value is None and status == 1 and report.headline in text
    audit = of_the_audit(judged_catalog, "H100 SXM", 100, 30.0)
    assert {verdict for verdict, _ in audit.values()} == {"no_official_basis"}
    assert not any(expected.known for _, expected in audit.values())


def test_weights_take_as_many_accelerators_in_each_report(judged_catalog: Catalog) -> None:
    """A plan shares a copy among a power of two: the next one above what the table of precisions counts."""
    free, benchmark = 0.1, "llama2-70b"
    table = quantization.weights(judged_catalog.benchmarks, benchmark, judged_catalog.accelerators, free)
    tables = Tables.of(judged_catalog)
    for row in table.to_dict("records"):
        model = memory.model(judged_catalog.benchmarks, benchmark, BYTES_PER_WEIGHT[row["precision"]], 2.0)
        group = memory.copy_on(model, row["memory_gb"], free)
        assert group / 2 < row["needed"] <= group, row
        held, _, least = tables.holding(benchmark, row["precision"], row["accelerator"])
        assert held == row["weight_gb"] and least <= row["needed"]
        assert least == memory.holding(held, row["memory_gb"])
