"""What submitters' configurations say of precision and power limits, from modules and from facts on them."""

import ast
import csv
import json

import pytest

from analysis._import.official import configuration, configuration_facts
from analysis._import.official.configuration_modules import Modules

CONFIG = """
class ServerGPUBaseConfig(GPUBaseConfig):
    precision = "fp16"

class H100_SXM_80GBx8(ServerGPUBaseConfig):
    system = KnownSystem.H100_SXM_80GBx8
    use_fp8 = True

class H100_SXM_80GBx8_HighAccuracy(H100_SXM_80GBx8):
    pass

class H200_SXM_141GBx8(ServerGPUBaseConfig):
    system = KnownSystem.H200_SXM_141GBx8

class H200_SXM_141GBx1(ServerGPUBaseConfig):
    system = KnownSystem.H200_SXM_141GBx1
    use_fp8 = True
"""


@pytest.mark.parametrize(
    ("platform", "model", "found"),
    [
        ("DGX-H100_H100-SXM-80GBx8_TRT", "llama2-70b-99.9", "fp8"),
        ("H200-SXM-141GBx8_TRT", "llama2-70b-99", "fp16"),
        ("H200-SXM-141GBx8_TRT", "llama2-70b-99.9", ""),
        ("L40Sx8_TRT", "llama2-70b-99", ""),
        ("H200-SXM-141GBx16_TRT", "llama2-70b-99", ""),
    ],
)
def test_precision_from_the_submitters_configuration(tmp_path, platform, model, found):
    folder = tmp_path / "llama2-70b" / "Server"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(CONFIG)
    asked = configuration.Asked(("llama2-70b",), "Server", platform, model)
    assert configuration.precision(Modules(tmp_path), asked) == found


@pytest.mark.parametrize(
    ("accelerator", "model", "found"),
    [
        ("H100 SXM", "llama2-70b-99.9", "fp8"),  # the one system of the accelerator that says a precision for 99.9
        ("H200 SXM", "llama2-70b-99", ""),  # its systems disagree
        ("A100 SXM 80GB", "llama2-70b-99", ""),
    ],
)
def test_a_system_that_no_module_names_runs_as_its_accelerator_does(tmp_path, accelerator, model, found):
    folder = tmp_path / "llama2-70b" / "Server"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(CONFIG)
    asked = configuration.Asked(("llama2-70b",), "Server", "A_server_of_8_GPUs", model, accelerator)
    assert configuration.precision(Modules(tmp_path), asked) == found


FIELDS = """
EXPORTS = {
    setting(MaxP): {model_fields.precision: 'fp16', model_fields.use_fp8: True, model_fields.gpu_batch_size: {'a': 8}},
    setting(MaxQ): {model_fields.precision: Precision.FP8},
}
"""


@pytest.mark.parametrize(
    ("platform", "accelerator", "content", "found"),
    [
        ("B200-SXM-180GBx8_TRT", "", FIELDS, "fp8"),
        ("B200-SXM-180GBx8_TRT", "", FIELDS.replace("FP8", "FP4"), ""),
        ("B200-SXM-180GBx8_TRT", "", FIELDS.replace("_fields.p", "_fields.𝐩").replace("use", "𝐮se"), "fp8"),
        ("B200-SXM-180GBx4_TRT", "", FIELDS, ""),
        ("B200-SXM-180GBx4_TRT", "B200 SXM", FIELDS, "fp8"),
        ("B200-SXM-180GBx8_TRT", "", "no Python (", ""),
    ],
)
def test_precision_from_the_fields_of_later_rounds(tmp_path, platform, accelerator, content, found):
    folder = tmp_path / "B200-SXM-180GBx8" / "Offline"
    folder.mkdir(parents=True)
    (folder / "llama3_1-8b.py").write_text(content)
    asked = configuration.Asked(("llama3.1-8b", "llama3_1-8b"), "Offline", platform, "llama3_1-8b", accelerator)
    assert configuration.precision(Modules(tmp_path), asked) == found


@pytest.mark.parametrize(
    ("declared", "said"), [("fp16", "starting weights"), ("fp4", "declared fp4, configured fp8"), ("fp8", "")]
)
def test_the_configuration_stands_above_the_declaration(tree, bring, declared, said):
    platform = "H100-SXM-80GBx8_TRT"
    tree.write(f"closed/Acme/systems/{platform}.json", (tree.root / "closed/Acme/systems/acme.json").read_bytes())
    tree.write("closed/Acme/configs/llama2-70b/Offline/__init__.py", CONFIG)
    location = f"closed/Acme/results/{platform}/llama2-70b-99.9/Offline"
    tree.write(f"{location}/performance/run_1/mlperf_log_detail.txt", tree.log_text())
    content = json.dumps({"weight_data_types": declared})
    tree.write(f"closed/Acme/measurements/{platform}/llama2-70b-99.9/Offline/x.json", content)
    row = bring(tree.root).table[0]
    assert (row["precision"], row["precision_basis"]) == ("fp8", "configuration")
    assert said in row["note"] and ("declared" in row["note"]) == bool(said)


@pytest.mark.parametrize(
    ("limits", "platform", "watts"),
    [
        ((400,), "B200-SXM-180GBx8_TRT_MaxQ", 400.0),
        ((400, 450), "B200-SXM-180GBx8_TRT_MaxQ", None),  # of two targets, which the dictionaries do not tell apart
        ((0,), "B200-SXM-180GBx8_TRT_MaxQ", None),
    ],
)
def test_the_power_limit_of_the_fields_of_later_rounds(tmp_path, limits, platform, watts):
    folder = tmp_path / "B200-SXM-180GBx8" / "Offline"
    folder.mkdir(parents=True)
    said = "".join(
        f"a({limit}): {{power_fields.power_limit: {limit}, model_fields.precision: 'fp4'}}," for limit in limits
    )
    (folder / "bert.py").write_text(f"EXPORTS = {{{said}}}")
    asked = configuration.Asked(("bert",), "Offline", platform, "bert-99")
    assert configuration.power_limit(Modules(tmp_path), asked) == watts
    assert configuration.precision(Modules(tmp_path), asked) == "fp4"


@pytest.mark.parametrize(
    ("platform", "scenarios", "second", "found"),
    [
        ("Any_TRT", True, "int8", "int8"),
        ("Any_TRT", True, "fp8", ""),  # its own class may have either
        ("Any_TRT", False, "int8", ""),  # what the modules of the scenario say is not known
    ],
)
def test_where_every_class_has_one_precision_a_system_that_none_names_has_it(
    tmp_path, platform, scenarios, second, found
):
    (tmp_path / "bert" / "Offline").mkdir(parents=True)
    (tmp_path / "bert" / "__init__.py").write_text("class GPUBaseConfig(A):\n    precision = 'int8'\n")
    own = tmp_path / "bert" / "Offline" / "__init__.py"
    own.write_text(f"class L4x1(GPUBaseConfig):\n    precision = '{second}'\n" if scenarios else "(")
    asked = configuration.Asked(("bert",), "Offline", platform, "bert-99", "A100")
    assert configuration.precision(Modules(tmp_path), asked) == found


def facts_of(configs, division="closed", submitter="Acme"):
    """The facts on modules, as a file of them says them: one row for each setting, none for a class without any."""
    start = ["v4.1", division, submitter]
    for path in sorted(configs.rglob("*.py")):
        file = f"{division}/{submitter}/configs/{path.relative_to(configs).as_posix()}"
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                said = {
                    ast.unparse(each.targets[0]): ast.unparse(each.value)
                    for each in node.body
                    if isinstance(each, ast.Assign)
                }
                system = said.pop("system", "")
                bases = " ".join(map(ast.unparse, node.bases))
                yield from ([*start, file, node.name, bases, system, *pair] for pair in said.items())
            elif isinstance(node, ast.Dict):
                pairs = zip(map(ast.unparse, node.keys), node.values, strict=True)
                yield from (
                    [*start, file, "", "", "", key, ast.unparse(value)] for key, value in pairs if "_fields." in key
                )


def written(path, rows):
    """A file of facts of the given rows."""
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([configuration_facts.HEADER, *dict.fromkeys(map(tuple, rows))])
    return path


CLASSES = """
class ServerGPUBaseConfig(GPUBaseConfig):
    precision = "fp16"
    gpu_batch_size = 8

class H100_SXM_80GBx8(ServerGPUBaseConfig):
    system = KnownSystem.H100_SXM_80GBx8
    use_fp8 = True

class H100_SXM_80GBx8_HighAccuracy(H100_SXM_80GBx8):
    precision = "fp16"

class H100_SXM_80GBx8_MaxQ(H100_SXM_80GBx8):
    power_limit = 350

class H100_SXM_80GBx8_HighAccuracy_MaxQ(H100_SXM_80GBx8_MaxQ):
    {0}

class H200_SXM_141GBx8(ServerGPUBaseConfig):
    system = KnownSystem.H200_SXM_141GBx8
    precision = "int8"

class H200_SXM_141GBx8(H200_SXM_141GBx8):
    power_limit = 500

class H200_SXM_141GBx8_HighAccuracy_MaxQ(H200_SXM_141GBx8):
    {0}

class L40Sx1(ServerGPUBaseConfig):
    system = KnownSystem.L40Sx1
    precision = "int8"

class L40Sx8(L40Sx1):
    system = KnownSystem.L40Sx8
    {1}

class L40Sx8_HighAccuracy(L40Sx8):
    {2}
"""
EACH = CLASSES.format("power_limit = 450", "precision = 'int8'", "precision = 'int8'")
SOME = CLASSES.format("pass", "gpu_batch_size = 4", "pass")  # so that classes are without a setting that counts
PLATFORMS = {  # platform -> what its accelerator is called
    "DGX-H100_H100-SXM-80GBx8_TRT": "NVIDIA H100-SXM-80GB",
    "DGX-H100_H100-SXM-80GBx8_TRT_MaxQ": "NVIDIA H100-SXM-80GB",
    "H200-SXM-141GBx8_TRT_MaxQ": "NVIDIA H200-SXM-141GB",
    "L40Sx8_TRT": "NVIDIA L40S",
    "B200-SXM-180GBx8_TRT": "NVIDIA B200-SXM-180GB",
    "B200-SXM-180GBx8_TRT_MaxQ": "NVIDIA B200-SXM-180GB",
    "A_server_of_another_kind": "NVIDIA A100-PCIe-80GB",
}


def configured(tree, classes):
    """Runs of every platform under both targets, and modules of both layouts; returns the folder of these."""
    configs = tree.root / "closed/Acme/configs"
    tree.write(
        "closed/Acme/configs/llama2-70b/__init__.py",
        "class GPUBaseConfig(BenchmarkConfiguration):\n    precision = 'fp16'\n",
    )
    tree.write("closed/Acme/configs/llama2-70b/Offline/__init__.py", classes)
    tree.write("closed/Acme/configs/B200-SXM-180GBx8/Offline/llama2-70b.py", """EXPORTS = {
        setting(MaxP): {model_fields.precision: 'fp4', model_fields.gpu_batch_size: 8},
        setting(MaxQ): {model_fields.precision: Precision.FP4, power_fields.power_limit: 450},
    }""")  # fmt: skip
    system = json.loads((tree.root / "closed/Acme/systems/acme.json").read_text())
    for platform, accelerator in PLATFORMS.items():
        content = json.dumps(system | {"accelerator_model_name": accelerator, "system_name": platform})
        tree.write(f"closed/Acme/systems/{platform}.json", content)
        for model in ("llama2-70b-99", "llama2-70b-99.9"):
            location = f"closed/Acme/results/{platform}/{model}/Offline"
            tree.write(f"{location}/performance/run_1/mlperf_log_detail.txt", tree.log_text())
    return configs


@pytest.mark.parametrize(("classes", "strict"), [(EACH, ("450.0", "450.0")), (SOME, ("350.0", "500.0"))])
def test_facts_on_modules_give_byte_for_byte_the_rows_of_the_modules(tree, bring, tmp_path, classes, strict):
    configs = configured(tree, classes)
    facts = written(tmp_path / "facts.csv", list(facts_of(configs)))
    read = bring(tree.root, out=tmp_path / "modules.csv").table
    said = {(row["location"].split("/")[3], row["accuracy_target"]): row for row in read}
    assert {key: (row["precision"], row["power_limit_watts"]) for key, row in said.items() if row["precision"]} == {
        ("DGX-H100_H100-SXM-80GBx8_TRT", "99"): ("fp8", ""),
        ("DGX-H100_H100-SXM-80GBx8_TRT", "99.9"): ("fp8", ""),
        ("DGX-H100_H100-SXM-80GBx8_TRT_MaxQ", "99"): ("fp8", "350.0"),
        ("DGX-H100_H100-SXM-80GBx8_TRT_MaxQ", "99.9"): ("fp8", strict[0]),
        ("H200-SXM-141GBx8_TRT_MaxQ", "99"): ("int8", "500.0"),
        ("H200-SXM-141GBx8_TRT_MaxQ", "99.9"): ("int8", strict[1]),
        ("L40Sx8_TRT", "99"): ("int8", ""),
        ("L40Sx8_TRT", "99.9"): ("int8", ""),
        ("B200-SXM-180GBx8_TRT", "99"): ("fp4", ""),
        ("B200-SXM-180GBx8_TRT", "99.9"): ("fp4", ""),
        ("B200-SXM-180GBx8_TRT_MaxQ", "99"): ("fp4", "450.0"),
        ("B200-SXM-180GBx8_TRT_MaxQ", "99.9"): ("fp4", "450.0"),
    }
    configs.rename(tmp_path / "taken away")
    bring(tree.root, facts, out=tmp_path / "facts-rows.csv")
    assert (tmp_path / "facts-rows.csv").read_bytes() == (tmp_path / "modules.csv").read_bytes()
    assert not any(row["power_limit_watts"] for row in bring(tree.root).table)


def facts(*changes):
    """Rows of facts on one class, each with changes."""
    file = "closed/Acme/configs/llama2-70b/Offline/__init__.py"
    cells = ["v4.1", "closed", "Acme", file, "L40Sx8", "Base", "", "use_fp8", "True"]
    usual = dict(zip(configuration_facts.HEADER, cells, strict=True))
    return [list((usual | change).values()) for change in changes]


def answer(rows, tmp_path, model="llama2-70b-99", platform="L40Sx8_TRT"):
    said = configuration_facts.by_submitter(configuration_facts.read(written(tmp_path / "facts.csv", rows)))
    asked = configuration.Asked(("llama2-70b",), "Offline", platform, model, "L40S")
    return configuration.precision(said["v4.1", "closed", "Acme"], asked)


FP16 = {"key": "precision", "value": "'fp16'"}
STRICT = {"name": "L40Sx8_HighAccuracy", "bases": "L40Sx8"}


@pytest.mark.parametrize(
    ("rows", "model", "found"),
    [
        ([{}], "llama2-70b-99", "fp8"),
        (
            [{} | STRICT | FP16, {"name": "L4x1", "bases": "GPUBaseConfig"}],
            "llama2-70b-99.9",
            "",
        ),  # a flag may be above
        ([{} | STRICT | FP16, {"name": "L4x1", "bases": "GPUBaseConfig"} | FP16], "llama2-70b-99.9", "fp16"),
        ([{} | STRICT | FP16, {}], "llama2-70b-99.9", "fp8"),  # and here one is
        ([{"name": "L40Sx1"} | FP16, {"name": "L40Sx4"}], "llama2-70b-99", ""),
        (
            [{"round": "v5.1", "division": "open", "file": "open/Acme/configs/a/__init__.py"}, FP16],
            "llama2-70b-99",
            "fp16",
        ),
        ([{"file": "closed/Acme/configs/llama2-70b/Server/__init__.py"}, FP16], "llama2-70b-99", "fp16"),
        ([{"key": "dlrmv2_fields.precision"}, FP16], "llama2-70b-99", "fp16"),  # of another model
    ],
)
def test_a_class_that_is_not_listed_has_what_its_bases_have(tmp_path, rows, model, found):
    assert answer(facts(*rows), tmp_path, model) == found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"division": "ajar"}, "division 'ajar' is not one of closed, open, network"),
        ({"file": "open/Acme/configs/x.py"}, "is not below closed/Acme/configs/"),
        ({"file": "closed/Acme/configs/llama2-70b/Offline/x.json"}, "file "),
        ({"key": ""}, "key is missing"),
        ({"value": "yes"}, "value 'yes' of use_fp8 is not True or False"),
        ({"key": "power_limit", "value": "-350"}, "is not watts"),
        ({"key": "precision", "value": "fp8"}, "is not a precision in quotes, or a member"),
    ],
)
def test_a_wrong_row_of_facts_is_named_and_costs_the_facts_alone(tree, bring, tmp_path, change, expected):
    configured(tree, EACH).rename(tmp_path / "taken away")
    path = written(tmp_path / "facts.csv", facts({"name": "L40Sx1"}, change))
    outcome = bring(tree.root, path)
    assert outcome.table == bring(tree.root).table and outcome.status == 1
    assert [problem.place for problem in outcome.problems] == [str(path)]
    assert outcome.problems[0].reason.startswith("row 3: ") and expected in outcome.problems[0].reason


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            b"round,division\nv4.1,closed\n",
            "row 1: has the columns round, division, expected round, division, submitter",
        ),
        (b"H\nv4.1,closed\n", "row 2: submitter is missing"),
        (b'H\n"v4.1\n', "is no CSV"),
        (b"H\n\xff\n", "is no CSV in UTF-8"),
    ],
)
def test_a_file_that_is_no_file_of_facts_is_named(tree, bring, tmp_path, content, expected):
    tree.run()
    path = tmp_path / "facts.csv"
    path.write_bytes(content.replace(b"H", ",".join(configuration_facts.HEADER).encode()))
    outcome = bring(tree.root, path)
    assert outcome.rows == 1 and [problem.place for problem in outcome.problems] == [str(path)]
    assert outcome.problems[0].reason.startswith(expected)
