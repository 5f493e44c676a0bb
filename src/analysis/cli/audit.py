"""The commands `audit` and `claims`: published figures and the claims of an article, with their verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def audit(
    source: Annotated[str, typer.Option(help="One document, by its id in data/sources.csv.")] = "",
    verdict: Annotated[str, typer.Option(help="One verdict, such as contradicted.")] = "",
    format: Annotated[str, typer.Option(help="text, csv, or json.")] = "text",
) -> int:
    """Print published figures with their verdicts."""
    from analysis.names import choose
    from analysis.published import load_published

    choose(format, ("text", "csv", "json"), "format")
    rows = load_published()
    for column, name in {"source_id": source, "verdict": verdict}.items():
        if name:
            rows = rows[rows[column].eq(choose(name, sorted(rows[column].unique()), column))]
    if format == "csv":
        typer.echo(rows.to_csv(index=False), nl=False)
    elif format == "json":
        typer.echo(rows.to_json(orient="records", indent=1))
    else:
        counts = rows["verdict"].value_counts()
        typer.echo(f"{len(rows)} figures: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
        for row in rows.itertuples():
            typer.echo(f"{row.id}: {row.claim}: printed {row.printed or '-'}. {row.verdict.capitalize()}. {row.reason}")
    return 0


def claims(
    file: Annotated[Path, typer.Argument(help="A CSV file of claims; docs/notebooks.md has its columns.")],
    format: Annotated[str, typer.Option(help="text, csv, or json.")] = "text",
) -> int:
    """Judge the claims of an article by the official results."""
    from analysis.audit.claims import judge_claims, read_claims
    from analysis.names import choose

    choose(format, ("text", "csv", "json"), "format")
    rows = judge_claims(read_claims(file))
    if format == "csv":
        typer.echo(rows.to_csv(index=False), nl=False)
    elif format == "json":
        typer.echo(rows.to_json(orient="records", indent=1))
    else:
        for row in rows.itertuples():
            typer.echo(f"{row.text}\n    {row.verdict}. {row.reason}")
    return 0
