"""InferenceX results (InferenceMAX before 2026): `agg_*.json` of one run, or the list that its collector makes of many.

Times are in seconds and without a unit in their name (`median_ttft`, `p99_tpot`), beside them the interactivity in
tokens per second (`median_intvty`). Rates are per accelerator: `output_tput_per_gpu` over `tp` x `pp` x `pcp_size`
accelerators of one server, and over `num_decode_gpu` where other accelerators (`num_prefill_gpu`) read the prompts; the
rate of the whole is set over both kinds here. Requests, tokens and duration are not said. Power counts where
`power_valid` is 1, for unversioned joules were of part of the accelerators. Keys as in SemiAnalysisAI/InferenceX,
utils/process_result.py, utils/collect_results.py and utils/aggregate_power.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analysis._core.vocabulary import MS_PER_SECOND
from analysis._import.measured.clients import CALLED
from analysis._import.measured.measurement import TOLERANCE, UNKNOWN, MeasuredRun, Reader, times

FORM = "InferenceX results (agg_*.json)"
RUNNER = {"hw", "conc"}
SPREAD = ("tp", "pp", "pcp_size")
POOLS = {"b300": "B300 SXM", "rtx6000pro": "RTX PRO 6000 Blackwell SE"}  # names of its machines that nobody else uses


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of InferenceX, good or bad."""
    return set(record) >= RUNNER or {"tput_per_gpu", "output_tput_per_gpu"} & set(record) != set()


def runs(read: Reader) -> list[MeasuredRun]:
    """The run of one result. Raises MeasurementError naming file, place and key."""
    if kind := read.value("scenario_type"):
        raise read.refused(
            f"is a run of {kind}, whose requests share their prompts; expected one of independent requests (isl and "
            "osl)"
        )
    count, writing = _counts(read)
    each = read.number("output_tput_per_gpu", above=0)
    _check(read, count, writing)
    metered = read.value("power_valid") == 1 and read.value("avg_total_gpu_power_w") is not None
    measured = read.run(
        "InferenceX",
        read.text("model"),
        output_tokens_per_s=each * writing,
        requests_completed=UNKNOWN,
        software=" ".join(filter(None, map(read.text, ("framework", "image")))),
        precision=read.text("precision"),
        accelerator=_accelerator(read),
        accelerator_count=count,
        concurrency=read.number("conc", above=0),
        accelerator_watts=read.number("avg_total_gpu_power_w") if metered else UNKNOWN,
        metered=count if metered else 0,
        **times(lambda name, statistic: MS_PER_SECOND * read.optional(f"{CALLED[statistic]}_{name}")),
    )
    return [measured]


def _counts(read: Reader) -> tuple[int, int]:
    """Accelerators of the run, and those that its rate of output is divided by."""
    if "num_decode_gpu" in read.record or "num_prefill_gpu" in read.record:
        prompts, answers = (int(read.number(f"num_{phase}_gpu")) for phase in ("prefill", "decode"))
        count = prompts + answers
        if not count:
            raise read.fault("num_prefill_gpu", "and num_decode_gpu are 0", "the accelerators of the run")
        return count, answers or count
    if not read.count("tp"):
        raise read.fault("tp", "is missing", "the accelerators that the model is spread over")
    count = math.prod(read.count(key) or 1 for key in SPREAD)
    return count, count


def _accelerator(read: Reader) -> str:
    """The accelerator of the machines that ran, of what their pool is called: `h200` of `cluster:h200-dgxc`."""
    prompts, answers = map(read.text, ("prefill_hw", "decode_hw"))
    if prompts and answers and prompts != answers:
        raise read.refused(
            f"prefill_hw is {prompts}, decode_hw is {answers}; expected one accelerator, for no official system "
            "is of two"
        )
    pool = (prompts or answers or read.text("hw")).rpartition(":")[2].partition("-")[0]
    return POOLS.get(pool, pool)


def _check(read: Reader, count: int, writing: int) -> None:
    """Raise MeasurementError where rates do not add up, or interactivity is not one over the time per token."""
    total, output = read.optional("tput_per_gpu"), read.number("output_tput_per_gpu")
    reading = count if writing == count else count - writing
    summed = (output * writing + read.optional("input_tput_per_gpu") * reading) / count
    if total == total and summed == summed and not math.isclose(total, summed, rel_tol=TOLERANCE):
        raise read.refused(
            f"tput_per_gpu is {total:g}, but input and output make {summed:g} over {count} accelerators: one of the "
            "three is in another unit or of another run"
        )
    for statistic in CALLED.values():
        seconds, speed = (read.optional(f"{statistic}_{name}") for name in ("tpot", "intvty"))
        product = seconds * speed
        if product == product and not math.isclose(product, 1.0, rel_tol=TOLERANCE):
            raise read.refused(
                f"{statistic}_tpot is {seconds:g}, {statistic}_intvty {speed:g}; expected seconds and tokens per "
                "second, whose product is 1"
            )
