"""What each notebook may be asked: one strict model per notebook.

The models are checked before a kernel starts and again in the notebook, where an analyst edits the values. A test
holds each model's fields and defaults equal to its notebook's parameters cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from analysis._core import declared_parameters, table_text
from analysis._core.choices import not_among
from analysis._core.parameter_types import (
    Accelerator,
    Baseline,
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


class ParameterError(Refused):
    """A parameter is unknown, ill-typed or has no valid value; the text names it and the valid choices.

    `details` are what pydantic found: `told` says them, each once, by what the parameters are called.
    """

    def __init__(self, text: str, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(text)
        self._details = details

    def told(self, called: Called) -> str:
        said = dict.fromkeys(_said(detail, called) for detail in self._details)  # both ends of a range may be one
        return "\n".join(said) or str(self)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence alone, for no line of code is at fault."""
        return [str(self)]


def _in_order(model: BaseModel, *names: str) -> None:
    for name in names:
        _low_then_high(name, getattr(model, name))


def _low_then_high(name: str, values: list[float]) -> None:
    if len(values) == 1 or list(values) != sorted(values):
        raise Refused(lambda called: f"{called(name)} must be two numbers, low then high; got {values}")


Context = Annotated[float, Field(gt=0, le=MOST_TOKENS)]
Peak = Annotated[float, Field(ge=1, le=MOST_PEAK)]
WallOverLimit = Annotated[float, Field(ge=0.5)]  # no server at full load draws less than half of its power limits
AssumedRange = Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]  # low, high


class Common(BaseModel):
    """The parameters that every report has."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    benchmark: Benchmark = "llama2-70b"
    scenario: Scenario = "Offline"
    baseline: Accelerator = "H100 SXM"
    accelerators: list[Accelerator] = []
    origins: Annotated[list[Origin], Field(min_length=1)] = ["published", "official"]
    rounds: Rounds = ["v4.1"]
    trust: Trust = "all"


class GenerationalSpeedup(Common):
    """Per-accelerator speedup over `baseline`; `upgrade_path` is taken apart step by step.

    What software changed is shown between the first of `rounds` and `later_round`, without one the newest of them;
    without a round before that, from the one before.
    """

    baseline: Baseline = "H100 SXM"
    origins: Annotated[list[Origin], Field(min_length=1)] = ["official"]
    rounds: Rounds = []
    trust: Trust = "checked"
    later_round: Literal[""] | Round = ""
    upgrade_path: Annotated[list[Accelerator], Field(min_length=2), AfterValidator(each_once)] = [
        "H100 SXM",
        "H200 SXM",
        "H200 SXM CTS",
    ]

    @model_validator(mode="after")
    def _later_is_later(self) -> GenerationalSpeedup:
        first = next(iter(self.rounds), "")
        if self.later_round and round_age(self.later_round) < round_age(first):
            later = [name for name in table_text.column("rounds", "round") if round_age(name) >= round_age(first)]
            raise Refused(
                lambda called: (
                    f"{called('later_round')} {self.later_round!r} is earlier than {first!r}, the first of rounds; "
                    f"valid: {', '.join(later)}"
                )
            )
        return self


class QuantizationTradeoffs(Common):
    """What a lower precision gives in official results, what accuracy costs, and the weights in `baseline`'s memory."""

    origins: Annotated[list[Origin], Field(min_length=1)] = ["official"]
    rounds: Rounds = ["v4.1", "v5.1", "v6.0", "v6.1"]
    trust: Trust = "checked"
    memory_headroom: Annotated[float, Field(ge=0, lt=1)] = 0.1


class PowerEfficiency(Common):
    """Throughput per watt, what a node draws, and what the energy of a million tokens costs.

    The stream scenarios give energy per query beside a latency, no throughput: `comparable` leaves them out by name.
    """

    scenario: Literal["Offline", "Server"] = "Offline"
    baseline: Accelerator = "H200 SXM"
    origins: Annotated[list[Origin], Field(min_length=1)] = ["official"]
    rounds: Rounds = []
    trust: Trust = "checked"
    usd_per_kilowatt_hour: Price = 0.12
    power_usage_effectiveness: Annotated[float, Field(ge=1)] = 1.3


class RealWorldDerating(Common):
    """From users to accelerators and dollars under derating, as seeded Monte Carlo draws; planned on `baseline`."""

    benchmark: Benchmark = "gpt-oss-120b"
    scenario: LimitedScenario = "Server"
    baseline: Accelerator = "B200 SXM"
    origins: Annotated[list[Origin], Field(min_length=1)] = ["official"]
    trust: Trust = "checked"
    rounds: Rounds = ["v4.1", "v5.1", "v6.0", "v6.1"]
    users: Annotated[int, Field(gt=0, le=MOST_USERS)] = 100
    tokens_per_second_per_user: Annotated[float, Field(gt=0, le=MOST_SPEED)] = 25.0
    derate: Annotated[list[Share], Field(min_length=2, max_length=2)] = [0.6, 0.8]
    peak_over_mean: Annotated[list[Peak], Field(min_length=2, max_length=2)] = [1.0, 1.5]
    prices: Prices = []
    cost_model: CostModel = "neocloud"
    weight_precision: Precision = "fp8"
    cache_precision: Precision = "fp16"
    memory_headroom: Annotated[float, Field(ge=0, lt=1)] = 0.1
    context_tokens: Annotated[list[Context], Field(min_length=2, max_length=2)] = [500.0, 2000.0]
    ttft_ms: Annotated[float, Field(gt=0, le=MOST_MS)] = 2000.0
    tpot_ms: Annotated[float, Field(ge=LEAST_MS, le=MOST_MS)] = 200.0
    wait_percentile: Annotated[float, Field(ge=0.01, lt=1)] = 0.99
    wait_variability: Annotated[float, Field(gt=0)] = 1.0
    tokens_per_request: Annotated[float, Field(ge=0, le=MOST_TOKENS)] = 0.0
    prompt_tokens: Annotated[float, Field(ge=0, le=MOST_TOKENS)] = 0.0
    prefill_share: Share = 0.5
    wall_over_limit: Annotated[list[WallOverLimit], Field(max_length=2)] = []
    power_usage_effectiveness: Annotated[float, Field(ge=1)] = 1.3
    spare_nodes: Annotated[int, Field(ge=0, le=1000)] = 0
    draws: Annotated[int, Field(ge=1000, le=1_000_000)] = 20_000
    seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _ranges_in_order(self) -> RealWorldDerating:
        _in_order(self, "derate", "peak_over_mean", "context_tokens", "wall_over_limit")
        return self

    @model_validator(mode="after")
    def _within_the_model_s_context(self) -> RealWorldDerating:
        rows = table_text.rows("benchmarks")
        most = int(next((row["max_context_tokens"] for row in rows if row["benchmark"] == self.benchmark), "") or 0)
        asked = {"context_tokens": self.context_tokens[-1], "prompt_tokens": self.prompt_tokens}
        asked["tokens_per_request"] = self.tokens_per_request
        if most and (longer := [name for name in asked if asked[name] > most]):
            name, tokens = longer[0], asked[longer[0]]
            takes = f"the model of {self.benchmark} takes {most:,} at most"
            raise Refused(lambda called: f"{called(name)} is {tokens:,.0f}, but {takes}")
        return self


class AcceleratorChoice(RealWorldDerating):
    """Which accelerator for a model, users and a budget: each on sale planned as RealWorldDerating plans `baseline`.

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


class PricePerformance(Common):
    """Break-even prices as multiples of the baseline's, what quotes buy, and owning against renting `baseline`."""

    benchmark: Benchmark = "gpt-oss-120b"
    baseline: Accelerator = "H200 SXM"
    origins: Annotated[list[Origin], Field(min_length=1)] = ["official"]
    rounds: Rounds = []
    trust: Trust = "checked"
    prices: Prices = []
    cost_model: CostModel = "neocloud"
    derate: Annotated[list[Share], Field(min_length=2, max_length=2)] = [0.6, 0.8]
    utilization: Annotated[list[Share], Field(min_length=2, max_length=2)] = [0.5, 1.0]
    purchase_usd_per_accelerator: Annotated[list[Price], Field(max_length=2)] = []
    years: Annotated[float, Field(gt=0, le=20)] = 4.0
    residual_share: Annotated[float, Field(ge=0, lt=1)] = 0.1
    capital_share_per_year: Annotated[float, Field(ge=0, lt=1)] = 0.08
    maintenance_share_per_year: Annotated[float, Field(ge=0, lt=1)] = 0.05
    used_shares: Annotated[list[Share], Field(min_length=1), AfterValidator(each_once)] = [0.5, 0.7, 0.9]
    rent_falls_per_year: Annotated[list[Annotated[float, Field(ge=0, lt=1)]], Field(min_length=2, max_length=2)] = [
        0.1,
        0.3,
    ]
    host_share: AssumedRange = [0.2, 0.4]
    network_share: AssumedRange = [0.1, 0.2]
    place_usd_per_kilowatt_month: AssumedRange = [120.0, 180.0]
    staff_usd_per_accelerator_year: AssumedRange = [200.0, 600.0]
    usd_per_kilowatt_hour: Price = 0.12
    wall_over_limit: Annotated[list[WallOverLimit], Field(max_length=2)] = []
    power_usage_effectiveness: Annotated[float, Field(ge=1)] = 1.3

    @model_validator(mode="after")
    def _ranges_in_order(self) -> PricePerformance:
        _in_order(self, "derate", "utilization", "purchase_usd_per_accelerator", "wall_over_limit")
        _in_order(self, "rent_falls_per_year", "host_share", "network_share")
        _in_order(self, "place_usd_per_kilowatt_month", "staff_usd_per_accelerator_year")
        return self


class MyDeployment(BaseModel):
    """A measurement of the user's own beside the official record. Empty texts and zeros are left to the files."""

    model_config = Common.model_config

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


class SourceAudit(BaseModel):
    """Which published figures can be believed: of `documents`, with the roofline and the conclusions of `benchmark`."""

    model_config = Common.model_config

    documents: list[Document] = []
    benchmark: Benchmark = "llama2-70b"
    scenario: Scenario = "Offline"
    baseline: Accelerator = "H100 SXM"
    rounds: Rounds = ["v4.1"]
    cache_gb: Annotated[float, Field(ge=0)] = 0.0


class OfficialRecord(BaseModel):
    """How far the record of `rounds` agrees with its own logs, and the best of `benchmark` over them."""

    model_config = Common.model_config

    rounds: Rounds = []
    benchmark: Benchmark = "llama2-70b"
    scenario: Scenario = "Offline"


class Interactivity(BaseModel):
    """Throughput at each of `speeds`, tokens per second to a user, on `benchmark` in `rounds`; official runs only."""

    model_config = Common.model_config

    benchmark: Benchmark = "gpt-oss-120b"
    accelerators: list[Baseline] = []
    rounds: Rounds = ["v6.0", "v6.1"]
    speeds: Annotated[list[Annotated[float, Field(gt=0, le=MOST_SPEED)]], Field(min_length=1, max_length=6)] = [
        10.0,
        25.0,
        50.0,
        100.0,
    ]

    @model_validator(mode="after")
    def _each_speed_once(self) -> Interactivity:
        if self.speeds != sorted(set(self.speeds)):
            raise Refused(lambda called: f"{called('speeds')} must be numbers that rise, each once; got {self.speeds}")
        return self


class Overview(BaseModel):
    """Where the accelerators on sale stand on `benchmark`, beside `baseline`; what the newest of `rounds` changed."""

    model_config = Common.model_config

    benchmark: Benchmark = "gpt-oss-120b"
    scenario: Scenario = "Offline"
    baseline: Baseline = "H200 SXM"
    rounds: Rounds = []


class Progress(BaseModel):
    """What each of `rounds` added on `benchmark`, and on the one of a long `history`; empty lists mean all."""

    model_config = Common.model_config

    benchmark: Benchmark = "llama2-70b"
    scenario: Scenario = "Offline"
    accelerators: list[Accelerator] = []
    rounds: Rounds = []
    history: Benchmark = "retinanet"


class Explorer(BaseModel):
    """The official results that the explorer holds, of `rounds` and `divisions`; empty lists mean all.

    At first it shows `benchmark` and `scenario` in the newest round that has them.
    """

    model_config = Common.model_config

    rounds: Rounds = []
    divisions: list[Literal[DIVISIONS]] = []
    benchmark: Benchmark = "gpt-oss-120b"
    scenario: Scenario = "Offline"


class Scaling(BaseModel):
    """What larger systems keep per accelerator, and how far submitters lie apart; empty lists mean all."""

    model_config = Common.model_config

    benchmark: Benchmark = "deepseek-r1"
    scenario: Scenario = "Offline"
    accelerators: list[Accelerator] = []
    rounds: Rounds = []


MODELS: dict[str, type[BaseModel]] = {
    "generational_speedup": GenerationalSpeedup,
    "quantization_tradeoffs": QuantizationTradeoffs,
    "power_efficiency": PowerEfficiency,
    "real_world_derating": RealWorldDerating,
    "source_audit": SourceAudit,
    "price_performance": PricePerformance,
    "my_deployment": MyDeployment,
    "official_record": OfficialRecord,
    "interactivity": Interactivity,
    "overview": Overview,
    "progress": Progress,
    "scaling": Scaling,
    "explorer": Explorer,
    "accelerator_choice": AcceleratorChoice,
}


def model_for(notebook: str) -> type[BaseModel]:
    """The model of a notebook's parameters: of MODELS, else as its parameters cell declares them (declared.py).

    Raises ParameterError with the notebooks there are, and where such a cell declares nothing usable.
    """
    if notebook in MODELS:
        return MODELS[notebook]
    if not (path := NOTEBOOKS / f"{notebook}.ipynb").is_file():
        there = sorted({*MODELS, *(path.stem for path in NOTEBOOKS.glob("*.ipynb"))})
        raise ParameterError(f"no notebook {not_among(notebook, there)}")
    try:
        return declared_parameters.model(path, Common)
    except declared_parameters.DeclarationError as error:
        raise ParameterError(str(error)) from None


def validate(notebook: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The complete parameters of a notebook: `values` checked, defaults filled in.

    Raises ParameterError with a line per parameter that is unknown, of the wrong type or not among its choices.
    """
    model = model_for(notebook)
    try:
        return model.model_validate(dict(values)).model_dump()
    except ValidationError as error:
        raise in_words(notebook, error) from None


def in_words(notebook: str, error: ValidationError) -> ParameterError:
    """What pydantic says of the parameters of a notebook, as a line for each that names the notebook too."""
    model, details = model_for(notebook), error.errors()
    return ParameterError("\n".join(f"{notebook}: {_problem(model, detail)}" for detail in details), details)


def _problem(model: type[BaseModel], detail: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in detail["loc"])
    if not name:
        return f"parameter {_what(detail)}"
    if detail["type"] == "extra_forbidden":
        return f"no parameter {not_among(name, model.model_fields)}"
    return f"parameter {name}: {_what(detail)}; got {detail['input']!r}"


def _said(detail: Mapping[str, Any], called: Called) -> str:
    if not detail["loc"]:  # What several values are together names them itself.
        return detail["ctx"]["error"].told(called)
    return f"{called(str(detail['loc'][0]))}: {_what(detail)}; got {detail['input']!r}"


def _what(detail: Mapping[str, Any]) -> str:
    return detail["msg"].removeprefix("Value error, ")
