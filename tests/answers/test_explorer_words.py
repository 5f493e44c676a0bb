"""What the explorer says of itself, from frames of a few rows."""

from collections.abc import Callable

import pandas as pd

from analysis.answers import explorer as answer


def test_it_says_how_much_it_holds(results: Callable[..., pd.DataFrame], states: Callable[..., None]) -> None:
    rows = results(
        {}, {"round": "v6.0", "division": "open"}, {"round": "v6.0", "submitter": "B", "accelerator": "mixed"}
    )
    states(answer.compared(rows), (1, 1), "1 of 2 closed results may be compared: data-center rates, filed once")
    told = "3 official results can be filtered and cited, each with its source, 1 of the open division."
    states(answer.holds(rows), (3, 3), told)
    assert answer.rests_on(rows).text == "MLPerf v4.1 to v6.0, 2 submitters and 1 accelerator"


def test_it_says_that_there_is_nothing(results: Callable[..., pd.DataFrame], states: Callable[..., None]) -> None:
    rows = results({}).head(0)
    states(answer.compared(rows), None, "nothing to explore")


def test_it_names_those_that_filed_most(results: Callable[..., pd.DataFrame], states: Callable[..., None]) -> None:
    rows = results(*({"submitter": name} for name in "AAABBBCCDE"))
    told = "10 official results can be filtered and cited, each with its source; A, B and C filed 80 %."
    states(answer.holds(rows), (10, 10), told)


def test_nothing_rests_on_no_round(results: Callable[..., pd.DataFrame]) -> None:
    rows = results({}).head(0)
    assert answer.rests_on(rows).parts == ("no round of the record",)


def test_the_first_view_is_of_the_newest_round_that_has_it(results: Callable[..., pd.DataFrame]) -> None:
    rows = results({"round": "v5.1"}, {"round": "v6.0", "scenario": "Server"}, {"round": "v6.0", "division": "open"})
    chosen = {"benchmark": ["llm"], "scenario": ["Offline"], "division": ["closed"]}
    assert answer.first_view(rows, "llm", "Offline") == {"round": ["v5.1"], **chosen}
    assert answer.first_view(rows.head(0), "llm", "Offline") == chosen
