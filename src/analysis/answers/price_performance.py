"""The words of the price report, from frames of cost.py and ownership.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from analysis.answers.words import (
    bridged,
    counted,
    dollars,
    fitting,
    listed,
    opening,
    plural,
    prose,
    with_article,
)
from analysis.core import interval, notes
from analysis.core.citation import cited
from analysis.core.findings import MOST_WORDS, Finding, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import NONE, Notes, note, of_rows, union
from analysis.core.plain import as_dicts
from analysis.themes import cost
from analysis.themes.of_a_kind import software
from analysis.themes.ownership import RENT, WORTHS, Terms

MOST = 10  # rows that a figure draws
TAG = 3  # digits of a price that somebody asks
ASKED = {"dearer": "more than its worth", "open": "about its worth", "cheaper": "less than its worth"}
ASKED_BESIDE = {"dearer": "more", "open": "about that", "cheaper": "less"}  # where the worth was just named


def order(rows: pd.DataFrame, baseline: str, speedups: pd.DataFrame | None = None) -> Finding:
    """Up to which multiple of the baseline's price an accelerator is worth its hour.

    `rows` are those of cost.multiples. Named are the leading accelerator and another one (see cost.leading), in
    `about` the first. With `speedups` (see over_rounds) each is as wide as the rounds that have it beside the baseline.
    """
    unit = "times the baseline's price per accelerator-hour at which both buy as much work for a dollar"
    named = cost.leading(rows)
    if named.empty:
        why = f"Nothing stands beside {with_article(baseline)}: no throughput of another accelerator is like its own."
        return nothing("break_even_multiple", unit, why)
    leading = named.iloc[0]
    worth = {row["accelerator"]: _over_its_rounds(row, speedups) for row in as_dicts(named)}
    name = leading["accelerator"]
    value = worth[name]
    share = _amount(value) + (" of" if _as_share(value) else "")
    sentence = f"Pay up to {share} the {baseline}'s price for {with_article(name)}"
    for _, row in named.iloc[1:].iterrows():
        words = f"{sentence}, {_amount(worth[row['accelerator']])} for {with_article(row['accelerator'])}"
        sentence = words if len(words.split()) <= MOST_WORDS else sentence
    values = {}
    if len(named) > 1:
        second = named.iloc[1]
        values["second"] = (
            worth[second["accelerator"]],
            f"times the baseline's price, for {with_article(second['accelerator'])}",
        )
    return Finding(
        "break_even_multiple",
        value,
        unit,
        f"{sentence}.",
        cited(named),
        union(named["notes"]),
        about=leading.get("part", name),
        values=values,
    )


def behind(worth: pd.DataFrame, pair: pd.Series | None, rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The rows that the answer and what follows from it rest on: of both sides, of the rounds and sizes compared."""
    used = rows["id"].isin(pair["ids"] if pair is not None else [])
    for row in as_dicts(cost.leading(worth)):
        sides = {row["accelerator"]: row["accelerator_count"], baseline: row["baseline_count"]}
        for name, count in sides.items():
            is_side = rows["accelerator"].eq(name) & rows["accelerator_count"].eq(count)
            used |= is_side & rows["round"].isin(row["rounds"]) & rows["origin"].eq(row["origin"])
    return rows[used]


def basis(worth: pd.DataFrame, quoted: pd.DataFrame) -> list[str]:
    """What the trust line says beside rounds and systems: precisions, the round of a bridge, how many quotes."""
    named = cost.leading(worth)
    parts = []
    if len(named) and named.iloc[0]["precision"] and named.iloc[0]["baseline_precision"]:
        leading = named.iloc[0]
        precision, baseline_precision = leading["precision"].upper(), leading["baseline_precision"].upper()
        against = f"{leading['accelerator']} {precision} against {baseline_precision}"
        parts = [f"both {precision}" if precision == baseline_precision else against]
    return [*parts, *bridged(named["through"]), counted(len(quoted), "quote")]


def in_other_scenario(answer: Finding, answer_there: Finding, scenario: str) -> Finding:
    """Whether the other scenario gives the same answer; both are findings of `order`."""
    verdict = "O"
    if answer.value is not None and answer_there.value is not None:
        verdict = "No: o" if answer.about == answer_there.about else "Yes: o"
    sentence = f"{verdict}n {scenario}, {answer_there.headline[:1].lower()}{answer_there.headline[1:]}"
    return replace(answer_there, name="break_even_in_the_other_scenario", headline=sentence)


def over_rounds(speedups: pd.DataFrame, rows: pd.DataFrame, baseline: str) -> Finding:
    """How far the rounds differ in the multiple of the other accelerator that the answer names.

    `speedups` are rows of speedup.over_baseline, of all bases; `rows` those of cost.multiples.
    """
    name, unit = "break_even_over_the_rounds", "times the baseline's price, over the rounds that have both"
    names = cost.leading(rows)["accelerator"].tolist()
    official = _in_own_rounds(speedups)
    sides = [official[official["accelerator"].eq(accelerator)] for accelerator in names[::-1]]
    longest = max(sides, key=len, default=official.head(0))
    if longest["basis"].nunique() < 2:
        return nothing(name, unit, "No second round sets the accelerators of the answer beside the baseline.")
    value, longest_name = span(longest, "speedup"), longest["accelerator"].iloc[0]
    sentence = (
        f"The round matters: {with_article(longest_name)} was worth {_amount(value)}{' of' * _as_share(value)} "
        f"{with_article(baseline)}'s price in {len(longest)} rounds."
    )
    return Finding(
        name,
        value,
        unit,
        sentence,
        cited(longest),
        of_rows(longest),
        about=longest["part"].iloc[0] if "part" in longest else longest_name,
    )


def _in_own_rounds(speedups: pd.DataFrame) -> pd.DataFrame:
    """The official speedups on sale of rounds that have both sides."""
    is_direct = speedups["origin"].eq("official") & speedups["through"].eq("")
    return speedups[is_direct & ~notes.told(speedups, "preview")]


def _over_its_rounds(row: Mapping, speedups: pd.DataFrame | None) -> Interval:
    """What the accelerator of a row of cost.multiples was worth in the rounds that have both sides."""
    worth = Interval(row["worth_low"], row["worth_high"])
    if speedups is None or row["origin"] != "official" or row["through"] != "":
        return worth
    in_rounds = _in_own_rounds(speedups)
    in_rounds = in_rounds[in_rounds["accelerator"].eq(row["accelerator"])]
    if in_rounds.empty:
        return worth
    ends = span(in_rounds, "speedup")
    return Interval(min(worth.low, ends.low), max(worth.high, ends.high))


def replaced(pair: pd.Series | None) -> Finding:
    """What follows: how many of the slowest accelerator with a quote one of the fastest replaces, at which rent."""
    name, unit = "hours_worth", "hours of the slower accelerator that one of the faster is worth"
    if pair is None:
        return nothing(name, unit, "Fewer than two accelerators with a throughput have a quote: nothing to set beside.")
    work, rent = span(pair, "work"), span(pair, "rent")
    start = f"One {pair['accelerator']} replaces {prose(work)} {pair['other']} ({listed(pair['rounds'])})"
    quotes = _whose(pair["providers"], pair["other_providers"])
    sentence = fitting(f"{start}, at {prose(rent)} times the rent{f' ({quotes})' * bool(quotes)}.",
                       f"{start}, at {prose(rent)} times the rent.")  # fmt: skip
    values = {"rent": (rent, "times the rent of the slower accelerator")}
    return Finding(name, work, unit, sentence, cited(pair), pair["notes"] | {note("prices_undated")}, values=values)


def best_offer(offers: pd.DataFrame, topic: str, work: str) -> Finding:
    """What a million tokens cost at the cheapest quote, and how many times that at the dearest."""
    unit = f"US dollars per million {plural(work)}, at the share of the benchmark's throughput that is assumed"
    if offers.empty:
        return nothing("best_offer", unit, f"No accelerator has both a quote and a comparable throughput on {topic}.")
    best, worst = (offers.loc[interval.of(offers, "usd_per_million").middle.agg(pick)] for pick in ("idxmin", "idxmax"))
    of_best = f" ({listed(best['rounds'])})" * bool(listed(best["rounds"]))
    of_worst = f" ({listed(worst['rounds'])})" * (listed(worst["rounds"]) not in ("", listed(best["rounds"])))
    price = dollars(span(best, "usd_per_million"))
    sentences = []
    for quote in (_quote, _unnamed):
        sentences.append(f"A million {plural(work)} cost {price} on {quote(best)}{of_best}")
        if len(offers) > 1:
            times = Interval(*(float(end) for end in _over(worst, best)))
            sentences[-1] += f", {prose(times)} times as much on {quote(worst)}{of_worst}"
    best_and_worst = pd.DataFrame([best, worst])
    sentence = f"{fitting(*sentences)}."
    return Finding(
        "best_offer", span(best, "usd_per_million"), unit, sentence, cited(best_and_worst), _warned(best_and_worst)
    )


def assumed(offers: pd.DataFrame, full: pd.DataFrame, share: Interval, work: str) -> Finding:
    """What a million tokens cost at the cheapest quote over the whole range of what is assumed, told once.

    `full` are the offers at the whole throughput of the benchmark, `share` the part of it that is delivered.
    """
    name, unit = "usd_per_million_as_assumed", f"US dollars per million {plural(work)}, over the range of assumptions"
    if offers.empty:
        return nothing(name, unit, "No quote has a comparable throughput.")
    best = full.loc[interval.of(full, "usd_per_million").middle.idxmin()]
    value = span(best, "usd_per_million") / share
    percent, whose = prose(share * 100), f"{listed(best['rounds'])}'s" if listed(best["rounds"]) else "the benchmark's"
    sentence = (
        f"If use and production leave {percent} % of {whose} throughput, a million {plural(work)} cost "
        f"{dollars(value)} on {_quote(best)}."
    )
    return Finding(name, value, unit, sentence, cited(pd.DataFrame([best])), _warned(pd.DataFrame([best])))


ENDS = ("low", "high")
RENTED = dict(zip(WORTHS, ("worked hours rented", "all hours rented"), strict=True))
WIDENS = {
    RENT: "rents",
    "rent_falls_share": "their fall",
    "host_share": "hosts",
    "network_share": "networks",
    "place_usd_per_kilowatt_month": "places",
    "staff_usd_per_year": "wages",
    "watts": "watts",
}


def owning(uses: pd.DataFrame, accelerator: str) -> Finding:
    """The purchase price that a dollar of rent justifies, at the middle one of the shares of use.

    `uses` are the rows of ownership.by_use. The value is the purchase price for each dollar of today's hourly rent, if
    worked hours alone are rented; prices to buy at are told for these and for all hours.
    """
    unit = "US dollars of purchase price for each dollar of hourly rent above the least rent, worked hours alone rented"
    row = uses.iloc[len(uses) // 2]
    least_rent = span(row, "least_rent")
    if not least_rent.known:
        why = f"No power of {with_article(accelerator)} is known: nothing is said of owning one."
        return nothing("purchase_per_rent", unit, why)
    worth = span(row, "purchase_per_rent")
    sentence = (
        f"At {_percent(row['used_share'])} use, each dollar of hourly rent above {dollars(least_rent)} justifies "
        f"{dollars(worth)} of {with_article(accelerator)}'s purchase price."
    )
    values, more = {"least_rent": (least_rent, "US dollars an hour that pay what runs, and no purchase")}, ""
    if (break_even := span(row, "worth")).known:
        of_all = span(row, "worth_all_hours")
        paid = "US dollars of purchase price at the rents quoted"
        values["break_even_purchase"] = (break_even, f"{paid}, worked hours alone rented")
        values["break_even_purchase_all_hours"] = (of_all, f"{paid}, all hours rented")
        (below, above), (below_of_all, above_of_all) = (
            [dollars(Interval(end, end)) for end in (price.low, price.high)] for price in (break_even, of_all)
        )
        use = f"At {_percent(row['used_share'])} use, renting all hours"
        buy = f"buy {with_article(accelerator)} below {below_of_all}"
        sentence = f"{use}, {buy}, above {above_of_all} rent; worked hours alone, below {below} and above {above}."
        more = f"{opening(_between(row))}."
        if below == above:
            sentence, more = f"{use}, {buy}, else rent; worked hours alone, below {below}.", ""
    return Finding("purchase_per_rent", worth, unit, sentence, more=more, values=values)


def _between(use: pd.Series) -> str:
    """What decides between the two ends: the inputs that set them apart, two at most."""
    names = [WIDENS[name] for name in use["widened_by"]][:2]
    return f"between, {listed(names)} decide{'s' * (names == ['their fall'])}" if names else "between, it depends"


def bought(hourly: pd.DataFrame, rent: Interval, accelerator: str, terms: Terms) -> Finding:
    """Owning at the purchase price that was given, against the mean rent over the years."""
    name, unit = "owned_hour", "US dollars for an owned accelerator-hour"
    if hourly.empty:
        return nothing(name, unit, f"No purchase price of {with_article(accelerator)} is given, and none is invented.")
    total = hourly.set_index("part").loc["total"]
    owned_hour = Interval(total["usd_low"], total["usd_high"])
    all_hours, worked = (
        _beside_rent(owned_hour, terms.rent_of_work(rent, each) * terms.mean_rent) for each in (True, False)
    )
    clause_on_rent = f", {all_hours} either rent as it falls" if rent.known else ""
    if all_hours != worked:
        clause_on_rent = f", {all_hours} rent of all hours as it falls, {worked} that of worked ones"
    sentence = f"At {_percent(terms.used_share)} use, an owned hour costs {dollars(owned_hour)}{clause_on_rent}."
    return Finding(name, owned_hour, unit, sentence)


def _beside_rent(owned_hour: Interval, rent: Interval) -> str:
    if owned_hour.low > rent.high:
        return "dearer than"
    return "cheaper than" if owned_hour.high < rent.low else "about as dear as"


def multiple_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of cost.multiples that a figure draws: those with a quote, then those worth most; most on top.

    On sale before preview. `told` is the base that each is over (see speedup.in_each_round).
    """
    sold = rows[~notes.told(rows, "preview")]
    candidates = sold if len(sold) else rows
    quoted = candidates["verdict"].ne("")
    shown = pd.concat([candidates[quoted], candidates[~quoted]]).head(MOST).sort_index()
    told = [f"over {row['base']}'s" if row["origin"] == "official" else "" for row in as_dicts(shown)]
    return shown.assign(told=pd.Series(told, index=shown.index, dtype="str"))


def bases(rows: pd.DataFrame, baseline: str) -> str:
    """Over the baseline of which rounds the multiples are, for a subtitle: in the order of the rows.

    `rows` are those of cost.multiples, of speedup.in_each_round.
    """
    rounds = rows.loc[rows["origin"].eq("official"), "base"].unique()
    return f"over {with_article(baseline)} of {listed(rounds, most=len(rounds))}" if len(rounds) else ""


def claim(rows: pd.DataFrame, baseline: str) -> str:
    """What the figure of multiples shows: what quotes ask beside what an hour is worth, else how many are worth more.

    `rows` are those of cost.multiples, one of each accelerator and base.
    """
    if rows.empty:
        return f"Nothing stands beside {with_article(baseline)}."
    asked = list(rows[rows["verdict"].ne("")].groupby("accelerator", sort=False))
    asked = sorted(asked, key=lambda group: group[1]["verdict"].nunique())
    verdicts = {name: _asked(rows_of_one) for name, rows_of_one in asked}
    clauses = [
        f"{words} for {listed(with_article(name) for name in verdicts if verdicts[name] == words)}"
        for words in dict.fromkeys(verdicts.values())
    ]
    if clauses:
        return f"Beside {with_article(baseline)}, quotes ask {listed(clauses)}."
    least = rows.groupby("accelerator")["worth_low"].min()
    worth_more = int(least.gt(1).sum())
    are = "is" if worth_more == 1 else "are"
    return f"{worth_more} of {counted(len(least), 'accelerator')} {are} worth more than {with_article(baseline)}."


def _asked(rows: pd.DataFrame) -> str:
    """What quotes ask beside the worth of one accelerator: one word for it, or one for each base where they differ."""
    if rows["verdict"].nunique() == 1:
        return ASKED[rows["verdict"].iloc[0]]
    by_verdict = rows.groupby("verdict", sort=False)["base"].agg(list)
    words = [ASKED, *[ASKED_BESIDE] * (len(by_verdict) - 1)]
    return " or ".join(
        f"{asked[verdict]} ({listed(bases)})" for asked, (verdict, bases) in zip(words, by_verdict.items(), strict=True)
    )


def named(offers: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The offers with `offer`, the words by which a figure names them, `asked`, the price, and `software`.

    Also `price_from`, by the short names of sources in `labels` (a price without a source was given as a parameter),
    and `terms`: the commitment and the date of the price, as far as they are stated.
    """
    stated = offers[["commitment", "quoted"]].replace({"commitment": {cost.UNSTATED: ""}})
    terms = [", ".join(filter(None, row)) or "not stated" for row in stated.itertuples(index=False)]
    source = offers["source_id"].map(labels).fillna("parameter")
    rows = as_dicts(offers)
    words = {
        "offer": [f"{row['accelerator']}\n{row['provider']}" for row in rows],
        "asked": [dollars(span(row, "price"), TAG) for _, row in offers.iterrows()],
        "terms": terms,
    }
    columns = pd.DataFrame(words, index=offers.index, dtype="str")
    return offers.assign(**columns, price_from=source, software=software(offers))


def asked_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of cost.multiples with `asked_by`: whose quotes stand beside what an hour is worth; "" without any."""
    triples = zip(rows["providers"], rows["baseline_providers"], rows["verdict"], strict=True)
    whose = [
        _whose(providers, baseline_providers) or listed(providers) if verdict else ""
        for providers, baseline_providers, verdict in triples
    ]
    return rows.assign(asked_by=pd.Series(whose, rows.index, "str"))


def asked_by(rows: pd.DataFrame) -> str:
    """Whose quotes a figure of multiples has: for its subtitle, "" without any; of rows of `asked_of`."""
    quoted = rows[rows["asked_by"].ne("")]
    clauses = [f"{row['accelerator']} ({row['asked_by']})" for row in as_dicts(quoted)]
    return f" Asked for {listed(clauses, most=len(clauses))}." if clauses else ""


def _whose(providers: tuple[str, ...], other_providers: tuple[str, ...]) -> str:
    """Whose quotes of two accelerators are set side by side: of one provider both, or whose against whose."""
    if providers != other_providers:
        return f"{listed(providers)} against {listed(other_providers)}"
    if not providers or providers == (cost.GIVEN,):
        return ""
    return f"{'both' if len(providers) == 1 else 'each'} at {listed(providers)}"


def quotes(offers: pd.DataFrame, all_quotes: pd.DataFrame, share: Interval, name: Callable[[str], str]) -> str:
    """Of which quotes a figure is, for its subtitle: how many, from where, whether they are dated, and of what not.

    `share` is the part of the throughput that is delivered, `name` calls accelerators; those with a quote but no
    throughput are not in the figure.
    """
    given = all_quotes["source_id"].eq("").sum()
    undated = all_quotes["quoted"].eq("").all()
    whose = "of documents" if not given else f"{given} given"
    dates = ", undated" if undated else ""
    where = f"; {prose(share * 100)} % of the throughput is delivered"
    offered = set(offers["part"])
    lacking = [name(accelerator) for accelerator in all_quotes["accelerator"].unique() if accelerator not in offered]
    clause_on_lacking = f"; no throughput of {listed(map(with_article, lacking))}" if lacking else ""
    return f"{len(offers)} of {counted(len(all_quotes), 'quote')} ({whose}{dates}){where}{clause_on_lacking}."


def owned_on(rent: Interval, terms: Terms, providers: Sequence[str] = ()) -> str:
    """What a figure of owning draws: over which rents of which providers, for how long, how fast they fall."""
    whose = f" ({listed(providers)})" if len(providers) else ""
    rent_words = f"Rented at {dollars(rent, TAG)} an hour{whose}" if rent.known else "No rent is quoted"
    falling = f"falling {prose(terms.rent_falls_share * 100)} % a year"
    return f"{rent_words}, {falling}, over {interval.number(terms.years)} years."


def use_rows(uses: pd.DataFrame) -> pd.DataFrame:
    """The shares of use as a figure names them (`use`), in thousands of US dollars; none where no rent is known.

    A share has a row for each way to rent (`rented`): all hours, and those alone that are worked.
    """
    with_break_even = uses.dropna(subset=["worth_low", "worth_high"])
    words = pd.Series(
        [f"{_percent(share)} used" for share in with_break_even["used_share"]], with_break_even.index, "str"
    )
    ways = [
        with_break_even.assign(
            use=words, rented=rented, **{f"thousand_{end}": with_break_even[f"{name}_{end}"] / 1000 for end in ENDS}
        )
        for name, rented in reversed(RENTED.items())
    ]
    return pd.concat(ways).sort_values("used_share", kind="stable", ignore_index=True)


def _as_share(value: Interval) -> bool:
    return bool(value.middle < 1)


def _amount(value: Interval) -> str:
    """A multiple in words: 3.3 times; below one the share that it is: 92 %."""
    return f"{prose(value * 100)} %" if _as_share(value) else f"{prose(value)} times"


def _quote(row: pd.Series) -> str:
    """The accelerator and its price, with the provider where one is named."""
    whose = f"{row['provider']}'s " if row["providers"] == cost.ONE else ""
    return f"{with_article(row['accelerator'])} at {whose}{dollars(span(row, 'price'), TAG)}"


def _unnamed(row: pd.Series) -> str:
    return f"{with_article(row['accelerator'])} at {dollars(span(row, 'price'), TAG)}"


def _over(row: pd.Series, under: pd.Series) -> tuple[float, float]:
    ratio = span(row, "usd_per_million") / span(under, "usd_per_million")
    return ratio.low, ratio.high


def _percent(share: float) -> str:
    return f"{interval.number(100 * share)} %"


def _warned(rows: pd.DataFrame) -> Notes:
    """What must be said with quotes: the notes of their throughput, and that they have no date."""
    undated = rows["quoted"].eq("").any()
    return union(rows["notes"]) | ({note("prices_undated")} if undated else NONE)
