"""Rows that stand together share the memory of their frame; all others are those that a mask takes."""

import numpy as np
import pandas as pd
import pytest

from analysis._core import shared_memory

ROWS = pd.DataFrame(
    {"text": pd.array(list("abcde"), dtype="str"), "low": np.arange(5.0), "high": np.arange(5.0)}, index=list("vwxyz")
)


@pytest.mark.parametrize("held", ["11111", "01110", "10000", "00001", "10101", "00000", "11011"])
@pytest.mark.parametrize("of", [pd.Series, np.array])
def test_rows_are_those_of_the_mask(held: str, of: type) -> None:
    mask = of([bool(int(bit)) for bit in held])
    if isinstance(mask, pd.Series):
        mask.index = ROWS.index
    pd.testing.assert_frame_equal(shared_memory.where(ROWS, mask), ROWS[mask])


def test_rows_that_stand_together_are_not_copied_and_safe_to_write_to() -> None:
    some = shared_memory.where(ROWS, ROWS["low"].between(1, 3))
    assert np.shares_memory(some["low"].to_numpy(), ROWS["low"].to_numpy())
    some.loc["w", "low"] = 9.0
    assert ROWS["low"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
