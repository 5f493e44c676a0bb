"""The words of the official record, from the counts of themes.holdings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from analysis.answers.words import listed, span
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.notes import note, of_rows
from analysis.themes.holdings import ALL

Label = Callable[[str], str]  # the name of a benchmark in words
AGAIN = "rows computed again from their logs"
MANY = 20  # rounds named before the others are counted
MOST = 10  # result ids and submitters named before the others are counted
STRICTER = 1000  # how many times the tolerance is narrowed to see whether it decides
NOT_AT_HAND = "No official record is at hand"
# Parts of each round's rows, in the order of their bars.
PARTS = {"agreeing": "as published", "differing": "differs", "uncompared": "not computed again"}
MEASURES = {
    "rows": "Rows",
    "closed": "Closed division",
    "open": "Open division",
    "network": "Network division",
    "with_log": "With a log at hand",
    "inferred": "With a log of another scenario, from which they are inferred",
    "compared": "Computed again",
    "differing": "Computed again, differing",
    "unit_corrected": "Wrong unit put right",
    "power": "Power figures",
    "power_compared": "Power computed again",
    "power_differing": "Power computed again, differing",
    "power_left_out": "Power left out, meter not trusted",
    "precision_unknown": "Precision not known",
    "capped": "Power-capped",
    "cap_unknown": "Power-capped, cap not known",
    "submitters": "Submitters",
    "systems": "Systems",
    "accelerators": "Accelerators",
}
REASONS = {
    "another_division": note("another_division", division="closed").text,
    "another_suite": "edge suite",
    "latency": "a latency of a stream, no throughput",
    "power_submission": note("power_submission").text,
    "duplicate": "same measurement filed under two accuracy targets",
    "several_types": note("several_types").text,
    "count_unstated": note("count_unstated").text,
    "compared": "none of these",
}
WHY = {
    "differs": "{benchmark}: differs from its log",
    "power_differs": "{benchmark}: power differs from the meter's samples",
    "no_log": "{benchmark}: log not in the round's tree",
    "no_samples": "{benchmark}: power without the meter's samples",
    "power_left_out": "{benchmark}: power left out, the meter's samples cannot be trusted",
    "unit": "{benchmark}: labelled {printed_unit}, counts {unit}",
    "no_round_logs": "no logs of the round, only a published collection",
}


def computed_again(counts: pd.DataFrame, exceptions: pd.DataFrame, label: Label) -> Finding:
    """How many rows were computed again from their logs, and how many of them are not as published."""
    name, rounds = "rows_computed_again", _rounds(counts)
    if rounds.empty:
        return nothing(name, AGAIN, f"{NOT_AT_HAND}: nothing can be computed again.")
    held = rounds[rounds["with_log"].gt(0)]
    if held.empty:
        why = f"None of {_rows(counts.at[ALL, 'rows'])} can be computed again: no logs of these rounds are at hand."
        return nothing(name, AGAIN, why)
    again, rows = int(held["compared"].sum()), int(held["rows"].sum())
    headline = f"{again:,} of {rows:,} rows of {listed(held.index, MANY)} were computed again from their logs; "
    lacking = exceptions[exceptions["why"].eq("no_log")]
    whose = f"{_rows(int(lacking['rows'].sum()))} of {listed(lacking['benchmark'].map(label))}"
    more = f"Without a log in their tree: {whose}." if len(lacking) else ""
    return Finding(name, exactly(again), AGAIN, headline + _differing(held, "differing"), cited(held), more=more)


def power_computed_again(counts: pd.DataFrame) -> Finding:
    """The same for measured power."""
    name, unit = "power_figures_computed_again", "power figures computed again from the meter's samples"
    rounds = _rounds(counts)
    held = rounds[rounds["power_compared"].gt(0)] if len(rounds) else rounds
    if held.empty:
        return nothing(name, unit, "No power figure of these rounds can be computed again.")
    again, figures = int(held["power_compared"].sum()), int(held["power"].sum())
    headline = f"{again:,} of {figures:,} power figures of {listed(held.index, MANY)} were computed again from the "
    headline += f"meter's samples; {_differing(held, 'power_differing')}"
    return Finding(name, exactly(again), unit, headline, cited(held))


def without_logs(counts: pd.DataFrame) -> Finding:
    """How many rows are of rounds of which no log is at hand."""
    name, unit = "rows_of_rounds_without_logs", "rows of rounds without a log at hand"
    rounds = _rounds(counts)
    if rounds.empty:
        return nothing(name, unit, f"{NOT_AT_HAND}: no row can lack its log.")
    bare = rounds[rounds["with_log"].eq(0)]
    rows = int(bare["rows"].sum())
    headline = f"Of each of these rounds logs are at hand: {listed(rounds.index, MANY)}."
    if rows:
        headline = f"Without logs here are {_rows(rows)}, of {listed(bare.index, MANY)}: they stand as published."
    return Finding(name, exactly(rows), unit, headline, cited(bare if rows else rounds))


def put_right(counts: pd.DataFrame, exceptions: pd.DataFrame, label: Label) -> Finding:
    """How many rows are labelled with a wrong unit."""
    name, unit = "rows_with_a_wrong_unit", "rows labelled with a wrong unit"
    if counts.empty:
        return nothing(name, unit, f"{NOT_AT_HAND}: no unit can be wrong.")
    rows = exceptions[exceptions["why"].eq("unit")]
    total = int(rows["rows"].sum())
    if not total:
        why = "No row of these rounds is labelled with a wrong unit."
        return Finding(name, exactly(0), unit, why, cited(counts))
    whose = f"{_rows(total)}, of {listed(rows['benchmark'].map(label))}, {'was' if total == 1 else 'were'}"
    headline = f"{whose} published with a wrong unit: the values are {listed(rows['unit'])}."
    return Finding(name, exactly(total), unit, headline, cited(rows))


def gaps(counts: pd.DataFrame, rounds: pd.DataFrame, asked: Iterable[str]) -> Finding:
    """Which rounds are not in the record, and what is known to be missing of those that have no logs.

    `rounds` is the table of that name, `asked` the rounds of the report (none: all).
    """
    unit, held = "rounds that are not in the record", _rounds(counts)
    wanted = rounds[rounds["round"].isin(set(asked))] if asked else rounds
    lacking = wanted.loc[~wanted["round"].isin(held.index), "round"]
    bare = held.index[held["with_log"].eq(0)] if len(held) else []
    known = wanted[wanted["round"].isin(bare) & wanted["note"].ne("")]
    headline = f"The record has each round asked for: {listed(held.index, MANY)}."
    if len(lacking):
        headline = f"Not in the record are {len(lacking)} of {len(wanted)} rounds: {listed(lacking, MANY)}."
    more = " ".join(f"Of {row['round']}, {row['note']}." for row in known.to_dict("records"))
    return Finding("rounds_missing", exactly(len(lacking)), unit, headline, cited(held), more=more)


def comparable(aside: pd.DataFrame, counts: pd.DataFrame) -> Finding:
    """How many rows may stand in a comparison at all."""
    name, unit = "rows_that_may_be_compared", "rows that are closed data-center rates, filed once, without power"
    if aside.empty:
        return nothing(name, unit, f"{NOT_AT_HAND}: nothing may be compared.")
    kept, total = int(aside.at[ALL, "compared"]), counts.loc[ALL]
    share = f" ({100 * kept / total['closed']:.0f} % of the closed ones)" if total["closed"] else ""
    headline = f"{kept:,} of {_rows(total['rows'])}{share} may be compared: "
    headline += "data-center rates, filed once, without power."
    return Finding(name, exactly(kept), unit, headline, cited(counts))


def filed_by(submitters: pd.DataFrame, counts: pd.DataFrame, most: int = 3) -> Finding:
    """How far the rows are those of a few submitters."""
    name, unit = "share_of_the_largest_submitters", "share of the rows that the largest submitters filed"
    if submitters.empty:
        return nothing(name, unit, f"{NOT_AT_HAND}: nobody filed a row.")
    top, total = submitters.head(most), counts.loc[ALL]
    share, closed = float(top["rows"].sum() / total["rows"]), submitters.loc[submitters["closed"].idxmax()]
    headline = f"{len(top)} of {len(submitters)} submitters filed {100 * share:.0f} % of the rows: "
    headline += f"{listed(map(spaced, top['submitter']))}."
    whose = f"{spaced(closed['submitter'])} filed most: {closed['closed']:,}"
    more = f"Of {_rows(total['closed']).replace(' ', ' closed ')} {whose}." if total["closed"] else ""
    return Finding(name, exactly(share), unit, headline, cited(counts), more=more)


def progress(best: pd.DataFrame, topic: str) -> Finding:
    """What the fastest system on sale gives per accelerator in the last round, beside the first."""
    name, unit = "best_over_first_round", "times the best rate per accelerator of the first round"
    if best.empty:
        return nothing(name, unit, f"No closed result of {topic} on a system on sale is in these rounds.")
    first, last = best.iloc[0], best.iloc[-1]
    headline = f"On {topic}, {last['accelerator']} was the fastest on sale in {last['round']}, the only round here."
    if len(best) > 1:
        here, there = (f"{row['round']} ({row['accelerator']})" for row in (last, first))
        times = f"{span(last, 'over_first').text(2)} times as much in {here} as in {there}"
        headline = f"On {topic}, the fastest accelerator on sale gave {times}."
    return Finding(name, span(last, "over_first"), unit, headline, cited(best), of_rows(best))


def under_a_narrower_tolerance(counts: pd.DataFrame, narrower: pd.DataFrame) -> Finding:
    """Whether other rows differ where log and record must agree STRICTER times as closely: the counts `narrower`."""
    name, unit = "rows_that_differ_under_a_narrower_tolerance", "rows that differ from their logs"
    if counts.empty or not counts.at[ALL, "compared"]:
        return nothing(name, unit, "No row was computed again: no tolerance decides.")
    before, after = (int(each.at[ALL, "differing"]) for each in (counts, narrower))
    outcome = f"{after or 'none'} of {counts.at[ALL, 'compared']:,} rows {'differs' if after < 2 else 'differ'}"
    headline = f"{'No' if before == after else 'Yes'}: within a tolerance {STRICTER:,} times narrower {outcome}."
    return Finding(name, exactly(after), unit, headline, cited(_rounds(counts)))


def strip(counts: pd.DataFrame) -> pd.DataFrame:
    """The rows of the figure of agreement: `label` (round, how many of how many) and a count for each of PARTS."""
    rows = _rounds(counts)
    parts = {"agreeing": rows["compared"] - rows["differing"], "uncompared": rows["rows"] - rows["compared"]}
    named = zip(rows.index, rows["compared"], rows["rows"], strict=True)
    return rows.assign(label=[f"{name}: {again:,} of {total:,}" for name, again, total in named], **parts)


def across(table: pd.DataFrame, words: dict[str, str]) -> pd.DataFrame:
    """A table of counts by round on its side: a row for each column that `words` names, `what`, then the rounds.

    All rounds together stand behind them where there are several; of no round there is no row.
    """
    if table.empty:
        return pd.DataFrame(columns=["what"])
    shown = table if len(_rounds(table)) > 1 else _rounds(table)
    return shown[list(words)].T.rename(index=words).rename_axis("what").reset_index()


def headed(table: pd.DataFrame, first: str) -> dict[str, str]:
    """The headers of a table of `across`, `first` over its first column."""
    return {name: first if name == "what" else name for name in table}


def listed_exceptions(exceptions: pd.DataFrame, label: Label) -> pd.DataFrame:
    """The exceptions in words: what, rounds, rows, examples (up to MOST result ids, the others as a count)."""
    rows = [row | {"benchmark": row["benchmark"] and label(row["benchmark"])} for row in exceptions.to_dict("records")]
    return pd.DataFrame(
        {
            "what": [WHY[row["why"]].format(**row) for row in rows],
            "rounds": [listed(row["rounds"], MANY) for row in rows],
            "rows": exceptions["rows"].tolist(),
            "examples": [listed(row["result_ids"], MOST) or "filed without ids" for row in rows],
        }
    )


def largest(submitters: pd.DataFrame) -> pd.DataFrame:
    """The MOST submitters of most rows, by names that can be read."""
    top = submitters.head(MOST)
    return top.assign(submitter=top["submitter"].map(spaced))


def dated(best: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """The best rows with `when` (round and month of publication, ~ where the day is from memory) and `who`."""
    about = rounds.set_index("round").reindex(best["round"])
    days = zip(best["round"], about["published"].str.slice(0, 7), about["confidence"], strict=True)
    when = [f"{name}, {'~' * (sure == 'low')}{month}" if month else name for name, month, sure in days]
    who = best["accelerator"] + ", " + best["submitter"].map(spaced)
    return best.drop(columns="round").assign(when=when, who=who, series="best on sale")


def spaced(name: str) -> str:
    """A submitter's name as people write it: blanks, where it is filed with underscores."""
    return name.replace("_", " ")


def _rounds(counts: pd.DataFrame) -> pd.DataFrame:
    """The rounds without the row of all of them."""
    return counts.drop(index=ALL, errors="ignore")


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _differing(held: pd.DataFrame, column: str) -> str:
    count = int(held[column].sum())
    return "none differs." if not count else f"{count:,} {'differs' if count == 1 else 'differ'}."
