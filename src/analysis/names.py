"""Check names against the valid ones, and resolve the many names of an accelerator to its short name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from functools import cache
from numbers import Real

import pandas as pd

from analysis import tables

LISTED = 80  # above this many valid names, an error lists only the nearest
SHOWN = 60  # characters of a wrong name that an error repeats
LONGEST = 200  # maximum length of a name
NOISE = re.compile(
    r"nvidia|amd|intel|instinct|gpu|accelerator|\d+gb?|gb|hbm\d\w*|oam|nvl\d+"
)  # vendor, memory, and form-factor words: ignored when names are matched


def choose(name: str, valid: Iterable[str], what: str) -> str:
    """Return `name` if it is valid.

    Raises ValueError that names `what`, with the nearest valid names, or all of them if few.
    """
    valid = [str(each) for each in valid]
    if name in valid:
        return name
    folded = {each.casefold(): each for each in reversed(valid)}
    asked = str(name).casefold()[:SHOWN]
    near = [each for each in valid if asked and each.casefold().startswith(asked)][:3]
    near = near or [folded[key] for key in difflib.get_close_matches(asked, folded, n=2)]
    hint = f" did you mean {' or '.join(map(repr, near))}?" if near else ""
    if len(valid) > LISTED:
        close = [folded[key] for key in difflib.get_close_matches(asked, folded, n=8, cutoff=0.4)]
        listed = f"the nearest of {len(valid)}: {', '.join(close)}" if close else f"{len(valid)} names"
    else:
        listed = ", ".join(valid) or "none"
    shown = repr(name) if len(str(name)) <= SHOWN else f"{str(name)[:SHOWN]!r}..."
    raise ValueError(f"no {what} {shown}:{hint} valid: {listed}")


def bounded(value: float, what: str, least: float, most: float) -> float:
    """Return `value` if it is a number from `least` to `most`. Raises ValueError naming `what`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= value <= most:
        raise ValueError(f"{what} is {str(value)[:SHOWN]}; expected a number from {least:g} to {most:,.10g}")
    return value


def accelerator(name: str, known: Iterable[str] = ()) -> str:
    """Return the short name of an accelerator given by its short, full, or published name.

    `known` are further valid names, such as those of imported results that data/accelerators.csv lacks. Raises
    ValueError with the nearest names.
    """
    name = str(name)  # YAML reads 4090 as a number
    aliases = _aliases()
    extra = {each.casefold(): each for each in known}
    found = (
        aliases.get(" ".join(name.split()).casefold())
        or aliases.get(re.sub(r"[\s_-]+", " ", name).strip().casefold())  # A100-40GB has another memory than A100
        or extra.get(name.casefold())
        or _bare_aliases().get(_bare(name))
    )
    return found or choose(name, [*dict.fromkeys([*aliases.values(), *extra.values()])], "accelerator")


def accelerators(
    names: Iterable[str] | str, rows: pd.DataFrame | None = None, *, of_vendors: Collection[str] | None = None
) -> list[str]:
    """Return the short names behind `names`, each once; a vendor means all of its accelerators.

    With `of_vendors`, a vendor means only its accelerators in that collection, possibly none. `rows` (columns
    accelerator and vendor) adds valid names to those of data/accelerators.csv. Raises ValueError for an unknown name,
    with the nearest.
    """
    known = tables.accelerators[["label", "vendor"]].set_axis(["accelerator", "vendor"], axis="columns")
    if rows is not None:
        of_rows = rows[["accelerator", "vendor"]].drop_duplicates()
        known = pd.concat([known, of_rows]).drop_duplicates("accelerator", keep="last")
    by_vendor = known[known["vendor"].ne("")].groupby("vendor")["accelerator"].agg(list)
    folded = {vendor.casefold(): made for vendor, made in by_vendor.items()}
    found: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if made := folded.get(str(name).strip().casefold()):
            found += made if of_vendors is None else [each for each in made if each in of_vendors]
        else:
            found.append(accelerator(name, [*known["accelerator"], *by_vendor.index]))
    return list(dict.fromkeys(found))


def benchmark(name: str, known: Iterable[str] = ()) -> str:
    """Return the key of a benchmark given by its key, label, or published name ("Llama 3.1 405B", "Llama-3.1-405B").

    `known` are further keys, such as those of imported results that data/benchmarks.csv lacks. Raises ValueError with
    the valid labels.
    """
    keys = dict.fromkeys([*tables.benchmarks["benchmark"], *known])
    if name in keys:
        return name
    key = _benchmark_aliases().get(_letters(str(name)[:LONGEST]))
    return key or choose(name, map(label, keys), "benchmark")


def label(benchmark: str) -> str:
    """Return the printed name of a benchmark ("GPT-J 6B"), or its key if data/benchmarks.csv lacks it."""
    return tables.benchmarks.set_index("benchmark")["label"].get(benchmark, benchmark)


def noun(kinds: Iterable[str]) -> str:
    """Return the word for one accelerator of these kinds: "GPU", "CPU", or "TPU" of one kind, else "accelerator"."""
    kind = {*kinds}
    return kind.pop().upper() if len(kind) == 1 and kind <= {"gpu", "cpu", "tpu"} else "accelerator"


def short(names: pd.Series) -> pd.Series:
    """Return the short names behind full names of data/accelerators.csv; other names stay."""
    return names.map(tables.accelerators.set_index("accelerator")["label"]).fillna(names)


def listed(names: Iterable[str], most: int = 8) -> str:
    """Return the names, each once: the first few and how many more."""
    names = list(dict.fromkeys(filter(None, names)))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


@cache  # called for each name; cleared by tables.forget
def _aliases() -> dict[str, str]:
    labels = tables.accelerators.set_index("accelerator")["label"]
    published = tables.accelerator_aliases.set_index("as_published")["accelerator"].map(labels).dropna()
    names = pd.concat([published, labels, labels.set_axis(labels)])  # of one name the last counts
    return dict(zip(names.index.str.casefold(), names, strict=True))


@cache  # called for each name; cleared by tables.forget
def _benchmark_aliases() -> dict[str, str]:
    rows = tables.benchmarks[["benchmark", "label", "aliases"]].itertuples(index=False)
    return {_letters(name): key for key, label, aliases in rows for name in [*aliases.split(";"), label, key] if name}


def _letters(name: str) -> str:
    """Return a name without spaces and marks, which sources set differently: "DeepSeek-R1", "Deepseek R1"."""
    return re.sub(r"[\W_]+", "", name).casefold()


@cache  # called for each name; cleared by tables.forget
def _bare_aliases() -> dict[str, str]:
    """Return the short name for each bare name that identifies a single accelerator."""
    bare: dict[str, set[str]] = {}
    for alias, short in _aliases().items():
        bare.setdefault(_bare(alias), set()).add(short)
    own = {_bare(short): short for short in _aliases().values() if _bare(short) == short.casefold()}  # A100 80GB: A100
    return {name: shorts.pop() for name, shorts in bare.items() if name and len(shorts) == 1} | own


def _bare(name: str) -> str:
    """Return a name without vendor, memory, and marks: "NVIDIA-H100-80GB-HBM3" becomes "h100"."""
    words = re.split(r"[^a-z0-9+.]+", name[:LONGEST].casefold())
    return "".join(word for word in words if word and not NOISE.fullmatch(word))
