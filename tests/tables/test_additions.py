"""What comes new is rows: a round, an accelerator, a benchmark are added to a copy, loaded, compared and drawn."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib
import pytest

from analysis._core import parameters, table_text
from analysis._import.official import accelerator_names, download, loadgen, units
from analysis._tables import check, dictionary
from analysis._tables.catalog import Catalog
from analysis.audit.flags import catalog as judged
from analysis.charts import colors, row_charts, style
from analysis.comparability.selection import Comparison, Question, select
from analysis.methods import speedup

matplotlib.use("agg")
Add = Callable[..., None]
RESULT = {
    "origin": "official", "source_id": "mlcommons-v4.1", "locator": "a row", "round": "v4.1", "submitter": "ACME",
    "division": "closed", "availability": "available", "suite": "datacenter", "system": "box",
    "accelerator": "H100 SXM", "accelerator_as_published": "H100", "accelerator_count": 8, "nodes": 1,
    "benchmark": "llama2-70b",
    "model_run": "llama2-70b-99.9", "accuracy_target": "99.9", "scenario": "Offline", "metric": "throughput",
    "printed_unit": "Tokens/s", "low": 8000, "high": 8000, "unit": "tokens/s", "range_basis": "exact", "per": "system",
    "precision_basis": "unknown", "power_measured": "false", "inferred": "false",
}  # fmt: skip


def forget() -> None:
    """Tables are read again, as a new process would."""
    for known in (units.counted, units._filed, accelerator_names.aliases, loadgen._line):
        known.cache_clear()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents_only: Callable[[Path], Path]) -> Iterator[Path]:
    """A copy of data/ that parameters are checked against too."""
    folder = documents_only(tmp_path / "data")
    monkeypatch.setattr(table_text, "DATA", folder)
    forget()
    yield folder
    forget()


@pytest.fixture
def add(copy: Path) -> Add:
    """Appends one row to a table of the copy; columns that are not given are empty cells."""

    def append(table: str, **cells: object) -> None:
        path = copy / f"{table}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            columns = next(csv.reader(file))
        assert set(cells) <= set(columns)
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([cells.get(column, "") for column in columns])
        dictionary.describe(copy)
        forget()

    return append


def compared(catalog: Catalog, question: Question, baseline: str) -> Comparison:
    """The rows that answer the question, and a figure of them drawn."""
    chosen = select(catalog, question)
    names = {"label": "accelerator", "series": "basis", "name": "speedup", "axis": "times", "title": "", "subtitle": ""}
    style.apply()
    drawing = row_charts.ranges(speedup.over_baseline(chosen.rows, baseline), **names)
    assert drawing.figure is not None and any(name in drawing.alt for name in chosen.rows["accelerator"])
    assert "<svg" in style.svg(drawing.figure)
    return chosen


def test_a_round_whose_summary_is_pinned_is_downloaded(copy, add):
    before = download.pinned_files(copy)
    add("rounds", round="v99.0", summary_url="https://example.org/v99.0.json", summary_sha256="0" * 64)
    *same, pin = download.pinned_files(copy)
    assert tuple(same) == before and (pin.name, pin.sha256) == ("v99.0_summary_results.json", "0" * 64)


def test_an_accelerator_without_a_color_is_drawn_in_grey(copy, add):
    add("accelerators", accelerator="X1", label="X1", confidence="not looked up")
    assert "X1" not in colors.of_accelerators() and style.color("X1") == style.OTHER


def test_a_color_that_is_none_is_a_fault(copy, add):
    add("accelerators", accelerator="X1", label="X1", confidence="not looked up", color="yellow")
    assert [fault.column for fault in check.faults(copy)] == ["color"]


LOG = """:::MLLOG {"key": "result_validity", "value": "VALID"}
:::MLLOG {"key": "effective_scenario", "value": "Offline"}
:::MLLOG {"key": "result_samples_per_second", "value": 10.0}
:::MLLOG {"key": "result_tokens_per_second", "value": 999.0}
:::MLLOG {"key": "result_reasoned_tokens_per_second", "value": 420.0}
"""


def test_a_new_benchmark_is_rows_of_two_tables(copy, add, tmp_path):
    add("benchmarks", benchmark="newton-1", label="Newton 1", task="text generation", model="Newton 1",
        offline_unit="tokens/s", server_unit="tokens/s", tokens_since="v6.0", tokens_per_sample_by_rule=42,
        offline_log_key="result_reasoned_tokens_per_second", filed_as="newton;newton_1", targets_share_run="false",
    )  # fmt: skip
    add("benchmark_limits", id="rules-newton-1-ttft", benchmark="newton-1", scenario="Server", mentions=1,
        quantity="ttft_p99_limit", metric="TTFT", low=500, high=500, unit="ms", source_id="mlcommons-rules",
        locator="a table",
    )  # fmt: skip
    new = {"benchmark": "newton-1", "round": "v6.0", "source_id": "mlcommons-v6.0", "accuracy_target": ""}
    add("results", **RESULT | new | {"id": "o-6.0-1", "low": 420, "high": 420})
    add("results", **RESULT | new | {"id": "o-6.0-2", "accelerator": "B200 SXM", "low": 840, "high": 840})
    assert check.faults(copy) == []

    assert units.benchmark("newton_1-99.9") == ("newton-1", "99.9")
    assert [units.true_unit("newton-1", "Offline", round) for round in ("v5.1", "v6.0")] == ["samples/s", "tokens/s"]
    assert units.tokens_by_rule("newton-1") == 42
    (tmp_path / "log.txt").write_text(LOG)
    logged = loadgen.performance(loadgen.read_log(tmp_path / "log.txt"), "newton-1", "Offline", "v6.0")
    assert logged == (420.0, "tokens/s", "result_reasoned_tokens_per_second")
    assert parameters.validate("generational_speedup", {"benchmark": "newton-1"})["benchmark"] == "newton-1"

    catalog = judged(copy)
    chosen = compared(catalog, Question("newton-1", "Offline", ("official",), ("v6.0",)), "H100 SXM")
    assert chosen.rows["per_accelerator_low"].tolist() == [52.5, 105.0] and chosen.label == "Newton 1"
    assert "newton-1" in set(catalog.benchmark_limits["benchmark"])
