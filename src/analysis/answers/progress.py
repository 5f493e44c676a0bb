"""The words of the progress report: what software and what new accelerators added, round by round."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from analysis.answers.words import counted, fitting, listed, ranged, rate
from analysis.core import ages, interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import span
from analysis.core.notes import NONE, marks, note, of_rows, without
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import WORKS, round_age
from analysis.themes.advances import EXCEEDED, HARDWARE, HOLDS, MIXED, NOT_REACHED, SOFTWARE, product
from analysis.themes.of_a_kind import software as served

FACTOR = "times the throughput per accelerator of the first round"
STEP = "times the throughput per accelerator of the round before"
SAME, MUCH = 0.015, 1.1  # of a factor: off one by what nobody calls a change, and from where on it is told in times
LINES, NEWEST, GRID = 10, 5, 10  # accelerators of a figure over time, those of its newest round, rows of a heat map
SINGLE = frozenset({note("single", of="pair")})
Names = Callable[[str], str]
PAIRS = {
    "benchmark": "Benchmark",
    "step": "Rounds",
    "accelerator": "Accelerator",
    "accelerator_count": "Count",
    "submitter": "Submitter",
    "gain": "Later over earlier (ratio)",
    "precisions": "Precisions",
    "earlier_system": "Earlier system",
    "system": "Later system",
}
GAINS = {
    "benchmark": "Benchmark",
    "step": "Rounds",
    "pairs": "Pairs",
    "accelerators": "Accelerators",
    "gain_median": "Median gain (ratio)",
    "gain": "Lowest to highest (ratio)",
}
STEPS = {key: header for key, header in GAINS.items() if key != "benchmark"}
CLAIMS = {
    "said_of": "Said of",
    "step": "Rounds",
    "submitter": "Submitter",
    "stated": "Stated (ratio)",
    "gain": "Record's pairs (ratio)",
    "pairs": "Pairs",
    "borne": "Borne out by",
    "verdict": "Verdict",
}
WHY_SPLIT = "without pairs of one submitter, software cannot be told apart"


def answer(parts: pd.DataFrame, best: pd.DataFrame, pairs: pd.DataFrame, topic: str) -> Finding:
    """What software and what new accelerators made of the best result, from the first round to the last.

    Of several steps the medians are multiplied, and the sentence says so: no accelerator need have run in all of them.

    `parts` are those of advances.parts, of which `best` and `pairs` are the rows; `topic` is benchmark and scenario.
    """
    name, unit = "software_alone", FACTOR
    if parts.empty:
        who_has = f"{listed(sorted(set(best['round']), key=round_age))} alone has" if len(best) else "No round has"
        why = f"{who_has} a result on sale for {topic}: there is no earlier round to compare with."
        return nothing(name, unit, why)
    first_round, factors = parts["earlier"].iloc[0], product(parts)
    total = _total(parts)
    values = {part: (exactly(factor), unit) for part, factor in factors.items()} | {"total": (exactly(total), unit)}
    notes = without(of_rows(best[best["leads"]]) | of_rows(pairs), "precision_unstated")
    if pairs.empty:
        sentence = f"Since {first_round} the best {topic} result became {_as_fast(total)}; {WHY_SPLIT}."
        return Finding(name, exactly(total), unit, sentence, cited(parts), notes, about=MIXED, values=values)
    clause_on_software = f"software alone made the same accelerator {_as_fast(factors[SOFTWARE])} on {topic}"
    if steps := _steps(pairs):
        clause_on_software = f"on {topic} software gave {_change(factors[SOFTWARE])} ({steps}{_changing(pairs)})"
    clause_on_new = f"new accelerators gave {'another ' * (factors[HARDWARE] > 1)}{_change(factors[HARDWARE])}"
    if not parts["part"].eq(HARDWARE).any():
        clause_on_new = "no new accelerator took the lead"
    clause_on_mixed = "" if _nothing(factors[MIXED]) else f"{_change(factors[MIXED])} is mixed"
    brief = f"Since {first_round}, software gave {_change(factors[SOFTWARE])} on {topic}"
    brief += f"{f' {steps}' * bool(steps)}, new accelerators {_change(factors[HARDWARE])}"
    sentence = fitting(
        f"Since {first_round}, {clause_on_software}; {clause_on_new}{f', {clause_on_mixed}' * bool(clause_on_mixed)}.",
        f"{brief}{f'; {clause_on_mixed}' * bool(clause_on_mixed)}.",
    )
    return Finding(name, exactly(factors[SOFTWARE]), unit, sentence, cited(parts, pairs), notes, values=values)


def follows(parts: pd.DataFrame, pairs: pd.DataFrame, gains: pd.DataFrame, label: Names) -> Finding:
    """What the newest step's software means for who buys now: on this benchmark, and where it gave most beside it.

    `pairs` are those of the benchmark, `gains` those of all benchmarks in the scenario, by benchmark and step.
    """
    name = "what_follows"
    if parts.empty:
        return nothing(name, STEP, "So nothing can be said of what the next round may bring.")
    newest_pairs = pairs[pairs["later"].eq(parts["later"].iloc[-1])]
    if newest_pairs.empty:
        return nothing(
            name, STEP, "So compare within one round only: what software did since the one before is not known."
        )
    gain = float(interval.of(newest_pairs, "gain").middle.median())
    newest, benchmark = newest_pairs["later"].iloc[0], label(newest_pairs["benchmark"].iloc[0])
    others = gains[gains["later"].eq(newest) & gains["benchmark"].ne(newest_pairs["benchmark"].iloc[0])]
    top = others.loc[others["gain_median"].idxmax()] if len(others) else None
    added, basis = "nothing" if _nothing(gain) or gain < 1 else _percent(gain), _median_of(len(newest_pairs))
    values = {} if top is None else {f"most elsewhere: {label(top['benchmark'])}": (exactly(top["gain_median"]), STEP)}
    if gain >= MUCH:
        headline = f"So judge by {newest} alone: on {benchmark} its software added {added} ({basis})."
    elif top is not None and top["gain_median"] >= MUCH:
        headline = f"So judge by the model: software of {newest} added {added} on {benchmark} ({basis})"
        headline += f", but gave {_change(top['gain_median'])} on {label(top['benchmark'])}"
        headline += f" ({counted(top['pairs'], 'pair')})."
    else:
        headline = "So buy for what an accelerator gives today: "
        headline += f"software of {newest} added {added} on {benchmark} ({basis})"
        headline += f", at most 10 % on {counted(len(others), 'other')}" * bool(len(others)) + "."
    sources = cited(newest_pairs, *([others] if len(others) else []))
    return Finding(name, exactly(gain), STEP, headline, sources, values=values)


def rests_on(pairs: pd.DataFrame) -> list[str]:
    """What the trust line says beyond the rows: how many pairs there are, and of what."""
    if pairs.empty:
        return ["no pair of one submitter"]
    both_known = pairs["precision"].fillna("").ne("") & pairs["earlier_precision"].fillna("").ne("")
    changed = int((both_known & pairs["precision"].ne(pairs["earlier_precision"])).sum())
    return [f"{counted(len(pairs), 'pair')} of one submitter and size"] + [f"{changed} of them changed precision"] * (
        changed > 0
    )


def grown(best: pd.DataFrame, unit: str, topic: str, name: Names) -> Finding:
    """How far the best result has come: the title of the figure over time."""
    leads = best[best["leads"]].drop_duplicates("round")
    if leads.empty:
        return nothing("best_by_round", unit, f"The record has no result on sale for {topic}.")
    last_lead = leads.iloc[-1]
    last_rate = f"{rate(last_lead, 'per_accelerator')} {WORKS[unit]} a second"
    headline = f"{topic}: {name(last_lead['accelerator'])} leads {last_lead['round']} with {last_rate} per accelerator"
    if len(leads) > 1:
        first_lead = leads.iloc[0]
        first_rate = rate(first_lead, "per_accelerator")
        headline += f"; {name(first_lead['accelerator'])} led {first_lead['round']} with {first_rate}"
    return Finding(
        "best_by_round", span(last_lead, "per_accelerator"), unit, f"{headline}.", cited(leads), of_rows(leads)
    )


def largest(parts: pd.DataFrame, topic: str) -> Finding:
    """The step that added most, and what of it was software: the title of the figure of parts."""
    name = "largest_step"
    if parts.empty:
        return nothing(name, STEP, f"{topic} has one round on sale or none: no step to take apart.")
    row = parts.loc[parts["total"].idxmax()]
    factors = parts[parts["later"].eq(row["later"])].set_index("part")["factor_median"]
    headline = f"{row['earlier']} to {row['later']} added most: {_change(row['total'])}"
    headline += f" in all, {_change(factors[SOFTWARE])} by software" if SOFTWARE in factors else f"; {WHY_SPLIT}"
    return Finding(name, exactly(float(row["total"])), STEP, f"{headline}.", cited(parts))


def history(parts: pd.DataFrame, pairs: pd.DataFrame, topic: str) -> Finding:
    """What a benchmark with many rounds shows: software beside new accelerators over all of them."""
    name = "longest_history"
    if parts.empty:
        return nothing(name, FACTOR, f"{topic} has one round on sale or none.")
    factors, rounds, steps = product(parts), len(set(parts["later"])) + 1, _steps(pairs)
    software = f"software{f' {steps}' * bool(steps)} gave {_change(factors[SOFTWARE])}"
    software = WHY_SPLIT if pairs.empty else software
    headline = f"{topic} over {rounds} rounds: {_change(_total(parts))} in all; {software}."
    return Finding(name, exactly(factors[SOFTWARE]), FACTOR, headline, cited(parts))


def everywhere(gains: pd.DataFrame, pairs: pd.DataFrame, label: Names) -> Finding:
    """How many steps of benchmarks software moved at all, and where most: `gains` by benchmark and step."""
    name = "software_everywhere"
    if gains.empty:
        return nothing(name, STEP, "No submitter filed one accelerator in two consecutive rounds of a benchmark.")
    moved = gains[gains["gain_median"].gt(MUCH)]
    top = gains.loc[gains["gain_median"].idxmax()]
    headline = f"In {len(gains) - len(moved)} of {len(gains)} steps software added at most 10 % in the median; most on "
    headline += f"{label(top['benchmark'])}, {_change(top['gain_median'])} by {top['later']}."
    middles = interval.of(pairs, "gain").middle
    values = {"median of all pairs": (exactly(float(middles.median())), STEP)}
    return Finding(name, exactly(float(top["gain_median"])), STEP, headline, cited(gains), values=values)


def steps(gains: pd.DataFrame) -> list[Finding]:
    """One finding per step of rounds, over all benchmarks: the median of its pairs, and between which they lie."""
    return [
        Finding(
            f"software_{row['later'].replace('.', '_')}",
            exactly(row["gain_median"]),
            STEP,
            f"From {row['earlier']} to {row['later']} software gave {_change(row['gain_median'])} in the median of "
            f"{counted(row['pairs'], 'pair')}, {ranged(pd.Series(row), 'gain')} between the lowest and the highest.",
            list(row["source_ids"]),
            values={"range": (span(pd.Series(row), "gain"), STEP)},
        )
        for row in as_dicts(gains)
    ]


def claims(judged: pd.DataFrame, stated: int, label: Names) -> Finding:
    """Whether the record bears out what is said of software, and by which sizes; `stated` counts all such claims."""
    name, unit = "software_claims", "stated gains that hold"
    if judged.empty:
        return nothing(name, unit, "The record has no pair beside a stated gain of software.")
    borne_out = judged[judged["verdict"].eq(HOLDS)]
    headline = f"The record bears out {len(borne_out)} of {len(judged)} stated software gains"
    headline += f" that it can judge, of {stated}"
    partly = borne_out[borne_out["scenario"].ne("") & borne_out["other_sizes"].map(len).gt(0)]
    if len(partly):
        gains_stated = _listed((partly["low"] + partly["high"]) / 2)
        claims_words = f"{listed(dict.fromkeys(partly['submitter']))}'s {gains_stated} times"
        sizes, other_sizes = ({size for sizes in partly[name] for size in sizes} for name in ("sizes", "other_sizes"))
        gained = _listed(interval.of(partly, "other").middle)
        headline += f"; {claims_words} on {listed(map(label, partly['benchmark']))} only for {_accelerators(sizes)}: "
        headline += f"{_accelerators(other_sizes)} gained {gained}"
    return Finding(name, exactly(len(borne_out)), unit, f"{headline}.", cited(judged))


def under_other_choice(parts: pd.DataFrame, parts_there: pd.DataFrame, topic: str) -> Finding:
    """Whether another scenario, in words `topic`, tells the same of software; `parts_there` are of that scenario."""
    name = "under_another_choice"
    if parts.empty or parts_there.empty:
        return nothing(name, FACTOR, f"{topic} has no two rounds to check the answer with.")
    factors, factors_there = product(parts), product(parts_there)
    if not (parts["part"].eq(SOFTWARE).any() and parts_there["part"].eq(SOFTWARE).any()):
        return nothing(name, FACTOR, f"{topic} cannot check the answer: {WHY_SPLIT}.")
    turned = (factors[SOFTWARE] > factors[HARDWARE]) != (factors_there[SOFTWARE] > factors_there[HARDWARE])
    headline = f"{'Yes' if turned else 'No'}: on {topic} software gave {_change(factors_there[SOFTWARE])}"
    headline += f", new accelerators {_change(factors_there[HARDWARE])}."
    return Finding(name, exactly(factors_there[SOFTWARE]), FACTOR, headline, cited(parts_there))


def lines(best: pd.DataFrame, rounds: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The points of the figure over time, with `name`, the day as `published`, and `when`, the round with its year.

    LINES accelerators: those that led a round, then the NEWEST fastest of the newest round, then those with most
    rounds, the fastest first. Rounds without a day are left out.
    """
    days = dict(zip(rounds["round"], pd.to_datetime(rounds["published"], errors="coerce"), strict=True))
    dated = best.assign(published=pd.to_datetime(best["round"].map(days)))
    dated = dated[dated["published"].notna()]
    groups = dated.groupby("accelerator")
    newest_rows = dated[dated["round"].eq(ages.newest(dated["round"]))]
    ahead = set(newest_rows.nlargest(NEWEST, "per_accelerator_high")["accelerator"])
    rank = pd.DataFrame(
        {"leads": groups["leads"].any(), "rounds": groups.size(), "high": groups["per_accelerator_high"].max()}
    )
    rank = rank.assign(ahead=rank.index.isin(ahead))
    accelerators = rank.sort_values(["leads", "ahead", "rounds", "high"], ascending=False).head(LINES).index
    shown = dated[dated["accelerator"].isin(accelerators)]
    when = shown["round"] + "\n" + shown["published"].dt.strftime("%Y")
    return shown.assign(name=shown["accelerator"].map(name), when=when, software=served(shown))


def of_how_many(lines: pd.DataFrame, best: pd.DataFrame) -> str:
    """How many accelerators the figure over time draws, of how many."""
    drawn, total = lines["accelerator"].nunique(), best["accelerator"].nunique()
    return f"{drawn} of {counted(total, 'accelerator')}" if drawn < total else counted(total, "accelerator")


def part_rows(parts: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The parts of each step as the figure draws them: `step`, and as `note` which accelerator led and which leads."""
    lead = parts["earlier_accelerator"].map(name) + " to " + parts["accelerator"].map(name)
    same_leader = parts["earlier_accelerator"].eq(parts["accelerator"])
    pair_counts = parts["pairs"].map(lambda count: counted(count, "pair"))
    note = lead.mask(same_leader, parts["accelerator"].map(name)).mask(parts["part"].eq(SOFTWARE), pair_counts)
    return parts.assign(step=_step(parts), note=note, system=lead)


def pair_rows(pairs: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The pairs as the table lists them, the newest round first, the highest gain first."""
    precisions = zip(pairs["earlier_precision"].fillna(""), pairs["precision"].fillna(""), strict=True)
    in_words = pairs.assign(
        step=_step(pairs),
        benchmark=pairs["benchmark"].map(label),
        accelerator=pairs["accelerator"].map(name),
        precisions=[" to ".join(dict.fromkeys(filter(None, pair))).upper() for pair in precisions],
        age=ages.of(pairs["later"]),
    )
    return in_words.sort_values(["age", "gain_high"], ascending=False, kind="stable").drop(columns="age")


def gain_rows(gains: pd.DataFrame, label: Names) -> pd.DataFrame:
    """Gains by step, with the benchmark in words where they are by benchmark too."""
    named = gains.assign(step=_step(gains))
    return named.assign(benchmark=named["benchmark"].map(label)) if "benchmark" in named else named


def claim_rows(judged: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The stated gains as the table shows them: of what they are, and at which sizes the record bears them out."""
    words = {HOLDS: "holds", NOT_REACHED: "is not reached", EXCEEDED: "is exceeded"}
    said_of = [
        " ".join(filter(None, [name(row["subject_accelerator"]), label(row["benchmark"]), row["scenario"]]))
        for row in as_dicts(judged)
    ]
    borne = [", ".join(f"{size}x" for size in sizes) for sizes in judged["sizes"]]
    step = judged["baseline_round"] + " to " + judged["round"]
    return judged.assign(said_of=said_of, borne=borne, step=step, verdict=judged["verdict"].map(words))


def grid_frames(gains: pd.DataFrame, label: Names) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The heat map's numbers and words: GRID benchmarks by the round that added, those of the oldest rounds on top.

    They are the one that software moved most, then those of the newest rounds, then those of most pairs. Last come the
    rows of `gains` that it draws: label, later, of (how many pairs a cell is the median of, in words), notes, of which
    one is that a cell rests on a single pair.
    """
    groups = {name: gains_of_benchmark for name, gains_of_benchmark in gains.groupby("benchmark")}
    ages = {name: sorted(map(round_age, gains_of_benchmark["later"])) for name, gains_of_benchmark in groups.items()}
    top = max(groups, key=lambda name: groups[name]["gain_median"].max(), default="")
    ranked = sorted(groups, key=lambda name: (name == top, ages[name][-1], groups[name]["pairs"].sum()), reverse=True)
    order = sorted(ranked[:GRID], key=ages.__getitem__)
    shown = gains[gains["benchmark"].isin(order)]
    rounds = sorted(set(shown["later"]), key=round_age)
    values = shown.pivot(index="benchmark", columns="later", values="gain_median").reindex(order)
    values = values.reindex(columns=rounds)
    notes = [SINGLE if pairs == 1 else NONE for pairs in shown["pairs"]]
    words = [
        interval.number(gain, 2) + marks(notes_of_cell)
        for gain, notes_of_cell in zip(shown["gain_median"], notes, strict=True)
    ]
    words = shown.assign(words=words).pivot(index="benchmark", columns="later", values="words").fillna("")
    words = words.reindex(index=values.index, columns=values.columns, fill_value="")
    values, words = (cells.rename(index=label).rename_axis(index=None, columns=None) for cells in (values, words))
    medians = [f"{'median of ' * (pairs > 1)}{counted(pairs, 'pair')}" for pairs in shown["pairs"]]
    drawn = shown[["later"]].assign(label=shown["benchmark"].map(label), of=medians, notes=notes)
    return values, words, drawn.reset_index(drop=True)


def _total(parts: pd.DataFrame) -> float:
    return float(parts.drop_duplicates("later")["total"].prod())


def _steps(pairs: pd.DataFrame) -> str:
    """In how many steps medians are multiplied; "" for one."""
    count = pairs["later"].nunique()
    return f"in {count} steps" if count > 1 else ""


def _changing(pairs: pd.DataFrame) -> str:
    """Whether no accelerator ran in all steps, in words."""
    ran = [set(pairs_of_step["accelerator"]) for _, pairs_of_step in pairs.groupby("later")]
    return "" if set.intersection(*ran) else ", on changing accelerators"


def _median_of(pairs: int) -> str:
    return f"median of {counted(pairs, 'pair')}" if pairs > 1 else "one pair"


def _step(rows: pd.DataFrame) -> pd.Series:
    return rows["earlier"] + " to " + rows["later"]


def _nothing(factor: float) -> bool:
    return abs(factor - 1) < SAME


def _as_fast(factor: float) -> str:
    """How fast something became: 1.3 times as fast, 4.6 % faster, no faster."""
    if _nothing(factor):
        return "no faster"
    if not MUCH > factor > 1 / MUCH:
        return f"{interval.number(factor, 2)} times as fast"
    return f"{_percent(max(factor, 1 / factor))} {'faster' if factor > 1 else 'slower'}"


def _change(factor: float) -> str:
    """A factor as what it adds: 1.3 times, 4.6 %, nothing; below one with a minus."""
    if _nothing(factor):
        return "nothing"
    return f"{interval.number(factor, 2)} times" if not MUCH > factor > 1 / MUCH else _percent(factor)


def _percent(factor: float) -> str:
    return f"{interval.number(100 * (float(factor) - 1), 2)} %".replace("-", "\u2212")


def _listed(factors: pd.Series) -> str:
    return listed(interval.number(factor, 2) for factor in factors)


def _accelerators(sizes: set[int]) -> str:
    return "one accelerator" if sizes == {1} else f"systems of {listed(map(str, sorted(sizes)))}"
