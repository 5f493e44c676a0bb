"""A small submission tree and summary of our own, with figures chosen by hand, written anew for each test."""

import json

import pandas as pd
import pytest

from analysis.recipes.official import importing, record

SYSTEM = {
    "submitter": "Acme", "division": "closed", "status": "available", "system_type": "datacenter",
    "system_name": "Acme 8x H100", "number_of_nodes": 2, "accelerators_per_node": "4",
    "accelerator_model_name": "NVIDIA H100-SXM-80GB", "host_processor_model_name": "X", "host_processors_per_node": 2,
    "framework": "TensorRT 10", "sw_notes": "served by vLLM on VMware ESXi",
}  # fmt: skip
LOG = {
    "loadgen_version": "5.1 @ abc", "effective_scenario": "Offline", "power_begin": "07-24-2025 10:00:00.000",
    "power_end": "07-24-2025 10:00:03.000", "loaded_qsl_set": list(range(50)), "result_validity": "VALID",
    "result_query_count": 1, "result_samples_per_second": 80.0, "result_tokens_per_second": 24000.5,
    "result_completed_samples_per_sec": 70.0, "result_completed_tokens_per_second": 21000.0,
    "result_token_throughput": 8.1e-09, "result_first_token_99.00_percentile_latency_ns": 450000000,
    "result_time_per_output_token_99.00_percentile_ns": 150000000,
}  # fmt: skip
SAMPLES = [("09:59:59.500", 10.0), ("10:00:00.000", 20.0), ("10:00:01.000", 300.0), ("10:00:02.000", 500.0),
           ("10:00:03.000", 9000.0), ("10:00:04.000", 5.0)]  # fmt: skip
ROW = {
    "ID": "9.9-0007", "Submitter": "Acme", "Availability": "available", "Category": "closed", "Suite": "datacenter",
    "System": "Acme 8x H100", "Platform": "acme", "UsedModel": "llama2-70b-99.9", "Model": "llama2-70b-99.9",
    "Scenario": "Offline", "Accuracy": "ROUGE1: 44.5  TOKENS_PER_SAMPLE: 300.0", "Nodes": 2, "Processor": "X",
    "host_processors_per_node": 2, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 4.0,
    "Location": "closed/Acme/results/acme/llama2-70b-99.9/Offline", "Software": "TensorRT 10", "Notes": "",
    "version": "v9.9", "inferred": 0, "has_power": False, "weight_data_types": "fp8",
    "Performance_Result": 24000.5, "Performance_Units": "Tokens/s",
}  # fmt: skip
V61 = {  # the names of v6.1 and later
    "Organization": "Acme", "compliance": "closed", "Availability": "available", "SystemType": "datacenter",
    "SystemName": "Acme", "Platform": "acme", "MlperfModel": "resnet", "Model": "resnet50", "Scenario": "singlestream",
    "Result": 0.002, "Units": "Latency (s)", "accelerator_model_name": "NVIDIA L4", "accelerators_per_node": 2,
    "total_accelerators": 6, "number_of_nodes": 3, "host_processor_model_name": "X", "framework": "f", "notes": None,
    "weight_data_types": "int8", "Location": "closed/Acme/results/acme/resnet50/SingleStream",
}  # fmt: skip


def log_text(**changes):
    """A detail log; a change to None takes the key away."""
    lines = {key: value for key, value in (LOG | changes).items() if value is not None}
    tail = '"time_ms": 0.1, "metadata": {"is_error": false}'
    return "".join(f':::MLLOG {{"key": "{k}", "value": {json.dumps(v)}, {tail}}}\n' for k, v in lines.items())


def spl_text(samples=SAMPLES):
    """A power log of the given times and watts."""
    return "".join(f"Time,07-24-2025 {at},Watts,{watts:f},Volts,230.0,Mark,m,Ch1,Watts,1.0\n" for at, watts in samples)


class Tree:
    """A tree in a temporary folder that names its round, and how a test changes it."""

    log_text, spl_text = staticmethod(log_text), staticmethod(spl_text)

    def __init__(self, root):
        self.root = root
        self.write("closed/Acme/systems/acme.json", json.dumps(SYSTEM))
        self.write("closed/Acme/measurements/acme/llama2-70b-99.9/Offline/a.json", '{"weight_data_types": "fp8"}')

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, model="llama2-70b-99.9", scenario="Offline", log=None, spl=None):
        """A run folder with its log, and its power samples where they are given; returns its location."""
        location = f"closed/Acme/results/acme/{model}/{scenario}"
        written = log_text(effective_scenario=scenario) if log is None else log
        self.write(f"{location}/performance/run_1/mlperf_log_detail.txt", written)
        if spl is not None:
            self.write(f"{location}/performance/power/client.json", "{}")
            self.write(f"{location}/performance/run_1/spl.txt", spl)
        return location

    def summary(self, *rows, **changes):
        """A summary in the tree: ROW with the changes of each of `rows`."""
        return self.write("summary_results.json", json.dumps([ROW | changes | row for row in rows or ({},)]))


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "inference_results_v9.9")


@pytest.fixture
def bring(tmp_path):
    """Import paths: the rows by id, with `attrs` status and said (all lines as one text)."""

    def run(*paths, **choices):
        lines, out = [], choices.pop("out", tmp_path / "out.parquet")
        out.unlink(missing_ok=True)
        status, error = 1, ""
        try:
            status = importing.import_results(paths, out=out, say=lines.append, **choices)
        except importing.ImportFailed as failed:
            error = str(failed)
        rows = pd.read_parquet(out).set_index("id") if out.is_file() else pd.DataFrame()
        rows.attrs |= {"status": status, "said": "\n".join([*lines, error])}
        return rows

    return run


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Make data/ a folder whose record of v9.9 holds the given rows; what is imported into it lands there."""

    def make(rows, round="v9.9"):
        folder = tmp_path / "data" / "official"
        folder.mkdir(parents=True)
        rows.reset_index().to_parquet(folder / f"{round}.parquet")
        described = importing.tables.descriptor()
        part = {"round": round, "path": f"official/{round}.parquet", "rows": len(rows), "hash": ""}
        parts = [part | {"sources": [{"sha256": "0"}]}]
        changed = described | {"results": described["results"] | {"parts": parts}}
        monkeypatch.setattr(importing.tables, "descriptor", lambda: changed)
        for module in (importing, record):
            monkeypatch.setattr(module, "DATA", folder.parent)
        return folder

    return make
