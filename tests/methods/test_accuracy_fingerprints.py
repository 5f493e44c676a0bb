"""Declared precisions against tokens per sample and scores, by hand, and the four results that they contradict."""

import pandas as pd
import pytest

from analysis.comparability import selection
from analysis.methods import accuracy_fingerprints, quantization
from analysis.methods.accuracy_fingerprints import CONTRADICTED, INDISTINCT, MATCHES, UNTESTED

ACCELERATORS = pd.DataFrame({"accelerator": ["A1", "A2", "B1"], "vendor": ["A", "A", "B"]})


def run(submitter, precision, rouge, tokens, **more):
    return {"submitter": submitter, "precision": precision, "accelerator": "A1"} | more | {
        "text": f"ROUGEL: {rouge}", "tokens_per_sample": tokens
    }  # fmt: skip


def record(results, *rows):
    frame = results(*({name: row[name] for name in row if name not in ("text", "basis")} for row in rows))
    return frame.assign(
        accuracy=[row["text"] for row in rows], precision_basis=[row.get("basis", "declared") for row in rows]
    )


FP8 = [run("One", "fp8", 28.6, 300.0), run("One", "fp8", 28.7, 296.0), run("Two", "fp8", 28.65, 294.0)]
FP4 = [run("One", "fp4", 28.9, 284.0), run("Two", "fp4", 28.95, 282.0), run("Two", "fp4", 28.8, 288.0)]


@pytest.mark.parametrize(
    ("odd", "verdict", "reads_as"),
    [
        (run("Odd", "fp8", 28.9, 283.0), CONTRADICTED, "fp4"),
        (run("Odd", "fp4", 28.9, 283.0), MATCHES, "fp4"),
        (run("Odd", "fp8", 28.74, 280.0), UNTESTED, ""),  # tokens of one, score nearer to the other
        (run("Odd", "fp8", 28.9, None), UNTESTED, ""),  # one metric
        (run("Odd", "int4", 28.9, 283.0), INDISTINCT, "fp4"),
        (run("Odd", "fp8", 28.9, 283.0, accelerator="B1"), UNTESTED, ""),  # another vendor's weights
        (run("One", "fp8", 28.9, 283.0), UNTESTED, ""),  # without One's, too few runs are left
    ],
)
def test_a_run_is_held_against_the_runs_of_others(results, odd, verdict, reads_as):
    """FP8 runs have 294 to 300 tokens and 28.6 to 28.7, FP4 runs 282 to 288 and 28.8 to 28.95."""
    found = accuracy_fingerprints.judged(record(results, *FP8, *FP4, odd), ACCELERATORS).iloc[-1]
    assert (found["verdict"], found["reads_as"]) == (verdict, reads_as)


def test_a_verdict_states_the_ranges_that_decide(results):
    found = accuracy_fingerprints.judged(
        record(results, *FP8, *FP4, run("Odd", "fp8", 28.9, 283.0)), ACCELERATORS
    ).iloc[-1]
    assert found["metric"] == accuracy_fingerprints.TOKENS
    names = ["value", "own_low", "own_high", "other_low", "other_high"]
    assert found[names].tolist() == [283.0, 294.0, 300.0, 282.0, 288.0]


def test_evidence_is_a_file_or_a_match_and_no_file_stands_against_the_accuracy(results):
    odd = [
        run("Odd", "fp4", 28.9, 283.0),
        run("Odd", "fp4", 28.9, None),
        run("Odd", "fp4", 28.9, None) | {"basis": "configuration"},
        run("Odd", "int4", 28.9, 283.0) | {"basis": "configuration"},
        run("Odd", "fp8", 28.9, 283.0) | {"basis": "configuration"},
    ]
    rows = record(results, *FP8, *FP4, *odd)
    kept = accuracy_fingerprints.evident(rows, accuracy_fingerprints.judged(rows, ACCELERATORS))
    assert [name for name in kept["id"] if int(name[1:]) >= 6] == ["r6", "r8"]


def test_two_systems_that_declare_fp8_ran_fp4(data):
    """6.0-0032 and its power-capped twin: 282.9 tokens per sample, where AMD's FP8 runs have 293 to 302."""
    declared = accuracy_fingerprints.as_declared(data.results, data.corrections)
    found = accuracy_fingerprints.judged(declared, data.accelerators)
    wrong = found[found["verdict"].eq(CONTRADICTED)]
    own = data.results.set_index("id").loc[wrong["id"]]
    assert set(own["result_id"]) == {"6.0-0032", "6.0-0033"} and len(own) == 8
    assert set(own["precision"]) == {"fp4"} == set(wrong["reads_as"])
    assert set(declared.set_index("id").loc[wrong["id"], "precision"]) == {"fp8"}
    corrected = accuracy_fingerprints.judged(data.results, data.accelerators)
    assert CONTRADICTED not in set(corrected["verdict"])
    assert corrected["verdict"].eq(MATCHES).sum() > found["verdict"].eq(MATCHES).sum() > 0


def test_no_accelerator_has_evidence_of_two_precisions(data):
    question = selection.Question("llama2-70b", "Offline", origins=("official",))
    rows = selection.select_all(data, question)
    verdicts = accuracy_fingerprints.judged(data.results, data.accelerators)
    assert len(quantization.precision_pairs(rows)) > 0
    assert quantization.precision_pairs(accuracy_fingerprints.evident(rows, verdicts)).empty
