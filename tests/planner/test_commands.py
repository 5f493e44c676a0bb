"""The commands `plan` and `choose` as typed: one number for one question, what stands behind it, and what is wrong."""

import json

import pandas as pd
import pytest

from analysis import comparable, cost, current, interactivity
from analysis.cli import plan
from analysis.planner import curve

ASKED = ("--benchmark", "gpt-oss-120b")
B200 = ("--accelerator", "B200")


def test_a_plan_says_what_it_took(said, tmp_path):
    """H200 ran GPT-OSS in v6.0 alone: its rate is that of `current`, its gain in words."""
    (own := tmp_path / "my_prices.csv").write_text("accelerator,usd_per_hour\nH200,1.75\n")
    now = current(comparable(benchmark="gpt-oss-120b", scenario="Server")).set_index("accelerator").loc["H200"]
    asked = ("plan", *ASKED, "--accelerator", "H200 SXM", "--tokens-per-user", "12.5", "--price", str(own))
    status, out, error = said(*asked)
    assert (status, error) == (0, "") and "nan" not in out and "inf" not in out
    assert f"{now['rate']:,.0f} tokens/s per accelerator (carried" in out
    assert f"gain since {now['round']}: x{now['gain']:.3f}" in out and "Weights: FP4, 65.8 GB" in out
    assert f"Prices: {own} for H200, else neocloud total cost of ownership of 2026-" in out
    assert "$1.75 per accelerator-hour" in out and "in whole nodes" in out and "checked against" not in out
    told = json.loads(said(*asked, "--format", "json")[1])
    row = told["plan"]
    lines = [line.split() for line in out.splitlines()]
    for name, amount in {"accelerators": "accelerators", "nodes": "units", "$/hour": "usd_per_hour"}.items():
        numbers = [f"{row[f'{amount}_p{mark}']:.3g}" for mark in (10, 50, 90)]
        assert [f"{float(cell.replace(',', '')):.3g}" for cell in next(line for line in lines if line[:1] == [name])[1:]
                ] == numbers  # fmt: skip
    assert row["usd_per_accelerator_hour"] == 1.75 and told["asked"]["users"] == 10_000
    assert told["errors"]["question"] == "another system" and told["blind_check"] == []


def test_a_choice_ranks_and_says_what_would_change_it(said, chosen):
    """MI300X is estimated on GPT-OSS, and InferenceX measured less than half as much; M1 Pro has no plan."""
    asked = (
        "choose",
        *ASKED,
        *B200,
        *("--accelerator", "MI300X", "--accelerator", "M1 Pro"),
        "--price",
        "B200=900",
    )
    status, out, error = said(*asked, "--price", "MI300X=0.5")
    assert (status, error) == (0, "")
    b200, mi300x = chosen.loc["B200", "accelerators_p50"] * 900, chosen.loc["MI300X", "accelerators_p50"] / 2
    assert out.splitlines()[:3] == [
        f"Users: 10,000 (mean) of GPT-OSS 120B at 25 tokens/s: B200 {b200:,.0f} $/hour, interpolated",
        f"Estimates below that: MI300X {plan._number(mi300x)}",
        "Estimates checked against InferenceX (planned over measured, median of a model): MI300X +106%",
    ]
    assert "by share of draws: B200 100%; B200, first in whole units, 100%" in out and "B200 price +20%" in out
    assert "Prediction error (between runs, all models, Server): 8.2% median, 17% P90 (n = 119)" in out
    assert "\nM1 Pro not planned: " in out and "$/h each" in out


def test_one_number_for_one_question(said, chosen):
    """The curve, a plan, a choice, both commands, and dollars per million tokens by hand have the same B200."""
    on_curve = curve.throughput_at(curve.carried(interactivity.runs("gpt-oss-120b")), 25.0)
    rate = on_curve.set_index("accelerator").at["B200", "throughput"]
    planned = json.loads(said("plan", *ASKED, *B200, "--format", "json")[1])["plan"]
    told = json.loads(said("choose", *ASKED, *B200, "--accelerator", "GB200", "--format", "json")[1])
    ranked = pd.DataFrame(told["ranked"]).set_index("accelerator").loc["B200"]
    own = chosen.loc["B200"]
    assert {planned["throughput"], ranked["throughput"], own["throughput"]} == {rate}
    by_hand = own["usd_per_accelerator_hour"] / (rate * own["delivered"] * 3600) * 1e6
    for one in (planned, ranked, own):
        assert one["usd_per_million_at_full_use"] == pytest.approx(by_hand)
        assert one["accelerators_p90"] == own["accelerators_p90"]
    assert told["changes"][0]["change"] == "as asked" and told["changes"][0]["accelerator"] in ("B200", "GB200")


def test_a_model_without_a_benchmark_is_planned(said):
    status, out, error = said("plan", "--parameters", "23", "--accelerator", "MI350X", "--cost-model", "rental")
    assert (status, error) == (0, "") and "23B (estimated from benchmarks) at 25 tokens/s on MI350X" in out
    assert "none for MI350X" in out and "three-year rental" in out and "another model, all models, Interactive" in out


def test_of_no_accelerator_there_is_none(chosen):
    rows = chosen.loc[["B200", "H100"]].assign(chance=[0.25, 0.5])
    assert plan._each(rows, "chance", "{:.0%}".format, ", then ") == "B200 25%, then H100 50%"
    assert plan._each(rows.iloc[:0], "chance", plan._number) == "none"


def test_help_names_each_basis_of_prices(said):
    words = said("plan", "--help")[1].replace(",", " ").replace(".", " ").split()
    assert set(cost.COST_MODELS) <= set(words)


def test_prices_are_a_file_or_dollars_by_name():
    assert plan._prices(["mine.csv"]) == "mine.csv" and plan._prices([]) is None
    assert plan._prices(["B200=2", "H100 = 1.5"]) == {"B200": 2.0, "H100": 1.5}
    assert [plan._number(each) for each in (float("nan"), 0.12345, 12.345, 99.96, 1234.5)] == [
        "-", "0.123", "12.3", "100", "1,234"]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["plan", "--accelerator", "H100"], 2, "benchmark, model, and parameters"),
        (["plan", "--accelerator", "H10", *ASKED], 2, "H100"),
        (["plan", *B200, "--model", "Qwen3 32B"], 2, "for another model, give its size in billions with --parameters"),
        (["plan", *ASKED, *B200, "--price", "B200=2", "--price", "B200=3"], 2, "'B200=3': B200 already has a price"),
        (["plan", *ASKED, *B200, "--tokens-per-user", "5000"], 1, "bandwidth"),
        (["plan", "--benchmark", "llama2-70b", *B200, "--prompt-tokens", "100000", "--context-tokens", "131072",
          "--tokens-per-request", "1"], 1, curve.TOO_LONG),
        (["choose", *ASKED, "--price", "B200"], 2, "NAME=DOLLARS"),
        (["choose", *ASKED, "--format", "xml"], 2, "json"),
        (["choose", *ASKED, "--usd-per-hour", "nan"], 2, "usd_per_hour"),
        (["choose", *ASKED, "--accelerator", "B200, H100"], 2, "takes several: --accelerator B200 --accelerator H100"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_what_mends_it(said, arguments, status, words):
    found, _, error = said(*arguments)
    assert found == status and words in error
