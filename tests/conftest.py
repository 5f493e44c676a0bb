"""Small data of the core tests: rows with defaults, typed as the catalog types them; the real tables once."""

import json
import os
import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from analysis._build.kernels.process import ForkServer
from analysis._build.make import light_import
from analysis._core.notes import NONE
from analysis._core.paths import DATA, ROOT
from analysis._tables import dictionary
from analysis.audit.flags import catalog
from analysis.comparability import systems
from analysis.comparability.selection import Data

# Jupyter's libraries at the price that builds pay, for whichever room imports them first.
light_import.import_jupyter()
# What somebody has imported into data/official/ must not decide a test; tests of it turn it on.
os.environ["ANALYSIS_OFFICIAL"] = "shipped"
settings.register_profile("core", deadline=None, derandomize=True, database=None, max_examples=60)
settings.load_profile("core")


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers():
    """With `-n auto` half as many workers again as processors: a third of the time a worker waits for a kernel, a page
    or a command that it started. A number that somebody set for `auto` stays."""
    number = yield
    return number if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (3 * number + 1) // 2


# A list and not what lies in notebooks/, or a user's own files would be held to what the project promises of its own.
LISTED = (Path(__file__).parent / "shipped.txt").read_text("utf-8").splitlines()
SHIPPED = [ROOT / line for line in LISTED if not line.startswith("#")]


def _stems(folder, ending):
    return [path.stem for path in SHIPPED if path.parent.name == folder and path.suffix == ending]


@pytest.fixture(scope="session")
def shipped():
    """The files of notebooks/ that the project ships."""
    return SHIPPED


@pytest.fixture(scope="session", params=_stems("notebooks", ".ipynb"))
def shipped_notebook(request):
    """The name of each notebook that the project ships."""
    return request.param


@pytest.fixture(scope="session", params=_stems("runs", ".yml"))
def shipped_run(request):
    """The name of each run file that the project ships."""
    return request.param


@pytest.fixture(scope="session", params=_stems("sweeps", ".yml"))
def shipped_sweep(request):
    """The name of each sweep that the project ships."""
    return request.param


RESULT = {
    "id": "",
    "origin": "official",
    "source_id": "mlcommons-v4.1",
    "source": "official v4.1",
    "locator": "table, row",
    "round": "v4.1",
    "result_id": "",
    "submitter": "ACME",
    "division": "closed",
    "availability": "available",
    "suite": "datacenter",
    "system": "box",
    "machine": "box",
    "serving_software": "",
    "accelerator": "H100 SXM",
    "accelerator_count": 8,
    "nodes": 1,
    "benchmark": "llm",
    "accuracy_target": "",
    "scenario": "Offline",
    "metric": "throughput",
    "printed": "",
    "low": 800.0,
    "high": None,
    "unit": "tokens/s",
    "range_basis": "exact",
    "per": "system",
    "tokens_per_sample": None,
    "precision": "fp8",
    "power_watts_low": None,
    "power_watts_high": None,
    "per_watt_low": None,
    "per_watt_high": None,
    "power_capped": False,
    "power_limit_watts": None,
    "comparable_since": "",
    "power_measured": False,
    "inferred": False,
    "duplicate_of": "",
    "corrected": "",
}
NUMBERS = ["low", "high", "tokens_per_sample", "power_watts_low", "power_watts_high", "per_watt_low", "per_watt_high"]
NUMBERS += ["power_limit_watts"]


@pytest.fixture(scope="session")
def results():
    """Result rows from dicts of what differs from an official run on eight H100; `high` defaults to `low`."""

    def make(*rows):
        full = [RESULT | {"id": f"r{place}"} | row for place, row in enumerate(rows)]
        full = [row | {"high": row["low"] if row["high"] is None else row["high"]} for row in full]
        frame = pd.DataFrame(full, columns=list(RESULT))
        text = [name for name, value in RESULT.items() if isinstance(value, str)]
        types = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(text, "str") | {"accelerator_count": "Int64"}
        return frame.astype(types | {"power_measured": "bool", "inferred": "bool"})

    return make


@pytest.fixture(scope="session")
def documents_only():
    """Copies data/ without the official record, of which the copy's descriptor then names no part."""

    def copy(folder):
        shutil.copytree(DATA, folder, ignore=shutil.ignore_patterns("official"))
        package = json.loads((folder / "datapackage.json").read_text("utf-8"))
        for resource in package["resources"]:
            resource.pop("parts", None)
        (folder / "datapackage.json").write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (folder / "official").mkdir()
        corrections = (folder / "corrections.csv").read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in corrections if not line.startswith("official,")]
        (folder / "corrections.csv").write_text("".join(kept), "utf-8")
        dictionary.describe(folder)
        return folder

    return copy


@pytest.fixture(scope="session")
def made():
    """What makes submissions of MLPerf Endpoints up: made_endpoints.py, which test modules cannot import."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "made_endpoints.py")))


@pytest.fixture(scope="session")
def comparable_rows(results):
    """Rows as comparable.select hands them on: the system's rate is `low` to `high`, divided by its accelerators."""

    def make(*rows):
        own = [{name: row[name] for name in row if name in RESULT} for row in rows]
        frame = results(*own)
        frame["assumed"] = pd.Series([row.get("assumed", False) for row in rows], index=frame.index, dtype="bool")
        frame["notes"] = pd.Series([row.get("notes", NONE) for row in rows], index=frame.index, dtype="object")
        frame["doubt"] = pd.Series([row.get("doubt", "") for row in rows], index=frame.index, dtype="str")
        count = frame["accelerator_count"].astype("float64")
        for end in ("low", "high"):
            frame[f"rate_{end}"] = frame[end]
            frame[f"per_accelerator_{end}"] = frame[end] / count
            frame[f"as_printed_{end}"] = frame[end] / count
        frame["basis"] = frame["source"].where(frame["origin"].ne("official"), "official " + frame["round"])
        return frame.assign(system_key=systems.keys(frame))

    return make


@pytest.fixture(scope="session")
def benchmarks():
    """Four benchmarks: tokens with a range per sample, tokens as filed twice, queries on a server, unknown size."""
    rows = [
        ("llm", "LLM", 70.0, "tokens/s", "tokens/s", 250.0, 300.0, False),
        ("twice", "Filed twice", 6.0, "tokens/s", "tokens/s", 69.0, 69.0, True),
        ("images", "Images", None, "samples/s", "queries/s", None, None, False),
        ("scan", "Scans", None, "samples/s", "", None, None, False),
    ]
    columns = ["benchmark", "label", "parameters_billion", "offline_unit", "server_unit"]
    columns += ["tokens_per_sample_low", "tokens_per_sample_high", "targets_share_run"]
    return pd.DataFrame(rows, columns=columns).assign(compared_in="")


@pytest.fixture(scope="session")
def tables(benchmarks):
    """What a comparison is made from: rows, the benchmarks above, and codes of doubts by row id (none elsewhere)."""

    def make(rows, doubts=None, of=benchmarks):
        given = [(doubts or {}).get(name, "") for name in rows["id"]]
        checked = [code in ("", "other_power_limit") for code in given]
        return Data(
            rows,
            of,
            pd.DataFrame({"doubt": given, "checked": np.array(checked, dtype="bool")}, index=pd.Index(rows["id"])),
        )

    return make


@pytest.fixture(scope="session")
def data():
    """The project's own tables, judged."""
    return catalog()


@pytest.fixture(scope="session")
def shared():
    """The folder of seeds and facts beside the repository; the test is skipped where that is not there."""
    folder = Path(os.environ.get("ANALYSIS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not (folder / "facts").is_dir():
        pytest.skip(f"{folder} is not there: seeds and check lists are not part of the project")
    return folder


FIELDS = {
    "sorts": [
        {"name": "sort", "type": "string", "constraints": {"required": True, "pattern": "^[a-z]+$"}},
        {"name": "color", "type": "string", "constraints": {"required": True, "enum": ["red", "green"]}},
        {"name": "first_sold", "type": "date"},
    ],
    "apples": [
        {"name": "id", "type": "string", "constraints": {"required": True}},
        {"name": "sort", "type": "string", "constraints": {"required": True}},
        {"name": "printed", "type": "string"},
        {"name": "low", "type": "number", "constraints": {"minimum": 0, "maximum": 1000}},
        {"name": "high", "type": "number", "constraints": {"minimum": 0, "maximum": 1000}},
        {"name": "unit", "type": "string", "constraints": {"required": True, "enum": ["g", "kg"]}},
        {"name": "range_basis", "type": "string", "constraints": {"enum": ["rounded", "exact"]}},
        {"name": "crates", "type": "integer"},
        {"name": "ripe", "type": "boolean", "constraints": {"required": True}},
        {"name": "note", "type": "string"},
    ],
    "corrections": [
        {"name": name, "type": "string", "constraints": {"required": name != "printed"}}
        for name in ("table", "key", "column", "printed", "corrected", "reason")
    ],
}
CELLS = {
    "sorts": "sort,color,first_sold\nboskoop,red,1923-05-01\ngranny,green,\n",
    "apples": "id,sort,printed,low,high,unit,range_basis,crates,ripe,note\n"
    "a1,boskoop,110,109.5,110.5,g,rounded,2,true,\n"
    'a2,granny,,,,kg,,,false,"green, sour"\n',
    "corrections": "table,key,column,printed,corrected,reason\n",
}
KEYS = {"sorts": ["sort"], "apples": ["id"], "corrections": ["table", "key", "column"]}


@pytest.fixture
def package(tmp_path):
    """A folder with a valid data package of apples, their sorts, and no corrections."""
    reference = {"fields": ["sort"], "reference": {"resource": "sorts", "fields": ["sort"]}}
    resources = []
    for name, fields in FIELDS.items():
        schema = {"fields": fields, "primaryKey": KEYS[name]}
        schema |= {"foreignKeys": [reference], "intervals": [["low", "high"]]} if name == "apples" else {}
        about = {"name": name, "path": f"{name}.csv", "hash": "sha256:0", "title": name, "description": name}
        resources.append(about | {"schema": schema})
        (tmp_path / f"{name}.csv").write_text(CELLS[name], encoding="utf-8")
    (tmp_path / "datapackage.json").write_text(json.dumps({"resources": resources}), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def _fork_servers():
    servers = {}
    yield servers
    for server in servers.values():
        ForkServer.close(server)


@pytest.fixture
def one_fork_server(_fork_servers, monkeypatch):
    """Builds of projects at one place, one after the other, fork from one process: it takes seconds to load.

    tests/build/test_kernels.py holds that a build ends what it forked from.
    """

    class Lasting(ForkServer):
        def close(self):
            """Stay for the next build."""

    def shared(env, cwd, drawing):
        own = {name: value for name, value in env.items() if name.startswith(("PYTHON", "ANALYSIS_", "SWEEP_TEST"))}
        key = cwd, drawing, tuple(sorted(own.items()))
        if key not in _fork_servers or _fork_servers[key].process.poll() is not None:
            _fork_servers[key] = Lasting(env | {"IPYTHONDIR": f"{cwd}/.ipython"}, cwd, drawing)
        return _fork_servers[key]

    monkeypatch.setattr("analysis._build.kernels.pool.ForkServer", shared)
