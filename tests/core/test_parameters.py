"""What a report may be asked: refused by name when unknown or ill-typed, and the same in model and notebook."""

import ast
import json
from pathlib import Path

import nbformat
import pandas as pd
import papermill
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from analysis._core import parameters, table_text
from analysis._core.choices import not_among
from analysis._core.parameters import MODELS, ParameterError
from analysis._core.paths import NOTEBOOKS, RUNS

SPEEDUP, POWER, DERATING = "generational_speedup", "power_efficiency", "real_world_derating"
CHOICE = "accelerator_choice"
PRICE, MINE = "price_performance", "my_deployment"


def test_short_names_and_vendors_stand_for_the_accelerators_of_the_tables():
    values = parameters.validate(PRICE, {"baseline": "h100", "accelerators": ["B300", "Apple", "B300 SXM"],
                                         "prices": ["NVIDIA B300=3; reserved"]})  # fmt: skip
    assert values["baseline"] == "H100 SXM" and values["prices"] == ["B300 SXM=3; reserved"]
    assert values["accelerators"] == ["B300 SXM", "M1 Pro", "M1", "MacBookPro18,1"]
    assert (
        parameters.validate("interactivity", {"accelerators": ["Apple"]})["accelerators"] == values["accelerators"][1:]
    )
    upgrade = parameters.validate(SPEEDUP, {"upgrade_path": ["H100", "H200"]})["upgrade_path"]
    assert upgrade == ["H100 SXM", "H200 SXM"]


def should(name, be, got):
    """What is said of a parameter that should be something else than what was given."""
    return f"parameter {name}: Input should be {be}; got {got!r}"


REFUSED = [
    (DERATING, {"wait_percentile": 1.0}, should("wait_percentile", "less than 1", 1.0)),
    (
        PRICE,
        {"prices": ["H100 SXM=-1"]},
        "parameter prices.0: 'H100 SXM=-1': '-1' is not a number or a range such as 2-4.76, low before high",
    ),
    (PRICE, {"prices": ["H800=2"]}, "parameter prices.0: 'H800': did you mean 'H200 SXM'"),
    (PRICE, {"prices": ["AMD=2"]}, "parameter prices.0: 'AMD' is a vendor, one accelerator is expected; valid: MI300X"),
    (
        DERATING,
        {"context_tokens": [500.0, 131073.0]},
        "parameter context_tokens is 131,073, but the model of gpt-oss-120b takes",
    ),
    (MINE, {"files": []}, "parameter files: List should have at least 1 item"),
    (MINE, {"files": ["../run.json"]}, "parameter files.0: '../run.json' must be the path of a file below data/"),
    (
        SPEEDUP,
        {"benchmarks": "bert"},
        f"no parameter {not_among('benchmarks', parameters.model_for(SPEEDUP).model_fields)}",
    ),
    (
        SPEEDUP,
        {"benchmark": "llama2-70"},
        f"parameter benchmark: {not_among('llama2-70', table_text.column('benchmarks', 'benchmark'))}",
    ),
    (SPEEDUP, {"baseline": "GB300 NVL72"}, "parameter baseline: 'GB300 NVL72': did you mean 'GB300'? "),
    (SPEEDUP, {"accelerators": ["AMD", "B300 NVL16"]}, "parameter accelerators.1: 'B300 NVL16': did you mean 'B300 "),
    (SPEEDUP, {"scenario": "offline"}, should("scenario", "'Offline', 'Server' or 'Interactive'", "offline")),
    (
        SPEEDUP,
        {"rounds": ["v5.1", "v4.1"], "later_round": "v5.0"},
        "parameter later_round 'v5.0' is earlier than 'v5.1', the first of rounds; valid: v5.1, v6.0",
    ),
    (SPEEDUP, {"upgrade_path": ["H100 SXM"]}, "parameter upgrade_path: List should have at least 2 items"),
    (POWER, {"usd_per_kilowatt_hour": True}, should("usd_per_kilowatt_hour", "a valid number", True)),
    (
        POWER,
        {"power_usage_effectiveness": 0.99},
        should("power_usage_effectiveness", "greater than or equal to 1", 0.99),
    ),
    (DERATING, {"users": "100"}, should("users", "a valid integer", "100")),
    (DERATING, {"context_tokens": [1.0, 1e30]}, should("context_tokens.1", "less than or equal to 1000000000", 1e30)),
    (DERATING, {"weight_precision": "fp7"}, "parameter weight_precision: Input should be 'fp16', 'fp8'"),
    (MINE, {"ttft_ms": -1.0}, should("ttft_ms", "greater than or equal to 0", -1.0)),
    (DERATING, {"scenario": "Offline"}, should("scenario", "'Server' or 'Interactive'", "Offline")),
    (DERATING, {"derate": [0.6]}, "parameter derate: List should have at least 2 items"),
    (CHOICE, {"kilowatts_at_most": 1e-300}, "parameter kilowatts_at_most: must be 0 (none) or 1e-06 at least"),
    ("quantization_tradeoffs", {"memory_headroom": 1.0}, should("memory_headroom", "less than 1", 1.0)),
]


@pytest.mark.parametrize(("notebook", "values", "message"), REFUSED, ids=[str(values) for _, values, _ in REFUSED])
def test_value_is_refused_by_name(notebook, values, message):
    with pytest.raises(ParameterError) as error:
        parameters.validate(notebook, values)
    assert str(error.value).startswith(f"{notebook}: {message}")


@pytest.mark.parametrize("rounds", [[], ["v5.1"], ["v5.1", "v6.1"], ["v4.1"]])
def test_later_round_may_be_the_first_of_rounds_or_later(rounds):
    assert parameters.validate(SPEEDUP, {"rounds": rounds, "later_round": "v5.1"})["rounds"] == rounds
    assert parameters.validate(SPEEDUP, {"rounds": list(dict.fromkeys(["v6.1", *rounds]))})["later_round"] == ""


def test_in_a_notebook_a_wrong_parameter_is_one_sentence(capsys):
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    outcome = shell.run_cell(
        "from analysis._core import parameters\nparameters.validate('power_efficiency', {'baseline': 'H200 SXL'})"
    )
    assert "parameter baseline: 'H200 SXL': did you mean 'H200 SXM'?" in str(outcome.error_in_exec)
    assert capsys.readouterr().out.strip() == str(outcome.error_in_exec)


@pytest.mark.parametrize("where", ["results", "parquet", "csv"])
def test_baseline_without_a_datasheet_is_taken_by_its_printed_name(tmp_path, monkeypatch, where):
    printed = pd.DataFrame({"accelerator": ["XPU 9", None]})
    if where == "results":
        column = table_text.column
        monkeypatch.setattr(
            table_text, "column", lambda *asked: ("XPU 9", "") if asked[0] == "results" else column(*asked)
        )
    else:
        path = tmp_path / f"round.{where}"
        printed.to_csv(path) if where == "csv" else printed.to_parquet(path)
        monkeypatch.setattr(table_text, "official_files", lambda: [path])
    table_text._accelerators.cache_clear()
    try:
        assert parameters.validate(SPEEDUP, {"baseline": "XPU 9"})["baseline"] == "XPU 9"
        for name, values in ((SPEEDUP, {"baseline": "XPU 8"}), (POWER, {"baseline": "XPU 9"})):
            with pytest.raises(ParameterError, match="parameter baseline: 'XPU"):
                parameters.validate(name, values)
        with pytest.raises(ParameterError, match="XPU 8': did you mean 'XPU 9'"):
            parameters.validate(SPEEDUP, {"baseline": "XPU 8"})
    finally:
        table_text._accelerators.cache_clear()


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_number_that_is_none_is_refused(value):
    with pytest.raises(ParameterError, match="usd_per_kilowatt_hour"):
        parameters.validate(POWER, {"usd_per_kilowatt_hour": value})


def test_a_round_that_stands_twice_is_refused():
    with pytest.raises(ParameterError, match=r"parameter rounds: v4\.1 stands more than once; each must be another"):
        parameters.validate(POWER, {"rounds": ["v4.1", "v5.1", "v4.1"]})


def test_path_with_a_step_twice_is_refused():
    with pytest.raises(ParameterError, match="upgrade_path"):
        parameters.validate(SPEEDUP, {"upgrade_path": ["H100 SXM", "H200 SXM", "H100 SXM", "H200 SXM"]})


def test_unknown_notebook_is_refused_with_the_near_match():
    with pytest.raises(ParameterError, match="no notebook 'power_eficiency': did you mean"):
        parameters.validate("power_eficiency", {})


def test_whole_number_may_stand_for_a_fraction():
    assert parameters.validate(POWER, {"usd_per_kilowatt_hour": 1})["usd_per_kilowatt_hour"] == 1.0


def test_validated_parameters_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        parameters.RealWorldDerating().benchmark = "bert"


def parameters_cell(notebook):
    """The source of the notebook's cell tagged `parameters`."""
    cells = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells
    (source,) = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    return source


WITHOUT_A_REPORT = {"_template", "explore"}  # what new-report copies, and what only runs with widgets


def test_what_is_checked_is_in_its_notebook():
    lacking = {name: set(own) - parameters.model_for(name).model_fields.keys() for name, own in parameters.OWN.items()}
    assert not any(lacking.values()), lacking
    assert set(MODELS) <= {path.stem for path in NOTEBOOKS.glob("*.ipynb")}


def test_fields_are_those_that_papermill_finds(shipped_notebook):
    found = papermill.inspect_notebook(str(NOTEBOOKS / f"{shipped_notebook}.ipynb"))
    assert list(found) == list(parameters.model_for(shipped_notebook).model_fields)
    assert [name for name, about in found.items() if not about["help"] or about["inferred_type_name"] == "None"] == []


def test_defaults_are_those_of_the_parameters_cell(shipped_notebook):
    values = {}
    exec(compile(ast.parse(parameters_cell(shipped_notebook)), shipped_notebook, "exec"), {}, values)
    values.pop("__annotations__", None)
    model = parameters.model_for(shipped_notebook)
    assert values == model().model_dump()
    types = {name: type(value) for name, value in values.items()}
    assert types == {name: type(value) for name, value in model().model_dump().items()}


def test_run_file_is_valid(shipped_run):
    run = yaml.safe_load((RUNS / f"{shipped_run}.yml").read_text("utf-8"))
    assert parameters.validate(Path(run["notebook"]).stem, run.get("parameters") or {})


def test_every_notebook_has_a_run_file(shipped):
    runs = [yaml.safe_load(path.read_text("utf-8")) for path in shipped if path.parent == RUNS]
    notebooks = {path.stem for path in shipped if path.parent == NOTEBOOKS}
    assert {run["notebook"] for run in runs} == notebooks - WITHOUT_A_REPORT


def declared(tmp_path, source, tag="parameters"):
    """The model of a notebook that has no code of its own."""
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True), "metadata": {"tags": [tag]}}]
    (tmp_path / "own.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    return parameters.model_for("own", tmp_path)


def test_notebook_without_a_model_is_typed_by_its_parameters_cell(tmp_path):
    model = declared(tmp_path, 'benchmark: str = "bert"  # as everywhere\napples: int = -3  # how many\n')
    assert model().model_dump() == {"benchmark": "bert", "apples": -3}
    for values, said in (
        ({"pears": 1}, "own: no parameter 'pears': valid: benchmark, apples"),
        ({"apples": 2.5}, "own: parameter apples: Input should be a valid integer"),
        ({"benchmark": "bart"}, "own: parameter benchmark: 'bart': did you mean 'bert'?"),
    ):
        with pytest.raises(ParameterError) as error:
            parameters.validate("own", values, tmp_path)
        assert str(error.value).startswith(said)


def test_a_default_of_another_type_than_its_line_states_is_refused(tmp_path):
    declared(tmp_path, 'n: int = "three"  # how many\n')
    with pytest.raises(ParameterError, match="own: parameter n: Input should be a valid integer; got 'three'"):
        parameters.validate("own", {}, tmp_path)
    assert parameters.validate("own", {"n": 3}, tmp_path) == {"n": 3}


@pytest.mark.parametrize(
    ("source", "tag", "fields"),
    [
        ("apples = 3\nname = 'Ann'", "parameters", {"apples": 3, "name": "Ann"}),
        ("a: int = 1\nb: Path = 3\nc: list[str] = ['x']", "parameters", {"a": 1, "b": 3, "c": ["x"]}),
        ("a: int = 1\nb: int = 2 * a\nimport os\nd = {'k': 1}", "parameters", {"a": 1, "d": {"k": 1}}),
        ("a: int = 1", "hide-input", {}),
    ],
)
def test_a_parameter_is_what_a_line_assigns_and_does_not_compute(tmp_path, source, tag, fields):
    declared(tmp_path, source, tag)
    assert parameters.validate("own", {}, tmp_path) == fields


@pytest.mark.parametrize("half", ["[]", '{"cells": [1]}', '{"cells": '])
def test_a_notebook_that_is_saved_by_halves_is_refused(tmp_path, half):
    (tmp_path / "own.ipynb").write_text(half)
    with pytest.raises(ParameterError, match=r"own\.ipynb: is not a whole notebook"):
        parameters.validate("own", {}, tmp_path)


def test_each_wrong_parameter_is_refused_by_the_option_that_it_was_given_under():
    wrong = {"users": 0, "peak_over_mean": [0.5, 1.0], "draws": 1}
    with pytest.raises(ParameterError) as error:
        parameters.validate(DERATING, wrong)
    told = error.value.text_for({"peak_over_mean": "--peak"}.get).splitlines()
    assert len(told) == 3 and "--peak: Input should be greater than or equal to 1; got 0.5" in told
    with pytest.raises(ParameterError) as error:
        parameters.validate(DERATING, {"peak_over_mean": [0.5, 0.5]})
    assert (
        error.value.text_for("--{}".format) == "--peak_over_mean: Input should be greater than or equal to 1; got 0.5"
    )


TOGETHER = [  # what several values are together names each parameter, as it is called
    (DERATING, {"context_tokens": [3.0, 2.0]}, "--context_tokens: must be two numbers, low then high; got [3.0, 2.0]"),
    ("interactivity", {"speeds": [2.0, 1.0]}, "--speeds: must be numbers that rise, each once; got [2.0, 1.0]"),
    (
        "accelerator_choice",
        {"parameters_billion": 30.0, "active_parameters_billion": 40.0},
        "--active_parameters_billion must be at most --parameters_billion, 30; got 40",
    ),
    ("accelerator_choice", {"benchmark": "", "model": "Foo"}, "--parameters_billion must say how large Foo is, for"),
]


@pytest.mark.parametrize(("notebook", "values", "said"), TOGETHER, ids=[said.split()[0] for _, _, said in TOGETHER])
def test_what_values_are_together_is_told_in_a_notebook_and_by_options(notebook, values, said):
    with pytest.raises(ParameterError) as error:
        parameters.validate(notebook, values)
    assert error.value.text_for("--{}".format).startswith(said)
    assert str(error.value).startswith(f"{notebook}: parameter {said.replace('--', '')}")
