"""A small submission tree and summary of our own, with figures chosen by hand, written anew for each test."""

import json
import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("ANALYSIS_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "mlcommons"
SYSTEM = {
    "submitter": "Acme", "division": "closed", "status": "available", "system_type": "datacenter",
    "system_name": "Acme 8x H100", "number_of_nodes": 2, "accelerators_per_node": "4",
    "accelerator_model_name": "NVIDIA H100-SXM-80GB", "host_processor_model_name": "X", "host_processors_per_node": 2,
    "framework": "TensorRT 10",
}  # fmt: skip
LOG = {
    "loadgen_version": "4.1 @ abc", "effective_scenario": "Offline", "power_begin": "07-24-2024 10:00:00.000",
    "power_end": "07-24-2024 10:00:03.000", "loaded_qsl_set": list(range(50)), "result_validity": "VALID",
    "result_query_count": 1, "result_samples_per_second": 80.0, "result_tokens_per_second": 24000.5,
    "result_completed_samples_per_sec": 70.0, "result_completed_tokens_per_second": 21000.0,
    "result_token_throughput": 8.1e-09, "result_first_token_99.00_percentile_latency_ns": 450000000,
    "result_time_per_output_token_99.00_percentile_ns": 150000000,
}  # fmt: skip
SAMPLES = [("09:59:59.500", 10.0), ("10:00:00.000", 20.0), ("10:00:01.000", 300.0), ("10:00:02.000", 500.0),
           ("10:00:03.000", 9000.0), ("10:00:04.000", 5.0)]  # fmt: skip
ROW = {
    "ID": "v4.1-0007", "Submitter": "Acme", "Availability": "available", "Category": "closed", "Suite": "datacenter",
    "System": "Acme 8x H100", "Platform": "acme", "UsedModel": "llama2-70b-99.9", "Model": "llama2-70b-99.9",
    "Scenario": "Offline", "Accuracy": "ROUGE1: 44.5  TOKENS_PER_SAMPLE: 300.0", "Nodes": 2, "Processor": "X",
    "host_processors_per_node": 2, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 4.0,
    "Location": "closed/Acme/results/acme/llama2-70b-99.9/Offline", "Software": "TensorRT 10", "Notes": "",
    "version": "v4.1", "inferred": 0, "has_power": False, "weight_data_types": "fp16",
    "Performance_Result": 24000.5, "Performance_Units": "Tokens/s",
    "Details": "https://github.com/mlcommons/inference_results_v4.1/tree/main/closed/Acme/results/acme",
}  # fmt: skip


def log_text(**changes):
    """A detail log; a change to None takes the key away."""
    lines = {key: value for key, value in (LOG | changes).items() if value is not None}
    tail = '"time_ms": 0.1, "metadata": {"is_error": false}'
    return "".join(f':::MLLOG {{"key": "{k}", "value": {json.dumps(v)}, {tail}}}\n' for k, v in lines.items())


def spl_text(samples=SAMPLES):
    """A power log of the given times and watts."""
    return "".join(f"Time,07-24-2024 {at},Watts,{watts:f},Volts,230.0,Mark,m,Ch1,Watts,1.0\n" for at, watts in samples)


class Tree:
    """A tree in a temporary folder that names its round, and how a test changes it."""

    log_text, spl_text, row = staticmethod(log_text), staticmethod(spl_text), ROW

    def __init__(self, root):
        self.root = root
        self.write("closed/Acme/systems/acme.json", json.dumps(SYSTEM))
        self.write("closed/Acme/measurements/acme/llama2-70b-99.9/Offline/acme.json", '{"weight_data_types": "fp16"}')

    def write(self, name, content):
        """A file below the root, with the folders that it needs."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, model="llama2-70b-99.9", scenario="Offline", log=None):
        """A run folder with its log; returns its location."""
        location = f"closed/Acme/results/acme/{model}/{scenario}"
        written = log_text(effective_scenario=scenario) if log is None else log
        self.write(f"{location}/performance/run_1/mlperf_log_detail.txt", written)
        return location

    def power(self, location, spl=None):
        """Power of a run: the folder of the meter and the samples."""
        self.write(f"{location}/performance/power/client.json", "{}")
        self.write(f"{location}/performance/run_1/spl.txt", spl_text() if spl is None else spl)

    def summary(self, *rows):
        """A summary beside the tree."""
        return self.write("../summary.json", json.dumps([ROW | row for row in rows or ({},)]))


@pytest.fixture(autouse=True)
def with_imported_rows(monkeypatch):
    """Here what lies in data/official/ counts."""
    monkeypatch.delenv("ANALYSIS_OFFICIAL", raising=False)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "inference_results_v4.1")


@pytest.fixture
def bring(tmp_path):
    """Import paths: the outcome, with `table` (rows as text by column) and `lines` (what was said)."""
    import csv

    from analysis._import.official.import_run import import_results

    def run(*paths, **choices):
        lines = []
        out = choices.pop("out", tmp_path / "out.csv")
        outcome = import_results(paths, out, say=lines.append, **choices)
        outcome.lines = lines
        if out.suffix == ".csv":
            with out.open(encoding="utf-8", newline="") as file:
                outcome.table = list(csv.DictReader(file))
        return outcome

    return run


@pytest.fixture(scope="session")
def shared():
    """The official files of the maintainers' checkout; tests that need them are skipped visibly where they are not."""
    if not SHARED.is_dir():
        pytest.skip(f"no official files at {SHARED}")
    return SHARED
