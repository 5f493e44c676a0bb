"""Figures against the other figures of the same document: repeats, dollars, watts, products; no outside source is used.

Ratios stand in ratios.py, sizes and bills in sizes.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Row, plain
from analysis.audit.verdict import row
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import power, roofline

REPEATED = {
    "results": "",
    "claims": "",
    "prices": "usd_per_accelerator_hour",
    "quantization": "weight_memory_gb",
}
SECONDS = 3600


def repeats(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Each mention of a figure that says again what another row says, against that first one."""
    own = dict(tables) | {"results": tables["results"][tables["results"]["origin"].eq("published")]}
    return verdict.frame(each for name, column in REPEATED.items() for each in _repeats(name, own[name], column))


def tokens_per_dollar(claims: pd.DataFrame, results: pd.DataFrame, prices: pd.DataFrame) -> pd.DataFrame:
    """Tokens per dollar = tokens/s x 3600 / dollars an hour, with the rate and the price of the same table row."""
    found = []
    for claim, rate, price in _priced(claims, results, prices):
        expected = _range(rate, "") * float(SECONDS) / _range(price, "usd_per_accelerator_hour")
        printed = _range(claim, "")
        said = (
            f"{interval.text(rate['low'], rate['high'])} tokens/s x {SECONDS} / {_dollars(price)} = "
            f"{interval.text(expected.low, expected.high, 4)} tokens per dollar."
        )
        judged = verdict.compare(printed, expected, claim["range_basis"])
        about = ("claims", "tokens per dollar", judged, printed, expected, "tokens/USD")
        found.append(row(claim, *about, f"{rate['id']} x {SECONDS} / {price['id']}", said))
    return verdict.frame(found)


def deployment_price(
    claims: pd.DataFrame,
    results: pd.DataFrame,
    prices: pd.DataFrame,
    benchmarks: pd.DataFrame,
    accelerators: pd.DataFrame,
) -> pd.DataFrame:
    """Tokens per dollar once every accelerator that the weights need is paid for.

    The precision is that of the first figure that the rate repeats; without one nothing is judged.
    """
    known, facts = benchmarks.set_index("benchmark"), accelerators.set_index("accelerator")
    found = []
    for claim, rate, price in _priced(claims, results, prices):
        size = known["parameters_billion"].get(rate["benchmark"], float("nan"))
        memory = float(facts["memory_gb"].get(rate["accelerator"], float("nan")))
        if not rate["precision"] or not size > 0 or not memory > 0:
            continue
        held = roofline.weight_gb(float(size), rate["precision"])
        count = roofline.needed(memory, held)
        expected = _range(rate, "") * float(SECONDS) / (_range(price, "usd_per_accelerator_hour") * float(count))
        printed = _range(claim, "")
        said = (
            f"{interval.number(held)} GB of {rate['precision']} weights need {count}x {rate['accelerator']} of "
            f"{interval.number(memory)} GB, so the hour costs {count} x {_dollars(price)} and a dollar buys "
            f"{interval.text(expected.low, expected.high, 4)} tokens."
        )
        judged = verdict.compare(printed, expected, claim["range_basis"])
        about = ("claims", "deployment price", judged, printed, expected, "tokens/USD")
        found.append(row(claim, *about, f"{rate['id']} x {SECONDS} / ({count} x {price['id']})", said))
    return verdict.frame(found)


def implied_watts(results: pd.DataFrame) -> pd.DataFrame:
    """Throughput over throughput per watt against the measured watts of the system, or the printed ones."""
    published = results[results["duplicate_of"].eq("")]
    found = []
    for figure in plain(power.implied_watts(published[published["low"].notna()])):
        if figure["origin"] != "published":
            continue
        printed, measured = _range(figure, "implied_watts"), _range(figure, "measured_watts")
        measured, whose = (measured, "measured") if measured.known else (_range(figure, "power_watts"), "printed")
        said = (
            f"{figure['printed']} {figure['unit']} over {figure['per_watt_printed']} per watt stand for "
            f"{interval.text(printed.low, printed.high)} W; {whose} are {interval.text(measured.low, measured.high)} W."
        )
        judged = verdict.compare(printed, measured, "range")
        about = ("results", "implied watts", judged, printed, measured, "W")
        found.append(row(figure, *about, "throughput / throughput per watt", said))
    return verdict.frame(found)


def _repeats(table: str, frame: pd.DataFrame, column: str) -> Iterator[Row]:
    rows = {figure["id"]: figure for figure in plain(frame)}
    for figure in rows.values():
        first = rows.get(figure["duplicate_of"])
        if first is None:
            continue
        printed, expected = _range(figure, column), _range(first, column)
        if not (printed.known and expected.known):
            continue
        judged = "exact" if printed == expected else verdict.compare(printed, expected, "range")
        unit = figure.get("unit", "USD/hour" if table == "prices" else "GB")
        digits = 8 if unit == "date" else 5
        said = f"{first['locator']} says {interval.text(expected.low, expected.high, digits)} {unit} of the same."
        yield row(figure, table, "repeat", judged, printed, expected, unit, first["id"], said)


def _priced(claims: pd.DataFrame, results: pd.DataFrame, prices: pd.DataFrame) -> Iterator[tuple[Row, Row, Row]]:
    """Each claim of tokens per dollar with the rate and the price that stand in the same row of the same table."""
    rates, offers = _by_place(results), _by_place(prices)
    first = {figure["id"]: figure for figure in plain(results)}
    for claim in plain(claims[claims["quantity"].eq("tokens_per_dollar") & claims["duplicate_of"].eq("")]):
        rate, price = rates.get(_place(claim)), offers.get(_place(claim))
        if rate is not None and price is not None:
            origin = first.get(rate["duplicate_of"], rate)
            yield claim, rate | {"precision": rate["precision"] or origin["precision"]}, price


def _by_place(frame: pd.DataFrame) -> dict[tuple[str, str], Row]:
    return {_place(figure): figure for figure in reversed(plain(frame)) if "row" in figure["locator"]}


def _place(figure: Row) -> tuple[str, str]:
    """The document and the row of its table: the locator without its last part, which names the column."""
    return figure["source_id"], figure["locator"].rpartition(",")[0]


def _range(figure: Row, name: str) -> Interval:
    prefix = f"{name}_" if name else ""
    return Interval(figure[f"{prefix}low"], figure[f"{prefix}high"])


def _dollars(price: Row) -> str:
    ends = _range(price, "usd_per_accelerator_hour")
    return f"{interval.text(ends.low, ends.high)} dollars"
