"""`analysis data --inferencex` against a local server: recorded answers of our own making, in the API's shape."""

import gzip
import http.server
import json
import threading
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from analysis._core import paths
from analysis._core.refusal import Refused
from analysis._import import inferencex_api
from analysis._import.inferencex_api import InferenceXError

METRICS = {"tput_per_gpu": 400.0, "output_tput_per_gpu": 200.0, "input_tput_per_gpu": 200.0, "median_ttft": 0.2,
           "p99_ttft": 0.5, "median_tpot": 0.04, "p99_tpot": 0.05, "median_intvty": 25.0}  # fmt: skip
ROW = {
    "id": 1, "hardware": "b300", "framework": "trt", "model": "gptoss120b", "precision": "fp4", "spec_method": "none",
    "disagg": False, "is_multinode": False, "prefill_tp": 4, "prefill_ep": 1, "prefill_dp_attention": False,
    "prefill_num_workers": 0, "decode_tp": 4, "decode_ep": 1, "decode_dp_attention": False, "decode_num_workers": 0,
    "num_prefill_gpu": 4, "num_decode_gpu": 4, "benchmark_type": "single_turn", "isl": 1024, "osl": 1024, "conc": 64,
    "offload_mode": "off", "image": None, "metrics": METRICS, "date": "2026-04-02", "run_url": None,
}  # fmt: skip
APART = ROW | {"hardware": "gb200", "disagg": True, "num_prefill_gpu": 4, "num_decode_gpu": 12}
APART |= {"metrics": METRICS | {"input_tput_per_gpu": 600.0, "tput_per_gpu": 300.0}}
TRACE = ROW | {"benchmark_type": "agentic_traces", "isl": None, "osl": None}
LISTED = [{"model": "gptoss120b", "date": day, "isl": 1024, "osl": 1024} for day in ("2026-04-01", "2026-04-02")]
LISTED += [{"model": "newmodel", "date": "2026-03-01", "isl": 1024, "osl": 1024}]


@pytest.fixture
def api():
    """The address of an API, its answers by path (bytes as they are, a number as a status), and what it was asked."""
    answers = {"/api/v1/availability": LISTED, "/api/v1/benchmarks": [ROW, APART, TRACE]}
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            asked.append(parse_qs(url.query))
            answer = answers[url.path]
            if isinstance(answer, int):
                return self.send_error(answer)
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(
                answer if isinstance(answer, bytes) else gzip.compress(json.dumps(answer).encode(), mtime=0)
            )

        def log_message(self, *arguments):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}", answers, asked
        httpd.shutdown()


def test_the_newest_runs_of_a_model_are_set_over_all_their_accelerators(api, tmp_path):
    """4 x 200 tokens/s on 4; of 4 that read and 12 that write, 12 x 200 on 16. A trace has no lengths."""
    address, _, asked = api
    said = []
    assert inferencex_api.bring(["GPT-OSS-120B"], address=f"{address}/", folder=tmp_path, say=said.append) == 0
    assert asked[1:] == [{"model": ["gpt-oss-120b"], "date": ["2026-04-02"]}]
    (file,) = tmp_path.iterdir()
    runs = pd.read_parquet(file)
    assert file.name == "gpt-oss-120b.parquet" and "2 InferenceX runs of gpt-oss-120b up to 2026-04-02" in said[0]
    assert set(runs["origin"]) == {"inferencex"}
    assert runs["accelerator"].tolist() == ["B300 SXM", "GB200"] and runs["accelerator_count"].tolist() == [4, 16]
    assert runs["tokens_per_second"].tolist() == [800.0, 2400.0]
    assert runs[["tpot_p50_ms", "ttft_p99_ms", "prompt_tokens"]].iloc[0].tolist() == [40.0, 500.0, 1024.0]
    assert "decode_tp=4" in runs["setup"].iloc[0]


def test_without_names_each_listed_model_is_fetched_and_a_wrong_run_is_named(api, tmp_path):
    address, answers, asked = api
    answers["/api/v1/benchmarks"] = [ROW, ROW | {"metrics": METRICS | {"median_tpot": 40.0}}]
    said = []
    assert inferencex_api.bring(address=address, folder=tmp_path, say=said.append) == 1
    assert [query["model"] for query in asked[1:]] == [["gpt-oss-120b"], ["newmodel"]]
    assert "excluded  gpt-oss-120b, row 2: median_tpot is 40" in "\n".join(said)
    assert len(pd.read_parquet(tmp_path / "newmodel.parquet")) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [(500, "HTTP Error 500"), (gzip.compress(b"[{", mtime=0)[:-9], "EOFError|error"),
     ({"error": "Unknown model"}, "expected a list of rows")],
)  # fmt: skip
def test_a_failed_answer_is_named_and_changes_nothing(api, tmp_path, answer, words):
    address, answers, _ = api
    inferencex_api.bring(address=address, folder=tmp_path, say=lambda line: None)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    answers["/api/v1/benchmarks"] = answer
    with pytest.raises(InferenceXError, match=rf"benchmarks\?model=gpt-oss-120b&date=2026-04-02.*({words})"):
        inferencex_api.bring(address=address, folder=tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before and len(before) == 2


def test_no_connection_and_no_such_model_are_said(api, tmp_path):
    with pytest.raises(InferenceXError, match=r"(?s)http://127.0.0.1:1/.*Nothing was changed. Next: .*--mirror"):
        inferencex_api.bring(address="http://127.0.0.1:1", folder=tmp_path)
    with pytest.raises(Refused, match="no model 'gpt-oss-20b': did you mean 'gpt-oss-120b'"):
        inferencex_api.bring(["gpt-oss-20b"], address=api[0], folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_without_times_per_token_has_none():
    metrics = {name: METRICS[name] for name in ("tput_per_gpu", "output_tput_per_gpu", "input_tput_per_gpu")}
    runs, faults = inferencex_api.read([ROW | {"metrics": metrics}, ROW | {"hardware": 3}], "m")
    assert np.isnan(runs["tpot_p50_ms"]).all() and len(faults) == 1 and faults[0].startswith("m, row 2: hw is 3")


def test_runs_of_the_user_are_found_but_for_stored_outputs(tmp_path, monkeypatch):
    (tmp_path / "inferencex").mkdir()
    (tmp_path / "inferencex" / "m.parquet").touch()
    assert [path.name for path in paths.inferencex_files(tmp_path)] == ["m.parquet"]
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "shipped")
    assert paths.inferencex_files(tmp_path) == []
