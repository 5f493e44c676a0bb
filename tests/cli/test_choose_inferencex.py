"""`analysis choose --evidence inferencex`: from InferenceX runs alone, named in the first line, or refused."""

import json

import pandas as pd
import pytest

from analysis.cli import choose_inferencex, main

CHOOSE = ["choose", "--evidence", "inferencex", "--users", "100", "--tokens-per-user", "35"]
RUN = {
    "origin": "inferencex", "model": "gpt-oss-120b", "accelerator": "B200 SXM", "accelerator_count": 4,
    "precision": "fp4", "software": "trt", "setup": "decode_tp=4", "prompt_tokens": 1024, "answer_tokens": 1024,
    "concurrency": 64.0, "tpot_p99_ms": 60.0, "ttft_p50_ms": 200.0, "ttft_p99_ms": 500.0, "date": "2026-04-02",
    "run_url": "",
}  # fmt: skip
RUNS = [
    RUN | {"tpot_p50_ms": 50.0, "tokens_per_second": 4000.0}, RUN | {"tpot_p50_ms": 20.0, "tokens_per_second": 400.0},
    RUN | {"tpot_p50_ms": 50.0, "tokens_per_second": 800.0, "accelerator": "H100 SXM"},
    RUN | {"tpot_p50_ms": 20.0, "tokens_per_second": 9000.0, "answer_tokens": 8192, "ttft_p99_ms": 9000.0},
]  # fmt: skip


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    """Run a command with RUNS as what was fetched (none: nothing); its exit status, and what it printed."""

    def run(*arguments, runs=RUNS):
        files = [tmp_path / "m.parquet"] if runs else []
        for file in files:
            pd.DataFrame(runs).to_parquet(file)
        monkeypatch.setattr(choose_inferencex, "inferencex_files", lambda folder: files)
        status = main.main([*CHOOSE, *arguments])
        return status, "".join(capsys.readouterr())

    return run


def test_the_answer_names_its_origin_first_and_no_mlperf_result(said):
    """316.2 tokens/s each at 35: 3,500 take 11.07 accelerators, so 12 in replicas of 4."""
    status, text = said("--price", "B200=4")
    lines = text.splitlines()
    assert status == 0 and lines[0].startswith(
        "InferenceX runs (not MLPerf): 100 concurrent users of gpt-oss-120b at 35 tokens/s, 12 B200 SXM, $3.5"
    )
    assert "Not measured at this interactivity" in text and "H100 SXM" in text and "v6.1" not in text
    assert "prompts of 1,024 and answers of 1,024 tokens; interactivity: p50 of TPOT" in lines


def test_json_has_the_same_ranking_and_lengths_choose_the_runs(said):
    status, text = said("--format", "json", "--tokens-per-request", "8192", "--tokens-per-user", "50")
    answer = json.loads(text)
    assert status == 0 and (answer["origin"], answer["lengths"]) == ("inferencex", [1024, 8192])
    assert [row["accelerator"] for row in answer["ranked"]] == ["B200 SXM"] and answer["not_ranked"] == []
    assert answer["ranked"][0]["rate"] == pytest.approx(2250.0)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--kilowatts", "30"], 2, "--kilowatts does not apply to --evidence inferencex"),
        (["--model", "gpt-oss-20b"], 2, "no InferenceX runs of 'gpt-oss-20b': did you mean 'gpt-oss-120b'"),
        (["--prompt-tokens", "5"], 2, "InferenceX measured gpt-oss-120b at 1024 and 1024, 1024 and 8192"),
        (["--users", "0"], 2, "--users and --tokens-per-user must be above 0"),
        (["--tokens-per-user", "51"], 1, "no run of gpt-oss-120b at 51 tokens/s per user; highest measured: 50"),
    ],
)
def test_what_runs_cannot_answer_is_refused(said, options, status, words):
    got, text = said(*options)
    assert got == status and words in text


def test_without_runs_it_says_how_to_fetch_them(said):
    status, text = said(runs=None)
    assert status == 1 and "no InferenceX runs are here. Next: analysis data --inferencex" in text


def test_models_or_paths_are_brought_not_both(capsys):
    assert main.main(["data", "some.json", "--inferencex", "gpt-oss-120b"]) == 2
    assert "--inferencex takes models, no PATH" in capsys.readouterr().err


def test_no_network_is_a_failure_of_the_command(capsys):
    assert main.main(["data", "--inferencex", "--mirror", "http://127.0.0.1:1"]) == 1
    assert "http://127.0.0.1:1/api/v1/availability: URLError" in capsys.readouterr().err
