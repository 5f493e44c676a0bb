"""The public way to results: the same rows as the comparability rules select, for the record or a part of it."""

import inspect

import pandas as pd
import pytest

import analysis
from analysis import charts, comparable, load_results, report
from analysis._build import api_page
from analysis.audit import flags
from analysis.comparability import selection
from analysis.methods import speedup


@pytest.fixture(scope="module")
def results():
    return load_results()


def test_comparable_rows_are_those_of_the_rules_with_throughput_per_accelerator(results):
    rows, excluded = comparable(results, benchmark="llama2-70b", rounds=["v5.1"], return_excluded=True)
    chosen = selection.select(flags.catalog(), selection.Question("llama2-70b", "Offline", ("official",), ("v5.1",)))
    assert rows["id"].tolist() == chosen.rows["id"].tolist()
    assert excluded.equals(chosen.excluded)
    row = rows[rows["result_id"].eq("5.1-0069")].iloc[0]
    per_accelerator = row["tokens_per_second"] / row["accelerator_count"]
    assert row["tokens_per_second_per_accelerator"] == pytest.approx(per_accelerator, rel=1e-12)
    assert row["tokens_per_second"] == pytest.approx((row["low"] + row["high"]) / 2, rel=1e-12)


def test_a_part_of_the_results_and_rows_of_ones_own_may_be_compared(results):
    own = results[results["round"].eq("v5.1") & results["submitter"].eq("NVIDIA")]
    mine = own.assign(id="mine-" + own["id"], origin="measured", submitter="me")
    rows = comparable(pd.concat([own, mine]), benchmark="llama2-70b", origins=["official", "measured"])
    assert set(rows["submitter"]) == {"NVIDIA", "me"}
    assert rows["submitter"].eq("me").sum() == rows["submitter"].eq("NVIDIA").sum() > 0


def test_accelerators_are_chosen_by_short_name_and_vendor(results):
    rows = comparable(results, benchmark="llama2-70b", accelerators=["B200", "AMD"])
    is_wanted = rows["vendor"].eq("AMD") | rows["accelerator"].eq("B200 SXM")
    assert is_wanted.all() and set(rows["vendor"]) == {"AMD", "NVIDIA"}
    assert len(rows) == len(comparable(results[results["vendor"].eq("AMD")], benchmark="llama2-70b")) + sum(
        rows["accelerator"].eq("B200 SXM")
    )
    own = results.assign(accelerator=results["accelerator"].replace("B200 SXM", "my own"))
    mine = comparable(own, benchmark="llama2-70b", accelerators=["my own"])
    assert len(mine) == sum(rows["accelerator"].eq("B200 SXM"))
    with pytest.raises(ValueError, match=r"accelerators: 'GB300 NVL72': did you mean 'GB300'\?"):
        comparable(results, benchmark="llama2-70b", accelerators=["GB300 NVL72"])


def test_one_name_is_a_list_of_one_and_an_unknown_round_is_refused(results):
    rows = comparable(results, benchmark="llama2-70b", rounds="v5.1", accelerators="AMD", origins="official")
    listed = comparable(results, benchmark="llama2-70b", rounds=["v5.1"], accelerators=["AMD"])
    assert len(rows) == len(listed) > 0 and set(rows["round"]) == {"v5.1"}
    assert comparable(results[results["round"].eq("v5.1")], benchmark="llama2-70b", rounds=["v6.1"]).empty
    mine = comparable(results.assign(round="v9.9"), benchmark="llama2-70b", rounds=["v9.9"])
    assert set(mine["round"]) == {"v9.9"}
    with pytest.raises(ValueError, match=r"no round '6\.1': did you mean 'v6\.1'\?"):
        comparable(results, benchmark="llama2-70b", rounds=["6.1"])


def test_rows_are_exported_as_pandas_exports_frames(results, tmp_path):
    rows = comparable(results, benchmark="llama2-70b")
    assert any(text.startswith("different system size, ") for text in rows["notes"]) and "" in set(rows["notes"])
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "rows.parquet"), rows.astype({"notes": "str"}))
    read = pd.read_csv(tmp_path / "rows.csv")
    assert read["notes"].fillna("").tolist() == rows["notes"].tolist()
    assert {note.bare for note in report.of_rows(read)} <= {text for text in rows["notes"] if text}
    results.to_parquet(tmp_path / "results.parquet")
    assert len(pd.read_parquet(tmp_path / "results.parquet")) == len(results)


def test_what_is_made_of_exportable_rows_has_the_caveats_of_the_rules(results):
    """Findings, tables, charts, and methods, as of the sets that the rules give."""
    rows = comparable(results, benchmark="llama2-70b", rounds=["v5.1"])
    chosen = selection.select(flags.catalog(), selection.Question("llama2-70b", "Offline", ("official",), ("v5.1",)))
    assert report.of_rows(rows) == report.of_rows(chosen.rows) != frozenset()
    shown = [
        report.table(frame, "Rows", {"accelerator": "Accelerator", "notes": "Caveat"}).markup
        for frame in (rows, chosen.rows)
    ]
    assert shown[0] == shown[1]
    asked = {"title": "All", "subtitle": "", "axis": "tokens/s", "name": "per_accelerator"}
    asked |= {"label": "accelerator", "series": "basis"}
    best = [frame.drop_duplicates("accelerator") for frame in (rows, chosen.rows)]
    drawn = [charts.ranges(frame, **asked) for frame in best]
    assert drawn[0].notes == drawn[1].notes and drawn[0].alt == drawn[1].alt
    ratios = [speedup.over_baseline(frame, "H100 SXM") for frame in (rows, chosen.rows)]
    assert ratios[0]["notes"].tolist() == ratios[1]["notes"].tolist() and len(ratios[0])


def test_column_is_named_after_what_the_benchmark_counts(results):
    assert "samples_per_second_per_accelerator" in comparable(results, benchmark="retinanet")


def test_unknown_benchmark_is_refused_with_the_valid_ones(results):
    with pytest.raises(ValueError, match="llama2-70b"):
        comparable(results, benchmark="llama2-7b")


def test_an_accuracy_target_is_one_under_which_the_benchmark_has_results(results):
    assert set(comparable(results, benchmark="llama2-70b", accuracy_target="99.9")["accuracy_target"]) >= {"99.9"}
    with pytest.raises(ValueError, match=r"no accuracy target of llama2-70b '95': did you mean .* valid: 99, 99\.9$"):
        comparable(results, benchmark="llama2-70b", accuracy_target="95")
    with pytest.raises(ValueError, match="'99': results of gpt-oss-120b have a single target; leave it out"):
        comparable(results, benchmark="gpt-oss-120b", accuracy_target="99")
    with pytest.raises(ValueError, match="no benchmark 'gpt-oss'"):
        comparable(results, benchmark="gpt-oss", accuracy_target="99")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"accelerators": ["T4"]}, "no official result of GPT-OSS 120B Offline for these accelerators: T4"),
        ({"scenario": "SingleStream"}, "no official result of GPT-OSS 120B SingleStream"),
        ({"rounds": ["v4.0"]}, "another round"),
    ],
)
def test_why_nothing_is_comparable_is_among_the_reasons(results, asked, reason):
    rows, excluded = comparable(results, benchmark="gpt-oss-120b", return_excluded=True, **asked)
    assert rows.empty and reason in excluded["reason"].tolist()
    assert "older version of the benchmark, not compatible with later ones" not in excluded["reason"].tolist()


def test_columns_that_are_read_are_asked_for_and_no_others(results):
    needed = [*selection.READ, *selection.READ_OF_KEPT]
    rows = comparable(results[needed], benchmark="llama2-70b", rounds=["v5.1"])
    assert len(rows) == len(comparable(results, benchmark="llama2-70b", rounds=["v5.1"])) > 0
    for name in needed:
        with pytest.raises(ValueError, match=rf"^results: no column {name}; pass rows of load_results\(\)"):
            comparable(results.drop(columns=name), benchmark="llama2-70b")


def test_package_names_what_is_public():
    assert {"load_results", "comparable", "report", "charts"} <= set(dir(analysis))
    with pytest.raises(AttributeError, match="'tables'; it has charts, comparable"):
        analysis.tables  # noqa: B018 - raises


@pytest.mark.parametrize("namespace", [analysis, charts, report], ids=lambda module: module.__name__)
def test_completion_and_help_show_public_names_alone(namespace):
    assert dir(namespace) == sorted(namespace.__all__)
    functions = {name: getattr(namespace, name) for name in namespace.__all__}
    called = {name: value.__name__ for name, value in functions.items() if inspect.isroutine(value)}
    assert called == {name: name for name in called}


@pytest.mark.parametrize("name", analysis.__all__)
def test_public_names_are_modules_but_for_the_two_functions(name):
    assert inspect.ismodule(getattr(analysis, name)) is (name not in ("comparable", "load_results"))


def test_the_page_of_public_names_is_that_of_the_docstrings():
    """`analysis describe` writes it."""
    text = api_page.page()
    assert api_page.PAGE.read_text("utf-8") == text
    assert "| `comparable` | Return " in text and "### analysis.methods.speedup" in text and "| `ranges` | " in text
