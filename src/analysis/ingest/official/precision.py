"""Read the number format of the weights from what a submitter declares."""

from __future__ import annotations

import re

PRECISIONS = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
STARTING = ("fp32", "bf16", "fp16")  # formats in which models are published
SPELLINGS = {  # as submitters write them, in lower case
    "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float8": "fp8", "uint8": "int8",
    "f32": "fp32", "f16": "fp16", "f8_e4m3": "fp8", "f8_e5m2": "fp8", "uint4": "int4", "mxfp4": "fp4", "nvfp4": "fp4",
    "w4a16": "int4", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "float8_e4m3fn": "fp8",
}  # fmt: skip
LONGEST = 300  # characters of a declaration that are read
BRACKET = re.compile(r"\(([^()]*)\)")  # how the weights came to their type, or what the type is of


def declared(text: str, round: str, counts_tokens: bool) -> tuple[str, str, str]:
    """Return precision, its basis, and a remark, from the declared `weight_data_types`.

    The type of the weights counts, not that of the KV cache. Several types are "mixed", without a precision. In v4.1
    what counts tokens declares the type of the starting weights, which says nothing of what ran.
    """
    plain = BRACKET.sub(lambda part: " kv " if "kv" in part[1].lower() else " ", text[:LONGEST])
    parts = [part for part in re.split(r"[,;/]| with ", plain) if "kv" not in part.lower()]
    words = [word for part in parts for word in re.findall(r"[a-z]\w*", part.lower().replace("-", "_"))]
    types = {SPELLINGS.get(word, word) for word in words} & {*PRECISIONS}
    if len(types) != 1:
        listed = ", ".join(name for name in PRECISIONS if name in types)
        return "", "mixed" if types else "unknown", f"declared weight types that are known: {listed}" if types else ""
    name = types.pop()
    if name in STARTING and counts_tokens and round == "v4.1":
        return "", "unknown", f"declared {name} is the type of the starting weights, not what ran"
    return name, "declared", "" if name in words else f"declared as {parts[0].strip()}"
