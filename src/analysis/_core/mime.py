"""How the outputs of cells are named: the forms of their data, which Jupyter calls MIME types, and their metadata.

What a report shows puts outputs out under these names, and the engine finds them by the same on its way to a page.
"""

HTML, MARKDOWN, PLAIN = "text/html", "text/markdown", "text/plain"
PNG, SVG = "image/png", "image/svg+xml"
WIDGET = "application/vnd.jupyter.widget-view+json"

FINDING = "application/vnd.analysis.finding+json"
PROVENANCE = "application/vnd.analysis.provenance+json"
TRUST = "application/vnd.analysis.trust+json"

# Metadata of an output.
CSV = "analysis/csv"  # a table as CSV
KEY = "analysis/key"  # what explains the marks of a figure
LIVE = "analysis/live"  # what makes a page live: texts `html`, `style`, `script`, and `data` by ids of its elements
NARROW = "analysis/narrow"  # the drawing of a figure for a narrow page
NUMBERS = "analysis/numbers"  # that a table has the numbers of the figure before it
