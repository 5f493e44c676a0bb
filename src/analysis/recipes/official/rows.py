"""Shape results as published into the columns of data/official/, and say why a result cannot be used.

`rows` is the frame of one import throughout: fields of a summary, then columns of the record. `fault` holds the first
reason why a row is left out, `note` remarks, both "" where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import Formatter
from typing import Any

import pandas as pd

from analysis import tables
from analysis.compare import SCENARIOS
from analysis.recipes.official import hardware, units
from analysis.recipes.official.logs import COUNTED, PERCENTILES
from analysis.recipes.official.results_table import rounding
from analysis.recipes.official.units import LIMITED, MILLISECONDS, POWER, STREAMS
from analysis.results import TOKENS

TEXTS = (
    "result_id", "submitter", "division", "availability", "suite", "system", "platform", "accelerator", "processor",
    "model_run", "model", "scenario", "label", "power_label", "accuracy", "weights", "framework", "location",
    "described", "printed",
)  # fmt: skip
LONGEST = 20_000  # characters of a field
LEAST, MOST = 1e-4, 1e9  # plausible range of a figure; the record spans 0.014 to 5.8 million
MOST_EACH = 1e7  # per second and accelerator; the record has 0.7 million
LEAST_WATTS, MOST_WATTS_EACH_NODE, MOST_MILLIJOULES = 0.1, 200_000, 1e12
BENCHMARK = ["offline_unit", "tokens_per_sample_by_rule", "single_stream_log_key"]  # columns of data/benchmarks.csv
NODES = re.compile(r"(?i)(?<![a-z0-9])(\d{1,3})[- _]?(?:nodes?|N)(?![a-z0-9])")  # in a system's name
LARGEST_BOARD = 8  # SXM accelerators of a node, since those of V100
UNSAID = ("", "0", "n/a", "na", "none", "-")
AGREES, POWER_AGREES = 1e-6, 1e-9  # share by which a figure from its log, and power from its samples, may differ


def named(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `read_results` with clean texts, benchmark and target, scenario, and the round as `age`."""
    found = found.reindex(columns=[*dict.fromkeys([*found.columns, *TEXTS])]).assign(note="", corrected="")
    for name in TEXTS:
        texts = found[name].map(clean)
        fail(found, texts.str.len().gt(LONGEST), f"has more than {LONGEST:,} characters in {name}")
        found[name] = texts.str.slice(0, LONGEST).astype("str")
    found["age"] = pd.to_numeric(found["round"].str.extract(r"^v(\d{1,3}\.\d)$")[0])
    found[["benchmark", "accuracy_target"]] = each(units.official_benchmark, found, "model", "model_run").to_list()
    found["filed"] = found["model"] + " " + found["model_run"]
    found["scenario"] = each(units.scenario, found, "scenario", "filed")
    known = found["scenario"].isin(SCENARIOS)
    fail(found, ~known, f"scenario {{scenario!r:.60}} is not one of {', '.join(SCENARIOS)}")
    for name in ("division", "availability"):
        found[name] = found[name].str.lower()
    found["suite"] = found["suite"].map(lambda suite: ",".join(sorted({*re.findall(r"[^,\s]+", suite.lower())})))
    found["result_id"] = found["result_id"].str.extract(r"^v?(\d+\.\d+-\d{4})$")[0].fillna("")
    found["system"] = found["system"].where(found["system"].ne(""), found["platform"])
    for name in ("has_power", "inferred"):
        found[name] = found[name].map(clean).str.lower().isin(("true", "1", "1.0"))
    found["inferred"] &= found["age"] < 6.0  # from v6.0 on the flag also says how a folder is spelled
    return found.join(tables.benchmarks.set_index("benchmark")[BENCHMARK], on="benchmark")


def shaped(rows: pd.DataFrame) -> pd.DataFrame:
    """Return `named` rows, joined with what their logs say as `log_...`, with every column of the record they give."""
    for part in (_hardware, _figure, _recomputed, _rates, _power, _described):
        part(rows)
    return rows.assign(per="system", accuracy=rows["accuracy"].mask(rows["accuracy"].str.lower().isin(UNSAID), ""))


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


def clean(value: Any) -> str:
    """Return a cell of text: single blanks, nothing unprintable, nothing that a spreadsheet would run as a formula."""
    text = "" if value is None or value != value else str(value)
    words = " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())
    return f"'{words}" if words.startswith(("=", "+", "-", "@")) and words != "-" else words


def to_floats(cells: pd.Series) -> pd.Series:
    """Return numbers and their usual spellings as floats, anything else as NaN, including `True` and "1_000"."""
    return pd.to_numeric(cells.mask(cells.map(type).eq(bool)), errors="coerce").astype("float64")


def each(function: Callable[..., Any], rows: pd.DataFrame, *names: str) -> pd.Series:
    """Apply `function` to the cells of the named columns, row by row."""
    return pd.Series([function(*cells) for cells in zip(*(rows[name] for name in names), strict=True)], rows.index)


def fail(rows: pd.DataFrame, wrong: pd.Series, words: str) -> None:
    """Note why rows cannot be used; the first reason counts. Names in braces stand for the columns of a row."""
    wrong = wrong & rows["fault"].eq("")
    if wrong.any():
        rows.loc[wrong, "fault"] = _filled(words, rows[wrong])


def remark(rows: pd.DataFrame, where: pd.Series, words: str) -> None:
    """Append words to the notes of some rows. Names in braces stand for the columns of a row."""
    if where.any():
        notes = rows["note"][where] + "; " + _filled(words, rows[where])
        rows.loc[where, "note"] = notes.str.removeprefix("; ")


def _filled(words: str, rows: pd.DataFrame) -> pd.Series:
    named = [name for _, name, _, _ in Formatter().parse(words) if name]
    return pd.Series([words.format_map(row) for row in rows[named].to_dict("records")], rows.index, dtype="str")


def _count(rows: pd.DataFrame, name: str) -> pd.Series:
    """Return column `name` as whole numbers; NaN where empty."""
    said = ~rows[name].map(clean).str.lower().isin(UNSAID)
    counted = to_floats(rows[name]).where(said)
    wrong = said & ~(counted.between(0, 1e6) & counted.mod(1).eq(0))
    fail(rows, wrong, f"{name} is {{{name}!r:.60}}, not a whole number")
    return counted.mask(wrong)


def _hardware(rows: pd.DataFrame) -> None:
    """Count accelerators: those of a node times the nodes. For a system without accelerators, count CPU sockets."""
    names = rows["accelerator"].mask(rows["accelerator"].str.lower().isin(UNSAID), "")
    rows["nodes"], per_node, total = _count(rows, "nodes"), _count(rows, "per_node"), _count(rows, "total")
    fail(rows, ~rows["nodes"].gt(0), "nodes is not a whole number above 0")
    by_processor = names.eq("")
    fail(rows, by_processor & per_node.gt(0), "names no accelerator, though it counts some")
    remark(rows, by_processor, "processor-only system; sockets counted")
    per_node = per_node.mask(by_processor, _count(rows, "processors_per_node"))
    rows["accelerator_as_published"] = names = names.mask(by_processor, rows["processor"])
    fail(rows, names.eq(""), "names neither an accelerator nor a processor")
    known = names.map(hardware.known_accelerator)
    rows["accelerator"], rows["is_known"] = known.str[0].astype("str"), known.str[1].astype(bool)
    rows["product"], rows["by_name"] = product, by_name = per_node * rows["nodes"], names.map(hardware.counted)
    mixed, counts = rows["accelerator"].eq(hardware.MIXED), total.gt(0) & product.gt(0) & total.ne(product)
    fail(rows, counts & ~mixed, "total accelerators are not nodes times accelerators per node")
    partly = by_name.lt(product) & by_name.gt(product - per_node)  # the last node is not full
    rows["accelerator_count"] = total.where(total.gt(0), product.where(product.gt(0))).mask(partly, by_name)
    words = "{by_name} accelerators by its name, where nodes times accelerators per node are {product:.0f}"
    remark(rows, partly, words)
    told = rows["system"].str.extract(NODES)[0].astype("float64")
    otherwise, board = told.notna() & told.ne(rows["nodes"]), names.str.contains("SXM") & per_node.gt(LARGEST_BOARD)
    rows["doubted"] = otherwise | board
    remark(rows, otherwise, "its name says other than {nodes:.0f} nodes; if its file is wrong, correct it")
    remark(rows, board, "{accelerator_count:.0f} accelerators on {nodes:.0f} nodes are more than SXM boards hold")
    remark(rows, ~rows["is_known"], "accelerator not in data/accelerator_aliases.csv")
    remark(rows, mixed, "cluster of several accelerator types")


def _figure(rows: pd.DataFrame) -> None:
    """Replace wrong unit labels, and set `low` and `high` to the range of a rounded figure."""
    alone, is_rounded = rows["evidence"].eq("log"), rows["printed"].ne("")
    rows["value"] = value = rows["value"].mask(alone, rows["log_recomputed"])
    rows["printed_unit"] = label = rows["label"].mask(alone, rows["log_unit"])
    labels = pd.DataFrame(units.LABELS, ["unit", "factor"]).T.reindex(label.str.lower()).set_index(rows.index)
    labeled, factor = labels["unit"].fillna("").astype("str"), labels["factor"].astype("float64").fillna(1.0)
    stated = rows["accuracy"].str.extract(r"(?i)TOKENS_PER_SAMPLE'?:\s*([\d.]{1,20})")[0]
    stated = pd.to_numeric(stated, errors="coerce")
    unit = each(units.rate_unit, rows, "benchmark", "scenario").astype("str")
    unit = unit.mask(unit.eq(""), labeled.mask(stated.notna() & labeled.ne(MILLISECONDS), TOKENS))
    rows["unit"], latency = unit, unit.eq(MILLISECONDS)
    fail(rows, label.str.lower().isin(POWER), "is power without the result that it belongs to")
    fail(rows, unit.eq(""), "its unit {printed_unit!r:.60} is not known")
    wrong = latency != labeled.eq(MILLISECONDS)
    fail(rows, wrong, "{scenario} is labeled {printed_unit!r:.60}: {unit} expected")
    figure = to_floats(value) * factor
    most = (MOST_EACH * rows["accelerator_count"].fillna(1)).clip(upper=MOST).mask(latency, MOST)
    wrong = ~figure.between(LEAST, most)
    fail(rows, wrong, "the result is {value!r:.60} {printed_unit}, which no system reaches")
    half, figure = rows["printed"].map(rounding).astype("float64") * factor, figure.where(figure.le(MOST))
    rows["low"], rows["high"] = (end.round(9).where(is_rounded, figure) for end in (figure - half, figure + half))
    rows["range_basis"] = is_rounded.map({True: "rounded", False: "exact"})
    rows["metric"] = latency.map({True: "latency", False: "throughput"})
    words = "labeled " + label + ", but " + rows["benchmark"] + " counts " + unit.str.partition("/")[0]
    rows["corrected"] = words.where(unit.ne(labeled), "")
    rows["by_rule"] = rows["tokens_per_sample_by_rule"].where(unit.eq(TOKENS) & stated.isna())
    rows["tokens_per_sample"] = stated.mask(latency).fillna(rows["by_rule"])
    rows["printed_unit"] = label.mask(alone, "")


def _recomputed(rows: pd.DataFrame) -> None:
    """Add the figure recomputed from the log; where both agree, the log's key decides the unit."""
    value, unit, published = rows["log_recomputed"], rows["log_unit"], rows["evidence"].ne("log")
    for name in ("recomputed", "recomputed_key", "validity", *COUNTED, *PERCENTILES):
        rows[name] = rows[f"log_{name}"]
    rows["inferred"] |= rows["log_inferred"]
    off = value / value.clip(rows["low"], rows["high"]) - 1
    rows["recomputed_difference"] = off.where(published)
    remark(rows, published & off.abs().gt(AGREES), "published {low:g}, log {recomputed:g} {log_unit}")
    missing = published & rows["folder"].ne("") & value.isna() & ~rows["inferred"]
    remark(rows, missing, "not recomputed: no LoadGen log of it in the tree")
    recounted = published & off.abs().le(AGREES) & unit.eq(TOKENS).ne(rows["unit"].eq(TOKENS))
    rows["unit"] = rows["unit"].mask(recounted, unit)
    rows["corrected"] = rows["corrected"].mask(recounted, "the figure is " + rows["recomputed_key"] + " of its log")
    rows["evidence"] = rows["evidence"].mask(value.notna(), "log")


def _rates(rows: pd.DataFrame) -> None:
    """Give throughput in samples and in tokens: of the log, else the figure, in tokens by its tokens per sample too."""
    tokens, rate = rows["tokens_per_sample"], rows["low"].where(rows["metric"].eq("throughput"))
    in_tokens = rows["unit"].eq(TOKENS)
    rows["samples_per_second"] = rows["log_samples_per_second"].fillna(rate.mask(in_tokens))
    rows["tokens_per_second"] = rows["log_tokens_per_second"].fillna((rate * tokens).mask(in_tokens, rate))
    rows["tokens_per_sample"] = rows["by_rule"].fillna(rows["log_tokens_per_sample"]).fillna(tokens)


def _power(rows: pd.DataFrame) -> None:
    """Add power in watts (stream scenarios: millijoules per query), both as published and as computed from the log."""
    published, lost = rows["power"].notna(), rows["log_power_fault"].ne("")
    rows["power"] = rows["power"].mask(rows["recomputed_difference"].isna() & ~published, rows["log_power"])
    said, usual = rows["power"].notna(), rows["scenario"].isin(STREAMS).map({True: POWER[1], False: POWER[0]})
    label = rows["power_label"].str.lower().mask(rows["power_label"].eq(""), usual)
    wrong = said & ~label.isin(POWER)
    fail(rows, wrong, f"its power is labeled {{power_label!r:.60}}, not {', '.join(POWER)}")
    rows["drawn"] = to_floats(rows["power"])
    watts, energy = rows["drawn"].where(label.eq(POWER[0])), rows["drawn"].where(label.ne(POWER[0]))
    possible = watts.between(LEAST_WATTS, MOST_WATTS_EACH_NODE * rows["nodes"])
    possible |= energy.between(LEAST, MOST_MILLIJOULES)
    fail(rows, said & ~possible, "the power is {power!r:.60}, which no system draws")
    rows["power_measured"] = rows["has_power"] | said | lost
    rows["power_watts_low"] = rows["power_watts_high"] = watts.mask(lost)
    rows["energy_millijoules_per_query"] = energy.mask(lost)
    rows["recomputed_power"] = rows["log_power"]
    rows["recomputed_power_difference"] = off = (rows["log_power"] / rows["drawn"] - 1).where(published)
    remark(rows, off.abs().gt(POWER_AGREES), "published power {drawn:.10g}, its samples {log_power:.10g}")
    remark(rows, rows["log_power_remark"].ne(""), "{log_power_remark}")
    remark(rows, lost, "its power is left out: {log_power_fault}")


def _described(rows: pd.DataFrame) -> None:
    """Give what a system's names and description say: precision, software, power limit, and MLPerf Endpoints logs."""
    of_tokens = rows[["unit", "offline_unit"]].eq(TOKENS).any(axis=1)
    rows["of_tokens"] = of_tokens | rows["accuracy"].str.contains("TOKENS_PER_SAMPLE")
    declared = each(hardware.precision, rows, "weights", "round", "of_tokens").str
    rows["precision"], rows["precision_basis"], rows["declared"] = declared[0], declared[1], declared[2]
    remark(rows, rows["declared"].ne(""), "{declared}")
    rows["names"] = rows["system"] + "\n" + rows["platform"]
    rows["parts"] = rows["accelerator"] + "\n" + rows["accelerator_as_published"]
    rows["hypervisor"] = each(hardware.stated_hypervisor, rows, "names", "parts", "framework", "described")
    rows["serving_software"] = each(hardware.serving_software, rows, "names", "framework", "described")
    rows["power_limit_watts"] = each(hardware.power_cap, rows, "names", "parts", "described")
    remark(rows, rows["power_measured"] & rows["names"].str.contains("maxq", case=False), "power-capped system")
    # From v6.1 on rows with logs of MLPerf Endpoints have a bare number as accuracy.
    endpoints = rows["age"].ge(6.1) & rows["evidence"].ne("log") & to_floats(rows["accuracy"]).notna()
    endpoints |= rows["recomputed_key"].isin(["qps", "tps", "latency.avg"])
    remark(rows, endpoints, "figure of MLPerf Endpoints logs")
    percentile = rows["single_stream_log_key"].fillna("").ne("") & rows["scenario"].eq("SingleStream")
    means = endpoints & rows["metric"].eq("latency") & ~percentile
    remark(rows, means, "mean latency, where LoadGen gives a percentile")
    windowed = endpoints & rows["unit"].eq(TOKENS) & rows["scenario"].isin(LIMITED)
    remark(rows, windowed, "tokens over the window of LoadGen, not over the whole run")
