"""Names: checked against the valid ones, and the many names of an accelerator."""

from __future__ import annotations

import time

import pandas as pd
import pytest

from analysis import names, tables

NAN = float("nan")


MANY_NAMES = """
H100: H100, h100 sxm, NVIDIA H100-SXM-80GB, NVIDIA-H100-80GB-HBM3
H100 PCIe: H100 PCIe
H200 NVL: H200 NVL
GB200: NVIDIA GB200
GB300: GB300 NVL72
T4: Tesla T4
A100: A100-80GB
A100 SXM 40GB: A100-40GB, a100_40gb
MI300X: AMD Instinct MI300X
MI325X: MI325X OAM
Alveo U250: Alveo-U250
Radeon 8060S: AMD Radeon 8060S Graphics 16GB
FutureChip 1: futurechip 1
"""


@pytest.mark.parametrize("line", MANY_NAMES.strip().splitlines())
def test_an_accelerator_goes_by_many_names(line):
    short, given = line.split(": ")
    assert {names.accelerator(name, ["FutureChip 1"]) for name in given.split(", ")} == {short}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: names.accelerator("NVIDIA-A100-SXM4-40GB-or-80GB"), "A100 SXM 40GB"),
        (lambda: names.accelerator("NVIDIA GH200 GPU 80GB"), "no accelerator 'NVIDIA GH200"),  # of 96 or 144 GB
        (lambda: names.accelerator("FutureChip", ["FutureChip 1"]), "did you mean 'FutureChip 1'"),
        (lambda: names.accelerators(["Nvidea"]), "did you mean 'NVIDIA'"),
        (lambda: names.accelerators([4090]), "^no accelerator '4090'"),
        (lambda: names.accelerators(["Own 1"], pd.DataFrame([{"accelerator": "Own 2", "vendor": ""}])), "mean 'Own 2'"),
        (lambda: names.benchmark("llama3.1-405"), r"did you mean 'Llama 3\.1 405B'"),
        (lambda: names.choose("offline", ["Server", "Offline"], "x"), "mean 'Offline'[?] valid: Server, Offline$"),
        (lambda: names.choose("OFFS", ["Server", "off-a"], "x"), "^no x 'OFFS': did you mean 'off-a'[?] valid: "),
        (lambda: names.choose("r", ["r1", "r2", "r3", "r4"], "x"), "did you mean 'r1' or 'r2' or 'r3'[?] "),
        (lambda: names.choose("abcd", ["abce", "abcf", "abcg"], "x"), "mean '[^']*' or '[^']*'[?] valid"),
        (lambda: names.choose("", ["a"], "x"), "^no x '': valid: a$"),
        (lambda: names.choose("a", [], "x"), "^no x 'a': valid: none$"),
        (lambda: names.choose("zz", [f"a{n}" for n in range(81)], "x"), "^no x 'zz': valid: 81 names$"),
        (lambda: names.choose("a", [f"a{n}" for n in range(80)], "x"), "valid: a0, a1, a2, "),
        (lambda: names.choose("a", [f"a{n}" for n in range(81)], "x"), r"valid: the nearest of 81: (a\d, ){7}a\d$"),
        (lambda: names.choose("x" * 60, ["v6.0"], "round"), "x" * 60 + "':"),
        (lambda: names.choose("x" * 61, ["v6.0"], "round"), "x" * 60 + r"'\.\.\.:"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_refused_with_the_nearest_or_few_valid_ones(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_vendors_stand_for_their_accelerators():
    amd = names.accelerators([" amd ", "H100", "MI300X"])
    assert {"MI355X", "MI300X", "H100"} <= {*amd} and "B200" not in amd and len({*amd}) == len(amd)
    assert names.accelerators(["AMD", "H100", "Intel"], of_vendors=["MI300X", "B200"]) == ["MI300X", "H100"]
    rows = pd.DataFrame({"accelerator": ["Own 1", "B200"], "vendor": ["Own", "Own"]})
    assert {*names.accelerators("OWN", rows)} == {"B200", "Own 1"} and "B200" not in names.accelerators("NVIDIA", rows)


def test_accelerators_of_one_kind_are_called_by_it():
    asked = [["gpu", "gpu"], ["cpu"], ["tpu"], ["asic"], ["gpu", "cpu"], []]
    assert [names.noun(kinds) for kinds in asked] == ["GPU", "CPU", "TPU", *["accelerator"] * 3]


def test_short_names_are_unique_and_stand_for_full_ones():
    parts = tables.accelerators
    assert parts["label"].is_unique and parts["label"].tolist() == [*map(names.accelerator, parts["accelerator"])]
    assert names.short(pd.Series(["H100 SXM", "Own part"], dtype="str")).tolist() == ["H100", "Own part"]


def test_a_long_wrong_name_is_refused_at_once_and_not_repeated_whole():
    start = time.perf_counter()
    for refuse in (
        lambda: names.choose("x" * 1_000_000, ["v6.0"], "round"),
        lambda: names.accelerator("y" * 1_000_000),
    ):
        with pytest.raises(ValueError) as error:
            refuse()
        assert len(str(error.value).split(": valid")[0]) < 200
    assert time.perf_counter() - start < 1


def test_a_benchmark_is_found_by_key_label_and_published_name():
    asked = ["llama3.1-405b", "Llama 3.1 405B", " llama 3.1  405b", "GPT-J 6B", "llama2-70b-99.9", "own"]
    asked += ["Deepseek R1", "Llama-3.1-8B", "gpt-oss 120b", "YOLO 11l", "RAG question-answering", "E2E RAG QnA"]
    found = ["llama3.1-405b"] * 3 + ["gptj", "llama2-70b", "own", "deepseek-r1", "llama3.1-8b", "gpt-oss-120b"]
    found += ["yolo", "e2e-rag-qna", "e2e-rag-qna"]
    assert [names.benchmark(name, ["own"]) for name in asked] == found
    assert [names.label("gptj"), names.label("own")] == ["GPT-J 6B", "own"]


def test_of_many_names_the_first_are_listed():
    assert names.listed(["a", "b", "", "a", "c"], 2) == "a, b and 1 more"
    assert names.listed([*"abcdefgh"]) == "a, b, c, d, e, f, g, h" and names.listed([*"abcdefghi"]).endswith(
        "h and 1 more"
    )


def test_a_number_out_of_bounds_is_refused_by_name():
    assert [names.bounded(each, "share", 0.01, 1) for each in (0.01, 0.5, 1)] == [0.01, 0.5, 1]
    for wrong in (0, 1.5, -1, NAN, float("inf"), 1e308, 10**400, True, "1", None):
        with pytest.raises(ValueError, match=r"^share is .{1,60}; expected a number from 0\.01 to 1$"):
            names.bounded(wrong, "share", 0.01, 1)
