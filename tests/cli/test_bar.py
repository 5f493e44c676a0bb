"""Progress where nobody watches: lines of their own, and not one for each report."""

import io

import pytest

from analysis.cli.progress_bar import LINES, Bar


def told(total: int) -> list[str]:
    """What is said of a sweep of so many reports."""
    lines: list[str] = []
    with Bar(lines.append) as bar:
        for done in range(total + 1):
            bar.show(done, total)
    return lines


def test_a_file_gets_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(4) == ["1 of 4 reports", "2 of 4 reports", "3 of 4 reports", "4 of 4 reports"]
    many = told(1000)
    assert len(many) == LINES and (many[0], many[-1]) == ("50 of 1000 reports", "1000 of 1000 reports")
    assert capsys.readouterr() == ("", "")  # no carriage return of a bar either


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stderr", terminal)
    assert told(2) == [] and "2/2" in terminal.getvalue()
