"""What pages say of the record's extent, held against counts of the shipped files by pandas alone."""

import json
import re
from functools import cache

import pandas as pd
import pytest

from analysis._core.paths import NOTEBOOKS, OFFICIAL

PARTS = "submitter|system|result|submission|round|benchmark"
WHOLE = re.compile(rf"\b(?:all|every)\s+(?:of\s+|the\s+|official\s+|public\s+)*(?:{PARTS})s?\b", re.IGNORECASE)
OF = re.compile(r"(?P<some>[\d,]+) of (?P<all>[\d,]+) (?:v\d\.\d )?(?:systems|rows|results)")


@cache
def record():
    """The rows of the shipped files."""
    return pd.concat([pd.read_parquet(path) for path in sorted(OFFICIAL.glob("v?.?.parquet"))], ignore_index=True)


def ran(accelerator, benchmark, scenario, rounds):
    """The systems on sale, by round and result id, of closed data-center results of an accelerator.

    Of two accuracy targets that as many accelerators ran in a round, the stricter.
    """
    rows = record()
    rows = rows[rows["division"].eq("closed") & rows["suite"].str.contains("datacenter") & ~rows["power_measured"]]
    rows = rows[rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario) & rows["round"].isin(rounds)]
    rows = rows[rows["accelerator"].eq(accelerator)] if accelerator else rows
    rows = rows[rows["availability"].eq("available") & rows["duplicate_of"].eq("")]
    strictest = rows.groupby(["round", "accelerator", "accelerator_count"])["accuracy_target"].transform("max")
    rows = rows[rows["accuracy_target"].eq(strictest)]
    folder = rows["location"].str.rsplit("/", n=2).str[0].str.lower()  # of the system: v6.1 numbers no results
    return set(zip(rows["round"], rows["result_id"].where(rows["result_id"].ne(""), folder), strict=True))


def of_both_scenarios(asked):
    """Systems on sale of the newest round asked for that ran Offline and one of the answer's two scenarios."""
    offline, server, interactive = (
        ran("", asked["benchmark"], name, [max(asked["rounds"])]) for name in ("Offline", "Server", "Interactive")
    )
    return len(offline & (server | interactive))


def of_the_answer(asked):
    """Systems on sale in v5.1 of the two accelerators that the answer sets beside each other."""
    sides = [ran(name, asked["benchmark"], asked["scenario"], ["v5.1"]) for name in ("B200 SXM", asked["baseline"])]
    return len(sides[0] | sides[1])


TRUSTED = {
    "generational_speedup": of_the_answer,
    "real_world_derating": of_both_scenarios,
}


def findings(places, report):
    """The headlines of a report's findings by name, and its parameters."""
    page = json.loads((places.reports / f"{report}.json").read_text("utf-8"))
    return {finding["name"]: finding["headline"] for finding in page["findings"]}, page["parameters"]


def test_a_part_of_the_record_is_told_of_the_whole_that_the_record_has(built):
    headlines, _ = findings(built[0], "official_record")
    told = OF.search(headlines["rows_without_own_log"])
    some, whole = (int(told[part].replace(",", "")) for part in ("some", "all"))
    assert some <= whole == len(record())


@pytest.mark.parametrize("report", TRUSTED)
def test_the_trust_line_counts_the_systems_that_the_record_has(built, report):
    page = json.loads((built[0].reports / f"{report}.json").read_text("utf-8"))
    (counted,) = (part for part in page["trust"]["parts"] if re.match(r"[\d,]+ systems\b", part))
    assert int(counted.split()[0].replace(",", "")) == TRUSTED[report](page["parameters"])


# Pages that need rounds which newer models lack: a baseline of v5.1, both accuracy targets, metered runs, years.
SPANNING = {"generational_speedup", "official_record", "power_efficiency", "progress", "quantization_tradeoffs"}
SPANNING |= {"source_audit"}  # whose documents are of v4.1


def test_pages_lead_with_what_people_serve_but_where_only_llama_2_spans_the_rounds(built):
    pages = {path.stem: findings(built[0], path.stem)[1] for path in (NOTEBOOKS / "runs").glob("*.yml")}
    lead = {name: asked["benchmark"] for name, asked in pages.items() if asked.get("benchmark")}
    assert {name for name, benchmark in lead.items() if benchmark == "llama2-70b"} == SPANNING
    assert {benchmark for name, benchmark in lead.items() if name not in SPANNING} == {"gpt-oss-120b", "deepseek-r1"}


def test_no_part_of_the_record_is_told_as_the_whole(built):
    """Neither in findings nor in the notebooks' own words: scope is a number."""
    said = [
        (path.stem, headline)
        for path in sorted(built[0].reports.glob("*.json"))
        if not path.name.startswith(".") and path.with_suffix(".html").is_file()
        for headline in findings(built[0], path.stem)[0].values()
    ]
    for path in sorted(NOTEBOOKS.glob("[!_]*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            text = "".join(cell["source"])
            lines = re.findall(r"(?:title|subtitle)=f?\"[^\"]*\"", text) if cell["cell_type"] == "code" else [text]
            said += [(path.stem, line) for line in lines]
    assert [(where, text) for where, text in said if WHOLE.search(text)] == []
