"""What an error says of a name that is not among the valid ones."""

import pytest

from analysis._core.choices import choose, not_among

FRUIT = ["apple", "pear"]


def test_a_valid_name_is_taken():
    assert choose("pear", FRUIT, "fruit") == "pear"


@pytest.mark.parametrize(
    ("name", "valid", "words"),
    [
        ("aple", FRUIT, "'aple': did you mean 'apple'? valid: apple, pear"),
        (
            "app",
            ["grapple", "Apple Red", "apple"],
            "'app': did you mean 'Apple Red' or 'apple'? valid: grapple, Apple Red, apple",
        ),
        (
            "GB300 NVL72",
            ["H200 NVL", "GB300", "GB3"],
            "'GB300 NVL72': did you mean 'GB300'? valid: H200 NVL, GB300, GB3",
        ),
        (
            "A100-40GB",
            ["A100 SXM", "A100 SXM 40GB MIG", "A100 PCIe 40GB"],
            "'A100-40GB': did you mean 'A100 PCIe 40GB' or 'A100 SXM 40GB MIG'? "
            "valid: A100 SXM, A100 SXM 40GB MIG, A100 PCIe 40GB",
        ),
        ("zzzzzz", FRUIT, "'zzzzzz': valid: apple, pear"),
        ("apple", [], "'apple': valid: none, for there are none yet"),
    ],
)
def test_another_name_is_refused_with_the_nearest_and_all_that_are_valid(name, valid, words):
    assert not_among(name, iter(valid)) == words
    with pytest.raises(ValueError, match="no fruit") as error:
        choose(name, iter(valid), "fruit")
    assert str(error.value) == f"no fruit {words}"


def test_other_names_lead_to_the_valid_one():
    valid = ["H100 NVL", "B300 SXM"]
    assert "did you mean 'B300 SXM'?" in not_among("B300 NVL16", valid, {"b300": "B300 SXM", "gone": "Gone"})
    assert "did you mean 'H100 NVL'?" in not_among("B300 NVL16", valid, {"b300": "not among them"})


def test_of_many_names_the_nearest_are_told_and_how_many_there_are():
    names = [f"part {place}" for place in range(81)]
    assert not_among("part 8x", names[:80]).endswith("part 78, part 79")
    words = not_among("part 8x", names)
    start, _, nearest = words.partition(" valid ones: ")
    assert start == "'part 8x': did you mean 'part 8'? the nearest of 81"
    assert nearest.split(", ")[0] == "part 8" and len(nearest.split(", ")) == 8


def test_names_that_are_not_alike_are_no_hint():
    names = [f"part {place}" for place in range(81)]
    assert not_among("foo", names) == "'foo': none of 81 valid ones is like it"
