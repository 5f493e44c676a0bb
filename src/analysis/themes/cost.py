"""What plans are made with: rows behind a throughput, price and speed per user as ranges.

And what a price buys: tokens per dollar, dollars per million tokens, break-even prices. Tokens are output tokens, as
MLPerf counts them; prices are US dollars per accelerator-hour.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.core import interval, notes, quote
from analysis.core.choices import not_among
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note
from analysis.core.vocabulary import SECONDS_PER_HOUR, round_age
from analysis.themes import alike, of_a_kind

ONE, UNNAMED = "one", "unnamed"  # of whom a price is, in the column `providers`: of the one that is named, or not said
GIVEN = "a given price"  # the provider of a price that was given without one
UNSTATED = "unstated"  # the commitment of a price that says none, as the table has it
RAN = ("id", "system", "submitter", "framework", "serving_software")  # what ran, of which a rate is


def behind(rows: pd.DataFrame, accelerator: str) -> pd.DataFrame:
    """The comparable rows that an accelerator's rate is taken from: of systems alike (see of_a_kind.alike).

    The official ones alone where there are any; what documents print is one range.
    """
    return rows[Candidates(rows).behind(accelerator)]


class Candidates:
    """Comparable rows as arrays, to find which of them are behind a rate, for many selections of rows."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self.accelerator = rows["accelerator"].to_numpy("object")
        self.official = rows["origin"].to_numpy("object") == "official"
        self._kinds = of_a_kind.read(rows)

    @property
    def on_sale(self) -> np.ndarray:
        """Which rows are of systems on sale, and bare."""
        return self._kinds[0]

    def of_accelerator(self, accelerator: str, among: np.ndarray | None = None) -> np.ndarray:
        """Which rows `among` these (None: all) are of an accelerator, the official ones alone where there are any."""
        is_candidate = self.accelerator == accelerator
        is_candidate = is_candidate if among is None else is_candidate & among
        is_official = is_candidate & self.official
        return is_official if is_official.any() else is_candidate

    def behind(self, accelerator: str, among: np.ndarray | None = None) -> np.ndarray:
        """Which rows `among` these (None: all) the accelerator's rate is taken from, see `behind`."""
        is_candidate = self.of_accelerator(accelerator, among)
        if not (is_candidate & self.official).any():
            return is_candidate
        return of_a_kind.of_one_range(*self._kinds, is_candidate)


def scope(rows: pd.DataFrame, accelerator: str, used: pd.DataFrame) -> str:
    """How many of an accelerator's systems are behind its rate, in words; of documents, how many of their figures.

    `used` are the rows behind it.
    """
    candidates = rows.loc[Candidates(rows).of_accelerator(accelerator), ["origin", "system_key"]]
    counted_as = "systems" if candidates["origin"].eq("official").any() else "figures of documents"
    return f"{of_a_kind.counted(used)} of {of_a_kind.counted(candidates)} {counted_as}"


def priced(prices: pd.DataFrame, given: Sequence[str], accelerator: str, accelerators: pd.DataFrame) -> pd.DataFrame:
    """The table of prices with the offers of each accelerator that `given` names replaced by those given.

    `given` are quotes as in quote.parse_quote; one without a name is of `accelerator`. What a quote does not say stays
    as the table says what a document leaves out. Raises ValueError for a text that is no quote, and for an accelerator
    that is not in the table of `accelerators`.
    """
    quotes, valid = [quote.parse_quote(text) for text in given], list(accelerators["accelerator"])
    for offer in quotes:
        if offer.accelerator and offer.accelerator not in valid:
            raise ValueError(f"a price is given for {not_among(offer.accelerator, valid)}")
    rows = [
        {
            "accelerator": offer.accelerator or accelerator,
            "provider": offer.provider or GIVEN,
            "providers": ONE if offer.provider else UNNAMED,
            "commitment": offer.commitment or UNSTATED,
            "quoted": offer.quoted,
            "usd_per_accelerator_hour_low": offer.low,
            "usd_per_accelerator_hour_high": offer.high,
        }
        for offer in quotes
    ]
    if not rows:
        return prices
    offered = pd.DataFrame(rows)
    unsaid = {name: "" for name in prices if name not in offered}
    kept = prices[~prices["accelerator"].isin(offered["accelerator"])]
    return pd.concat([kept, offered.assign(**unsaid)[list(prices)]], ignore_index=True)


def price_range(prices: pd.DataFrame, accelerator: str) -> Interval:
    """US dollars per accelerator-hour, over all offers of the accelerator in `prices`; unknown without one."""
    offers = prices[prices["accelerator"].eq(accelerator) & prices["duplicate_of"].eq("")]
    return interval.span(offers, "usd_per_accelerator_hour")


def each_offer(prices: pd.DataFrame) -> pd.DataFrame:
    """Every offer of `prices` once: accelerator, provider, providers, commitment, quoted, price_low/high, source_id.

    `quoted` is a date, "" where none is stated; prices are US dollars per accelerator-hour. `providers` says whether
    one is named (ONE): what several ask together, or who is not named, is no provider that another price may be of.
    """
    once = prices[prices["duplicate_of"].eq("")]
    names = {f"usd_per_accelerator_hour_{end}": f"price_{end}" for end in ("low", "high")}
    columns = ["accelerator", "provider", "providers", "commitment", "quoted", *names, "source_id"]
    return once[columns].rename(columns=names)


class Rents(NamedTuple):
    """The rent of one accelerator over that of another (a ratio), and the providers whose quotes are on each side."""

    ratio: Interval
    providers: tuple[str, ...] = ()
    other_providers: tuple[str, ...] = ()


def rents(quotes: pd.DataFrame, other_quotes: pd.DataFrame) -> Rents:
    """What quotes ask for one accelerator over what they ask for another; both are rows of `each_offer`.

    Of each provider by itself where one quotes both; else over all quotes of both, whose providers then differ in more
    than the accelerator. The ratio is unknown where one of the two has no quote.
    """
    providers = [rows.loc[rows["providers"].eq(ONE), "provider"].unique() for rows in (quotes, other_quotes)]
    quoting_both = tuple(sorted(set(providers[0]) & set(providers[1])))
    if not quoting_both:
        ratio = interval.span(quotes, "price") / interval.span(other_quotes, "price")
        return Rents(ratio, several(quotes["provider"]), several(other_quotes["provider"]))
    pairs = [[rows[rows["provider"].eq(name)] for rows in (quotes, other_quotes)] for name in quoting_both]
    ratios = (interval.span(asked, "price") / interval.span(other_asked, "price") for asked, other_asked in pairs)
    return Rents(alike.hull(ratios), quoting_both, quoting_both)


def tokens_per_dollar(rate: Interval, price: Interval, share: Interval | float = 1.0) -> Interval:
    """Tokens for a US dollar: tokens/s x 3600 x the share of it that is delivered / US dollars per hour.

    Raises ValueError for a price or a share of zero or below, and for a share above 1.
    """
    share_range = share if isinstance(share, Interval) else Interval(share, share)
    if np.any(np.asarray(share_range.low) <= 0) or np.any(np.asarray(share_range.high) > 1):
        raise ValueError(
            f"share {share_range.low} to {share_range.high} of the throughput is not within 0 (not itself) to 1"
        )
    if np.any(np.asarray(price.low, dtype=float) <= 0):
        raise ValueError("a price is not above 0 US dollars an hour")
    return rate * share * SECONDS_PER_HOUR / price


def usd_per_million(rate: Interval, price: Interval, share: Interval | float = 1.0) -> Interval:
    """US dollars for a million tokens: 1e6 / tokens per dollar."""
    return Interval(1e6, 1e6) / tokens_per_dollar(rate, price, share)


def rates(rows: pd.DataFrame) -> pd.DataFrame:
    """The rate of each accelerator in comparable rows: of its fastest system among those `behind` it, of one system.

    Columns: accelerator, rate_low/high (per accelerator), record (`official` or `documents`), best_of (see scope),
    rounds (that of the row, a tuple), source_ids (a tuple), notes, and those of RAN, as far as the rows have them.
    Where documents contradict each other, the rate is as wide as what they print, and a note says so.
    """
    rated, candidates = [], Candidates(rows)
    for name in rows["accelerator"].unique():
        used = rows[candidates.behind(name)]
        best = used.loc[interval.of(used, "per_accelerator").middle.idxmax()]
        record = "official" if best["origin"] == "official" else "documents"
        differ = NONE if best["origin"] == "official" else _contradicting(used, name)
        behind_it = used if differ else used.loc[[best.name]]
        ends, sources = interval.span(behind_it, "per_accelerator"), several(behind_it["source_id"])
        row_notes = notes.union(behind_it["notes"]) | differ
        cells = ends.low, ends.high, record, scope(rows, name, used), several([best["round"]]), sources, row_notes
        rated.append((name, *cells, *(best.get(column, "") for column in RAN)))
    columns = ["accelerator", "rate_low", "rate_high", "record", "best_of", "rounds", "source_ids", "notes", *RAN]
    return pd.DataFrame(rated, columns=columns)


def _contradicting(rows: pd.DataFrame, accelerator: str) -> Notes:
    """A note of the two rates farthest apart where documents' rates of an accelerator do not meet; else none."""
    rates = [interval.span(of_document, "per_accelerator") for _, of_document in rows.groupby("source_id", sort=False)]
    least, most = min(rates, key=lambda rate: rate.high), max(rates, key=lambda rate: rate.low)
    if least.high >= most.low:
        return NONE
    return frozenset({note("documents_differ", [accelerator], rates=least.text(), other_rates=most.text())})


def offers(rated: pd.DataFrame, prices: pd.DataFrame, share: Interval) -> pd.DataFrame:
    """What each offer of `prices` buys, for accelerators of `rates`, when `share` of the throughput is delivered.

    Columns of `rates` and `each_offer`, per_dollar_low/high (tokens), usd_per_million_low/high; most tokens first.
    """
    offered = rated.merge(each_offer(prices), on="accelerator")
    rate, price = interval.of(offered, "rate"), interval.of(offered, "price")
    offered = interval.put(offered, "per_dollar", tokens_per_dollar(rate, price, share))
    offered = interval.put(offered, "usd_per_million", usd_per_million(rate, price, share))
    order = (-interval.of(offered, "per_dollar").middle).sort_values(kind="stable").index
    return offered.loc[order].reset_index(drop=True)


def multiples(speedups: pd.DataFrame, prices: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """How many times the baseline's price an hour of each accelerator may cost and still buy as much work for a dollar.

    That is the ratio of their rates: `speedups` are rows of speedup.over_baseline, one of each accelerator, or those of
    speedup.in_each_round, one of each base and accelerator. Columns of these and: worth_low/high (that ratio),
    offered_low/high (its price over the baseline's, see rents; NaN without one: no price is invented), providers and
    baseline_providers (tuples, of those quotes), verdict (`cheaper`, `dearer` or `open` where the two ranges meet, ""
    without a quote). They meet where two digits do not tell them apart: quotes are no finer than that. The most first,
    base by base where rows have one; the baseline itself is left out.
    """
    others = speedups[speedups["accelerator"].ne(baseline)]
    others = interval.put(others, "worth", interval.of(others, "speedup"))
    quoted = each_offer(prices)
    base = quoted[quoted["accelerator"].eq(baseline)]
    offered = [rents(quoted[quoted["accelerator"].eq(name)], base) for name in others["accelerator"]]
    others = others.assign(
        offered_low=[rent.ratio.low for rent in offered],
        offered_high=[rent.ratio.high for rent in offered],
        providers=pd.Series([rent.providers for rent in offered], others.index, "object"),
        baseline_providers=pd.Series([rent.other_providers for rent in offered], others.index, "object"),
    )
    others = others.astype({"offered_low": "float64", "offered_high": "float64"})
    offered_low, offered_high, worth_low, worth_high = (
        others[f"{name}_{end}"].map(lambda value: float(f"{value:.2g}"))
        for name in ("offered", "worth")
        for end in ("low", "high")
    )
    verdict = np.select(
        [offered_low.isna(), offered_high < worth_low, offered_low > worth_high], ["", "cheaper", "dearer"], "open"
    )
    order = interval.of(others, "worth").middle.sort_values(ascending=False, kind="stable").index
    told = others.assign(verdict=pd.Series(verdict, index=others.index, dtype="str")).loc[order]
    if "base" in told:
        places = {base: place for place, base in enumerate(dict.fromkeys(others["base"]))}
        told = told.sort_values("base", key=lambda bases: bases.map(places), kind="stable")
    return told.reset_index(drop=True)


def leading(worth: pd.DataFrame) -> pd.DataFrame:
    """The rows of `multiples` that an answer names: the leading accelerator, then the best other one with a quote.

    The leading one is of the newest round that has both sides, on sale, of the usual size where there is one, and
    not over a bridge where there is another. Without a quote the next best is the other one.
    """
    candidates = of_a_kind.narrowed(worth, worth["origin"].eq("official"))
    candidates = of_a_kind.narrowed(candidates, candidates["through"].eq(""))
    candidates = of_a_kind.narrowed(candidates, ~notes.told(candidates, "preview"))
    if candidates.empty:
        return candidates
    ages = [max(map(round_age, rounds), default=()) for rounds in candidates["rounds"]]
    newest = candidates[[age == max(ages) for age in ages]]
    first = of_a_kind.narrowed(newest, newest["accelerator_count"].eq(of_a_kind.USUAL_SIZE)).index[0]
    others = candidates.drop(index=first)
    return candidates.loc[[first, *of_a_kind.narrowed(others, others["verdict"].ne("")).index[:1]]]


def in_one_round(rows: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """The comparable rows of the official round with most of the accelerators `names` on sale, the newest of several.

    All rows where no round has one of them.
    """
    is_sold = (
        rows["origin"].eq("official") & of_a_kind.kind(rows).eq(of_a_kind.AVAILABLE) & rows["accelerator"].isin(names)
    )
    counts = rows[is_sold].groupby("round")["accelerator"].nunique()
    if counts.empty:
        return rows
    best = max(counts.index, key=lambda name: (counts[name], round_age(name)))
    return rows[rows["origin"].eq("official") & rows["round"].eq(best)]


def replaced(offered: pd.DataFrame) -> pd.Series | None:
    """How many of the slowest accelerator of `offers` one of the fastest replaces, and for how many times the rent.

    A row of accelerator and other, work_low/high and rent_low/high (ratios, see rents), providers and other_providers
    (tuples, of the quotes), rounds, ids (of both results), notes, source_ids; None where fewer than two accelerators
    are offered.
    """
    ranked = offered.loc[interval.of(offered, "rate").middle.sort_values(ascending=False, kind="stable").index]
    if ranked["accelerator"].nunique() < 2:
        return None
    first, last = (ranked[ranked["accelerator"].eq(ranked["accelerator"].iloc[place])] for place in (0, -1))
    work, quoted = interval.span(first, "rate") / interval.span(last, "rate"), rents(first, last)
    pair = pd.concat([first, last])
    sources = several([*pair["source_id"], *(name for ids in pair["source_ids"] for name in ids)])
    rounds = several(name for row_rounds in pair["rounds"] for name in row_rounds)
    names = {"accelerator": first["accelerator"].iloc[0], "other": last["accelerator"].iloc[0], "rounds": rounds}
    names |= {"providers": quoted.providers, "other_providers": quoted.other_providers}
    rent = quoted.ratio
    ends = {"work_low": work.low, "work_high": work.high, "rent_low": rent.low, "rent_high": rent.high}
    return pd.Series(
        names | ends | {"notes": notes.union(pair["notes"]), "ids": several(pair["id"]), "source_ids": sources}
    )
