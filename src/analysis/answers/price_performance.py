"""The words of the price report, from frames of cost.py and ownership.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement

import pandas as pd

from analysis.answers.words import listed, plural, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, nothing
from analysis.core.interval import Interval
from analysis.core.notes import NONE, apart, note, of_rows
from analysis.themes.ownership import Terms

MILLION = 1e6
THOUSANDS = ("stated", "computed", "weights", "served", "delivered")


def best_offer(offers: pd.DataFrame, topic: str, work: str) -> Finding:
    """The offer that buys most, and what the dearest asks for the same."""
    unit = f"{plural(work)} delivered for a US dollar"
    if offers.empty:
        return nothing("best_offer", unit, f"No accelerator has both a price and a comparable throughput on {topic}.")
    best, worst = (offers.loc[interval.of(offers, "per_dollar").middle.agg(pick)] for pick in ("idxmax", "idxmin"))
    sentence = (
        f"On {topic} a dollar buys most on {_offer(best)}: {_counted(best, work)}, a million for "
        f"{ranged(best, 'usd_per_million')} dollars as utilisation and derate are assumed (rate of the best of "
        f"{best['best_of']})"
    )
    if len(offers) > 1:
        sentence += f"; it buys least on {_offer(worst)}, a million for {ranged(worst, 'usd_per_million')} (best of "
        sentence += f"{worst['best_of']})"
    undated = "not stated" in (best["quoted"], worst["quoted"])
    warned = best["notes"] | worst["notes"] | apart(best["rounds"], worst["rounds"])
    warned |= {note("prices_undated")} if undated else NONE
    return Finding(
        "best_offer", span(best, "per_dollar"), unit, f"{sentence}.", cited(pd.DataFrame([best, worst])), warned
    )


def document(table: pd.DataFrame, labels: Mapping[str, str]) -> Finding:
    """What a document's own table of tokens per dollar is worth once set right; `labels` name the sources."""
    unit = "factor by which the document's tokens per dollar change once set right"
    known = table.dropna(subset=["delivered_low", "delivered_high"]) if len(table) else table
    if known.empty:
        return nothing("document_set_right", unit, "No row of the document's table has a comparable throughput.")
    factor = interval.of(known, "delivered") / interval.of(known, "stated")
    overall = Interval(float(factor.low.min()), float(factor.high.max()))
    most, whose = table["needed"].max(), listed(labels[name] for name in cited(table))
    more = f", on one accelerator where the weights need up to {interval.number(most)}" if most > 1 else ""
    sentence = (
        f"The tokens per dollar of {whose} follow from its own figures in {int(table['holds'].sum())} of {len(table)} "
        f"rows, but are rates of one request at a time{more}; served to many, with utilisation and derate as assumed, "
        f"a dollar buys {overall.text()} times as many ({len(known)} of {len(table)} rows)."
    )
    return Finding("document_set_right", overall, unit, sentence, cited(table))


def order(rows: pd.DataFrame, baseline: str) -> Finding:
    """At which prices the others are as good as the baseline."""
    unit = "US dollars per accelerator-hour at which the first named breaks even with the baseline"
    if rows.empty:
        why = f"No other accelerator, or no price or throughput of {baseline}, is comparable: no price can break even."
        return nothing("break_even_price", unit, why)
    judged = rows[rows["verdict"].isin(["cheaper", "dearer"])]
    named = judged if len(judged) else rows.head(1)
    first = named.iloc[0]
    changes = [
        f"{row['accelerator']} is {row['verdict']} until its hour costs {ranged(row, 'break_even')} dollars"
        for _, row in judged.iterrows()
    ]
    sentence = f"Per token and against {baseline} at its prices on offer, {listed(changes)}."
    if judged.empty:
        sentence = (
            f"Whether another accelerator is cheaper per token than {baseline} stays open at the prices on offer; "
            f"{first['accelerator']} is as good at {ranged(first, 'break_even')} dollars an hour."
        )
    return Finding("break_even_price", span(first, "break_even"), unit, sentence, cited(named), of_rows(named))


def owning(price: Interval, rent: Interval, accelerator: str, terms: Terms) -> Finding:
    """The purchase price up to which owning is cheaper than renting."""
    unit = "US dollars for an accelerator with its share of the system, at which owning costs the rent"
    if not price.known:
        why = f"No rent or no power of {accelerator} is known: nothing to hold owning against."
        return nothing("break_even_purchase", unit, why)
    sentence = (
        f"Rented at {rent.text()} dollars an hour, {accelerator} is worth buying below {price.text()} dollars "
        f"with its share of the system, if it works {interval.number(100 * terms.used_share)} % of all hours for "
        f"{interval.number(terms.years)} years and on the other terms below."
    )
    return Finding("break_even_purchase", price, unit, sentence)


def bought(hourly: pd.DataFrame, rent: Interval, accelerator: str) -> Finding:
    """Owning at the purchase price that was given."""
    name, unit = "owned_hour", "US dollars for an owned accelerator-hour"
    if hourly.empty:
        why = f"No purchase price of {accelerator} is given, and none is invented."
        return nothing(name, unit, why)
    total = hourly.set_index("part").loc["total"]
    own = Interval(total["usd_low"], total["usd_high"])
    verdict = "cheaper than" if own.high < rent.low else "dearer than" if own.low > rent.high else "within the range of"
    sentence = f"An owned hour of {accelerator} costs {ranged(total, 'usd')} dollars, {verdict} the rent."
    return Finding(name, own, unit, sentence)


def best_offer_in_other_scenario(offers: pd.DataFrame, topic: str, work: str) -> Finding:
    """The best offer in the other scenario."""
    return replace(best_offer(offers, topic, work), name="best_offer_in_the_other_scenario")


def named(offers: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The offers with `offer`, the words by which a figure names them, and thousand_low/high: thousands for a dollar.

    Also `price_from`, by the short names of sources in `labels` (a price without a source was given as a parameter),
    and `terms`: the commitment and the date of the price, as far as they are stated.
    """
    stated = offers[["commitment", "quoted"]].replace({"unstated": "", "not stated": ""})
    terms = [", ".join(filter(None, row)) or "not stated" for row in stated.itertuples(index=False)]
    thousands = {f"thousand_{end}": offers[f"per_dollar_{end}"] / 1000 for end in ("low", "high")}
    source = offers["source_id"].map(labels).fillna("parameter")
    words = {"offer": [_offer(row) for _, row in offers.iterrows()], "terms": terms}
    own = pd.DataFrame(words, index=offers.index, dtype="str")
    return offers.assign(**own, price_from=source, **thousands)


def rows_of(table: pd.DataFrame) -> pd.DataFrame:
    """The document's rows as a figure draws them: named by `offer`, in thousands of tokens per dollar."""
    ends = [f"{name}_{end}" for name in THOUSANDS for end in ("low", "high")]
    thousands = table[ends].astype("float64") / 1000
    return table.assign(offer=table["accelerator"] + ", " + table["provider"], **thousands)


def cells(worth: Interval, costs: Interval) -> pd.DataFrame:
    """Ranges of ratios in words, each with that of the two prices in brackets where both have one.

    A pair stands once, the faster in the row: "" below the diagonal, where its inverse would say the same again.
    """
    names = list(worth.low)
    words = pd.DataFrame("", index=names, columns=names)
    for row, column in combinations_with_replacement(names, 2):
        if row == column:
            words.at[row, column] = "1"
            continue
        ends, paid = (Interval(square.low.at[row, column], square.high.at[row, column]) for square in (worth, costs))
        words.at[row, column] = _short(ends) + (f" ({_short(paid)})" if paid.known else "")
    return words


def worth(square: Interval) -> Finding:
    """How many hours of one accelerator an hour of another is worth, for the widest pair of cost.worth."""
    name, unit = "hours_worth", "hours of the slower accelerator that one of the faster is worth"
    if square.low.size < 2:
        return nothing(name, unit, "Fewer than two accelerators are comparable: no ratio of prices.")
    best, least = square.middle.stack().idxmax()
    ends = Interval(float(square.low.at[best, least]), float(square.high.at[best, least]))
    headline = (
        f"One hour of {best} is worth {ends.text(2)} hours of {least}: at a higher ratio of prices the order changes."
    )
    return Finding(name, ends, unit, headline)


def _short(ends: Interval) -> str:
    return ends.text(2).replace(" to ", "\u2013")


def _counted(row: pd.Series, work: str) -> str:
    """What a dollar buys in words, in millions where it is that many."""
    bought = span(row, "per_dollar")
    if bought.high < MILLION:
        return f"{bought.text()} {plural(work)}"
    return f"{(bought / MILLION).text()} million {plural(work)}"


def _offer(row: pd.Series) -> str:
    return f"{row['accelerator']} at {row['provider']}"
