"""What tests of commands share, and how the test processes use memory."""

import gc

import pytest

from analysis.cli import main


def pytest_collection_finish():
    """Look for garbage seldom: in processes that hold the whole record, looking takes a seventh of the time."""
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture
def said(capsys):
    """Run a command: its exit status, standard output, and standard error."""

    def run(*arguments):
        status = main.main(list(arguments))
        return status, *capsys.readouterr()

    return run
