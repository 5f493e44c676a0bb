"""What a lower precision or a cheaper model gains in speed and memory and costs in quality."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.core import interval, notes
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE
from analysis.core.vocabulary import BYTES_PER_WEIGHT, round_age
from analysis.themes import alike, memory

REFERENCE, UNKNOWN = "fp8", "unknown"  # the precision that others are set beside; where nothing says which ran


def described(quantization: pd.DataFrame, origins: Sequence[str]) -> pd.DataFrame:
    """The techniques that documents describe: all of them where `origins` asks for published figures, else none."""
    return quantization if "published" in origins else quantization.head(0)


def tradeoffs(quantization: pd.DataFrame, results: pd.DataFrame, benchmark: str, reference: str) -> pd.DataFrame:
    """The techniques of one benchmark whose throughput a document prints, against the `reference` precision.

    One row per technique, columns of quantization.csv and: rate_low/high (tokens/s of the system), devices (its
    accelerators), notes (what the audit doubts), speed_low/high (ratio of rates), speed_per_accelerator_low/high (the
    same per accelerator), saving_low/high (ratio of the reference's weight memory to this). Ratios are taken within
    one document; a document without the reference precision gives no rows.
    """
    rates = results.set_index("id")[["low", "high", "accelerator_count", "notes"]]
    rows = quantization[quantization["result_row"].ne("") & quantization["duplicate_of"].eq("")]
    rows = rows[rows["benchmark"].eq(benchmark)].join(rates, on="result_row", how="inner").sort_index()
    rows = rows.rename(columns={"low": "rate_low", "high": "rate_high", "accelerator_count": "devices"})
    groups = [_against(group, reference) for _, group in rows.groupby("source_id", sort=False)]
    kept = [group for group in groups if len(group)]
    return pd.concat(kept, ignore_index=True) if kept else _against(rows, reference)


def pareto(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `dominated_by`: another technique at least as fast, small and true, and better in one; else "".

    One range is at least as good as another when both its ends are; rows with "" are the Pareto front.
    """
    goods = ["rate_low", "rate_high"]
    bads = [f"{name}_{end}" for name in ("weight_memory_gb", "quality_loss_percent") for end in ("low", "high")]
    values = np.hstack([rows[goods].to_numpy(float), -rows[bads].to_numpy(float)])
    names = rows["technique"].to_list()
    dominated = [
        next((names[j] for j in range(len(names)) if (values[j] >= mine).all() and (values[j] > mine).any()), "")
        for mine in values
    ]
    return rows.assign(dominated_by=dominated)


def weights(benchmarks: pd.DataFrame, benchmark: str, accelerators: pd.DataFrame, headroom: float) -> pd.DataFrame:
    """How many accelerators the weights alone need, for each precision: one row per accelerator and precision.

    Columns: accelerator, precision, weight_gb (1e9 bytes: parameters in 1e9 x bytes per weight), memory_gb, needed:
    those of memory.holding. KV cache and activations come on top: `headroom` is the share
    of memory kept for them. Empty where the number of parameters is not known.
    """
    known = accelerators[accelerators["memory_gb"].notna()]
    sizes = pd.DataFrame({"precision": BYTES_PER_WEIGHT.keys(), "bytes": BYTES_PER_WEIGHT.values()})
    grid = known[["accelerator", "memory_gb"]].merge(sizes, how="cross")
    parameters = float(benchmarks.set_index("benchmark").at[benchmark, "parameters_billion"])
    grid = grid.assign(weight_gb=parameters * grid["bytes"]).dropna(subset="weight_gb")
    return grid.assign(needed=memory.holding(grid["weight_gb"], grid["memory_gb"], headroom).astype(int))


def gains(quantization: pd.DataFrame, traded: pd.DataFrame) -> pd.DataFrame:
    """What documents say a precision gains, beside what their own tables give, as ratios of throughput.

    Columns: technique, accelerator, statement (`stated` or `from the table` or `from the table, per accelerator`),
    source_id, locator, gain_low, gain_high, bound, notes. A prose row that says again what a table row says still
    counts where it states a speed-up of its own; the reference, 1 by definition, is left out.
    """
    speedups = quantization[quantization["speedup_low"].notna() & quantization["division"].ne("open")]
    stated = pd.DataFrame(
        {
            "technique": speedups["technique"],
            "accelerator": speedups["accelerator"],
            "statement": "stated",
            "source_id": speedups["source_id"],
            "locator": speedups["locator"],
            "gain_low": speedups["speedup_low"],
            "gain_high": speedups["speedup_high"],
            "bound": speedups["speedup_bound"],
            "notes": [NONE] * len(speedups),
        }
    )
    traded = traded[traded["speed_low"].ne(1) | traded["speed_high"].ne(1)]
    tables = [_from_table(traded, "speed", "from the table")]
    tables += [_from_table(traded, "speed_per_accelerator", "from the table, per accelerator")]
    return pd.concat([stated, *tables], ignore_index=True)


def price_of_accuracy(strict: pd.DataFrame, loose: pd.DataFrame) -> pd.DataFrame:
    """Throughput at the stricter accuracy target over that at the looser one, on the same system.

    Both frames are comparable rows; a pair has the same system (see systems.py), benchmark, scenario, accelerator and
    count, and is official. One row per benchmark, scenario, accelerator: kept_low/high (a ratio: what is left of the
    throughput), systems, source_ids, precisions (as declared, at the stricter and the looser target), notes.
    Filings of one measurement under both targets (ratio exactly 1) say nothing about the price and are left out.
    """
    keys = ["source_id", "system_key", "benchmark", "scenario", "accelerator", "accelerator_count", "power_measured"]
    strict, loose = (rows[rows["origin"].eq("official")] for rows in (strict, loose))
    both = strict.merge(loose, on=keys, suffixes=("", "_loose"))
    both = both[both["rate_low"].ne(both["rate_low_loose"])]
    kept = interval.of(both, "rate") / Interval(both["rate_low_loose"], both["rate_high_loose"])
    by = ["benchmark", "scenario", "accelerator"]
    spread = interval.hull(interval.put(both, "kept", kept), by, "kept").rename(columns={"count": "systems"})
    ids = both.groupby(by, sort=False)["source_id"].agg(several).rename("source_ids")
    both = both.assign(precisions=both["precision"] + " and " + both["precision_loose"])
    first = both.drop_duplicates(by)[[*by, "precisions"]]
    both["notes"] = notes.beside(both["notes"], both["notes_loose"])
    return spread.merge(ids.reset_index(), on=by).merge(first, on=by).merge(notes.carried(both, by), on=by)


def by_precision(rows: pd.DataFrame) -> pd.DataFrame:
    """The official systems by the precision that ran: one row per round, accelerator and precision, newest round first.

    `rows` are comparable rows. Columns: basis (the round), accelerator, precision (`unknown` where nothing says it),
    known_from (the bases of the precision: declared, configuration ...), per_accelerator_low/high (the fastest of the
    systems on sale, in the comparison's unit), results, systems, source_ids, notes (of the fastest), and gain_low/high:
    that rate over the fastest FP8 one of the same accelerator and round, systems alike (see alike.compared), with
    pairs, pairs_low/high of submitters that have both; NaN where there is no FP8, where the precision is unknown, and
    for FP8 itself.
    """
    official = rows[rows["origin"].eq("official")]
    groups: dict[tuple[str, str], dict[str, alike.Records]] = {}
    for row in official[[*alike.READ, "basis", "precision_basis"]].to_dict("records"):
        named = groups.setdefault((row["basis"], row["accelerator"]), {})
        named.setdefault(row["precision"] or UNKNOWN, []).append(row)
    out = [
        _ran(basis, accelerator, precision, part, named.get(REFERENCE, []))
        for (basis, accelerator), named in groups.items()
        for precision, part in named.items()
    ]
    frame = pd.DataFrame(out, columns=_BY_PRECISION)
    newest = [round_age(basis.rpartition(" ")[2]) for basis in frame["basis"]]
    order = sorted(range(len(frame)), key=lambda at: (newest[at], frame.at[at, "per_accelerator_high"]), reverse=True)
    return frame.iloc[order].reset_index(drop=True)


def _ran(basis: str, accelerator: str, precision: str, part: alike.Records, reference: alike.Records) -> tuple:
    fastest = alike.by_system(alike.alike(part, part)[0])[0]
    bases = ", ".join(sorted({row["precision_basis"] for row in part}))
    systems = len(alike.by_system(part))
    gain = dict.fromkeys(["speedup_low", "speedup_high", "pairs_low", "pairs_high"], np.nan) | {"pairs": 0}
    told = fastest["notes"]
    if reference and precision not in (REFERENCE, UNKNOWN):
        gain = alike.compared(part, reference)
        told = gain["notes"]
    rate = fastest["per_accelerator_low"], fastest["per_accelerator_high"]
    over = [gain[name] for name in ("speedup_low", "speedup_high", "pairs", "pairs_low", "pairs_high")]
    return basis, accelerator, precision, bases, *rate, len(part), systems, several([fastest["source_id"]]), told, *over


def routes(quantization: pd.DataFrame) -> pd.DataFrame:
    """The open division's ways and the INT8 diffusion recipe: gain_low/high (ratio), changes, quality kept."""
    ways = quantization[quantization["division"].eq("open") | quantization["technique"].eq("int8-unet")]
    ways = ways[ways["speedup_low"].notna() & ways["duplicate_of"].eq("")]
    return interval.put(ways, "gain", interval.of(ways, "speedup")).reset_index(drop=True)


def _against(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    base = rows[rows["precision"].eq(reference)].head(1)
    if base.empty:
        return rows.head(0).assign(**dict.fromkeys(_RATIOS, pd.Series(dtype="float64")))
    base = base.iloc[0]
    rate = interval.of(rows, "rate")
    speed = rate / Interval(base["rate_low"], base["rate_high"])
    per_device = speed * (float(base["devices"]) / rows["devices"].astype("float64"))
    saving = Interval(base["weight_memory_gb_low"], base["weight_memory_gb_high"]) / interval.of(
        rows, "weight_memory_gb"
    )
    out = interval.put(interval.put(rows, "speed", speed), "speed_per_accelerator", per_device)
    out = interval.put(out, "saving", saving)
    own = out["id"].eq(base["id"])
    return out.mask(own.to_numpy()[:, None] & out.columns.isin(_RATIOS), 1.0)


def _from_table(traded: pd.DataFrame, name: str, statement: str) -> pd.DataFrame:
    rows = traded[["technique", "accelerator", "source_id", "locator", "notes"]].assign(statement=statement, bound="")
    return interval.put(rows, "gain", interval.of(traded, name))


_BY_PRECISION = ["basis", "accelerator", "precision", "known_from", "per_accelerator_low", "per_accelerator_high"]
_BY_PRECISION += ["results", "systems", "source_ids", "notes", "gain_low", "gain_high"]
_BY_PRECISION += ["pairs", "pairs_low", "pairs_high"]
_RATIOS = [f"{name}_{end}" for name in ("speed", "speed_per_accelerator", "saving") for end in ("low", "high")]
