"""Where things live, from this file's own place and never from the working directory."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "data"
OFFICIAL = DATA / "official"
NOTEBOOKS = ROOT / "notebooks"
RUNS = NOTEBOOKS / "runs"
REPORTS = ROOT / "reports"
LOCK = ROOT / "requirements.lock"


def imported(data: Path = DATA) -> list[Path]:
    """The files of imported rows below a data folder, in order of name; none where ANALYSIS_OFFICIAL is `off`.

    It is off for stored outputs of notebooks and their tests, which must not depend on what somebody has imported.
    """
    if os.environ.get("ANALYSIS_OFFICIAL") == "off":
        return []
    files = (data / OFFICIAL.name).glob("*")
    return sorted(path for path in files if path.suffix in (".parquet", ".csv") and not path.name.startswith("."))
