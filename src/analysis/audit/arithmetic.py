"""Arithmetic within one document: repeats, tokens per dollar, watts."""

from __future__ import annotations

from collections.abc import Iterator

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.vocabulary import SECONDS_PER_HOUR
from analysis.audit import physics, verdict
from analysis.audit.frames import TABLES, Tables
from analysis.audit.lookup import row_dicts
from analysis.audit.verdict import Judgment, Row, Verdict
from analysis.methods import power

REPEAT, PER_DOLLAR, DEPLOYED, WATTS = "repeat", "tokens per dollar", "deployment price", "implied watts"
AT_CEILING = "tokens per dollar at the ceiling"
POWERED = [*power.PAIR, "id", "origin", "source_id", "locator", "printed", "unit", "range_basis", "per_watt_printed"]
POWERED += ["low", "high", "per_watt_low", "per_watt_high", "power_watts_low", "power_watts_high"]


def repeats(tables: Tables) -> Iterator[Judgment]:
    """Check each repeat of a figure against its first mention."""
    for table in TABLES:
        rows = {figure["id"]: figure for figure in tables.mentions(table)}
        for figure in rows.values():
            if figure["duplicate_of"] in rows:
                yield from _repeat(figure, rows[figure["duplicate_of"]])


def tokens_per_dollar(tables: Tables) -> Iterator[Judgment]:
    """Tokens per dollar = tokens/s x 3600 / dollars an hour, with the rate and the price that it is computed from."""
    for claim, rate, price in _priced(tables):
        speed, dollars = interval.of(rate), interval.of(price)
        expected = speed * SECONDS_PER_HOUR / dollars
        words = (
            f"{speed.text()} tokens/s x {SECONDS_PER_HOUR} / {dollars.text()} dollars = {expected.text(4)} tokens per "
            "dollar."
        )
        yield Judgment(claim, PER_DOLLAR, expected, f"{rate['id']} x {SECONDS_PER_HOUR} / {price['id']}", words)


def deployment_price(tables: Tables) -> Iterator[Judgment]:
    """Tokens per dollar once every accelerator that the weights need is paid for.

    The precision is that of the first figure that the rate repeats; without one nothing is judged.
    """
    for claim, rate, price in _priced(tables):
        held, capacity, least = tables.holding(rate["benchmark"], rate["precision"], rate["accelerator"])
        if not rate["precision"] or not least > 0:
            continue
        dollars = interval.of(price)
        expected = interval.of(rate) * SECONDS_PER_HOUR / (dollars * least)
        words = (
            f"{interval.number(held)} GB of {rate['precision']} weights need {least:.0f}x {rate['accelerator']} of "
            f"{interval.number(capacity)} GB, so the hour costs {least:.0f} x {dollars.text()} dollars and a dollar "
            f"buys {expected.text(4)} tokens."
        )
        reference = f"{rate['id']} x {SECONDS_PER_HOUR} / ({least:.0f} x {price['id']})"
        yield Judgment(claim, DEPLOYED, expected, reference, words)


def dollars_at_ceiling(tables: Tables) -> Iterator[Judgment]:
    """Tokens per dollar of a rate that its hardware cannot reach: at most what the ceiling of that rate buys.

    Each accelerator of the ceiling is paid for: as many as are stated, and no fewer than hold the weights.
    """
    ceilings = {judgment.figure["id"]: judgment for judgment in tables.judgments(physics.decode)}
    for claim, rate, price in _priced(tables):
        ceiling = ceilings.get(rate["duplicate_of"] or rate["id"])
        if ceiling is None or ceiling.verdict is not Verdict.PHYSICALLY_IMPOSSIBLE:
            continue
        *_, least = tables.holding(rate["benchmark"], rate["precision"], rate["accelerator"])
        paid = physics.at_least(rate["accelerator_count"], least)
        dollars, rate_high = interval.of(price), ceiling.expected.high
        most = Interval(0.0, rate_high) * SECONDS_PER_HOUR / (dollars * paid)
        words = (
            f"Its rate is above the ceiling of {interval.number(rate_high)} tokens/s: at {paid} x "
            f"{dollars.text()} dollars an hour a dollar buys at most {interval.number(most.high)} tokens."
        )
        reference = f"{ceiling.reference}, x {SECONDS_PER_HOUR} / ({paid} x {price['id']})"
        below = verdict.below(interval.of(claim), most.high)
        yield Judgment(claim, AT_CEILING, most, reference, words, verdict=below)


def implied_watts(tables: Tables) -> Iterator[Judgment]:
    """Check throughput over throughput per watt against the measured watts of the system, or the printed ones."""
    rows = tables.results
    powered = rows["per_watt_low"].notna() | (rows["power_watts_low"].notna() & rows["origin"].eq("official"))
    figures = rows.loc[powered & rows["duplicate_of"].eq("") & rows["low"].notna(), POWERED]
    for figure in row_dicts(power.implied_watts(figures), "results"):
        if figure["origin"] != "published":
            continue
        printed, expected, whose = (
            interval.of(figure, "implied_watts"),
            interval.of(figure, "measured_watts"),
            "measured",
        )
        if not expected.known:
            expected, whose = interval.of(figure, "power_watts"), "printed"
        words = (
            f"{figure['printed']} {figure['unit']} over {figure['per_watt_printed']} per watt stand for "
            f"{printed.text()} W; {whose} are {expected.text()} W."
        )
        reference = "throughput / throughput per watt"
        yield Judgment(figure, WATTS, expected, reference, words, printed=printed, unit="W", basis="range")


def _repeat(figure: Row, repeated: Row) -> Iterator[Judgment]:
    name, unit = ("weight_memory_gb", "GB") if figure["table"] == "quantization" else ("", figure["unit"])
    printed, expected = (interval.of(row, name) for row in (figure, repeated))
    if printed.known and expected.known:
        outcome = Verdict.CONFIRMED if printed == expected else verdict.compare(printed, expected, "range")
        words = f"{repeated['locator']} says {expected.text(8 if unit == 'date' else 5)} {unit} of the same."
        yield Judgment(figure, REPEAT, expected, repeated["id"], words, verdict=outcome, printed=printed, unit=unit)


def _priced(tables: Tables) -> Iterator[tuple[Row, Row, Row]]:
    """Each claim of tokens per dollar with the rate and the price that it names as those it is computed from."""
    rates, offers = ({row["id"]: row for row in tables.mentions(table)} for table in ("results", "prices"))
    for claim in tables.stated("tokens_per_dollar"):
        rate, price = rates.get(claim["result_row"]), offers.get(claim["price_row"])
        if rate is not None and price is not None:
            original = rates.get(rate["duplicate_of"], rate)
            yield claim, rate | {"precision": rate["precision"] or original["precision"]}, price
