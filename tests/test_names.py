"""Names: checked against the valid ones, and the many names of an accelerator."""

from __future__ import annotations

import time

import pandas as pd
import pytest

from analysis import names, tables


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("H100", "H100"), ("h100 sxm", "H100"), ("NVIDIA H100-SXM-80GB", "H100"), ("NVIDIA-H100-80GB-HBM3", "H100"),
        ("AMD Instinct MI300X", "MI300X"), ("NVIDIA GB200", "GB200"), ("H100 PCIe", "H100 PCIe"), ("Tesla T4", "T4"),
        ("A100-40GB", "A100 SXM 40GB"), ("a100_40gb", "A100 SXM 40GB"), ("A100-80GB", "A100"),
        ("MI325X OAM", "MI325X"), ("GB300 NVL72", "GB300"), ("H200 NVL", "H200 NVL"), ("Alveo-U250", "Alveo U250"),
    ],
)  # fmt: skip
def test_an_accelerator_goes_by_many_names(name, short):
    assert names.accelerator(name) == short


def test_a_name_that_fits_several_accelerators_is_refused():
    with pytest.raises(ValueError, match="A100 SXM 40GB"):
        names.accelerator("NVIDIA-A100-SXM4-40GB-or-80GB")


def test_vendors_stand_for_their_accelerators():
    amd = names.accelerators(["AMD", "H100"])
    assert {"MI355X", "MI300X", "H100"} <= set(amd)
    assert "B200" not in amd


def test_an_imported_accelerator_is_known_by_its_own_name():
    assert names.accelerator("FutureChip 1", ["FutureChip 1"]) == "FutureChip 1"


def test_accelerators_of_one_kind_are_called_by_it():
    asked = [["gpu", "gpu"], ["cpu"], ["tpu"], ["asic"], ["gpu", "cpu"], []]
    assert [names.noun(kinds) for kinds in asked] == ["GPU", "CPU", "TPU", *["accelerator"] * 3]


@pytest.mark.parametrize(("count", "words"), [(80, "valid: a0, a1, a2"), (81, "valid: the nearest of 81: ")])
def test_up_to_eighty_valid_names_are_listed(count, words):
    with pytest.raises(ValueError, match=words):
        names.choose("a", [f"a{number}" for number in range(count)], "name")


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60 + "':"), (61, "x" * 60 + "'...:")])
def test_sixty_letters_of_a_wrong_name_are_repeated(length, shown):
    with pytest.raises(ValueError, match=shown.replace(".", r"\.")):
        names.choose("x" * length, ["v6.0"], "round")


def test_short_names_tell_accelerators_apart():
    assert tables.accelerators["label"].is_unique


def test_a_long_wrong_name_is_refused_at_once_and_not_repeated_whole():
    start = time.perf_counter()
    with pytest.raises(ValueError, match="no round") as error:
        names.choose("x" * 1_000_000, ["v6.0", "v6.1"], "round")
    with pytest.raises(ValueError, match="no accelerator"):
        names.accelerator("y" * 1_000_000)
    assert time.perf_counter() - start < 1
    assert len(str(error.value)) < 200


def test_full_names_become_short_and_others_stay():
    full = pd.Series(["H100 SXM", "Own part"], dtype="str")
    assert names.short(full).tolist() == ["H100", "Own part"]


def test_a_benchmark_is_found_by_key_label_and_published_name():
    asked = ["llama3.1-405b", "Llama 3.1 405B", " llama 3.1  405b", "GPT-J 6B", "llama2-70b-99.9", "own"]
    found = ["llama3.1-405b"] * 3 + ["gptj", "llama2-70b", "own"]
    assert [names.benchmark(name, ["own"]) for name in asked] == found
    asked, found = ["Deepseek R1", "Llama-3.1-8B", "gpt-oss 120b"], ["deepseek-r1", "llama3.1-8b", "gpt-oss-120b"]
    assert [names.benchmark(name) for name in asked] == found
    assert [names.label("gptj"), names.label("own")] == ["GPT-J 6B", "own"]
    with pytest.raises(ValueError, match=r"did you mean 'Llama 3\.1 405B'"):
        names.benchmark("llama3.1-405")


def test_of_many_names_the_first_are_listed():
    assert names.listed(["a", "b", "", "a", "c"], 2) == "a, b and 1 more"
    assert names.listed(["a", "b"], 2) == "a, b"


def test_misspelled_vendor_is_told_the_vendor():
    with pytest.raises(ValueError, match="did you mean 'NVIDIA'"):
        names.accelerators(["Nvidea"])


def test_a_number_out_of_bounds_is_refused_by_name():
    assert names.bounded(0.5, "share", 0.01, 1) == 0.5
    for wrong in (0, 1.5, -1, float("nan"), float("inf"), 1e308, 10**400, True, "1", None):
        with pytest.raises(ValueError, match=r"^share is .{1,60}; expected a number from 0\.01 to 1$"):
            names.bounded(wrong, "share", 0.01, 1)
