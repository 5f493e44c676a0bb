"""Prices per accelerator-hour and what they buy: tokens per dollar, dollars per million tokens, break-even prices.

And the comparable rows that an accelerator's rate is taken from. Tokens are output tokens, as MLPerf counts them;
prices are US dollars per accelerator-hour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from analysis._core import interval, notes, price_quote
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.named_accelerators import accelerator_named
from analysis._core.notes import NONE, Notes, note
from analysis._core.number_words import names, usd
from analysis._core.vocabulary import COST_MODELS, SECONDS_PER_HOUR, TOKENS
from analysis.methods import system_properties

GIVEN = "a given price"  # the provider of a price that was given without one
UNSTATED = "unstated"  # the commitment of a price that says none, as the table has it
POWER = "all_in_kilowatts"
RAN = ("id", "result_id", "system", "accelerator_count", "submitter", "framework", "serving_software")  # what ran


def rate_rows(rows: pd.DataFrame, accelerator: str) -> pd.DataFrame:
    """The comparable rows that an accelerator's rate is taken from: of systems alike (see system_properties.alike).

    The official ones alone where there are any; what documents print is one range.
    """
    return rows[Candidates(rows).of_rate(accelerator)]


class Candidates:
    """Comparable rows as arrays, to find which of them a rate is taken from, for many selections of rows."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self.accelerator = rows["accelerator"].to_numpy("object")
        self.official = rows["origin"].to_numpy("object") == "official"
        self._kinds = system_properties.read(rows)
        self._keys = rows["system_key"].to_numpy("object")

    def scope(self, accelerator: str, used: np.ndarray, among: np.ndarray | None = None) -> str:
        """How many of an accelerator's systems among these rows are `used` (places, or which; see `scope`)."""
        candidates = self.of_accelerator(accelerator, among)
        counts = [system_properties.count(self.official[each], self._keys[each]) for each in (used, candidates)]
        words = "systems" if (candidates & self.official).any() else "figures of documents"
        return f"{counts[0]} of {counts[1]} {words}"

    @property
    def on_sale(self) -> np.ndarray:
        """Which rows are of available systems, and bare."""
        return self._kinds[0]

    def of_accelerator(self, accelerator: str, among: np.ndarray | None = None) -> np.ndarray:
        """Which rows `among` these (None: all) are of an accelerator, the official ones alone where there are any."""
        is_candidate = self.accelerator == accelerator
        is_candidate = is_candidate if among is None else is_candidate & among
        is_official = is_candidate & self.official
        return is_official if is_official.any() else is_candidate

    def of_rate(self, accelerator: str, among: np.ndarray | None = None) -> np.ndarray:
        """Which rows `among` these (None: all) the accelerator's rate is taken from, see `rate_rows`."""
        is_candidate = self.of_accelerator(accelerator, among)
        if not (is_candidate & self.official).any():
            return is_candidate
        return system_properties.of_one_range(*self._kinds, is_candidate)


def scope(rows: pd.DataFrame, accelerator: str, used: pd.DataFrame) -> str:
    """How many of an accelerator's systems its rate is taken from, in words; of documents, how many of their figures.

    `used` are those rows.
    """
    return Candidates(rows).scope(accelerator, rows.index.isin(used.index))


def priced(
    prices: pd.DataFrame, given: Sequence[str], accelerator: str, accelerators: pd.DataFrame, cost_model: str
) -> pd.DataFrame:
    """Return the prices of one cost model, those of each accelerator that `given` names replaced by those given.

    `prices` is the table of that name, `cost_model` one of vocabulary.COST_MODELS. `given` are quotes as in
    quote.parse_quote; one without a name is of `accelerator`. Raises ValueError for a text that is no quote, and for an
    accelerator that is not in the table of `accelerators`.
    """
    prices = prices[prices["cost_model"].eq(cost_model)]
    quotes, valid = [price_quote.parse_quote(text) for text in given], list(accelerators["accelerator"])
    try:
        named = [offer.accelerator and accelerator_named(offer.accelerator, valid) for offer in quotes]
    except ValueError as error:
        raise ValueError(f"a price is given for {error}") from None
    rows = [
        {
            "accelerator": name or accelerator,
            "provider": offer.provider or GIVEN,
            "commitment": offer.commitment or UNSTATED,
            "quoted": offer.quoted,
            "usd_per_accelerator_hour_low": offer.low,
            "usd_per_accelerator_hour_high": offer.high,
        }
        for name, offer in zip(named, quotes, strict=True)
    ]
    if not rows:
        return prices
    offered = pd.DataFrame(rows)
    kept = prices[~prices["accelerator"].isin(offered["accelerator"])]
    unsaid = {name: np.nan if name == POWER else "" for name in prices if name not in offered}
    return pd.concat([kept, offered.assign(**unsaid)[list(prices)]], ignore_index=True)


def in_words(prices: pd.DataFrame, short_name: Callable[[str], str]) -> str:
    """Whose prices these are and of when, as in `your own (H100), else neocloud total cost of ownership, 2026-04`.

    `prices` are those of `priced`, `short_name` is that of an accelerator.
    """
    is_given = prices["cost_model"].eq("")
    own = list(dict.fromkeys(prices.loc[is_given, "accelerator"].map(short_name)))
    parts = [f"your own ({names(own)})"] if own else []
    for model, rows in prices[~is_given].groupby("cost_model"):
        parts.append(", ".join([COST_MODELS[model], *sorted({date[:7] for date in rows["quoted"] if date})]))
    return ", else ".join(parts) or "none"


def price_range(prices: pd.DataFrame, accelerator: str) -> Interval:
    """US dollars per accelerator-hour, over all offers of the accelerator in `prices`; unknown without one."""
    offers = prices[prices["accelerator"].eq(accelerator) & prices["duplicate_of"].eq("")]
    return interval.span(offers, "usd_per_accelerator_hour")


def each_offer(prices: pd.DataFrame) -> pd.DataFrame:
    """Return each price once: accelerator, provider, commitment, quoted, all_in_kilowatts, price_low/high, source_id.

    `quoted` is a date, "" where none is stated; prices are US dollars per accelerator-hour.
    """
    once = prices[prices["duplicate_of"].eq("")]
    names = {f"usd_per_accelerator_hour_{end}": f"price_{end}" for end in ("low", "high")}
    columns = ["accelerator", "provider", "commitment", "quoted", POWER, *names, "source_id"]
    return once[columns].rename(columns=names).reset_index(drop=True)


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
    """The rate of each accelerator in comparable rows: of its fastest system among its `rate_rows`, of one system.

    Columns: accelerator, rate_low/high (per accelerator), record (`official` or `documents`), best_of (see scope),
    rounds (that of the row, a tuple), source_ids (a tuple), notes, and those of RAN, as far as the rows have them.
    Where documents contradict each other, the rate is as wide as what they print, and a note says so.
    """
    rated, candidates = [], Candidates(rows)
    for name in rows["accelerator"].unique():
        used = rows[candidates.of_rate(name)]
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


def of_results(rows: pd.DataFrame, prices: pd.DataFrame, share: Interval) -> pd.DataFrame:
    """The rows of official_results.of with what a million tokens costs when `share` of the throughput is delivered.

    Added: usd_per_million, the middle of the range to six digits (NaN where nothing is known), and priced, in words:
    the price per hour and whose it is, or why a comparable result has none; "" of others. `prices` are those of one
    cost model.
    """
    offers = each_offer(prices)
    price = interval.of(interval.hull(offers, ["accelerator"], "price").set_index("accelerator"), "price")
    hourly = Interval(*(rows["accelerator"].map(end).astype("float64") for end in (price.low, price.high)))
    rate = rows["per_accelerator"].where(rows["rate_unit"].eq(TOKENS))
    middle = usd_per_million(Interval(rate, rate), hourly, share).middle.map(lambda usd: float(f"{usd:.6g}"))
    words = {
        name: f"{usd(interval.span(own, 'price'), 3)}/hour ({', '.join(several(own['provider']))})"
        for name, own in offers.groupby("accelerator", sort=False)
    }
    reasons = [rows["per_accelerator"].isna(), rate.isna(), hourly.low.isna()]
    priced = np.select(reasons, ["", "not counted in tokens", "no price"], rows["accelerator"].map(words))
    return rows.assign(usd_per_million=middle, priced=pd.Series(priced, rows.index, "str"))


def break_even(speedups: pd.DataFrame, prices: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the price per hour, over the baseline's, at which each accelerator costs as much per unit of work.

    That is its speedup: `speedups` are rows of speedup.over_baseline, one per accelerator. Columns of these and
    break_even_low/high (the ratio), price_ratio_low/high (its price over the baseline's; NaN where one is unknown),
    verdict (`lower cost`, `higher cost`, or `similar` where two digits of the ranges meet; "" without a price). Highest
    break-even first; the baseline is left out.
    """
    others = speedups[speedups["accelerator"].ne(baseline)]
    base = price_range(prices, baseline)
    ratios = [price_range(prices, name) / base for name in others["accelerator"]]
    others = interval.put(others, "break_even", interval.of(others, "speedup"))
    others = others.assign(
        price_ratio_low=pd.Series([ratio.low for ratio in ratios], others.index, "float64"),
        price_ratio_high=pd.Series([ratio.high for ratio in ratios], others.index, "float64"),
    )
    ends = {
        column: others[column].map(lambda value: float(f"{value:.2g}"))
        for column in ("price_ratio_low", "price_ratio_high", "break_even_low", "break_even_high")
    }
    verdict = np.select(
        [
            others["price_ratio_low"].isna(),
            ends["price_ratio_high"] < ends["break_even_low"],
            ends["price_ratio_low"] > ends["break_even_high"],
        ],
        ["", "lower cost", "higher cost"],
        "similar",
    )
    order = interval.of(others, "break_even").middle.sort_values(ascending=False, kind="stable").index
    return others.assign(verdict=pd.Series(verdict, others.index, "str")).loc[order].reset_index(drop=True)
