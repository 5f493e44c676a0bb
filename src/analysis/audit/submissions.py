"""Claims about submissions: counts, cited result ids, system sizes, dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

from analysis._core.cell_lists import cell_values
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import filed_under, round_age
from analysis.audit import against_record
from analysis.audit.frames import Tables
from analysis.audit.verdict import HOLDS, NOTHING, Judgment, Row, Verdict

COUNT, CITED, FIRST, SIZE = "count", "result cited", "first result", "accelerators of a system"
COUNTED = {  # the ways of counting, the usual one first
    "workloads": {"workload": ["benchmark"]},
    "scenarios": {"scenario": ["scenario"]},
    "results_submitted": {
        "result": ["result_id", "model_run", "scenario"],
        "system and model": ["result_id", "model_run"],
    },
    "systems_submitted": {"system": ["result_id"], "server": ["server"]},
    "submitters": {"submitter": ["submitter"], "maker": ["maker"]},
}


def counts(tables: Tables) -> Iterator[Judgment]:
    """Check stated numbers of workloads, scenarios, results, systems or submitters of a round against its results.

    Of a round that is incomplete in the data a higher number is unverifiable, a lower one contradicted.
    """
    for claim in tables.stated(*COUNTED):
        yield _count(claim, tables)


def workloads_added(tables: Tables) -> Iterator[Judgment]:
    """Check how many benchmarks a round added, against those with results in it and none in the round before."""
    for claim in tables.stated("workloads_added"):
        sides = claim["round"], claim["baseline_round"]
        if tables.record.whole.issuperset(sides):
            later, earlier = (set(tables.official(round)["benchmark"]) for round in sides)
            added = sorted(later - earlier)
            words = f"The complete {sides[0]} results contain {len(added)} benchmarks that {sides[1]} lacks: "
            words += f"{', '.join(added)}."
            expected = exactly(len(added))
            yield Judgment(claim, COUNT, expected, f"official {sides[0]} and {sides[1]} results", words)


def rounds_taken_part(tables: Tables) -> Iterator[Judgment]:
    """Check in how many rounds a submitter took part, against its results up to the round of the claim.

    Results under any of the names that the claim gives count.
    """
    for claim in tables.stated("rounds_taken_part"):
        until = round_age(claim["round"])
        rounds = [name for name in tables.record.rounds("") if round_age(name) <= until]
        names = cell_values(claim["submitter"])
        taken_part = [name for name in rounds if tables.official(name)["submitter"].isin(names).any()]
        missed = [name for name in rounds if name not in taken_part and name in tables.record.whole]
        words = f"{names[0]} has results in {len(taken_part)} of the {len(rounds)} rounds in the data"
        words += f" up to {claim['round']}"
        words += f", and none in {', '.join(missed)}" if missed else ""
        enough = len(taken_part) >= claim["high"]
        outcome = Verdict.CONTRADICTED if missed else Verdict.CONFIRMED if enough else Verdict.UNVERIFIABLE
        expected = exactly(len(taken_part))
        yield Judgment(claim, COUNT, expected, "official rounds in the data", f"{words}.", verdict=outcome)


def cited(tables: Tables) -> Iterator[Judgment]:
    """Check that cited result ids exist, and count the figures of the document that are results of theirs.

    A record without any ids cannot say.
    """
    borne_out = [judgment for judgment in tables.judgments(against_record.results) if judgment.verdict in HOLDS]
    used = Counter((judgment.figure["source_id"], id) for judgment in borne_out for id in judgment.result_ids)
    for claim in tables.stated("result_cited"):
        rows = tables.official(claim["round"])
        cited_rows = as_dicts(rows[rows["result_id"].eq(claim["subject"])].head(1))
        figures = used[claim["source_id"], claim["subject"]]
        if cited_rows:
            outcome = Verdict.CONFIRMED if figures else Verdict.CONDITIONAL
            behind = f"{figures} {'figure' if figures == 1 else 'figures'}" if figures else "no figure"
            system = f"{cited_rows[0]['submitter']}, {cited_rows[0]['system']}"
            words = f"{claim['subject']} is {system}: {behind} of the document from it"
        elif not rows["result_id"].ne("").any():
            outcome, words = Verdict.UNVERIFIABLE, f"The {claim['round']} results in the data give no result ids"
        else:
            whole = claim["round"] in tables.record.whole
            outcome = Verdict.CONTRADICTED if whole else Verdict.NO_OFFICIAL_RESULT
            words = f"{claim['subject']} is not among the {claim['round']} results in the data"
        expected = exactly(1.0) if cited_rows else NOTHING
        yield Judgment(claim, CITED, expected, f"official {claim['round']}", f"{words}.", verdict=outcome)


def first_results(tables: Tables) -> Iterator[Judgment]:
    """Check when an accelerator was first submitted, against the first round in the data with results of it."""
    for claim in tables.stated("first_result_date"):
        accelerator = claim["subject_accelerator"]
        rounds = sorted(tables.record.rounds("", [accelerator]), key=round_age)
        published = tables.published.get(rounds[0], "") if rounds else ""
        if published:
            day = float(f"{date.fromisoformat(published):%Y%m%d}")
            outcome = Verdict.WITHIN_ROUNDING if claim["low"] <= day <= claim["high"] else Verdict.CONTRADICTED
            words = f"The first official results on the {accelerator} in the data are of {rounds[0]}"
            words += f", published on {published}."
            expected = exactly(day)
            yield Judgment(claim, FIRST, expected, f"official {rounds[0]}", words, verdict=outcome, unit="date")


def sizes_of_systems(tables: Tables) -> Iterator[Judgment]:
    """Check how many accelerators a submitted system has, against the submitter's systems with that part."""
    for claim in tables.stated("system_accelerators"):
        rows = tables.official(claim["round"])
        rows = rows[rows["submitter"].eq(claim["submitter"]) & rows["accelerator"].eq(claim["subject_accelerator"])]
        named = rows[rows["system"].str.contains(claim["system"], regex=False)]
        sizes = sorted(set(named["accelerator_count"].dropna()))
        system_named = f"{claim['submitter']} {claim['system']}".strip()
        words = f"Official {claim['round']} results of {system_named} are on "
        words += f"{' and '.join(f'{size}x' for size in sizes) or 'no'} {claim['subject_accelerator']}"
        lacking = Verdict.CONTRADICTED if claim["round"] in tables.record.whole else Verdict.UNVERIFIABLE
        outcome = Verdict.CONFIRMED if claim["low"] in sizes else lacking
        expected = Interval(float(sizes[0]), float(sizes[-1])) if sizes else NOTHING
        yield Judgment(claim, SIZE, expected, f"official {claim['round']} {system_named}", f"{words}.", verdict=outcome)


def _count(claim: Row, tables: Tables) -> Judgment:
    rows, accelerators = tables.official(claim["round"]), tables.record.called(claim["subject"])
    if claim["suite"]:
        suites = {suite for suite in rows["suite"].unique() if claim["suite"] in filed_under(suite)}
        rows = rows[rows["suite"].isin(suites)]
    for name, wanted in (
        ("submitter", claim["submitter"]), ("benchmark", claim["benchmark"]),
        ("accelerator", claim["subject_accelerator"]),
    ):  # fmt: skip
        rows = rows[rows[name].eq(wanted)] if wanted else rows
    rows = rows[rows["accelerator_count"].eq(claim["accelerator_count"])] if claim["accelerator_count"] > 0 else rows
    if accelerators:  # whose makers do not count as their own partners
        rows = rows[
            rows["accelerator"].isin(accelerators)
            & rows["division"].eq("closed")
            & rows["submitter"].ne(claim["subject"])
        ]
    makers = rows["accelerator"].map(tables.record.makers)
    rows = rows.assign(server=rows["system"].str.partition(" (")[0].str.strip() if len(rows) else "", maker=makers)
    ways = {name: float(len(rows.drop_duplicates(columns))) for name, columns in COUNTED[claim["quantity"]].items()}
    numbers = list(ways.values())
    outcome = _counted(claim, numbers, claim["round"] in tables.record.whole, partners=bool(accelerators))
    counted = " or ".join(f"{number:.0f} counted by {name}" for name, number in ways.items())
    by = f" by {claim['submitter']}" if claim["submitter"] else ""
    hardware = claim["subject_accelerator"] or (claim["subject"] if accelerators else "")
    by += f" on {hardware}" if hardware else ""
    proviso = "; which of them are partners is not in the data" if accelerators and claim["bound"] == "at_least" else ""
    proviso = proviso or "; it may be a part of the record only" * (outcome is Verdict.UNVERIFIABLE)
    expected = Interval(min(numbers), max(numbers)) if len(rows) else NOTHING
    words = f"The official {claim['round']} results in the data hold {counted}{by}{proviso}."
    return Judgment(claim, COUNT, expected, f"official {claim['round']} results{by}", words, verdict=outcome)


def _counted(claim: Row, numbers: list[float], whole: bool, partners: bool) -> Verdict:
    """The verdict on a stated number against the ways of counting, the usual one first.

    At least so many `partners` of a vendor are unverifiable where as many submitters have its accelerators.
    """
    stated = claim["low"]
    if claim["bound"] == "at_least" and stated < numbers[0]:
        return Verdict.UNVERIFIABLE if partners else Verdict.WITHIN_ROUNDING
    if stated in numbers:
        return Verdict.CONFIRMED if stated == numbers[0] else Verdict.CONDITIONAL
    if not whole and (not max(numbers) or stated > min(numbers)):
        return Verdict.UNVERIFIABLE
    return Verdict.CONTRADICTED
