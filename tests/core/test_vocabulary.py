"""The words of closed sets stand in one place, and everything else reads them from there."""

import ast
import json

import pytest

from analysis._core import vocabulary
from analysis._core.paths import DATA, ROOT
from analysis._core.vocabulary import VOCABULARIES
from analysis._tables import descriptor
from analysis._tables.descriptor import DescriptorError

HOME = ROOT / "src" / "analysis" / "_core" / "vocabulary.py"


def _literals(path):
    """The texts of each tuple, list or set that a module writes out; a dict says something of each of its keys."""
    held = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        parts = getattr(node, "elts", [])
        held.append({part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)})
    return held


@pytest.fixture(scope="module")
def literals():
    return {path: _literals(path) for path in (ROOT / "src").rglob("*.py")}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_no_other_module_writes_a_vocabulary_out(name, literals):
    words = set(VOCABULARIES[name])
    copies = [path for path, own in literals.items() if any(words <= held for held in own)]
    assert HOME in literals and set(copies) <= {HOME}


def test_the_descriptor_names_vocabularies_and_copies_none():
    package = json.loads((DATA / descriptor.FILE).read_text("utf-8"))
    schemas = [resource["schema"] for resource in package["resources"]]
    fields = [field for schema in schemas for field in (*schema["fields"], *schema.get("importedFields", ()))]
    enums = [set(field.get("constraints", {}).get("enum", ())) for field in fields]
    assert [words for words in enums if words in map(set, VOCABULARIES.values())] == []
    assert {field["constraints"]["vocabulary"] for field in fields if "vocabulary" in field.get("constraints", {})} == {
        *VOCABULARIES
    }


def test_a_vocabulary_that_there_is_not_is_refused_with_those_there_are(package):
    path = package / descriptor.FILE
    path.write_text(path.read_text("utf-8").replace('"enum": ["g", "kg"]', '"vocabulary": "unit"'), encoding="utf-8")
    with pytest.raises(DescriptorError, match=r"datapackage\.json: no vocabulary of column unit 'unit': .* units"):
        descriptor.read_tables(package)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NVFP4", "fp4"),
        (" bfloat16 ", "bf16"),
        ("fp8", "fp8"),
        ("Ternary", "ternary"),
        ("FP8-E5M2", "fp8"),
        ("awq_marlin", "int4"),
        ("modelopt_fp4", "fp4"),
        ("gptq", "gptq"),
    ],
)
def test_a_precision_is_known_by_every_spelling(text, name):
    assert vocabulary.precision(text) == name
