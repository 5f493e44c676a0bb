"""Money, counts and names as sentences say them."""

import pandas as pd
import pytest

from analysis.answers import words
from analysis.core.interval import Interval


@pytest.mark.parametrize(
    ("low", "high", "digits", "said"),
    [(28.4, 28.4, 2, "$28"), (4.76, 4.76, 2, "$4.80"), (3.29, 3.29, 3, "$3.29"),
     (19_222, 20_500, 2, "$19,000 to $20,000"), (3, 3, 2, "$3"), (0.0044, 0.0044, 2, "0.44 cents"),
     (0.01, 0.01, 2, "1 cent"),
     (0.5, 4.0, 2, "$0.50 to $4"),
     (0.001, 0.5, 2, "0.1 to 50 cents"), (float("nan"), 2, 2, "not known"), (2.501, 2.502, 2, "$2.50")],
)  # fmt: skip
def test_dollars(low: float, high: float, digits: int, said: str) -> None:
    assert words.dollars(Interval(low, high), digits) == said


@pytest.mark.parametrize(("value", "said"), [(9.894e6, "9.9 million"), (1e6, "1 million"), (480_123.0, "480,000")])
def test_millions(value: float, said: str) -> None:
    assert words.millions(Interval(value, value)) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [("H100 SXM", "an H100 SXM"), ("B200 SXM", "a B200 SXM"), ("L40S", "an L40S"), ("MI300X", "an MI300X"),
     ("Arc Pro B60", "an Arc Pro B60"), ("Gaudi2", "a Gaudi2"), ("TPU v5e", "a TPU v5e"), ("RTX 4090", "an RTX 4090"),
     ("Max 1100", "a Max 1100"), ("speedAI 240", "a speedAI 240"), ("A10", "an A10")],
)  # fmt: skip
def test_articles_go_by_how_a_name_is_spoken(name: str, said: str) -> None:
    assert words.with_article(name) == said


def test_accelerators_go_by_what_people_call_them_and_keep_their_own_name() -> None:
    called = words.called(pd.DataFrame({"accelerator": ["H100 SXM", "B300"], "label": ["H100", ""]}))
    rows = pd.DataFrame({"accelerator": ["B300", "H100 SXM"], "accelerator_base": ["H100 SXM", "else"], "low": [1, 2]})
    found = words.renamed(rows, called)
    assert found[["accelerator", "accelerator_base", "part"]].to_numpy().tolist() == [
        ["B300", "H100", "B300"],
        ["H100", "else", "H100 SXM"],
    ]
    assert "accelerator_base" not in words.renamed(rows[["accelerator"]], called)


def test_a_small_gain_is_told_in_per_cent_and_a_larger_one_as_a_factor() -> None:
    assert words.more_than(Interval(1.061, 1.061), "FP8") == "6.1 % more than FP8"
    assert words.more_than(Interval(1.0, 1.08), "FP8") == "0 to 8 % more than FP8"
    assert words.more_than(Interval(1.2, 1.2), "FP8") == "1.2 times FP8"
    assert words.more_than(Interval(0.95, 1.05), "FP8") == "0.95 to 1.1 times FP8"
