"""The command `audit`: the figures of the documents with their verdicts."""

from __future__ import annotations

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
