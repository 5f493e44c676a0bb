"""Each form of summary file is one module; a new one is a module and its name in the list of forms."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from analysis._core.paths import DATA, ROOT
from analysis._import.official import summaries
from analysis._import.official.entry import EntryError
from analysis._import.official.summaries import collective_mind, result_list, result_object

NEW = '''"""The summary of a round to come: a list with names of its own."""

from dataclasses import replace

from analysis._import.official.summaries import result_list

FORM = replace(
    result_list.FORM,
    known_by=frozenset({"Team"}),
    keys={**result_list.FORM.keys, "submitter": ("Team",), "value": ("Rate",), "label": ("Rate_Unit",)},
)
'''
IMPORT = (
    "from pathlib import Path; from analysis._import.official.import_run import import_results as bring; import sys;"
)
IMPORT += "print(bring([Path(sys.argv[1])], Path(sys.argv[2]), say=lambda line: None).rows)"


def test_a_new_form_is_one_module_and_its_name_in_the_list(tree: Any, tmp_path: Path) -> None:
    names = {
        "Submitter": "Team",
        "Performance_Result": "Rate",
        "Performance_Units": "Rate_Unit",
        "UsedModel": "UsedModel",
    }
    row = {names.get(key, key): value for key, value in tree.row.items()} | {"version": "v6.0"}
    (tmp_path / "summary.json").write_text(json.dumps([row]))
    shutil.copytree(ROOT / "src", tmp_path / "copy" / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(DATA, tmp_path / "copy" / "data", ignore=shutil.ignore_patterns("official"))
    package = tmp_path / "copy" / "src" / "analysis" / "_import" / "official" / "summaries"
    command = [sys.executable, "-c", IMPORT, str(tmp_path / "summary.json"), str(tmp_path / "out.csv")]
    told = {
        "cwd": tmp_path,
        "env": {"PYTHONPATH": str(tmp_path / "copy" / "src")},
        "capture_output": True,
        "text": True,
    }
    assert "has no Submitter" in subprocess.run(command, **told).stderr

    (package / "to_come.py").write_text(NEW)
    listed = (package / "__init__.py").read_text()
    listed = listed.replace("result_object\n", "result_object, to_come\n", 1).replace(
        "FORMS = (", "FORMS = (to_come.FORM, "
    )
    (package / "__init__.py").write_text(listed)
    ran = subprocess.run(command, **told)
    assert ran.stdout == "1\n", ran.stderr
    assert "Acme" in (tmp_path / "out.csv").read_text() and "24000.5" in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize(
    ("keys", "form"),
    [
        (("UsedModel", "Model"), result_list.FORM),
        (("Submitter", "Model"), result_list.FORM),
        (("Organization", "MlperfModel", "total_accelerators"), result_object.FORM),
        (("Organization", "MlperfModel"), collective_mind.FORM),
    ],
)
def test_a_row_is_known_by_its_keys(keys: tuple[str, ...], form: summaries.Form) -> None:
    assert summaries.form_of(dict.fromkeys(keys)) is form


@pytest.mark.parametrize(("raw", "reason"), [([], "is list, not an object"), ({"a": 1}, "of no known form")])
def test_a_row_of_no_form_is_refused(raw: Any, reason: str) -> None:
    with pytest.raises(EntryError, match=reason):
        summaries.entry(raw)


def test_power_stands_alone_only_in_forms_that_file_it_so() -> None:
    watts = {"Units": "Watts", "Result": 12.5, "Result_Power": None}
    assert collective_mind.FORM.power(watts) == {"Result_Power": 12.5, "Result_Power_Units": "Watts"}
    assert result_object.FORM.power(watts | {"Result_Power": 3.0})["Result_Power"] == 3.0
    assert result_list.FORM.power({"Performance_Units": "Watts", "Performance_Result": 12.5}) == {}
