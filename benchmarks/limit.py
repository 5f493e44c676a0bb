"""The cells of notebooks as plain code, in processes forked from one that has libraries and tables: no engine beats it.

Figures are taken as they were kept, tables are read once, and as many processes as jobs use the processors. Nothing is
shown. Run as `limit.py '[["notebook", {"parameter": value}], ...]' JOBS` in the notebooks' folder.
"""

import gc
import importlib
import json
import os
import sys
from pathlib import Path

from IPython.display import display

from analysis._build.kernels import preload


def main(given: list[list[object]], jobs: int) -> int:
    """Run all notebooks, `jobs` at a time. Returns 1 if any failed."""
    preload.load(drawing=False)
    for name in preload.OWN:
        importlib.import_module(name)
    sys.modules[preload.TABLES].load()
    gc.freeze()
    waiting, running, failed = list(given), set(), 0
    while waiting or running:
        while waiting and len(running) < jobs:
            running.add(_fork(*waiting.pop(0)))
        pid, status = os.wait()
        running.discard(pid)
        failed |= status != 0
    return int(failed)


def _fork(notebook: str, parameters: dict[str, object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()  # As each kernel does: Linux may share its processors by session.
            _run(notebook, parameters)
            os._exit(0)
        except BaseException as error:
            print(f"{notebook}: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)
    return pid


def _run(notebook: str, parameters: dict[str, object]) -> None:
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
    cells = json.loads(Path(f"{notebook}.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, object] = {"__name__": "__main__", "display": display}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        exec(compile("".join(cell["source"]), notebook, "exec"), names)
        if "parameters" in cell["metadata"].get("tags", []):
            names |= parameters


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), int(sys.argv[2])))
