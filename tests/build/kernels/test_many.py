"""A few hundred warm kernels, started, used and ended side by side: none may fail, stay or hang."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analysis._build.kernels import provisioner, warm

if TYPE_CHECKING:
    from conftest import Kernel

AT_A_TIME = 6


def life(make: type[Kernel], number: int, folder: Path) -> str:
    """One kernel from start to end; what it printed, and its exit status."""
    folder.mkdir()
    kernel = make(provisioner.NAME, folder)
    process = kernel.manager.provisioner.process
    said = kernel.run(f"import pandas; print(pandas.Series([{number}]).sum())")
    kernel.end()
    return f"{said} {process.wait(timeout=10)}"


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_kernels_live_and_end_side_by_side(kernel_class: type[Kernel], count: int, tmp_path: Path) -> None:
    provisioner.register()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        lives = list(pool.map(lambda number: life(kernel_class, number, tmp_path / str(number)), range(count)))
    assert lives == [f"{number} 0" for number in range(count)]
    parent = next(iter(warm._servers.values())).process.pid
    if sys.platform == "linux":
        assert Path(f"/proc/{parent}/task/{parent}/children").read_text().split() == []
