"""`summary_results.json` of v4.1 to v6.0: a list of results, each with its id and its power beside the figure."""

from __future__ import annotations

from analysis._import.official.summaries.form import Form

FORM = Form(
    known_by=frozenset({"UsedModel", "Submitter"}),
    keys={
        "round": ("version",),
        "result_id": ("ID",),
        "submitter": ("Submitter",),
        "division": ("Category",),
        "availability": ("Availability",),
        "suite": ("Suite",),
        "system": ("System",),
        "platform": ("Platform",),
        "accelerator": ("Accelerator",),
        "processor": ("Processor",),
        "per_node": ("a#",),
        "total": ("total_accelerators",),
        "nodes": ("Nodes",),
        "processors_per_node": ("host_processors_per_node",),
        "model_run": ("UsedModel",),
        "model": ("Model",),
        "scenario": ("Scenario",),
        "value": ("Performance_Result",),
        "label": ("Performance_Units",),
        "power": ("Power_Result",),
        "power_label": ("Power_Units",),
        "accuracy": ("Accuracy",),
        "weights": ("weight_data_types",),
        "framework": ("Software",),
        "location": ("Location",),
        "described": ("Notes",),
    },
    present=(("availability",), ("accelerator",), ("nodes",), ("location",), ("per_node", "total"), ("result_id",)),
)
