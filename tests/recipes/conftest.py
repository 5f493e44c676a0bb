"""What runs once a round is tested by name, or with the slow tests: no page needs it."""

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    if not any("recipes" in argument for argument in config.invocation_params.args):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.slow)
