"""`analysis plan`, `choose`, and `measure` as typed: answers, JSON, and refusals that name the option."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core import named_accelerators, parameters, price_quote
from analysis._core.interval import Interval
from analysis._core.notes import KINDS
from analysis._core.paths import DATA
from analysis._core.refusal import Refused
from analysis._tables import check
from analysis._tables.schema import Fault
from analysis.audit import typos
from analysis.cli import main, option_values

PLAN = ["plan", "--benchmark", "llama2-70b", "--users", "100", "--tokens-per-user", "25", "--draws", "1000"]
PLAN += ["--accelerator", "H200 SXM"]
CHOOSE = ["choose", "--users", "1000", "--tokens-per-user", "25", "--draws", "1000"]
SWEEP, METERED, OLD = (
    str(DATA / "examples" / name) for name in ("vllm_concurrency.jsonl", "aiperf.json", "vllm_old.json")
)


@pytest.fixture
def said(capsys):
    """Run a command; its exit status, and what it printed on both outputs."""

    def run(*arguments):
        status = main.main(list(arguments))
        return status, "".join(capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def answers():
    """What commands on the shipped tables answered."""
    return {}


@pytest.fixture
def answered(said, answers):
    """The same of a command that several tests read the answer of, run once for all: it takes seconds."""

    def run(*arguments):
        if arguments not in answers:
            answers[arguments] = said(*arguments)
        return answers[arguments]

    return run


def noted(text, code):
    """Whether a note of this kind is among the words, whatever its values."""
    return re.search(re.sub(r"\\{\w+\\}", ".*", re.escape(KINDS[code].words)), text) is not None


def replaced_in(command, option, value):
    """A command with one option changed."""
    at = command.index(option)
    return [*command[: at + 1], value, *command[at + 2 :]]


def replaced(option, value):
    """PLAN with one option changed."""
    return replaced_in(PLAN, option, value)


def test_a_command_loads_nothing_that_it_does_not_use():
    program = f"""
import sys
from analysis.cli import main
for command in {[["check"], ["audit"], PLAN, CHOOSE]}:
    assert main.main(command) == 0
    heavy = {{"matplotlib", "IPython"}} & set(sys.modules)
    assert not heavy, (command, heavy)
"""
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, stdout=subprocess.DEVNULL)


def test_plan_answers_with_every_quantity_and_what_it_rests_on(answered):
    status, text = answered(*PLAN)
    assert status == 0 and text.startswith(
        "Serving 100 users at 25 tokens/s takes 2 to 3 H200 (part of a node, interpolated), $3.48 to $5.22/hour, $0.39 "
    )
    for words in ("accelerators", "nodes of up to 8", "cost ($/hour)", "cost ($/user-hour)", "facility power (kW)",
                  "cost ($/million tokens)", "headroom over peak traffic (%)", "Rank correlation with cost: ",
                  "Binding constraint (share of draws): ", "Plan on H200 SXM, Llama 2 70B Server",
                  "What changes it (median)", "price +20%", "50 tokens/s per user", "utilization 50%"):  # fmt: skip
        assert words in text


def test_a_reader_who_has_seen_enough_ends_the_command_without_a_word():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "analysis.cli.main", *PLAN]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (main.UNREAD, "")


def test_the_measured_derate_takes_the_throughput_in_full(said):
    full, derated = (said(*PLAN, "--users", "5000", "--derate", derate)[1] for derate in ("measured", "60-80"))
    assert "measured under the latency limit, no production loss" in full
    nodes = [int(re.search(r"takes (\d+)", text).group(1)) for text in (full, derated)]
    assert nodes[0] < nodes[1]


def test_a_file_is_planned_with_by_its_own_rate_at_its_own_speed(said):
    """At 80 ms at p99 256 requests at a time saw 12.5 tokens/s: 4,800 tokens/s of 8 are 600 each."""
    asked = [*replaced("--tokens-per-user", "12"), "--accelerator", "H100", "--derate", SWEEP]
    status, text = said(*asked)
    line = next(line for line in text.splitlines() if line.startswith("throughput per accelerator"))
    assert status == 0 and " 600 " in line and SWEEP in line


def test_a_plan_is_never_made_with_a_throughput_at_a_lower_speed(said):
    """No official run of H100 gave 25 tokens/s to each user: an estimate. None is faster than its memory."""
    status, text = said(*PLAN, "--accelerator", "H100")
    assert status == 0 and "H100 (part of a node, estimate)" in text
    status, text = said(*replaced("--tokens-per-user", "2000"))
    assert status == 1 and text.startswith("analysis: the memory bandwidth of H200 gives a user 550 tokens/s of")
    status, text = said(*replaced("--tokens-per-user", "100"), "--accelerator", "H100", "--derate", SWEEP)
    assert status == 2 and "holds no run within --ttft-ms whose time per output token is at most 10 ms" in text


NOTHING = [
    (["--accelerator", "speedAI 240"], "throughput per accelerator of speedAI 240 on Llama 2 70B Server is"),
    (
        ["--benchmark", "qwen3-vl-235b-a22b", "--context", "1000000000"],
        "in 100% of draws 1,024 H200 hold no request of Qwen3-VL 235B beside its weights. Lower --precision",
    ),
    (  # 791 x 2 x 70e9 operations over a node of eight L40S at half of 733e12 a second
        ["--accelerator", "L40S", "--ttft-ms", "30"],
        "prefill of 791 tokens takes 37.8 ms on 8 L40S at 50% of dense compute, --ttft-ms is 30: shorten",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), NOTHING, ids=["others", "memory", "prompt"])
def test_planning_nothing_is_a_failure_that_says_why_and_what_there_is(said, arguments, words):
    status, text = said(*PLAN, *arguments)
    assert status == 1 and text.startswith("analysis: ") and words in text


def test_plan_as_json_holds_what_the_words_say(said, answered):
    (_, words), (status, text) = answered(*PLAN), said(*PLAN, "--format", "json")
    plan = json.loads(text)
    assert status == 0 and list(plan) == ["parameters", "findings", "throughput", "quantities", "inputs", "changes"]
    assert plan["parameters"]["users"] == 100 and plan["findings"][0]["headline"] == words.splitlines()[0]
    (needed,) = (row for row in plan["quantities"] if row["output"] == "accelerators")
    ends = plan["findings"][0]["low"], plan["findings"][0]["high"]
    assert ends == (needed["p10"], needed["p90"]) == (2, 3)
    rate = plan["throughput"]
    assert rate["evidence"] == "interpolated" and rate["low"] < rate["per_accelerator"] < rate["high"]
    assert [row["change"] for row in plan["changes"]][:2] == ["price -20%", "price +20%"]
    without = said(*PLAN, "--accelerator", "MI350X", "--format", "json")[1]
    assert {row["p50"] for row in json.loads(without)["quantities"] if row["output"].startswith("usd")} == {None}


def refusal(ask, *given):
    """What is said of something that is asked with what cannot be."""
    with pytest.raises(ValueError, match=r".") as error:
        ask(*given)
    return str(error.value)


def refused(notebook, **values):
    """What the parameters of this notebook say of these values, by the names of the options."""
    with pytest.raises(Refused) as error:
        parameters.validate(notebook, values)
    return error.value.text_for(option_values.option)


PLANNED = "real_world_derating"
H900 = refusal(named_accelerators.accelerator_named, "H900")
REFUSED = [
    (replaced("--users", "1" + 22 * "0"), f"--users: Input should be less than or equal to {parameters.MOST_USERS}"),
    ([*PLAN, "--prompt-tokens", "5000"], "--prompt-tokens is 5,000, but the model of llama2-70b takes 4,096 at most"),
    ([*PLAN, "--accelerator", "mixed"], "--accelerator: 'mixed': "),
    ([*PLAN, "--wall-over-limit", "2-1"], "--wall-over-limit '2-1': the lower end comes first"),
    ([*PLAN, "--derate", "measured x 0-50"], "--derate 'measured x 0-50': what production keeps is above 0; valid"),
    (replaced("--tokens-per-user", "0"), refused(PLANNED, tokens_per_second_per_user=0.0)),
    ([*PLAN, "--accelerator", "H900"], H900),
    ([*PLAN, "--price", "5-2"], f"--price {refusal(price_quote.parse_quote, '5-2', price_quote.EXPECTED_PLAIN)}"),
    ([*PLAN, "--derate", "120%"], "FILE that is there; more than 100 % with --above-one"),
    ([*PLAN, "--derate", "0-50"], "--derate '0-50': what production keeps is above 0; valid: per cent such as 60-80"),
    ([*PLAN, "--derate", f"60-{'9' * 400}"], "is no share; valid: per cent such as"),
    ([*PLAN, "--rounds", "v6.0", "v5.9"], "--rounds 'v5.9': no official result of it is here; rounds that are here: "),
    (["measure", SWEEP, "--rounds", "v9.9"], "--rounds 'v9.9': no official result of it is here; rounds that are"),
    ([*PLAN, "--derate", "measured", "--count", "3"], "--count 3 needs a FILE of a run as --derate"),
    ([*PLAN, "--scenario", "server"], refused(PLANNED, scenario="server")),
    (["measure", METERED, "--accelerator", "H100"], "HBM3): give --count, 1 or more"),
    ([*PLAN, "--price", "L40S=2"], "--price 'L40S=2' is the price of L40S, but H200 SXM is asked about"),
    ([*PLAN, "--accelerator", "AMD"], "--accelerator: 'AMD' is a vendor, one accelerator is expected"),
    (["measure", SWEEP, "--price", "L40S=2"], "prices are of L40S, but the runs are on H100 SXM"),
    (["measure", "gone.json"], "gone.json: cannot be read: No such file or directory"),
    (["measure", __file__], "is no JSON"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(each[0][-2:]) for each in REFUSED])
def test_wrong_questions_are_refused_by_name(said, arguments, words):
    status, text = said(*arguments)
    assert status == 2 and words in text and "Traceback" not in text and "Warning" not in text


def test_prompt_and_wait_stand_among_the_inputs(said):
    _, text = said(*PLAN, "--prompt-tokens", "2000", "--prefill-share", "0.4")
    lines = {line.split("  ")[0]: line.split()[-1] for line in text.splitlines() if line}
    assert (lines["prefill"], lines["queueing"]) == ("1.26", "0.742")  # 2 x 70e9 x 7,117 / 7.916e14


def test_price_may_be_a_whole_quote_by_any_name_of_the_accelerator(said):
    bare, quoted = (said(*PLAN, "--price", usd) for usd in ("2.5-3", "H200=2.5-3; reserved; 2026-01"))
    assert bare == quoted and bare[0] == 0


def test_derate_above_one_is_taken_when_said(said):
    status, text = said(*PLAN, "--derate", "120", "--above-one")
    assert status == 0 and "1.2" in text


OTHERS = {  # what is said of each example, and its answer
    "sglang.jsonl": (["--accelerator", "h100"], "8x H100: 6.6% to 7.6%"),
    "genai_perf.json": (["--accelerator", "H100", "--count", "8"], "8x H100: 4.2% to 4.9%"),
    "guidellm.json": (["--accelerator", "H100"], "8x H100: 5.3% to 6.1%"),
    "guidellm_old.json": (["--accelerator", "H100", "--count", "8"], "8x H100: 0.14% to 0.17%"),
    "inferencex.json": (["--accelerator", "H200"], "8x H200: 5.3% to 5.5%"),
    "aiperf_aggregate.json": (["--accelerator", "H100", "--count", "8"], "8x H100: 4.2% to 4.9%"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_format_is_measured(said, name):
    told, share = OTHERS[name]
    status, text = said("measure", str(DATA / "examples" / name), *told, "--benchmark", "llama2-70b")
    assert status == 0 and share in text


def test_measure_answers_and_says_once_that_the_file_is_an_example(said):
    status, text = said("measure", SWEEP)
    assert status == 0 and text.startswith("SAMPLE DATA: written by hand")
    assert text.count("written by hand") == 1
    assert "nearest official row (4.1-0060)" in text and re.search(r"Runs within the p99 .* 4 of 5\n", text)


def test_a_measurement_of_one_s_own_is_not_said_to_be_an_example(said, tmp_path):
    own = tmp_path / "own.jsonl"
    lines = [json.loads(line) for line in Path(SWEEP).read_text("utf-8").splitlines()]
    assert all(line.pop("example") for line in lines)
    own.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    status, text = said("measure", str(own))
    assert status == 0 and "SAMPLE" not in text
    assert "Your own run is unverified" in text and "for internal use only" in text
    assert text.startswith("8x H100: 31% to 36% of MLPerf Inference throughput per accelerator (Llama 2 70B Server)")


def test_measure_answers_first_with_the_share_of_mlperf_and_what_the_rest_costs(said):
    """7,400 tokens/s of 8 at 2.5 dollars: 925 each of 2,576 to 2,962 officially, so 3 of the 8 would do."""
    share, cost = said("measure", SWEEP, "--price", "2.5")[1].splitlines()[1:3]
    assert share == "8x H100: 31% to 36% of MLPerf Inference throughput per accelerator (Llama 2 70B Server)"
    assert cost == (
        "Cost: $0.75 per million output tokens; at MLPerf Inference throughput 3 of 8 accelerators suffice, saving $12 "
        "of $20/hour."
    )


def test_measure_takes_price_energy_and_count_from_the_command_line(said):
    status, text = said("measure", METERED, "--accelerator", "H100", "--count", "8", "--price", "2.5")
    assert status == 0 and re.search(r"accelerators only \(J\) +2.38\n", text)
    assert " 3.09 " in text  # 8 x 2.5 dollars an hour over 1,800 x 3,600 tokens


@pytest.mark.parametrize(("faults", "status"), [([], 0), ([Fault("apples.csv", 2, "unit", "is missing")], 1)])
def test_check_tells_faults_first_and_notes_of_figures_which_are_no_faults(said, monkeypatch, faults, status):
    monkeypatch.setattr(check, "faults", lambda: faults)
    monkeypatch.setattr(typos, "notes", lambda: ["note: claims.csv, row a"])
    ended, text = said("check")
    assert ended == status
    assert text.splitlines()[:-1] == [*map(str, faults), "note: claims.csv, row a"]
    assert text.splitlines()[-1].startswith("1 fault in data/" if faults else "data/ is sound")


@pytest.mark.parametrize(("broken", "command"), [("cell", ["audit"]), ("descriptor", PLAN)], ids=["cell", "descriptor"])
def test_a_broken_table_is_a_failure_that_no_question_is_blamed_for(tmp_path, documents_only, command, broken):
    folder = documents_only(tmp_path / "data")
    name = {"cell": "results.csv", "descriptor": "datapackage.json"}[broken]
    text = (folder / name).read_text("utf-8")
    (folder / name).write_text(text.replace(",tokens/s,", ",token/s,") if broken == "cell" else text[1:], "utf-8")
    program = [sys.executable, "-m", "analysis.cli.main", *command]
    environment = os.environ | {"ANALYSIS_ROOT": str(tmp_path)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(f"analysis: {name}"), done
    assert done.stderr.endswith("Next: put the table right; `make check` names every fault of data/\n")


@pytest.mark.parametrize(
    ("text", "share"),
    [("60-80", (0.6, 0.8)), ("70", (0.7, 0.7)), ("3%", (0.03, 0.03)),
     ("120", (1.2, 1.2)), (".5", (0.5, 0.5))],
)  # fmt: skip
def test_shares_are_per_cent_above_five(text, share):
    assert option_values.share("--derate", text) == Interval(*share)


LLAMA = [*CHOOSE, "--benchmark", "llama2-70b", "--baseline", "H200 SXM"]


def test_choose_ranks_accelerators_and_lists_those_without_a_qualifying_run(answered):
    status, text = answered(*LLAMA)
    assert status == 0 and text.startswith(
        "Serving 1,000 concurrent users of Llama 2 70B at 25 tokens/s takes at least "
    )
    for words in ("Break-even price vs H200: ", "Available accelerators on Llama 2 70B, estimates last",
                  "Facility kW", "Break-even (x H200)", "What changes the ranking", "Assumptions",
                  "llama2-70b: benchmark of its own.", "PUE 1.3"):  # fmt: skip
        assert words in text
    ranked = text.split("P10 to P90\n")[1].split("\n\n")[0].splitlines()[1:]
    evidence = [line.split()[1] for line in ranked if len(line.split("  ")[0].split()) == 1]
    is_estimate = [words == "estimate" for words in evidence]
    assert is_estimate == sorted(is_estimate) and {*evidence} == {"interpolated", "estimate"}
    assert {"B200", "H100", "H200", "MI355X"} <= {line.split("  ")[0] for line in ranked}


def test_plan_and_choose_give_one_question_one_answer(said):
    """Of what is not asked too: rounds, spare nodes, and all else that both have."""
    asked = ["--benchmark", "llama2-70b", "--users", "1000", "--tokens-per-user", "25", "--format", "json"]
    plan, chosen = (json.loads(said(command, *asked)[1]) for command in ("plan", "choose"))  # both of a B200
    both = plan["parameters"].keys() & chosen["parameters"].keys()
    assert {"rounds", "spare_nodes", "draws"} <= both
    assert all(plan["parameters"][name] == chosen["parameters"][name] for name in both)
    (row,) = (row for row in chosen["ranked"] if row["accelerator"] == plan["parameters"]["baseline"])
    marks = {own["output"]: own for own in plan["quantities"]}
    for output, end in (("nodes", "low"), ("nodes", "high"), ("kilowatts", "low"), ("kilowatts", "high")):
        assert marks[output][{"low": "p10", "high": "p90"}[end]] == row[f"{output}_{end}"]


def test_power_says_what_it_is_from_and_provisioned_power_stands_apart(said, answered):
    """A DGX H200 by rated parts: 9.882 kW. Where the parts of a system are not known, its provisioned power is not."""
    asked = ["--users", "1000", "--tokens-per-user", "25", "--benchmark", "llama2-70b"]
    own = ["--accelerator", "H200 SXM"], ["--baseline", "H200 SXM"]
    plan, chosen = (
        json.loads(said(command, *asked, *side, "--format", "json")[1])
        for command, side in zip(("plan", "choose"), own, strict=True)
    )
    rows = {row["accelerator"]: row for row in chosen["ranked"]}
    (counts,) = (own for own in plan["quantities"] if own["output"] == "accelerators")
    (found,) = (each for each in plan["findings"] if each["name"] == "provisioned_kilowatts")
    wanted = [pytest.approx(9.882 / 8 * counts[end]) for end in ("p10", "p90")]
    assert [found["low"], found["high"]] == wanted
    assert [rows["H200 SXM"][f"provisioned_kilowatts_{end}"] for end in ("low", "high")] == wanted
    assert rows["MI325X"]["provisioned_kilowatts_low"] is None and rows["MI325X"]["power_from"] == "modeled"
    assert (
        "Provisioned kW" in answered(*LLAMA)[1] and "2.47 to 3.71 kW (rated parts of NVIDIA H200" in answered(*PLAN)[1]
    )
    images = ["--benchmark", "stable-diffusion-xl", "--users", "1000", "--tokens-per-user", "2", "--draws", "1000"]
    assert "measured (1 run)" in said("choose", *images)[1]  # of the B200, whose power was metered in v5.1


@pytest.mark.parametrize("command", ["plan", "choose"])
def test_what_counts_no_tokens_is_told_by_each_command(said, command):
    """--tpot-ms asks for no speed of what has none, in neither."""
    asked = ["--benchmark", "stable-diffusion-xl", "--users", "100", "--tokens-per-user", "2", "--draws", "1000"]
    status, text = said(command, *asked)
    assert status == 0 and re.search(r"^Serving 100 (concurrent )?users (of \S.* )?at 2 queries/s takes ", text)
    assert noted(text, "no_tokens") and "is in queries/s: Stable Diffusion XL has no token metric" in text


def test_accelerators_may_be_asked_for_by_vendor(said):
    asked = [*LLAMA, "--accelerators", "AMD", "H200", "--format", "json", "--draws", "1000"]
    named = {row["accelerator"] for row in json.loads(said(*asked)[1])["ranked"]}
    assert {"H200 SXM", "MI355X"} <= named and all(name.startswith(("H200 SXM", "MI")) for name in named)


def test_choose_as_json_holds_what_the_words_say(said):
    budget = ["--price", "B200=4", "--price", "H200 SXM=2.5-3", "--usd-per-hour", "70"]
    budget += ["--cost-model", "documents"]  # which know no price of the last one
    (_, words), (status, text) = said(*LLAMA, *budget), said(*LLAMA, *budget, "--format", "json")
    chosen = json.loads(text)
    assert status == 0
    assert list(chosen) == [
        "parameters",
        "ranked_by",
        "findings",
        "mapping",
        "ranked",
        "not_ranked",
        "changes",
        "benchmarks",
    ]
    assert chosen["parameters"]["prices"] == ["B200 SXM=4", "H200 SXM=2.5-3"] and chosen["ranked_by"] == "usd_per_hour"
    assert words.startswith(chosen["findings"][0]["headline"])
    first, last = chosen["ranked"][0], next(row for row in chosen["ranked"] if row["usd_per_hour_high"] is None)
    assert (first["accelerator"], first["within"]) == ("B200 SXM", "yes")
    assert first["usd_per_hour_high"] == 4 * first["count_high"]
    assert (last["within"], last["price_at_most_low"]) == ("unknown", pytest.approx(70 / last["count_high"]))
    assert all(row["why"] for row in chosen["not_ranked"])
    assert chosen["benchmarks"][0]["distance"] == 0


def test_choose_finds_the_benchmark_nearest_to_a_model_and_knows_its_names(said, answered):
    status, text = said(*CHOOSE, "--model", "Qwen3 32B", "--parameters", "32")
    assert status == 0 and text.startswith(
        "Serving 1,000 concurrent users of Qwen3 32B (as Llama 2 70B) at 25 tokens/s"
    )
    named, same = said(*CHOOSE, "--model", "llama-2-70b", "--baseline", "H200 SXM"), answered(*LLAMA)
    assert named == same and said(*CHOOSE) == said(*CHOOSE, "--benchmark", "gpt-oss-120b")


def test_without_a_qualifying_run_choose_fails_and_names_the_closest(said):
    status, text = said(*[*LLAMA, "--tokens-per-user", "50000"])
    assert status == 1
    assert text.startswith("analysis: no available accelerator serves Llama 2 70B at 50000 tokens/s per user; ")
    assert "faster than memory bandwidth allows" in text


def test_a_benchmark_that_never_ran_under_a_limit_has_no_plan(said):
    status, text = said(*CHOOSE, "--benchmark", "whisper")
    assert status == 1 and text.startswith("analysis: no available accelerator serves Whisper at 25 ")


def test_a_round_of_one_s_own_import_is_there():
    """What counts is whose results there are, not which rounds are shipped."""
    rows = pd.DataFrame({"round": ["v5.0", "v5.1"], "origin": ["official", "published"]})
    option_values.with_results(["v5.0"], SimpleNamespace(results=rows))
    option_values.with_results(None, SimpleNamespace())
    with pytest.raises(ValueError, match=r"'v5.1': no official result of it is here; rounds that are here: v5.0$"):
        option_values.with_results(["v5.0", "v5.1"], SimpleNamespace(results=rows))


NOT_CHOSEN = [
    ([*CHOOSE, "--model", "Foo"], "--parameters must say how large Foo is"),
    ([*LLAMA, "--price", "3"], "--price '3' names no accelerator"),
    ([*LLAMA, "--price", "H900=3"], H900),
    ([*LLAMA, "--accelerators", "H900"], f"--accelerators: {H900}"),
    ([*LLAMA, "--usd-per-hour", "-1"], "--usd-per-hour: Input should be greater than or equal to 0; got -1"),
    ([*LLAMA, "--rounds", "v5.9"], "--rounds 'v5.9': no official result of it is here; rounds that are here: v0.7, "),
]


@pytest.mark.parametrize(("arguments", "words"), NOT_CHOSEN, ids=[words.split(" ")[0] for _, words in NOT_CHOSEN])
def test_a_choice_that_cannot_be_asked_is_refused_by_name(said, arguments, words):
    status, text = said(*arguments)
    assert status == 2 and text.startswith("analysis: ") and words in text


def test_a_key_of_a_file_goes_by_its_own_name(said, tmp_path):
    """A parameter of the report is called the same, but the option is not what is wrong."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(json.loads(Path(OLD).read_text("utf-8")) | {"accelerator_count": "eight"}), "utf-8")
    status, text = said("measure", str(path), "--accelerator", "H100")
    assert status == 2 and "run.json: accelerator_count is 'eight'; expected" in text


STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r"


def test_what_a_measured_file_says_does_nothing_to_the_terminal(said, tmp_path):
    """Colors, titles and turned text of a file are shown by their names, in answers and in refusals."""
    path = tmp_path / "run.json"
    record = json.loads(Path(OLD).read_text("utf-8")) | {"accelerator": "H100 SXM", "accelerator_count": 8}
    for name in ("backend", "accelerator", "model_id", "output_throughput", "request_rate"):
        path.write_text(json.dumps(record | {name: f"x{STEERING}"}), "utf-8")
        status, text = said("measure", str(path))
        assert status == (0 if name == "backend" else 2) and "\\x1b]0;" in text
        assert not set(text) & set(STEERING) - set("0;ownedJ2[]31m")


def test_plan_and_choose_agree_what_is_measured_and_what_an_estimate(said):
    """B200 ran slower and faster; of GB200 whole racks were measured, of H100 nothing under a limit: estimates."""
    asked = ["--benchmark", "gpt-oss-120b", "--users", "1000", "--tokens-per-user", "25", "--format", "json"]
    expected = {"B200 SXM": "interpolated", "GB200": "estimate", "H100 SXM": "estimate"}
    ranked = json.loads(said("choose", *asked)[1])["ranked"]
    assert {row["accelerator"]: row["evidence"] for row in ranked}.items() >= expected.items()
    for accelerator, evidence in expected.items():
        plan = json.loads(said("plan", *asked, "--accelerator", accelerator)[1])
        assert plan["throughput"]["evidence"] == evidence
        assert any(f", {evidence})" in finding["headline"] for finding in plan["findings"])


def test_a_row_is_the_same_whichever_others_are_shown(said):
    """Of many users, whose plans keep what systems of several nodes kept: MI355X's do not tell it of B200."""
    asked = [*replaced_in(LLAMA, "--users", "20000"), "--format", "json"]
    whole = {row["accelerator"]: row for row in json.loads(said(*asked)[1])["ranked"]}
    for names in (["B200"], ["B200", "MI355X"], ["H200", "B200", "GB300"]):
        shown = json.loads(said(*asked, "--accelerators", *names)[1])["ranked"]
        assert len(shown) == len(names)
        for row in shown:  # that another row is of another round is told beside that row alone
            assert row | {"notes": None} == whole[row["accelerator"]] | {"notes": None}
