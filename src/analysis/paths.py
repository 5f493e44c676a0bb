"""Where things live, from this file's own place and never from the working directory; nothing else belongs here."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
OFFICIAL = DATA / "official"
NOTEBOOKS = ROOT / "notebooks"
RUNS = NOTEBOOKS / "runs"
REPORTS = ROOT / "reports"
LOCK = ROOT / "requirements.lock"
