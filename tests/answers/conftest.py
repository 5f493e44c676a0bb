"""What tests of answers ask of a finding."""

from collections.abc import Callable

import pytest

from analysis.core.findings import Finding
from analysis.core.interval import Interval


@pytest.fixture(scope="session")
def states() -> Callable[..., None]:
    """Asserts that a finding has this range, None for no value, and its sentence these parts."""

    def check(finding: Finding, value: tuple[float, float] | None, *parts: str) -> None:
        found = finding.value and (finding.value.low, finding.value.high)
        assert found == (value if value is None else pytest.approx(value, rel=1e-12))
        assert isinstance(finding.value, Interval | None)
        assert [part for part in parts if part not in finding.sentence] == [], finding.sentence

    return check
