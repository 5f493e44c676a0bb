"""Find the runs of a submission tree and read what lies beside their logs: system, declared weights, accuracy.

`<division>/<submitter>/results/<platform>/<model>/<scenario>/performance/run_1` is a run. Ranging runs, further runs,
and compliance runs are never reported. No link is followed out of the tree, and only plain files are opened.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.ingest.official.summary import FileError, read_json

DIVISIONS = ("closed", "open", "network")
SKIPPED = {"compliance", "code", "src", "measurements", "systems", "documentation", "calibration", "configs", ".git"}
DEEPEST = 12  # folders between where a walk begins and a run
RUN = "<division>/<submitter>/results/<platform>/<model>/<scenario>"
WITHIN_RUN = ("performance", "accuracy")
COMPLIANCE = re.compile(r"TEST\d+", re.IGNORECASE)  # beside the runs in the scenario folders from v6.0 on
SMALL = 4 << 20  # bytes of a description or accuracy.txt
NEEDED = ("status", "accelerator_model_name", "accelerators_per_node", "number_of_nodes")
SYSTEM = {  # field of a result -> key of systems/<platform>.json
    "suite": "system_type", "availability": "status", "system": "system_name", "accelerator": "accelerator_model_name",
    "processor": "host_processor_model_name", "per_node": "accelerators_per_node", "nodes": "number_of_nodes",
    "processors_per_node": "host_processors_per_node", "framework": "framework",
}  # fmt: skip
DESCRIBING = ("operating_system", "other_software_stack", "sw_notes", "hw_notes", "other_hardware")
ACCURACY = {  # metric in the summary's words -> pattern of its value in accuracy.txt
    "ROUGE1": r"'rouge1':\s+'?([\d.]+)",
    "ROUGE2": r"'rouge2':\s+'?([\d.]+)",
    "ROUGEL": r"'rougeL':\s+'?([\d.]+)",
    "GEN_LEN": r"'gen_len':\s+'?([\d.]+)",
    "TOKENS_PER_SAMPLE": r"'tokens_per_sample':\s+'?([\d.]+)",
    "acc": r"^accuracy=\s*([\d.]+)",
    "mAP": r"mAP=\s*([\d.]+)",
    "F1": r"""["']f1["']:\s*([\d.]+)""",
    "WER": r"^Word Error Rate:[^\n]{0,500}?accuracy=\s*([\d.]+)",
    "AUC": r"^AUC=\s*([\d.]+)",
    "DICE": r"Accuracy:\s*mean\s*=\s*([\d.]+)",
    "CLIP_SCORE": r"'CLIP_SCORE':\s+'?([\d.]+)",
    "FID_SCORE": r"'FID_SCORE':\s+'?([\d.]+)",
}


def find_runs(start: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return every run at or below `start` with what its path says, and a line for each folder that is passed over.

    `folder` is that of the scenario, `root` the one that holds the divisions; `location` the folder as summaries
    write it. `start` may be any part of a tree.
    """
    start = start.absolute()
    while start.name in (*WITHIN_RUN, "run_1"):
        start = start.parent
    waiting, folders, passed = [(str(start), 0)], [], []
    while waiting:
        folder, depth = waiting.pop()
        try:
            inside = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
        except OSError as error:
            passed.append(f"{folder}: cannot be read: {error.strerror}")
            continue
        if set(inside) & set(WITHIN_RUN):
            folders.append(folder)
            continue
        inside = ["results"] if "results" in inside else inside  # code beside it may hold folders of the same names
        for name in reversed(inside):
            path = f"{folder}/{name}"
            if Path(path).is_symlink():
                passed.append(f"{path}: a symbolic link, not followed")
            elif depth == DEEPEST:
                passed.append(f"{path}: lies deeper than {RUN}")
            elif name not in SKIPPED and not COMPLIANCE.fullmatch(name):
                waiting.append((path, depth + 1))
    runs = pd.DataFrame({"folder": folders}, dtype="str")
    parts = runs["folder"].str.extract(
        r"^(?P<root>.*?)/(?P<division>[^/]+)/(?P<submitter>[^/]+)/results/(?P<platform>[^/]+)/(?P<model_run>[^/]+)/(?P<scenario>[^/]+)$"
    )
    is_run = parts["division"].isin(DIVISIONS)
    passed += [f"{folder}: is no run of a submission tree: expected {RUN}" for folder in runs["folder"][~is_run]]
    runs = runs.join(parts)[is_run].reset_index(drop=True)
    system = runs["division"] + "/" + runs["submitter"] + "/results/" + runs["platform"]
    return runs.assign(location=system + "/" + runs["model_run"] + "/" + runs["scenario"]), passed


def described(run: Any) -> dict[str, Any]:
    """Return the fields of a result that a run's system, measurements file, and accuracy.txt give. Raises FileError."""
    system = _system(run.root, f"{run.division}/{run.submitter}/systems/{run.platform}.json")
    fields = {name: system.get(key) for name, key in SYSTEM.items()}
    words = "".join(f"\n{system.get(name) or ''}" for name in DESCRIBING)
    return fields | {"described": words, "weights": weights(run), "accuracy": _accuracy(run)}


def weights(run: Any) -> str | None:
    """Return the declared weight types of a run from its measurements file, None where there is none."""
    beside = Path(run.root, run.division, run.submitter, "measurements", run.platform, run.model_run, run.scenario)
    files = sorted(beside.glob("*.json")) if beside.is_dir() else []
    for file in (Path(run.folder, "measurements.json"), *files):
        if openable(file, run.root):
            try:
                content = read_json(file, SMALL)
            except FileError:
                continue
            if isinstance(content, dict):
                return content.get("weight_data_types")
    return None


def openable(file: Path, root: str) -> bool:
    """Return whether a plain file is there, within the tree `root`."""
    return file.is_file() and file.resolve().is_relative_to(Path(root).resolve())


@lru_cache(maxsize=512)
def _system(root: str, name: str) -> dict[str, Any]:
    short = "/".join(name.split("/")[-2:])
    if not openable(Path(root, name), root):
        raise FileError(f"{short}: is missing")
    try:
        content = read_json(Path(root, name), SMALL)
    except FileError as error:
        raise FileError(f"{short}: {error}") from None
    if not isinstance(content, dict):
        raise FileError(f"{short}: is {type(content).__name__}, expected an object")
    if missing := [key for key in NEEDED if key not in content]:
        raise FileError(f"{short}: has no {', '.join(missing)}, not even an empty one")
    return content


def _accuracy(run: Any) -> str:
    """Return the accuracy as a summary words it, from accuracy.txt; "" where it says none."""
    file = Path(run.folder, "accuracy", "accuracy.txt")
    if not openable(file, run.root) or file.stat().st_size > SMALL:
        return ""
    text = file.read_text("latin-1").replace("\r", "\n")
    found = {name: re.findall(pattern, text, re.MULTILINE) for name, pattern in ACCURACY.items()}
    return "  ".join(f"{name}: {values[-1]}" for name, values in found.items() if values)
