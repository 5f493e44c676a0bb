"""What MLCommons' results messaging guidelines ask of a page that is published as it is, on every built page."""

import html
import json
import re

import pytest

TAGS = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
FOLDED = re.compile(r"<details\b.*?</details>", re.DOTALL)
NAME = re.compile(r"MLPerf\S*")
LEGEND = "The MLPerf® name and logo are registered and unregistered trademarks of MLCommons Association"
NO_SYSTEMS = {"endpoints", "explorer", "official_record", "source_audit"}  # their answers count results or figures


def text(markup):
    """The text of a page from its body on."""
    body = markup[markup.index("<body") :]
    return " ".join(html.unescape(TAGS.sub(" ", body.replace("<sup>®</sup>", "®"))).split())


@pytest.fixture(scope="module")
def pages(built):
    """The HTML of each report and of the front page, by name."""
    found = {path.stem: path.read_text("utf-8") for path in sorted(built[0].reports.glob("*.html"))}
    assert len(found) > 20 and "index" in found
    return found


@pytest.fixture(scope="module")
def records(built, pages):
    """What each report states."""
    names = [name for name in pages if name != "index"]
    return {name: json.loads((built[0].reports / f"{name}.json").read_text("utf-8")) for name in names}


def official(record):
    """The official sources of a report."""
    return [each for each in record["provenance"].get("sources", []) if each["kind"] == "official"]


def test_the_name_has_its_sign_at_first_use_and_is_followed_by_that_of_a_suite(pages):
    """Never a verb, noun, plural, or possessive: `MLPerf Inference`, `MLPerf Endpoints`, or the name itself."""
    for name, page in pages.items():
        words = text(FOLDED.sub(" ", page))
        assert NAME.search(words).group() == "MLPerf®", name
        misused = re.findall(r".{0,30}MLPerf(?:®|(?!®))(?! (?:Inference|Endpoints|name)\b).{0,20}", words)
        assert misused == [], (name, misused)


def test_a_footnote_in_sight_has_scope_source_date_and_legend(pages, records):
    for name, record in records.items():
        words = text(FOLDED.sub(" ", pages[name]))
        footnote = words[max(0, words.rindex("Derived metrics") - 4000) :]
        assert LEGEND in footnote and "not official MLPerf® Inference results" in footnote, name
        cited = {source for each in record["findings"][:2] for source in each["sources"]}
        used = [each for each in official(record) if each["id"] in cited]
        for source in used:
            address = re.escape(source["url"].removeprefix("https://"))
            assert re.search(rf"Retrieved {source['accessed']} from [^;]*{address}", footnote), (name, source["id"])
        if used and record["trust"]["parts"][0].startswith("MLPerf"):
            assert re.search(r"MLPerf® Inference v\d\.\d.*?, (?:\w+(?:, and | and |, ))*\w+ division", footnote), name
            versions = [source["id"].removeprefix("mlcommons-") for source in used]
            scope = re.findall(r"MLPerf® Inference (v[^,]+),", footnote)[-1]
            assert len(versions) > 2 or all(version in scope for version in versions), (name, scope, versions)
            asked = record["parameters"]
            assert all(f"{key} {asked[key]}" in footnote for key in ("benchmark", "scenario") if asked.get(key)), name
            shown = re.findall(r"benchmark=([^&]+)", record["trust"]["view"])  # of the rows that the scope is of
            assert not shown or re.search(r"benchmark " + re.escape(asked.get("benchmark") or shown[0]), footnote), name


def test_each_result_of_an_answer_names_submitter_system_size_and_round(pages, records):
    for name, record in records.items():
        first = record["findings"][0]
        if record["notebook"] in NO_SYSTEMS or first["low"] is None or not official(record):
            continue
        # Of an estimate whose accelerator was not submitted there are none to name.
        assert first["systems"] or "(estimate)" in first["headline"], name
        for system in first["systems"]:
            assert re.fullmatch(
                r"(?:baseline )?\S.*: .+ \((?:\d+x, )?v\d\.\d(?:, \d\.\d-\d{4})?\)|and \d+ more", system
            ), system
            assert system in text(pages[name]), (name, system)


def test_systems_of_two_sizes_or_rounds_say_so_at_the_answer(records):
    compared = 0
    for name, record in records.items():
        for finding in record["findings"][:2]:
            sides = [re.search(r"\((\d+)x, (v\d\.\d)", each) for each in finding["systems"] if each != "and"]
            bases = [
                each for each, side in zip(finding["systems"], sides, strict=True) if side and each.startswith("base")
            ]
            if not bases or finding["low"] is None:
                continue
            (size, round), (base_size, base_round) = (
                sides[0].groups(),
                sides[finding["systems"].index(bases[0])].groups(),
            )
            codes = {note["code"] for note in finding["notes"]}
            compared += 1
            assert size == base_size or "different_sizes" in codes, (name, finding["name"])
            assert round == base_round or codes & {"bridged", "different_rounds"}, (name, finding["name"])
    assert compared > 3


def test_kilowatts_say_whether_they_were_measured(records):
    """Power as measured; what is modeled or provisioned is named so, and is never under tokens per joule."""
    told = 0
    for name, record in records.items():
        for finding in record["findings"]:
            if (
                re.search(r"\d kW", finding["headline"])
                and finding["low"] is not None
                and "power" in finding["headline"].lower()
            ):
                told += 1
                words = finding["sentence"].lower()
                assert re.search("model|measured|metered|provisioned|at the wall", words), (name, finding["sentence"])
            if "per joule" in finding["headline"]:
                assert "model" not in finding["sentence"].lower(), (name, finding["sentence"])
    assert told > 3


def test_a_comparison_with_a_run_of_one_s_own_is_for_internal_use(pages, records):
    own = [name for name, record in records.items() if record["notebook"] == "my_deployment"]
    assert len(own) > 2
    for name in own:
        words = text(FOLDED.sub(" ", pages[name]))
        assert "own run unverified by MLCommons: comparison for internal use" in words, name
