"""Properties of submitted systems that decide which ones make one range: availability, virtualization, size, round.

A system at a power limit below the default, whose power was not measured, is a kind of its own, as a virtualized one
is.

Functions take comparable rows (see comparability.selection).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis._core.vocabulary import round_age

AVAILABLE, VIRTUAL, CAPPED = "available", "virtualized", "power-capped"
USUAL_SIZE = 8  # accelerators of the most frequently submitted system, of all vendors
SERVED = ("serving_software", "framework")  # serving software, else framework; columns that may be missing
READ = ("availability", "hypervisor", "accelerator_count", "round")  # what is read here; hypervisor need not be there
LIMITED = ("power_capped", "power_measured")  # read too, where both are there


def available(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the official results of available systems, bare metal or virtualized."""
    return rows[rows["origin"].eq("official") & rows["availability"].eq(AVAILABLE)]


def kind(rows: pd.DataFrame) -> pd.Series:
    """Return AVAILABLE, or of such systems VIRTUAL (the description names a hypervisor) or CAPPED; else preview, rdi.

    A document does not say: its figures count as those of available systems.
    """
    return pd.Series(_kind(rows), index=rows.index, dtype="str")


def _kind(rows: pd.DataFrame) -> np.ndarray:
    availability = rows["availability"].to_numpy("object")
    availability = np.where(availability == "", AVAILABLE, availability)
    is_available = availability == AVAILABLE
    return np.select([is_available & virtualized(rows), is_available & limited(rows)], [VIRTUAL, CAPPED], availability)


def virtualized(rows: pd.DataFrame) -> np.ndarray:
    """Return whether the description of each system names a hypervisor; of rows that have no such column none does."""
    known = rows["hypervisor"].fillna("") if "hypervisor" in rows else pd.Series("", rows.index)
    return known.to_numpy("object") != ""


def limited(rows: pd.DataFrame) -> np.ndarray:
    """Return whether each system ran at a power limit below the default without power measurement."""
    if not set(LIMITED) <= set(rows):
        return np.zeros(len(rows), "bool")
    capped, metered = (rows[name].to_numpy("bool") for name in LIMITED)
    return capped & ~metered


def narrowed(rows: pd.DataFrame, is_like: pd.Series) -> pd.DataFrame:
    """Return the rows where `is_like` holds; all of them where it holds for none."""
    return rows[is_like] if is_like.any() and not is_like.all() else rows


# Rows have scores of columns, each of which is copied when rows are chosen: they are chosen once, by the last rule.
def alike(rows: pd.DataFrame, among: np.ndarray | None = None) -> pd.DataFrame:
    """Return the rows of one accelerator that make one range: available bare metal, one size, the newest round.

    `among` selects the rows of that accelerator (None: all). Each rule applies to the rows left by the rules before it,
    and only where it leaves any.
    """
    return rows[of_one_range(*read(rows), np.ones(len(rows), "bool") if among is None else among)]


def read(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays that of_one_range reads: available bare metal or not, accelerators (NaN unknown), round."""
    return _kind(rows) == AVAILABLE, _counts(rows), rows["round"].to_numpy("object")


def of_one_range(is_sold: np.ndarray, counts: np.ndarray, rounds: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return which of the rows `among` are `alike`, from the arrays of `read`, which serve many selections."""
    among = among & is_sold if (among & is_sold).any() else among
    among = _usual(counts, among)
    return among & (rounds == max(set(rounds[among]), key=round_age, default=""))


def of_usual_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of systems of one size, of any round.

    The size is USUAL_SIZE where there is such a system, else the most frequent, the larger of two equally frequent.
    """
    return rows[_usual(_counts(rows), np.ones(len(rows), "bool"))]


def _counts(rows: pd.DataFrame) -> np.ndarray:
    return rows["accelerator_count"].to_numpy("float64", na_value=np.nan)


def _usual(counts: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Which of the rows `among` are of the size that of_usual_size names."""
    sizes = Counter(counts[among & ~np.isnan(counts)].tolist())
    return among & (counts == max(sizes, key=lambda size: (size == USUAL_SIZE, sizes[size], size), default=0))


def of_one_target(pairs: pd.DataFrame, by: Sequence[str], suffix: str) -> pd.DataFrame:
    """Return the pairs of one accuracy target; of two only where a run of `by` has no pair of one.

    `suffix` is that of the other side's columns.
    """
    same = pairs["accuracy_target"].eq(pairs[f"accuracy_target{suffix}"])
    has_same = same.groupby([pairs[name] for name in by]).transform("any").astype("bool")
    return pairs[same | ~has_same]


def node(rows: pd.DataFrame) -> int:
    """Return the accelerators per node of the systems, the fewest of several; USUAL_SIZE where unknown."""
    nodes = rows["nodes"].to_numpy("float64", na_value=1.0) if "nodes" in rows else 1.0
    sizes = _counts(rows) / nodes
    whole_sizes = sizes[(sizes >= 1) & (sizes % 1 == 0)]
    return int(whole_sizes.min()) if len(whole_sizes) else USUAL_SIZE


def counted(rows: pd.DataFrame) -> int:
    """Return how many systems the rows are of; each row of a document counts as one."""
    return count((rows["origin"].array == "official"), rows["system_key"].to_numpy("object"))


def count(official: np.ndarray, keys: np.ndarray) -> int:
    """Return how many systems rows are of, by which of them are official and by their `system_key`."""
    return len(set(keys[official])) + int((~official).sum())


def software(rows: pd.DataFrame) -> pd.Series:
    """Return the serving software of each row, else its framework, "" where neither is known."""
    unknown = pd.Series("", index=rows.index)
    served, framework = (rows.get(name, unknown).fillna("") for name in SERVED)
    return served.mask(served.eq(""), framework)
