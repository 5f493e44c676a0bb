"""Shape results as published into the columns of data/official/, and say why a result cannot be used.

`rows` is the frame of one import throughout: fields of a summary, then columns of the record. `fault` holds the first
reason why a row is left out, `note` remarks, both "" where there is none. Logs are a frame of the same index.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.ingest.official import hardware, precision, units
from analysis.ingest.official.loadgen import PERCENTILES
from analysis.ingest.official.results_table import rounding
from analysis.ingest.official.units import LIMITED, MILLISECONDS, STREAMS, TOKENS

TEXTS = (
    "result_id", "submitter", "division", "availability", "suite", "system", "platform", "accelerator", "processor",
    "model_run", "model", "scenario", "label", "power_label", "accuracy", "weights", "framework", "location",
    "described", "printed", "link",
)  # fmt: skip
LONGEST, LONGEST_NOTES = 2_000, 20_000  # characters of a field; the longest published one has 331
LEAST, MOST = 1e-4, 1e9  # what every figure lies between; the record has 0.014 to 5.8 million
MOST_EACH = 1e7  # per second and accelerator; the record has 0.7 million
LEAST_WATTS, MOST_WATTS_EACH_NODE, MOST_MILLIJOULES = 0.1, 200_000, 1e12
POWER = ("watts", "millijoules", "joules")
AVAILABILITY = {"on-premise": "available", "cloud": "available", "research": "rdi", "rdo": "rdi"}
AVAILABILITY |= {"research, development, or internal": "rdi"}
UNSAID = ("", "0", "n/a", "na", "none", "-")
AGREES, POWER_AGREES = 1e-6, 1e-9  # share by which a figure from its log, and power from its samples, may differ
ENDPOINTS = "figure of MLPerf Endpoints logs"
MEAN = "mean latency, where LoadGen gives a percentile"
WINDOW = "tokens over the window of LoadGen, not over the whole run"


def named(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of sources.read with clean texts, benchmark, accuracy target, and scenario."""
    found = found.reindex(columns=[*dict.fromkeys([*found.columns, *TEXTS])])
    for name in TEXTS:
        texts, most = found[name].map(clean), LONGEST_NOTES if name == "described" else LONGEST
        fail(found, texts.str.len().gt(most), f"has more than {most:,} characters in {name}")
        found[name] = texts.str.slice(0, most).astype("str")
    pairs = [units.benchmark(model, run) for model, run in zip(found["model"], found["model_run"], strict=True)]
    found[["benchmark", "accuracy_target"]] = pd.DataFrame(
        pairs, found.index, ["benchmark", "accuracy_target"], dtype="str"
    )
    models = found["model"] + " " + found["model_run"]
    found["scenario"] = [units.scenario(name, model) for name, model in zip(found["scenario"], models, strict=True)]
    known = found["scenario"].isin(units.SCENARIOS)
    fail(found, ~known, "scenario " + found["scenario"].map(shown) + f" is not one of {', '.join(units.SCENARIOS)}")
    found["division"] = found["division"].str.lower().replace({"closed-network": "network"})
    found["availability"] = found["availability"].str.lower().replace(AVAILABILITY)
    found["suite"] = [",".join(sorted(filter(None, re.split(r"[,\s]+", suite.lower())))) for suite in found["suite"]]
    found["result_id"] = found["result_id"].str.extract(r"^v?(\d+\.\d+-\d{4})$")[0].fillna("")
    found["location"], found["system"] = (
        place(found["location"]),
        found["system"].where(found["system"].ne(""), found["platform"]),
    )
    for name in ("has_power", "inferred"):
        found[name] = found[name].map(clean).str.lower().isin(("true", "1", "1.0"))
    # From v6.0 on the flag also says how a folder is spelled.
    found["inferred"] &= found["round"].map(units.age) < units.age("v6.0")
    return found.assign(note="", corrected="")


def shaped(rows: pd.DataFrame, logs: pd.DataFrame) -> pd.DataFrame:
    """Return `named` rows with every column of the record that they give; `logs` is of loadgen.logged, by index."""
    for part in (_hardware, _figure, _recomputed, _rates, _weights, _power, _software, _endpoints):
        part(rows, logs)
    rows["per"], rows["accuracy"] = "system", rows["accuracy"].where(~rows["accuracy"].str.lower().isin(UNSAID), "")
    return rows


def columns(found: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of data/official/ in their order and types; what a row does not have is empty."""
    schema = tables.descriptor()["results"]["schema"]
    fields = {field["name"]: field["type"] for field in [*schema["fields"], *schema["importedFields"]]}
    frame = found.reindex(columns=list(fields)).astype(object)
    for name, kind in fields.items():
        if kind in ("number", "integer"):
            numbers = pd.to_numeric(frame[name], errors="coerce").astype("float64")
            frame[name] = numbers.round().astype("Int64") if kind == "integer" else numbers
        elif kind == "boolean":
            frame[name] = frame[name].eq(True)
        else:
            frame[name] = frame[name].where(frame[name].notna(), "").astype("str")
    return frame


def place(locations: pd.Series) -> pd.Series:
    """Return the folders of results as <division>/<submitter>/results/<platform>/<model>/<scenario>."""
    return locations.str.replace(r"^\./|/performance/run_1/?$|/$", "", regex=True)


def clean(value: Any) -> str:
    """Return a cell of text: single blanks, nothing unprintable, nothing that a spreadsheet would run as a formula."""
    text = "" if value is None or value != value else str(value)
    words = " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())
    return f"'{words}" if words.startswith(("=", "+", "-", "@")) and words != "-" else words


def number(value: Any) -> float:
    """Return a number or its usual spelling as a float, else NaN: `True` and "1_000" are none."""
    if isinstance(value, bool) or "_" in str(value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def shown(value: Any) -> str:
    """Return a value as a message quotes it, cut where it is long."""
    return repr(value)[:60]


def fail(rows: pd.DataFrame, wrong: pd.Series, words: str | pd.Series) -> None:
    """Note why rows cannot be used; the first reason counts."""
    wrong = wrong & rows["fault"].eq("")
    rows.loc[wrong, "fault"] = words if isinstance(words, str) else words[wrong]


def remark(rows: pd.DataFrame, where: pd.Series, words: str | pd.Series) -> None:
    """Append words to the notes of some rows."""
    joined = rows["note"] + "; " + words
    rows["note"] = rows["note"].mask(where, joined.str.removeprefix("; "))


def count(rows: pd.DataFrame, name: str) -> pd.Series:
    """Return a whole number of each row, NaN where nothing is said."""
    said = rows.get(name, pd.Series(None, rows.index, dtype=object))
    unsaid = said.map(clean).str.lower().isin(UNSAID)
    counted = said.map(number).where(~unsaid)
    fail(
        rows,
        ~unsaid & ~(counted.ge(0) & counted.mod(1).eq(0) & counted.le(1e6)),
        f"{name} is " + said.map(shown) + ", not a whole number",
    )
    return counted


def _hardware(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Count accelerators: those of a node times the nodes. A system without any counts its processors' sockets."""
    names = rows["accelerator"].mask(rows["accelerator"].str.lower().isin(UNSAID), "")
    nodes, per_node, total = count(rows, "nodes"), count(rows, "per_node"), count(rows, "total")
    fail(rows, ~nodes.gt(0), "nodes is not a whole number above 0")
    by_processor = names.eq("")
    fail(rows, by_processor & per_node.fillna(0).gt(0), "names no accelerator, though it counts some")
    per_node = per_node.mask(by_processor, count(rows, "processors_per_node"))
    remark(rows, by_processor, "processor-only system; sockets counted")
    names = names.mask(by_processor, rows["processor"])
    fail(rows, names.eq(""), "names neither an accelerator nor a processor")
    known = [hardware.accelerator(name) for name in names]
    rows["accelerator"] = pd.Series([name for name, _ in known], rows.index, dtype="str")
    rows["accelerator_as_published"], rows["is_known"] = names, [is_known for _, is_known in known]
    by_name = pd.Series([hardware.counted(name) for name in names], rows.index, dtype="float64")
    product = per_node * nodes
    wrong = total.gt(0) & product.gt(0) & total.ne(product) & rows["accelerator"].ne(hardware.MIXED)
    fail(rows, wrong, "total accelerators are not nodes times accelerators per node")
    partly = by_name.lt(product) & by_name.gt(product - per_node)  # the last node is not full
    rows["accelerator_count"] = total.where(total.gt(0), product.where(product.gt(0))).mask(partly, by_name)
    rows["nodes"] = nodes
    remark(
        rows,
        partly,
        by_name.map("{:.0f}".format)
        + " accelerators by its name, where nodes times accelerators per node are "
        + product.map("{:.0f}".format),
    )
    remark(rows, ~rows["is_known"], "accelerator not in data/accelerator_aliases.csv")
    remark(rows, rows["accelerator"].eq(hardware.MIXED), "cluster of several accelerator types")


def _figure(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Put the true unit in place of a wrong label, and the range of a rounded figure in `low` and `high`."""
    alone = rows["evidence"].eq("log") & logs["recomputed"].notna()
    rows["value"], rows["label"] = (
        rows["value"].mask(alone, logs["recomputed"]),
        rows["label"].mask(alone, logs["unit"]),
    )
    labeled = pd.DataFrame([units.printed_unit(label) for label in rows["label"]], rows.index, ["unit", "factor"])
    stated = pd.to_numeric(
        rows["accuracy"].str.extract(r"(?i)TOKENS_PER_SAMPLE'?:\s*([\d.]{1,20})")[0], errors="coerce"
    )
    expected = pd.Series(
        [units.rate_unit(*pair) for pair in zip(rows["benchmark"], rows["scenario"], strict=True)],
        rows.index,
        dtype="str",
    )
    unit = expected.where(
        expected.ne(""), labeled["unit"].mask(stated.notna() & labeled["unit"].ne(MILLISECONDS), TOKENS)
    )
    fail(rows, rows["label"].str.lower().isin(POWER), "is power without the result that it belongs to")
    fail(rows, unit.eq(""), "its unit " + rows["label"].map(shown) + " is not known")
    fail(
        rows,
        unit.eq(MILLISECONDS) != labeled["unit"].eq(MILLISECONDS),
        rows["scenario"] + " is labeled " + rows["label"].map(shown) + ": " + unit + " expected",
    )
    value = rows["value"].map(number) * labeled["factor"]
    value = value.where(value.le(MOST))
    each = value.where(unit.ne(MILLISECONDS)) / rows["accelerator_count"].fillna(1)
    wrong = ~value.ge(LEAST) | each.gt(MOST_EACH)
    fail(rows, wrong, "the result is " + rows["value"].map(shown) + " " + rows["label"] + ", which no system reaches")
    half = rows["printed"].map(rounding).where(rows["printed"].ne(""), 0.0) * labeled["factor"]
    rows["range_basis"] = np.where(rows["printed"].ne(""), "rounded", "exact")
    rows["low"], rows["high"] = (
        (value - half).round(9).where(half.gt(0), value),
        (value + half).round(9).where(half.gt(0), value),
    )
    rows["unit"], rows["printed_unit"] = unit, rows["label"].mask(alone, "")
    rows["metric"] = np.where(unit.eq(MILLISECONDS), "latency", "throughput")
    counts = unit.str.partition("/")[0]
    rows["corrected"] = ("labeled " + rows["label"] + ", but " + rows["benchmark"] + " counts " + counts).where(
        unit.ne(labeled["unit"]), ""
    )
    by_rule = rows["benchmark"].map(
        pd.to_numeric(tables.benchmarks.set_index("benchmark")["tokens_per_sample_by_rule"])
    )
    rows["by_rule"] = by_rule.where(unit.eq(TOKENS) & stated.isna())
    rows["tokens_per_sample"] = stated.where(unit.ne(MILLISECONDS)).fillna(rows["by_rule"])


def _recomputed(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Put what a log gives beside the published figure; the key of a figure that agrees says what it counts."""
    has_log, published = logs["recomputed"].notna(), rows["evidence"].ne("log")
    for name in ("recomputed", "recomputed_key", "validity"):
        rows[name] = logs[name]
    rows["inferred"] |= logs["inferred"].eq(True)
    off = logs["recomputed"] / logs["recomputed"].clip(rows["low"], rows["high"]) - 1
    rows["recomputed_difference"] = off.where(published)
    words = (
        "published " + rows["low"].map("{:g}".format) + ", log " + logs["recomputed"].map("{:g} ".format) + logs["unit"]
    )
    remark(rows, published & off.abs().gt(AGREES), words)
    remark(rows, published & rows["folder"].ne("") & ~has_log, "not recomputed: no LoadGen log of it in the tree")
    recounted = published & off.abs().le(AGREES) & logs["unit"].eq(TOKENS).ne(rows["unit"].eq(TOKENS))
    rows["unit"] = rows["unit"].mask(recounted, logs["unit"])
    rows["corrected"] = rows["corrected"].mask(recounted, "the figure is " + logs["recomputed_key"] + " of its log")
    rows["evidence"] = rows["evidence"].mask(has_log, "log")


def _rates(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Give throughput in samples and in tokens: of the log, else from the figure and its tokens per sample."""
    tokens, rate = rows["tokens_per_sample"], rows["low"].where(rows["metric"].eq("throughput"))
    in_tokens = rows["unit"].eq(TOKENS)
    samples = rate.where(~in_tokens, rate / tokens)
    rows["samples_per_second"] = logs["samples_per_second"].fillna(samples)
    rows["tokens_per_second"] = logs["tokens_per_second"].fillna(rate.where(in_tokens, rate * tokens))
    rows["tokens_per_sample"] = rows["by_rule"].fillna(logs["tokens_per_sample"]).fillna(tokens)
    rows[list(PERCENTILES)] = logs[list(PERCENTILES)]


def _weights(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    offline = rows["benchmark"].map(tables.benchmarks.set_index("benchmark")["offline_unit"])
    counts_tokens = rows["unit"].eq(TOKENS) | offline.eq(TOKENS) | rows["accuracy"].str.contains("TOKENS_PER_SAMPLE")
    said = [precision.declared(*each) for each in zip(rows["weights"], rows["round"], counts_tokens, strict=True)]
    rows["precision"], rows["precision_basis"] = [name for name, _, _ in said], [basis for _, basis, _ in said]
    words = pd.Series([words for _, _, words in said], rows.index, dtype="str")
    remark(rows, words.ne(""), words)


def _power(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Give watts, or millijoules per query in the stream scenarios; power of the log beside what is published."""
    published = rows["power"].notna()
    said = rows["power"].mask(rows["evidence"].eq("log") & ~published, logs["power"])
    label = rows["power_label"].str.lower()
    label = label.where(label.ne(""), rows["scenario"].isin(STREAMS).map({True: "millijoules", False: "watts"}))
    fail(
        rows,
        said.notna() & ~label.isin(POWER),
        "its power is labeled " + rows["power_label"].map(shown) + ", not watts, millijoules, or joules",
    )
    value = said.map(number) * label.map({"joules": 1000}).fillna(1)
    watts, energy = value.where(label.eq("watts")), value.where(label.ne("watts"))
    possible = watts.between(LEAST_WATTS, MOST_WATTS_EACH_NODE * rows["nodes"]) | energy.between(
        LEAST, MOST_MILLIJOULES
    )
    fail(rows, said.notna() & ~possible, "the power is " + said.map(shown) + ", which no system draws")
    rows["power_measured"] = rows["has_power"] | said.notna() | logs["power_fault"].ne("")
    remark(
        rows, said.notna() & (rows["platform"] + rows["system"]).str.contains("maxq", case=False), "power-capped system"
    )
    rows["recomputed_power"] = logs["power"]
    rows["recomputed_power_difference"] = off = (logs["power"] / value - 1).where(published)
    remark(
        rows,
        off.abs().gt(POWER_AGREES),
        "published power " + value.map("{:.10g}".format) + ", its samples " + logs["power"].map("{:.10g}".format),
    )
    remark(rows, logs["power_remark"].ne(""), logs["power_remark"])
    lost = logs["power_fault"].ne("")
    remark(rows, lost, "its power is left out: " + logs["power_fault"])
    rows["power_watts_low"] = rows["power_watts_high"] = watts.mask(lost)
    rows["energy_millijoules_per_query"] = energy.mask(lost)


def _software(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Find hypervisor, serving software, and power limit in the names and the description of the system."""
    names, parts = (
        rows["system"] + "\n" + rows["platform"],
        rows["accelerator"] + "\n" + rows["accelerator_as_published"],
    )
    texts = list(zip(names, parts, rows["framework"], rows["described"], strict=True))
    rows["hypervisor"] = pd.Series([hardware.hypervisor(*each) for each in texts], rows.index, dtype="str")
    rows["serving_software"] = pd.Series(
        [hardware.serving_software(name, framework, told) for name, _, framework, told in texts],
        rows.index,
        dtype="str",
    )
    rows["power_limit_watts"] = [hardware.power_cap(name, part, told) for name, part, _, told in texts]


def _endpoints(rows: pd.DataFrame, logs: pd.DataFrame) -> None:
    """Say what a figure of MLPerf Endpoints logs is: from v6.1 on their rows have a bare number as accuracy."""
    is_endpoints = (
        rows["round"].map(units.age).ge(units.age("v6.1"))
        & rows["accuracy"].map(number).notna()
        & rows["evidence"].ne("log")
    )
    own_key = rows["benchmark"].map(tables.benchmarks.set_index("benchmark")["single_stream_log_key"]).fillna("").ne("")
    remark(rows, is_endpoints, ENDPOINTS)
    remark(rows, is_endpoints & rows["unit"].eq(MILLISECONDS) & ~(own_key & rows["scenario"].eq("SingleStream")), MEAN)
    remark(rows, is_endpoints & rows["unit"].eq(TOKENS) & rows["scenario"].isin(LIMITED), WINDOW)
