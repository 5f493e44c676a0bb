"""The words of the deployment report: the share first, example files marked once, one run told as one."""

from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.answers import my_deployment as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note

BEST = {"accelerator": "H100 SXM", "accelerator_count": 8, "derate_low": 0.312, "derate_high": 0.359}
BEST |= {"source_ids": ("s",), "usd_per_hour_low": 24.0, "usd_per_hour_high": 38.0, "saved_low": 15.0}
BEST |= {"saved_high": 24.0, "enough_low": 3.0, "enough_high": 3.0, "usd_per_million_low": 1.0}
BEST |= {"usd_per_million_high": 1.4, "load": "full"}


def assessed(example: bool = False, **best: object) -> SimpleNamespace:
    """An assessment with what the words read."""
    runs = pd.DataFrame({"example": [example]})
    limited = SimpleNamespace(topic="LLM Server")
    return SimpleNamespace(
        called="H100", runs=runs, best=BEST | best, limited=limited, price=Interval(3.0, 4.7), notes=NONE
    )


def test_the_share_is_told_of_the_reader_s_own_accelerators() -> None:
    finding = answer.share(assessed())
    assert finding.headline == "Your 8 H100 reach 31 to 36 % of what official systems give."
    assert finding.value == Interval(0.312, 0.359) and finding.sources == ["s"]
    one = answer.share(assessed(accelerator_count=1, derate_low=1.2, derate_high=1.3)).headline
    assert one == "Your H100 reaches 1.2 to 1.3 times what official systems give."
    nan = float("nan")
    assert answer.share(assessed(derate_low=nan)).value is None


def test_closing_the_gap_is_told_in_dollars_an_hour() -> None:
    finding = answer.saving(assessed())
    words = "Closing the gap would save $15 to $24 of $24 to $38 an hour: 3 of 8 accelerators would do."
    assert (finding.headline, finding.value) == (words, Interval(15.0, 24.0))
    none = answer.saving(assessed(saved_low=0.0, saved_high=0.0)).headline
    assert none.startswith("Closing the gap would save nothing of $24 to $38 an hour")
    unknown = answer.saving(assessed(saved_low=float("nan")))
    assert unknown.value is None and unknown.headline.startswith("A million output tokens cost $1 to $1.40 here")


@pytest.mark.parametrize(("load", "where"), [("light", "under this light load"), ("", "here")])
def test_no_accelerator_is_given_back_for_a_load_that_may_have_been_light(load: str, where: str) -> None:
    finding = answer.saving(assessed(load=load))
    words = f"A million output tokens cost $1 to $1.40 {where}; what closing the gap would save is not known."
    assert (finding.headline, finding.value) == (words, None)
    assert answer.saving(assessed(load="capped")).value == Interval(15.0, 24.0)


def test_whether_late_answers_change_the_share_is_said_with_the_share() -> None:
    said = "with answers that come too late counted in, your share of the nearest system's Offline rate is"
    assert answer.share_of_offline(assessed(of_offline_low=0.3, of_offline_high=0.3)).headline == f"No: {said} 30 %."
    assert answer.share_of_offline(assessed(of_offline_low=0.1, of_offline_high=0.2)).headline == (
        f"Yes: {said} 10 to 20 %."
    )
    alone = answer.share_of_offline(assessed(derate_low=float("nan"), of_offline_low=1.2, of_offline_high=1.2))
    assert (alone.headline, alone.value) == (f"W{said[1:]} 1.2 times.", Interval(1.2, 1.2))


@pytest.mark.parametrize("example", [True, False])
def test_only_example_files_are_marked_as_such(example: bool) -> None:
    assert answer.sample(assessed(example)).startswith("SAMPLE DATA") == example
    assert bool(answer.sample(assessed(example))) == example


def front(*best: bool) -> SimpleNamespace:
    """Runs of which some are on the front."""
    speed = [50.0, 10.0, 20.0][: len(best)]
    rate = [300.0, 1000.0, 200.0][: len(best)]
    runs = pd.DataFrame({"best": best, "interactivity_low": speed, "interactivity_high": speed})
    runs = runs.assign(per_accelerator_low=rate, per_accelerator_high=rate)
    return SimpleNamespace(runs=runs, notes=frozenset({note("few_requests")}))


def test_the_front_of_runs_is_told_by_rate_and_speed() -> None:
    finding = answer.front(front(True, True, False))
    words = "2 of 3 runs are on the front: 1,000 tokens/s per accelerator at 10 tokens/s per user, 300 at 50."
    assert (finding.headline, finding.value, finding.notes) == (words, Interval(2, 2), {note("few_requests")})
    alone = "1 of 1 run is on the front: 300 tokens/s per accelerator at 50 tokens/s per user."
    assert answer.front(front(True)).headline == alone
    assert answer.front(front(False)).value is None


def test_the_largest_loss_is_told_with_what_is_left() -> None:
    steps = ["latency limits", "requests at a time", "software and set-up"]
    gap = pd.DataFrame({"step": steps, "share_low": [0.9, None, 0.4], "share_high": [0.9, None, 0.5]}, dtype="object")
    gap = gap.astype({"share_low": "float64", "share_high": "float64"})
    gap = gap.assign(lost_low=[0.1, None, 0.45], lost_high=[0.1, None, 0.54]).astype(
        {"lost_low": float, "lost_high": float}
    )
    own = assessed(of_nearest_low=0.4, latency_low=0.9)
    own.gap = gap
    finding = answer.gap(own)
    words = "Software and set-up take 45 to 54 % of the nearest system's Offline rate; 36 to 45 % is left."
    assert (finding.headline, finding.value) == (words, Interval(0.45, 0.54))
    drawn = answer.lost_rows(own)
    assert drawn["label"].tolist() == ["latency limits", "software and set-up"]
    assert drawn["percent_high"].tolist() == pytest.approx([10.0, 54.0])


@pytest.mark.parametrize(
    ("load", "label"),
    [({"concurrency": 1024.0}, "1,024 at a time"), ({"request_rate": 2.5}, "2.5 requests/s"),
     ({"request_rate": float("inf")}, "line 3"), ({"place": ""}, "run.json")],
)  # fmt: skip
def test_a_run_is_told_by_its_load(load: dict, label: str) -> None:
    run = {"concurrency": float("nan"), "request_rate": float("nan"), "place": "line 3", "file": "run.json"} | load
    assert answer.table(SimpleNamespace(runs=pd.DataFrame([run])))["label"].tolist() == [label]
