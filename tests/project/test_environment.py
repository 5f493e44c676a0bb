"""One list of direct dependencies in pyproject.toml, environment.yml, requirements.lock and docs/develop.md."""

import re
import tomllib

import pytest
import yaml

from analysis.paths import ROOT

LOCK = ROOT / "requirements.lock"
CONDA_NAMES = {"matplotlib-base": "matplotlib", "playwright-python": "playwright"}
CONDA_ONLY = {"python", "pip"}
REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*([<>=!~].*)?$")


def split(requirement):
    """A requirement's name, as indexes normalize it, and its bounds."""
    name, bounds = REQUIREMENT.match(requirement.partition(";")[0].strip()).groups()
    return name.lower().replace("_", "-").replace(".", "-"), (bounds or "").replace(" ", "")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def wanted(project):
    """Every direct dependency with its bounds, those of the extras included."""
    extras = project["optional-dependencies"].values()
    return dict(map(split, [*project["dependencies"], *(name for extra in extras for name in extra)]))


@pytest.fixture(scope="module")
def conda():
    return yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]


def test_conda_has_the_same_dependencies_and_bounds(conda, wanted):
    by_pip = next(each for each in conda if not isinstance(each, str))["pip"]
    assert by_pip[-1] == "-e ."
    found = dict(split(each) for each in [*filter(lambda each: isinstance(each, str), conda), *by_pip[:-1]])
    assert {CONDA_NAMES.get(name, name): bounds for name, bounds in found.items() if name not in CONDA_ONLY} == wanted


@pytest.fixture(scope="module")
def locked():
    """The entries of the lock: a package, its hashes, and what asked for it."""
    return re.split(r"^(?=[A-Za-z0-9])", LOCK.read_text("utf-8"), flags=re.MULTILINE)[1:]


def test_lock_names_what_asked_for_each_direct_dependency(project, wanted, locked):
    assert {split(each.partition("==")[0])[0] for each in locked if project["name"] in each} == set(wanted)


def test_every_package_of_the_lock_is_pinned_with_a_hash_and_no_address(locked):
    assert [each for each in locked if not re.match(r"[\w.-]+==[^ ]+( ;.*)? \\\n    --hash=sha256:", each)] == []
    assert len(locked) > 100 and "://" not in LOCK.read_text("utf-8")


def test_docs_give_each_dependency_one_reason(wanted):
    text = (ROOT / "docs" / "develop.md").read_text("utf-8")
    section = text.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, flags=re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(wanted)
    assert [name for name, reason in rows if len(reason.split()) < 2 or "|" in reason] == []


def test_conda_asks_for_the_same_python(conda, project):
    assert dict(split(each) for each in conda if isinstance(each, str))["python"] == project["requires-python"]
