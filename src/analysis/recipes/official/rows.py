"""Shape one published result, and the values of its log, into a row of data/official/, or state why it cannot be used.

A result is a dictionary: fields of a summary, then also columns of the record. A missing number is NaN, a missing text
empty.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.compare import SCENARIOS
from analysis.recipes.official import hardware, units
from analysis.recipes.official.logs import COUNTED, PERCENTILES, read_run_log
from analysis.recipes.official.results_table import rounding
from analysis.recipes.official.summary import FileError, clean
from analysis.recipes.official.units import LIMITED, MILLISECONDS, POWER, STREAMS
from analysis.results import TOKENS

OLDEST = 4.1
TEXTS = (
    "result_id", "submitter", "division", "availability", "suite", "system", "platform", "accelerator", "processor",
    "model_run", "model", "scenario", "label", "power_label", "accuracy", "weights", "framework", "location",
    "described", "printed",
)  # fmt: skip
RAW = ("nodes", "per_node", "total", "processors_per_node", "value", "power", "has_power", "inferred")
BLANK = dict.fromkeys(RAW) | {"platform": "", "is_known": False, "doubted": False}
LONGEST = 20_000  # characters of a field
LEAST, MOST = 1e-4, 1e9  # plausible range of a figure; the record spans 0.014 to 5.8 million
MOST_EACH = 1e7  # per second and accelerator; the record has 0.7 million
LEAST_WATTS, MOST_WATTS_EACH_NODE, MOST_MILLIJOULES = 0.1, 200_000, 1e12
NODES = re.compile(r"(?i)(?<![a-z0-9])(\d{1,3})[- _]?(?:nodes?|N)(?![a-z0-9])")  # in a system's name
TOKENS_PER_SAMPLE = re.compile(r"(?i)TOKENS_PER_SAMPLE'?:\s*([\d.]{1,20})")  # in the accuracy
LARGEST_BOARD = 8  # SXM accelerators of a node, since those of V100
UNSAID = ("", "0", "n/a", "na", "none", "-")
AGREES, POWER_AGREES = 1e-6, 1e-9  # share by which a figure from its log, and power from its samples, may differ

Row = dict[str, Any]


def shaped(result: Row) -> Row:
    """Return a result of `sources.read_results` with every column of the record that it gives.

    `fault` is the first reason why it cannot be used, "" if there is none.
    """
    row = BLANK | result | {"notes": []}
    try:
        if row["fault"]:
            raise FileError(row["fault"])
        for part in (_names, _origin, _log, _hardware, _figure, _recomputed, _rates, _power, _described):
            part(row)
    except FileError as error:
        row["fault"] = str(error)
    return row | {"note": "; ".join(row["notes"]), "per": "system"}


def columns(found: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of data/official/ in their order and types; missing values are empty."""
    frame = {}
    for field in tables.descriptor()["results"]["schema"]["fields"]:
        cells = found.get(field["name"], pd.Series(None, found.index, dtype=object))
        if field["type"] in ("number", "integer"):
            cells = pd.to_numeric(cells, errors="coerce").astype("float64")
            cells = cells.where(cells.abs().lt(2**53)).round().astype("Int64") if field["type"] == "integer" else cells
        elif field["type"] == "boolean":
            cells = cells.eq(True).astype(bool)
        else:
            cells = cells.astype(object).fillna("").astype("str")
        frame[field["name"]] = cells
    return pd.DataFrame(frame)


def _number(value: Any) -> float:
    """Return a number or its usual spelling as a float, NaN for anything else, such as `True` and "1_000"."""
    if isinstance(value, bool) or "_" in str(value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _first(*values: float) -> float:
    """Return the first number that is not NaN."""
    return next((value for value in values if value == value), math.nan)


def _names(row: Row) -> None:
    """Clean the texts, and name benchmark and target, scenario, and the round as the number `age`."""
    for name in TEXTS:
        row[name] = clean(row.get(name))
        if len(row[name]) > LONGEST:
            raise FileError(f"has more than {LONGEST:,} characters in {name}")
    row["benchmark"], row["accuracy_target"] = units.official_benchmark(row["model"], row["model_run"])
    row["scenario"] = units.scenario(row["scenario"], f"{row['model']} {row['model_run']}")
    if row["scenario"] not in SCENARIOS:
        raise FileError(f"scenario {row['scenario']!r:.60} is not one of {', '.join(SCENARIOS)}")
    named = re.fullmatch(r"v(\d{1,3}\.\d)", row["round"])
    row["age"] = float(named[1]) if named else math.nan
    row["division"], row["availability"] = row["division"].lower(), row["availability"].lower()
    row["suite"] = ",".join(sorted({*re.findall(r"[^,\s]+", row["suite"].lower())}))
    number = re.fullmatch(r"v?(\d+\.\d+-\d{4})", row["result_id"])
    row["result_id"] = number[1] if number else ""
    row["system"] = row["system"] or row["platform"]
    for name in ("has_power", "inferred"):
        row[name] = clean(row[name]).lower() in ("true", "1", "1.0")
    row["inferred"] &= row["age"] < 6.0  # from v6.0 on the flag also marks the spelling of a folder


def _origin(row: Row) -> None:
    """Raise FileError for results of old rounds, without proof of their origin, or without a round."""
    if row["age"] < OLDEST:
        raise FileError(f"rounds before v{OLDEST} are not supported (docs/data.md)")
    if not row["origin"]:
        raise FileError(row["doubt"])
    if math.isnan(row["age"]):
        raise FileError("states no round; set --round")


def _log(row: Row) -> None:
    """Add the values of the log and the power samples of the run, as `log_...`."""
    log = read_run_log(row)
    if log["fault"]:
        raise FileError(log["fault"])
    row |= {f"log_{name}": value for name, value in log.items()}


def _count(row: Row, name: str) -> float:
    """Return a field as a whole number; NaN where empty."""
    if clean(row[name]).lower() in UNSAID:
        return math.nan
    counted = _number(row[name])
    if not 0 <= counted <= 1e6 or counted % 1:
        raise FileError(f"{name} is {row[name]!r:.60}; expected a whole number")
    return counted


def _hardware(row: Row) -> None:
    """Count accelerators: those of a node times the nodes. For a system without accelerators, count CPU sockets."""
    named, notes = "" if row["accelerator"].lower() in UNSAID else row["accelerator"], row["notes"]
    nodes, per_node, total = _count(row, "nodes"), _count(row, "per_node"), _count(row, "total")
    if not nodes > 0:
        raise FileError("nodes is not a whole number above 0")
    if not named and per_node > 0:
        raise FileError("names no accelerator, but has an accelerator count")
    sockets = _count(row, "processors_per_node")
    if not named:
        notes.append("processor-only system; sockets counted")
        named, per_node = row["processor"], sockets
    if not named:
        raise FileError("names neither an accelerator nor a processor")
    accelerator, is_known = hardware.known_accelerator(named)
    product, by_name = per_node * nodes, hardware.counted(named)
    if total > 0 and product > 0 and total != product and accelerator != hardware.MIXED:
        raise FileError("total accelerators do not equal nodes times accelerators per node")
    count = next((number for number in (total, product) if number > 0), math.nan)
    if product - per_node < by_name < product:  # the last node is not full
        count = by_name
        notes.append(f"{by_name} accelerators by its name, where nodes times accelerators per node are {product:.0f}")
    stated = NODES.search(row["system"])
    is_other = bool(stated) and float(stated[1]) != nodes
    is_crowded = "SXM" in named and per_node > LARGEST_BOARD
    if is_other:
        notes.append(f"its name says other than {nodes:.0f} nodes; if its file is wrong, correct it")
    if is_crowded:
        notes.append(f"{count:.0f} accelerators on {nodes:.0f} nodes are more than SXM boards hold")
    if not is_known:
        notes.append("accelerator not in data/accelerator_aliases.csv")
    if accelerator == hardware.MIXED:
        notes.append("cluster of several accelerator types")
    row |= {"accelerator": accelerator, "accelerator_as_published": named, "is_known": is_known}
    row |= {"accelerator_count": count, "nodes": nodes, "doubted": is_other or is_crowded}


def _figure(row: Row) -> None:
    """Replace wrong unit labels, and set `low` and `high` to the range of a rounded figure."""
    is_published = row["evidence"] != "log"
    value, label = (row["value"], row["label"]) if is_published else (row["log_recomputed"], row["log_unit"])
    labeled, factor = units.LABELS.get(label.lower(), ("", 1.0))
    stated = TOKENS_PER_SAMPLE.search(row["accuracy"])
    tokens = _number(stated[1]) if stated else math.nan
    counts_tokens = tokens == tokens and labeled != MILLISECONDS
    unit = units.rate_unit(row["benchmark"], row["scenario"]) or (TOKENS if counts_tokens else labeled)
    is_latency = unit == MILLISECONDS
    if label.lower() in POWER:
        raise FileError("is a power entry without its result")
    if not unit:
        raise FileError(f"its unit {label!r:.60} is unknown")
    if is_latency != (labeled == MILLISECONDS):
        raise FileError(f"{row['scenario']} is labeled {label!r:.60}; expected {unit}")
    figure = _number(value) * factor
    most = MOST if is_latency else min(MOST, MOST_EACH * _first(row["accelerator_count"], 1))
    if not LEAST <= figure <= most:
        raise FileError(f"the result is {value!r:.60} {label}, which no system reaches")
    row["low"] = row["high"] = figure
    if row["printed"]:
        half = rounding(row["printed"]) * factor
        row["low"], row["high"] = float(np.round(figure - half, 9)), float(np.round(figure + half, 9))
    row["range_basis"] = "rounded" if row["printed"] else "exact"
    row["unit"], row["metric"] = unit, "latency" if is_latency else "throughput"
    row["printed_unit"] = label if is_published else ""
    wrong = f"labeled {label}, but {row['benchmark']} counts {unit.partition('/')[0]}"
    row["corrected"] = wrong if unit != labeled else ""
    rule = units.known().get(row["benchmark"], {}).get("tokens_per_sample_by_rule", math.nan)
    row["by_rule"] = rule if unit == TOKENS and tokens != tokens else math.nan
    row["tokens_per_sample"] = _first(math.nan if is_latency else tokens, row["by_rule"])


def _recomputed(row: Row) -> None:
    """Add the figure recomputed from the log; where both agree, the log's key decides the unit."""
    value, unit, is_published = row["log_recomputed"], row["log_unit"], row["evidence"] != "log"
    for name in ("recomputed", "recomputed_key", "validity", *COUNTED, *PERCENTILES):
        row[name] = row[f"log_{name}"]
    row["inferred"] |= row["log_inferred"]
    off = value / min(max(value, row["low"]), row["high"]) - 1
    row["recomputed_difference"] = off if is_published else math.nan
    if is_published and abs(off) > AGREES:
        row["notes"].append(f"published {row['low']:g}, log {value:g} {unit}")
    if is_published and row["folder"] and value != value and not row["inferred"]:
        row["notes"].append("not recomputed: no LoadGen log of it in the tree")
    if is_published and abs(off) <= AGREES and (unit == TOKENS) != (row["unit"] == TOKENS):
        row["unit"], row["corrected"] = unit, f"the figure is {row['recomputed_key']} of its log"
    if value == value:
        row["evidence"] = "log"


def _rates(row: Row) -> None:
    """Add throughput in samples and tokens: of the log, else the figure, in tokens also by its tokens per sample."""
    tokens, in_tokens = row["tokens_per_sample"], row["unit"] == TOKENS
    rate = row["low"] if row["metric"] == "throughput" else math.nan
    row["samples_per_second"] = _first(row["log_samples_per_second"], math.nan if in_tokens else rate)
    row["tokens_per_second"] = _first(row["log_tokens_per_second"], rate if in_tokens else rate * tokens)
    row["tokens_per_sample"] = _first(row["by_rule"], row["log_tokens_per_sample"], tokens)


def _power(row: Row) -> None:
    """Add power in watts (stream scenarios: millijoules per query), both as published and as computed from the log."""
    power, metered, lost = row["power"], row["log_power"], row["log_power_fault"]
    is_published = power is not None
    if not is_published and math.isnan(row["recomputed_difference"]) and metered == metered:
        power = metered
    is_said = power is not None
    label = row["power_label"].lower() or POWER[row["scenario"] in STREAMS]
    if is_said and label not in POWER:
        raise FileError(f"its power is labeled {row['power_label']!r:.60}; expected {', '.join(POWER)}")
    drawn = _number(power)
    watts, energy = (drawn, math.nan) if label == POWER[0] else (math.nan, drawn)
    is_possible = LEAST_WATTS <= watts <= MOST_WATTS_EACH_NODE * row["nodes"] or LEAST <= energy <= MOST_MILLIJOULES
    if is_said and not is_possible:
        raise FileError(f"the power is {power!r:.60}, which no system draws")
    row["power_measured"] = row["has_power"] or is_said or bool(lost)
    row["power_watts_low"] = row["power_watts_high"] = math.nan if lost else watts
    row["energy_millijoules_per_query"] = math.nan if lost else energy
    row["recomputed_power"] = metered
    row["recomputed_power_difference"] = off = metered / drawn - 1 if is_published else math.nan
    if abs(off) > POWER_AGREES:
        row["notes"].append(f"published power {drawn:.10g}, its samples {metered:.10g}")
    if row["log_power_remark"]:
        row["notes"].append(row["log_power_remark"])
    if lost:
        row["notes"].append(f"its power is left out: {lost}")


def _described(row: Row) -> None:
    """Add precision, software, power limit, and MLPerf Endpoints logs from a system's names and description."""
    notes, accuracy, benchmark = row["notes"], row["accuracy"], units.known().get(row["benchmark"], {})
    in_tokens = row["unit"] == TOKENS
    of_tokens = in_tokens or benchmark.get("offline_unit") == TOKENS or "TOKENS_PER_SAMPLE" in accuracy
    row["precision"], row["precision_basis"], remark = hardware.precision(row["weights"], row["round"], of_tokens)
    if remark:
        notes.append(remark)
    names = f"{row['system']}\n{row['platform']}"
    parts = f"{row['accelerator']}\n{row['accelerator_as_published']}"
    row["hypervisor"] = hardware.stated_hypervisor(names, parts, row["framework"], row["described"])
    row["serving_software"] = hardware.serving_software(names, row["framework"], row["described"])
    row["power_limit_watts"] = hardware.power_cap(names, parts, row["described"])
    if row["power_measured"] and "maxq" in names.lower():
        notes.append("power-capped system")
    # From v6.1 on rows with logs of MLPerf Endpoints have a bare number as accuracy.
    is_bare = row["age"] >= 6.1 and row["evidence"] != "log" and not math.isnan(_number(accuracy))
    if is_bare or row["recomputed_key"] in ("qps", "tps", "latency.avg"):
        notes.append("figure of MLPerf Endpoints logs")
        is_percentile = benchmark.get("single_stream_log_key") and row["scenario"] == "SingleStream"
        if row["metric"] == "latency" and not is_percentile:
            notes.append("mean latency, where LoadGen gives a percentile")
        if in_tokens and row["scenario"] in LIMITED:
            notes.append("tokens over the window of LoadGen, not over the whole run")
    row["accuracy"] = "" if accuracy.lower() in UNSAID else accuracy
