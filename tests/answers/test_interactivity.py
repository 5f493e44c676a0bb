"""What the report on speed per user says: from small frames, also where nothing or one alone is proven."""

import pandas as pd
import pytest

from analysis.answers import interactivity as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import benchmark_rules, user_speed

NAN = float("nan")
SIZE = frozenset({note("another_size", count=72, usual=8)})
FILLED = {"source_id": "mlcommons-v6.0", "round": "v6.0", "basis": "official v6.0", "notes": NONE, "on_sale": True}
FILLED |= {"framework": "TensorRT", "serving_software": ""}


def name(accelerator: str) -> str:
    return accelerator.removesuffix(" SXM")


def runs(*rows: tuple[str, str, float, float]) -> pd.DataFrame:
    """Runs of (accelerator, scenario, speed, rate per accelerator), each accelerator with one system."""
    known = [
        FILLED | {"accelerator": who, "system_key": who, "scenario": scenario, "speed": speed, "benchmark": "llm",
                  "per_accelerator_low": rate, "per_accelerator_high": rate, "ttft_p99_ms": 10 * speed,
                  "ttft_p50_ms": 5 * speed, "ttft_p90_ms": 8 * speed, "proof": "log", "id": f"{who} {scenario}"}
        for who, scenario, speed, rate in rows
    ]  # fmt: skip
    columns = [*user_speed.RUN, *user_speed.LATENCIES, "speed", "proof", "per_accelerator_low", "per_accelerator_high"]
    return pd.DataFrame(known, columns=columns).astype({"on_sale": "bool"})


RACK, NODE = "GB300", "B300 SXM"
BOTH = runs(
    (RACK, "Offline", NAN, 100.0), (RACK, "Server", 20.0, 90.0), (RACK, "Interactive", 60.0, 60.0),
    (NODE, "Offline", NAN, 100.0), (NODE, "Server", 20.0, 95.0), (NODE, "Interactive", 80.0, 19.0),
)  # fmt: skip
SPEEDS = [10.0, 50.0, 100.0]
GIVEN = user_speed.given(BOTH, SPEEDS)


def test_the_answer_says_who_gives_most_at_the_fastest_proven_speed_and_what_it_keeps() -> None:
    found = answer.left(GIVEN, BOTH, "LLM", name)
    most = (
        "On LLM at 50 tokens/s per user GB300 is proven to give most and keeps at least 60 % of its Offline throughput"
    )
    assert found.headline == f"{most}."
    assert (found.value, found.about, found.sources) == (Interval(0.6, 0.6), RACK, ["mlcommons-v6.0"])
    assert {who: value.low for who, (value, _) in found.values.items()} == {"gb300": 0.6, "b300_sxm": 0.19}


def test_an_answer_of_long_names_leaves_words_away() -> None:
    """25 words are the most, the last sentence is as short as it goes."""
    found = answer.left(GIVEN, BOTH, "LLM", lambda who: f"The {who} of a long name")
    assert len(found.headline.split()) <= 25 and "at least 60 %" in found.headline
    longest = answer.left(GIVEN, BOTH, "A model of many words", lambda who: f"The {who} of a very long name")
    assert len(longest.headline.split()) <= 25 and "60 %" in longest.headline


def test_without_an_offline_run_the_answer_says_the_rate() -> None:
    alone = BOTH[BOTH["scenario"].ne("Offline")]
    found = answer.left(user_speed.given(alone, [50.0]), alone, "LLM", name)
    assert found.headline == "On LLM at 50 tokens/s per user GB300 is proven to give most: 60 tokens/s per accelerator."
    assert found.value == Interval(60.0, 90.0)  # to what the run at 20 gives


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (BOTH.head(0), "No official run of LLM is comparable for these parameters."),
        (BOTH.iloc[[0]], "LLM has no speed per user: neither its logs nor its rules know a time per output token."),
        (BOTH.assign(on_sale=False), "No system on sale ran LLM at a speed that is known."),
        (BOTH.iloc[:2], "No run of LLM proves 50 tokens/s per user: the record ends at 20 (GB300)."),
    ],
)
def test_an_answer_without_a_value_says_why(rows: pd.DataFrame, words: str) -> None:
    found = answer.left(user_speed.given(rows, [50.0]), rows, "LLM", name)
    assert (found.value, found.headline) == (None, words)


def test_what_follows_names_who_leads_at_each_speed_and_where_the_record_ends() -> None:
    found = answer.ends(GIVEN, BOTH, name)
    assert found.headline == (
        "At 10 tokens/s B300 is proven to give most, at 50 GB300, but others may give more; "
        "the record ends at 80 (B300)."
    )
    assert found.value == Interval(80.0, 80.0)
    alone = BOTH[BOTH["accelerator"].eq(NODE)]
    within = answer.ends(user_speed.given(alone, [10.0]), alone, name)
    assert within.headline == "At 10 tokens/s B300 gives most; the record ends at 80 tokens/s (B300)."
    beyond = answer.ends(user_speed.given(BOTH, [100.0]), BOTH, name)
    assert beyond.headline == "No run is faster: the record ends at 80 tokens/s (B300)."
    assert answer.ends(GIVEN.head(0), BOTH.head(0), name).value is None


def test_what_the_runs_leave_open_is_proven_and_no_more() -> None:
    """At 10 the rack gives 120, and the node 100 at most; at 50 it gives 60 at least, and the node perhaps up to 95."""
    more = {"GB300 Offline": 130.0, "GB300 Server": 120.0}
    rates = BOTH["id"].map(more).fillna(BOTH["per_accelerator_low"])
    rows = BOTH.assign(per_accelerator_low=rates, per_accelerator_high=rates)
    given = user_speed.given(rows, [10.0, 50.0])
    found = answer.ends(given, rows, name)
    assert found.headline == (
        "At 10 tokens/s GB300 gives most; at 50 GB300 is proven to, but others may give more; "
        "the record ends at 80 tokens/s (B300)."
    )
    start = "On LLM at 10 tokens/s per user GB300 gives most and"
    assert answer.left(given[given["asked"].eq(10.0)], rows, "LLM", name).headline.startswith(start)
    assert " is proven to give most and" in answer.left(given, rows, "LLM", name).headline


def test_a_system_keeps_a_share_of_its_throughput_from_its_slowest_run_to_its_fastest() -> None:
    """60 of 90 and 19 of 95; what ran at one speed alone does not fall."""
    found = answer.falls(user_speed.curves(BOTH), "LLM", name)
    assert found.headline == (
        "From Server to Interactive one GB300 system keeps 67 % of its throughput, one B300 system 20 %."
    )
    assert found.value == Interval(19 / 95, 60 / 90)
    assert answer.falls(user_speed.curves(BOTH.iloc[:3]), "LLM", name).headline.endswith(
        "one GB300 system keeps 67 % of its throughput."
    )
    assert answer.falls(user_speed.curves(BOTH.iloc[:2]), "LLM", name).value is None


def test_one_accelerator_is_worth_several_others_at_the_speed() -> None:
    found = answer.worth(GIVEN, name)
    assert found.headline == "At 50 tokens/s per user a GB300 does the work of 0.63 to 4.7 B300s."
    assert found.value == Interval(60 / 95, 90 / 19)
    alone = answer.worth(user_speed.given(BOTH.iloc[:3], [50.0]), name)
    assert (alone.value, alone.headline) == (None, "At 50 tokens/s per user GB300 alone is proven.")
    assert answer.worth(GIVEN.head(0), name).value is None


def test_each_asked_speed_has_a_finding() -> None:
    ten, fifty, hundred = answer.at_each_speed(GIVEN, name)
    assert (ten.name, ten.value, ten.about) == ("most_at_10", Interval(95.0, 100.0), NODE)
    assert fifty.headline == (
        "At 50 tokens/s per user GB300 is proven to give most: 60 tokens/s per accelerator, in a run at 60."
    )
    assert (hundred.value, hundred.headline) == (None, "No run on sale proves 100 tokens/s per user.")


def test_the_wait_for_the_first_token_is_that_of_the_runs_that_are_so_fast() -> None:
    """10 ms for each token/s of speed: 0.6 and 0.8 seconds."""
    curves = user_speed.curves(BOTH)
    found = answer.first_token(curves, 50.0)
    assert found.value == Interval(0.6, 0.8)
    assert found.headline == (
        "At 50 tokens/s per user or more the first token of 99 in 100 requests comes within 0.6 to 0.8 seconds."
    )
    assert answer.first_token(curves, None).value == Interval(0.2, 0.8)
    assert answer.first_token(curves.head(0), 50.0).value is None


def test_other_benchmarks_are_counted_and_the_slow_ones_named() -> None:
    rows = [("llm", RACK, 60.0, 80.0), ("chat", NODE, 9.0, 70.0), ("big", "", NAN, 17.0)]
    frame = pd.DataFrame(rows, columns=["benchmark", "accelerator", "rate_low", "ends"]).assign(source_ids=[("s",)] * 3)
    found = answer.elsewhere(frame, GIVEN, 50.0, str.upper, name)
    assert (
        found.headline
        == "GB300 is proven to give most on 1 of 2 benchmarks that prove 50 tokens/s per user, B300 on CHAT."
    )
    assert (found.more, found.value) == ("The record ends on BIG at 17.", Interval(1, 1))
    alone = answer.elsewhere(frame.head(1), GIVEN, 50.0, str.upper, name)
    assert alone.headline == "GB300 is proven to give most on 1 of 1 benchmark that proves 50 tokens/s per user."
    unled = answer.elsewhere(frame, GIVEN, 100.0, str.upper, name)
    assert unled.headline == "100 tokens/s per user is proven on 2 of 3 benchmarks."
    assert answer.elsewhere(frame.head(0), GIVEN, 50.0, str.upper, name).value is None


def test_a_kilowatt_is_told_at_the_fastest_metered_speed() -> None:
    found = answer.per_kilowatt(GIVEN, "LLM", ["v6.0"], name)
    assert found.headline == "At 50 tokens/s per user GB300 gives 60 tokens/s per kilowatt at the wall."
    assert answer.per_kilowatt(GIVEN.head(0), "LLM", ["v6.0"], name).headline == (
        "No metered run of LLM in v6.0 proves one of these speeds."
    )


def test_figures_have_at_most_so_many_rows_those_that_give_most_first() -> None:
    many = runs(*((f"A{place}", "Server", 20.0, 100.0 + place) for place in range(12)))
    shown = answer.at_rows(user_speed.given(many, [10.0, 100.0]))
    assert list(dict.fromkeys(shown["accelerator"])) == [f"A{place}" for place in range(11, 1, -1)]
    assert len(shown) == 20
    assert answer.drawn(user_speed.curves(many))["accelerator"].nunique() == answer.DRAWN
    waits = answer.waits(user_speed.curves(BOTH))
    assert waits[["ttft_low", "ttft_median", "ttft_high"]].iloc[0].tolist() == [
        400.0,
        640.0,
        800.0,
    ]  # B300 first: it gives most of all
    assert waits["scenario"].tolist() == ["Interactive", "Server"] * 2


def test_limits_and_bounds_are_named() -> None:
    limits = pd.DataFrame({"scenario": ["Server", "Chat"], "speed": [12.5, NAN], "ttft_ms": 3000.0})
    assert answer.limit_lines(limits) == {"Server\nlimit": 12.5}
    told = answer.named(BOTH.assign(proof=["no promise", benchmark_rules.LIMIT, *["log"] * 4]), name)
    assert told["bound"].tolist() == [False, True, *[False] * 4] and told["name"].iloc[3] == "B300"


def test_the_trust_line_counts_the_speeds_that_logs_tell() -> None:
    some = BOTH.assign(proof=["no promise", benchmark_rules.LIMIT, "log", "no promise", "log", "log"])
    assert answer.basis(some) == ["3 of 4 speeds from logs"]
    assert answer.basis(some.head(1)) == [] and len(answer.behind(some)) == 4
    noted = answer.left(GIVEN.assign(notes=[SIZE] * len(GIVEN)), BOTH, "LLM", name)
    assert {own.code for own in noted.notes} == {"another_size"}
