"""The column dictionary data/README.md and the hashes in datapackage.json, made from what is there."""

from __future__ import annotations

import json
from pathlib import Path

from analysis._core.file_contents import sha256_of, write_changed
from analysis._core.paths import DATA
from analysis._tables import descriptor
from analysis._tables.descriptor import Field

TEMPLATE = Path(__file__).with_name("dictionary.md.j2")


def describe(folder: Path = DATA) -> list[str]:
    """Bring hashes and README up to the tables; returns the names of the files that changed.

    Written aside and renamed. Raises DescriptorError or OSError where a file cannot be read.
    """
    path = folder / descriptor.FILE
    descriptor.read_tables(folder)
    package = json.loads(path.read_text("utf-8"))
    for resource in package["resources"]:
        table = folder / resource["path"]
        resource.update(bytes=table.stat().st_size, hash=f"sha256:{sha256_of(table)}")
        for part in resource.get("parts", []):
            part.update(_measured(folder / part["path"]))
    described = write_changed(path, json.dumps(package, indent=1, ensure_ascii=False) + "\n")
    page = folder / "README.md"
    return [path.name] * described + [page.name] * write_changed(page, readme(folder))


def _measured(path: Path) -> dict[str, int | str]:
    """What the descriptor says of a part's file: rows, bytes and hash."""
    import pyarrow.parquet as pq

    rows = pq.read_metadata(path).num_rows
    return {"rows": rows, "bytes": path.stat().st_size, "hash": f"sha256:{sha256_of(path)}"}


def readme(folder: Path = DATA) -> str:
    """The column dictionary as Markdown: per table its description, traps, and each column with type and unit."""
    from jinja2 import Environment

    environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    template = environment.from_string(TEMPLATE.read_text("utf-8"))
    return template.render(tables=descriptor.read_tables(folder).values(), meaning=_meaning)


def _meaning(field: Field) -> str:
    choices = f" One of: {', '.join(f'`{choice}`' for choice in field.choices)}." if field.choices else ""
    most = f" No more than `{field.not_above}`." if field.not_above else ""
    return (field.description.rstrip(".") + "." + choices + most).replace("|", "\\|")
