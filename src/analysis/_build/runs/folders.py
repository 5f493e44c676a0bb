"""The folders that a build reads and writes, and the short names of files in them."""

from dataclasses import dataclass, replace
from pathlib import Path

from analysis._core import paths

ENGINE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Places:
    """The folders of one project. The defaults are this process's own (see paths.ROOT)."""

    root: Path = paths.ROOT
    notebooks: Path = paths.NOTEBOOKS
    runs: Path = paths.RUNS
    reports: Path = paths.REPORTS
    data: Path = paths.DATA
    lock: Path = paths.LOCK
    source: Path = paths.ROOT / "src"

    @classmethod
    def under(cls, root: Path) -> "Places":
        """The same layout below another root folder."""
        notebooks = root / "notebooks"
        return cls(
            root, notebooks, notebooks / "runs", root / "reports", root / "data",
            root / "requirements.lock", root / "src",
        )  # fmt: skip

    def at(self, reports: Path) -> "Places":
        """The same project with another folder for reports."""
        return replace(self, reports=reports)

    @property
    def up(self) -> str:
        """The way from the folder of these reports to that of all reports, "" or "../": a sweep's lie in one below."""
        return "../" if self.reports.parent == self.root / "reports" else ""

    @property
    def sweeps(self) -> Path:
        """Where the sweep files are."""
        return self.notebooks / "sweeps"

    @property
    def failed(self) -> Path:
        """Where the notebooks of failed reports, and what went wrong in words, are kept."""
        return self.reports / ".failed"

    @property
    def pictures(self) -> Path:
        """Where each report's first figure is kept for the index."""
        return self.reports / ".pictures"

    @property
    def pace(self) -> Path:
        """Where it is kept how long each report took."""
        return self.reports / ".seconds.json"

    def notebook(self, name: str) -> Path:
        """The file of a notebook, from its name without folder and ending."""
        return self.notebooks / f"{name}.ipynb"

    def key(self, path: Path) -> str:
        """The short name of a file, for instance `data/results.csv`: the same on every machine.

        Raises ValueError for a file outside the project.
        """
        file = path.as_posix()
        for prefix, folder in self._folders():
            if file.startswith(below := f"{folder.as_posix()}/"):
                return prefix + file.removeprefix(below)
        raise ValueError(f"{path} lies outside the project {self.root}")

    def path(self, key: str) -> Path:
        """The file that a short name represents; the inverse of `key`."""
        prefix, folder = next(pair for pair in self._folders() if key.startswith(pair[0]))
        return folder / key.removeprefix(prefix)

    def _folders(self) -> list[tuple[str, Path]]:
        # The engine is listed first: its files belong to every project that it builds.
        return [
            ("src/analysis/_build/", ENGINE),
            ("src/", self.source),
            ("notebooks/", self.notebooks),
            ("data/", self.data),
            ("", self.root),
        ]
