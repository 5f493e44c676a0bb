"""A capacity plan put together: tables, comparable rows and parameters into sized draws; no formula of its own here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from analysis import comparable, cost, derating, interval, memory, plan, quantization, roofline
from analysis.catalog import Catalog
from analysis.comparable import Comparison
from analysis.interval import Interval
from analysis.parameters import RealWorldDerating

MILLISECONDS = 1000.0


@dataclass(frozen=True)
class Prompt:
    """The reading of a prompt: its `tokens`, the `accelerators` that share it, the seconds. NaN where not known."""

    tokens: float
    accelerators: float
    seconds: float

    @property
    def known(self) -> bool:
        """Whether the time that the prompt takes could be computed."""
        return bool(pd.notna(self.seconds))


@dataclass(frozen=True)
class Planned:
    """A plan: the draws (see plan.size) and what went into them, each as the report shows it.

    `impossible` says why there are no draws whatever the number of accelerators; "" otherwise.
    """

    draws: pd.DataFrame
    load: plan.Load
    demand: derating.Demand
    accelerator: str
    inputs: pd.DataFrame
    caveats: tuple[str, ...]
    impossible: str = ""

    @property
    def marks(self) -> pd.DataFrame:
        """P10, P50 and P90 of every output."""
        return derating.percentiles(self.draws, list(plan.OUTPUTS))

    @property
    def ranked(self) -> pd.DataFrame:
        """What dominates the uncertainty of the bill, or of the number of accelerators where no price is known."""
        output = "usd_per_hour" if self.priced else "accelerators"
        return derating.sensitivity(self.draws, output, plan.INPUTS)

    @property
    def priced(self) -> bool:
        """Whether a price is known, so that the draws hold dollars."""
        return bool(self.draws["price"].notna().any())


def make(
    catalog: Catalog, asked: RealWorldDerating, chosen: Comparison, derate: Interval, above_one: bool = False
) -> Planned:
    """The plan that `asked` asks for on its baseline, from the throughput of the `chosen` rows x `derate`.

    No draws where no throughput is known, and no dollars where no price is. Raises ValueError for a derate that
    derating.draw refuses.
    """
    accelerator = asked.baseline
    speed = max(asked.tokens_per_second_per_user, MILLISECONDS / asked.tpot_ms)
    demand = derating.Demand(asked.users, speed, Interval(*asked.peak_over_mean))
    rate = cost.throughput(chosen.rows, accelerator)
    price = cost.price_range(_prices(catalog, asked), accelerator)
    watts, basis = _watts(catalog, chosen, accelerator)
    model, box = _model(catalog, asked), _box(catalog, asked, watts)
    prompt = _prompt(catalog, asked, model, box)
    load = _load(catalog, asked, speed, prompt)
    usd = price if price.known else Interval(1.0, 1.0)
    drawn = derating.draw(demand, rate, derate, usd, asked.draws, asked.seed, above_one=above_one)
    drawn = drawn if price.known else drawn.assign(price=float("nan"))
    sized = plan.size(drawn, load, model, box, Interval(*asked.context_tokens), asked.seed)
    inputs = pd.concat([_inputs(asked, demand, rate, derate, price, watts), _first_token(asked, load, prompt)])
    caveats = _caveats(load, prompt, model, basis, asked)
    return Planned(sized, load, demand, accelerator, inputs, caveats, _impossible(asked, load, prompt))


def _prices(catalog: Catalog, asked: RealWorldDerating) -> pd.DataFrame:
    return cost.priced(catalog.prices, asked.prices, asked.baseline, catalog.accelerators)


def _load(catalog: Catalog, asked: RealWorldDerating, speed: float, prompt: Prompt) -> plan.Load:
    """Without tokens per request, stated or known, requests have no length, and no queue can be planned."""
    row = catalog.benchmarks.set_index("benchmark").loc[asked.benchmark]
    own = float(row[["tokens_per_sample_low", "tokens_per_sample_high"]].astype(float).mean())
    tokens = asked.tokens_per_request or own
    limit = asked.ttft_ms / MILLISECONDS
    seconds = prompt.seconds if prompt.known else 0.0
    return plan.Load(asked.users, speed, tokens, limit, asked.wait_percentile, asked.wait_variability, seconds)


def _prompt(catalog: Catalog, asked: RealWorldDerating, model: memory.Model | None, box: plan.Box) -> Prompt:
    """The longest prompt, stated or of the benchmark, read by the fewest accelerators that hold the weights."""
    limits = catalog.benchmark_limits
    own = limits[limits["benchmark"].eq(asked.benchmark) & limits["quantity"].eq("max_sequence_length")]
    tokens = asked.prompt_tokens or float(own["high"].max())
    count = memory.copy_on(model, box.memory_gb, box.headroom) if model else None
    if count is None:
        return Prompt(tokens, float("nan"), float("nan"))
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    active = roofline.active(catalog.benchmarks.set_index("benchmark").loc[asked.benchmark])
    tera, _ = roofline.fastest(facts, asked.weight_precision)
    return Prompt(tokens, count, roofline.prefill_s(tokens, tera, active, count, asked.prefill_share))


def _watts(catalog: Catalog, chosen: Comparison, accelerator: str) -> tuple[Interval, str]:
    metered = replace(chosen.question, power=True, rounds=(), origins=("official",), accelerators=())
    rows = comparable.select(catalog.results, catalog.benchmarks, metered).rows
    return cost.watts_range(rows, catalog.accelerators, accelerator)


def _model(catalog: Catalog, asked: RealWorldDerating) -> memory.Model | None:
    sizes = quantization.BYTES_PER_WEIGHT
    weight, cache = sizes[asked.weight_precision], sizes[asked.cache_precision]
    return memory.model(catalog.benchmarks, asked.benchmark, weight, cache)


def _box(catalog: Catalog, asked: RealWorldDerating, watts: Interval) -> plan.Box:
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    return plan.Box(float(facts["memory_gb"]), asked.memory_headroom, watts, asked.power_usage_effectiveness)


def _inputs(
    asked: RealWorldDerating,
    demand: derating.Demand,
    rate: Interval,
    derate: Interval,
    price: Interval,
    watts: Interval,
) -> pd.DataFrame:
    """What is drawn from: quantity, unit, value_low, value_high."""
    rows = [
        ("throughput per accelerator", "tokens per second", rate),
        ("derate", "share of that throughput", derate),
        ("peak over mean", "ratio of traffic", demand.peak_over_mean),
        ("price", "US dollars per accelerator-hour", price),
        ("context", "tokens in cache per request", Interval(*asked.context_tokens)),
        ("watts per accelerator", "watts", watts),
    ]
    ends = [(name, unit, each.low, each.high) for name, unit, each in rows]
    return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high"])


def _first_token(asked: RealWorldDerating, load: plan.Load, prompt: Prompt) -> pd.DataFrame:
    """What stays fixed in every draw until the first token, in the columns of _inputs; no rows without a prompt."""
    count = f"{prompt.accelerators:g} accelerator{'s' * (prompt.accelerators > 1)}"
    share = f"{interval.number(100 * asked.prefill_share)} % of the dense compute of {count}"
    rows = [
        ("reading the prompt", f"seconds, {prompt.tokens:,.0f} tokens at {share}", load.prompt_s),
        ("wait for a free slot", "seconds at most", max(load.wait_limit_s, 0.0)),
    ]
    ends = [(name, unit, value, value) for name, unit, value in rows if prompt.known]
    return pd.DataFrame(ends, columns=["quantity", "unit", "value_low", "value_high"])


def _impossible(asked: RealWorldDerating, load: plan.Load, prompt: Prompt) -> str:
    if load.wait_limit_s > 0:
        return ""
    taken, limit = (interval.number(each) for each in (load.prompt_s * MILLISECONDS, asked.ttft_ms))
    return (
        f"Reading a prompt of {prompt.tokens:,.0f} tokens takes {taken} ms on {prompt.accelerators:g} {asked.baseline} "
        f"at {100 * asked.prefill_share:g} % of the dense compute, no less than the ttft_ms of {limit}: more copies of "
        "the weights do not help; shorten prompt_tokens, or give a longer ttft_ms or a higher prefill_share."
    )


def _caveats(
    load: plan.Load, prompt: Prompt, model: memory.Model | None, basis: str, asked: RealWorldDerating
) -> tuple[str, ...]:
    own = (
        ("no queue is planned: the length of a request is not known", pd.isna(load.service_s)),
        ("the time to read a prompt is not planned: its length or the compute is not known", not prompt.known),
        (f"prompts assumed to be read at {100 * asked.prefill_share:g} % of the dense compute", prompt.known),
        ("memory is not planned: the model's size or shape is not known", model is None),
        (f"watts: {basis}", basis != "measured at the wall, whole system"),
        (
            f"the limit on time per output token asks for more than {asked.tokens_per_second_per_user:g} tokens/s",
            load.tokens_per_second_per_user > asked.tokens_per_second_per_user,
        ),
    )
    return tuple(said for said, holds in own if holds)
