"""The one error of a report that cannot be finished."""


class ReportFailed(Exception):
    """A report that cannot be finished.

    `cell` is the place of the cell in the executed notebook (from 0), where one is to blame; `line`
    the notebook line that raised, and `inside` the place in this project's modules that it led to.
    """

    def __init__(self, what: str, cell: int | None = None, line: str = "", inside: str = "") -> None:
        super().__init__(what)
        self.what, self.cell, self.line, self.inside = what, cell, line, inside
