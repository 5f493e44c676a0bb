"""The explorer of all official results: a page to filter, draw, compare, and download them.

`show` displays it in a notebook; the build puts the same parts into a page, whose script is this package's own.
"""

from analysis.explorer.curves import curves
from analysis.explorer.page import link, parts, show
from analysis.explorer.rows import rows

__all__ = ["curves", "link", "parts", "rows", "show"]
