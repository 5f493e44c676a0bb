"""Check the figures of data/figures.csv against official results, datasheets, other documents, and arithmetic.

Each check is a function that returns what it expects of some figures, in the columns of `verdicts.FOUND`;
`judge` joins them with the figures, and `write` keeps the outcome in data/verdicts.csv.
"""

from analysis.recipes.audit.join import judge, write
from analysis.recipes.audit.verdicts import compare

__all__ = ["compare", "judge", "write"]
