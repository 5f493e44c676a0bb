"""One imported round with accelerators, processors, and systems that data/ does not know yet stops no report."""

from __future__ import annotations

import json
import shutil
from itertools import product

import pandas as pd
import pytest

from analysis import report, results
from analysis.paths import DATA, NOTEBOOKS, SHIPPED_ONLY
from analysis.planner import capacity, prediction
from tests.reports.plain import shipped

NEW = {
    "Acme X1": {}, "Acme X2": {"availability": "preview"}, "mixed": {}, "NVIDIA H100 + Acme X1 (x8)": {},
    "Acme CPU 9000": {"accelerator_count": 2.0},
}  # fmt: skip


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """The record with results of each of NEW in two rounds: those of NVIDIA's newest, 30% faster."""
    newest = DATA / "official" / "v6.1.parquet"
    rows = pd.read_parquet(newest)
    own = rows[rows["accelerator"].eq("B300 SXM") & rows["submitter"].eq("NVIDIA") & rows["division"].eq("closed")]
    added = []
    for (place, (name, changes)), round in product(enumerate(NEW.items()), ("v6.1", "v7.0")):
        told = {"accelerator": name, "accelerator_as_published": name, "round": round, "submitter": "Acme"}
        told |= {"id": f"o-{round}-{place}-" + own["id"], "low": 1.3 * own["low"], "high": 1.3 * own["high"]}
        added.append(own.assign(**told, duplicate_of="", location="", result_id="", **changes))
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(DATA / "official", folder / "official")
    pd.concat(added).to_parquet(folder / "official" / "acme.parquet", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "DATA", folder)
        patch.delenv(SHIPPED_ONLY, raising=False)
        return results._loaded.__wrapped__()


@pytest.mark.parametrize("notebook", shipped())
def test_what_a_new_round_brings_stops_no_report(record, notebook, monkeypatch):
    monkeypatch.setattr(results, "_loaded", lambda: record)
    monkeypatch.chdir(NOTEBOOKS)
    said = []
    monkeypatch.setattr(report.charts, "svg", lambda drawing: "")
    monkeypatch.setattr(report, "display", lambda data, raw: said.append(data[report.MIME]["kind"]))
    for cached in (capacity._throughput, prediction._results, prediction.cases):
        cached.cache_clear()
    names: dict = {}
    cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{notebook}, cell {number}", "exec"), names)
    for cached in (capacity._throughput, prediction._results, prediction.cases):
        cached.cache_clear()
    assert "headline" in said or notebook == "explorer"
