"""`analysis plan` and `analysis measure` as a user types them: what they answer, and what they refuse by name."""

import os
import subprocess
import sys

import pytest

from analysis.cli import asking, main
from analysis.core.interval import Interval
from analysis.core.paths import DATA

PLAN = ["plan", "--benchmark", "llama2-70b", "--users", "100", "--tokens-per-user", "30", "--draws", "1000"]
SWEEP, METERED = (str(DATA / "examples" / name) for name in ("vllm_concurrency.jsonl", "aiperf.json"))


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):
    """Run a command; its exit status, and what it printed on both outputs."""

    def run(*arguments: str) -> tuple[int, str]:
        status = main.main(list(arguments))
        return status, "".join(capsys.readouterr())

    return run


def replaced(option: str, value: str) -> list[str]:
    """PLAN with one option changed."""
    at = PLAN.index(option)
    return [*PLAN[: at + 1], value, *PLAN[at + 2 :]]


def test_plan_answers_with_every_quantity_and_the_example_of_the_document(said) -> None:
    status, text = said(*PLAN)
    assert status == 0
    for words in ("accelerators", "systems of eight", "US dollars an hour", "US dollars a user-hour", "kilowatts",
                  "US dollars per million tokens", "What moves the bill most", "Traffic alone asks for"):  # fmt: skip
        assert words in text
    lines = {line.split("  ")[0]: line.split() for line in text.splitlines() if line.startswith(("bill", "accel"))}
    assert lines["accelerators needed"][-2:] == ["4", "2"]
    assert lines["bill"][-2:] == ["19.04", "9.52"]
    assert lines["bill per user"][-2:] == ["0.1904", "0.0952"]


def test_plan_says_the_same_twice_and_something_else_for_another_seed(said) -> None:
    first, again, other = said(*PLAN), said(*PLAN), said(*PLAN, "--seed", "1")
    assert first == again and other != first


def test_a_reader_who_has_seen_enough_ends_the_command_without_a_word() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "analysis.cli.main", *PLAN]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (main.UNREAD, "")


@pytest.mark.parametrize("users", ["10", "10000000"])
def test_plan_for_few_and_for_many(said, users: str) -> None:
    status, text = said(*replaced("--users", users))
    assert status == 0 and f"{int(users):,} users" in text and "nan" not in text


def test_measured_derate_is_taken_of_the_offline_throughput(said) -> None:
    status, text = said(*PLAN, "--derate", "measured")
    assert status == 0
    assert "on Llama 2 70B Offline throughput and the measured Server derate, H100 SXM" in text
    assert "0.881 to 0.895" in text  # 21,588.3 / 24,133.7 = 0.8945 and 21,605.8 / 24,524.9 = 0.8810


def test_derate_of_a_file_is_its_share_of_the_official_range(said) -> None:
    status, text = said(*PLAN, "--derate", SWEEP)
    assert status == 0 and "0.312 to 0.343" in text


def test_plan_says_where_users_are_to_see_more_than_was_measured_or_can_be(said) -> None:
    """The Server limit of 200 ms is 5 tokens/s; 3,350 GB/s over 70 GB of fp8 weights are 47.9, and 300 take seven."""
    slow, fast, faster = (said(*replaced("--tokens-per-user", each))[1].splitlines()[0] for each in ("5", "300", "500"))
    assert "more accelerators may be needed" not in slow and "above the" not in slow and "watts" not in slow
    assert "measured at 5 tokens/s per user or more, not 300: more accelerators may be needed" in fast
    assert "300 tokens/s is above the 47.9 that 1 H100 SXM can decode for one user (bandwidth over fp8 weights)" in fast
    assert "spread over 7 or more can reach it" in fast and "11 or more (more than one system has)" in faster
    _, wide = said(*replaced("--tokens-per-user", "40"), "--precision", "fp16")  # a copy is 140 GB, on two at once
    assert "above the" not in wide


def test_accelerator_without_a_price_is_planned_without_dollars(said) -> None:
    status, text = said(*PLAN, "--accelerator", "MI300X")
    assert status == 0 and "at a price that is not known" in text
    assert "What moves the number of accelerators most is the" in text


REFUSED = [
    (replaced("--users", "0"), "parameter users: Input should be greater than 0; got 0"),
    (replaced("--users", "-5"), "parameter users: Input should be greater than 0; got -5"),
    (replaced("--tokens-per-user", "0"), "parameter tokens_per_second_per_user: Input should be greater than 0"),
    (replaced("--tokens-per-user", "nan"), "parameter tokens_per_second_per_user: Input should be"),
    (replaced("--benchmark", "llama2-70"), "did you mean 'llama2-70b'? valid: llama2-70b, mixtral-8x7b"),
    ([*PLAN, "--accelerator", "H900"], "no accelerator 'H900': did you mean 'H200 SXM'? valid: A100 SXM 80GB"),
    ([*PLAN, "--price=-3"], "--price '-3': '-3' is not a number or a range such as 2-4.76, low before high"),
    ([*PLAN, "--price", "0"], "--price '0': a price is above zero; expected ACCELERATOR=DOLLARS"),
    ([*PLAN, "--price", "5-2"], "--price '5-2': '5-2': the lower end comes first"),
    ([*PLAN, "--derate", "60-120"], "is above 100 %: a production system faster than the benchmark. Say --above-one"),
    ([*PLAN, "--derate", "1.2"], "is above 100 %"),
    ([*PLAN, "--derate", "0-50"], "derate 0 to 0.5 is not within 0 (not itself) to 1"),
    ([*PLAN, "--derate", "gone.json"], "--derate 'gone.json' is not a number or a range"),
    ([*PLAN, "--peak", "0.5-1"], "peak_over_mean.0: Input should be greater than or equal to 1"),
    ([*PLAN, "--scenario", "server"], "parameter scenario: Input should be 'Server' or 'Interactive'; got 'server'"),
    ([*PLAN, "--precision", "fp7"], "parameter weight_precision: Input should be 'fp16', 'fp8'"),
    ([*PLAN, "--wait-percentile", "99"], "parameter wait_percentile: Input should be less than 1; got 99.0"),
    ([*PLAN, "--draws", "10"], "parameter draws: Input should be greater than or equal to 1000; got 10"),
    (["measure", METERED], "does not say its accelerator (its telemetry lists 8 x NVIDIA H100 80GB HBM3)"),
    (["measure", METERED, "--accelerator", "H100"], "does not say how many accelerators it ran on"),
    (["measure", METERED, "--accelerator", "H100", "--count", "-1"], "accelerator_count: Input should be greater"),
    (["measure", SWEEP, "--accelerator", "L40S"], "says it ran on H100 SXM, but accelerator is given as L40S"),
    (["measure", SWEEP, "--price=-1"], "--price '-1': '-1' is not a number"),
    ([*PLAN, "--price", "L40S=2"], "--price 'L40S=2' is the price of L40S, but H100 SXM is asked about"),
    ([*PLAN, "--price", "H900=2"], "no accelerator 'H900': did you mean"),
    (["measure", SWEEP, "--price", "L40S=2"], "prices are of L40S, but the runs are on H100 SXM"),
    (["measure", SWEEP, "--ttft-ms", "-1"], "parameter ttft_ms: Input should be greater than or equal to 0; got -1.0"),
    (["measure", "gone.json"], "gone.json: cannot be read: No such file or directory"),
    (["measure", __file__], "is no JSON"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(each[0][-2:]) for each in REFUSED])
def test_wrong_questions_are_refused_by_name(said, arguments: list[str], words: str) -> None:
    status, text = said(*arguments)
    assert status == 2 and words in text and "Traceback" not in text


def test_prompt_that_takes_the_whole_limit_is_said_by_name(said) -> None:
    """1,024 x 2 x 70e9 operations over two L40S at half of 733e12 a second are 195.6 ms."""
    status, text = said(*PLAN, "--accelerator", "L40S", "--ttft-ms", "150")
    assert status == 0
    assert "Reading a prompt of 1,024 tokens takes 196 ms on 2 L40S at 50 % of the dense compute" in text
    assert "no less than the ttft_ms of 150" in text and "need" not in text.splitlines()[0]


def test_prompt_and_wait_stand_among_the_inputs(said) -> None:
    _, text = said(*PLAN, "--prompt-tokens", "2000", "--prefill-share", "0.4")
    lines = {line.split("  ")[0]: line.split()[-1] for line in text.splitlines() if line}
    assert (lines["reading the prompt"], lines["wait for a free slot"]) == ("0.354", "1.65")  # 2.8e14 / 7.916e14


def test_plan_where_nothing_varies_says_so(said) -> None:
    few = ["plan", "--benchmark", "gptj", "--users", "2", "--tokens-per-user", "20", "--accelerator", "L40S"]
    status, text = said(*few, "--price", "1.5", "--tokens-per-request", "500")
    assert status == 0 and "nothing changes the number of accelerators: 1 in 100 % of the draws" in text


def test_price_may_be_a_whole_quote_by_any_name_of_the_accelerator(said) -> None:
    bare, quoted = (said(*PLAN, "--price", usd) for usd in ("2.5-3", "H100=2.5-3; reserved; 2026-01"))
    assert bare == quoted and bare[0] == 0


def test_derate_above_one_is_taken_when_said(said) -> None:
    status, text = said(*PLAN, "--derate", "120", "--above-one")
    assert status == 0 and "1.2" in text


def test_measure_answers_and_says_that_the_file_is_an_example(said) -> None:
    status, text = said("measure", SWEEP)
    assert status == 0
    assert "numbers were written by hand, nothing was measured" in text
    assert "nearest official row (4.1-0043)" in text and "4 of 5 runs hold both limits" in text


def test_measure_answers_first_what_share_where_the_rest_goes_and_what_it_would_save(said) -> None:
    """7,400 tokens/s of 8 at 2.5 dollars: 925 each of 2,697 to 2,964 officially, so 3 of the 8 would do."""
    share, gap, saving = said("measure", SWEEP, "--price", "2.5")[1].splitlines()[:3]
    assert "31.2 to 34.3 % of what official Llama 2 70B Server systems give per accelerator" in share
    assert gap.startswith(
        "Of the nearest system's Offline rate, 57.9 % is lost to software and set-up, 11.9 % to latency"
    )
    assert "would save 12.5 of 20 dollars an hour" in saving and "3 of the 8 accelerators" in saving
    assert [each for each in (share, gap, saving) if "nothing was measured" not in each] == []


def test_measure_without_an_official_row_tells_its_costs_alone(said) -> None:
    of = ("measure", METERED, "--accelerator", "A10", "--count", "8")
    share, gap, saving = said(*of, "--price", "2.5")[1].splitlines()[:3]
    assert share.startswith("No official row of A10") and gap.startswith("No official row of A10")
    assert saving.startswith("A million output tokens cost 3.09 US dollars") and "without an official row" in saving
    assert "No price of A10 is known" in said(*of)[1].splitlines()[2]


def test_measure_takes_price_energy_and_count_from_the_command_line(said) -> None:
    status, text = said("measure", METERED, "--accelerator", "H100", "--count", "8", "--price", "2.5")
    assert status == 0 and "2.38 joules" in text
    assert "tokens cost 3.09 US dollars here" in text  # 8 x 2.5 dollars an hour over 1,800 x 3,600 tokens


@pytest.mark.parametrize(
    ("text", "share"),
    [("60-80", (0.6, 0.8)), ("0.6-0.8", (0.6, 0.8)), ("70", (0.7, 0.7)), ("1", (1.0, 1.0)), ("3%", (0.03, 0.03)),
     ("1.2", (1.2, 1.2)), ("120", (1.2, 1.2)), (".5", (0.5, 0.5))],
)  # fmt: skip
def test_shares_are_per_cent_above_five(text: str, share: tuple[float, float]) -> None:
    assert asking.share("--derate", text) == Interval(*share)
