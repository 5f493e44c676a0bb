"""One answer to one question: what a report or a plan and the audit say of the same is the same.

What two reports say of the same is recounted for each (test_recount.py), and compared in their tables
(tests/project/test_one_answer.py).
"""

import json

import pandas as pd
import pytest

from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.audit import checks
from analysis.audit.claims import CHECK as STATED
from analysis.audit.frames import FRAMES, Tables
from analysis.audit.sizes import OFFICIAL_SIZING
from analysis.cli import main
from analysis.comparability import selection
from analysis.comparability.selection import Question
from analysis.methods import quantization, speedup

NO_SIDES = ["submitter", "system", "baseline_system", "duplicate_of"]  # what a claim of accelerators alone lacks


@pytest.fixture(scope="module")
def judged(data):
    """The whole audit, once."""
    return checks.audit(data)


# The functions that several reports and the audit compute with.


def over(data, benchmark, scenario, round, baseline):
    """The official speedups of one round, by accelerator."""
    question = Question(benchmark, scenario, origins=("official",), rounds=(round,))
    return speedup.over_baseline(selection.select(data, question).rows, baseline).set_index("accelerator")


def test_a_claim_is_held_against_what_the_speedup_report_computes(data, judged):
    """Of two accelerators, in one round and scenario, and of nobody's system in particular."""
    stated = data.claims[data.claims["quantity"].eq("throughput_ratio") & data.claims[NO_SIDES].eq("").all(axis=1)]
    named = stated[["benchmark", "scenario", "round", "subject_accelerator", "baseline_accelerator"]].ne("").all(axis=1)
    one_round = stated["baseline_round"].eq("") | stated["baseline_round"].eq(stated["round"])
    apart = stated["subject_accelerator"].ne(stated["baseline_accelerator"])
    known = judged[judged["check"].eq(STATED)].set_index("row_id")
    held = 0
    for claim in stated[named & one_round & apart].to_dict("records"):
        sides = over(data, claim["benchmark"], claim["scenario"], claim["round"], claim["baseline_accelerator"])
        expected = known.loc[claim["id"], ["expected_low", "expected_high"]]
        if claim["subject_accelerator"] not in sides.index:
            assert expected.isna().all(), claim["id"]
            continue
        own = sides.loc[claim["subject_accelerator"]]
        assert expected.iloc[0] <= own["speedup_high"] * 1.001, claim["id"]
        assert expected.iloc[1] >= own["speedup_low"] * 0.999, claim["id"]
        held += 1
    assert held > 2


def test_how_many_accelerators_hold_the_weights_is_one_number(data):
    """In the report on precisions, without headroom, and in the audit."""
    tables = Tables.of(data)
    counted = quantization.weights(data.benchmarks, "llama2-70b", data.accelerators, 0.0)
    assert len(counted) > len(BYTES_PER_WEIGHT)
    for row in counted.to_dict("records"):
        *_, least = tables.holding("llama2-70b", row["precision"], row["accelerator"])
        assert row["needed"] == least, (row["accelerator"], row["precision"])


def test_a_sizing_example_is_answered_by_the_audit_as_by_the_plan(data, judged, capsys):
    """Whole accelerators of a plan at the document's users, speed and price; or nothing or an estimate is known."""
    needed = judged[judged["check"].eq(OFFICIAL_SIZING) & judged["unit"].str.startswith("accelerator")]
    assert len(needed)
    for row in needed.to_dict("records"):
        claims = data.claims[data.claims["source_id"].eq(row["source_id"]) & data.claims["duplicate_of"].eq("")]
        about = claims.set_index("id").loc[row["row_id"]]
        once = claims.drop_duplicates("quantity").set_index("quantity")
        speed = once.loc["tokens_per_second_per_user", ["low", "high"]].mean()
        asked = ["--users", f"{once.at['users', 'low']:.0f}", "--tokens-per-user", f"{speed:g}"]
        asked += ["--benchmark", about["benchmark"], "--accelerator", about["subject_accelerator"]]
        status = main.main(["plan", *asked, "--format", "json"])
        planned = capsys.readouterr().out
        if pd.isna(row["expected_low"]):
            assert row["verdict"] == "no_official_result" and (status == 1 or ", estimate)" in planned)
            continue
        assert status == 0
        found = {finding["name"]: finding for finding in json.loads(planned)["findings"]}
        plan = found["accelerators_needed"]
        assert (plan["low"], plan["high"]) == (row["expected_low"], row["expected_high"])


# The verdicts of the audit among themselves.


def test_no_claim_is_judged_twice_and_no_figure_both_agrees_with_and_contradicts_the_record(judged):
    stated = judged[judged["check"].eq(STATED)]
    assert stated.loc[stated.duplicated(["table", "row_id"]), "row_id"].tolist() == []
    of_record = judged[judged["check"].isin(checks.AGAINST_OFFICIAL)].groupby(["table", "row_id"])["verdict"].agg(set)
    both = [row for row, found in of_record.items() if found & {*checks.HOLDS} and "contradicted" in found]
    assert both == []


def test_what_has_no_official_result_does_not_contradict_one(data, judged):
    """On the whole record, and on a part of one round of it."""
    official, tables = data.results["origin"].eq("official"), Tables.of(data)
    part = data.results[~official | (data.results["round"].eq("v4.1") & data.results["submitter"].eq("NVIDIA"))]
    of_part = checks.audit(Tables(**{name: getattr(tables, name) for name in FRAMES} | {"results": part}))
    for audit in (judged, of_part):
        contradicts = audit["check"].isin(checks.AGAINST_OFFICIAL) & audit["verdict"].eq("contradicted")
        none = audit["verdict"].eq("no_official_result")
        sides = (set(audit.loc[own, ["table", "row_id"]].itertuples(index=False)) for own in (contradicts, none))
        assert set.intersection(*sides) == set()


# What the pages say.

SHIPPED = ("generational_speedup", "quantization_tradeoffs", "power_efficiency", "price_performance")
SHIPPED += ("real_world_derating", "my_deployment", "official_record", "overview")


def test_documents_are_judged_in_the_audit_alone(built, data):
    """No other report of the shipped parameters names a document, so that none is judged twice."""
    printed = data.results.loc[data.results["origin"].eq("published"), "source_id"]
    labels = {data.labels[name] for name in {*printed, *data.claims["source_id"]}}
    found = [
        (report, finding["name"])
        for report in SHIPPED
        for finding in json.loads((built[0].reports / f"{report}.json").read_text("utf-8"))["findings"]
        if any(label in finding["sentence"] for label in labels)
    ]
    assert found == []
