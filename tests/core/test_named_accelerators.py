"""Which accelerators a word of a user's means, by the tables of data/."""

import pytest

from analysis._core import named_accelerators, table_text
from analysis._core.named_accelerators import accelerator_named
from analysis._core.vocabulary import MIXED
from analysis.audit import flags

PARTS = [row for row in table_text.rows("accelerators") if row["accelerator"] != MIXED]


@pytest.mark.parametrize("part", PARTS, ids=[part["accelerator"] for part in PARTS])
def test_each_accelerator_goes_by_its_name_short_name_and_vendor(part):
    name = part["accelerator"]
    assert [accelerator_named(word) for word in (name, name.lower())] == [name, name]
    assert part["label"] in [row["accelerator"] for row in PARTS] or accelerator_named(part["label"]) == name
    if part["vendor"]:
        assert name in named_accelerators.several(part["vendor"].upper())


def test_no_vendor_is_called_like_an_accelerator():
    names = flags.catalog().accelerator_names
    assert [part["vendor"] for part in PARTS if part["vendor"].casefold() in names] == []


def test_names_that_are_valid_as_they_are_count_first():
    assert named_accelerators.several("B300", ["B300", MIXED]) == ["B300"]
    assert named_accelerators.each(["XPU 9", "B300"], ["XPU 9"]) == ["XPU 9", "B300 SXM"]
    for word in (MIXED, "XPU 8"):
        with pytest.raises(ValueError, match=f"{word!r}: ") as error:
            named_accelerators.each([word], ["XPU 9", MIXED])
    assert "did you mean 'XPU 9'?" in str(error.value)


@pytest.mark.parametrize("word", ["h100-sxm", "H100_SXM", "H100SXM", "nvidia-h100"])
def test_signs_between_words_do_not_count(word):
    assert accelerator_named(word) == "H100 SXM"


def test_a_spelling_of_two_accelerators_is_none():
    """Of 40 GB as `NVIDIA A100-PCIe`, of 80 GB as `NVIDIA A100 PCIe`."""
    with pytest.raises(ValueError, match="did you mean 'A100 PCIe"):
        accelerator_named("NVIDIA_A100_PCIe")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("Nvidea", r"^'Nvidea': did you mean 'NVIDIA'\? the nearest of \d+ valid ones: NVIDIA$"),
        ("A100 40GB", "did you mean 'A100 SXM 40GB' or 'A100 PCIe 40GB' or "),
        ("undefine", "^(?!.*(undefined|mixed))"),
        ("mixe", "^(?!.*(undefined|mixed))"),
    ],
)
def test_the_nearest_may_be_a_vendor_and_is_a_part(word, said):
    with pytest.raises(ValueError, match=said):
        named_accelerators.several(word, ["undefined", "mixed"])


@pytest.mark.parametrize("word", ["", " ", float("nan"), None])
def test_what_is_no_text_is_no_name(word):
    with pytest.raises(ValueError, match=r"is no name of an accelerator|^the name of an accelerator is empty$"):
        accelerator_named(word)


def test_a_printed_name_is_the_same_part_for_imports_and_for_parameters():
    rows = [row for row in table_text.rows("accelerator_aliases") if row["accelerator"] not in ("", MIXED)]
    assert {row["as_published"]: accelerator_named(row["as_published"]) for row in rows} == {
        row["as_published"]: row["accelerator"] for row in rows
    }
