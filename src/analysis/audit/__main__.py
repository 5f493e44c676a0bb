"""Judge all published figures anew: `python -m analysis.audit` writes data/verdicts.csv."""

from analysis.audit import write

print(f"data/verdicts.csv: {len(write())} verdicts")
