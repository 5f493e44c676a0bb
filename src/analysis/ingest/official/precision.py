"""Read the number format of the weights from what a submitter declares."""

from __future__ import annotations

import re

PRECISIONS = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
STARTING = ("fp32", "bf16", "fp16")  # formats in which models are published
SPELLINGS = {  # as submitters write them, in lower case
    "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float8": "fp8", "uint8": "int8",
    "f32": "fp32", "f16": "fp16", "f8_e4m3": "fp8", "f8_e5m2": "fp8", "uint4": "int4", "mxfp4": "fp4", "nvfp4": "fp4",
    "w4a16": "int4", "e4m3": "fp8", "e5m2": "fp8", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
}  # fmt: skip
UNSAID = ("", "unset", "n/a", "none", "null")
LONGEST = 300  # characters of a declaration that are read
BRACKET = re.compile(r"\([^()]{0,300}\)")  # how the weights came to their type, or what the type is of
BETWEEN = re.compile(r"[,;/]|\bwith\b", re.IGNORECASE)
CACHE = re.compile(r"\bkv\b", re.IGNORECASE)  # keys and values are no weights
OF_WEIGHTS = re.compile(r"\s*\bweights(?: and activations)?$", re.IGNORECASE)
TYPE = re.compile(r"[a-z]+\d\w*", re.IGNORECASE)


def declared(text: str, round: str, counts_tokens: bool) -> tuple[str, str, str]:
    """Return precision, its basis, and a remark, from the declared `weight_data_types`.

    The type of the weights counts, not that of the KV cache. Several types are "mixed", without a precision. In v4.1
    what counts tokens declares the type of the starting weights, which says nothing of what ran.
    """
    if spelled(text) in UNSAID:
        return "", "unknown", ""
    text = text[:LONGEST]
    plain = BRACKET.sub(lambda part: " kv " if CACHE.search(part[0]) else " ", text)
    parts = [OF_WEIGHTS.sub("", part.strip()) for part in BETWEEN.split(plain) if not CACHE.search(part)]
    named = [part for part in parts if TYPE.search(part)]
    types = {spelled(word) for part in named for word in TYPE.findall(part)} & set(PRECISIONS)
    name = spelled(named[0]) if len(named) == 1 else next(iter(types)) if len(types) == 1 else ""
    if name not in PRECISIONS or any(spelled(part) not in PRECISIONS for part in named):
        listed = ", ".join(precision for precision in PRECISIONS if precision in types)
        return "", "mixed" if len(types) > 1 else "unknown", f"declared weight types that are known: {listed or 'none'}"
    if name in STARTING and counts_tokens and round == "v4.1":
        return "", "unknown", f"declared {name} is the type of the starting weights, not what ran"
    return name, "declared", "" if name == named[0].lower() else f"declared as {named[0]}"


def spelled(text: str) -> str:
    """Return the one name of a precision that `text` spells in a usual way; anything else in lower case."""
    word = text.strip().lower()
    return SPELLINGS.get(word.replace("-", "_"), word)
