"""Small tables of the audit's tests: a benchmark of 70 billion parameters, two parts and their 1000 W sibling."""

import itertools
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core.paths import official_files
from analysis._tables import descriptor
from analysis.audit import flags
from analysis.audit.frames import Tables

TABLES = descriptor.read_tables()
TYPES = {"string": "str", "date": "str", "number": "float64", "integer": "Int64", "boolean": "bool"}
# What a catalog has beside the columns of a file.
MADE = dict.fromkeys(["origin", "source", "machine", "comparable_since", "corrected", "serving_software"], "str")
MADE |= {"power_capped": "bool", "power_limit_watts": "float64"}
# What each row is but for what a test says: of columns that are not named here a cell is empty.
RESULT = {
    "origin": "published", "source_id": "docA", "source": "A", "locator": "table, row 1", "round": "v4.1",
    "suite": "datacenter", "accelerator": "H100 SXM", "accelerator_count": 8, "benchmark": "llm", "scenario": "Offline",
    "metric": "throughput", "printed_unit": "tokens/s", "low": 800.0, "unit": "tokens/s", "range_basis": "rounded",
    "per": "system", "machine": "box",
}  # fmt: skip
OFFICIAL = {
    "origin": "official", "source_id": "mlcommons-v4.1", "source": "official v4.1", "result_id": "4.1-0001",
    "submitter": "ACME", "division": "closed", "system": "ACME box (8x)", "range_basis": "exact",
    "tokens_per_sample": 290.0, "availability": "available",
}  # fmt: skip
CLAIM = {
    "source_id": "docA", "locator": "text", "quantity": "throughput_ratio", "low": 1.0, "unit": "ratio",
    "range_basis": "rounded",
}  # fmt: skip
PRICE = {
    "source_id": "docA", "locator": "table, row 1, rate", "provider": "Cloud", "providers": "one",
    "accelerator": "H100 SXM", "usd_per_accelerator_hour_low": 3.6, "usd_per_accelerator_hour_high": 3.6,
}  # fmt: skip
ACCELERATORS = [
    ("H100 SXM", "", "ACME", "Hopper", 80.0, 3350.0, 700.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("H200 SXM", "", "ACME", "Hopper", 141.0, 4800.0, 700.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("H200 SXM CTS", "", "ACME", "Hopper", 141.0, 4800.0, 1000.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("card 1 Slim", "card 1", "Other", "card", None, None, None, None, None, None, None, "partly verified"),
    ("card 1", "", "Other", "card", None, None, None, None, None, None, None, "not looked up"),
]
FACTS = ["accelerator", "variant_of", "vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s", "power_limit_w"]
FACTS += ["fp16_dense_tflops", "fp8_dense_tflops", "int8_dense_tops", "fp4_dense_tflops", "confidence"]
BENCHMARKS = [
    ("llm", "LLM", 70.0, None, "tokens/s", "tokens/s", 250.0, 300.0, False, "Big LLM;LLM 70B"),
    ("images", "Images", None, None, "samples/s", "queries/s", None, None, False, "Pictures"),
    ("experts", "Experts", 47.0, 12.9, "tokens/s", "tokens/s", 146.0, 146.0, False, ""),
]
IDENTITY = ["benchmark", "label", "parameters_billion", "active_parameters_billion", "offline_unit", "server_unit"]
IDENTITY += ["tokens_per_sample_low", "tokens_per_sample_high", "targets_share_run", "aliases"]

WAY = {
    "source_id": "docA", "locator": "text", "benchmark": "llm", "accelerator": "H100 SXM", "technique": "fp16",
    "precision": "fp16", "weight_memory_gb_low": 135.0, "weight_memory_gb_high": 145.0, "accelerators_needed": 2,
    "speedup_baseline": "fp16",
}  # fmt: skip


def _frame(table, default, rows):
    types = {field.name: TYPES[field.type] for field in TABLES[table].fields} | MADE
    blank = {name: {"str": "", "bool": False}.get(type) for name, type in types.items()}
    full = [blank | default | {"id": f"r{place}"} | row for place, row in enumerate(rows)]
    full = [row | ({"high": row["low"]} if "high" in row and row["high"] is None else {}) for row in full]
    return pd.DataFrame(full, columns=list(types)).astype(types)


@pytest.fixture(scope="session")
def rows():
    """Result rows from dicts of what differs from a published 800 tokens/s of eight H100; `high` defaults to `low`."""
    return lambda *given: _frame("results", RESULT, given)


@pytest.fixture(scope="session")
def official():
    """What makes a row official, with what differs; each has an id of its own."""
    count = itertools.count(1)
    return lambda **given: OFFICIAL | {"id": f"o{next(count)}"} | given


@pytest.fixture(scope="session")
def claims():
    """Claim rows from dicts of what differs from a throughput ratio of one; `high` defaults to `low`."""
    return lambda *given: _frame("claims", CLAIM, given)


@pytest.fixture(scope="session")
def prices():
    """Price rows from dicts of what differs from 3.60 dollars an hour."""
    return lambda *given: _frame("prices", PRICE, given)


@pytest.fixture(scope="session")
def rounds():
    """The rounds of which so many closed results are the whole record (None: not known), published on no known day."""
    columns = {"round": "str", "closed_results": "Int64", "published": "str"}
    return lambda **closed: pd.DataFrame([(*item, "") for item in closed.items()], columns=list(columns)).astype(
        columns
    )


@pytest.fixture(scope="session")
def ways():
    """Ways of making a model cheaper, from dicts of what differs from the FP16 baseline."""
    return lambda *given: _frame("quantization", WAY, given)


@pytest.fixture(scope="session")
def tables(rows, claims, prices, ways, benchmarks, parts, rounds):
    """The tables of an audit: the frames given, no rows in the others but the small facts of this file."""
    empty = {"results": rows(), "claims": claims(), "prices": prices(), "quantization": ways()}
    empty |= {"benchmarks": benchmarks, "accelerators": parts, "rounds": rounds()}
    return lambda **given: Tables(**empty | given)


@pytest.fixture(scope="session")
def benchmarks():
    """Three benchmarks: a language model, images, a mixture of experts."""
    return pd.DataFrame(BENCHMARKS, columns=IDENTITY).assign(compared_in="")


@pytest.fixture(scope="session")
def parts():
    """The accelerators."""
    return pd.DataFrame(ACCELERATORS, columns=FACTS)


@pytest.fixture(scope="session")
def audited(rounds, benchmarks, parts):
    """Results as a judged catalog holds them: with the small tables, and with what is doubted about each."""

    def judge(results):
        frames = SimpleNamespace(results=results, benchmarks=benchmarks, accelerators=parts)
        frames.rounds = rounds()
        return SimpleNamespace(**vars(frames), doubts=flags.of_each(frames))

    return judge


@pytest.fixture(scope="session")
def data():
    """The project's own tables with the record in data/official/, judged; a test of it is skipped without that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ANALYSIS_OFFICIAL", raising=False)
        if not official_files():
            pytest.skip("data/official/ is empty: the record is not in the data")
        catalog = flags.catalog()
        catalog.results  # noqa: B018  # read here, with the record on
        yield catalog


@pytest.fixture(scope="session")
def judge(tables, rows, claims, prices, ways, rounds):
    """The judgments of a check on rows of tables, from dicts of what differs.

    `official` results stand behind the others; `whole` has the number of closed results of a round.
    """

    def judgments(
        check,
        results=(),
        official=(),
        whole=None,
        **given,
    ):
        make = {"claims": claims, "prices": prices, "quantization": ways}
        frames = {name: make[name](*frame) if name in make else frame for name, frame in given.items()}
        record = [OFFICIAL | {"id": f"o{place}"} | row for place, row in enumerate(official)]
        frame = rows(*results, *record)
        frames = {"rounds": rounds(**whole or {})} | frames
        return list(check(tables(results=frame.assign(model_run=frame["benchmark"], per_watt_printed="4"), **frames)))

    return judgments
