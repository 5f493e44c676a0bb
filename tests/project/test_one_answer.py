"""One answer to one question on all pages, by their stored tables: rates and prices agree, or size or round differ."""

import ast
import json
import re
from itertools import groupby
from typing import Any, NamedTuple

import pytest

from analysis._core.paths import NOTEBOOKS

ROUND, SIZE = re.compile(r"v\d\.\d"), re.compile(r"\b(\d+)x vs \d+x")
NUMBER = re.compile(r"^\$?([\d,]*\.?\d+)")
USUAL, DIGITS = "8", 0.006  # accelerators of a row that names no size; half a unit of the third digit
PRICED = ("Price (USD per hour)", "Cost ($/hour)", "Accelerators")
PER_ACCELERATOR = re.compile(
    r"^(throughput|tokens|tokens/s|samples/s)[^()]* per accelerator( \(tok\w+.*\))?$", re.IGNORECASE
)


class Table(NamedTuple):
    """A stored table: its notebook, the default parameters of that, its title, and rows by head of column."""

    notebook: str
    asked: dict[str, Any]
    title: str
    rows: list[dict[str, str]]


class Answer(NamedTuple):
    """The best rate of an accelerator in a round at a size, and the table that has it."""

    question: tuple[str, str, str, str, str, str]  # benchmark, scenario, unit, accelerator, round, size
    value: float
    page: str


def parameters(source):
    """The defaults in a cell of parameters."""
    stated = [line for line in ast.parse(source).body if isinstance(line, ast.AnnAssign)]
    return {line.target.id: ast.literal_eval(line.value) for line in stated}


def tables():
    for path in sorted(NOTEBOOKS.glob("[!_]*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        asked = next(
            ("".join(each["source"]) for each in cells if "parameters" in each["metadata"].get("tags", [])), ""
        )
        for output in (each for cell in cells for each in cell.get("outputs", [])):
            lines = "".join(output.get("data", {}).get("text/plain", [])).split("\n")
            first = next((place for place, line in enumerate(lines) if " | " in line), 0)
            if first:
                head, *rows = (line.split(" | ") for line in lines[first:] if " | " in line)
                full = [dict(zip(head, row, strict=False)) for row in rows]
                yield Table(path.stem, parameters(asked), lines[first - 1], full)


def number(text):
    found = NUMBER.match(text)
    return float(found[1].replace(",", "")) if found and " to " not in text else None


def rates(table):
    """The rates of rows that name an accelerator and a round; of the ranking scenario where a table has several."""
    asked = table.asked
    for row in table.rows:
        name = row.get("Accelerator") or row.get("Name", "")
        when = ROUND.search(row.get("Round") or row.get("When") or "")
        heads = [
            head for head in row if PER_ACCELERATOR.match(head) or head.startswith(f"{asked.get('scenario')} (tok")
        ]
        size = SIZE.search(row.get("Caveat", ""))
        sized = row.get("Size") or (size[1] if size else USUAL)
        other_scenario = row.get("Scenario", asked.get("scenario")) != asked.get("scenario")
        if name and when and heads and not other_scenario and not {"Submitter", "Result id"} & set(row):
            value = number(row[heads[0]])
            if value is not None and "\u2021" not in row[heads[0]]:
                unit = "tokens" if "token" in heads[0].lower() else "samples"  # a second benchmark has another unit
                question = (asked["benchmark"], asked["scenario"], unit, name, when[0], sized)
                yield Answer(question, value, f"{table.notebook}: {table.title}")


def best(table):
    """The highest rate of each question in a table, which may list an accelerator at several precisions."""
    answers = sorted(rates(table), key=lambda each: (each.question, -each.value))
    return [next(iter(same)) for _, same in groupby(answers, key=lambda each: each.question)]


@pytest.fixture(scope="module")
def stored():
    return list(tables())


def test_the_best_rate_of_an_accelerator_is_one_number(stored):
    """Of one benchmark, scenario, round, and system size; where these differ, the row says so."""
    answers = sorted((each for table in stored for each in best(table)), key=lambda each: each.question)
    shared = 0
    for question, same in groupby(answers, key=lambda each: each.question):
        pages = list(same)
        values = [each.value for each in pages]
        assert max(values) <= min(values) * (1 + DIGITS), (question, pages)
        shared += len({each.page.split(":")[0] for each in pages}) > 1
    assert shared > 10


def test_an_accelerator_has_one_price_per_hour(stored):
    """Under one cost model: in the table of costs, and in whole nodes of the capacity plans."""
    prices = {}
    for table in stored:
        for row in table.rows:
            low = {head: row.get(head, "").split(" to ")[0] for head in PRICED}  # of a range of nodes, the fewest
            price, bill, count = (number(low[head]) for head in PRICED)
            own = price if price is not None else bill / count if bill and count else None
            if own is not None and "Accelerator" in row and "cost_model" in table.asked and not table.asked["prices"]:
                prices.setdefault((table.asked["cost_model"], row["Accelerator"]), {})[table.notebook] = own
    assert sum(len(of_pages) > 1 for of_pages in prices.values()) > 2
    for asked, of_pages in prices.items():
        assert max(of_pages.values()) == pytest.approx(min(of_pages.values()), rel=DIGITS), (asked, of_pages)


def test_the_share_that_a_system_retains_is_one_number(stored):
    """Interactive over Offline: rates of one submitter and round in the costs, and the share on the derating page."""
    rates = {}
    shares = {}
    for table in stored:
        for row in table.rows:
            if table.notebook == "price_performance" and {"Scenario", "Submitter", "Round"} <= set(row):
                rate = number(row["Throughput per accelerator (tokens/s)"])
                rates.setdefault((row["Accelerator"], row["Submitter"], row["Round"]), {})[row["Scenario"]] = rate
            if table.notebook == "real_world_derating" and row.get("Limit", "").startswith("Interactive"):
                shares[row["Name"]] = number(row["Share of Offline throughput"])
    both = {
        name: own["Interactive"] / own["Offline"]
        for (name, _, _), own in rates.items()
        if name in shares and {"Interactive", "Offline"} <= set(own)
    }
    assert len(both) > 2
    assert {name: shares[name] for name in both} == pytest.approx(both, rel=2 * DIGITS)
