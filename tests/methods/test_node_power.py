"""Watts at the wall: metered under the same cap, else limit times what metered systems drew over theirs."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis.methods import node_power

FACTS = pd.DataFrame({"accelerator": ["H100 SXM", "L40S", "TPU v5e"], "power_limit_w": [700.0, 350.0, np.nan]})
METER = {"power_watts_low": 6400.0, "power_watts_high": 6400.0}
HOST = node_power.Host(Interval(1.2, 1.5), "given")


class Tables(NamedTuple):
    """What a host is known from."""

    results: pd.DataFrame
    accelerators: pd.DataFrame


def test_metered_watts_are_those_of_the_same_cap(comparable_rows):
    """6,400 to 7,200 W of eight; a capped run beside throughput without a cap is none."""
    runs = comparable_rows(
        METER, METER | {"power_watts_high": 7200.0, "result_id": "2"}, METER | {"power_capped": True}
    )
    free, capped = runs.iloc[:2], runs.iloc[2:]
    found = node_power.drawn(runs, free, 700.0, (), HOST)
    assert found.metered and found.watts == Interval(800.0, 900.0)
    assert found.basis == "measured at the wall in 2 runs of 2 systems, official v4.1"
    assert node_power.drawn(runs, capped, 700.0, (), HOST).basis.startswith(
        "measured at the wall in one run of 1 power-capped"
    )
    model = node_power.drawn(capped, free, 700.0, (), HOST)
    assert not model.metered and (model.watts.low, model.watts.high) == pytest.approx((840.0, 1050.0), rel=1e-12)
    assert model.basis == "modeled: power limit of 700 W, times 1.2 to 1.5 for the host (given)"


def test_a_cap_that_is_stated_is_the_limit_of_the_model(comparable_rows):
    """500 W in force x 1.2 to 1.5; where no cap is stated nothing is known of capped rows."""
    capped = comparable_rows({"power_capped": True})
    found = node_power.drawn(capped.head(0), capped.assign(power_limit_watts=500.0), 700.0, (), HOST)
    assert (found.watts.low, found.watts.high) == pytest.approx((600.0, 750.0), rel=1e-12)
    assert "cap in force of 500 W" in found.basis
    assert node_power.drawn(capped.head(0), capped, 700.0, (), HOST).basis == "not known"


def test_without_a_limit_or_a_host_nothing_is_known(comparable_rows):
    none = comparable_rows().head(0)
    assert not node_power.drawn(none, none, np.nan, (), HOST).watts.known
    assert not node_power.drawn(none, none, 350.0, (), node_power.host(Tables(none, FACTS))).watts.known


def test_power_submissions_are_of_one_kind_of_the_rounds_asked_for_first(comparable_rows):
    """Of eight, of the newest round; of another round where those asked for have none."""
    later = METER | {"round": "v5.1"}
    rows = comparable_rows(METER, METER | {"accelerator_count": 4}, METER | {"power_capped": True}, later, {})
    for rounds, ids in (((), ["r3"]), (["v4.1"], ["r0"]), (["v6.0"], ["r3"])):
        assert node_power.metered(rows, False, rounds)["id"].tolist() == ids
    assert node_power.metered(rows, True)["id"].tolist() == ["r2"]
    assert node_power.metered(rows.head(0), False).empty


def test_the_host_is_what_metered_systems_drew_over_their_limits(comparable_rows):
    """6,400 and 7,280 of 5,600 W: 1.143 and 1.3, their median 1.2214; another system capped at 500 W drew 1.6 times."""
    one = METER | {"result_id": "1"}
    runs = comparable_rows(
        one,
        one | {"power_watts_low": 7280.0, "power_watts_high": 7280.0},
        METER | {"result_id": "2", "system": "Capped", "power_capped": True},
        METER | {"accelerator_count": 4},
        METER | {"unit": "samples/s"},
        METER | {"origin": "published"},
    ).assign(power_limit_watts=[np.nan, np.nan, 500.0, np.nan, np.nan, np.nan])
    found = node_power.over_limits(Tables(runs, FACTS))
    assert found["over_limit"].tolist() == pytest.approx([(6400 + 7280) / 2 / 5600, 1.6], rel=1e-12)
    host = node_power.host(Tables(runs, FACTS))
    assert host.over_limit.high == pytest.approx(1.6) and host.range_of == "2 metered systems, H100 SXM"
    assert node_power.host(Tables(runs, FACTS), [1.1, 1.2]) == node_power.Host(Interval(1.1, 1.2), "given")
