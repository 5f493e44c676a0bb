"""Where things live, from this file's own place and never from the working directory.

ANALYSIS_ROOT names the root of another project, whose tables, notebooks and reports this process and those that it
starts then take for their own.
"""

import os
from pathlib import Path

ROOT = Path(os.environ.get("ANALYSIS_ROOT") or Path(__file__).resolve().parents[3])
DATA = ROOT / "data"
OFFICIAL = DATA / "official"
ENDPOINTS = DATA / "endpoints"
INFERENCEX = DATA / "inferencex"
NOTEBOOKS = ROOT / "notebooks"
RUNS = NOTEBOOKS / "runs"
REPORTS = ROOT / "reports"
LOCK = ROOT / "requirements.lock"
CACHE = ROOT / ".cache"  # what follows from other files and is made again where it is gone


def official_files(data: Path = DATA) -> list[Path]:
    """The files of official rows below a data folder, in order of name: those shipped, and a user's own imports.

    Where ANALYSIS_OFFICIAL is `off` there are none, and where it is `shipped` the user's own are not taken up (see
    analysis._tables.catalog): stored outputs of notebooks and their tests must not depend on what somebody imported.
    """
    if official_scope() == "off":
        return []
    files = (data / OFFICIAL.name).glob("*")
    return sorted(path for path in files if path.suffix in (".parquet", ".csv") and not path.name.startswith("."))


def endpoint_files(data: Path = DATA) -> list[Path]:
    """The files of MLPerf Endpoints that a user imported into a data folder, in order of name; none are shipped."""
    return sorted((data / ENDPOINTS.name).glob("*.parquet")) if official_scope() == "all" else []


def inferencex_files(data: Path = DATA) -> list[Path]:
    """The files of InferenceX runs that a user fetched into a data folder, in order of name; none are shipped."""
    return sorted((data / INFERENCEX.name).glob("*.parquet")) if official_scope() == "all" else []


def official_scope() -> str:
    """Which official rows are read: "all", "shipped" (no imports of the user's own) or "off" (the documents alone)."""
    return os.environ.get("ANALYSIS_OFFICIAL") or "all"


def tables_cache(data: Path = DATA) -> Path | None:
    """Where what follows from the tables of a data folder is kept: of data/ itself in the cache, of others nowhere."""
    return cache("tables") if data == DATA else None


def cache(kind: str) -> Path | None:
    """The folder of CACHE for what is kept of one kind; None where ANALYSIS_CACHE is `off`, and nothing is."""
    return CACHE / kind if os.environ.get("ANALYSIS_CACHE") != "off" else None
