"""What an error says of a name that is not among the valid ones."""

import pytest

from analysis.core.choices import choose, not_among

FRUIT = ["apple", "pear"]


def test_a_valid_name_is_taken() -> None:
    assert choose("pear", FRUIT, "fruit") == "pear"


@pytest.mark.parametrize(
    ("name", "valid", "words"),
    [
        ("aple", FRUIT, "'aple': did you mean 'apple'? valid: apple, pear"),
        ("zzzzzz", FRUIT, "'zzzzzz': valid: apple, pear"),
        ("apple", [], "'apple': valid: none, for there are none yet"),
    ],
)
def test_another_name_is_refused_with_the_nearest_and_all_that_are_valid(
    name: str, valid: list[str], words: str
) -> None:
    assert not_among(name, iter(valid)) == words
    with pytest.raises(ValueError, match="no fruit") as error:
        choose(name, iter(valid), "fruit")
    assert str(error.value) == f"no fruit {words}"
