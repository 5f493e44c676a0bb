"""What no run can be: faster than its accelerators read memory or compute, or far beyond every official result.

A tool or a script that writes seconds or microseconds under a name in milliseconds, or a rate of another unit, is found
so. Each bound is the one most favorable to the run; what is not known of accelerator or model bounds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis._core import interval
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import MS_PER_SECOND
from analysis.methods import roofline

DRAFTED = 10.0  # tokens that one reading of the weights gives at most where a smaller model drafts them
BEYOND = 10.0  # times the fastest official rate of the accelerator: no software gains so much on the same work
TIMES = {"ttft": ("the first token", 1.0), "tpot": ("each further token", DRAFTED)}


class Implausible(ValueError):
    """A run is faster than can be; the text names the file, what it says, and what would be possible."""


def check(runs: pd.DataFrame, identity: pd.Series, accelerators: pd.DataFrame) -> None:
    """Raise Implausible for the first run that cannot be; `runs` as deployment.against gives them.

    `identity` is the model's row of benchmarks.csv, `accelerators` the table of that name.
    """
    facts = accelerators.set_index("accelerator")
    for run in as_dicts(runs):
        for fault in _faults(run, identity, facts.loc[run["accelerator"]]):
            raise Implausible(f"{run['file']}{', ' * bool(run['place'])}{run['place']}: {fault}")


def _faults(run: Mapping[str, Any], identity: pd.Series, facts: pd.Series) -> Iterator[str]:
    each_gives, count = run["per_accelerator_low"], run["accelerator_count"]
    rate = f"{interval.number(each_gives)} output tokens/s for each {run['accelerator']}"
    computed = roofline.compute(roofline.fastest(facts, run["precision"])[0], roofline.active(identity))
    if each_gives > computed:
        yield (
            f"{rate} are more than the {interval.number(computed)} that its arithmetic allows on {identity['label']}: "
            "the rate is in another unit, or of more accelerators or a smaller model"
        )
    if each_gives > BEYOND * run["official_high"]:
        yield (
            f"{rate} are {interval.number(each_gives / run['official_high'])} times the fastest official result of "
            f"{identity['label']}: the rate is in another unit, or of more accelerators or other work"
        )
    weights_gb = roofline.read_gb(float(identity["parameters_billion"]), roofline.active(identity), run["precision"])
    least = MS_PER_SECOND / roofline.decode(float(facts["memory_bandwidth_gb_per_s"]), weights_gb, count)
    for name, (event, at_once) in TIMES.items():
        times = [run[f"{name}_{percentile}_ms"] for percentile in ("p50", "mean", "p99")]
        took = min((time for time in times if time > 0), default=least)
        if took < least / at_once:
            yield (
                f"{interval.number(took)} ms to {event} ({name}), but {count} {run['accelerator']} take "
                f"{interval.number(least)} ms to read the weights of {identity['label']} once: the times are in "
                "another unit than milliseconds"
            )
