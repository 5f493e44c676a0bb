"""The closed sets of words that columns, parameters and logs use, each defined once with what its words mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

FILED_AS = ("official", "measured")  # what the rows of an import may be
ORIGINS = ("published", "official", "measured")  # a document prints it, the record holds it, somebody measured it
EVIDENCE = {  # what a result was read from, the strongest first
    "log": "recomputed from its log",
    "summary": "published summary",
    "table": "rounded results table",
    "collection": "Collective Mind collection",
}
COST_MODELS = {  # what a price of data/prices.csv represents, as pages say it
    "neocloud": "neocloud total cost of ownership",
    "hyperscaler": "hyperscaler total cost of ownership",
    "rental": "three-year rental",
    "documents": "undated prices of documents",
}
TRUST = ("all", "checked")  # every figure, or those that the audit does not doubt
DIVISIONS = ("closed", "open", "network")
AVAILABILITIES = ("available", "preview", "rdi")  # rdi: research, development, internal
MIXED = "mixed"  # what represents the accelerator of a cluster of several types: none to plan on or to compare
SUITES = ("datacenter", "edge")
FILED = (*SUITES, ",".join(SUITES))  # a result may be submitted under both suites
ACCURACY_TARGETS = ("95", "99", "99.9")  # per cent of the reference accuracy
RANGE_BASES = ("exact", "rounded", "approximate", "range", "bound")  # see interval.from_printed


@dataclass(frozen=True)
class Scenario:
    """How a benchmark is driven: `datacenter` where servers run it, `limited` where answers have a latency limit.

    The figure of a `stream` is a latency, that of all others a rate: in `unit`, unless the benchmark counts tokens.
    """

    unit: str
    datacenter: bool = True
    limited: bool = False
    stream: bool = False


@dataclass(frozen=True)
class Precision:
    """A number format of weights: the bytes of one weight, and whether models are published in it (`starting`).

    `served` is what models are served at, `planned` what memory is planned for: bf16 takes as much of it as fp16.
    """

    bytes_per_weight: float
    starting: bool = False
    served: bool = True
    planned: bool = True


TOKENS, SAMPLES, QUERIES, MILLISECONDS = "tokens/s", "samples/s", "queries/s", "ms"
WORK = {TOKENS: "token", SAMPLES: "sample", QUERIES: "query"}  # what one unit of a rate is
WORKS = {TOKENS: "tokens", SAMPLES: "samples", QUERIES: "queries"}  # the same of many
RATES = tuple(WORK)
STREAM_COUNT = "streams"  # queries of MultiStream that a system answers in time, the metric of that scenario until v1.1
UNITS = (*RATES, MILLISECONDS, STREAM_COUNT)
METRICS = {MILLISECONDS: "latency", STREAM_COUNT: "streams"}  # of each unit; any other is a throughput
MS_PER_SECOND, SECONDS_PER_HOUR = 1000, 3600

SCENARIOS = {
    "Offline": Scenario(SAMPLES),
    "Server": Scenario(QUERIES, limited=True),
    "Interactive": Scenario(QUERIES, limited=True),
    "SingleStream": Scenario(QUERIES, datacenter=False, stream=True),
    "MultiStream": Scenario(QUERIES, datacenter=False, stream=True),
}
DATACENTER = tuple(name for name, scenario in SCENARIOS.items() if scenario.datacenter)
LIMITED = tuple(name for name, scenario in SCENARIOS.items() if scenario.limited)
STREAMS = tuple(name for name, scenario in SCENARIOS.items() if scenario.stream)

PRECISIONS = {
    "fp32": Precision(4.0, starting=True, served=False, planned=False),
    "bf16": Precision(2.0, starting=True, planned=False),
    "fp16": Precision(2.0, starting=True),
    "fp8": Precision(1.0),
    "int8": Precision(1.0),
    "int4": Precision(0.5),
    "fp4": Precision(0.5),
}
SERVED = tuple(name for name, precision in PRECISIONS.items() if precision.served)
PLANNED = tuple(name for name, precision in PRECISIONS.items() if precision.planned)
BYTES_PER_WEIGHT = {name: PRECISIONS[name].bytes_per_weight for name in PLANNED}
_SPELLINGS = {  # as submitters and tools write them, in small letters
    "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float8": "fp8", "uint8": "int8",
    "f32": "fp32", "f16": "fp16", "f8_e4m3": "fp8", "f8_e5m2": "fp8",  # tensors of a model file
    "uint4": "int4", "mxfp4": "fp4", "nvfp4": "fp4", "w4a16": "int4", "e4m3": "fp8", "e5m2": "fp8", "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8",
    # Methods of serving software, where one represents one format: AWQ is of four bits, GPTQ of two to eight.
    "awq": "int4", "awq_marlin": "int4", "modelopt_fp4": "fp4", "modelopt_fp8": "fp8", "petit_nvfp4": "fp4",
    "w8a8_fp8": "fp8", "fbgemm_fp8": "fp8", "w8a8_int8": "int8", "blockwise_int8": "int8", "w4afp8": "int4",
}  # fmt: skip

# Software that a system's name or description names: the one name of each product, and what it is found by in texts, as
# a regular expression between marks that are no letters. What is first is built on what is below it.
HYPERVISORS = {
    "VMware vSphere": r"vsphere|esxi",
    "Nutanix AHV": r"ahv",
    "Red Hat OpenShift Virtualization": r"openshift virtualization|ocp virt|kubevirt",
    "NVIDIA vGPU": r"vgpu",
    "KVM": r"kvm",
}
SERVING_SOFTWARE = {  # what takes requests and batches them; a library that a harness calls serves nobody
    "Triton": r"triton(?:server)?(?! ?-?lang)(?![ =-]v?3\.)",  # not OpenAI's language for kernels, lately 3.x
    "NVIDIA Dynamo": r"dynamo",
    "llm-d": r"llm-d",
    "LLMBoost": r"llmboost",
    "KISS-V": r"kiss-?v",
    "TensorRT-LLM server": r"(?:trt-?llm|tensorrt-llm)[ -]serve(?:r)?",
    "SGLang": r"sglang",
    "vLLM": r"vllm",
}

# What the descriptor may name as the vocabulary of a column (see data/datapackage.json).
VOCABULARIES: Mapping[str, tuple[str, ...]] = {
    "origins": ORIGINS,
    "divisions": DIVISIONS,
    "availabilities": AVAILABILITIES,
    "suites": FILED,
    "accuracy_targets": ACCURACY_TARGETS,
    "scenarios": tuple(SCENARIOS),
    "precisions": tuple(PRECISIONS),
    "units": UNITS,
    "rates": RATES,
    "range_bases": RANGE_BASES,
    "cost_models": tuple(COST_MODELS),
    "hypervisors": tuple(HYPERVISORS),
    "serving_software": tuple(SERVING_SOFTWARE),
}


@cache
def named(product: str) -> re.Pattern[str]:
    """What finds a product of HYPERVISORS or SERVING_SOFTWARE in texts: its words between marks that are no letters.

    Raises KeyError for any other name.
    """
    return re.compile(rf"(?<![a-z])(?:{(HYPERVISORS | SERVING_SOFTWARE)[product]})(?![a-z])", re.IGNORECASE)


def record_id(round: str) -> str:
    """The id of the source that represents the official record of a round, such as mlcommons-v5.1."""
    return f"mlcommons-{round}"


@cache
def round_age(name: str) -> tuple[int, ...]:
    """The place of a round such as v5.1 in time, the later the higher: (5, 1); () for ""."""
    return tuple(int(number) for number in name.removeprefix("v").split(".") if number)


def filed_under(suite: str) -> frozenset[str]:
    """The suites that a result is submitted under, from a word of FILED; none for ""."""
    return frozenset(suite.split(",")) - {""}


def same_suite(one: str, other: str) -> bool:
    """Whether two results are submitted under a suite that both share, or both under none."""
    return one == other or bool(filed_under(one) & filed_under(other))


def precision(text: str) -> str:
    """The one name of a precision that `text` spells in any usual way; what is none of them in small letters."""
    word = text.strip().lower()
    return _SPELLINGS.get(word.replace("-", "_"), word)
