"""Parse a submitter's system description: accelerators, software, power limit, and precision of the weights."""

from __future__ import annotations

import re
from functools import cache

from analysis import tables

MIXED = "mixed"  # the accelerator of a cluster of several types
COUNT = re.compile(r"\s*\(x(\d{1,9})\)\s*$")
COUNTS = re.compile(r"\(x(\d{1,9})(?:x(\d{1,9}))?\)")  # (x87), or nodes and accelerators of each: (x2x8)
CAP = re.compile(r"power cap (\d{1,5}) ?w\b|\b(\d{1,5}) ?w / \d{1,5} ?w \(reduced\)", re.IGNORECASE)
PRECISIONS = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4")
STARTING = ("fp32", "bf16", "fp16")  # formats in which models are published
SPELLINGS = {  # as submitters write them, in lower case
    "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float8": "fp8", "uint8": "int8",
    "f32": "fp32", "f16": "fp16", "f8_e4m3": "fp8", "f8_e5m2": "fp8", "uint4": "int4", "mxfp4": "fp4", "nvfp4": "fp4",
    "w4a16": "int4", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "float8_e4m3fn": "fp8",
}  # fmt: skip
LONGEST = 300  # characters of a declaration that are read
BRACKET = re.compile(r"\(([^()]*)\)")  # parenthesized remarks: how weights were quantized, or what the type applies to
# Ordered so that each product comes before those it is built on; whole-word matches.
HYPERVISORS = {
    "VMware vSphere": r"vsphere|esxi",
    "Nutanix AHV": r"ahv",
    "Red Hat OpenShift Virtualization": r"openshift virtualization|ocp virt|kubevirt",
    "NVIDIA vGPU": r"vgpu",
    "KVM": r"kvm",
}
SERVING_SOFTWARE = {  # software that accepts and batches requests
    "Triton": r"triton(?:server)?(?! ?-?lang)(?![ =-]v?3\.)",  # not OpenAI's language for kernels, lately 3.x
    "NVIDIA Dynamo": r"dynamo",
    "llm-d": r"llm-d",
    "LLMBoost": r"llmboost",
    "KISS-V": r"kiss-?v",
    "TensorRT-LLM server": r"(?:trt-?llm|tensorrt-llm)[ -]serve(?:r)?",
    "SGLang": r"sglang",
    "vLLM": r"vllm",
}


@cache  # called for each row; cleared by tables.forget
def aliases() -> dict[str, str]:
    """Return a mapping from normalized published names to accelerators ("" for names known not to be accelerators).

    An alias of low confidence is left out: its name stays as printed.
    """
    rows = tables.accelerator_aliases
    sure = rows[rows["confidence"].ne("low")]
    return dict(zip(sure["as_published"].map(_folded), sure["accelerator"], strict=True))


@cache  # thousands of rows have a few names; cleared by tables.forget
def known_accelerator(name: str) -> tuple[str, bool]:
    """Return the name in data/accelerators.csv and whether it is known; an unknown name stays as printed.

    A list of more than one type is MIXED: such a system has no rate per accelerator.
    """
    known, parts = aliases(), set(tables.accelerators["accelerator"])
    if _folded(name) in known:
        return known[_folded(name)] or name, True
    names = {known.get(_folded(COUNT.sub("", part)), part.strip()) for part in re.split(r",|;|\s\+\s", name)}
    several = len(names) > 1 and (bool(COUNT.search(name)) or names <= parts)
    if several or len(COUNTS.findall(name)) > 1:
        return MIXED, True
    only = names.pop()
    return (only, True) if only in parts else (name, False)


def counted(name: str) -> int:
    """Return the accelerators that a name counts: 87 in "MI355X (x87)", 16 in "MI300X (x2x8)", 0 for none."""
    return sum(int(count) * int(each or 1) for count, each in COUNTS.findall(name))


def stated_hypervisor(*texts: str) -> str:
    """Return the hypervisor that the texts name; of several the one that is built on the others; "" for none."""
    return next(iter(_named(HYPERVISORS, "\n".join(texts))), "")


def serving_software(*texts: str) -> str:
    """Return the product that the first text with any names; "" where none does, or that text names several."""
    found = next(filter(None, (_named(SERVING_SOFTWARE, text) for text in texts)), [])
    return found[0] if len(found) == 1 else ""


def power_cap(*texts: str) -> float:
    """Return the power limit per accelerator in watts that the texts state, NaN where they state none."""
    found = CAP.search("\n".join(texts))
    return float(found[1] or found[2]) if found else float("nan")


def precision(text: str, round: str, counts_tokens: bool) -> tuple[str, str, str]:
    """Return precision, its basis, and a remark, from the declared `weight_data_types`.

    Use the type of the weights, not that of the KV cache. Several types are "mixed", without a precision. In v4.1,
    benchmarks measured in tokens declare the type of the starting weights, not of the weights that ran.
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


def _named(products: dict[str, str], text: str) -> list[str]:
    return [
        name for name, words in products.items() if re.search(rf"(?<![a-z])(?:{words})(?![a-z])", text, re.IGNORECASE)
    ]


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
