"""Files of runs as a user has them."""

import json

import pytest

from analysis.measure import MeasurementError, read_runs


@pytest.fixture
def runs(tmp_path):
    """Write a record, a text, or bytes to a file; the frame of its runs, or the text of the error that refuses it."""

    def read(content, name="run.json"):
        content = content if isinstance(content, str | bytes) else json.dumps(content)
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            return read_runs(tmp_path / name)
        except MeasurementError as error:
            assert str(error).startswith(str(tmp_path / name))
            return str(error)

    return read


@pytest.fixture
def run(runs):
    """The first run of a file, or the text of the error that refuses it."""

    def read(*content):
        found = runs(*content)
        return found if isinstance(found, str) else found.iloc[0]

    return read
