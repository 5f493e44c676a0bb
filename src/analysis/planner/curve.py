"""Throughput per accelerator at an interactivity: the one curve that reports, commands, and the explorer read.

A curve goes through the highest run of each scenario, which holds its throughput from the scenario's limit up to its
own interactivity at p99 (measured), and through every run above the line between these. Between runs the logarithm of
throughput is linear in interactivity, from Offline at 0 on (interpolated). Beyond the fastest run are estimates at the
limits of tighter scenarios (prediction.py), then the decoding model (estimated). Low and high are P10 and P90 of the
errors of such values on the record (data/prediction_errors.csv).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis import interactivity as runs_of
from analysis import long_prompts, names
from analysis.compare import GROUP, RATED, NoData
from analysis.planner import decoding, models, prediction
from analysis.planner.as_run import (
    CARRIED,
    ESTIMATED,
    GAIN,
    INTERPOLATED,
    MEASURED,
    NO_DATASHEET,
    RUN,
    TOO_FAST,
    AsRun,
)  # fmt: skip
from analysis.present import current
from analysis.results import timed_benchmarks

__all__ = [
    "CARRIED", "ESTIMATED", "INTERPOLATED", "MEASURED", "TOO_FAST", "Curves", "carried", "throughput_at",
    "workload",
]  # fmt: skip

SPEEDS = 0.01, 1e6  # valid interactivity, in tokens/s per user
BELOW = 1 - 1e-9  # factor on carried rates, so that a carried run never displaces a measured one on the frontier
SAME_LENGTHS = 0.01  # change of throughput below which a model and its lengths count as the benchmark's own
ALL_OF_THE_ERROR = np.log(2)  # log change of throughput due to request lengths that gets the full cross-model error
KEY = ["accelerator", "interactivity"]
COLUMNS = [
    "interactivity", "accelerator", "throughput", "low", "high", "evidence", "gain", "roof", "scenario", *RUN[1:],
    "slower_id", "id", "reason",
]  # fmt: skip
NO_COMPUTE = "no datasheet values for its memory and compute"
TOO_SMALL = "neither a node nor a rack holds the weights and one request"
NO_GROUND = "no benchmark has a result at this interactivity, so there is nothing to estimate from"
TOO_LONG = "prompts of this length leave no time for answers this fast"


@dataclass(frozen=True)
class Workload:
    """What is served: a model, lengths of requests, and precision of weights ("": any).

    `grounds` are the benchmarks whose runs the estimate uses, `reused` the share of prompt tokens that a perfect prefix
    cache holds.
    """

    model: models.Model
    lengths: models.Lengths
    precision: str
    grounds: tuple[str, ...]
    reused: float

    @property
    def is_benchmark(self) -> bool:
        """Whether the model is the benchmark's own."""
        return self.model == models.of_benchmark(self.model.benchmark)

    @property
    def is_as_run(self) -> bool:
        """Whether model, lengths, and precision are those of the benchmark's runs."""
        return self == workload(self.model.benchmark)


def carried(runs: pd.DataFrame) -> pd.DataFrame:
    """Return `runs` (see `interactivity.runs`) with rates carried to the newest round, to compare accelerators.

    Where an accelerator has no result in the newest round of a scenario, its runs there are multiplied by `gain`, the
    improvement since its last one according to `current`, capped at its rate without or under a looser limit; gain_low
    and gain_high are P10 and P90 of true over carried rates. All three are 1 for a result of the newest round.
    """
    key = [*GROUP, "accelerator"]
    now = current(runs).sort_values("scenario", key=lambda names: names.map(RATED.index))
    looser = now.groupby(["benchmark", "accelerator"])["rate"].transform(lambda rates: rates.cummin().shift())
    now["gain"] *= (BELOW * looser / now["rate"]).where(~now["measured"]).clip(upper=1.0).fillna(1.0)
    now = now.assign(gain_low=now["low"] / now["rate"], gain_high=now["high"] / now["rate"])[[*key, *GAIN]]
    runs = runs.merge(now, how="left", on=key).fillna(dict.fromkeys(GAIN, 1.0))
    return runs.assign(rate_per_accelerator=runs["rate_per_accelerator"] * runs["gain"])


def throughput_at(
    rows: pd.DataFrame,
    interactivity: float | Iterable[float],
    *,
    accelerators: Iterable[str] = (),
    workload: Workload | None = None,
) -> pd.DataFrame:
    """Return the output tokens/s per accelerator at each interactivity (tokens/s per user; 0: no limit), highest first.

    `rows` as `interactivity.runs` returns them, as measured, or `carried` to compare accelerators. `accelerators` adds
    accelerators without runs: each is estimated, or its row gives the `reason` why not. `workload` replaces the
    benchmark's model, lengths, and precision; it scales the curve by the decoding model.

    Columns: interactivity, accelerator, throughput with low and high (P10, P90), evidence (MEASURED, CARRIED,
    INTERPOLATED, ESTIMATED, "" where unknown), gain (since the runs behind it, 1 as measured), roof (tokens/s per user
    that memory bandwidth allows), the scenario, round, submitter, system, accelerator_count, precision, and id of the
    run behind it, slower_id (of the run at lower interactivity that it is interpolated from too, else ""), reason (why
    throughput is unknown), lower and upper (bounds from faster and slower runs, see `interactivity.bounds`; for the
    benchmark's own workload only).
    """
    return Curves(rows, accelerators, workload).at(interactivity)


class Curves:
    """Throughput over interactivity of all accelerators that ran a workload's benchmarks, and of others by estimates.

    `rows` are the results of `Workload.grounds`, by default of one benchmark with its own workload.
    """

    def __init__(self, rows: pd.DataFrame, accelerators: Iterable[str] = (), workload: Workload | None = None) -> None:
        self.workload = workload
        self.curves = [AsRun(own, accelerators) for _, own in rows.groupby("benchmark", sort=False)]
        self.ran = rows.loc[runs_of.of_rented_size(rows), "accelerator"].unique()

    def at(self, interactivity: float | Iterable[float]) -> pd.DataFrame:
        """Return the frame of `throughput_at`."""
        asked = [interactivity] if np.isscalar(interactivity) else list(interactivity)
        if not asked:
            raise NoData("interactivity is empty; expected tokens/s per user, 0 for no limit")
        speeds = [float(speed if speed == 0 else names.bounded(speed, "interactivity", *SPEEDS)) for speed in asked]
        own = self.workload is None or (
            replace(self.workload, reused=0.0).is_as_run and self.curves[0].benchmark == self.workload.model.benchmark
        )
        found = self.curves[0].at(speeds) if own else self._of_workload(self.workload, speeds)
        found = found.fillna(dict.fromkeys([*found.select_dtypes(exclude="number")], ""))
        unknown = found["reason"].ne("")
        found["throughput"] = in_order(found.assign(throughput=found["throughput"].mask(unknown)), self.ran)
        if self.workload and self.workload.reused:
            found = _with_reuse(found, self.workload)
        sheets = decoding.sheets().dropna(subset=["memory_gb", "memory_bandwidth_gb_per_s"])
        sheets = sheets.dropna(subset=[*decoding.COMPUTED_IN], how="all")
        small = found["reason"].eq(NO_DATASHEET) & found["accelerator"].isin(sheets.index)
        of_slower = found["id"].eq("")  # the faster end of an interpolation is an estimate
        found = found.assign(
            low=found["throughput"] * np.exp(-np.sqrt(found["below"])),
            high=found["throughput"] * np.exp(np.sqrt(found["above"])),
            reason=found["reason"].mask(small, TOO_SMALL),
            id=found["id"].mask(of_slower, found["slower_id"]),
            slower_id=found["slower_id"].mask(of_slower, ""),
        )
        found.loc[unknown, ["evidence", "id", "slower_id"]] = ""
        found = found[COLUMNS].merge(runs_of.bounds(self.curves[0].frontier, speeds), how="left", on=KEY)
        most = found[["throughput", "upper"]].max(axis=1).where(found["evidence"].eq(INTERPOLATED), np.inf)
        found["high"] = found["high"].clip(upper=most)
        if not own or (self.workload and self.workload.reused):
            found[["lower", "upper"]] = np.nan
        by = ["interactivity", "throughput"]
        return found.sort_values(by, ascending=[True, False], kind="stable", ignore_index=True)

    def _of_workload(self, workload: Workload, speeds: list[float]) -> pd.DataFrame:
        """Return the throughput of a workload from benchmarks of its kind, of the other kind where there are none.

        A mixture of experts is bounded above by a dense model of its active parameters, and below by one of all its
        parameters.
        """
        model = workload.model
        like = [each for each in self.curves if each.is_mixture == model.is_mixture]
        found = blended(like or self.curves, workload, speeds)
        dense = [each for each in self.curves if not each.is_mixture]
        if model.is_mixture and like and dense:
            for side, size in (("lower", model.parameters), ("upper", model.active)):
                sized = replace(workload, model=models.of_size(size, name=model.name))
                bound = blended(dense, sized, speeds).query("reason == ''").set_index(KEY)["throughput"]
                bound = found[KEY].join(bound.rename("bound"), on=KEY)["bound"]
                found["throughput"] = found["throughput"].clip(**{side: bound})
        return found


def in_order(at: pd.DataFrame, ran: Iterable[str]) -> pd.Series:
    """Return throughput with each estimate capped at that of better accelerators that `ran` or have no run at all.

    `decoding.ordered` says which are better. Only those that ran as nodes of eight or racks count, so that the size of
    a system does not explain the difference.
    """
    better = at[at["accelerator"].isin(ran) | at["id"].eq("")].merge(
        decoding.ordered(), left_on="accelerator", right_on="better"
    )
    ceiling = better.groupby(["worse", "interactivity"])["throughput"].min().rename("ceiling")
    ceiling = at[KEY].join(ceiling, on=KEY)["ceiling"].where(at["evidence"].eq(ESTIMATED))
    return at["throughput"].clip(upper=ceiling)


def blended(curves: list[AsRun], workload: Workload, speeds: list[float]) -> pd.DataFrame:
    """Return the throughput of a workload from the curves of benchmarks, in the columns of `AsRun.at`.

    The decoding model ranks benchmarks as lighter or heavier than the workload. The logarithm of throughput is
    interpolated between the nearest lighter and the nearest heavier one by that of modeled throughput; beyond both the
    modeled ratio scales it. Throughput never rises with more work or faster users. A benchmark whose own model is not
    so fast counts as at the fastest user whom it serves.
    """
    # Lower interactivity never costs more, though a benchmark's own model may drop off before the asked one does.
    slower = decoding.SPEEDS[max(speeds) > decoding.SPEEDS][::4]
    every = pd.concat([_as_far_as_known(each.at([*slower, *speeds])) for each in curves])
    setups = every[decoding.SETUP]
    if len(curves) > 1:
        setups = setups.assign(weights=setups["accelerator"].map(decoding.sheets()["weights"]))
    setups = setups.assign(weights=workload.precision) if workload.precision else setups
    every["asked"] = decoding.rates(setups, workload.model, workload.lengths, every["interactivity"])
    every["roof"] = decoding.roofs(setups, workload.model, workload.lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        every["work"] = np.log(every["asked"] / every["modeled"])
    known = every["reason"].eq("") & np.isfinite(every["work"])
    every["level"] = np.log(every["throughput"].where(known))
    every["apart"] = every["work"].abs().where(known)
    every = every.sort_values([*KEY, "work"], ascending=[True, True, False], ignore_index=True)  # the most work first
    up, down = every.groupby(KEY)["level"].cummax(), every[::-1].groupby(KEY)["level"].cummin()
    every["level"] = (up + down) / 2
    nearest = every.assign(harder=every["work"].gt(0)).sort_values("apart", kind="stable")
    nearest = nearest.drop_duplicates([*KEY, "harder"]).set_index(KEY)
    easier, harder = nearest[~nearest["harder"]].align(nearest[nearest["harder"]], join="outer")
    only = easier["apart"].isna() & harder["apart"].notna()
    weight = (easier["apart"] / (easier["apart"] + harder["apart"])).fillna(only.astype(float))  # of the heavier one
    both = weight.between(0, 1, inclusive="neither")
    nearer = easier.where(weight.lt(0.5) & easier["reason"].notna(), harder)  # the benchmark whose run is reported

    def mean(name: str) -> pd.Series:
        return easier[name].mul(1 - weight).fillna(0.0) + harder[name].mul(weight).fillna(0.0)

    at = nearer.assign(
        throughput=np.exp(mean("level") + nearer["work"].mask(both, 0.0)),
        below=mean("below"), above=mean("above"),
        slower_id=easier["id"].where(both, nearer["slower_id"]), id=harder["id"].where(both, nearer["id"]),
    ).sort_index().reset_index()  # fmt: skip
    at["throughput"] = at.groupby("accelerator")["throughput"].cummin()
    return _with_errors(at[at["interactivity"].isin(speeds)], workload)


def _as_far_as_known(at: pd.DataFrame) -> pd.DataFrame:
    """Return rows of `AsRun.at`, those too fast for the benchmark with the values of the fastest that is not."""
    at = at.sort_values("interactivity", kind="stable")
    reached = at.drop(columns=KEY).where(at["reason"].ne(TOO_FAST)).groupby(at["accelerator"]).ffill()
    return at.assign(**reached.where(reached["reason"].notna(), at))


def _with_errors(at: pd.DataFrame, workload: Workload) -> pd.DataFrame:
    """Return `blended` rows with the error of a different workload, and a reason where throughput is unknown.

    A different model has the whole error; other lengths or another precision have a part of it, by how much they change
    throughput.
    """
    change = at["work"].abs()
    other = change.gt(SAME_LENGTHS) | (not workload.is_benchmark)
    part = (change / ALL_OF_THE_ERROR).clip(upper=1.0) if workload.is_benchmark else 1.0
    errors = {name: prediction.error_of(prediction.OTHER_MODEL, "", name) for name in RATED}
    spreads = {name: np.log(error["high"] / error["low"]) / 2 for name, error in errors.items()}
    spread = (at["scenario"].map(spreads) * part) ** 2  # around 1: the benchmark's own error sets the median
    unserved = ~(at["asked"] > 0)
    reasons = {
        "": at["apart"].notna(),
        NO_DATASHEET: at["asked"].isna(),
        TOO_FAST: unserved & at["interactivity"].ge(at["roof"]),
        TOO_LONG: unserved,
    }
    return at.assign(
        evidence=at["evidence"].mask(other, ESTIMATED),
        below=at["below"] + spread.where(other, 0.0),
        above=at["above"] + spread.where(other, 0.0),
        reason=np.select([*reasons.values()], [*reasons], NO_GROUND),
    )


def _with_reuse(found: pd.DataFrame, workload: Workload) -> pd.DataFrame:
    """Return throughput with a perfect prefix cache: times the gain measured in InferenceX, an upper bound."""
    lengths = workload.lengths.prompt, workload.lengths.answer
    gain = long_prompts.kept(*lengths, workload.reused) / long_prompts.kept(*lengths)
    low, middle, high = np.log(gain.quantile([0.1, 0.5, 0.9]))
    return found.assign(
        throughput=found["throughput"] * np.exp(middle), evidence=ESTIMATED,
        below=found["below"] + (middle - low) ** 2, above=found["above"] + (high - middle) ** 2,
    )  # fmt: skip


def workload(
    benchmark: str = "", *, parameters: float = 0.0, active_parameters: float = 0.0, name: str = "",
    prompt_tokens: float = 0.0, answer_tokens: float = 0.0, lengths: str = "", precision: str = "",
    context_tokens: float = 0.0, prompt_reuse: float = 0.0,
) -> Workload:  # fmt: skip
    """Return what is served: a benchmark's model, or one of `parameters` billion estimated from all benchmarks.

    With a `benchmark` as well only that one is used, with its layers and KV cache. Lengths are those of the benchmark's
    data set, of models.CHAT without one, or of the CSV file `lengths`, scaled to the means that are given, and no
    longer than the model's context, or `context_tokens`. `prompt_reuse` is the share of prompt tokens that a perfect
    prefix cache holds: an upper bound, for real caches are limited. Raises NoData for a benchmark without a limit on
    the time per token.
    """
    try:
        benchmark = names.benchmark(benchmark or name) if benchmark or not parameters else ""
    except ValueError as error:
        raise ValueError(f"{error}; for another model, give its size in billions with --parameters") from None
    timed = timed_benchmarks()
    if parameters:
        model = models.of_size(parameters, active_parameters, name, benchmark)
        grounds = [benchmark] if benchmark else timed
    elif benchmark in timed:
        model, grounds = models.of_benchmark(benchmark), [benchmark]
    else:
        known = ", ".join(map(names.label, timed))
        raise NoData(f"{names.label(benchmark)} has no limit on the time per token; benchmarks with one: {known}")
    model = replace(model, context=context_tokens or model.context)
    requests = models.read_requests(lengths) if lengths else models.requests_of(model.benchmark)
    longest = requests.sum(axis=1).max()
    if lengths and longest > model.context:
        raise ValueError(f"{lengths}: a request of {longest:,.0f} tokens exceeds the context of {model.name}, "
                         f"{model.context:,.0f}; set context_tokens to change it")  # fmt: skip
    return Workload(
        model, models.lengths(requests, prompt_tokens, answer_tokens, model.context), precision, tuple(grounds),
        float(names.bounded(prompt_reuse, "prompt_reuse", 0, 1)),
    )  # fmt: skip
