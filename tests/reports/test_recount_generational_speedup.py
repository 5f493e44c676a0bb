"""The numbers of the page on generations, counted again by plain pandas."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.reports.plain import comparable, data, fastest, said, table, values


def present(accelerator):
    """Return the present rate of an accelerator on Llama 2 70B Offline: measured in v6.1, or carried by the rule."""
    rows = comparable("llama2-70b").query("kind == 'gpu'")
    own = fastest(rows, "version").xs(accelerator, level="accelerator").sort_index()
    last = own.index.max()
    if last < 6.1 and own["eight"].any():
        last = own.index[own["eight"]].max()
    alike = rows[rows["vendor"].eq(own["vendor"].iloc[0])].groupby(["accelerator", "accelerator_count", "version"])
    rates, carried = alike["each"].max().unstack(), own.at[last, "each"]
    for then, now in pairwise(rates.columns[rates.columns >= last]):
        carried *= (rates[now] / rates[then]).dropna().groupby("accelerator").median().median()
    return carried


def test_each_speedup_is_a_ratio_of_two_present_rates():
    page = table("generational_speedup", "speedups").set_index("accelerator")
    assert {"GB300", "B300", "MI355X", "B200", "GB200", "H200", "MI325X"} <= set(page.index)
    for accelerator in page.index:
        assert page.at[accelerator, "rate"] == pytest.approx(present(accelerator)), accelerator
        assert page.at[accelerator, "speedup"] == pytest.approx(present(accelerator) / present("H100"))


def test_the_headline_has_the_range_of_the_carried_baseline():
    """By the second hand of the prototype: 16,532 over 4,031 is 4.10."""
    answer = said("generational_speedup")["answer"]
    row = data("carry_errors").query("benchmark == 'llama2-70b' and not latency_limit").iloc[0]
    assert answer["value"] == pytest.approx(4.101, abs=0.001)
    assert answer["low"] == pytest.approx(answer["value"] / row["high"])
    assert answer["high"] == pytest.approx(answer["value"] / row["low"])


def test_why_explains_the_ratio_of_the_headline():
    """H100 2,786 in v4.0, of eight; 4,031 today; GB300 16,532."""
    rows = comparable("llama2-70b").query("accelerator == 'H100' and accelerator_count == 8 and version == 4.0")
    first, base, top = rows["each"].max(), present("H100"), present("GB300")
    title = said("generational_speedup")["why"]["title"]
    assert (first, base, top) == pytest.approx((2786.2, 4031.1, 16531.6), abs=0.1)
    assert f"{base / first:.4f} x {top / base:.4f} = {top / first:.2f}" in title
    assert values("generational_speedup")["answer"] == pytest.approx(top / base)


def test_answers_per_second_are_by_the_tokens_per_answer_of_each_run():
    page = table("generational_speedup", "speedups").set_index("accelerator")
    rows = comparable("llama2-70b")
    of_h100 = rows[rows["accelerator"].eq("H100")]
    base = (of_h100["tokens_per_second"] / of_h100["samples_per_second"]).median()
    for accelerator in ("GB300", "MI355X"):
        own = rows.query("accelerator == @accelerator and version == 6.1 and accelerator_count == 8")
        own = own.sort_values("each").iloc[-1]
        tokens = own["tokens_per_second"] / own["samples_per_second"]
        assert page.at[accelerator, "tokens_per_answer"] == pytest.approx(tokens, rel=1e-3)
        assert page.at[accelerator, "in_answers"] == pytest.approx(
            page.at[accelerator, "speedup"] * base / tokens, rel=5e-3
        )


def test_each_row_has_round_submitter_and_size_of_its_own_result():
    rows = comparable("llama2-70b")
    for row in table("generational_speedup", "speedups").itertuples():
        own = rows[rows["accelerator"].eq(row.accelerator) & rows["version"].eq(float(row.round[1:]))]
        own = own[
            own["submitter"].str.casefold().eq(row.submitter.casefold())
            & own["accelerator_count"].eq(row.accelerator_count)
        ]
        assert own["each"].max() == pytest.approx(row.last_rate, rel=1e-5), row.accelerator


def test_the_figure_by_user_speed_names_a_baseline_of_one_submitter_and_its_round():
    b300 = comparable("deepseek-r1", "Interactive").query("accelerator == 'B300'")
    assert (b300["version"].max(), b300.query("version == 6.0")["submitter"].nunique()) == (6.0, 1)
    title = said("generational_speedup")["user_speed"]["title"]
    assert "B300 (last result: v6.0) on DeepSeek-R1 Interactive, submitters: 1" in title


def test_the_last_result_of_the_baseline_is_named_with_its_size():
    """Cisco has 16 and 32 H100 in v5.1; the last of eight are of v5.0."""
    h100 = comparable("llama2-70b").query("accelerator == 'H100'").groupby("accelerator_count")["version"].max()
    assert (h100[8], h100[16], h100[32]) == (5.0, 5.1, 5.1)
    ladder = said("generational_speedup")["ladder"]
    assert "over H100 (last 8x result: v5.0)" in ladder["subtitle"]
