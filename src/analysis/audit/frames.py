"""The tables as the checks read them: frames, and what several checks look up in them, made once for an audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import pandas as pd

from analysis._core.memo import cached_method
from analysis._core.plain_values import grouped
from analysis._tables.catalog import Catalog
from analysis.audit.lookup import Record, row_dicts
from analysis.audit.verdict import Judgment, Row
from analysis.comparability import selection
from analysis.methods import memory, roofline

FRAMES = ("results", "benchmarks", "accelerators", "claims", "prices", "quantization", "corrections", "sources")
FRAMES += ("benchmark_limits", "request_lengths", "rounds")
QUANTITY = {"prices": ("usd_per_accelerator_hour", "USD/hour"), "quantization": ("speedup", "ratio")}
TABLES = ("results", "claims", "prices", "quantization")  # that hold figures of documents


class Tables:
    """The frames of one audit, by their names in FRAMES, with what is looked up in them.

    A frame that no check asks for may be left out.
    """

    def __init__(self, **frames: pd.DataFrame) -> None:
        """Of a catalog's tables of these names; of prices those that documents print."""
        vars(self).update(dict.fromkeys(FRAMES, pd.DataFrame()) | frames)

    @classmethod
    def of(cls, data: Catalog | Tables) -> Tables:
        """The frames of a catalog; of its prices those that documents print."""
        frames = {name: getattr(data, name) for name in FRAMES}
        return cls(**frames | {"prices": frames["prices"].query("cost_model == 'documents'")})

    @cached_method
    def mentions(self, table: str) -> list[Row]:
        """Every figure that documents print, by one of TABLES, repeats among them, with the name of its `table`.

        Each has `low`, `high` and `unit`: a price those of an hour, quantization those of its speedup. A result says
        whether it is `slower`: the document has a faster precision of the same accelerator.
        """
        frame = getattr(self, table)
        if table == "results":
            frame = frame[frame["origin"].eq("published")]
            frame = frame.assign(slower=selection.slower_precision(frame))
        elif table != "claims":
            name, unit = QUANTITY[table]
            frame = frame.assign(low=frame[f"{name}_low"], high=frame[f"{name}_high"], unit=unit)
        return row_dicts(frame, table)

    def figures(self, table: str) -> list[Row]:
        """The figures of `mentions`, each once: what repeats another row is left out."""
        return [row for row in self.mentions(table) if not row["duplicate_of"]]

    def stated(self, *quantities: str) -> list[Row]:
        """The claims of some quantities, each once."""
        return [claim for claim in self.figures("claims") if claim["quantity"] in quantities]

    @cached_method
    def judgments(self, check: Check) -> list[Judgment]:
        """What a check comes to."""
        return list(check(self))

    @cached_property
    def record(self) -> Record:
        """The official results, for look-up."""
        counted = self.rounds.dropna(subset="closed_results").set_index("round")["closed_results"]
        return Record(self.results, self.benchmarks, self.accelerators, counted.astype("float64").to_dict())

    @cached_method
    def official(self, round: str) -> pd.DataFrame:
        """The official results of a round, repeats among them."""
        return self.record.official[self.record.official["round"].eq(round)]

    @cached_property
    def rounds_of(self) -> dict[str, str]:
        """The round that each document is about, by its id: that of its first figure of one."""
        figures = reversed(self.mentions("results"))
        return {figure["source_id"]: figure["round"] for figure in figures if figure["round"]}

    @cached_property
    def published(self) -> dict[str, str]:
        """The day on which each round was published, as far as it is known."""
        return dict(self.rounds[["round", "published"]].astype("str").itertuples(index=False))

    @cached_property
    def cited(self) -> dict[str, set[str]]:
        """The ids of official results that each document cites, by the document's id."""
        claims = (claim for claim in self.mentions("claims") if claim["quantity"] == "result_cited")
        by_source = grouped(claims, ["source_id"])
        return {source: {claim["subject"] for claim in part} for (source,), part in by_source.items()}

    @cached_property
    def models(self) -> dict[str, Row]:
        """The rows of the benchmarks, by name."""
        return {row["benchmark"]: row for row in row_dicts(self.benchmarks, "benchmarks")}

    @cached_property
    def parts(self) -> dict[str, Row]:
        """The rows of the accelerators, by name."""
        return {row["accelerator"]: row for row in row_dicts(self.accelerators, "accelerators")}

    def parameters_billion(self, benchmark: str) -> float:
        """The size of a benchmark's model in 1e9 parameters; NaN where it is not known."""
        return float(self.models.get(benchmark, {}).get("parameters_billion", "nan"))

    def memory_gb(self, accelerator: str) -> float:
        """The memory of an accelerator in gigabytes; NaN where it is not known."""
        return float(self.parts.get(accelerator, {}).get("memory_gb", "nan"))

    def holding(self, benchmark: str, precision: str, accelerator: str) -> tuple[float, float, float]:
        """A model's weights and an accelerator's memory, in GB, and the group that holds them; NaN where not known."""
        held, capacity = roofline.weight_gb(self.parameters_billion(benchmark), precision), self.memory_gb(accelerator)
        return held, capacity, float(memory.holding(held, capacity))


Check = Callable[[Tables], Iterator[Judgment]]
