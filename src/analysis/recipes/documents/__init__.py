"""Check the figures of data/figures.csv against official results, datasheets, other documents, and arithmetic.

Each check is a function that returns what it expects of some figures, in the columns of `audit.verdicts.FOUND`;
`judge` joins them with the figures, and `judged` is data/verdicts.csv.
"""

from analysis.recipes.documents.join import judge, judged

__all__ = ["judge", "judged"]
