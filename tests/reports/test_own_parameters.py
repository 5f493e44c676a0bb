"""Notebooks with parameters of one's own: run files of the guides, filters that leave less, and wrong names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from types import MappingProxyType

import pandas as pd
import pytest
import yaml

from analysis import NoData, budget, cost
from analysis.paths import ROOT
from tests.reports.grid import code, steps
from tests.reports.plain import outputs, table

PAGES: dict[tuple, Page] = {}  # by notebook and parameters: several tests ask one page


class Page:
    """A notebook that runs only as far as its variables (`names`) or outputs (`said`) are asked for.

    `states` are the variables and outputs before each of its cells of code, as far as it ran.
    """

    def __init__(self, notebook, parameters=MappingProxyType({}), states=(({}, {}),)):
        self.states = [*states]
        self.held = names, said = [{**each} for each in self.states[-1]]
        names.update(parameters if len(self.states) > 1 else {})
        self.cells = steps(notebook, parameters, names, said, start=len(self.states) - 1)
        self.names, self.said = (Asked(each, self) for each in self.held)

    def goes_on(self):
        """Run one more cell; return whether there was one."""
        went = next(self.cells, None) is not None
        self.states += [[{**each} for each in self.held]] * went
        return went


class Asked(Mapping):
    """Names and values of a page, which runs on until it has the one asked for, or all of them."""

    def __init__(self, held, page):
        self.held, self.page = held, page

    def __getitem__(self, name):
        while name not in self.held and self.page.goes_on():
            pass
        return self.held[name]

    def __iter__(self):
        while self.page.goes_on():
            pass
        return iter(self.held)

    def __len__(self):
        return sum(1 for _ in self)


def page(notebook, **parameters):
    """Return the page of a notebook with parameters: as shipped up to the first cell that reads one of them."""
    key = notebook, repr(parameters)
    if key not in PAGES and parameters:
        shipped = page(notebook)
        reads = re.compile(rf"\b({'|'.join(parameters)})\b")
        first = next(
            place
            for place, cell in enumerate(code(notebook))
            if reads.search(cell["source"]) and "parameters" not in cell["tags"]
        )
        while len(shipped.states) <= first and shipped.goes_on():
            pass
        assert set(parameters) <= set(shipped.states[first][0])
        PAGES[key] = Page(notebook, parameters, shipped.states[: first + 1])
    elif key not in PAGES:
        PAGES[key] = Page(notebook)
    return PAGES[key]


def words(part):
    """Return the words of an output."""
    return "\n".join(filter(None, map(part.get, ("text", "title", "subtitle"))))


def shipped(notebook):
    """Return the outputs of a notebook as shipped, by name."""
    return {part["name"]: part for part in outputs(notebook)}


def run_files():
    for path in ("README.md", "docs/notebooks.md", "docs/develop.md"):
        for block in re.findall(r"```yaml\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL):
            content = yaml.safe_load(block)
            yield pytest.param(content["notebook"], content["parameters"], id=f"{path}: {content['notebook']}")


@pytest.mark.parametrize(("notebook", "parameters"), list(run_files()))
def test_run_files_of_the_guides_make_their_pages(notebook, parameters):
    assert "answer" in page(notebook, **parameters).said


FEW = ["GB300", "MI355X"]
OTHERS_FIRST = {"accelerators": FEW}  # GB200 is cheaper than both at 66.7 tokens/s per user


@pytest.mark.parametrize(
    ("notebook", "parameters", "output", "expected"),
    [
        ("accelerator_choice", {"accelerators": ["GB300", "TPU v6e"]}, "within_error", "of those shown"),
        # None of MI355X, GB300, and B300 has a result on Mixtral 8x7B.
        ("accelerator_choice", {"benchmark": "Mixtral 8x7B", "users": 400, "tokens_per_user": 15}, "answer",
         r"cheapest tokens \(estimated: (\d)\): \S+$"),
        ("generational_speedup", {"accelerators": ["H100", "MI300X"]}, "answer", "^MI300X: 0.90x H100 per GPU"),
        ("generational_speedup", {"beside": {"DeepSeek-R1": "B300"}}, "user_speed", "DeepSeek-R1 Interactive"),
        ("generational_speedup", {"benchmark": "Llama 3.1 405B", "baseline": "h200"}, "answer",
         "H200 per GPU on Llama 3.1 405B"),
        ("generational_speedup", {"benchmark": "Llama 3.1 405B", "baseline": "h200"}, "why", " over H200 "),
        # On Mixtral 8x7B none of AMD's GPUs is in both v5.1 and v6.0, and one of NVIDIA's is.
        ("generational_speedup", {"benchmark": "Mixtral 8x7B", "baseline": "MI300X"}, "carried",
         r" x 1\.02744 \(v6\.0, n = 1, other vendors\) = "),
        ("interactivity", {"accelerators": ["H200"], "beside": "GPT-OSS 120B"}, "answer",
         r"\(estimated, no run that fast\)"),
        ("interactivity", {"benchmark": "Mixtral 8x7B", "interactivities": [0, 20]}, "answer",
         r"\(estimated, no run that fast\)$"),
        ("interactivity", {"accelerators": ["MI355X"]}, "answer", r"^(?!.*MI355X.*MI355X).*MI355X"),
        ("interactivity", {"accelerators": ["GB300", "AMD"], "beside": "DeepSeek-R1"}, "inferencex",
         r"Without a curve: GB300\."),
        ("interactivity", {"apart": 1.15}, "curve", "p99 over 1.15x median"),
        ("official_record", {"completed": 0.985, "apart": 1.25}, "odd", "below 98.5% of the scheduled rate"),
        ("official_record", {"completed": 0.985, "apart": 1.25}, "odd", "above 1.25x the median"),
        ("overview", {"accelerators": ["AMD", "Intel"]}, "new_accelerators", r"v6\.1 \(AMD, Intel\): MI350P\.$"),
        ("overview", {"accelerators": ["B200", "B300"]}, "new_accelerators",
         r"^New GPUs in the data center suite of v6\.1 \(B200, B300\): none\.$"),
        # In answers/s too no GPU of Interactive changes its rank.
        ("overview", {"scenario": "Interactive"}, "answers",
         r"answers/s: 0, not: 5: nothing to show: no order changes\.$"),
        ("overview", {"accelerators": ["MI355X"], "scenario": "Interactive"}, "others", "GB300 on Llama 2 70B"),
        ("overview", {"notable": 0.025}, "other_sizes", "More than 2.5% faster"),
        ("power_efficiency", {"usd_per_kilowatt_hour": 0.075}, "megawatt_year", "At 7.5 cents/kWh"),
        ("power_efficiency", {"capped_accelerator": "H100"}, "power_cap",
         "^Power cap: nothing to show: capped are (?=.*H100 PCIe).*H200"),
        ("power_efficiency", {"measured": "resnet50", "capped_accelerator": "h200"}, "power_cap", "H200"),
        ("price_performance", OTHERS_FIRST, "over_interactivity", "(?i)of those shown"),
        ("price_performance", OTHERS_FIRST, "winners", "(?i)of those shown"),
        ("price_performance", OTHERS_FIRST, "bases", "(?i)of those shown"),
        ("price_performance", {"accelerators": ["MI355X"]}, "prices", r"no offers: \$2\.09 per accelerator-hour"),
        ("price_performance", {"accelerators": ["H200"], "interactivity": [66.7]}, "answer",
         r" at 66\.7 tokens/s: \$.* on H200 \(.*, estimated\);"),
        ("price_performance", {"accelerators": ["H200"], "interactivity": [66.7]}, "prices",
         r"Results behind the headline: 1\.$"),
        ("price_performance", {"interactivity": [20, 50]}, "answer",
         r" at 50 tokens/s: \$.*; 20 tokens/s: \w+ \$0\.\d{3}$"),
        ("price_performance", {"interactivity": [0]}, "answer",
         r" at no limit: \$(0\.0\d+)/million on MI355X \(.*, measured\); no limit: MI355X \$\1$"),
        ("price_performance", {"usd_per_kilowatt_hour": 0.125}, "buy_or_rent", "12.5 cents/kWh"),
        ("price_performance", {"capital": 0.085}, "buy_or_rent", "capital 8.5% on"),
        ("progress", {}, "answer", r"per GPU since v4\.0, software x1\.40 \(separated in rounds: 5, not in: 0\)"),
        ("progress", {"benchmark": "llama3.1-8b"}, "answer", r"software unknown \(separated in rounds: 0, not in: 2\)"),
        ("progress", {"benchmark": "llama3.1-8b", "kind": "cpu"}, "answer", r"per CPU since v5\.1"),
        ("progress", {"kind": "cpu", "benchmark": "ResNet-50", "scenario": "Server"}, "answer",
         r"per CPU since v0\.7, software unknown \(separated in rounds: 0"),
        ("progress", {"kind": "cpu", "benchmark": "ResNet-50", "scenario": "Server"}, "by_round",
         "^No round tells software from hardware$"),
        ("quantization_tradeoffs", {"memory_used": 0.875}, "memory", "87.5% of memory used"),
        ("real_world_derating", {"benchmarks": ["deepseek-r1"], "system": "vLLM node"}, "waterfall",
         "^vLLM node: no result: nothing to show"),
        # A share without a spread has no range.
        ("real_world_derating", {"use": "batch", "system": "rack"}, "kinds", r"rack 100% \(P10 to P90\)\.$"),
        ("scaling", {"close": 0.025}, "scaling", "with 97.5% or more"),
        ("scaling", {"close": 0.025}, "submitters", "within 2.5% of the median"),
        ("scaling", {"accelerators": ["GB200"]}, "other_scenario", "^Offline: (?!.*\u2013)"),
        ("scaling", {"vendors": ["AMD"]}, "other_scenario", "^Offline: (?!.*\u2013)"),
        ("scaling", {"scenario": "Offline"}, "other_scenario", "^Server: (?!.*\u2013)"),
    ],
)  # fmt: skip
def test_an_output_says_what_was_asked(notebook, parameters, output, expected):
    assert re.search(expected, words(page(notebook, **parameters).said[output]), re.MULTILINE)


@pytest.mark.parametrize(
    ("notebook", "output", "unsaid"),
    [
        ("accelerator_choice", "within_error", "shown"), ("accelerator_choice", "answer", "estimated"),
        ("generational_speedup", "carried", "other vendors"), ("interactivity", "answer", "estimated"),
        ("price_performance", "answer", "estimated"), ("price_performance", "over_interactivity", "shown"),
        ("price_performance", "winners", "shown"), ("price_performance", "bases", "shown"),
        *((name, output, "Without a") for name, output in (
            ("overview", "matrix"), ("interactivity", "at_interactivity"), ("scaling", "scaling"),
            ("price_performance", "over_interactivity"))),
    ],
)  # fmt: skip
def test_what_other_parameters_add_is_not_said_of_a_page_as_shipped(notebook, output, unsaid):
    assert unsaid not in words(shipped(notebook)[output])


@pytest.mark.parametrize("interactivity", [[20, 50], [0, 66.7]])
def test_headlines_with_long_names_fit(interactivity):
    said = page("price_performance", accelerators=["RTX PRO 6000", "H200"], interactivity=interactivity).said
    assert len(said["answer"]["text"].split()) <= 18


def test_own_prices_are_used_or_named_wherever_a_price_is(tmp_path):
    own = tmp_path / "own.csv"
    own.write_text("accelerator,usd_per_hour\nB200,2.95\n", encoding="utf-8")
    with_own = page("price_performance", own_prices=str(own))
    assert "$2.95 per hour used (own" in with_own.said["buy_or_rent"]["text"]
    assert with_own.names["other"].query("accelerator == 'B200'")["usd_per_hour"].eq(2.95).all()
    assert "(2026-09-08)" in shipped("price_performance")["buy_or_rent"]["text"]


@pytest.mark.parametrize("few", [["GB300", "B200"], ["AMD"], ["MI355X", "B200"]])
def test_a_filter_changes_no_ratio(few):
    whole, shown = (
        page("generational_speedup", **asked).names["shown"].set_index("accelerator")["speedup"]
        for asked in ({"accelerators": [], "most": 99}, {"accelerators": few})
    )
    assert shown.equals(whole[shown.index]) and 0 < len(shown) < len(whole)


def test_a_filter_reaches_headline_and_table_on_power():
    asked = page("power_efficiency", accelerators=["AMD"])
    efficiency = pd.read_csv(StringIO(asked.said["efficiency"]["csv"]))
    assert set(efficiency["accelerator"]) == {*asked.names["shown"]["accelerator"]} == {"MI355X", "MI300X", "MI325X"}
    server = efficiency.query("model == 'GPT-OSS 120B' and scenario == 'Server'")["value"]
    assert f"{server.min():.2f} to {server.max():.1f} million" in asked.said["answer"]["text"]


def test_generations_of_images_speak_of_queries_alone():
    """Stable Diffusion XL Server: an H100 of one submitter, B200 of eight; a query in 20 s, no tokens, no answers."""
    asked = {"benchmark": "stable-diffusion-xl", "scenario": "Server", "accelerators": ["B200"]}
    said = page("generational_speedup", **asked).said
    assert said["answer"]["text"].endswith("Stable Diffusion XL Server, single submitter: H100")
    assert said["carried"]["text"] == "H100: 2.2323 queries/s in v5.1."
    assert "user_speed" in said
    assert page("generational_speedup", **asked).names["axes"][0].get_xlabel() == "for each user at p99: Server 20 s"
    head = re.findall(r"<th [^>]*>(.*?)</th>", said["speedups"]["html"])
    assert "Rate" in head and not {"Tokens per answer", "In answers"} & {*head}
    assert "answer" not in said["speedups"]["html"]


@pytest.mark.parametrize(
    ("notebook", "parameters", "error", "expected"),
    [
        ("scaling", {"scenario": "Servr"}, ValueError, "no scenario 'Servr': did you mean 'Server'"),
        ("overview", {"accelerators": ["nvida"]}, ValueError, "no accelerator 'nvida'"),
        ("overview", {"accelerators": ["Vera Rubin"]}, NoData, "no result left to compare (Vera Rubin)"),
        ("official_record", {"since": "v9.0"}, ValueError, "no round 'v9.0'"),
        ("overview", {"least": 99}, NoData, "no result left to compare"),
        ("scaling", {"accelerators": ["B200"]}, NoData, "no larger and smaller system left to compare (B200)"),
        ("interactivity", {"accelerators": ["Vera Rubin"]}, NoData, "no result left to compare (Vera Rubin)"),
        ("generational_speedup", {"baseline": "A100 PCIe 40GB"}, NoData, "no result of the baseline left to compare"),
        ("generational_speedup", {"accelerators": ["H100"]}, NoData, "no other accelerator left to compare (H100)"),
        ("generational_speedup", {"benchmark": "gptj-99", "baseline": "TPU v5e", "accelerators": ["Google"]}, NoData,
         "no other accelerator left to compare (Google); choices: "),
        ("progress", {"kind": "cpu"}, NoData, "no result of kind cpu on Llama 2 70B"),
        ("progress", {"kind": "cpus"}, ValueError, "no kind 'cpus': did you mean 'cpu'"),
        ("price_performance", {"baseline": "H300"}, ValueError, "no baseline"),
        ("price_performance", {"accelerators": ["Intel"]}, NoData, "no accelerator has both a price and a throughput"),
        ("price_performance", {"interactivity": [9e5]}, NoData,
         "no accelerator has both a price and a throughput at 900000"),
        ("interactivity", {"interactivities": [9e5]}, NoData,
         "no accelerator has a throughput at any requested interactivity"),
        # Numbers that cannot be.
        ("accelerator_choice", {"users": 10**400}, ValueError, "users is 1000"),
        ("budget", {"tokens_per_user": [25.0, 0]}, ValueError, "tokens_per_user is 0"),
        ("budget", {"usd": -1.0}, ValueError, "usd is -1"),
        ("budget", {"years": 1e-300}, ValueError, "years is 1e"),
        ("budget", {"price_basis": ["rental 2027"]}, ValueError, "no price basis 'rental 2027'"),
        ("interactivity", {"interactivities": [1e308]}, ValueError, "interactivity is 1e"),
        ("interactivity", {"interactivities": ["x"]}, ValueError, "interactivity is x"),
        ("my_deployment", {"usd_per_hour": 1e308}, ValueError, "usd_per_hour is 1e"),
        ("official_record", {"tolerance": -1.0}, ValueError, "tolerance is -1"),
        ("power_efficiency", {"usd_per_kilowatt_hour": 1e308}, ValueError, "usd_per_kilowatt_hour is 1e"),
        ("price_performance", {"usd_per_kilowatt_hour": 1e308}, ValueError, "usd_per_kilowatt_hour is 1e"),
        ("price_performance", {"years": 1e-300}, ValueError, "years is 1e"),
        ("price_performance", {"capital": 1e308}, ValueError, "capital is 1e"),
        ("price_performance", {"extras": -2.0}, ValueError, "extras is -2"),
        ("price_performance", {"interactivity": []}, ValueError, "interactivity is empty"),
        ("source_audit", {"tolerance": -1.0}, ValueError, "tolerance is -1.0; expected a number from 0 to 1,000"),
        ("quantization_tradeoffs", {"memory_gb": [1e308]}, ValueError, "memory in GB is 1e"),
        ("quantization_tradeoffs", {"memory_used": -1.0}, ValueError, "memory used is -1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(notebook, parameters, error, expected):
    with pytest.raises(error, match=re.escape(expected)):
        dict(page(notebook, **parameters).said)


@pytest.mark.slow
def test_a_model_of_ones_own_is_planned_though_each_accelerator_is_estimated():
    own = {"model": "A model with a long name", "benchmark": "", "parameters": 32.0}
    asked = page("accelerator_choice", **own, users=1000)
    assert len(asked.said["answer"]["text"].split()) <= 18
    alike = asked.names["alike"]
    assert set(alike["evidence"]) == {"estimated"} and alike["chance"].sum() >= 0.8
    assert asked.said["answer"]["value"] == asked.names["plans"]["usd_per_hour_p50"].min()


@pytest.mark.parametrize(
    ("notebook", "figure"),
    [
        ("overview", "matrix"), ("price_performance", "over_interactivity"), ("interactivity", "at_interactivity"),
        ("scaling", "scaling"), ("accelerator_choice", ""), ("generational_speedup", ""),
    ],
)  # fmt: skip
def test_a_filter_reaches_every_table_and_who_has_no_result_is_named(notebook, figure):
    """No table, and so no winner or runner-up, has an accelerator that was not asked for."""
    asked = ["H100", "B200", "MI355X", "GB300", *["Vera Rubin"] * bool(figure)]
    said = dict(page(notebook, accelerators=asked).said)
    assert not figure or re.search(r"Without an? .*: (.*, )?Vera Rubin\.$", said[figure]["subtitle"])
    said.pop("other_accelerators", None)  # which no result can be compared with
    tables = [pd.read_csv(StringIO(part["csv"])) for part in said.values() if part["csv"]]
    found = [frame[each] for frame in tables for each in ("accelerator", "runner_up") if each in frame]
    assert found and set(pd.concat(found).dropna()) <= set(asked)


@pytest.mark.parametrize("parameters", [{"benchmark": "resnet50", "scenario": "Server"}, {"scenario": "Interactive"}])
def test_rounds_in_another_scenario_compare_the_benchmarks_that_have_it(parameters):
    asked = page("progress", **parameters)
    assert set(asked.names["compared"]["scenario"]) == {parameters["scenario"]}
    assert asked.said["newest_software"]["value"] > 0 and "querys" not in str(dict(asked.said))


def test_a_baseline_of_prices_is_not_shown_unless_it_is_asked_for():
    keys = ["accelerator", "interactivity"]
    asked = page("price_performance", **OTHERS_FIRST)
    own = asked.names["costs"].set_index(keys)["break_even_usd"]
    assert {*own.index.get_level_values("accelerator")} == {*FEW}
    whole = table("price_performance", "costs").set_index(keys)["break_even_usd"]
    assert own.to_numpy() == pytest.approx(whole.reindex(own.index).to_numpy())
    assert "GB200" not in asked.said["bases"]["csv"]


@pytest.mark.parametrize("few", [FEW, ["AMD"], ["MI355X"], ["RTX PRO 6000"]])
def test_a_filter_of_the_overview_changes_no_share(few):
    """Also of two accelerators and of one: a model needs `least` accelerators, shown or not."""
    columns, whole = ["model", "accelerator", "share"], table("overview", "rates")
    part = pd.read_csv(StringIO(page("overview", accelerators=few).said["rates"]["csv"]))
    assert 0 < len(part) < len(whole)
    assert part[columns].merge(whole[columns]).shape == part[columns].shape


def test_who_leads_a_model_is_of_all_gpus_and_what_changed_of_those_shown():
    """MI325X has the highest share of those shown on Mixtral, where B200 leads; MI355X leads DLRM v3 alone."""
    asked = page("overview", accelerators=["MI355X", "MI325X"])
    answer, others = asked.said["answer"], asked.said["others"]
    assert answer["text"].startswith("MI355X is the fastest GPU on 1 of 10 models Offline (results on 6")
    assert "B200 on Mixtral 8x7B" in others["text"] and "MI3" not in others["text"]
    assert others["value"] + answer["value"] == 10
    assert set(asked.names["record"]["accelerator"]) == {"MI355X"}


def test_figures_above_the_limit_of_bandwidth_have_a_label_each():
    """One document's rates of ~85 tokens/s are of H100 with 80 GB, and of two H100."""
    assert page("source_audit").names["above"]["figure"].is_unique


@pytest.mark.parametrize("few", [["AMD"], ["B300"], ["GB200", "MI355X"]])
def test_a_filter_of_scaling_changes_no_group_of_submitters(few):
    whole, part = (page("scaling", **asked).names["groups"] for asked in ({}, {"accelerators": few}))
    columns = ["id", "ratio", "submitters"]
    assert part[columns].merge(whole[columns]).shape == part[columns].shape
    of_shown = whole[whole["accelerator"].isin(few) | whole["vendor"].isin(few)]
    assert 0 < len(part) == len(of_shown) < len(whole)


def test_titles_on_scaling_count_what_they_are_about():
    asked = page("scaling", accelerators=["AMD"])
    said, efficiency, groups = asked.said, asked.names["asked"]["efficiency"], len(asked.names["groups"])
    assert said["scaling"]["title"].endswith(f": {efficiency.ge(0.95).sum()} of {len(efficiency)}")
    assert said["submitters"]["title"].endswith(f": {groups}, in all {groups}")
    assert f"(pairs: {len(efficiency)})" in said["lowest"]["text"]
    assert "groups of 4 or more" in said["submitters"]["subtitle"]


def test_submitters_are_of_the_newest_round_of_the_accelerators_shown():
    groups = page("scaling", accelerators=["H100", "H200"]).names["groups"]
    assert set(groups["round"]) == {"v5.1"} and groups["submitters"].min() >= 4


@pytest.mark.parametrize("few", [["MI300X"], ["H100", "H200"], ["AMD"], ["GB300", "B300", "MI355X"]])
def test_a_filter_changes_no_throughput_at_an_interactivity(few):
    """Of the MI300X too, whose estimate takes its precision from runs of its family."""
    whole, part = (page("interactivity", **asked).names for asked in ({}, {"accelerators": few}))
    for frame in ("at", "dense"):
        own, every = (each[frame].set_index(["accelerator", "interactivity"])["throughput"] for each in (part, whole))
        both = own.index.intersection(every.index)
        assert len(own) and (frame == "dense" or len(both) == len(own))
        assert own[both].to_numpy() == pytest.approx(every[both].to_numpy())


def test_measured_and_interpolated_values_are_ranked_together_and_not_called_estimated():
    slow = page("interactivity", interactivities=[13])
    assert set(slow.names["kept"]["evidence"]) == {"measured", "interpolated"}
    assert "estimated" not in page("interactivity", interactivities=[25]).said["answer"]["text"]
    costs = page("price_performance", interactivity=[20]).names["costs"]
    assert {"interpolated", "estimated"} <= set(costs["evidence"])
    assert costs["estimated"].tolist() == costs["evidence"].eq("estimated").tolist()


def test_a_change_of_cost_is_split_for_one_accelerator_and_price_bases_are_in_order():
    """RTX PRO 6000 is the cheapest without a limit, and its newest rent is cheaper than an older one; then MI355X."""
    asked = {"benchmark": "Llama 2 70B", "interactivity": [0, 25], "cost_model": "rental", "fleet": "pooled"}
    asked = page("price_performance", **asked)
    assert set(asked.names["winners"]["accelerator"]) == {"RTX PRO 6000", "MI355X"}
    slow, fast = asked.names["costs"].query("accelerator == 'MI355X'").itertuples()
    split = asked.said["load_and_latency"]
    load, latency = slow.served / fast.served, slow.throughput / fast.throughput
    assert split["text"].startswith(f"MI355X from no limit to 25 tokens/s per user x{load * latency:.2f}: x{load:.2f} ")
    assert split["value"] == pytest.approx(latency)
    bases = page("price_performance", benchmark="Llama 2 70B", interactivity=[0, 25]).names["found"]["basis"]
    assert bases.is_monotonic_increasing and bases.str.startswith("rental").sum() == 6


def test_curves_of_inferencex_are_of_the_accelerators_shown():
    upper = page("interactivity", accelerators=["AMD", "B200"], beside="DeepSeek-R1").names["upper"]
    assert {"MI355X", "B200"} <= set(upper["accelerator"]) <= {"MI355X", "MI325X", "MI300X", "B200"}
    said = page("interactivity", accelerators=["RTX PRO 6000"]).said  # which InferenceX never ran: the page goes on
    assert {"at_interactivity", "curve", "ttft", "throughput", "median_over_p99"} <= set(said)


def test_a_baseline_of_ones_own_is_that_of_its_model():
    """Not the one that `beside` names for this model by default."""
    asked = page("generational_speedup", benchmark="DeepSeek-R1", baseline="GB200")
    assert "GB200 per GPU on DeepSeek-R1" in asked.said["answer"]["text"] and "user_speed" in asked.said
    assert set(asked.names["served"]["base"]) == {"GB200"}


def test_accelerators_without_a_result_of_the_model_are_planned_and_drawn():
    asked = page("accelerator_choice", benchmark="deepseek-r1", accelerators=["H100", "H200"])
    assert set(asked.names["shown"]["accelerator"]) == {"H200"} and "cost_over_interactivity" in asked.said


def test_software_of_more_than_the_leaders_gain_is_said_to_be_no_factor():
    """In v5.1 three pairs gained x1.31, and the fastest GPU x1.26 over that of v5.0."""
    asked = page("progress", benchmark="Llama 3.1 405B", scenario="Server")
    said, names = asked.said, asked.names
    assert "(separated in rounds: 1, not in: 1)" in said["answer"]["text"]
    assert said["by_round"]["subtitle"].endswith("fewer than 2 pairs or more software than gain.")
    gained = names["progress"].software_by_round(names["rows"]).loc[("NVIDIA", "gpu", "v5.1")]
    assert (gained["pairs"], gained["gain"]) == (3, pytest.approx(1.311, abs=0.001))
    assert names["steps"].query("round == 'v5.1'")["value"].tolist() == [pytest.approx(1.260, abs=0.001)]


def test_batches_are_sized_for_no_traffic():
    said = page("real_world_derating", use="batch").said
    assert list(pd.read_csv(StringIO(said["by_fleet"]["csv"]))["fleet"]) == ["busy"]
    assert said["sized_for_peak"]["text"].startswith("Always full, batch fleets deliver")


def test_the_headline_on_power_names_the_facility_and_the_best_of_one_frame():
    asked = page("power_efficiency", pue=1.3, most=2, beside="")
    assert "a megawatt (PUE 1.3) serves" in asked.said["answer"]["text"]
    most = asked.names["modeled"].query("use == 'full load' and scenario == 'Offline'").nlargest(2, "value")
    assert set(asked.names["shown"]["accelerator"]) == set(most["accelerator"])


@pytest.mark.parametrize("parameters", [{"benchmark": "BERT"}, {"benchmark": "Llama 3.1 405B", "baseline": "H200"}])
def test_a_chain_is_of_the_headline_s_own_ratio(parameters):
    """Also where the baseline lost since its first result: BERT on H100, 9,109 after 9,134 samples/s."""
    asked = page("generational_speedup", **parameters)
    said, names = asked.said, asked.names
    assert said["why"]["title"].startswith(f"{names['top']['accelerator']} over {names['baseline']} v")
    chain = names["chain"]["value"]
    assert chain.iloc[-2] == said["answer"]["value"]
    assert chain.iloc[1:-1].prod() == pytest.approx(chain.iloc[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notebook", "printed", "keys", "last"),
    [
        ("power_efficiency", {"benchmark": "Llama 3.1 405B", "beside": "llama 3.1 405b"},
         {"benchmark": "llama3.1-405b", "beside": ""}, "per_megawatt"),
        ("power_efficiency", {"measured": "BERT", "capped_accelerator": "NVIDIA H200"},
         {"measured": "bert", "capped_accelerator": "H200"}, "power_caps"),
        ("quantization_tradeoffs", {"language_models": ["Llama 3.1 405B"]}, {"language_models": ["llama3.1-405b"]},
         "accuracy"),
        ("quantization_tradeoffs", {"memory_model": "Llama 3.1 405B"}, {"memory_model": "llama3.1-405b"}, "memory"),
        ("real_world_derating", {"benchmarks": ["Llama 3.1 405B"]}, {"benchmarks": ["llama3.1-405b"]}, "waterfall"),
        ("scaling", {"vendors": ["nvidia"], "accelerators": ["nvidia gb300"]}, {"accelerators": ["GB300"]}, "pairs"),
        ("budget", {"benchmark": "DeepSeek-R1"}, {"benchmark": "deepseek-r1"}, "plan"),
        ("price_performance", {"benchmark": "GPT-OSS 120B"}, {"benchmark": "gpt-oss-120b"}, "over_interactivity"),
        ("accelerator_choice", {"benchmark": "Llama 3.1 8B"}, {"benchmark": "llama3.1-8b"}, "cost"),
        ("interactivity", {"benchmark": "GPT-OSS 120B"}, {"benchmark": "gpt-oss-120b"}, "at_interactivity"),
        ("progress", {"benchmark": "Llama 3.1 8B"}, {"benchmark": "llama3.1-8b"}, "largest_gains"),
    ],
)  # fmt: skip
def test_printed_names_are_taken_as_keys_are(notebook, printed, keys, last):
    """Up to the last output that reads them; whole pages of either are in the grid."""
    by_name, by_key = page(notebook, **printed), page(notebook, **keys)
    assert not by_name.said["answer"].get("empty") and by_name.said[last] == by_key.said[last]
    assert by_name.held[1] == by_key.held[1]


def test_the_models_of_a_mix_are_taken_by_their_printed_names():
    prices = cost.bases(["neocloud"])
    by_name, by_key = (budget.regret([model], prices, 25.0) for model in ("DeepSeek-R1", "deepseek-r1"))
    pd.testing.assert_frame_equal(by_name, by_key)


def test_a_larger_system_of_one_submitter_is_called_so():
    """One submitter's pair is a ratio of that one, not what larger systems keep."""
    asked = page("scaling", scenario="Interactive", vendors=["NVIDIA"])
    answer, names = asked.said["answer"]["text"], asked.names
    largest = names["asked"].query("layout == @names['by_layout'].index[-1]")
    assert largest["submitter"].nunique() == 1 and largest["efficiency"].median() > 2
    assert f"{largest['efficiency'].median():.2f}x the smaller system's" in answer
    assert answer.endswith(", submitters: 1")


def test_weights_that_no_gpu_holds_are_drawn_whole_and_counted_as_such():
    """671 billion parameters take 1,342 GB in FP16 and 356 in INT4: more than 80 and 192, and within the axes."""
    asked = page("quantization_tradeoffs", memory_model="deepseek-r1")
    assert asked.said["memory"]["title"] == "DeepSeek-R1, formats and GPUs that fit: 0"
    room = asked.names["room"]
    assert room["weights_gb"].agg(["min", "max"]).round().tolist() == [356, 1342]
    assert room["cache"].eq("KV cache: 0 tokens").all()
    assert [ax.get_xlim()[1] > 1342 for ax in asked.names["fig"].axes] == [True, True]


def test_power_submissions_that_count_no_tokens_are_drawn_in_their_unit():
    asked = page("power_efficiency", measured="bert")
    assert asked.names["wall"]["rate_unit"].unique().tolist() == ["samples/s"]
    assert asked.said["at_the_wall"]["title"].startswith("BERT Offline at the wall: ")
    assert list(asked.said)[-1] == "published_claims"  # the page goes on to its end


@pytest.mark.parametrize("few", [["H200", "L40S"], ["L40S"]])
def test_accelerators_that_lead_nowhere_have_a_whole_overview(few):
    said = page("overview", accelerators=few).said
    assert {*said} == {*shipped("overview")} and not said["answer"].get("empty")


@pytest.mark.slow
def test_a_small_budget_names_no_rack_and_says_where_inferencex_has_no_runs():
    """$2 million buy no rack, though racks cost least per token; InferenceX has no Llama 2 70B."""
    said = page("budget", benchmark="llama2-70b", usd=2e6, mix=["llama2-70b"]).said
    plans = pd.read_csv(StringIO(said["plans"]["csv"])).set_index("accelerator")
    assert plans.loc[["GB200", "GB300"], "units"].eq(0).all()
    for name in ("answer", "plan", "readings", "tornado", "regret"):
        assert "GB" not in said[name].get("text", "") + said[name].get("title", ""), name
    assert said["tokens"]["text"].endswith("no runs.") and "$–" not in str(dict(said))
