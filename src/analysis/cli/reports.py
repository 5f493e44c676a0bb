"""The commands `reports` and `refresh`: build the pages, and store the outputs of the notebooks."""

from __future__ import annotations

import gc
import os
from typing import Annotated

import typer

from analysis import paths
from analysis.paths import NOTEBOOKS, SHIPPED_ONLY


def _named(incomplete: str) -> list[str]:
    """Complete the name of a report."""
    files = [*NOTEBOOKS.glob("*.ipynb"), *(NOTEBOOKS / "runs").glob("*.yml")]
    return sorted({file.stem for file in files if file.stem.startswith(incomplete) and not file.stem.startswith("_")})


Names = Annotated[list[str] | None, typer.Argument(help="Names of reports (default: all).", autocompletion=_named)]
Jobs = Annotated[int, typer.Option(min=1, max=64, help="Notebooks to execute in parallel.")]
Timeout = Annotated[float, typer.Option(min=1, help="Time limit per notebook in seconds.")]


def reports(
    names: Names = None,
    watch: Annotated[bool, typer.Option("--watch", help="Serve the pages and rebuild them after each edit.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Local port for --watch (0: any).")] = 8000,
    force: Annotated[
        bool, typer.Option("--force", help="Rebuild all, and replace pages that were not made here.")
    ] = False,
    jobs: Jobs = 2,
    timeout: Timeout = 300,
) -> int:
    """Build the reports that are not up to date."""
    if watch:
        if force:
            raise ValueError("--force cannot be combined with --watch, which rebuilds what an edit makes stale")
        from analysis.pages.watch import watch as serve

        return serve(names or [], port=port, jobs=jobs, timeout=timeout)
    gc.disable()  # imported objects stay: scanning them for garbage takes a tenth of the time
    from analysis.pages.reports import build

    status = build(names or [], jobs=jobs, force=force, timeout=timeout)
    gc.enable()
    return _explained(status)


def refresh(names: Names = None, jobs: Jobs = 2, timeout: Timeout = 300) -> int:
    """Execute notebooks in place and store their outputs."""
    os.environ[SHIPPED_ONLY] = "shipped"  # stored outputs are the same on every machine, whatever was imported
    from analysis.pages.refresh import refresh as execute

    return _explained(execute(names or [], jobs=jobs, timeout=timeout))


def _explained(status: int) -> int:
    """Return the status. Raises DescriptorError where reports failed and the descriptor of data/ has a wrong key."""
    if status:
        from analysis.recipes import descriptor

        descriptor.read_descriptor(paths.DATA)
    return status
