"""Ratios of accelerators are those of the raw record: measured in the newest round, or carried by the rule, by hand."""

from __future__ import annotations

import ast
import re
from itertools import pairwise

import pytest

from analysis import comparable as shipped
from analysis import current, over
from tests.reports.plain import ROOT, comparable, data, fastest, record, table, usual_target

VENDORS = tuple(set(record()["vendor"].dropna()) - {""})
SCENARIOS = ("Offline", "Server", "Interactive")


def best(benchmark, scenario, sizes=()):
    """Return the best raw rate by accelerator and version (and size): of eight accelerators, else of any size."""
    rows = comparable(benchmark, scenario, VENDORS, virtual=True, target=usual_target(benchmark))
    return fastest(rows[rows["accelerator"].ne("mixed")], "version", *sizes)["each"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_pair_of_the_newest_round_has_the_ratio_of_the_raw_record(scenario):
    pairs, known = 0, record()["benchmark"].unique()
    measured = current(shipped(benchmark=known, scenario=scenario)).query("measured")
    for benchmark, part in measured.groupby("benchmark"):
        raw = best(benchmark, scenario)
        raw = raw[raw.index.get_level_values("version").max()]
        assert part.set_index("accelerator")["rate"].to_dict() == pytest.approx(raw.to_dict(), rel=1e-3), benchmark
        for base in raw.index:
            ratios = over(part, base).set_index("accelerator")["speedup"]
            assert ratios.to_dict() == pytest.approx((raw / raw[base]).to_dict(), rel=1e-3), (benchmark, base)
            pairs += len(ratios)
    assert pairs > {"Offline": 500, "Server": 400, "Interactive": 60}[scenario]


def gain(benchmark, scenario, then, now, accelerators):
    """Return the median over accelerators of the median gain over sizes that two rounds share."""
    rates = best(benchmark, scenario, ["accelerator_count"])
    ratios = (rates[now] / rates[then]).dropna().groupby("accelerator").median()
    return ratios[ratios.index.isin(accelerators)].median()


CARRIED = [  # three steps of NVIDIA; two of NVIDIA; one of AMD
    ("llama2-70b", "Offline", "H100", [5.0, 5.1, 6.0, 6.1], "NVIDIA"),
    ("llama2-70b", "Server", "H200", [5.1, 6.0, 6.1], "NVIDIA"),
    ("llama2-70b", "Offline", "MI325X", [6.0, 6.1], "AMD"),
]


@pytest.mark.parametrize(("benchmark", "scenario", "accelerator", "rounds", "vendor"), CARRIED)
def test_a_carried_rate_is_its_last_one_times_the_gains_since(benchmark, scenario, accelerator, rounds, vendor):
    gpus = record().query("vendor == @vendor and kind == 'gpu'")["accelerator"].unique()
    expected = best(benchmark, scenario)[rounds[0]][accelerator]
    for then, now in pairwise(rounds):
        expected *= gain(benchmark, scenario, then, now, gpus)
    row = current(shipped(benchmark=benchmark, scenario=scenario)).set_index("accelerator").loc[accelerator]
    assert row["rate"] == pytest.approx(expected)
    assert not row["measured"] and row["round"] == f"v{rounds[0]}"


# Where a rate is divided by another, and why that is no ratio of two accelerators.
DIVIDES = {
    "budget.py": "previews, each over a rate of `current`",
    "bursts.py": "requests per second",
    "choice.py": "the ends of one accelerator's throughput",
    "present.py": "the one place: gains of one accelerator, and `over`",
    "deployment.py": "a user's own run over another, or over the official result nearest to it",
    "derating.py": "two results of one accelerator",
    "factors.py": "Server or Interactive over Offline of one system, and requests per second",
    "power.py": "capped over uncapped run of one machine",
    "scaling.py": "one accelerator in two sizes, or of two submitters",
    "speedup.py": "previews, InferenceX, and the chain since a first result, each over a rate of `current`",
}


def quotients(source):
    """Return each division of Python `source` whose two sides name a rate or a throughput."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = node.left, node.right
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("div", "rdiv"):
            sides = node.func.value, *node.args[:1]
        else:
            continue
        if len(sides) == 2 and all(re.search(r"rate(?!d|s_)|throughput", ast.unparse(side)) for side in sides):
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a['rate'] / b['rate']", 1), ("best.throughput / base.throughput", 1), ("a['rate'].div(b['rate'], axis=0)", 1),
        ("now['rate_per_accelerator'] / now['rate_per_accelerator'].max()", 1), ("rows['rate'] / rows['kilowatts']", 0),
    ],
)  # fmt: skip
def test_a_ratio_of_two_rates_is_found(source, found):
    assert len(quotients(source)) == found


def test_no_other_module_divides_rates_of_two_accelerators():
    files = (ROOT / "src/analysis").rglob("*.py")
    found = {path.name: quotients(path.read_text(encoding="utf-8")) for path in files}
    assert {name for name, each in found.items() if each} == set(DIVIDES)


def test_the_overview_has_the_rates_of_the_record():
    rates = table("overview", "rates").query("round == 'v6.1'")
    for model, part in rates.groupby("model"):
        key = data("benchmarks").set_index("label").at[model, "benchmark"]
        raw = best(key, "Offline")[6.1]
        assert part.set_index("accelerator")["last_rate"].to_dict() == pytest.approx(raw[part["accelerator"]].to_dict())
