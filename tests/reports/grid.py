"""Pages with the parameters that users set: which there are, and what each page says and draws.

`python -m tests.reports.grid [NOTEBOOK ...]` runs them and prints the faults.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import cache
from io import StringIO
from itertools import combinations, product
from unittest.mock import patch

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.text import Text

from analysis import NoData, comparable, load_results, names, report, tables
from analysis.pages.processes import side_by_side
from analysis.paths import NOTEBOOKS
from tests.reports import plain
from tests.reports.plain import outputs, shipped

SCENARIOS = ["Offline", "Server", "Interactive"]
VALUES = {  # parameter -> values beside its default, each tried alone
    "scenario": SCENARIOS,
    "baseline": ["H200", "B200", "MI300X"],
    "accelerators": [["B200"], ["H100"], ["NVIDIA", "AMD"], ["AMD"]],
    "vendors": [["NVIDIA"], ["AMD"], ["Intel"]],
    "since": ["v3.0", "v6.1"],
    "rounds": [["v6.1"], ["v5.1", "v6.0"]],
    "kind": ["cpu"],
    "cost_model": ["hyperscaler", "rental"],
    "fleet": ["hourly", "foreseen", "pooled"],
    "stack": ["as submitted", "vLLM"],
    "use": ["batch", "interactive"],
    "system": ["TensorRT-LLM node", "vLLM node", "unstated node", "rack"],
    "fleet_nodes": [8, 1000],
    "prompt_reuse": [0.0, 1.0],
    "benchmarks": [["llama2-70b"], ["gpt-oss-120b"]],
    "language_models": [["llama3.1-8b"]],
    "memory_model": ["deepseek-r1", "llama3.1-8b"],
    "measured": ["bert", "resnet50", "gpt-oss-120b"],
    "capped_accelerator": ["B200", "H100"],
    "interactivity": [[0, 30], 20, 100],
    "interactivities": [[0, 20, 100]],
    "tokens_per_user": [[10], 10, 60],
    "users": [1, 200_000],
    "usd": [1_000_000, 200_000_000],
    "years": [1, 3],
    "pue": [1.3],
    "tolerance": [1e-4],
    "largest": [5],
}
WRONG_WORDS = re.compile(
    r"\b(nan|inf|None(?! of)|NaT|undefined)\b|\b0 of 0\b"
    r"|\b1 (users|results|links|submitters|curves|pairs|units|nodes|GPUs|models|rounds|systems)\b"
    r"|\(\)|\[\]|: [:.]|\$–|\ba (H|MI|A|L|8|11)\d|[–—-] to |\bto –|–[x%]|\b(?P<twice>[A-Z]\w+), (?P=twice)\b"
    r"|(?<![\d.,$])(?P<end>\d[\d.,]*[x%]?) to (?P=end)(?![\d.,x%])"
)
EQUATION = re.compile(r"([\d,.]*\d)(?: [a-z]+/s in v[\d.]+)?((?: [x/] [\d,.]*\d)+) = ([\d,.]*\d)")
KEYS = re.compile(rf"(?<![\w/-])({'|'.join(map(re.escape, tables.benchmarks['benchmark']))})(?![\w-])")
REASON = re.compile(r"\w: nothing to show: \w")
WRONG_CELLS = re.compile(r"(?<![^,\n])(nan|inf|-inf|None|NaT)(?![^,\n])")
ALL = ("NVIDIA", "AMD", "Intel", "Google", "Qualcomm", "Moffett", "FuriosaAI", "NEUCHIPS", "Untether AI")
RANKED = {  # page and output -> frame and column by which its accelerators rank, and whether the lowest is first
    ("generational_speedup", "answer"): ("shown", "speedup", False),
    ("accelerator_choice", "answer"): ("plans", "usd_per_hour_p50", True),
    ("accelerator_choice", "cost"): ("plans", "usd_per_hour_p50", True),
    ("budget", "answer"): ("plan", "users", False),
    ("interactivity", "answer"): ("at", "throughput", False),
    ("power_efficiency", "at_the_wall"): ("wall", "efficiency", False),
    ("price_performance", "answer"): ("costs", "usd_per_million", True),
}
BEYOND = 0.03  # of the size of an axes that a label may lie outside of it
MOST_OVERLAP = 0.2  # share of the smaller of two texts that may lie under the other: boxes are larger than letters


def defaults(notebook: str) -> dict:
    """Return the parameters of a notebook with their defaults."""
    source = next((cell["source"] for cell in code(notebook) if "parameters" in cell["tags"]), "")
    assigned = [line for line in ast.parse(source).body if isinstance(line, ast.AnnAssign)]
    return {line.target.id: ast.literal_eval(line.value) for line in assigned}


def benchmarks(scenario: str) -> list[str]:
    """Return the benchmarks with comparable results in a scenario."""
    results = load_results()
    found = comparable(results, benchmark=results["benchmark"].unique(), scenario=scenario)
    return sorted(found["benchmark"].unique())


def parameter_sets(notebook: str) -> list[dict]:
    """Return what is tried of a notebook: each value alone, and each benchmark in each scenario.

    Every other benchmark by its printed name, which is taken as its key is.
    """
    default = defaults(notebook)
    tried = [{}]
    for name, value in default.items():
        values = [
            each
            for each in VALUES.get(name, [])
            if isinstance(each, type(value)) or {type(each), type(value)} <= {int, float}
        ]
        tried += [{name: each} for each in values if each != value]
        if isinstance(value, list) and value:
            tried.append({name: []})
    if "benchmark" in default and notebook != "my_deployment":
        scenarios = SCENARIOS if "scenario" in default else ["Offline"]
        for scenario in scenarios:
            for place, benchmark in enumerate(benchmarks(scenario)):
                name = names.label(benchmark) if place % 2 else benchmark  # as printed, or the key
                tried.append({"benchmark": name} | ({"scenario": scenario} if "scenario" in default else {}))
        if "baseline" in default:
            models = ["gpt-oss-120b", "llama3.1-405b", "resnet50"]
            tried += [{"benchmark": model, "baseline": each} for model, each in product(models, VALUES["baseline"])]
    return [each for number, each in enumerate(tried) if each not in tried[:number]]


def sample(notebook: str) -> list[dict]:
    """Return two of the parameter sets; other tests read each page's defaults, drawn and stored."""
    sets = parameter_sets(notebook)
    return [sets[place] for place in sorted({len(sets) // 3, len(sets) * 2 // 3})]


def run(notebook: str, parameters: dict) -> dict:
    """Return what a page reports with parameters: `said` by name, `no_data`, `error`, the faults `drawn`, `ranks`."""
    said, drawn, names, done = {}, [], {}, 0

    def look(figure: plt.Figure, *rest: object) -> str:
        drawn.extend(faults_of_drawing(figure))
        return ""

    found = {"said": said, "no_data": "", "error": "", "drawn": drawn, "ranks": {}}
    try:
        for _ in steps(notebook, parameters, names, said, look=look):
            done += 1
    except NoData as none:
        return found | {"no_data": f"code {done + 1}: {none}"}
    except Exception as error:  # a fault of the page, which the test names
        return found | {"error": f"code {done + 1}: {type(error).__name__}: {error}"}
    plt.close("all")
    ranks = {output: order(names[frame], *how) for (page, output), (frame, *how) in RANKED.items() if page == notebook}
    return found | {"ranks": ranks}


def steps(
    notebook: str, parameters: dict, names: dict, said: dict, *, start: int = 0, look: Callable | None = None
) -> Iterator[int]:
    """Run the cells of code of a notebook after the first `start`, and yield the number of each that has run.

    `names` takes its variables and `said` what it reports, by name. `look` is called with each drawing; without it
    none is laid out.
    """

    def show(data: dict, raw: bool = False) -> None:
        part = data.get(report.MIME) if isinstance(data, dict) else None
        if part:
            said[part["name"]] = part | {"csv": data.get("text/csv", ""), "html": data.get("text/html", "")}

    charts = {"svg": look} if look else {"svg": lambda drawing: "", "compose": lambda drawing, *texts: drawing}
    shown = {"display": show} if look else {"display": show, "narrow": lambda drawing: drawing}
    for number, cell in enumerate(code(notebook)[start:], start + 1):
        with chdir(NOTEBOOKS), patch.multiple(report, **shown), patch.multiple(report.charts, **charts):
            exec(compile(cell["source"], f"{notebook}, code {number}", "exec"), names)
        if "parameters" in cell["tags"]:
            assert set(parameters) <= set(names)
            names.update(parameters)
        yield number


@cache
def code(notebook: str) -> list[dict]:
    """Return the source and tags of each cell of code."""
    cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text("utf-8"))["cells"]
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    return [{"source": "".join(cell["source"]), "tags": cell["metadata"].get("tags", [])} for cell in cells]


def order(frame: pd.DataFrame, column: str, lowest: bool) -> list[str]:
    """Return the accelerators of a frame, best first: at its highest interactivity, results before estimates."""
    frame = frame.dropna(subset=column)
    if "interactivity" in frame:
        frame = frame[frame["interactivity"].eq(frame["interactivity"].max())]
    if "evidence" in frame:
        estimated = frame["evidence"].eq("estimated")
        frame = frame[estimated.eq(estimated.min())]
    return frame.sort_values(column, ascending=lowest, kind="stable")["accelerator"].tolist()


def faults_of_drawing(figure: plt.Figure) -> list[str]:
    """Return which texts of a figure overlap or leave it, and which bars leave their axes."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    hidden = _out_of_view(figure) | {
        id(text) for ax in figure.axes if not ax.get_visible() for text in ax.findobj(Text)
    }
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    texts = [text for text in texts if id(text) not in hidden]
    boxes = [(text.get_text().replace("\n", " "), text.get_window_extent(renderer)) for text in texts]
    faults = []
    faults += [f"{text!r} is drawn" for text, _ in boxes if WRONG_WORDS.search(text)]
    for (one, a), (other, b) in combinations(boxes, 2):
        width, height = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        smaller = min(a.width * a.height, b.width * b.height)
        if width > 0 and height > 0 and width * height > MOST_OVERLAP * smaller:
            faults.append(f"{one!r} overlaps {other!r}")
    for ax in figure.axes:
        box = ax.get_window_extent(renderer)
        for bar in ax.patches:
            extent = bar.get_window_extent(renderer)
            inside = extent.x1 <= box.x1 + 2 and extent.y1 <= box.y1 + 2
            if bar.get_visible() and ax.get_visible() and not inside:
                faults.append(f"a bar leaves its axes {ax.get_title()!r}")
        near = box.expanded(1 + 2 * BEYOND, 1 + 2 * BEYOND)
        for label in ax.texts:
            room = figure.bbox if getattr(label, "xycoords", "") is ax.transAxes else near  # names at the ends of lines
            extent = label.get_window_extent(renderer)
            inside = room.x0 <= extent.x0 and extent.x1 <= room.x1 and room.y0 <= extent.y0 and extent.y1 <= room.y1
            if label.get_visible() and label.get_text().strip() and not inside:
                faults.append(f"the label {label.get_text()!r} leaves its axes")
    return faults


def _out_of_view(figure: plt.Figure) -> set[int]:
    """Return the ids of tick labels that are not drawn: beyond the view of their axis, which log scales have."""
    hidden = set()
    for ax in figure.axes:
        for place, axis in enumerate((ax.xaxis, ax.yaxis)):
            low, high = sorted(axis.get_view_interval())
            drawn = ax.get_visible() and ax.axison and axis.get_visible()
            for label in axis.get_ticklabels(which="both"):
                if not (drawn and low <= label.get_position()[place] <= high):
                    hidden.add(id(label))
    return hidden


def faults(notebook: str, found: dict, parameters: dict) -> list[str]:
    """Return what is wrong with a page.

    Each figure of the page at its defaults is there or says why it is not; at the defaults nothing is without content.
    """
    said = found["said"]
    if found["error"]:
        return [found["error"]]
    if found["no_data"]:
        return [f"NoData after {len(said)} outputs: {found['no_data']}"] if said else []
    wrong = list(found["drawn"])
    if "answer" not in said:
        wrong.append("no headline")
    expected = {part["name"] for part in outputs(notebook) if part["kind"] == "figure"}
    wrong += [f"without the figure {name}" for name in sorted(expected - set(said))]
    for name, part in said.items():
        if part.get("empty") and not (parameters and REASON.search(part["text"])):
            wrong.append(f"nothing in {name}: {part['text']!r}")
        for key in ("text", "title", "subtitle", "alt", "csv"):
            bad = WRONG_CELLS if key == "csv" else WRONG_WORDS
            if match := bad.search(str(part.get(key, ""))):
                wrong.append(f"{name}: {match.group(0)!r} in {part[key]!r}")
        words = " ".join(part.get(key) or "" for key in ("text", "title", "subtitle"))
        wrong += [f"{name} prints the key {key!r}" for key in KEYS.findall(words)]
        wrong += [f"{name}: {each}" for key in ("text", "title") for each in unequal(part.get(key) or "")]
    for name, ranked in found["ranks"].items():
        part = said[name]
        named = accelerators_in(part.get("text") or part["title"])
        named = named[:1] if name == "answer" else named
        if named != ranked[: len(named)]:
            wrong.append(f"{name} names {', '.join(named)}, but its frame begins with {', '.join(ranked[:3])}")
    answer = said.get("answer", {})
    low, value, high = (answer.get(key) for key in ("low", "value", "high"))
    if low is not None and high is not None and not low <= value <= high:
        wrong.append(f"the answer {value} is outside {low} to {high}")
    return wrong


def unequal(text: str) -> list[str]:
    """Return the products and quotients of a text that its printed factors do not give, to the last digit."""
    wrong = []
    for first, others, printed in EQUATION.findall(" ".join(re.sub(r"\([^()]*\)", "", text).split())):
        value = _number(first)
        for sign, factor in re.findall(r" ([x/]) (\S+)", others):
            value = value * _number(factor) if sign == "x" else value / _number(factor)
        whole, _, decimals = printed.partition(".")
        unit = 10.0 ** -len(decimals) if decimals else 10.0 ** (len(whole) - len(whole.rstrip("0")))
        if abs(value - _number(printed)) > 0.6 * unit:  # half a digit, and what rounding each factor adds
            wrong.append(f"{first}{others} is {value:.6g}, not {printed}")
    return wrong


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def accelerators_in(text: str) -> list[str]:
    """Return the accelerators that a text names, in its order, each once."""
    known = sorted(load_results()["accelerator"].unique(), key=len, reverse=True)
    return list(dict.fromkeys(re.findall(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)", text)))


def recount(parameters: str, said: dict) -> pd.DataFrame:
    """Return ratios of a page on generations beside those of the raw record, by plain pandas.

    Of accelerators with a result in the newest round, each over the first of them: the highest rate of eight, else of
    any size.
    """
    default = defaults("generational_speedup") | json.loads(parameters)
    page = pd.read_csv(StringIO(said["speedups"]["csv"])).set_index("accelerator")
    benchmark = names.benchmark(default["benchmark"])
    rows = plain.comparable(benchmark, default["scenario"], vendors=ALL, target=plain.usual_target(benchmark))
    rates = plain.fastest(rows[rows["version"].eq(rows["version"].max())])["each"]
    both = page[page["round"].eq(rows["round"].max())].join(rates, how="inner")
    return (both[["speedup", "each"]] / both[["speedup", "each"]].iloc[0]).iloc[1:] if len(both) else both


def tried(notebook: str, sets: list[dict], jobs: int = 0) -> pd.DataFrame:
    """Return a row for each page: notebook, parameters, whether it is `whole`, `no_data`, its `faults`, what is `said`.

    With `jobs`, so many run at a time, each in a process that is forked from this one, which loads what all need.
    """
    tasks = {json.dumps(each): (notebook, each) for each in sets}
    if jobs:
        load_results()
        gc.freeze()  # or each process looks for garbage in what all share
        run(notebook, {})
        found = dict(side_by_side(run, tasks, jobs, timeout=120))
    else:
        found = {key: run(*task) for key, task in tasks.items()}
    rows = []
    for key, (_, parameters) in tasks.items():
        result = found[key]
        if not isinstance(result, dict):
            result = {"said": {}, "no_data": "", "error": str(result), "drawn": [], "ranks": {}}
        whole = not result["no_data"] and not result["error"]
        rows.append({"notebook": notebook, "parameters": key, "whole": whole, "no_data": result["no_data"],
                     "faults": faults(notebook, result, parameters), "said": result["said"]})  # fmt: skip
    return pd.DataFrame(rows)


PAGES = [name for name in shipped() if name != "explorer"]

if __name__ == "__main__":
    wanted = sys.argv[1:] or PAGES
    pages = pd.concat([tried(name, [{}, *parameter_sets(name)], jobs=2) for name in wanted])
    for page in pages[pages["faults"].str.len().gt(0)].itertuples():
        print(f"{page.notebook} {page.parameters}")
        print("".join(f"    {fault}\n" for fault in page.faults[:8]), end="")
    print(f"{len(pages)} pages, {pages['whole'].sum()} whole, {pages['no_data'].ne('').sum()} without data, "
          f"{pages['faults'].str.len().gt(0).sum()} with faults, {sum(os.times()[:4]):.0f} s")  # fmt: skip
