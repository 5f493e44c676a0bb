"""Open a file, recognize its format by its content, and take the records of runs out of it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from analysis.measure.loadgen import read_log
from analysis.measure.record import MeasurementError, printable, shipped_rows
from analysis.paths import parse_json, unique

MOST, MOST_ROWS = 256 * 2**20, 1000  # bytes of a file, rows of a CSV
MOST_YAML, DEEPEST = 32 * 2**20, 1000  # bytes of a YAML, and its brackets in each other or columns of indentation
START = 65536  # bytes read to recognize a file; the limit of a printed summary
LOGS = ("mlperf_log_detail.txt", "mlperf_log_summary.txt", "result_summary.json")
HEADINGS = (  # of printed results, by tool; the first of a tool that a text has begins each of its results
    (r"(?<!=)={3,} *(?:Serving|Offline Throughput) Benchmark Result *={3,}",),
    (r"= (?:\w+ BACKEND|ENGINE DETAILS)\s*$", r"= REQUEST DETAILS\s*$", r"= PERFORMANCE OVERVIEW\s*$",
     r"\bRequest Throughput \(req/sec\):"),
    (r"\b(?:Time taken for tests|Test Duration \(s\))",),
    ("MLPerf Results Summary",),
    (r"Throughput: [\d.]+ requests/s, [\d.]+ total tokens/s, ",),
)  # fmt: skip
LINE = re.compile(
    r"^\W{0,9}(\w[^:|│\n]{2,60}?)\"?[ \t]{0,40}[:|│][ \t]{0,60}([^\s|│][^|│\n]{0,60}?)[\s|│,]*$", re.MULTILINE
)
PROSE = re.compile(r"[^\W\d][^\n|=:]{0,40}")  # before a printed result: "After this PR"
NO_PROSE = re.compile(r"INFO|WARN|DEBUG|ERROR|\.\.\.|[#\d]{9}|%|\w{25}")
# Of EvalScope: a heading and its rows, which are percentiles, or times since 2026:
RANKS = re.compile(r"^\W*(percentiles?|metric|\d\d%|\w+ \(m?s\)) *[|│](.{1,300})$", re.MULTILINE)
THROUGHPUT = re.compile(r"^Throughput: ([\d.]+) requests/s, ([\d.]+) total tokens/s, ([\d.]+) output tokens/s")
RATES = r"requests_per_second: \1\ntokens_per_second: \2\noutput_tokens_per_second: \3"  # by the keys of its JSON
JSON = re.compile(r"[\[{]\s*(?:[\[{\"\]}]|$)")
YAML = re.compile(r"^(?:version|benchmarks|metrics|scenario|load_summary):", re.MULTILINE)
ONCE = {  # keys that occur once in a result
    key
    for row in shipped_rows("fields")
    if row["column"] in ("requests", "duration_s", "output_tokens", "tokens_per_second")
    for key in row["key"].split("|")
}
Parsed = Iterator[tuple[str, Any]]


def records(path: Path, name: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield place, content, and whether it is an example, of each record of a file or of the LoadGen log in a folder.

    Raises MeasurementError for files that cannot be read; only regular files of up to MOST bytes are.
    """
    path = next((path / log for log in LOGS if (path / log).is_file()), path)
    if not path.is_file():
        there = f"does not exist, is not a regular file, or is a folder without {' or '.join(LOGS)}"
        raise MeasurementError(f"{name}: {there}; name each file")
    try:
        with path.open("rb") as file:
            start = file.read(START)
            example = start.startswith(b"# EXAMPLE")
            if b":::MLLOG" in start:  # a detail log may hold gigabytes, and any bytes
                yield "", read_log(path), example
                return
            content = start + file.read(MOST)
        if len(content) > MOST:
            raise MeasurementError(f"is larger than {MOST >> 20} MB, the limit")
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        for place, value in _parsed(text.partition("\n")[2] if example else text):
            parts = value.get("benchmarks") if isinstance(value, dict) else None
            if isinstance(parts, list):  # a report of GuideLLM
                yield from ((f"benchmark {at}", {**part, "report": value}, example) for at, part in enumerate(parts, 1))
            else:
                yield place, value, example
    except MeasurementError as error:
        raise MeasurementError(f"{name}: {error}") from None
    except (OSError, ValueError, TypeError, RecursionError, csv.Error) as error:  # of files, text, JSON, YAML, and CSV
        raise MeasurementError(f"{name}: cannot be read: {printable(str(error))}") from None


def _parsed(text: str) -> Parsed:
    """Yield place and content of each record; the format is recognized by the start or the content of the text."""
    start = text[:START].lstrip()
    if JSON.match(start):
        yield from _json(text)
    elif starts := [found[0] for tool in HEADINGS if (found := [each for each in tool if re.search(each, text, re.M)])]:
        yield from _printed(text, re.compile(f"(?={'|'.join(starts)})", re.M))
    elif start[:7].lower() == "metric,":
        yield "", _blocks(text)
    elif start.startswith("Run Info,"):
        yield from _guidellm(text)
    elif YAML.search(start):
        yield "", _yaml(text)
    elif other := next((row for row in shipped_rows("others") if row["text"] and row["text"] in text), None):
        raise MeasurementError(f"is {other['words']}")


def _yaml(text: str) -> Any:
    """Return the content of a YAML text. Raises ValueError for merge keys and nesting too deep for its parser."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            unique([(str(key.value), value) for key, value in node.value])
            if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
                raise ValueError("merge keys are not supported")  # a few hundred bytes could expand without end
            return super().construct_mapping(node, deep)

    if len(text) > MOST_YAML:
        raise ValueError(f"is larger than {MOST_YAML >> 20} MB, the limit for YAML: save it as JSON")
    depth = max(accumulate((mark in "[{") - (mark in "]}") for mark in re.findall(r"[][{}]", text)), default=0)
    if depth > DEEPEST or re.search(rf"^[ \t?:-]{{{DEEPEST}}}", text, re.MULTILINE):
        raise ValueError("is nested too deeply")
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(error) from None


def _json(text: str) -> Parsed:
    """Yield one object, each of a list, or each of the lines."""
    try:
        value = parse_json(text)
    except ValueError as whole:
        for number, line in enumerate(text.split("\n"), 1):
            try:
                if line.strip():
                    yield f"line {number}", parse_json(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}" if number > 1 else whole) from None
        return
    if isinstance(value, list):  # of llama-bench, without the reading of prompts
        value = [each for each in value if not isinstance(each, dict) or each.get("n_gen") != 0] or value
        yield from ((f"entry {number}", each) for number, each in enumerate(value, 1))
    elif isinstance(value, dict) and {"Time taken for tests (s)", "Test Duration (s)"} & {*value}:  # EvalScope
        yield "", {str(key).lower(): each for key, each in value.items()}
    else:
        yield "", value


def _bare(text: str, before: str) -> str:
    """Return the text without the prefix that a log or a pod puts before each line; `before` ends with one."""
    prefix = before.rpartition("\n")[2].rstrip(' "|│{')
    if not prefix.strip():
        return text
    pattern = re.sub(r"\d+", r"\\d+", re.escape(prefix)).replace(":", "[:-]")  # grep -A puts - for :
    return re.sub(f"(?m)^{pattern}", "", text)


def _printed(text: str, heading: re.Pattern[str]) -> Parsed:
    """Yield the values of each block that a client printed, anywhere in a log, by the label before each value."""
    before, *blocks = heading.split(text)
    for number, whole in enumerate(blocks, 1):
        values: dict[str, Any] = {"label": _label(_bare(before, before))}
        block = THROUGHPUT.sub(RATES, _bare(whole, before))
        for label, cell in LINE.findall(block[:START]):
            label, value = label.lower().replace(".00 p", ".00_p"), _value(cell)
            if values.setdefault(label, value) != value and label in ONCE:  # such as both sides of a diff
                raise ValueError(f"{label!r} is {values[label]} and {value} in one result; expected one value")
        heads: list[str] = []
        for first, cells in RANKS.findall(block.lower()):
            row = [cell.strip() for cell in re.split("[|│]", cells)]
            heads = heads if first.endswith(("%", ")")) else row
            for head, cell in zip(heads, row, strict=False):
                values[f"{first} {head}" if first.endswith("%") else f"{head} {first}"] = _value(cell)
        yield f"result {number}" if len(blocks) > 1 else "", values
        before = whole


def _label(before: str) -> str:
    """Return the last line of a text if it is prose, such as "After this PR", else ""."""
    lines = (line.strip(" \t\r#*_:>~-=|'\"`") for line in reversed(before.splitlines()) if "```" not in line)
    line = next(filter(None, lines), "")
    return line if PROSE.fullmatch(line) and len(line.split()) < 7 and not NO_PROSE.search(line) else ""


def _value(text: str) -> Any:
    """Return a cell as number, object, or text; None where it is empty."""
    text = re.sub(r"^([\d.]+) (?:seconds|s)$", r"\1", text)
    with suppress(ValueError):
        return parse_json(text.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3}){1,9}(\.\d{1,30})?", text) else text)
    return None if text.strip().lower() in ("", "nan", "n/a", "none", "not set") else text.strip()


def _blocks(text: str) -> dict[str, Any]:
    """Return the CSV of AIPerf or genai-perf as the blocks of their JSON, without the telemetry at its end."""
    blocks: dict[str, Any] = {"input_config": {"perf_analyzer": {}} if "Time To First" in text else {}}
    heads: list[str] = []
    for first, *cells in filter(None, islice(csv.reader(text.splitlines(), skipinitialspace=True), MOST_ROWS)):
        if first.lower() == "metric":
            heads = ["avg" if head == "Value" else head for head in cells]
        elif len(cells) <= len(heads):
            name, _, unit = first.partition(" (")
            values = dict(zip(heads, map(_value, cells), strict=False))
            blocks[name.lower().replace(" ", "_")] = {"unit": unit.rstrip(")")} | values
    return blocks


def _guidellm(text: str) -> Parsed:
    """Yield the benchmarks in a CSV of GuideLLM, whose heading takes three rows."""
    first, second, third, *rows = csv.reader(text.splitlines()[:MOST_ROWS])
    heads = [".".join(parts) for parts in zip(first, second, third, strict=True)]
    for number, row in enumerate(rows, 1):
        record = dict(zip(heads, map(_value, row), strict=False))
        for head in [head for head in record if head.endswith("Percentiles")]:
            stem, ranks = head.removesuffix("Percentiles"), record[head]
            if isinstance(ranks, list) and len(ranks) == 11:  # min, P0.1 to P75, P90, P95, P99, max
                record |= {f"{stem}P90": ranks[7], f"{stem}P99": ranks[9]}
        config = {"backend": record.get("Run Info.Backend."), "strategy": {"type_": record.get("Benchmark.Strategy.")}}
        yield f"benchmark {number}", record | {"config": config, "report": {}}
