"""Rounds by their age, not by their letters."""

import pandas as pd
import pytest

from analysis._core import round_order


@pytest.mark.parametrize(
    ("rounds", "newest"),
    [(["v0.7", "v10.0", "v9.1"], "v10.0"), (["v5.1", "v5.0", "v5.1"], "v5.1"), (["", ""], ""), ([], "")],
)
def test_newest_is_the_latest_in_time(rounds: list[str], newest: str) -> None:
    assert round_order.newest(pd.Series(rounds, dtype="str")) == newest


def test_ages_rise_with_the_rounds_and_are_equal_for_one_round() -> None:
    rounds = pd.Series(["v5.1", "v10.0", "", "v9.1", "v5.1"], dtype="str", index=list("abcde"))
    assert round_order.of(rounds).to_dict() == {"a": 1, "b": 3, "c": 0, "d": 2, "e": 1}
    assert round_order.of(rounds).dtype == "int64"
    assert round_order.of(rounds.head(0)).empty
