"""The commands `audit` and `claims`: published figures and the claims of an article, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd

Format = Annotated[str, typer.Option(help="text, csv, or json.")]


def audit(
    source: Annotated[str, typer.Option(help="Show one document (an id of data/sources.csv).")] = "",
    verdict: Annotated[str, typer.Option(help="Show one verdict, such as contradicted.")] = "",
    format: Format = "text",
) -> int:
    """Print published figures with their verdicts."""
    from analysis.names import choose
    from analysis.published import load_published

    rows = load_published()
    for column, name in {"source_id": source, "verdict": verdict}.items():
        if name:
            rows = rows[rows[column].eq(choose(name, sorted(rows[column].unique()), column))]
    counts = rows["verdict"].value_counts()
    lines = [f"{len(rows)} figures: " + ", ".join(f"{count} {name}" for name, count in counts.items())]
    for row in rows.itertuples():
        lines.append(f"{row.id}: {row.claim}: printed {row.printed or '-'}. {row.verdict.capitalize()}. {row.reason}")
    return _print(rows, format, lines)


def claims(
    file: Annotated[Path, typer.Argument(help="A CSV file of claims; docs/notebooks.md lists its columns.")],
    format: Format = "text",
) -> int:
    """Judge the claims of an article by the official results."""
    from analysis.audit.claims import judge_claims, read_claims

    rows = judge_claims(read_claims(file))
    return _print(rows, format, (f"{row.text}\n    {row.verdict}. {row.reason}" for row in rows.itertuples()))


def _print(rows: pd.DataFrame, format: str, lines: Iterable[str]) -> int:
    """Print rows as CSV, JSON, or the given lines of text; return 0. Raises ValueError for another format."""
    from analysis.names import choose

    match choose(format, ("text", "csv", "json"), "format"):
        case "csv":
            typer.echo(rows.to_csv(index=False), nl=False)
        case "json":
            typer.echo(rows.to_json(orient="records", indent=1))
        case _:
            typer.echo("\n".join(lines))
    return 0
