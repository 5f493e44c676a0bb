"""What each notebook may be asked: the names and defaults of its parameters cell, and which values they may have.

Values are checked before a kernel starts and again in the notebook, where an analyst edits them. What planners and
methods ask for by name has a class here; a test holds its fields and defaults equal to those of the notebook.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from analysis._core import table_text
from analysis._core.choices import not_among
from analysis._core.file_contents import of_file
from analysis._core.notebook_cells import NotANotebook, assigned, cells
from analysis._core.parameter_types import (
    Accelerator,
    Accelerators,
    Baseline,
    Baselines,
    Benchmark,
    Budget,
    CostModel,
    DataFile,
    Document,
    LimitedScenario,
    MaybeAccelerator,
    MaybeBenchmark,
    Origin,
    Precision,
    Price,
    Prices,
    Round,
    Rounds,
    Scenario,
    Share,
    Trust,
    each_once,
)
from analysis._core.paths import NOTEBOOKS
from analysis._core.refusal import Called, Refused
from analysis._core.vocabulary import DIVISIONS, SERVED, round_age

MOST_USERS = 10_000_000_000  # more people than there are, and numbers far from where arithmetic overflows
MOST_MS = 86_400_000.0  # of a limit on latency, a day: nobody waits longer for a token
MOST_SPEED = 1_000_000.0  # tokens/s to one user: a token each microsecond, in which memory answers once
LEAST_MS = 1000 / MOST_SPEED  # of a limit on the time per token
MOST_TOKENS = 1_000_000_000.0  # of one request: a hundred times the longest context of any model
MOST_PEAK = 1000.0  # peak traffic over the mean: all of a day within a minute and a half
MOST_PARAMETERS = 1_000_000.0  # billions: a thousand times the largest model that there is
# What is said of a notebook without parameters that is given one.
UNTAGGED = (
    "the notebook has no cell tagged `parameters` that sets one. Tag it in JupyterLab: gear at the top right, "
    "Common Tools, Cell Tags"
)


class ParameterError(Refused):
    """A parameter is unknown, ill-typed or has no valid value; the text names it and the valid choices.

    `details` are what pydantic found: `text_for` has them, each once, by what the parameters are called.
    """

    def __init__(self, text: str, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(text)
        self._details = details

    def text_for(self, called: Called) -> str:
        said = dict.fromkeys(_said(detail, called) for detail in self._details)  # both ends of a range may be one
        return "\n".join(said) or str(self)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence alone, for no line of code is at fault."""
        return [str(self)]


def _low_then_high(values: list[float]) -> list[float]:
    if len(values) == 1 or values != sorted(values):
        raise ValueError("must be two numbers, low then high")
    return values


def _rising(values: list[float]) -> list[float]:
    if values != sorted(set(values)):
        raise ValueError("must be numbers that rise, each once")
    return values


def range_of(kind: Any, least: int = 2) -> Any:
    """Two values of a kind, low then high; with `least` 0 also none."""
    return Annotated[list[kind], Field(min_length=least, max_length=2), AfterValidator(_low_then_high)]


Context = Annotated[float, Field(gt=0, le=MOST_TOKENS)]
Peak = Annotated[float, Field(ge=1, le=MOST_PEAK)]
BelowOne = Annotated[float, Field(ge=0, lt=1)]
FromOne = Annotated[float, Field(ge=1)]
FromZero = Annotated[float, Field(ge=0)]
Origins = Annotated[list[Origin], Field(min_length=1)]
WallOverLimit = range_of(Annotated[float, Field(ge=0.5)], 0)  # no server draws less than half of its power limits
Percentile = Literal["median", "p99"]  # of a run's interactivity

TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}  # that a cell may state
# What a parameter of this name may be, whichever notebook has it; the others are of the type that their cell declares.
COMMON: dict[str, Any] = {
    "benchmark": Benchmark,
    "scenario": Scenario,
    "baseline": Accelerator,
    "accelerators": Accelerators,
    "origins": Origins,
    "rounds": Rounds,
    "trust": Trust,
    "cost_model": CostModel,
    "derate": range_of(Share),
    "utilization": range_of(Share),
}
OWN: dict[str, dict[str, Any]] = {
    "explorer": {"divisions": list[Literal[DIVISIONS]]},
    "generational_speedup": {
        "baseline": Baseline,
        "later_round": Literal[""] | Round,
        "upgrade_path": Annotated[list[Accelerator], Field(min_length=2), AfterValidator(each_once)],
    },
    "interactivity": {
        "baseline": Baseline,
        "percentile": Percentile,
        "accelerators": Baselines,
        "speeds": Annotated[
            list[Annotated[float, Field(gt=0, le=MOST_SPEED)]],
            Field(min_length=1, max_length=6),
            AfterValidator(_rising),
        ],
    },
    "overview": {"baseline": Baseline},
    "power_efficiency": {
        "scenario": Literal["Offline", "Server"],  # those of a throughput: streams have energy per query
        "usd_per_kilowatt_hour": Price,
        "power_usage_effectiveness": FromOne,
    },
    "price_performance": {
        "percentile": Percentile,
        "prices": Prices,
        "purchase_usd_per_accelerator": range_of(Price, 0),
        "years": Annotated[float, Field(gt=0, le=20)],
        "residual_share": BelowOne,
        "capital_share_per_year": BelowOne,
        "maintenance_share_per_year": BelowOne,
        "used_shares": Annotated[list[Share], Field(min_length=1), AfterValidator(each_once)],
        "rent_falls_per_year": range_of(BelowOne),
        "host_share": range_of(FromZero),
        "network_share": range_of(FromZero),
        "place_usd_per_kilowatt_month": range_of(FromZero),
        "staff_usd_per_accelerator_year": range_of(FromZero),
        "usd_per_kilowatt_hour": Price,
        "wall_over_limit": WallOverLimit,
        "power_usage_effectiveness": FromOne,
    },
    "progress": {"history": Benchmark},
    "quantization_tradeoffs": {"memory_headroom": BelowOne},
    "source_audit": {"documents": list[Document], "cache_gb": FromZero},
}


class Strict(BaseModel):
    """Parameters that are refused where one is unknown or of another type, and that do not change."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True, validate_default=True
    )

    @model_validator(mode="after")
    def _later_is_later(self) -> Strict:
        later_round, first = getattr(self, "later_round", ""), next(iter(getattr(self, "rounds", ())), "")
        if later_round and round_age(later_round) < round_age(first):
            later = [name for name in table_text.column("rounds", "round") if round_age(name) >= round_age(first)]
            raise Refused(
                lambda called: (
                    f"{called('later_round')} {later_round!r} is earlier than {first!r}, the first of rounds; "
                    f"valid: {', '.join(later)}"
                )
            )
        return self


class RealWorldDerating(Strict):
    """From users to accelerators and dollars under derating, as seeded Monte Carlo draws; planned on `baseline`.

    Zeros and no `context_tokens` are those of the benchmark: its limit on TTFT, its prompts and answers. `lengths` is a
    CSV file of a user's own (see planner/demand.py).
    """

    benchmark: Benchmark = "gpt-oss-120b"
    scenario: LimitedScenario = "Server"
    baseline: Accelerator = "B200 SXM"
    accelerators: Accelerators = []
    origins: Origins = ["official"]
    rounds: Rounds = ["v4.1", "v5.1", "v6.0", "v6.1"]
    trust: Trust = "checked"
    users: Annotated[int, Field(gt=0, le=MOST_USERS)] = 100
    tokens_per_second_per_user: Annotated[float, Field(gt=0, le=MOST_SPEED)] = 25.0
    interactivity: Percentile = "median"
    derate: range_of(Share) = [0.6, 0.8]
    peak_over_mean: range_of(Peak) = [1.0, 1.5]
    prices: Prices = []
    cost_model: CostModel = "neocloud"
    weight_precision: Precision = "fp8"
    cache_precision: Precision = "fp16"
    memory_headroom: BelowOne = 0.1
    context_tokens: range_of(Context, 0) = []
    ttft_ms: Annotated[float, Field(ge=0, le=MOST_MS)] = 0.0
    tpot_ms: Annotated[float, Field(ge=LEAST_MS, le=MOST_MS)] = 200.0
    wait_percentile: Annotated[float, Field(ge=0.01, lt=1)] = 0.99
    wait_variability: Annotated[float, Field(gt=0)] = 1.0
    tokens_per_request: Annotated[float, Field(ge=0, le=MOST_TOKENS)] = 0.0
    prompt_tokens: Annotated[float, Field(ge=0, le=MOST_TOKENS)] = 0.0
    lengths: Annotated[str, Field(max_length=4096)] = ""
    prefill_share: Share = 0.5
    wall_over_limit: WallOverLimit = []
    power_usage_effectiveness: FromOne = 1.3
    whole_nodes: bool = False
    spare_nodes: Annotated[int, Field(ge=0, le=1000)] = 0
    draws: Annotated[int, Field(ge=1000, le=1_000_000)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _within_the_model_s_context(self) -> RealWorldDerating:
        rows = table_text.rows("benchmarks")
        most = int(next((row["max_context_tokens"] for row in rows if row["benchmark"] == self.benchmark), "") or 0)
        asked = {"context_tokens": max(self.context_tokens, default=0.0), "prompt_tokens": self.prompt_tokens}
        asked["tokens_per_request"] = self.tokens_per_request
        if self.lengths and (both := [name for name in list(asked)[1:] if asked[name]]):
            raise Refused(lambda called: f"{called('lengths')} has each request's tokens: leave out {called(both[0])}")
        if most and (longer := [name for name in asked if asked[name] > most]):
            name, tokens = longer[0], asked[longer[0]]
            takes = f"the model of {self.benchmark} takes {most:,} at most"
            raise Refused(lambda called: f"{called(name)} is {tokens:,.0f}, but {takes}")
        return self


class AcceleratorChoice(RealWorldDerating):
    """Which accelerator for a model, users and a budget: each available planned as RealWorldDerating plans `baseline`.

    What is not asked is as in that plan, so that one question has one answer; a report is of more users. Without a
    `benchmark` it is the one nearest to the model, by its name or by its parameters; zeros are those of the
    benchmark, for `active_parameters_billion` all. A budget of zero is none.
    """

    benchmark: MaybeBenchmark = "gpt-oss-120b"
    model: Annotated[str, Field(max_length=60)] = ""
    parameters_billion: Annotated[float, Field(ge=0, le=MOST_PARAMETERS)] = 0.0
    active_parameters_billion: Annotated[float, Field(ge=0, le=MOST_PARAMETERS)] = 0.0
    users: Annotated[int, Field(gt=0, le=MOST_USERS)] = 1000
    rank_by: Literal["cost", "power", "accelerators"] = "cost"
    usd_per_hour_at_most: Budget = 0.0
    kilowatts_at_most: Budget = 0.0

    @property
    def benchmark_named(self) -> str:
        """The benchmark that the model is named like; "" for any other name."""
        return table_text.benchmark_named(self.model)

    @model_validator(mode="after")
    def _a_model_that_can_be(self) -> AcceleratorChoice:
        total, active = self.parameters_billion, self.active_parameters_billion
        if active > total:
            raise Refused(
                lambda called: (
                    f"{called('active_parameters_billion')} must be at most {called('parameters_billion')}, {total:g}; "
                    f"got {active:g}"
                )
            )
        if not (self.benchmark or total or self.benchmark_named):
            raise Refused(
                lambda called: (
                    f"{called('parameters_billion')} must say how large {self.model or 'the model'} is, for benchmark "
                    "is empty and model is no name of a benchmark; got 0"
                )
            )
        return self


class MyDeployment(Strict):
    """A measurement of the user's own beside the official record. Empty texts and zeros are left to the files."""

    files: Annotated[list[DataFile], Field(min_length=1), AfterValidator(each_once)] = [
        "examples/vllm_concurrency.jsonl"
    ]
    accelerator: MaybeAccelerator = ""
    accelerator_count: Annotated[int, Field(ge=0)] = 0
    benchmark: MaybeBenchmark = ""
    precision: Literal["", *SERVED] = ""
    cache_precision: Precision = "fp16"
    scenario: Scenario = "Server"
    rounds: Rounds = ["v4.1"]
    prices: Prices = []
    cost_model: CostModel = "neocloud"
    ttft_ms: Annotated[float, Field(ge=0, le=MOST_MS)] = 0.0
    tpot_ms: Annotated[float, Field(ge=0, le=MOST_MS)] = 0.0


MODELS: dict[str, type[Strict]] = {
    "accelerator_choice": AcceleratorChoice,
    "my_deployment": MyDeployment,
    "real_world_derating": RealWorldDerating,
}


def model_for(notebook: str, folder: Path = NOTEBOOKS) -> type[BaseModel]:
    """The model of a notebook's parameters: of MODELS, else as its parameters cell in `folder` declares them.

    Raises ParameterError with the notebooks there are, and where such a cell declares nothing usable.
    """
    if notebook in MODELS:
        return MODELS[notebook]
    if (model := of_file(folder / f"{notebook}.ipynb", _declared)) is None:
        there = sorted({*MODELS, *(path.stem for path in folder.glob("*.ipynb"))})
        raise ParameterError(f"no notebook {not_among(notebook, there)}")
    return model


def _declared(notebook: Path) -> type[BaseModel]:
    """The model of the cell tagged `parameters`; a notebook without such a cell has no parameters.

    A line `name = value` or `name: type = value` is a field of the type that its name has in COMMON or OWN, else of the
    stated or the value's type; what is computed in the cell is no parameter. Raises ParameterError for a cell that is
    not Python and a file that is no notebook.
    """
    types, fields = COMMON | OWN.get(notebook.stem, {}), {}
    try:
        source = next((cell.source for cell in cells(notebook) or () if "parameters" in cell.tags), "")
        for name, node in assigned(source):
            with suppress(ValueError):  # A computed value.
                default = ast.literal_eval(node.value)
                fields[name] = (types.get(name) or _type(node, default), default)
    except NotANotebook as error:
        raise ParameterError(f"{notebook.name}: {error}") from None
    except SyntaxError as error:
        where = f"{notebook.name}, parameters cell, line {error.lineno}"
        raise ParameterError(f"{where}: is not Python: {error.msg}") from None
    return create_model(notebook.stem, __base__=Strict, **fields)


def _type(node: ast.Assign | ast.AnnAssign, default: Any) -> Any:
    """The stated type, else that of the default."""
    stated = ast.unparse(node.annotation).partition("[")[0] if isinstance(node, ast.AnnAssign) else ""
    return TYPES.get(stated) or (int | float if type(default) is int else TYPES.get(type(default).__name__, Any))


def validate(notebook: str, values: Mapping[str, Any], folder: Path = NOTEBOOKS) -> dict[str, Any]:
    """The complete parameters of a notebook in `folder`: `values` checked, defaults filled in.

    Raises ParameterError with a line per parameter that is unknown, of the wrong type or not among its choices.
    """
    model = model_for(notebook, folder)
    try:
        return model.model_validate(dict(values)).model_dump()
    except ValidationError as error:
        raise in_words(notebook, model, error) from None


def in_words(notebook: str, model: type[BaseModel], error: ValidationError) -> ParameterError:
    """What pydantic says of the parameters of a notebook, as a line for each that names the notebook too."""
    details = error.errors()
    return ParameterError("\n".join(f"{notebook}: {_problem(model, detail)}" for detail in details), details)


def _problem(model: type[BaseModel], detail: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in detail["loc"])
    if not name:
        return f"parameter {_what(detail)}"
    if detail["type"] == "extra_forbidden":
        return f"no parameter {not_among(name, model.model_fields) if model.model_fields else f'{name!r}: {UNTAGGED}'}"
    return f"parameter {name}: {_what(detail)}; got {detail['input']!r}"


def _said(detail: Mapping[str, Any], called: Called) -> str:
    if not detail["loc"]:  # What several values are together names them itself.
        return detail["ctx"]["error"].text_for(called)
    return f"{called(str(detail['loc'][0]))}: {_what(detail)}; got {detail['input']!r}"


def _what(detail: Mapping[str, Any]) -> str:
    return detail["msg"].removeprefix("Value error, ")
