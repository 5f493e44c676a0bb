"""Compute the derived tables of data/: burst factors, delivered shares, prediction errors, verdicts."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from analysis import bursts, derating
from analysis.names import listed
from analysis.paths import DATA, replacing
from analysis.recipes import carrying, descriptor, documents, prediction_errors
from analysis.results import rule_limits


def burst_factors() -> pd.DataFrame:
    """Return `bursts.simulated` for each pair of limits of a benchmark (takes minutes)."""
    limits = {name: rule_limits(f"{name}_p99_limit") for name in ("tpot", "ttft")}
    pairs = pd.DataFrame(limits).dropna().drop_duplicates().sort_values(["tpot", "ttft"])
    return pd.concat([bursts.simulated(*pair) for pair in pairs.to_numpy()])


TABLES: dict[str, tuple[Callable[[], pd.DataFrame], str | None]] = {  # how each is computed, and its numbers' format
    "burst_factors": (burst_factors, "%.6g"),
    # With the new burst factors.
    "delivered": (lambda: derating.computed.__wrapped__(derating.limited_models()), "%.4f"),
    "carry_errors": (lambda: carrying.carry_errors(carrying.all_carry_tests()), None),
    "prediction_errors": (prediction_errors.prediction_errors, None),
    "verdicts": (documents.judged, "%.10g"),
}


def make_tables(force: bool = False, say: Callable[[str], None] = print) -> None:
    """Recompute each of TABLES and write it, whole or not at all.

    Raises ValueError where one is not as datapackage.json describes it, unless `force`, and OSError where one was saved
    while it was computed.
    """
    described = {each.name: each.hash for each in descriptor.read_descriptor(DATA).resources}
    files = {name: DATA / f"{name}.csv" for name in TABLES}
    edited = [
        f"data/{name}.csv"
        for name, file in files.items()
        if file.is_file() and descriptor.sha256(file.read_bytes()) != described[name]
    ]
    if edited and not force:
        raise ValueError(f"{listed(edited)}: edited since `analysis describe`; --force recomputes it anyway")
    for name, (compute, numbers) in TABLES.items():
        say(f"data/{name}.csv")
        with replacing(files[name]) as beside:
            rows = compute()
            texts = {
                key: column.map({True: "true", False: "false"}) for key, column in rows.select_dtypes("bool").items()
            }
            rows.assign(**texts).to_csv(beside, index=False, float_format=numbers, lineterminator="\n")
