"""What recounts share: the raw record by plain pandas, and what the stored outputs of a notebook say.

Nothing of the package is imported: a recount is a second way to each number.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
MIME = "application/vnd.mlperf.report+json"
CAPPED = r"maxq|power[ _]?cap"


def shipped(root: Path = ROOT) -> list[str]:
    """Return the names of the notebooks in git that are a page; of all where there is no git."""
    files = {path.stem: path for path in sorted((root / "notebooks").glob("[!_.]*.ipynb"))}
    if not shutil.which("git"):
        return [*files]
    asked = ["git", "ls-files", "-z", "notebooks/*.ipynb"]
    listed = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False).stdout.split("\0")
    tracked = [name for name, path in files.items() if f"notebooks/{path.name}" in listed]
    return tracked or [*files]


@cache
def outputs(notebook: str) -> list[dict]:
    """Return the machine-readable parts of a notebook's stored outputs, tables with their CSV as `csv`."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    data = [output["data"] for cell in cells for output in cell.get("outputs", []) if MIME in output.get("data", {})]
    return [each[MIME] | {"csv": "".join(each.get("text/csv", ""))} for each in data]


def said(notebook: str) -> dict[str, dict]:
    """Return the machine-readable parts of a notebook by name; the headline is "answer"."""
    return {part["name"]: part for part in outputs(notebook) if "name" in part}


def values(notebook: str) -> dict[str, float]:
    """Return the value of each finding of a notebook by its name."""
    return {name: part["value"] for name, part in said(notebook).items() if part["kind"] in ("headline", "finding")}


def table(notebook: str, name: str) -> pd.DataFrame:
    """Return a table of a notebook from its CSV."""
    return pd.read_csv(StringIO(said(notebook)[name]["csv"]), keep_default_na=False, na_values=[""])


def data(name: str, texts: bool = False) -> pd.DataFrame:
    """Return a table of data/; an empty cell is NaN, or "" with `texts`, which leaves a column that has one as text."""
    if (file := DATA / f"{name}.parquet").exists():
        return pd.read_parquet(file)
    return pd.read_csv(DATA / f"{name}.csv", keep_default_na=not texts)


def accelerators(column: str = "label") -> pd.Series:
    """Return a column of the table of accelerators by their long names, by default the short names."""
    return data("accelerators", texts=True).set_index("accelerator")[column]


def published() -> pd.DataFrame:
    """Return the shipped record as its Parquet files have it."""
    package = json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))["resources"]
    files = next(resource["parts"] for resource in package if resource["name"] == "results")
    return pd.concat([pd.read_parquet(DATA / part["path"]) for part in files], ignore_index=True)


@cache
def record() -> pd.DataFrame:
    """Return the shipped record, corrected, with short names of accelerators and rates per accelerator."""
    rows = published()
    fixes = data("corrections", texts=True).query("table == 'official'")
    numbers = ("tokens_per_sample", "nodes", "accelerator_count")
    for column in ("precision", "precision_basis", "hypervisor", *numbers):
        fixed = fixes[fixes["column"].eq(column)].set_index("key")["corrected"]
        fixed = pd.to_numeric(fixed) if column in numbers else fixed
        rows[column] = rows["id"].map(fixed).fillna(rows[column])
    rows["rated"] = pd.to_numeric(rows["accelerator"].map(accelerators("power_limit_w")))
    for column in ("vendor", "kind"):
        rows[column] = rows["accelerator"].map(accelerators(column))
    rows["accelerator"] = rows["accelerator"].map(accelerators())
    rows["submitter"] = rows["submitter"].str.casefold()
    middle = (rows["low"] + rows["high"]) / 2
    models = data("benchmarks", texts=True).set_index("benchmark")
    of_tokens = rows["benchmark"].map(models["offline_unit"]).eq("tokens/s")
    rows["rate"] = middle.mask(of_tokens & rows["tokens_per_second"].notna(), rows["tokens_per_second"])
    in_samples = rows["benchmark"].map(models["compared_in"]).eq("samples/s")  # Whisper
    rows["rate"] = rows["rate"].mask(in_samples, middle / rows["tokens_per_sample"])
    rows["each"] = rows["rate"] / rows["accelerator_count"]
    rows["version"] = rows["round"].str.removeprefix("v").astype(float)
    return rows


def comparable(
    benchmark: str, scenario: str = "Offline", vendors: tuple[str, ...] = ("NVIDIA", "AMD"), virtual: bool = False,
    target: str = "",
) -> pd.DataFrame:  # fmt: skip
    """Return closed, available data center results without power runs and unstated caps, each run once.

    Those of virtualized systems are left out, with `virtual` but for an accelerator that has no others. Of two accuracy
    targets the stricter counts, or only `target`.
    """
    rows = record()
    rows = rows[rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario) & rows["division"].eq("closed")]
    rows = rows[rows["suite"].str.contains("datacenter") & rows["availability"].eq("available")]
    rows = rows[rows["duplicate_of"].eq("") & rows["metric"].eq("throughput")]
    capped = rows["system"].str.contains(CAPPED, case=False) & rows["power_limit_watts"].isna()
    rows = rows[~rows["power_measured"] & ~capped & rows["accelerator_count"].gt(0) & rows["vendor"].isin(vendors)]
    bare = rows["hypervisor"].eq("")
    rows = rows[bare | (virtual & ~bare.groupby(rows["accelerator"]).transform("any"))]
    if target:
        return rows[rows["accuracy_target"].eq(target)]
    strict = rows["accuracy_target"].eq("99.9")
    kind = [rows[name] for name in ("round", "accelerator", "accelerator_count")]
    return rows[strict | ~strict.groupby(kind).transform("any")]


def usual_target(benchmark: str) -> str:
    """Return the accuracy target of most results of a benchmark, "" where one run is submitted under several."""
    models = data("benchmarks").set_index("benchmark")
    rows = record().query("benchmark == @benchmark and division == 'closed' and metric == 'throughput'")
    return "" if models.at[benchmark, "targets_share_run"] else rows["accuracy_target"].mode().max()


def fastest(rows: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Return the result that stands for each accelerator (and `by`): the fastest of eight, else of any size."""
    rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "each"], kind="stable")
    return rows.drop_duplicates(["accelerator", *by], keep="last").set_index([*by, "accelerator"])


def newest_prices(column: str) -> pd.Series:
    """Return a column of the newest neocloud prices by the short name of the accelerator."""
    prices = data("prices", texts=True).query("cost_model == 'neocloud'").sort_values("quoted")
    prices = prices.drop_duplicates("accelerator", keep="last")
    return pd.to_numeric(prices[column]).set_axis(prices["accelerator"].map(accelerators()))


def energy() -> pd.DataFrame:
    """Return the runs of InferenceX with measured joules and their user speed, without those that cannot be right."""
    rows = data("inferencex_energy", texts=True).assign(speed=lambda rows: 1000 / rows["tpot_ms"])
    rated = rows["accelerator"].map({"H200": 700, "B200": 1000, "B300": 1100, "MI325X": 1000, "MI355X": 1400})
    wrong = rows["joules_per_output_token"] * rows["output_tokens_per_second_per_gpu"] > 1.05 * rated
    wrong |= rows["concurrency"] * rows["speed"] > 2.5 * rows["output_tokens_per_second_per_gpu"] * rows["gpus"]
    wrong |= rows.eval("model == 'GPT-OSS 120B' and accelerator == 'MI325X'")
    wrong |= rows.eval("model == 'Kimi K2.5' and accelerator == 'B300' and concurrency <= 16")
    assert (len(rows), wrong.sum()) == (595, 37)
    return rows[~wrong]
