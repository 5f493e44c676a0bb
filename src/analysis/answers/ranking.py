"""The ranked rows of a choice: which are as good as the first or take less in another size, and how much in words."""

from __future__ import annotations

import pandas as pd

from analysis.answers.words import PROSE, counted, dollars, either, prose
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes.plans import choice
from analysis.themes.plans.choice import ACCELERATORS, DOLLARS, EQUAL, KILOWATTS, Choice, likely
from analysis.themes.system_sizes import RACKS


def known(chosen: Choice) -> pd.DataFrame:
    """The ranked rows of which it is known how much they take of what the ranking is by."""
    return chosen.ranked[chosen.ranked[f"{chosen.by}_low"].notna()]


def among_known(chosen: Choice) -> str:
    """Among how many it is known what the ranking is by, where it is not of all: ` of 3 with a price`."""
    rows, fact = known(chosen), "a price" if chosen.by == DOLLARS else "known watts"
    if len(rows) == len(chosen.ranked):
        return ""
    return f"the only one of {len(chosen.ranked)} with {fact}" if len(rows) == 1 else f" of {len(rows)} with {fact}"


def level(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """The rows (see `known`) that are as good as the first: the same median and P90 of what the ranking is by."""
    ends = [f"{name}_{end}" for name in (by, EQUAL[by]) for end in ("median", "high")] + ["within", "smaller"]
    return rows[rows[ends].eq(rows.iloc[0][ends]).all(axis=1)]


def below(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows that take less of `name` than the first, but are smaller than any system measured, as that is not."""
    if rows.empty or rows["smaller"].iloc[0]:
        return rows.head(0)
    takes_less = rows[f"{name}_median"] < rows[f"{name}_median"].iloc[0]
    return rows[rows["smaller"] & takes_less & rows["within"].eq(rows["within"].iloc[0])]


def in_smaller(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of a measured size that take less of `name` than the first, but in smaller nodes."""
    if rows.empty:
        return rows
    first_ranked = rows.iloc[0]
    less = (rows[f"{name}_median"] < first_ranked[f"{name}_median"]) & (rows["node"] < first_ranked["node"])
    return rows[less & ~rows["smaller"].astype(bool) & rows["within"].eq(first_ranked["within"])]


def of_smaller(rows: pd.DataFrame, name: str) -> str:
    """What rows of `in_smaller` take of `name`, and in nodes of which size: `1 to 2 H100 in nodes of 1`."""
    names, value = either(rows["called"], most=2), spanned(rows, name)
    words = {ACCELERATORS: f"{prose(value)} {names}", DOLLARS: f"{names} {dollars(value)}"}
    return f"{words.get(name, f'{names} {amount(name, value)}')} {nodes_of(rows)}"


def runs(row: pd.Series) -> str:
    """How many metered runs the watts of a row rest on, in words."""
    return "one run" if row["metered_runs"] == 1 else f"{row['metered_runs']} runs"


def nodes_of(rows: pd.DataFrame) -> str:
    """In nodes of how many accelerators: `in nodes of 1 to 4`."""
    return f"in nodes of {prose(Interval(*rows['node'].agg(['min', 'max']).astype(float)))}"


def equal_node(chosen: Choice) -> int:
    """The accelerators of a node in which the ranking compares."""
    return choice.equal_node(chosen.ranked["node"])


def sized_apart(chosen: Choice) -> bool:
    """Whether some of a measured size are ranked as if their nodes were larger than they are."""
    small = chosen.ranked["node"] < equal_node(chosen)
    return bool((small & ~chosen.ranked["smaller"].astype(bool)).any())


def by_watts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows by their kilowatts in equal nodes, P90, those of a measured size first."""
    return rows.sort_values(["smaller", f"{EQUAL[KILOWATTS]}_high"], kind="stable")


def spanned(rows: pd.DataFrame, name: str) -> Interval:
    """From the lowest end of `name` in the rows to the highest."""
    return Interval(float(rows[f"{name}_low"].min()), float(rows[f"{name}_high"].max()))


def in_larger(rows: pd.DataFrame, name: str) -> str:
    """What rows of `below` take of `name`, and as a part of what: `8 to 12 of a rack of 72 GB300 or GB200`."""
    count = prose(spanned(rows, ACCELERATORS))
    words = f"{count} {part_of(rows)} {either(rows['called'], most=2)}"
    return words if name == ACCELERATORS else f"{words} at {amount(name, spanned(rows, name))}"


def part_of(rows: pd.DataFrame) -> str:
    """As a part of what the accelerators were measured whose plans are smaller than any system measured."""
    sizes = Interval(*rows["measured_on"].agg(["min", "max"]).astype(float))
    racks = rows["accelerator"].map(RACKS).eq(rows["measured_on"]).all()
    one, several = ("a rack", "racks") if racks else ("a system", "systems")
    return f"of {one if sizes.low == sizes.high else several} of {prose(sizes)}"


def with_spare(chosen: Choice, rows: pd.DataFrame) -> str:
    """The size of a node, where one is told, and how many of the accelerators are spare."""
    node, spare = rows["node"], chosen.asked.spare_nodes
    size_told = node.iloc[0] > 1 or sized_apart(chosen)
    sized = f" in nodes of {node.iloc[0]}" if len(rows) == 1 and size_told else ""
    spare_words = f"{spare * node.iloc[0]} spare" if node.nunique() == 1 else counted(spare, "spare node")
    return f"{sized} ({spare_words})" if spare else sized


def nodes(row: pd.Series, equal: int) -> str:
    """How many nodes, and how large where they are not of `equal` accelerators; nothing where all are of one."""
    count = likely(row, "nodes")
    words = f"{prose(count)} node{'s' * (count.high > 1)}"
    other_size = row["node"] != equal
    return words + f" of {row['node']}" * other_size if other_size or equal > 1 else ""


def taken(chosen: Choice, row: pd.Series) -> str:
    """What a row takes of what the ranking is by: `B200 takes 8 accelerators`."""
    return f"{row['called']} takes {much(chosen, likely(row, chosen.by))}"


def much(chosen: Choice, value: Interval) -> str:
    """An amount of what the ranking is by, in words."""
    return amount(chosen.by, value)


def amount(name: str, value: Interval) -> str:
    """An amount of ACCELERATORS, DOLLARS or KILOWATTS, in words."""
    return {
        ACCELERATORS: f"{prose(value)} accelerators",
        DOLLARS: f"{dollars(value)} an hour",
        KILOWATTS: f"{prose(value)} kW",
    }[name]


def times_as(value: float) -> str:
    """What stands before `as many`: `2.5 times `, or nothing where it is as many."""
    number = interval.number(value, PROSE)
    return "" if number == "1" else f"{number} times "


def times(value: float, quantity: str) -> str:
    """A ratio of a `quantity` in words: `1.2 times the price`, or `80 % of the price`."""
    if value >= 1:
        return f"{interval.number(value, PROSE)} times the {quantity}"
    return f"{interval.number(100 * value, PROSE)} % of the {quantity}"
