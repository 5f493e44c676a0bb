"""The commands `reports` and `refresh`: build the pages, and store the outputs of the notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.paths import NOTEBOOKS


def _named(incomplete: str) -> list[str]:
    """Return the reports whose names begin so, for completion."""
    files = [*NOTEBOOKS.glob("*.ipynb"), *(NOTEBOOKS / "runs").glob("*.yml")]
    return sorted({file.stem for file in files if file.stem.startswith(incomplete) and not file.stem.startswith("_")})


Names = Annotated[list[str] | None, typer.Argument(help="Reports by name; none: all of them.", autocompletion=_named)]
Jobs = Annotated[int, typer.Option(min=1, max=64, help="Notebooks executed at a time.")]
Engine = Annotated[str, typer.Option(help="forked: processes with the libraries loaded; nbclient: ordinary kernels.")]


def reports(
    names: Names = None,
    watch: Annotated[bool, typer.Option("--watch", help="Serve the pages and rebuild them after each edit.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of --watch on this machine; 0: any.")] = 8000,
    force: Annotated[bool, typer.Option("--force", help="Build also what is up to date.")] = False,
    jobs: Jobs = 2,
    engine: Engine = "forked",
) -> int:
    """Build the reports that are not up to date."""
    if watch:
        from analysis.build.watch import watch as serve

        return serve(names or [], port=port, jobs=jobs, engine=engine)
    from analysis.build.reports import build

    return build(names or [], force=force, jobs=jobs, engine=engine)


def refresh(names: Names = None, jobs: Jobs = 2, engine: Engine = "forked") -> int:
    """Execute notebooks in place, so that their stored outputs match the code and data."""
    from analysis.build.refresh import refresh as execute

    return execute([Path(name).stem for name in names or []], jobs=jobs, engine=engine)
