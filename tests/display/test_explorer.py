"""The explorer's payload: columns that come out as they went in, the same bytes twice, and what a notebook stores."""

import gzip
import json
from base64 import b64decode

import pandas as pd
import pytest

from analysis._build import stored_outputs
from analysis._core import explorer_links
from analysis._core.interval import Interval
from analysis._core.notes import NONE, note
from analysis._core.paths import NOTEBOOKS
from analysis._display.explorer import columns, live
from analysis._display.explorer.columns import Column
from analysis.charts import colors
from analysis.methods import cost, official_results

FEW = [Column("round", "Round", first=True), Column("low", "Figure"), Column("capped", "Capped", first=True)]
FEW += [Column("notes", "Notes"), Column("location", "Folder")]


@pytest.fixture(scope="module")
def rows(data):
    """Some rows of the record, as the explorer takes them."""
    return priced(data, ["v4.0"], ["network"])


def priced(data, *asked):
    """The rows of these rounds and divisions, with the cost that the notebook adds."""
    found = official_results.of(data, data.benchmark_limits, *asked)
    return cost.of_results(found, data.prices[data.prices["cost_model"].eq("neocloud")], Interval(0.3, 0.8))


def opened(text):
    """What a page's script reads of a payload."""
    return json.loads(gzip.decompress(b64decode(text)))


def test_columns_come_out_as_they_went_in():
    told_of = {"round": ["v6.0", "v10.0", "v6.0"], "low": [1.5, float("nan"), 2.0], "capped": [True, False, True]}
    frame = pd.DataFrame(
        told_of | {"notes": [NONE, frozenset({note("edge_suite")}), NONE], "location": ["b", "a", "b"]}
    )
    told = opened(columns.packed(frame, FEW))
    assert told["round"] == {"values": ["v6.0", "v10.0"], "places": [0, 1, 0]}
    assert told["low"] == [1.5, None, 2.0]
    assert told["capped"] == {"values": ["", "yes"], "places": [1, 0, 1]}
    assert told["notes"] == {"values": ["", "edge suite"], "places": [0, 1, 0]}
    assert told["location"] == {"values": ["b", "a"], "places": [0, 1, 0]}


def test_the_report_names_each_benchmark_whose_rates_are_converted(data):
    """A rate in another unit than the published figure is not as MLCommons published it."""
    newest = official_results.of(data, data.benchmark_limits, ["v6.0"])
    converted = newest[newest["rate"].notna() & newest["rate_unit"].ne(newest["unit"])]["benchmark"].unique()
    cells = json.loads((NOTEBOOKS / "explorer.ipynb").read_text(encoding="utf-8"))["cells"]
    limits = next(text for text in ("".join(cell["source"]) for cell in cells) if text.startswith("## Limits"))
    assert len(converted)
    assert [name for name in converted if f"{data.label(name)}'s" not in limits] == []


def test_the_facet_of_what_results_were_read_from_has_its_words(data, rows):
    explorer = live.Explorer(data, rows, "view=table")
    (evidence,) = [each for each in json.loads(explorer.data["record-about"])["columns"] if each["name"] == "evidence"]
    assert evidence["facet"] and evidence["words"]["collection"] == "Collective Mind collection"
    packed = opened(explorer.data["record-first"])["evidence"]
    assert packed["values"] == ["collection"] and len(packed["places"]) == len(rows)


def test_every_facet_and_all_that_keeps_rows_apart_is_a_column_of_the_first_view():
    first = {column.name for column in columns.COLUMNS if column.first}
    assert set(explorer_links.FACETS) <= first and {bits for bits, _, _ in live.MIXED} <= first
    names = [column.name for column in columns.COLUMNS]
    assert len(names) == len(set(names))
    assert [column for column in columns.COLUMNS if not column.head and not column.hidden] == []


def test_a_notebook_stores_the_table_and_not_the_record(data, rows):
    bundle, metadata = live.Explorer(data, rows, "view=table")._repr_mimebundle_()
    output = {"output_type": "display_data", "data": dict(bundle), "metadata": dict(metadata)}
    assert len(json.dumps(output)) > 20_000
    cell = {"cell_type": "code", "source": "", "metadata": {}, "outputs": [output], "execution_count": 1}
    kept = stored_outputs.settled({"cells": [cell]})["cells"][0]["outputs"][0]
    assert kept["metadata"] == {} and set(kept["data"]) == {"text/html", "text/plain"}
    assert kept["data"]["text/html"].count("<tr>") == 2 and "v4.0" in kept["data"]["text/plain"]


def test_the_table_counts_each_round(results):
    frame = results({"round": "v5.1"}, {"round": "v6.0"}, {"round": "v6.0", "division": "open", "submitter": "B"})
    frame = pd.concat([frame, frame.tail(1).assign(accelerator="mixed")])  # that is no accelerator
    held = live.counted(frame)
    assert held.to_dict("records") == [
        {"round": "v6.0", "closed": 1, "open": 2, "network": 0, "systems": 2, "submitters": 2, "accelerators": 1},
        {"round": "v5.1", "closed": 1, "open": 0, "network": 0, "systems": 1, "submitters": 1, "accelerators": 1},
    ]


def test_no_script_makes_markup_of_a_text():
    words = live.script()
    for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert name not in words


def test_each_accelerator_has_a_color_that_is_seen_and_read_on_light_and_dark_ground(data):
    """Its own where figures give it one; of the others each has a hue of its own."""
    inks = live._inks(data.accelerators["accelerator"])
    assert len(inks) == len(data.accelerators) and len(set(inks.values())) == len(inks)
    grounds = {"light": colors.LIGHT, "dark": colors.DARK}
    for ink in inks.values():
        shades = dict(part.removeprefix("--").split(":") for part in ink.split(";"))
        for ground, color in grounds.items():
            assert colors.contrast(shades[ground], color) >= colors.LEAST
            assert colors.contrast(shades[f"{ground}-words"], color) >= colors.LEAST_OF_WORDS
    of_figures = {name: f"--light:{color}" for name, color in colors.COLORS.items() if name in inks}
    assert len(of_figures) > 20 and {name: inks[name].split(";")[0] for name in of_figures} == of_figures
