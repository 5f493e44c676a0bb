"""The result row that every importer makes: the columns of results.csv, and what a row must hold.

A row is a dict by column; None or a missing column is an empty cell. `value` is `low` and `high`, an official figure
being exact unless it is printed rounded; the printed unit is `printed_unit`, the true one `unit`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

from analysis._core import unprintable
from analysis._core.vocabulary import LIMITED, METRICS, MILLISECONDS, MIXED, STREAMS, TOKENS, record_id
from analysis._import.official import accelerator_names, endpoints, precision, software, units
from analysis._import.official.entry import Entry, EntryError

Row = dict[str, Any]
_DIVISION = {"closed-network": "network"}
AVAILABILITY = {"on-premise": "available", "cloud": "available", "research": "rdi", "rdo": "rdi"}
AVAILABILITY |= {"research, development, or internal": "rdi"}
LARGEST = 1e18  # no rate, latency, energy or power of a system comes near
UNOFFICIAL = "unofficial-submissions"  # the source of rows that are no record of a round
_UNEVEN = re.compile(r"\(\d+(?:,\s*\d+)+\)")
ENDPOINTS_SINCE = "v6.1"
_TOKENS = re.compile(r"TOKENS_PER_SAMPLE'?:\s*([\d.]+)", re.IGNORECASE)
_FORMULA = ("=", "+", "-", "@")
_CAP = re.compile(r"power cap (\d+) ?w\b|\b(\d+) ?w / \d+ ?w \(reduced\)", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAID = ("", "n/a", "na", "none", "-")
_MISSING = (*_UNSAID, "0")


def row(entry: Entry) -> Row:
    """The row of a published result. Raises EntryError where a field is missing or not what it must be."""
    _clean(entry)
    if not entry.round:
        raise EntryError("names no round; say which with --round")
    benchmark, target = units.benchmark(str(entry.model), str(entry.model_run))
    scenario = units.scenario(str(entry.scenario), f"{entry.model} {entry.model_run}")
    out: Row = {
        "origin": entry.origin,
        "source_id": record_id(entry.round) if entry.origin == "official" else UNOFFICIAL,
        "round": entry.round,
        "result_id": entry.result_id,
        "submitter": text(entry.submitter),
        "division": _DIVISION.get(_word(entry.division), _word(entry.division)),
        "availability": AVAILABILITY.get(_word(entry.availability), _word(entry.availability)),
        "suite": ",".join(sorted(filter(None, re.split(r"[,\s]+", _word(entry.suite))))),
        "system": text(entry.system or entry.platform),
        "benchmark": text(benchmark),
        "model_run": text(entry.model_run),
        "accuracy_target": target,
        "scenario": scenario,
        "printed_unit": text(entry.label),
        "range_basis": "exact",
        "per": "system",
        "framework": text(entry.framework),
        "accuracy": "" if _word(entry.accuracy) in _UNSAID else text(entry.accuracy),
        "inferred": bool(entry.inferred),
        "evidence": entry.evidence,
        "location": text(entry.location),
    }
    out["id"] = identity(out, entry)
    out["locator"] = f"{where(out)}, {out['model_run']}, {scenario}"
    for part in (_hardware, _figure, _weights, _power, _endpoints, _software):
        part(out, entry)
    return out


def identity(row: Row, entry: Entry) -> str:
    """The key of the row: its result id, else the place of the system in its round; model run and scenario."""
    number = entry.round.removeprefix("v")
    system = row["result_id"] or "-".join(
        filter(None, [number, row["division"], row["submitter"], text(entry.platform or entry.system)])
    )
    return slug("o", system, row["model_run"], row["scenario"])


def where(row: Row) -> str:
    """The place of a row in words: its result id, or its folder."""
    return f"result {row['result_id']}" if row["result_id"] else f"folder {row['location'] or row['system']}"


def slug(*parts: str) -> str:
    """Small letters, digits, points and dashes."""
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-.")


def text(value: Any) -> str:
    """A cell of text: blanks made single, nothing unprintable, nothing that a spreadsheet would run as a formula."""
    words = " ".join(_printable(str(value)).split()) if value is not None else ""
    return f"'{words}" if words.startswith(_FORMULA) else words


def _clean(entry: Entry) -> None:
    """Leave out of an entry's texts, but those that are never kept, what no cell can hold."""
    for name, value in vars(entry).items():
        if isinstance(value, str) and name != "described":
            setattr(entry, name, _printable(value))


def _printable(words: str) -> str:
    return unprintable.without(legible(words))[0]


def legible(words: str) -> str:
    """`words` as text that every file and terminal takes.

    A byte of a file name that is no UTF-8 is what Latin-1 says; any other half of a surrogate pair is U+FFFD.
    """
    if words.isascii():
        return words
    return _SURROGATE.sub(lambda half: chr(ord(half[0]) & 0xFF) if "\udc80" <= half[0] <= "\udcff" else "\ufffd", words)


def remark(row: Row, *remarks: str) -> None:
    """Put what is said behind the row's note."""
    note = row.get("note", "")
    row["note"] = "; ".join(filter(None, [note, *(words for words in remarks if words not in note)]))


def convert(row: Row) -> None:
    """`samples_per_second` and `tokens_per_second` where the row's unit and its tokens per sample give them."""
    tokens = row.get("tokens_per_sample")
    if row["unit"] == TOKENS:
        row.setdefault("tokens_per_second", row["low"])
        row.setdefault("samples_per_second", row["low"] / tokens if tokens else None)
    elif row["unit"] not in METRICS:
        row.setdefault("samples_per_second", row["low"])
        row.setdefault("tokens_per_second", row["low"] * tokens if tokens else None)


def recount(row: Row, entry: Entry, unit: str, reason: str) -> None:
    """Put right what the figure of a row counts, and what followed from it: its rates, and what `weights` tell."""
    row |= {"unit": unit, "corrected": reason}
    for name in ("samples_per_second", "tokens_per_second"):
        row.pop(name, None)
    convert(row)
    _weights(row, entry)


def number(value: Any, name: str) -> float:
    """`value` as a number above 0 and below LARGEST. Raises EntryError naming it."""
    positive = _float(value)
    if not 0 < positive < LARGEST:
        raise EntryError(f"{name} is {value!r}, not a number above 0 and below {LARGEST:g}")
    return positive


def _hardware(row: Row, entry: Entry) -> None:
    """Accelerators in total are those of a node times the nodes; a system without any counts its processors."""
    name = "" if _word(entry.accelerator) in _MISSING else text(entry.accelerator)
    uneven = _UNEVEN.fullmatch(str(entry.per_node))  # "(8,4)": nodes of several kinds, which the name counts
    nodes, per_node = count(entry.nodes, "Nodes"), None if uneven else count(entry.per_node, "accelerators per node")
    total = accelerator_names.of_groups(name) if uneven else count(entry.total, "total_accelerators")
    if not nodes:
        raise EntryError(f"Nodes is {entry.nodes!r}, not a whole number above 0")
    if not name:
        if per_node or total:
            raise EntryError(f"names no accelerator, though it counts {per_node or total}")
        name, per_node = text(entry.processor), count(entry.processors_per_node, "host_processors_per_node")
        remark(row, "processor-only system; sockets counted")
        if not name and per_node:
            name = row["system"]
            remark(row, "its processor is not named, the system stands for it")
    if not name:
        raise EntryError("names neither an accelerator nor a processor")
    accelerator, is_known = accelerator_names.canonical(name)
    product = (per_node or 0) * nodes
    named_count = sum(accelerator_names.counts(name))
    if total and product and total != product and accelerator != MIXED:
        raise EntryError(f"total_accelerators is {total}, but {nodes} nodes of {per_node} are {product}")
    row |= {"accelerator": accelerator, "accelerator_as_published": name, "nodes": nodes}
    row["accelerator_count"] = total or product or None
    if product - (per_node or 0) < named_count < product:  # the last node is not full
        row["accelerator_count"] = named_count
        remark(row, f"{named_count} accelerators by its name, where nodes times accelerators per node are {product}")
    if accelerator_names.is_no_part(name):
        remark(row, "what is printed in the accelerator's place names no part")
    elif not is_known:
        remark(row, "accelerator not in data/accelerator_aliases.csv")
    if accelerator == MIXED:
        remark(row, "cluster of several accelerator types")


def count(value: Any, name: str) -> int | None:
    """A whole number, None where nothing is said. Raises EntryError for anything else."""
    if _word(value) in _MISSING:
        return None
    counted = _float(value)
    if not counted >= 0 or counted % 1 or counted > 1e6:
        raise EntryError(f"{name} is {value!r}, not a whole number")
    return int(counted)


def _figure(row: Row, entry: Entry) -> None:
    """Value, true unit and tokens per sample; a label that says another unit is put right, and the row says so."""
    labeled, factor = units.printed(row["printed_unit"])
    if units.of_power(row["printed_unit"]):
        raise EntryError(f"its figure is labeled {row['printed_unit']}: power without the result that it belongs to")
    stated = _TOKENS.search(row["accuracy"])
    unsaid = TOKENS if stated and labeled != MILLISECONDS else labeled
    true = units.true_unit(row["benchmark"], row["scenario"], row["round"]) or unsaid
    if not true:
        raise EntryError(f"its unit {row['printed_unit']!r} is not known")
    if true != labeled and METRICS.keys() & {true, labeled}:
        raise EntryError(f"{row['scenario']} is labeled {row['printed_unit']!r}: {true} expected")
    value = number(number(entry.value, "the result") * factor, f"the result in {true}")
    row |= {"metric": METRICS.get(true, "throughput"), "low": value, "high": value, "unit": true}
    if entry.printed:
        from analysis._core import interval  # It loads pandas, which no other import needs.

        ends = interval.from_printed(entry.rounded or entry.printed, "rounded")
        row |= {
            "printed": entry.printed,
            "range_basis": "rounded",
            "low": ends.low * factor,
            "high": ends.high * factor,
        }
    if true != labeled:
        row["corrected"] = f"labeled {row['printed_unit']}, but {row['benchmark']} counts {true.partition('/')[0]}"
    if stated and true not in METRICS:
        row["tokens_per_sample"] = float(stated[1])
    elif true == TOKENS and (by_rule := units.tokens_by_rule(row["benchmark"])):
        row["tokens_per_sample"] = by_rule
    convert(row)


def _weights(row: Row, entry: Entry) -> None:
    tokens = row["unit"] == TOKENS or bool(_TOKENS.search(row["accuracy"]))
    declared = precision.declared(text(entry.weights), row["benchmark"], row["round"], tokens=tokens)
    row["precision"], row["precision_basis"] = declared[:2]
    remark(row, declared[2])


def _power(row: Row, entry: Entry) -> None:
    row["power_measured"] = bool(entry.has_power or entry.power is not None)
    if entry.power is None:
        return
    value, unit = number(entry.power, "the power"), _word(entry.power_label)
    label = units.of_power(unit) if unit else ("millijoules" if row["scenario"] in STREAMS else "watts")
    if not label:
        raise EntryError(f"its power is labeled {entry.power_label!r}, not one of {', '.join(units.POWER)}")
    if label == "watts":
        row |= {"power_watts_low": value, "power_watts_high": value}
    else:
        row["energy_millijoules_per_query"] = value * (1000 if label == "joules" else 1)
    remark(row, "power-capped system" if "maxq" in f"{entry.platform} {row['system']}".lower() else "")


def _software(row: Row, entry: Entry) -> None:
    """What the system's name and description name: hypervisor, serving software, and a power limit in force."""
    system_names = f"{row['system']}\n{text(entry.platform)}"
    hardware = f"{row['accelerator']}\n{row['accelerator_as_published']}"
    row["hypervisor"] = software.hypervisor(system_names, hardware, row["framework"], entry.described)
    row["serving_software"] = software.serving(system_names, row["framework"], entry.described)
    if (limit := _cap(system_names, hardware, entry.described)) is not None:
        row["power_limit_watts"] = limit


@lru_cache(maxsize=1024)
def _cap(*texts: str) -> float | None:
    """The power limit in watts that the texts state, None where they state none."""
    limit = _CAP.search("\n".join(texts))
    return float(limit[1] or limit[2]) if limit else None


def _endpoints(row: Row, entry: Entry) -> None:
    """What a figure of MLPerf Endpoints logs is, where no log is at hand to say it.

    From v6.1 on their rows are known by the accuracy, which is a bare number. LoadGen's window is that of requests that
    come at random times.
    """
    bare = bool(row["accuracy"]) and not math.isnan(_float(row["accuracy"]))
    if entry.endpoints is False or units.before(row["round"], ENDPOINTS_SINCE) or not bare:
        return
    remark(row, endpoints.FIGURES)
    if row["unit"] == MILLISECONDS and not endpoints.percentile(row["benchmark"], row["scenario"]):
        remark(row, endpoints.MEAN)
    elif row["unit"] == TOKENS and row["scenario"] in LIMITED:
        remark(row, endpoints.WINDOW)


def _float(value: Any) -> float:
    """A number or its usual spelling, else NaN: Python's own (`True`, "1_000") is none of a summary's."""
    if isinstance(value, bool) or "_" in str(value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _word(value: Any) -> str:
    return str(value).strip().lower() if value is not None else ""
