"""The detail log and the power log: official keys and rule by hand-computed cases, and any bytes in."""

import pytest

from analysis._import.official import loadgen, power_log, units


@pytest.mark.parametrize(
    ("benchmark", "scenario", "round", "key", "unit"),
    [
        ("resnet50", "Offline", "v4.1", "result_samples_per_second", "samples/s"),
        ("resnet50", "Server", "v4.1", "result_completed_samples_per_sec", "queries/s"),
        ("resnet50", "Server", "v4.0", "result_scheduled_samples_per_sec", "queries/s"),
        ("llama2-70b", "Offline", "v4.1", "result_tokens_per_second", "tokens/s"),
        ("llama2-70b", "Interactive", "v5.1", "result_completed_tokens_per_second", "tokens/s"),
        ("gptj", "Offline", "v4.1", "result_inferred_tokens_per_second", "tokens/s"),
        ("gptj", "Server", "v4.1", "result_inferred_completed_tokens_per_second", "tokens/s"),
        ("whisper", "Offline", "v5.1", "result_tokens_per_second", "tokens/s"),
        ("resnet50", "SingleStream", "v4.1", "early_stopping_latency_ss", "ms"),
    ],
)
def test_the_official_key_of_each_model_scenario_and_round(benchmark, scenario, round, key, unit):
    log = {name: number for number, name in enumerate(loadgen.KEYS, 2)} | {key: 120438}
    log["effective_scenario"] = "Server" if scenario == "Interactive" else scenario
    value = 0.120438 if unit == "ms" else 120438
    assert loadgen.performance(log, benchmark, scenario, round) == (value, unit, key)
    assert units.true_unit(benchmark, scenario, round) == unit


STREAM = {"early_stopping_latency_ss": 120438, "early_stopping_latency_ms": 128968,
          "result_qps_without_loadgen_overhead": 8406.82, "effective_samples_per_query": 8,
          "result_mean_query_latency_ns": 2_000_000}  # fmt: skip


@pytest.mark.parametrize(
    ("ran", "scenario", "found"),
    [
        ("SingleStream", "MultiStream", (8 * 0.128968, "ms", "early_stopping_latency_ms")),
        ("SingleStream", "Offline", (8406.82, "samples/s", "result_qps_without_loadgen_overhead")),
        ("MultiStream", "Offline", (8 / 0.002, "samples/s", "result_mean_query_latency_ns")),
        ("SingleStream", "SingleStream", (0.120438, "ms", "early_stopping_latency_ss")),
    ],
)
def test_a_result_of_another_scenarios_log_is_inferred_as_the_checker_does(ran, scenario, found):
    log = STREAM | {"effective_scenario": ran}
    value, unit, key = loadgen.performance(log, "resnet50", scenario, "v5.1")
    assert (pytest.approx(value, rel=1e-12), unit, key) == found
    assert loadgen.inferred(log, scenario) == (ran != scenario)


@pytest.mark.parametrize(
    ("ran", "scenario"),
    [
        ("Server", "Offline"),
        (None, "Offline"),
        ("Offline", "SingleStream"),
    ],
)
def test_a_log_of_a_scenario_that_does_not_give_this_one_is_refused(ran, scenario):
    log = STREAM | {"result_samples_per_second": 1.0, "result_completed_samples_per_sec": 1.0}
    with pytest.raises(loadgen.LogError, match=f"effective_scenario is .*, from which no {scenario} result follows"):
        loadgen.performance(log | ({"effective_scenario": ran} if ran else {}), "resnet50", scenario, "v5.1")


def test_tokens_are_not_inferred_from_a_stream():
    with pytest.raises(loadgen.LogError, match="counts tokens"):
        loadgen.performance(STREAM | {"effective_scenario": "SingleStream"}, "llama3.1-8b-edge", "Offline", "v5.1")


@pytest.mark.parametrize(("tokens", "unit"), [({"result_tokens_per_second": 900.0}, "tokens/s"), ({}, "samples/s")])
def test_a_benchmark_that_is_not_in_the_table_counts_what_its_log_counts(tokens, unit):
    log = {"effective_scenario": "Offline", "result_samples_per_second": 3.0} | tokens
    assert loadgen.performance(log, "new-llm", "Offline", "v6.1")[1] == unit


def test_the_first_of_two_values_counts(tree):
    text = tree.log_text() + tree.log_text(result_tokens_per_second=1.0)
    assert loadgen.read_log(tree.write("log.txt", text))["result_tokens_per_second"] == 24000.5


def test_a_log_cut_within_a_number_lacks_the_number(tree):
    text = tree.log_text()
    path = tree.write("log.txt", text[: text.index("24000.5") + 3])
    assert "result_tokens_per_second" not in loadgen.read_log(path)


@pytest.mark.parametrize("value", ["24000.5.1", "24000x", '"a\tb"'])
def test_a_value_that_is_neither_number_nor_text_is_refused_by_name(tree, value):
    path = tree.write("log.txt", tree.log_text().replace("24000.5", value))
    with pytest.raises(loadgen.LogError) as error:
        loadgen.read_log(path)
    assert str(error.value) == (f"log.txt: the value of result_tokens_per_second is {value!r}, neither number nor text")


def test_the_mean_is_of_the_samples_strictly_within_the_window(tree):
    log = loadgen.read_log(tree.write("log.txt", tree.log_text()))
    found = power_log.read_power(tree.write("spl.txt", tree.spl_text()), log)
    assert (found.watts, found.samples, found.dropped, found.seconds) == (400.0, 2, 0, 3.0)
    assert power_log.millijoules_per_query(found, log | {"result_query_count": 8}) == 400.0 * 3 * 1000 / 8


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n\r\n"])
def test_line_ends_do_not_matter(tree, ends):
    log = loadgen.read_log(tree.write("log.txt", tree.log_text()))
    assert power_log.read_power(tree.write("spl.txt", tree.spl_text().replace("\n", ends)), log).watts == 400.0


@pytest.mark.parametrize(
    ("spl", "reason"),
    [
        ("", "no sample above zero watts"),
        ("Time,07-24-2024 10:00:01.000,Watts,0.0\n", "no sample above zero watts"),
        ("Time,07-24-2024 10:00:01.000,Watts,many\n", "line 1: not a sample"),
        ("Time,07-24-2024 10:00:01.000,Watts,5\nTime,07-24-20", "line 2: not a sample"),
    ],
)
def test_a_power_log_that_cannot_be_trusted_is_refused_by_line(tree, spl, reason):
    log = loadgen.read_log(tree.write("log.txt", tree.log_text()))
    with pytest.raises(power_log.PowerError, match=reason):
        power_log.read_power(tree.write("spl.txt", spl), log)


@pytest.mark.parametrize("changes", [{"power_begin": None}, {"power_end": "soon"}, {"power_end": 7}])
def test_a_window_that_cannot_be_read_is_refused(tree, changes):
    log = loadgen.read_log(tree.write("log.txt", tree.log_text(**changes)))
    with pytest.raises(power_log.PowerError, match="power_"):
        power_log.read_power(tree.write("spl.txt", tree.spl_text()), log)
