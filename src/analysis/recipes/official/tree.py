"""Find the runs of a submission tree and read the files that describe them: system, declared weights, accuracy.

`<division>/<submitter>/results/<platform>/<model>/<scenario>/performance/run_1` is a run. Ranging runs, further runs,
and compliance runs are never reported. No link is followed out of the tree, and only regular files are opened.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis.recipes.official.logs import openable
from analysis.recipes.official.summary import FileError, decoded, read_json

DEEPEST = 12  # maximum folder depth of a run below the starting folder
RUN = "<division>/<submitter>/results/<platform>/<model>/<scenario>"
LOCATION = re.compile(
    r"(?P<root>.*?)/(?P<location>(?P<division>closed|open|network)/(?P<submitter>[^/]+)/results/(?P<platform>[^/]+)"
    r"/(?P<model_run>[^/]+)/(?P<scenario>[^/]+))"
)
WITHIN_RUN = {"performance", "accuracy"}
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


def find_runs(start: Path) -> tuple[list[dict[str, str]], list[str]]:
    """Return every run at or below `start` with the parts of its path, and a line for each folder that is skipped.

    `folder` is that of the scenario, `root` the one that holds the divisions; `location` the folder as summaries
    write it. `start` may be any part of a tree.
    """
    start = start.absolute()
    while start.name in {*WITHIN_RUN, "run_1"}:
        start = start.parent
    folders, unread, passed = [], [], []
    for folder, inside, _ in os.walk(start, onerror=unread.append):
        if WITHIN_RUN & {*inside}:
            folders.append(folder)
            inside.clear()
            continue
        # Code and compliance runs next to the results may have folders with the same names.
        inside[:] = ["results"] if "results" in inside else sorted({*inside} - {".git"})
        links = [name for name in inside if Path(folder, name).is_symlink()]
        passed += [f"{folder}/{name}: a symbolic link, not followed" for name in links]
        if inside and len(Path(folder).relative_to(start).parts) == DEEPEST:
            passed.append(f"{folder}/{inside[0]}: is nested deeper than {RUN}")
            inside.clear()
    passed += [f"{error.filename}: cannot be read: {error.strerror}" for error in unread]
    runs = []
    for folder in folders:
        if location := LOCATION.fullmatch(folder):
            runs.append(location.groupdict() | {"folder": folder})
        else:
            passed.append(f"{folder}: is not a run of a submission tree; expected {RUN}")
    return runs, passed


def described(run: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a result that a run's system, measurements file, and accuracy.txt give.

    `fault` describes a problem with the system description ("" if none).
    """
    name = f"systems/{run['platform']}.json"
    try:
        system = _object(Path(run["root"], run["division"], run["submitter"], name), run["root"])
        if missing := [key for key in NEEDED if key not in system]:
            raise FileError(f"has no {', '.join(missing)}; expected the key, even with an empty value")
    except FileError as error:
        return {"fault": f"{name}: {error}", "described": ""}
    fields = {field: system.get(key) for field, key in SYSTEM.items()}
    words = "".join(f"\n{system.get(key) or ''}" for key in DESCRIBING)
    return fields | {"fault": "", "described": words, "weights": _weights(run), "accuracy": _accuracy(run)}


def _text(file: Path, root: str) -> str:
    """Return the text of a small file of the tree `root`. Raises FileError."""
    if not openable(file, root):
        raise FileError("is missing")
    if file.stat().st_size > SMALL:
        raise FileError(f"is larger than {SMALL >> 20} MiB")
    try:
        return decoded(file.read_bytes())
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}") from None


def _object(file: Path, root: str) -> dict[str, Any]:
    """Return the object in a small JSON file of the tree `root`. Raises FileError."""
    content = read_json(_text(file, root))
    if not isinstance(content, dict):
        raise FileError(f"is {type(content).__name__}; expected an object")
    return content


def _weights(run: dict[str, str]) -> str | None:
    """Return the declared weight types of a run from its measurements file, None where there is none."""
    beside = Path(
        run["root"],
        run["division"],
        run["submitter"],
        "measurements",
        run["platform"],
        run["model_run"],
        run["scenario"],
    )
    for file in (Path(run["folder"], "measurements.json"), *sorted(beside.glob("*.json"))):
        with suppress(FileError):
            return _object(file, run["root"]).get("weight_data_types")
    return None


def _accuracy(run: dict[str, str]) -> str:
    """Return the accuracy from accuracy.txt in the summary's format; "" if it has none."""
    try:
        text = _text(Path(run["folder"], "accuracy", "accuracy.txt"), run["root"]).replace("\r", "\n")
    except FileError:
        return ""
    found = {name: re.findall(pattern, text, re.MULTILINE) for name, pattern in ACCURACY.items()}
    return "  ".join(f"{name}: {values[-1]}" for name, values in found.items() if values)
