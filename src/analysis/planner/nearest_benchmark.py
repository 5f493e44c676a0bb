"""The benchmark nearest to a model: by parameters, active parameters, context and kind."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from analysis._core.vocabulary import TOKENS

CONTEXT_WEIGHT = 0.5  # a prompt is read in parallel, so that one twice as long costs less than a model twice as large
OTHER_KIND = 2.0  # dense against mixture of experts counts as much as this factor of parameters
FAR = math.hypot(math.log(2), math.log(2))  # beyond the distance of a model of twice the parameters none is near
COLUMNS = ["benchmark", "label", "distance", "parameters_times", "active_times", "prompt_times", "same_kind"]


@dataclass(frozen=True)
class Shape:
    """A language model: billions of parameters, of those that work on one token, and the mean tokens of its prompts.

    An unknown prompt is NaN. Raises ValueError for no parameters, and for more active ones than there are.
    """

    parameters_billion: float
    active_billion: float
    prompt_tokens: float = float("nan")

    def __post_init__(self) -> None:
        if not 0 < self.active_billion <= self.parameters_billion:
            raise ValueError(
                f"a model of {self.parameters_billion!r} billion parameters with {self.active_billion!r} active ones; "
                "expected numbers above 0, the active ones at most all"
            )

    @property
    def mixture(self) -> bool:
        """Whether only a part of the parameters works on a token."""
        return self.active_billion < self.parameters_billion


def shapes(benchmarks: pd.DataFrame) -> dict[str, Shape]:
    """The shape of each benchmark that generates text under a limit and whose parameters are known, by its name."""
    rows = _text(benchmarks).dropna(subset="parameters_billion")
    total, active = rows["parameters_billion"].astype(float), rows["active_parameters_billion"].astype(float)
    named = zip(rows["benchmark"], total, active.fillna(total), rows["prompt_tokens"], strict=True)
    return {name: Shape(*numbers) for name, *numbers in named}


def unmeasured(benchmarks: pd.DataFrame) -> list[str]:
    """The benchmarks that generate text under a limit, but whose parameters are not known: no distance to a model."""
    rows = _text(benchmarks)
    return rows.loc[rows["parameters_billion"].isna(), "benchmark"].tolist()


def distance(model: Shape, other: Shape) -> float:
    """How far two models are apart; 0 for two that are alike.

    sqrt(ln(N/N')^2 + ln(A/A')^2 + (CONTEXT_WEIGHT ln(C/C'))^2 + (ln OTHER_KIND)^2) of all parameters N, active ones A
    and the mean prompt C, where both are known; the last term where one is a mixture of experts and the other not.
    A convention: factors count, in either direction alike.
    """
    times = _times(model, other)
    prompt = 0.0 if math.isnan(times[2]) else CONTEXT_WEIGHT * math.log(times[2])
    kind = math.log(OTHER_KIND) if model.mixture != other.mixture else 0.0
    return math.hypot(math.log(times[0]), math.log(times[1]), prompt, kind)


def ranked(
    benchmarks: pd.DataFrame,
    known: Mapping[str, Shape],
    model: Shape,
    among: Collection[str] = (),
    unknown: Collection[str] = (),
) -> pd.DataFrame:
    """The benchmarks of `known` (see shapes), the nearest to `model` first, then those `unknown`, without a distance.

    Those of the model's kind come before all others: a mixture reads a part of its weights for a token, a dense model
    all of them, which no number of parameters makes up for. Only those of `among`, empty: all. Columns: COLUMNS; the
    model's parameters, active parameters and prompt over the benchmark's (ratios, NaN where one is not known).
    """
    labels = benchmarks.set_index("benchmark")["label"]
    rows = [
        (name, labels[name], distance(model, shape), *_times(model, shape), model.mixture == shape.mixture)
        for name, shape in known.items()
        if not among or name in among
    ]
    rows += [(name, labels[name], *[math.nan] * 4, None) for name in unknown if not among or name in among]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    turn = pd.DataFrame({"kind": frame["same_kind"].map({True: 0, False: 1}).fillna(2), "far": frame["distance"]})
    return frame.loc[turn.sort_values(["kind", "far"], kind="stable").index].reset_index(drop=True)


def _text(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """The benchmarks that generate text: counted in tokens also under a limit."""
    return benchmarks[benchmarks["server_unit"].eq(TOKENS)]


def _times(model: Shape, other: Shape) -> tuple[float, float, float]:
    return (
        model.parameters_billion / other.parameters_billion,
        model.active_billion / other.active_billion,
        model.prompt_tokens / other.prompt_tokens,
    )
