"""The words of the official record, from the counts of themes.holdings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from analysis.answers.words import counted, listed
from analysis.core import views
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import span
from analysis.core.notes import note, of_rows
from analysis.core.plain import as_dicts
from analysis.core.trust import Trust
from analysis.core.vocabulary import DIVISIONS
from analysis.themes.holdings import ALL

Label = Callable[[str], str]  # the name of a benchmark or of an accelerator in words
AGAIN = "results computed again from their logs"
MANY = 20  # rounds named before the others are counted
MOST = 10  # result ids and submitters named before the others are counted
STRICTER = 1000  # how many times the tolerance is narrowed to see whether it decides
NONE_HELD = "The record holds none of these rounds"
FEW = 3  # rounds, and submitters, that an answer names
# Parts of each round's rows, in the order of their bars.
PARTS = {"agreeing": "as published", "differing": "differs", "uncompared": "not computed again"}
MEASURES = {
    "rows": "Rows",
    "closed": "Closed division",
    "open": "Open division",
    "network": "Network division",
    "with_log": "With a log",
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
    "systems": "Systems (submitter and name)",
    "accelerators": "Accelerators",
}
REASONS = {
    "another_division": note("another_division", division="closed").text,
    "another_suite": "edge suite",
    "latency": "a latency or a count of streams, no throughput",
    "power_submission": note("power_submission").text,
    "capped_unmetered": note("capped_unmetered").text,
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


def computed_again(counts: pd.DataFrame) -> Finding:
    """How many results were computed again from their logs, and how many of them are not as published."""
    name, rounds = "rows_computed_again", _rounds(counts)
    if rounds.empty:
        return nothing(name, AGAIN, f"{NONE_HELD}: nothing can be computed again.")
    with_logs = rounds[rounds["with_log"].gt(0)]
    if with_logs.empty:
        return nothing(name, AGAIN, f"Unknown: none of {_results(counts.at[ALL, 'rows'])} has a log in the record.")
    compared, rows, wrong = (int(with_logs[column].sum()) for column in ("compared", "rows", "differing"))
    outcome = f"and {'none differs' if not wrong else f'{wrong:,} {_differ(wrong)}'}."
    verb = "was" if compared == rows == 1 else "were"
    inferred = int(with_logs["inferred"].sum())
    logs = f", {inferred:,} from another scenario's log" if inferred else " from their logs"
    headline = f"{compared:,} of {_results(rows)} of {_of(with_logs.index)} {verb} computed again{logs}, {outcome}"
    return Finding(
        name, exactly(compared), AGAIN, f"Where logs exist, {'no' if wrong else 'yes'}: {headline}", cited(with_logs)
    )


def to_do(counts: pd.DataFrame) -> Finding:
    """What follows: which rounds may be quoted as checked, and how many results nothing here checks."""
    name, unit = "rows_of_rounds_without_logs", "results of rounds without logs"
    rounds = _rounds(counts)
    if rounds.empty:
        return nothing(name, unit, f"{NONE_HELD}: there is nothing to quote.")
    with_logs, without_logs = (rounds[rounds["with_log"].gt(0) == has_logs] for has_logs in (True, False))
    rows = int(without_logs["rows"].sum())
    unlogged = int((with_logs["rows"] - with_logs["compared"]).sum())
    but = f" but for {_results(unlogged)}" if unlogged else ""
    if without_logs.empty:
        headline = f"Quote its results as checked against their logs{but}."
    elif with_logs.empty:
        headline = f"Quote {_results(rows)} as published: nothing here checks {'it' if rows == 1 else 'them'}."
    else:
        stand = "stands" if rows == 1 else "stand"
        others = f"{_results(rows)} of {counted(len(without_logs), 'other round')} {stand} as published"
        headline = f"Quote {_of(with_logs.index)} as checked{but}; {others}, without logs."
    return Finding(name, exactly(rows), unit, headline, cited(without_logs if rows else rounds))


def without_log(counts: pd.DataFrame, exceptions: pd.DataFrame, label: Label) -> Finding:
    """Which results lack a log although others of their round have one."""
    name, unit = "rows_without_a_log", "results without a log in the tree of their round"
    if counts.empty:
        return nothing(name, unit, f"{NONE_HELD}: no log can be missing.")
    lacking = exceptions[exceptions["why"].eq("no_log")]
    total = int(lacking["rows"].sum())
    headline = (
        f"{_results(total)} of {listed(lacking['benchmark'].map(label))} {'has' if total == 1 else 'have'} no log."
    )
    return Finding(
        name, exactly(total), unit, headline if total else "No single log is missing.", cited(_rounds(counts))
    )


def rests_on(counts: pd.DataFrame) -> Trust:
    """What the answer rests on: rounds, rows, and of how many rounds there are logs."""
    rounds = _rounds(counts)
    if rounds.empty:
        return Trust(("no round of the record",))
    oldest, newest = rounds.index[0], rounds.index[-1]
    span = f"MLPerf {oldest}" if oldest == newest else f"MLPerf {oldest} to {newest}"
    with_logs = int(rounds["with_log"].gt(0).sum())
    logs = "its logs" if with_logs else "no logs"
    if len(rounds) > 1:
        logs = f"logs of {with_logs} of {counted(len(rounds), 'round')}"
    filed = [name for name in DIVISIONS if rounds[name].sum()]
    view = views.link({"round": rounds.index, "division": filed})
    return Trust((span, listed(filed), _results(_total(rounds)), logs), view=view)


def rounds_title(counts: pd.DataFrame) -> str:
    """What the picture of the rounds shows: of how many there are logs, and what part of the results that is."""
    rounds = _rounds(counts)
    if rounds.empty:
        return f"{NONE_HELD}."
    share = 100 * rounds["compared"].sum() / _total(rounds)
    if len(rounds) == 1:
        return f"{share:.0f} % of the results of {rounds.index[0]} have a log here."
    logged = f"{int(rounds['with_log'].gt(0).sum())} of {counted(len(rounds), 'round')}"
    return f"Logs exist here for {logged}: {share:.0f} % of the results."


def power_computed_again(counts: pd.DataFrame) -> Finding:
    """The same for measured power, of all figures that were metered: also those left out for their samples."""
    name, unit = "power_figures_computed_again", "power figures computed again from the meter's samples"
    rounds = _rounds(counts)
    checked = rounds[rounds["power_compared"].gt(0)] if len(rounds) else rounds
    if checked.empty:
        return nothing(name, unit, "No power figure of these rounds can be computed again.")
    counts_of = ("power_compared", "power", "power_differing", "power_left_out")
    compared, figures, wrong, untrusted = (int(checked[column].sum()) for column in counts_of)
    headline = f"{compared:,} of {figures + untrusted:,} power figures of {_of(checked.index)} were computed again "
    headline += f"from the meter's samples, and {f'{wrong:,} {_differ(wrong)}' if wrong else 'none differs'}"
    headline += f"; {untrusted:,} {'has' if untrusted == 1 else 'have'} untrusted samples" * bool(untrusted)
    return Finding(name, exactly(compared), unit, f"{headline}.", cited(checked))


def put_right(counts: pd.DataFrame, exceptions: pd.DataFrame, label: Label) -> Finding:
    """How many rows are labelled with a wrong unit."""
    name, unit = "rows_with_a_wrong_unit", "rows labelled with a wrong unit"
    if counts.empty:
        return nothing(name, unit, f"{NONE_HELD}: no unit can be wrong.")
    rows = exceptions[exceptions["why"].eq("unit")]
    total = int(rows["rows"].sum())
    if not total:
        why = "No result of these rounds was published with a wrong unit."
        return Finding(name, exactly(0), unit, why, cited(counts))
    whose = f"{_results(total)} of {listed(rows['benchmark'].map(label))} {'was' if total == 1 else 'were'}"
    headline = f"{whose} published with a wrong unit: the {'value is' if total == 1 else 'values are'} "
    headline += f"{listed(rows['unit'])}."
    return Finding(name, exactly(total), unit, headline, cited(rows))


def gaps(counts: pd.DataFrame, rounds: pd.DataFrame, asked: Iterable[str]) -> Finding:
    """Which rounds are not in the record, and what is known to be missing of those that have no logs.

    `rounds` is the table of that name, `asked` the rounds of the report (none: all).
    """
    unit, rounds_held = "rounds that are not in the record", _rounds(counts)
    wanted = rounds[rounds["round"].isin(set(asked))] if asked else rounds
    lacking = wanted.loc[~wanted["round"].isin(rounds_held.index), "round"]
    without_logs = rounds_held.index[rounds_held["with_log"].eq(0)] if len(rounds_held) else []
    with_note = wanted[wanted["round"].isin(without_logs) & wanted["note"].ne("")]
    headline = f"The record has each round asked for: {listed(rounds_held.index, MANY)}."
    if len(lacking):
        headline = f"The record lacks {len(lacking)} of {counted(len(wanted), 'round')}: {listed(lacking, MANY)}."
    notes_on_rounds = " ".join(f"Of {row['round']}, {row['note']}." for row in as_dicts(with_note))
    return Finding("rounds_missing", exactly(len(lacking)), unit, headline, cited(rounds_held), more=notes_on_rounds)


def comparable(aside: pd.DataFrame, counts: pd.DataFrame) -> Finding:
    """How many rows may stand in a comparison at all."""
    name, unit = "rows_that_may_be_compared", "rows that are closed data-center rates, filed once, without power"
    if aside.empty:
        return nothing(name, unit, f"{NONE_HELD}: nothing may be compared.")
    count, total = int(aside.at[ALL, "compared"]), counts.loc[ALL]
    share = f" ({100 * count / total['closed']:.0f} % of the closed ones)" if total["closed"] else ""
    headline = f"{count:,} of {_results(total['rows'])}{share} may be compared: "
    headline += "data-center rates, filed once, without power."
    return Finding(name, exactly(count), unit, headline, cited(counts))


def filed_by(submitters: pd.DataFrame, counts: pd.DataFrame) -> Finding:
    """How far the rows are those of a FEW submitters."""
    name, unit = "share_of_the_largest_submitters", "share of the rows that the largest submitters filed"
    if submitters.empty:
        return nothing(name, unit, f"{NONE_HELD}: nobody filed a result.")
    top, total = submitters.head(FEW), counts.loc[ALL]
    share, most_closed = float(top["rows"].sum() / total["rows"]), submitters.loc[submitters["closed"].idxmax()]
    headline = f"{len(top)} of {len(submitters)} submitters filed {100 * share:.0f} % of the results: "
    headline += f"{listed(map(spaced, top['submitter']))}."
    whose = f"{spaced(most_closed['submitter'])} filed most: {most_closed['closed']:,}"
    words_on_closed = f"Of {counted(int(total['closed']), 'closed result')} {whose}." if total["closed"] else ""
    return Finding(name, exactly(share), unit, headline, cited(counts), more=words_on_closed)


def progress(best: pd.DataFrame, topic: str, called: Label) -> Finding:
    """What the fastest system on sale gives per accelerator in the last round, beside the first.

    `called` gives what people call an accelerator.
    """
    name, unit = "best_over_first_round", "times the best rate per accelerator of the first round"
    if best.empty:
        return nothing(name, unit, f"No closed result of {topic} on a system on sale is in these rounds.")
    oldest, newest = best.iloc[0], best.iloc[-1]
    fastest = f"{called(newest['accelerator'])} was the fastest on sale in {newest['round']}"
    headline = f"On {topic}, {fastest}, the only round here."
    if len(best) > 1:
        where_last, where_first = (f"{row['round']} ({called(row['accelerator'])})" for row in (newest, oldest))
        times = f"{span(newest, 'over_first').text(2)} times as much in {where_last} as in {where_first}"
        headline = f"On {topic}, the fastest on sale gives {times}."
    return Finding(name, span(newest, "over_first"), unit, headline, cited(best), of_rows(best))


def under_a_narrower_tolerance(counts: pd.DataFrame, narrower: pd.DataFrame) -> Finding:
    """Whether other rows differ where log and record must agree STRICTER times as closely: the counts `narrower`."""
    name, unit = "rows_that_differ_under_a_narrower_tolerance", "rows that differ from their logs"
    if counts.empty or not counts.at[ALL, "compared"]:
        return nothing(name, unit, "No result was computed again: no tolerance decides.")
    before, after = (int(table.at[ALL, "differing"]) for table in (counts, narrower))
    outcome = f"{after or 'none'} of {_results(counts.at[ALL, 'compared'])} {'differs' if after < 2 else 'differ'}"
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


def headed(table: pd.DataFrame, first_header: str) -> dict[str, str]:
    """The headers of a table of `across`, `first_header` over its first column."""
    return {name: first_header if name == "what" else name for name in table}


def listed_exceptions(exceptions: pd.DataFrame, label: Label) -> pd.DataFrame:
    """The exceptions in words: what, rounds, rows, examples (up to MOST result ids, the others as a count)."""
    rows = [row | {"benchmark": row["benchmark"] and label(row["benchmark"])} for row in as_dicts(exceptions)]
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


def dated(best: pd.DataFrame, rounds: pd.DataFrame, called: Label) -> pd.DataFrame:
    """The best rows with `when` (round and month of publication, ~ where the day is from memory) and `who`.

    That is how many of which accelerator, and whose.
    """
    about = rounds.set_index("round").reindex(best["round"])
    days = zip(best["round"], about["published"].str.slice(0, 7), about["confidence"], strict=True)
    when = [f"{name}, {'~' * (sure == 'low')}{month}" if month else name for name, month, sure in days]
    systems = best["accelerator_count"].astype("str") + " " + best["accelerator"].map(called)
    who = systems + ", " + best["submitter"].map(spaced)
    return best.assign(when=pd.Series(when, best.index, "str"), who=who, series="best on sale")


def drawn_as(dated: pd.DataFrame) -> str:
    """What the figure of `dated` rows draws, for its subtitle."""
    uncertain = "; ~: day from memory" * bool(dated["when"].str.contains("~").any())
    return f"Closed division, the best available system of each round, of any size{uncertain}."


def spaced(name: str) -> str:
    """A submitter's name as people write it: blanks, where it is filed with underscores."""
    return name.replace("_", " ")


def _rounds(counts: pd.DataFrame) -> pd.DataFrame:
    """The rounds without the row of all of them."""
    return counts.drop(index=ALL, errors="ignore")


def _total(rounds: pd.DataFrame) -> int:
    return int(rounds["rows"].sum())


def _results(count: int) -> str:
    return counted(int(count), "result")


def _of(rounds: pd.Index) -> str:
    """The rounds by name, or how many where an answer would be long."""
    return listed(rounds) if len(rounds) <= FEW else counted(len(rounds), "round")


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"
