"""The ranking that several test files read."""

import pytest

from analysis.planner import choice
from analysis.planner.capacity import Demand


@pytest.fixture(scope="session")
def chosen():
    """The ranking of the defaults by accelerator: 10,000 users of GPT-OSS 120B at 25 tokens/s."""
    return choice.ranking(Demand(benchmark="gpt-oss-120b")).set_index("accelerator", drop=False)
