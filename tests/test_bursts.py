"""The queue of slots, on traces small enough to follow by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis import bursts

RNG = np.random.default_rng


def test_three_requests_at_once_wait_for_each_other():
    """On one slot they start at 0, 10, and 20 s, on two the last at 10. A wait of exactly the limit is in time."""
    arrivals, work = np.zeros(3), np.full(3, 10.0)
    for wait, expected in ((0, [False, False, True]), (9.9, [False, False, True]), (10, [False, True, True])):
        assert [bursts.enough(arrivals, work, slots, wait) for slots in (1, 2, 3)] == expected


def test_the_first_slot_that_is_free_takes_the_next_request():
    arrivals, work = np.array([0.0, 0.0, 1.0, 2.0]), np.array([5.0, 1.0, 1.0, 1.0])
    # Two slots: the second is free at 1 and at 2, so that nobody waits although the first is busy until 5.
    assert bursts.enough(arrivals, work, 2, wait=0)
    assert not bursts.enough(arrivals, work, 1, wait=0)


def test_bursts_of_ten_take_slots_by_how_long_requests_may_wait():
    arrivals, work = np.repeat(np.arange(0.0, 1000, 10), 10), np.ones(1000)
    load = 1000 / 990
    # 10 requests of 1 s on c slots: the last starts after ceil(10 / c) - 1 seconds.
    assert bursts.utilization(arrivals, work, wait=0) == pytest.approx(load / 10)
    assert bursts.utilization(arrivals, work, wait=1) == pytest.approx(load / 5)
    assert bursts.utilization(arrivals, work, wait=4) == pytest.approx(load / 2)
    assert bursts.utilization(arrivals + 5000, work, wait=4) == pytest.approx(load / 2)  # a trace may begin at any time
    later = bursts.utilization(np.append(arrivals, 2000.0), np.append(work, 1.0), wait=4)  # and end with one request
    assert later == pytest.approx(1001 / 2000 / 2)


def test_one_percent_may_start_late():
    """Of 1,000 requests ten may: eleven at a time leave ten to wait on one slot, of twelve two slots take two."""
    for last, slots in ((11, 1), (12, 2)):
        arrivals = np.append(np.arange(0.0, 1000 - last), np.full(last, 1000.0 - last))
        work = np.full(1000, 0.5)
        assert bursts.utilization(arrivals, work, wait=0) == pytest.approx(500 / (1000 - last) / slots)


def test_level_gives_each_window_equal_work_and_keeps_the_order():
    arrivals = np.concatenate([np.linspace(0, 599, 60), np.linspace(600, 1199, 600)])
    work = np.ones(len(arrivals))
    levelled = bursts.level(arrivals, work)
    counts = np.histogram(levelled, [0, 600, 1200])[0]
    assert counts.tolist() == pytest.approx([330, 330], abs=2)
    assert (np.diff(levelled) >= 0).all()
    # Work, not requests, is levelled: twice as long requests in the first half, half as many in it.
    arrivals = np.linspace(0, 1199, 1200)
    by_work = np.histogram(bursts.level(arrivals, np.where(arrivals < 600, 2.0, 1.0)), [0, 600, 1200])[0]
    assert by_work.tolist() == pytest.approx([450, 750], abs=2)
    late = np.append(np.linspace(0, 100, 99), 1000.0)  # two windows: 99% of the work takes 99% of the time
    assert bursts.level(late, np.ones(100))[98] == pytest.approx(198)


def test_a_trace_shorter_than_a_window_is_not_warped():
    arrivals = np.append(np.linspace(0, 4, 500), 9.0)
    assert bursts.level(arrivals, np.ones(501)) == pytest.approx(arrivals)
    larger, _ = bursts.enlarge(arrivals, np.ones(501), 30, RNG(0))
    assert (larger < 5).mean() == pytest.approx(0.5, abs=0.02)


def test_an_enlarged_service_keeps_the_swing_and_drops_chance():
    minute = np.concatenate([np.linspace(0, 29, 30), np.linspace(30, 59, 10)])
    arrivals = (minute + 60 * np.arange(20)[:, None]).ravel()  # 30 and 10 requests in turn, each half minute
    larger, work = bursts.enlarge(arrivals, np.full(len(arrivals), 2.0), 30, RNG(0))
    assert len(larger) == len(work) == bursts.COPIES * len(arrivals)
    even = np.histogram(larger, np.arange(0, 1201, 30))[0].reshape(-1, 2).sum(0)
    # The variance of 30 and 10 is 10^2, of which chance makes their mean, 20, however long they are.
    swing = (even[0] - even[1]) / even.sum()
    assert swing == pytest.approx(0.5 * np.sqrt(1 - 20 / 10**2), abs=0.02)
    few = (np.array([15, 35, 45, 55]) + 60 * np.arange(20)[:, None]).ravel()  # one and three in turn may be chance
    assert (bursts.enlarge(few, np.ones(80), 30, RNG(0))[0] % 60 < 30).mean() == pytest.approx(0.5, abs=0.05)
    poisson = np.sort(RNG(1).uniform(0, 1200, 4000))
    flat = np.histogram(bursts.enlarge(poisson, np.ones(4000), 30, RNG(0))[0], np.arange(0, 1201, 30))[0]
    recorded = np.histogram(poisson, np.arange(0, 1201, 30))[0]
    assert flat.std() / flat.mean() < 0.6 * recorded.std() / recorded.mean()


def test_pooled_services_are_copies_shifted_in_time():
    pooled, seconds = bursts.pool(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]), RNG(0))
    assert (np.diff(pooled) >= 0).all() and pooled.min() >= 0 and 2 < pooled.max() < 3
    assert sorted(seconds) == sorted([5.0, 6.0, 7.0] * 16)
    apart = [np.sort(pooled[seconds == each] % 1) for each in (5, 6, 7)]
    assert apart[0] == pytest.approx(apart[1]) and apart[0] == pytest.approx(apart[2])  # each shifted as a whole


def test_random_requests_are_those_of_the_trace_in_its_time():
    moments, seconds = bursts.poisson(np.array([0.0, 9.0]), np.array([1.0, 2.0]), RNG(0), 1000)
    assert 0 <= moments[0] < 0.1 and 9.9 < moments[-1] < 10 and (np.diff(moments) >= 0).all()
    assert sorted(seconds) == [1.0] * 1000 + [2.0] * 1000


def requests(arrivals, answer_tokens, **more):
    return pd.DataFrame({"arrival_seconds": arrivals, "prompt_tokens": 0, "answer_tokens": answer_tokens, **more})


def test_a_request_holds_its_slot_for_prefill_and_tokens():
    asked = requests([0.0, 1.0, 2.0], [100, 10, 10], prompt_tokens=[20_000, 40_000, 5_000])
    assert bursts.slot_seconds(asked, 80) == pytest.approx([1 + 8, 2 + 0.8, 0.25 + 0.8])
    asked["reused_prompt_tokens"] = [np.nan, 20_000, 6_000]  # the prompt cache spares them
    assert bursts.slot_seconds(asked, 80) == pytest.approx([1 + 8, 1 + 0.8, 0.8])


def test_random_arrivals_lose_nothing_and_bursts_do():
    rng = RNG(3)
    even = requests(np.sort(rng.uniform(0, 1200, 6000)), 50)
    assert bursts.over_poisson(even, 80, 1000, "recorded").mean() == pytest.approx(1, abs=0.08)
    moments = np.sort(np.concatenate([rng.uniform(60 * turn, 60 * turn + 20, 300) for turn in range(20)]))
    alone = bursts.over_poisson(requests(moments, 50), 80, 1000, "recorded").mean()
    assert alone == pytest.approx(25 / 60, abs=0.05)  # work of 20 s, done in 25 s of each minute
    assert bursts.over_poisson(requests(moments + 5000, 50), 80, 1000, "recorded").mean() == pytest.approx(alone)
    assert bursts.over_poisson(requests(moments, 50), 80, 1000, "pooled").mean() > 1.3 * alone
    assert bursts.over_poisson(requests(moments, 50), 80, 20_000, "recorded").mean() > 1.3 * alone  # who waits longer


def test_public_chat_is_simulated_as_one_service_and_as_sixteen_on_one_fleet(monkeypatch):
    traces = requests([0.0, 0.0, 0.0], 1, service=["b", "code", "a"])
    monkeypatch.setattr(bursts.tables, "load", {"traffic_traces": traces}.get)
    monkeypatch.setattr(bursts, "over_poisson", lambda rows, tpot_ms, ttft_ms, shape: [tpot_ms * ttft_ms + len(shape)])
    assert bursts.simulated(15.0, 2.0).reset_index().to_numpy().tolist() == [
        [0, 15, 2, "", "a", 38], [1, 15, 2, "", "b", 38], [2, 15, 2, "pooled", "a", 36], [3, 15, 2, "pooled", "b", 36],
    ]  # fmt: skip


def test_an_enlarged_service_is_simulated_with_swings_of_ten_and_of_thirty_seconds(monkeypatch):
    asked = []
    monkeypatch.setattr(bursts, "enlarge", lambda arrivals, work, window, rng: asked.append(window) or (arrivals, work))
    bursts.over_poisson(requests(np.linspace(0, 1200, 600), 50), 80, 1000, "enlarged")
    assert asked == [10, 30] * 2


def trace(tmp_path, rows=120, **columns):
    table = pd.DataFrame({"arrival_seconds": np.arange(rows)[::-1], "answer_tokens": 5, "user": "a"}).astype("str")
    table.assign(**columns).to_csv(tmp_path / "mine.csv", index=False)
    return tmp_path / "mine.csv"


def test_a_trace_is_put_in_order_and_may_lack_prompts(tmp_path):
    read = bursts.read_trace(trace(tmp_path))
    assert read["arrival_seconds"].tolist() == read.index.tolist() == list(range(120))
    assert read[["prompt_tokens", "answer_tokens"]].drop_duplicates().values.tolist() == [[0, 5]]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"answer_tokens": ["5"] * 7 + ["five"] + ["5"] * 112}, r"mine\.csv, row 9, answer_tokens: 'five'"),
        ({"arrival_seconds": ["-1"] + ["5"] * 119}, r"row 2, arrival_seconds: '-1'"),
        ({"prompt_tokens": ["1"] * 119 + ["1.1e15"]}, r"row 121, prompt_tokens: '1.1e15'"),
        ({"prompt_tokens": ["1"] * 119 + [""]}, r"row 121, prompt_tokens: ''"),
        ({"answer_tokens": "0"}, "expected 100 or more"),
        ({"arrival_seconds": "7"}, r"last request is 0\.0; expected a number from 10"),
        (
            {"arrival_seconds": ["1e15"] + ["5"] * 119},
            "first to last request is .* from 10 to 320,000,000",
        ),
        ({"arrival_seconds": ["1e-300"] + ["5e-300"] * 119}, "expected a number from 10"),
    ],
)
def test_a_bad_trace_is_refused_with_its_place(tmp_path, columns, said):
    with pytest.raises(ValueError, match=said):
        bursts.read_trace(trace(tmp_path, **columns))


def test_a_trace_without_a_column_or_too_short_is_refused(tmp_path):
    with pytest.raises(ValueError, match="99 requests; expected 100 or more"):
        bursts.read_trace(trace(tmp_path, rows=99))
    assert len(bursts.read_trace(trace(tmp_path, rows=100, answer_tokens=["0"] + ["5"] * 99))) == 100
    for missing, found in (("arrival_seconds", "time, answer_tokens"), ("answer_tokens", "arrival_seconds, tokens")):
        (tmp_path / "other.csv").write_text(found.replace(" ", "") + "\n1,2\n")
        with pytest.raises(ValueError, match=rf"other\.csv: no column '{missing}'; .* found '{found}'"):
            bursts.read_trace(tmp_path / "other.csv")


def test_windows_hold_the_tokens_of_ten_minutes_and_zero_where_nobody_asked():
    rates = bursts.windows(requests([599.0, 700.0, 1199.0, 1200.0, 2400.0], [5, 1, 2, 4, 8]))
    assert rates["seconds"].tolist() == [0, 600, 1200, 1800, 2400]
    assert rates["requests_per_second"].tolist() == [5, 3, 4, 0, 8]
