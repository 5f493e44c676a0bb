"""Add rows to the tables of data/ for new rounds and accelerators of an import, with what its results state."""

from __future__ import annotations

import csv
import io
from datetime import date
from pathlib import Path

import pandas as pd

from analysis import names, tables
from analysis.paths import DATA, replacing
from analysis.recipes.descriptor import REPOSITORY, sha256
from analysis.recipes.official.sources import SUMMARIES


def add_rows(found: pd.DataFrame) -> list[str]:
    """Add the rows, and return a line for each with the cells that are left to fill in."""
    found = found[found["fault"].eq("")]
    of_rounds = found[~found["round"].isin(tables.rounds["round"])].groupby("round")
    unknown = found.loc[~found["is_known"], ["accelerator_as_published", "round"]]
    rows = [row for round, results in of_rounds for row in _of_round(round, results)]
    rows += [row for name, round in unknown.drop_duplicates().itertuples(index=False) for row in _of_part(name, round)]
    added = [_add(table, row) for table, row in rows]
    tables.forget()
    return added


def _of_round(round: str, results: pd.DataFrame) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a round in data/sources.csv and data/rounds.csv."""
    source = {"id": f"mlcommons-{round}", "label": f"official {round}", "title": f"MLPerf Inference {round} results"}
    source |= {"publisher": "MLCommons", "url": REPOSITORY + round, "accessed": date.today().isoformat()}
    source |= {"license": "Apache-2.0", "kind": "official", "round": round}
    summaries = [Path(file) for file in results["file"].unique() if Path(file).name in SUMMARIES]
    digests = [sha256(file.read_bytes()).removeprefix("sha256:") for file in summaries]
    closed = results["division"].eq("closed").sum()
    own = {"round": round, "source_id": source["id"], "summary_sha256": digests[0] if len(digests) == 1 else ""}
    own |= {"note": f"{closed} closed results read on {source['accessed']}"}
    known = source["id"] in set(tables.sources["id"])
    return [("rounds", own)] if known else [("sources", source), ("rounds", own)]


def _of_part(name: str, round: str) -> list[tuple[str, dict[str, str]]]:
    """Return the row of a published name: an alias of a known accelerator, or a new one without its vendor's name."""
    first, _, rest = name.partition(" ")
    vendor = first if rest and first in set(tables.accelerators["vendor"]) else ""
    alias = {"as_published": name, "source": f"inference_results_{round}", "confidence": "medium"}
    try:
        label = names.accelerator(name)
    except ValueError:
        new = rest if vendor else name
        part = {"accelerator": new, "label": new, "vendor": vendor, "confidence": "not looked up"}
        return [("accelerators", part)] + [("accelerator_aliases", alias | {"accelerator": new})] * bool(vendor)
    known = tables.accelerators.set_index("label")["accelerator"]
    return [("accelerator_aliases", alias | {"accelerator": known[label]})]


def _add(table: str, row: dict[str, str]) -> str:
    """Add a row at the end of a table's file, and return a line that reports it."""
    resource = tables.descriptor()[table]
    columns = [field["name"] for field in resource["schema"]["fields"]]
    file = DATA / resource["path"]
    with replacing(file) as beside:
        line = io.StringIO()
        csv.DictWriter(line, columns, lineterminator="\n").writerow(row)
        before = file.read_text(encoding="utf-8")
        beside.write_text(before.removesuffix("\n") + "\n" + line.getvalue(), encoding="utf-8", newline="")
    key, empty = row[columns[0]], [name for name in columns if not row.get(name) and name != "note"]
    return f"added  {key!r} to data/{resource['path']}; to fill in: {', '.join(empty) or 'nothing'}"
