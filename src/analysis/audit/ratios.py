"""Stated ratios against the figures of the same document that they are said of; official ratios are in claims.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Row, plain
from analysis.audit.verdict import hull, row
from analysis.compare import gate
from analysis.core import interval
from analysis.core.interval import Interval

CHECK = "ratio of its own figures"
OF_CLAIMS = {
    "tokens_per_dollar_ratio": "tokens_per_dollar",
    "memory_capacity_ratio": "memory_capacity",
    "memory_bandwidth_ratio": "memory_bandwidth",
}
OF_PRICES = ("price_ratio", "break_even_throughput_ratio")
Sides = tuple[list[Row], list[Row], str]


def stated(claims: pd.DataFrame, results: pd.DataFrame, prices: pd.DataFrame) -> pd.DataFrame:
    """Ratios of throughput, tokens per dollar, memory, bandwidth and price against the document's own two figures."""
    rows = results.assign(slower=gate.slower_precision(results))
    rows = plain(rows[rows["origin"].eq("published") & rows["duplicate_of"].eq("")])
    said, offers = (plain(frame[frame["duplicate_of"].eq("")]) for frame in (claims, prices))
    found = []
    for claim in said:
        over, under, column = _sides(claim, rows, said, offers)
        if over and under:
            found.append(_ratio(claim, "claims", over, under, column))
    return verdict.frame(found)


def quantization(table: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Stated gains of a precision against the rates of the document's own table; the open division has none."""
    rates = {figure["id"]: figure for figure in plain(results)}
    ways = {way["id"]: way for way in plain(table)}
    found = []
    for way in ways.values():
        origin = ways.get(way["duplicate_of"], way)
        base = [
            w for w in ways.values() if w["source_id"] == way["source_id"] and w["technique"] == way["speedup_baseline"]
        ]
        over, under = rates.get(origin["result_row"]), rates.get(base[0]["result_row"]) if base else None
        if over and under and way["speedup_low"] > 0:
            claim = way | {"low": way["speedup_low"], "high": way["speedup_high"], "unit": "ratio"}
            claim |= {"range_basis": "approximate", "bound": way["speedup_bound"], "subject": way["technique"]}
            found.append(_per_device(_ratio(claim, "quantization", [over], [under], ""), over, under))
    return verdict.frame(found)


def _per_device(judged: Row, over: Row, under: Row) -> Row:
    """A gain that holds between systems of different size is conditional: per accelerator it is another."""
    sizes = [figure["accelerator_count"] for figure in (over, under)]
    if sizes[0] == sizes[1] or judged["verdict"] not in verdict.AGREES:
        return judged
    each = Interval(judged["expected_low"], judged["expected_high"]) * (sizes[1] / sizes[0])
    said = (
        f"{judged['explanation'][:-1]}, but between {sizes[0]:.0f}x and {sizes[1]:.0f}x: per accelerator it is "
        f"{interval.text(each.low, each.high)}."
    )
    return judged | {"verdict": "conditional", "explanation": said}


def products(claims: pd.DataFrame) -> pd.DataFrame:
    """A over C against A over B times B over C, where one document states all three of the same round and benchmark."""
    said = claims[claims["quantity"].eq("throughput_ratio") & claims["duplicate_of"].eq("") & claims["low"].notna()]
    rows = plain(
        said[said["subject_accelerator"].ne("") & said["subject_accelerator"].ne(said["baseline_accelerator"])]
    )
    found = []
    for claim in rows:
        for first in _about(rows, claim, subject_accelerator=claim["subject_accelerator"]):
            step = {"subject_accelerator": first["baseline_accelerator"]}
            for second in _about(rows, claim, **step, baseline_accelerator=claim["baseline_accelerator"]):
                found.append(_product(claim, first, second))
    return verdict.frame(found)


def accelerated_part(claims: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """A gain from making a part of the time cheaper against 1 / (1 - share + share x what is left of its compute)."""
    said = {
        (each["source_id"], each["benchmark"], each["quantity"]): each
        for each in plain(claims[claims["quantity"].isin(["share_of_time", "compute_ratio"])])
    }
    found = []
    for way in plain(table[table["speedup_low"].notna()]):
        share, left = (
            said.get((way["source_id"], way["benchmark"], name)) for name in ("share_of_time", "compute_ratio")
        )
        if share and left and way["technique"].split("-")[0] in left["subject"].lower():
            found.append(_part(way, share, left))
    return verdict.frame(found)


def _sides(claim: Row, rows: Iterable[Row], said: Iterable[Row], offers: Iterable[Row]) -> Sides:
    """The figures above and below the line, and the name of their interval."""
    if claim["quantity"] == "throughput_ratio":
        return _rates(claim, rows, "subject"), _rates(claim, rows, "baseline"), "each"
    if claim["quantity"] in OF_CLAIMS:
        of, words = OF_CLAIMS[claim["quantity"]], claim["quantity"] == "tokens_per_dollar_ratio"
        return _claimed(claim, said, of, "subject", words), _claimed(claim, said, of, "baseline", words), ""
    if claim["quantity"] in OF_PRICES and not claim["benchmark"]:
        return _offers(claim, offers, "subject"), _offers(claim, offers, "baseline"), "usd_per_accelerator_hour"
    return [], [], ""


def _rates(claim: Row, rows: Iterable[Row], side: str) -> list[Row]:
    """The document's rates of one side, per accelerator where the number is known and differs."""
    software = claim["subject_accelerator"] == claim["baseline_accelerator"]
    framework = claim[side] if software else claim["framework"]
    chosen = [
        figure
        for figure in rows
        if figure["source_id"] == claim["source_id"]
        and figure["accelerator"] == claim[f"{side}_accelerator"]
        and figure["benchmark"] == claim["benchmark"]
        and figure["scenario"] == claim["scenario"]
        and figure["round"] == (claim["round"] if side == "subject" else claim["baseline_round"] or claim["round"])
        and figure["metric"] == "throughput"
        and not figure["slower"]
        and (not (framework or software) or figure["framework"] == framework)
    ]
    return [figure | _each(figure) for figure in chosen]


def _each(figure: Row) -> Row:
    size = figure["accelerator_count"] if figure["per"] == "system" and figure["accelerator_count"] > 0 else 1.0
    return {"each_low": figure["low"] / size, "each_high": figure["high"] / size}


def _claimed(claim: Row, said: Iterable[Row], quantity: str, side: str, words: bool) -> list[Row]:
    """The document's claims of a quantity, of the subject named in words, or else of its accelerator."""
    key, wanted = ("subject", claim[side]) if words else ("subject_accelerator", claim[f"{side}_accelerator"])
    same = [each for each in said if each["source_id"] == claim["source_id"] and each["quantity"] == quantity]
    return [each for each in same if wanted and each[key] == wanted]


def _offers(claim: Row, offers: Iterable[Row], side: str) -> list[Row]:
    wanted = claim[f"{side}_accelerator"]
    return [each for each in offers if each["source_id"] == claim["source_id"] and each["accelerator"] == wanted]


def _ratio(claim: Mapping, table: str, over: list[Row], under: list[Row], column: str) -> Row:
    prefix = f"{column}_" if column else ""
    top, bottom = (hull(Interval(r[f"{prefix}low"], r[f"{prefix}high"]) for r in side) for side in (over, under))
    expected = Interval(1.0, 1.0) if over == under else top / bottom
    printed = Interval(claim["low"], claim["high"])
    found = verdict.compare(printed, expected, claim["range_basis"])
    words = [interval.text(side.low, side.high, 4) for side in (top, bottom)]
    said = f"The document's own {words[0]} over {words[1]} is {interval.text(expected.low, expected.high)}."
    reference = f"{over[0]['id']} / {under[0]['id']}"
    return row(claim, table, CHECK, found, printed, expected, "ratio", reference, said)


def _about(rows: list[Row], claim: Row, **wanted: str) -> list[Row]:
    """Other claims of the same document, benchmark and round, of the same scenario or of none, with what is wanted."""
    same = {name: claim[name] for name in ("source_id", "benchmark", "round", "baseline_round")} | wanted
    return [
        each
        for each in rows
        if each["id"] != claim["id"]
        and all(each[name] == value for name, value in same.items())
        and each["scenario"] in (claim["scenario"], "")
    ]


def _product(claim: Row, first: Row, second: Row) -> Row:
    ends = [Interval(each["low"], each["high"]) for each in (claim, first, second)]
    expected = ends[1] * ends[2]
    words = [interval.text(each.low, each.high) for each in (*ends[1:], expected)]
    said = f"The document's {words[0]} times its {words[1]} is {words[2]}."
    found = verdict.compare(ends[0], expected, claim["range_basis"])
    reference = f"{first['id']} x {second['id']}"
    return row(claim, "claims", "product of its own ratios", found, ends[0], expected, "ratio", reference, said)


def _part(way: Row, share: Row, left: Row) -> Row:
    spared = Interval(share["low"] * (1 - left["high"]), share["high"] * (1 - left["low"]))
    expected = Interval(1 / (1 - spared.low), 1 / (1 - spared.high))
    printed = Interval(way["speedup_low"], way["speedup_high"])
    said = (
        f"With {interval.text(share['low'], share['high'])} of the time at {interval.text(left['low'], left['high'])} "
        f"of its compute the whole is {interval.text(expected.low, expected.high)} times as fast."
    )
    found = verdict.compare(printed, expected)
    reference = f"1 / (1 - {share['id']} x (1 - {left['id']}))"
    return row(way, "quantization", "gain from its part", found, printed, expected, "ratio", reference, said)
