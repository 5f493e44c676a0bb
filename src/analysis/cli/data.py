"""The commands `import`, `data`, `check`, and `describe`: files of results into tables, and the tables themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FILES = "summary_results.json, summary.json, an exported results table, or a submission tree or a part of one."
Files = Annotated[list[Path], typer.Argument(help=FILES, metavar="PATH...")]
Round = Annotated[str, typer.Option(help="Round of results that do not state one, such as v7.0.", metavar="vX.Y")]
Origin = Annotated[str, typer.Option(help="Origin of results without proof of origin: official or measured.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing or edited files.")]


def import_(
    paths: Files,
    out: Annotated[Path, typer.Option(help="A .parquet or .csv file to write.")],
    round: Round = "",
    origin: Origin = "",
    force: Force = False,
) -> int:
    """Convert official files into a table of your own."""
    if out.exists() and not force:
        raise ValueError(f"--out: {out} already exists; --force replaces it")
    from analysis.recipes.official.importing import import_results

    return import_results(paths, round=round, origin=origin, out=out, say=typer.echo)


def bring(
    paths: Annotated[list[Path] | None, typer.Argument(help=FILES, metavar="[PATH...]")] = None,
    round: Round = "",
    origin: Origin = "",
    new_rows: Annotated[bool, typer.Option("--new-rows", help="Add rows for new rounds and accelerators.")] = False,
    inferencex: Annotated[bool, typer.Option(help="The files are InferenceX runs.")] = False,
    force: Force = False,
) -> int:
    """Add results to data/, or recompute its derived tables.

    Official results go to data/official/ and InferenceX runs to data/inferencex/, next to the shipped files. Without
    files, recompute the tables that are derived from others: burst factors, delivered shares, carry and prediction
    errors, and verdicts.
    """
    if inferencex:
        from analysis.recipes.inferencex import append_inferencex

        typer.echo(f"{append_inferencex(paths or [], force)} InferenceX runs added")
        return 0
    if paths:
        from analysis.recipes.official.importing import add_to_record

        return add_to_record(paths, round=round, origin=origin, new_rows=new_rows, say=typer.echo)
    from analysis.recipes import derived

    derived.make_tables(force, say=typer.echo)
    return describe(force)


def check() -> int:
    """Check the tables of data/ against their descriptions, and InferenceX runs against each other."""
    from analysis import evidence
    from analysis.recipes.check import faults
    from analysis.recipes.inferencex import implausible

    found = faults() or [  # reads files that must be without faults
        f"inferencex_runs, {run.locator} {run.measured}: {run.accelerator} x {run.gpus:.0f}, {run.model}, "
        f"{run.engine}, {run.prompt_tokens} in and {run.answer_tokens} out, {run.concurrency:.0f} in flight: "
        f"{run.tpot_ms:.1f} ms per token is far below this layout at half the load: concurrency or layout is wrong"
        for run in implausible(evidence.inferencex_runs()).itertuples()
    ]
    for fault in found:
        typer.echo(fault)
    typer.echo(f"{len(found)} fault{'s' * (len(found) != 1)} in data/" if found else "data/: no faults")
    return 1 if found else 0


def describe(force: Force = False) -> int:
    """Update data/README.md, and hashes in data/datapackage.json."""
    from analysis.recipes import descriptor

    changed = descriptor.describe(force=force)
    typer.echo(f"changed: {', '.join(changed)}" if changed else "up to date")
    return 0
