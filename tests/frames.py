"""Small frames of results for tests: only what a test sets differs from a plain available closed Offline result."""

from __future__ import annotations

import pandas as pd

ROUNDS = ["v4.0", "v4.1", "v5.0", "v5.1", "v6.0", "v6.1"]
PLAIN = {
    "round": "v6.1", "division": "closed", "availability": "available", "suite": "datacenter", "submitter": "A",
    "system": "node", "accelerator": "B200", "vendor": "NVIDIA", "kind": "gpu", "accelerator_count": 8.0, "nodes": 1,
    "benchmark": "llama2-70b", "model": "Llama 2 70B", "accuracy_target": "99.9", "scenario": "Offline",
    "metric": "throughput", "rate": 80.0, "rate_unit": "tokens/s", "precision": "fp8", "precision_basis": "declared",
    "precision_label": "FP8 (declared)", "hypervisor": "", "serving_software": "", "power_measured": False,
    "power_capped": False, "power_limit_watts": float("nan"), "duplicate_of": "", "comparable_since": "v4.0",
    "result_id": "", "source_id": "mlcommons-v6.1",
}  # fmt: skip


def results(*rows: dict) -> pd.DataFrame:
    """Return one result per mapping of what differs from PLAIN; ids count up, rates are per system."""
    frame = pd.DataFrame([{"id": f"r{place}", **PLAIN, **row} for place, row in enumerate(rows)])
    frame["rate_per_accelerator"] = frame["rate"] / frame["accelerator_count"]
    frame["round"] = pd.Categorical(frame["round"], ROUNDS, ordered=True)
    return frame.assign(caveats=[[] for _ in rows])
