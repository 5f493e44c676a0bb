"""`cm-result.json`, the Collective Mind lists of rounds until v4.0, one per suite, division, benchmark and scenario.

Power is beside the result in v3.1 and before; in v4.0 it is a row of its own, with Result null.
"""

from __future__ import annotations

from analysis._import.official.summaries.form import Form

FORM = Form(
    known_by=frozenset({"MlperfModel", "Organization"}),
    keys={
        "round": ("version",),
        "submitter": ("Organization",),
        "division": ("Division", "compliance"),
        "availability": ("Availability",),
        "suite": ("SystemType",),
        "system": ("SystemName",),
        "platform": ("Platform",),
        "accelerator": ("accelerator_model_name",),
        "processor": ("host_processor_model_name",),
        "per_node": ("accelerators_per_node",),
        "nodes": ("number_of_nodes",),
        "processors_per_node": ("host_processors_per_node",),
        "model_run": ("Model",),
        "model": ("MlperfModel",),
        "scenario": ("Scenario",),
        "value": ("Result",),
        "label": ("Result_Units", "Units"),
        "power": ("Result_Power",),
        "power_label": ("Result_Power_Units",),
        "accuracy": ("Accuracy",),
        "weights": ("weight_data_types",),
        "framework": ("framework",),
        "location": ("Location",),
        "described": ("notes",),
    },
    present=(("availability",), ("accelerator",), ("nodes",), ("location",), ("per_node",)),
    evidence="collection",
    same=("Location", "Platform", "Model", "Scenario", "version"),
)
