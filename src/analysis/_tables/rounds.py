"""The rounds of MLPerf Inference: the source that represents the official record of each."""

from __future__ import annotations

import pandas as pd

from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import record_id

RECORD = {"publisher": "MLCommons", "license": "Apache-2.0", "kind": "official"}


def with_records(sources: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """The sources, and one more for each round that names none: its official record, as every round has one.

    `sources` and `rounds` are the tables of these names; the index is 0, 1, ... where something was added.
    """
    unnamed = rounds[rounds["source_id"].eq("")]
    records = [
        dict.fromkeys(sources.columns, "")
        | RECORD
        | {"id": record_id(row["round"]), "label": f"official {row['round']}"}
        | {"title": f"MLPerf Inference {row['round']} results", "published": row["published"]}
        | {"url": f"https://github.com/mlcommons/inference_results_{row['round']}"}
        for row in as_dicts(unnamed)
    ]
    if not records:
        return sources
    return pd.concat([sources, pd.DataFrame(records)], ignore_index=True)
