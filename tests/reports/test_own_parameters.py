"""Notebooks with parameters of one's own: run files of the guides, filters that leave less, and wrong names."""

from __future__ import annotations

import json
import re
from io import StringIO

import pandas as pd
import pytest
import yaml

from analysis import NoData, report
from analysis.paths import NOTEBOOKS, ROOT


def cells(notebook):
    """Yield each cell of code with whether it is that of the parameters."""
    content = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(content, 1):
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            is_first = "parameters" in cell["metadata"].get("tags", [])
            yield source, compile(source, f"{notebook}, cell {number}", "exec"), is_first


def executed(notebook, parameters):
    """Run the cells of a notebook; return its variables."""
    names: dict = {}
    for _, code, is_first in cells(notebook):
        exec(code, names)
        if is_first:
            assert set(parameters) <= set(names)
            names.update(parameters)
    return names


@pytest.fixture(scope="module")
def shipped_runs():
    """The variables and reports of notebooks as shipped, by name: many tests compare with them."""
    return {}


@pytest.fixture
def run(monkeypatch, shipped_runs):
    """Run a notebook with parameters; return its variables and what it reports, by name. Nothing becomes an image."""
    monkeypatch.chdir(NOTEBOOKS)
    said: dict[str, dict] = {}

    def show(data, raw):
        part = data[report.MIME]
        said[part["name"]] = part | {"csv": data.get("text/csv", ""), "html": data.get("text/html", "")}

    monkeypatch.setattr(report, "display", show)
    monkeypatch.setattr(report.charts, "compose", lambda drawing, *texts: drawing)
    monkeypatch.setattr(report.charts, "svg", lambda drawing: "")
    monkeypatch.setattr(report, "narrow", lambda drawing: drawing)

    def ran(notebook, **parameters):
        said.clear()
        if parameters:
            return executed(notebook, parameters), dict(said)
        if notebook not in shipped_runs:
            shipped_runs[notebook] = executed(notebook, {}), dict(said)
        return shipped_runs[notebook]

    return ran


@pytest.fixture(scope="module")
def begun():
    """The variables of notebooks as shipped before each of their first cells, as far as a test needed them."""
    return {}


@pytest.fixture
def run_on(run, begun):
    """Run a notebook as shipped up to the first cell that reads a parameter, and on with values of one's own."""

    def ran(notebook, **parameters):
        code, before = [*cells(notebook)], begun.setdefault(notebook, [{}])
        reads = re.compile(rf"\b({'|'.join(parameters)})\b")
        first = next(place for place, (source, _, given) in enumerate(code) if not given and reads.search(source))
        for _, cell, _ in code[len(before) - 1 : first]:
            before.append({**before[-1]})
            exec(cell, before[-1])
        assert set(parameters) <= set(before[first])
        names = before[first] | parameters
        for _, cell, _ in code[first:]:
            exec(cell, names)

    return ran


def run_files():
    for path in ("README.md", "docs/notebooks.md", "docs/develop.md"):
        for block in re.findall(r"```yaml\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL):
            content = yaml.safe_load(block)
            yield pytest.param(content["notebook"], content["parameters"], id=f"{path}: {content['notebook']}")


@pytest.mark.parametrize(("notebook", "parameters"), list(run_files()))
def test_run_files_of_the_guides_make_their_pages(run, notebook, parameters):
    assert "answer" in run(notebook, **parameters)[1]


def test_other_prices_are_of_what_is_shown(run):
    _, said = run("price_performance", accelerators=["GB300", "MI355X"])
    assert "GB200" not in said["bases"]["csv"]


@pytest.mark.parametrize(
    ("notebook", "few", "said_of"),
    [
        ("price_performance", ["GB300", "MI355X"], ["over_interactivity", "winners", "bases"]),
        ("accelerator_choice", ["GB300", "TPU v6e"], ["within_error"]),
    ],
)
def test_who_is_first_among_few_is_called_so(run, notebook, few, said_of):
    """GB200 is cheaper than both at 66.7 tokens/s per user, and for the users that are planned."""
    whole, part = (
        [(said[name].get("text") or said[name]["title"]).casefold() for name in said_of]
        for said in (dict(run(notebook, **parameters)[1]) for parameters in ({}, {"accelerators": few}))
    )
    assert all("of those shown" in text for text in part) and not any("shown" in text for text in whole)


def test_headlines_with_long_names_fit(run):
    few = ["RTX PRO 6000", "H200"]
    for interactivity in ([20, 50], [0, 66.7]):
        said = run("price_performance", accelerators=few, interactivity=interactivity)[1]
        assert len(said["answer"]["text"].split()) <= 18


def test_own_prices_are_used_or_named_wherever_a_price_is(run, tmp_path):
    own = tmp_path / "own.csv"
    own.write_text("accelerator,usd_per_hour\nB200,2.95\n", encoding="utf-8")
    for parameters, words, kept in (
        ({"own_prices": str(own)}, "$2.95 per hour used (own", True),
        ({}, "(2026-09-08)", False),
    ):
        names, said = run("price_performance", **parameters)
        assert words in said["buy_or_rent"]["text"]
        assert names["other"].query("accelerator == 'B200'")["usd_per_hour"].eq(2.95).all() == kept


def test_a_filter_changes_no_ratio(run):
    whole = run("generational_speedup", accelerators=[], most=99)[0]["shown"].set_index("accelerator")["speedup"]
    for few in (["GB300", "B200"], ["AMD"], ["MI355X", "B200"]):
        shown = run("generational_speedup", accelerators=few)[0]["shown"].set_index("accelerator")["speedup"]
        assert shown.equals(whole[shown.index]) and 0 < len(shown) < len(whole)


def test_a_filter_reaches_headline_and_table_on_power(run):
    names, said = run("power_efficiency", accelerators=["AMD"])
    table = pd.read_csv(StringIO(said["efficiency"]["csv"]))
    assert set(table["accelerator"]) == set(names["shown"]["accelerator"]) == {"MI355X", "MI300X", "MI325X"}
    server = table.query("model == 'GPT-OSS 120B' and scenario == 'Server'")["value"]
    assert f"{server.min():.2f} to {server.max():.1f} million" in said["answer"]["text"]


def test_nothing_leads_that_is_slower_than_the_baseline(run):
    _, said = run("generational_speedup", accelerators=["H100", "MI300X"])
    assert said["answer"]["value"] < 1 and said["answer"]["text"].startswith("MI300X: 0.90x H100 per GPU")


def test_one_accelerator_is_named_once(run):
    _, said = run("interactivity", accelerators=["MI355X"])
    assert said["answer"]["text"].count("MI355X") == 1


def test_a_model_beside_is_taken_by_its_printed_name(run):
    _, said = run("generational_speedup", beside={"DeepSeek-R1": "B300"})
    assert said["user_speed"]["title"] == run("generational_speedup")[1]["user_speed"]["title"]
    assert "DeepSeek-R1 Interactive" in said["user_speed"]["title"]


def test_a_waterfall_of_a_kind_without_results_says_so(run):
    _, said = run("real_world_derating", benchmarks=["deepseek-r1"], system="vLLM node")
    assert said["waterfall"]["text"].startswith("vLLM node: no result: nothing to show")


def test_a_share_without_a_spread_has_no_range(run):
    _, said = run("real_world_derating", use="batch", system="rack")
    assert said["kinds"]["text"].endswith("rack 100% (P10 to P90).")


def test_generations_of_images_speak_of_queries_alone(run):
    """Stable Diffusion XL Server: an H100 of one submitter, B200 of eight; a query in 20 s, no tokens, no answers."""
    names, said = run("generational_speedup", benchmark="stable-diffusion-xl", scenario="Server", accelerators=["B200"])
    assert said["answer"]["text"].endswith("Stable Diffusion XL Server, single submitter: H100")
    assert names["axes"][0].get_xlabel() == "for each user at p99: Server 20 s"
    assert said["carried"]["text"] == "H100: 2.2323 queries/s in v5.1."
    head = re.findall(r"<th [^>]*>(.*?)</th>", said["speedups"]["html"])
    assert "Rate" in head and not {"Tokens per answer", "In answers"} & {*head}
    assert "answer" not in said["speedups"]["html"]


@pytest.mark.parametrize("parameters", [{"accelerators": ["GB200"]}, {"scenario": "Offline"}, {"vendors": ["AMD"]}])
def test_the_other_scenario_of_scaling_has_a_number_or_says_that_none_ran(run, parameters):
    _, said = run("scaling", **parameters)
    text = said["other_scenario"]["text"]
    assert text.startswith("Server: " if "scenario" in parameters else "Offline: ") and "\u2013" not in text


@pytest.mark.parametrize(
    ("notebook", "parameters", "error", "words"),
    [
        ("scaling", {"scenario": "Servr"}, ValueError, "no scenario 'Servr': did you mean 'Server'"),
        ("overview", {"accelerators": ["nvida"]}, ValueError, "no accelerator 'nvida'"),
        ("overview", {"accelerators": ["Vera Rubin"]}, NoData, "no result left to compare (Vera Rubin)"),
        ("official_record", {"since": "v9.0"}, ValueError, "no round 'v9.0'"),
        ("overview", {"least": 99}, NoData, "no result left to compare"),
        ("scaling", {"accelerators": ["B200"]}, NoData, "no larger and smaller system left to compare (B200)"),
        ("interactivity", {"accelerators": ["Vera Rubin"]}, NoData, "no result left to compare (Vera Rubin)"),
        (
            "generational_speedup",
            {"baseline": "A100 PCIe 40GB"},
            NoData,
            "no result of the baseline left to compare",
        ),
        ("generational_speedup", {"accelerators": ["H100"]}, NoData, "no other accelerator left to compare (H100)"),
        (
            "generational_speedup",
            {"benchmark": "gptj-99", "baseline": "TPU v5e", "accelerators": ["Google"]},
            NoData,
            "no other accelerator left to compare (Google); there are: ",
        ),
        ("progress", {"kind": "cpu"}, NoData, "no result of kind cpu on Llama 2 70B"),
        ("progress", {"kind": "cpus"}, ValueError, "no kind 'cpus': did you mean 'cpu'"),
        ("price_performance", {"baseline": "H300"}, ValueError, "no baseline"),
        ("budget", {"tokens_per_user": [25.0, 0]}, ValueError, "tokens_per_user is 0"),
    ],
)
def test_what_is_wrong_is_named(run_on, notebook, parameters, error, words):
    with pytest.raises(error, match=re.escape(words)):
        run_on(notebook, **parameters)


def test_estimates_among_the_cheapest_are_counted(run):
    """None of MI355X, GB300, and B300 has a result on Mixtral 8x7B."""
    text = run("accelerator_choice", benchmark="Mixtral 8x7B", users=400, tokens_per_user=15)[1]["answer"]["text"]
    assert re.search(r"cheapest tokens \(estimated: (\d)\): \S+$", text)
    assert "cheapest tokens: " in run("accelerator_choice")[1]["answer"]["text"]


def test_a_model_of_ones_own_is_planned_though_each_accelerator_is_estimated(run):
    own = {"model": "A model with a long name", "benchmark": "", "parameters": 32.0}
    names, said = run("accelerator_choice", **own, users=1000)
    assert len(said["answer"]["text"].split()) <= 18
    assert set(names["alike"]["evidence"]) == {"estimated"} and names["alike"]["chance"].sum() >= 0.8
    assert said["answer"]["value"] == names["plans"]["usd_per_hour_p50"].min()


@pytest.mark.parametrize(
    "notebook",
    ["overview", "price_performance", "interactivity", "accelerator_choice", "generational_speedup", "scaling"],
)
def test_a_filter_reaches_every_table(run, notebook):
    """No table, and so no winner or runner-up, has an accelerator that was not asked for."""
    asked = ["H100", "B200", "MI355X", "GB300"]
    _, said = run(notebook, accelerators=asked)
    said.pop("other_accelerators", None)  # which no result can be compared with
    tables = [pd.read_csv(StringIO(part["csv"])) for part in said.values() if part["csv"]]
    found = [frame[each] for frame in tables for each in ("accelerator", "runner_up") if each in frame]
    assert found and set(pd.concat(found).dropna()) <= set(asked)


@pytest.mark.parametrize("parameters", [{"benchmark": "resnet50", "scenario": "Server"}, {"scenario": "Interactive"}])
def test_rounds_in_another_scenario_compare_the_benchmarks_that_have_it(run, parameters):
    names, said = run("progress", **parameters)
    assert set(names["compared"]["scenario"]) == {parameters["scenario"]}
    assert said["newest_software"]["value"] > 0 and "querys" not in " ".join(str(part) for part in said.values())


def test_the_headline_on_prices_says_what_was_asked(run):
    fast = run("price_performance", interactivity=[20, 50])[1]["answer"]["text"]
    assert " at 50 tokens/s: $" in fast and re.search(r"; 20 tokens/s: \w+ \$0\.\d{3}$", fast)
    one = run("price_performance", interactivity=[0])[1]["answer"]["text"]
    said = r" at no limit: \$(0\.0\d+)/million on MI355X \(.*, measured\); no limit: MI355X \$\1$"
    assert re.search(said, one)


def test_a_baseline_of_prices_is_not_shown_unless_it_is_asked_for(run):
    whole = run("price_performance")[0]["costs"].set_index(["accelerator", "interactivity"])["break_even_usd"]
    costs = run("price_performance", accelerators=["GB300", "MI355X"])[0]["costs"]
    assert set(costs["accelerator"]) == {"GB300", "MI355X"}
    own = costs.set_index(["accelerator", "interactivity"])["break_even_usd"]
    assert own.to_numpy() == pytest.approx(whole.reindex(own.index).to_numpy())


def test_prices_of_accelerators_without_one_are_no_data(run):
    with pytest.raises(NoData, match="no accelerator has both a price and a throughput"):
        run("price_performance", accelerators=["Intel"])


@pytest.mark.parametrize(
    ("notebook", "parameters", "named"),
    [
        ("accelerator_choice", {"users": 10**400}, "users is 1000"),
        ("budget", {"usd": -1.0}, "usd is -1"),
        ("budget", {"years": 1e-300}, "years is 1e"),
        ("budget", {"price_basis": ["rental 2027"]}, "no price basis 'rental 2027'"),
        ("interactivity", {"interactivities": [1e308]}, "interactivity is 1e"),
        ("interactivity", {"interactivities": [9e5]}, "no accelerator has a throughput at any interactivity asked for"),
        ("interactivity", {"interactivities": ["x"]}, "interactivity is x"),
        ("my_deployment", {"usd_per_hour": 1e308}, "usd_per_hour is 1e"),
        ("official_record", {"tolerance": -1.0}, "tolerance is -1"),
        ("power_efficiency", {"usd_per_kilowatt_hour": 1e308}, "usd_per_kilowatt_hour is 1e"),
        ("price_performance", {"usd_per_kilowatt_hour": 1e308}, "usd_per_kilowatt_hour is 1e"),
        ("price_performance", {"years": 1e-300}, "years is 1e"),
        ("price_performance", {"capital": 1e308}, "capital is 1e"),
        ("price_performance", {"extras": -2.0}, "extras is -2"),
        (
            "price_performance",
            {"interactivity": [9e5]},
            "no accelerator has both a price and a throughput at 900000",
        ),
        ("price_performance", {"interactivity": []}, "interactivity: none is given"),
        ("source_audit", {"tolerance": -1.0}, "tolerance is -1.0; expected a number from 0 to 1,000"),
        ("quantization_tradeoffs", {"memory_gb": [1e308]}, "memory in GB is 1e"),
        ("quantization_tradeoffs", {"memory_used": -1.0}, "memory used is -1"),
    ],
)
def test_numbers_that_cannot_be_are_refused_by_name(run_on, notebook, parameters, named):
    with pytest.raises(ValueError, match=re.escape(named)):
        run_on(notebook, **parameters)


SHARES = ["model", "accelerator", "share"]


@pytest.mark.parametrize("few", [["GB300", "MI355X"], ["AMD"], ["MI355X"], ["RTX PRO 6000"]])
def test_a_filter_of_the_overview_changes_no_share(run, few):
    """Also of two accelerators and of one: a model needs `least` accelerators, shown or not."""
    whole, part = (
        pd.read_csv(StringIO(run("overview", **parameters)[1]["rates"]["csv"]))
        for parameters in ({}, {"accelerators": few})
    )
    assert 0 < len(part) < len(whole)
    assert part[SHARES].merge(whole[SHARES]).shape == part[SHARES].shape


def test_new_accelerators_are_of_those_shown(run):
    text = run("overview", accelerators=["AMD", "Intel"])[1]["new_accelerators"]["text"]
    assert text.endswith("v6.1 (AMD, Intel): MI350P.")
    text = run("overview", accelerators=["B200", "B300"])[1]["new_accelerators"]["text"]
    assert text == "New GPUs in the data center suite of v6.1 (B200, B300): none."


def test_who_leads_a_model_is_of_all_gpus_and_what_changed_of_those_shown(run):
    """MI325X has the highest share of those shown on Mixtral, where B200 leads; MI355X leads DLRM v3 alone."""
    names, said = run("overview", accelerators=["MI355X", "MI325X"])
    assert said["answer"]["text"].startswith("MI355X is the fastest GPU on 1 of 10 models Offline (results on 6")
    assert "B200 on Mixtral 8x7B" in said["others"]["text"] and "MI3" not in said["others"]["text"]
    assert said["others"]["value"] + said["answer"]["value"] == 10
    assert set(names["record"]["accelerator"]) == {"MI355X"}
    _, said = run("overview", accelerators=["MI355X"], scenario="Interactive")
    assert "GB300 on Llama 2 70B" in said["others"]["text"]


def test_figures_above_the_limit_of_bandwidth_have_a_label_each(run):
    """One document's rates of ~85 tokens/s are of H100 with 80 GB, and of two H100."""
    assert run("source_audit")[0]["above"]["figure"].is_unique


def test_an_order_that_does_not_change_is_no_lack_of_results(run):
    """In answers/s too no GPU of Interactive changes its rank."""
    answers = run("overview", scenario="Interactive")[1]["answers"]
    assert answers["text"].endswith("answers/s: 0, not: 5: nothing to show: no order changes.")


@pytest.mark.parametrize("few", [["AMD"], ["B300"], ["GB200", "MI355X"]])
def test_a_filter_of_scaling_changes_no_group_of_submitters(run, few):
    whole, part = (run("scaling", **parameters)[0]["groups"] for parameters in ({}, {"accelerators": few}))
    assert 0 < len(part) < len(whole)
    columns = ["id", "ratio", "submitters"]
    assert part[columns].merge(whole[columns]).shape == part[columns].shape
    of_shown = whole[whole["accelerator"].isin(few) | whole["vendor"].isin(few)]
    assert len(part) == len(of_shown)


def test_titles_on_scaling_count_what_they_are_about(run):
    names, said = run("scaling", accelerators=["AMD"])
    efficiency = names["asked"]["efficiency"]
    assert said["scaling"]["title"].endswith(f": {efficiency.ge(0.95).sum()} of {len(efficiency)}")
    assert said["submitters"]["title"].endswith(f": {len(names['groups'])}, in all {len(names['groups'])}")
    assert f"(pairs: {len(efficiency)})" in said["lowest"]["text"]
    assert "groups of 4 or more" in said["submitters"]["subtitle"]


def test_submitters_are_of_the_newest_round_of_the_accelerators_shown(run):
    groups = run("scaling", accelerators=["H100", "H200"])[0]["groups"]
    assert set(groups["round"]) == {"v5.1"} and groups["submitters"].min() >= 4


@pytest.mark.parametrize("few", [["MI300X"], ["H100", "H200"], ["AMD"], ["GB300", "B300", "MI355X"]])
def test_a_filter_changes_no_throughput_at_an_interactivity(run, few):
    """Of the MI300X too, whose estimate takes its precision from runs of its family."""
    keys = ["accelerator", "interactivity"]
    whole = run("interactivity")[0]
    part = run("interactivity", accelerators=few)[0]
    for frame in ("at", "dense"):
        own, all_of_them = (each[frame].set_index(keys)["throughput"] for each in (part, whole))
        both = own.index.intersection(all_of_them.index)
        assert len(own) and (frame == "dense" or len(both) == len(own))
        assert own[both].to_numpy() == pytest.approx(all_of_them[both].to_numpy())


def test_an_estimated_throughput_is_called_so(run):
    _, said = run("interactivity", accelerators=["H200"], beside="GPT-OSS 120B")
    assert "(estimated, no run that fast)" in said["answer"]["text"]
    for parameters in ({}, {"interactivities": [25]}):
        assert "estimated" not in run("interactivity", **parameters)[1]["answer"]["text"]


def test_measured_and_interpolated_throughput_are_ranked_together(run):
    kept = run("interactivity", interactivities=[13])[0]["kept"]
    assert set(kept["evidence"]) == {"measured", "interpolated"}


def test_an_estimated_cost_is_called_so(run):
    said = run("price_performance", accelerators=["H200"], interactivity=[66.7])[1]
    text = said["answer"]["text"]
    assert " at 66.7 tokens/s: $" in text and " on H200 (" in text and ", estimated);" in text
    assert said["prices"]["text"].endswith("Results behind the headline: 1.")
    assert "estimated" not in run("price_performance")[1]["answer"]["text"]


def test_a_change_of_cost_is_split_for_one_accelerator(run):
    """RTX PRO 6000 is the cheapest without a limit, MI355X at 25 tokens/s."""
    asked = {"benchmark": "Llama 2 70B", "interactivity": [0, 25], "cost_model": "rental", "fleet": "pooled"}
    names, said = run("price_performance", **asked)
    assert set(names["winners"]["accelerator"]) == {"RTX PRO 6000", "MI355X"}
    slow, fast = names["costs"].query("accelerator == 'MI355X'").itertuples()
    split = said["load_and_latency"]
    load, latency = slow.served / fast.served, slow.throughput / fast.throughput
    assert split["text"].startswith(f"MI355X from no limit to 25 tokens/s per user x{load * latency:.2f}: x{load:.2f} ")
    assert split["value"] == pytest.approx(latency)


def test_price_bases_are_in_order(run):
    """Also where the newest rent is cheaper than an older one, as that of RTX PRO 6000."""
    bases = run("price_performance", benchmark="Llama 2 70B", interactivity=[0, 25])[0]["found"]["basis"]
    assert bases.is_monotonic_increasing and bases.str.startswith("rental").sum() == 6


def test_a_gain_of_other_vendors_is_called_so(run):
    """On Mixtral 8x7B none of AMD's GPUs is in both v5.1 and v6.0, and one of NVIDIA's is."""
    text = run("generational_speedup", benchmark="Mixtral 8x7B", baseline="MI300X")[1]["carried"]["text"]
    assert " x 1.02744 (v6.0, n = 1, other vendors) = " in text
    assert "other vendors" not in run("generational_speedup")[1]["carried"]["text"]


@pytest.mark.parametrize(
    ("notebook", "parameters", "name", "printed"),
    [
        ("power_efficiency", {"usd_per_kilowatt_hour": 0.075}, "megawatt_year", "At 7.5 cents/kWh"),
        ("price_performance", {"usd_per_kilowatt_hour": 0.125}, "buy_or_rent", "12.5 cents/kWh"),
        ("price_performance", {"capital": 0.085}, "buy_or_rent", "capital 8.5% on"),
        ("interactivity", {"apart": 1.15}, "curve", "p99 over 1.15x median"),
        ("official_record", {"completed": 0.985, "apart": 1.25}, "odd", "below 98.5% of the scheduled rate"),
        ("official_record", {"completed": 0.985, "apart": 1.25}, "odd", "above 1.25x the median"),
        ("overview", {"notable": 0.025}, "other_sizes", "More than 2.5% faster"),
        ("scaling", {"close": 0.025}, "scaling", "with 97.5% or more"),
        ("scaling", {"close": 0.025}, "submitters", "within 2.5% of the median"),
        ("quantization_tradeoffs", {"memory_used": 0.875}, "memory", "87.5% of memory used"),
    ],
)
def test_a_threshold_is_printed_as_given(run, notebook, parameters, name, printed):
    said = run(notebook, **parameters)[1][name]
    assert printed in " ".join(said.get(key, "") for key in ("text", "title", "subtitle"))


def test_an_accelerator_that_nobody_capped_has_those_that_were_named(run):
    text = run("power_efficiency", capped_accelerator="H100")[1]["power_cap"]["text"]
    assert text.startswith("Power cap: nothing to show: capped are ") and "H100 PCIe" in text and "H200" in text


def test_curves_of_inferencex_are_of_the_accelerators_shown(run):
    upper = run("interactivity", accelerators=["AMD", "B200"], beside="DeepSeek-R1")[0]["upper"]
    assert {"MI355X", "B200"} <= set(upper["accelerator"]) <= {"MI355X", "MI325X", "MI300X", "B200"}
    _, said = run("interactivity", accelerators=["RTX PRO 6000"])  # which InferenceX never ran: the page goes on
    assert {"at_interactivity", "curve", "ttft", "throughput", "median_over_p99"} <= set(said)
    _, said = run("interactivity", accelerators=["GB300", "AMD"], beside="DeepSeek-R1")
    assert "Without a curve: GB300." in said["inferencex"]["subtitle"]


@pytest.mark.parametrize(
    ("notebook", "figure"),
    [
        ("overview", "matrix"),
        ("interactivity", "at_interactivity"),
        ("price_performance", "over_interactivity"),
        ("scaling", "scaling"),
    ],
)
def test_an_accelerator_without_a_result_is_named(run, notebook, figure):
    _, said = run(notebook, accelerators=["GB300", "MI355X", "Vera Rubin"])
    assert re.search(r"Without an? .*: Vera Rubin\.$", said[figure]["subtitle"])
    assert "Without a" not in run(notebook)[1][figure]["subtitle"]


def test_prices_are_of_what_is_shown(run):
    _, said = run("price_performance", accelerators=["MI355X"])
    assert "no offers: $2.09 per accelerator-hour" in said["prices"]["text"]


def test_a_baseline_of_ones_own_is_that_of_its_model(run):
    """Not the one that `beside` names for this model by default."""
    names, said = run("generational_speedup", benchmark="DeepSeek-R1", baseline="GB200")
    assert set(names["served"]["base"]) == {"GB200"} and "GB200 per GPU on DeepSeek-R1" in said["answer"]["text"]


def test_accelerators_without_a_result_of_the_model_are_planned_and_drawn(run):
    names, said = run("accelerator_choice", benchmark="deepseek-r1", accelerators=["H100", "H200"])
    assert set(names["shown"]["accelerator"]) == {"H200"} and "cost_over_interactivity" in said


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "per GPU since v4.0, software x1.40 (separated in rounds: 5, not in: 0)"),
        ({"benchmark": "llama3.1-8b"}, "software unknown (separated in rounds: 0, not in: 2)"),
        ({"benchmark": "llama3.1-8b", "kind": "cpu"}, "per CPU since v5.1"),
    ],
)
def test_rounds_whose_software_no_pair_tells_are_counted(run, parameters, words):
    assert words in run("progress", **parameters)[1]["answer"]["text"]


def test_software_that_no_round_tells_is_no_factor(run):
    said = run("progress", kind="cpu", benchmark="ResNet-50", scenario="Server")[1]
    assert "per CPU since v0.7, software unknown (separated in rounds: 0" in said["answer"]["text"]
    assert said["by_round"]["title"] == "No round tells software from hardware"


def test_software_of_more_than_the_leaders_gain_is_said_to_be_no_factor(run):
    """In v5.1 three pairs gained x1.31, and the fastest GPU x1.26 over that of v5.0."""
    names, said = run("progress", benchmark="Llama 3.1 405B", scenario="Server")
    gained = names["progress"].software_by_round(names["rows"]).loc[("NVIDIA", "gpu", "v5.1")]
    assert (gained["pairs"], gained["gain"]) == (3, pytest.approx(1.311, abs=0.001))
    assert names["steps"].query("round == 'v5.1'")["value"].tolist() == [pytest.approx(1.260, abs=0.001)]
    assert "(separated in rounds: 1, not in: 1)" in said["answer"]["text"]
    assert said["by_round"]["subtitle"].endswith("fewer than 2 pairs or more software than gain.")


def test_batches_are_sized_for_no_traffic(run):
    said = run("real_world_derating", use="batch")[1]
    assert said["sized_for_peak"]["text"].startswith("Always full, batch fleets deliver")
    assert list(pd.read_csv(StringIO(said["by_fleet"]["csv"]))["fleet"]) == ["busy"]


def test_the_headline_on_power_names_the_facility_and_the_best_of_one_frame(run):
    names, said = run("power_efficiency", pue=1.3, most=2, beside="")
    assert "a megawatt (PUE 1.3) serves" in said["answer"]["text"]
    most = names["modeled"].query("use == 'full load' and scenario == 'Offline'").nlargest(2, "value")
    assert set(names["shown"]["accelerator"]) == set(most["accelerator"])


def test_a_chain_is_of_the_headline_s_own_ratio(run):
    """Also where the baseline lost since its first result: BERT on H100, 9,109 after 9,134 samples/s."""
    for parameters in ({"benchmark": "BERT"}, {"benchmark": "Llama 3.1 405B", "baseline": "H200"}):
        names, said = run("generational_speedup", **parameters)
        chain = names["chain"]
        assert chain["value"].iloc[-2] == said["answer"]["value"]
        assert chain["value"].iloc[1:-1].prod() == pytest.approx(chain["value"].iloc[-1])
        assert said["why"]["title"].startswith(f"{names['top']['accelerator']} over {names['baseline']} v")


def test_a_curve_without_a_run_so_fast_says_so(run):
    text = run("interactivity", benchmark="Mixtral 8x7B", interactivities=[0, 20])[1]["answer"]["text"]
    assert text.endswith("(estimated, no run that fast)")


def test_a_cost_between_runs_is_not_called_estimated(run):
    costs = run("price_performance", interactivity=[20])[0]["costs"]
    assert {"interpolated", "estimated"} <= set(costs["evidence"])
    assert costs["estimated"].tolist() == costs["evidence"].eq("estimated").tolist()


@pytest.mark.parametrize(
    ("notebook", "printed", "keys"),
    [
        (
            "power_efficiency",
            {"benchmark": "Llama 3.1 405B", "beside": "llama 3.1 405b", "measured": "BERT",
             "capped_accelerator": "NVIDIA H200"},
            {"benchmark": "llama3.1-405b", "beside": "", "measured": "bert", "capped_accelerator": "H200"},
        ),
        (
            "quantization_tradeoffs",
            {"language_models": ["Llama 3.1 405B"], "memory_model": "Llama 3.1 405B"},
            {"language_models": ["llama3.1-405b"], "memory_model": "llama3.1-405b"},
        ),
        ("real_world_derating", {"benchmarks": ["Llama 3.1 405B"]}, {"benchmarks": ["llama3.1-405b"]}),
        ("scaling", {"vendors": ["nvidia"], "accelerators": ["nvidia gb300"]}, {"accelerators": ["GB300"]}),
        (
            "budget",
            {"benchmark": "DeepSeek-R1", "mix": ["GPT-OSS 120B", "DeepSeek-R1"], "tokens_per_user": [25.0]},
            {"benchmark": "deepseek-r1", "mix": ["gpt-oss-120b", "deepseek-r1"], "tokens_per_user": [25.0]},
        ),
        ("price_performance", {"benchmark": "GPT-OSS 120B"}, {"benchmark": "gpt-oss-120b"}),
        ("accelerator_choice", {"benchmark": "Llama 3.1 8B"}, {"benchmark": "llama3.1-8b"}),
        ("interactivity", {"benchmark": "GPT-OSS 120B"}, {"benchmark": "gpt-oss-120b"}),
        ("progress", {"benchmark": "Llama 3.1 8B"}, {"benchmark": "llama3.1-8b"}),
    ],
)  # fmt: skip
def test_printed_names_are_taken_as_keys_are(run, notebook, printed, keys):
    by_label, by_key = (run(notebook, **parameters)[1] for parameters in (printed, keys))
    assert by_label == by_key and not by_label["answer"].get("empty")


def test_a_larger_system_of_one_submitter_is_called_so(run):
    """One submitter's pair is a ratio of that one, not what larger systems keep."""
    names, said = run("scaling", scenario="Interactive", vendors=["NVIDIA"])
    largest = names["asked"].query("layout == @names['by_layout'].index[-1]")
    assert largest["submitter"].nunique() == 1 and largest["efficiency"].median() > 2
    assert f"{largest['efficiency'].median():.2f}x the smaller system's" in said["answer"]["text"]
    assert said["answer"]["text"].endswith(", submitters: 1")


def test_weights_that_no_gpu_holds_are_drawn_whole_and_counted_as_such(run):
    """671 billion parameters take 1,342 GB in FP16 and 356 in INT4: more than 80 and 192, and within the axes."""
    names, said = run("quantization_tradeoffs", memory_model="deepseek-r1")
    assert names["room"]["weights_gb"].agg(["min", "max"]).round().tolist() == [356, 1342]
    assert said["memory"]["title"] == "DeepSeek-R1, formats and GPUs that fit: 0"
    assert names["room"]["cache"].eq("KV cache: 0 tokens").all()
    assert [ax.get_xlim()[1] > 1342 for ax in names["fig"].axes] == [True, True]


def test_power_submissions_that_count_no_tokens_are_drawn_in_their_unit(run):
    names, said = run("power_efficiency", measured="bert")
    assert names["wall"]["rate_unit"].unique().tolist() == ["samples/s"]
    assert said["at_the_wall"]["title"].startswith("BERT Offline at the wall: ")
    assert list(said)[-1] == "published_claims"  # the page goes on to its end


def test_two_vendors_are_ranked_under_a_limit_on_a_whole_page(run):
    """An analyst's task: AMD and NVIDIA on Server, fastest first, each figure of the default page there."""
    names, said = run("generational_speedup", scenario="Server", accelerators=["AMD", "NVIDIA"])
    shown = names["shown"]
    assert set(shown["vendor"]) == {"AMD", "NVIDIA"} and shown["rate"].is_monotonic_decreasing
    assert said["answer"]["text"].startswith(f"{shown['accelerator'].iloc[0]}: ")
    _, default = run("generational_speedup")
    assert {name for name, part in default.items() if part["kind"] == "figure"} <= set(said)


def test_another_model_and_baseline_by_their_printed_names_make_a_whole_page(run):
    """An analyst's task: the page as printed names ask for it, and the chain of "Why" begins at that baseline."""
    names, said = run("generational_speedup", benchmark="Llama 3.1 405B", baseline="h200")
    assert (names["benchmark"], names["baseline"]) == ("llama3.1-405b", "H200")
    assert "H200 per GPU on Llama 3.1 405B" in said["answer"]["text"] and " over H200 " in said["why"]["title"]
    _, default = run("generational_speedup")
    assert {name for name, part in default.items() if part["kind"] == "figure"} <= set(said)


@pytest.mark.parametrize(
    ("notebook", "typed"),
    [
        ("power_efficiency", {"benchmark": "llama2-70b", "measured": "resnet50", "capped_accelerator": "h200"}),
        ("quantization_tradeoffs", {"language_models": ["llama3.1-8b"], "memory_model": "llama3.1-405b"}),
        ("real_world_derating", {"benchmarks": ["gpt-oss-120b", "deepseek-r1"]}),
        ("scaling", {"vendors": ["nvidia"], "accelerators": ["gb300", "mi355x"]}),
    ],
)
def test_what_was_typed_as_a_key_is_printed_by_its_name(run, notebook, typed):
    _, said = run(notebook, **typed)
    words = " ".join(str(part.get(each)) for part in said.values() for each in ("text", "title", "subtitle"))
    keys = [key for value in typed.values() for key in ([value] if isinstance(value, str) else value)]
    assert [key for key in keys if re.search(rf"\b{re.escape(key)}\b", words)] == []


@pytest.mark.parametrize("few", [["H200", "L40S"], ["L40S"]])
def test_accelerators_that_lead_nowhere_have_a_whole_overview(run, few):
    usual, said = (run("overview", **parameters)[1] for parameters in ({}, {"accelerators": few}))
    assert {*said} == {*usual} and not said["answer"].get("empty")


def test_a_small_budget_names_no_rack_and_says_where_inferencex_has_no_runs(run):
    """$2 million buy no rack, though racks cost least per token; InferenceX has no Llama 2 70B."""
    _, said = run("budget", benchmark="llama2-70b", usd=2e6, mix=["llama2-70b"])
    plans = pd.read_csv(StringIO(said["plans"]["csv"])).set_index("accelerator")
    assert plans.loc[["GB200", "GB300"], "units"].eq(0).all()
    for name in ("answer", "plan", "readings", "tornado", "regret"):
        assert "GB" not in said[name].get("text", "") + said[name].get("title", ""), name
    assert said["tokens"]["text"].endswith("no runs.") and "$–" not in str(said)
