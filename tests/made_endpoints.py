"""Made-up submissions of MLPerf Endpoints in the shape of real ones, v1.0 and v0.7, for tests."""

import json

import yaml

SPEC = {"source_type": "vendor_spec", "source": "https://example.com/sheet"}
CURVE = {4: (400.0, 8.0), 64: (4_800.0, 12.0), 512: (16_000.0, 30.0), 1024: (20_000.0, 64.0)}  # tokens/s, ms at P90


def power(cooling="liquid", nodes=1, accelerators=8, watts=700):
    """A system_power.json: two processors of 350 W, accelerators, and one switch of 3,500 W in each node."""
    parts = {
        "cpu": {"count_per_node": 2, "tdp_per_unit": {"value_w": 350, **SPEC}},
        "accelerator": {"count_per_node": accelerators, "tdp_per_unit": {"value_w": watts, **SPEC}},
        "scale_up_network": {
            "method": "declared_tdp", "switch_count": 1, "tdp_per_switch": {"value_w": 3500, **SPEC},
        },
    }  # fmt: skip
    node_set = {"node_set_id": 0, "system_node_ensemble_id": 0, "nodes_provisioned": nodes,
                "power_method": "component_sum", "components": parts}  # fmt: skip
    return {"system_desc_id": "acme", "cooling": cooling, "node_sets": [node_set], "scale_out": {"present": False}}


def summary(tokens_per_second, tpot_p90_ms):
    """A result_summary.json of 1,000 s, latencies in nanoseconds."""
    latencies = {
        name: {"total": 1e12, "percentiles": {"50.0": 0.5 * at, "90.0": at, "95.0": 1.2 * at, "99.0": 2 * at}}
        for name, at in (("ttft", 300e6), ("tpot", tpot_p90_ms * 1e6))
    }
    return latencies | {
        "n_samples_issued": 5000, "n_samples_completed": 5000, "n_samples_failed": 0, "duration_ns": 1_000_000_000_000,
        "output_sequence_lengths": {"total": tokens_per_second * 1000, "percentiles": {}},
    }  # fmt: skip


def point(concurrency, **changes):
    """A point.yaml."""
    return {
        "concurrency": concurrency, "division": "Standardized", "model_name": "gpt-oss-120b", "dataset_name": "MMLU",
        "model_precision": "FP4", "region": "med_concurrency", "target_cohort": "2026-11-C1",
        "runtime_settings": {"load_pattern": "concurrency"}, "steady_state": {"status": "windowable"},
    } | changes  # fmt: skip


def system(name, accelerator, count=8, nodes=1, **changes):
    """A system_desc.json."""
    parts = [{"accelerator_model_name": accelerator, "accelerators_per_node": count}]
    node = {"system_node_ensemble_id": 0, "number_of_nodes": nodes, "accelerator_info": parts}
    return {"system_name": name, "system_availability_status": "Available", "node_types": [node]} | changes


def write(path, content):
    """Write a file of a submission, YAML or JSON by its ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(content)) if path.suffix == ".yaml" else json.dumps(content))


def submission(root, submitter, accelerator, times=1.0, model="gpt-oss-120b", described=None, rated=None, **changes):
    """A submission of v1.0 with one curve, CURVE at `times` its throughput; the folder of its points."""
    name = f"{submitter.lower()}_8x"
    curve = root / submitter / "abc123" / "results" / name / model
    write(curve.parent / "system_power.json", power() if rated is None else rated)
    for concurrency, (rate, tpot) in CURVE.items():
        folder = curve / f"r{concurrency}"
        write(folder / "point.yaml", point(concurrency, model_name=model, **changes))
        write(folder / "system_desc.json", system(f"{submitter} node", accelerator) | (described or {}))
        write(folder / "result_summary.json", summary(times * rate, tpot))
    write(curve / "r4" / "accuracy_results.json", {"MMLU": {"score": {"exact_match": "84.25"}}})
    return curve


def old_submission(root, pareto):
    """A submission of v0.7 with one point, as published or (`pareto`) as submitted; the folder of its results."""
    beside = root / "Acme" / "pareto" / "node8" / "llama3_1-8b" if pareto else root / "Acme" / "node8" / "llama3_1-8b"
    systems = root / "Acme" / "systems" if pareto else beside / "systems"
    flat = {"number_of_nodes": 1, "accelerator_model_name": "NVIDIA H200-SXM-141GB", "accelerators_per_node": 8}
    stated = {"system_name": "Acme node", "division": "RDI", "model_name": "llama3_1-8b", "dataset_name": "CNN",
              "publication_status": "rdi", "node_types": [flat], "measured_accuracy_score": 38.7}  # fmt: skip
    write(systems / "node8.json", stated)
    percentiles = {f"measured_latency_{name}_p{percent}": f"{at * percent:g}"
                   for name, at in (("ttft", 2), ("tpot", 0.1)) for percent in (50, 90, 95, 99)}  # fmt: skip
    run = {"concurrency": 128, "system_tps": 3072.0, "tps_per_user": 24.0, "measured_run_duration": 1200,
           "measured_total_requests": 9000}  # fmt: skip
    write(beside / "results" / "point_128" / "run_metadata.json", run | percentiles)
    return beside / "results"
