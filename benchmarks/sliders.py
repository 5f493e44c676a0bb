"""How long a move of a slider of explore.ipynb takes until the new answer is there, without the browser's part."""

import time
from pathlib import Path

import nbformat

MOVES = 15


def milliseconds(root: Path) -> list[float]:
    """What each of MOVES moves of the users' slider takes, of the notebook's own cells before its sliders."""
    names: dict = {}
    for cell in nbformat.read(root / "notebooks" / "explore.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and not {"start", "fixed"} <= set(names):
            exec(cell.source, names)
    explorer, taken = names["sliders"].Explorer(names["start"], names["fixed"]), []
    slider = explorer.sliders["users"]
    for _ in range(MOVES):
        began = time.perf_counter()
        slider.value *= 10**slider.step
        taken.append(1000 * (time.perf_counter() - began))
    return taken
