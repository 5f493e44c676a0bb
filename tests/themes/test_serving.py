"""How fast users are known to have been served: by the run's own log, else by its scenario's limit in its round."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from analysis.themes import serving

LIMITS = pd.DataFrame(
    [("llm", "Server", 200.0, "v4.1;v5.1"), ("llm", "Server", 100.0, "v6.0"), ("llm", "Interactive", 40.0, "v5.1")],
    columns=["benchmark", "scenario", "high", "rounds"],
).assign(quantity="tpot_p99_limit", confidence="high")


def test_users_saw_what_the_log_says_else_what_the_limit_of_the_round_allows(results: Callable) -> None:
    """1000 / 125 ms are 8; without a log 200 ms are 5, 100 ms in v6.0 are 10, 40 ms of Interactive are 25."""
    own = [{}, {}, {"round": "v6.0"}, {"scenario": "Interactive", "round": "v5.1"}, {"benchmark": "images"}]
    rows = results(*({"benchmark": "llm", "scenario": "Server"} | row for row in own))
    logged = rows.assign(tpot_p99_ms=[125.0, np.nan, 0.0, np.nan, np.nan])
    found = serving.proven(logged, LIMITS).tolist()
    assert found[:4] == [8.0, 5.0, 10.0, 25.0] and np.isnan(found[4])
    assert serving.proven(rows, LIMITS).tolist()[:2] == [5.0, 5.0]


def test_a_row_without_a_round_has_the_limit_of_the_rounds_asked_for(results: Callable) -> None:
    rows = results({"benchmark": "llm", "scenario": "Server", "round": ""})
    assert serving.proven(rows, LIMITS, ["v6.0"]).tolist() == [10.0]
