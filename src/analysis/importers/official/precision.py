"""The number format of the weights that ran, and where it is known from; reading files does not belong here."""

from __future__ import annotations

import re

from analysis.importers.official import units

SAME = {
    "float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float8": "fp8", "uint8": "int8", "uint4": "int4",
    "mxfp4": "fp4", "nvfp4": "fp4", "w4a16": "int4",
}  # fmt: skip
KNOWN = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
STARTING = ("fp32", "bf16", "fp16")
_UNSET = ("", "unset", "n/a", "none", "null")


def declared(text: str, benchmark: str, round: str, *, tokens: bool = False) -> tuple[str, str, str]:
    """Precision, its basis and a remark, from the declared `weight_data_types`.

    Until v4.1 language models declare the type of the starting weights, whatever ran: that says nothing, and so does a
    list of several types. Unknown precision is "", never a guess. `tokens`: the result counts tokens, so that it is of
    a language model even where data/benchmarks.csv does not have the benchmark.
    """
    name = SAME.get(text.strip().lower(), text.strip().lower())
    if name in _UNSET:
        return "", "unknown", ""
    if name not in KNOWN:
        return "", "unknown", f"declared weight types: {_listed(text)}"
    if name in STARTING and (tokens or _language_model(benchmark)) and not _later(round):
        return "", "unknown", f"declared {name} is the type of the starting weights, not what ran"
    return name, "declared", "" if name == text.strip().lower() else f"declared as {text.strip()}"


def _language_model(benchmark: str) -> bool:
    return units.counted().get(benchmark, ("", ""))[0] == "tokens/s"


def _later(round: str) -> bool:
    """Whether declarations of the round are of what ran: from v5.0 on."""
    major = re.match(r"v(\d+)", round)
    return bool(major) and int(major[1]) >= 5


def _listed(text: str) -> str:
    return " ".join(re.sub(r"[{}'\"]", "", text).split())
