"""What a submitted system is: on sale or not yet, bare or virtualised, how large, of which round.

All functions take comparable rows (see compare.gate). Systems of one kind may make one range; others are told apart.
"""

from __future__ import annotations

import pandas as pd

from analysis.core.vocabulary import round_age

AVAILABLE, VIRTUAL = "available", "virtualised"
SYSTEM = 8  # accelerators of the system that most submitters file, of every vendor


def kind(rows: pd.DataFrame) -> pd.Series:
    """AVAILABLE, VIRTUAL where the system's description names a hypervisor, or what else it is: preview, rdi.

    A document does not say: its figures are taken for those of systems on sale.
    """
    sold = rows["availability"].replace("", AVAILABLE)
    hypervisor = rows.get("hypervisor", pd.Series("", index=rows.index)).fillna("")
    return sold.mask(sold.eq(AVAILABLE) & hypervisor.ne(""), VIRTUAL)


def narrowed(rows: pd.DataFrame, like: pd.Series) -> pd.DataFrame:
    """The rows that are `like`; all of them where none is."""
    return rows[like] if like.any() else rows


def alike(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one accelerator whose systems make one range: on sale and bare, of one size, of the newest round.

    Each rule holds among the rows that the ones before it leave, and only where it leaves any.
    """
    return of_one_size(narrowed(rows, kind(rows).eq(AVAILABLE)))


def of_one_size(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of systems of one size, of the newest round that has it.

    The size is SYSTEM where there is such a system, else that of most rows, the larger where two are as frequent.
    """
    rows = of_usual_size(rows)
    return rows[rows["round"].eq(max(rows["round"], key=round_age, default=""))]


def of_usual_size(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of systems of one size, of whatever round."""
    sizes = rows["accelerator_count"].value_counts()
    size = max(sizes.index, key=lambda size: (size == SYSTEM, sizes[size], size), default=0)
    return rows[rows["accelerator_count"].eq(size)]


def node(rows: pd.DataFrame) -> int:
    """The accelerators of one node of the systems behind a rate, the fewest of several; SYSTEM where none tells."""
    nodes = rows["nodes"].astype("float64").fillna(1.0) if "nodes" in rows else 1.0
    sizes = rows["accelerator_count"].astype("float64") / nodes
    whole = sizes[sizes.ge(1) & sizes.mod(1).eq(0)]
    return int(whole.min()) if len(whole) else SYSTEM


def counted(rows: pd.DataFrame) -> int:
    """How many systems the rows are of; a document tells none apart, and each of its rows counts as one."""
    official = rows["origin"].eq("official")
    return rows.loc[official, "system_key"].nunique() + int((~official).sum())
