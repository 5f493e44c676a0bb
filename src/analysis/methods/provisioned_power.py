"""Provisioned power by the rules of MLPerf Endpoints: rated watts of a system's parts plus a share for all others.

    power = 1.3 (liquid-cooled) or 1.5 (air-cooled) x (processors + accelerators + scale-up switches + counted NICs)
            + published power of whole nodes + scale-out switches

Source: https://github.com/mlcommons/endpoints_policies, endpoints_rules.md (draft of v1.0), section 4.5.2 and
appendices C to E. It is what a system is built to draw, not what a meter at the wall reads: no ratio mixes the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analysis._core import round_order

if TYPE_CHECKING:
    import pandas as pd

OVERHEAD = {"liquid": 0.3, "air": 0.5}  # share of the main parts for storage, power supplies and cooling
PICOJOULES_PER_BIT = 5.0  # of NVLink, appendix D.1
DEFAULT = "mlc_default"  # the type of a source of which MLCommons filled in the value
MOST = 1e9  # watts, nodes or parts: no system comes near


class PowerError(ValueError):
    """A description of provisioned power cannot be used; the text names the field and what was expected."""


class Power(NamedTuple):
    """Kilowatts of the system, kilowatts of the nodes that a point engages, and whether MLCommons estimated a part."""

    kilowatts: float
    at_point: float
    estimated: bool


class _Open(Exception):
    """A value is left open, for MLCommons to fill in."""


def kilowatts(parts_watts: float, cooling: str) -> float:
    """Return the provisioned kilowatts of a system from the summed rated watts of its main parts.

    `cooling` is "air" or "liquid". Raises PowerError for another.
    """
    if cooling not in OVERHEAD:
        raise PowerError(f"cooling is {short(cooling)}, expected one of {', '.join(OVERHEAD)}")
    return parts_watts * (1 + OVERHEAD[cooling]) / 1000


def switch_watts(terabytes_per_second: float) -> float:
    """Return the watts of a scale-up network by its aggregate bandwidth in TB/s (appendix C.8: 14.4 TB/s are 576 W)."""
    return terabytes_per_second * 8 * PICOJOULES_PER_BIT


def described(stated: Mapping[str, Any], nodes_used: Any = None) -> Power | None:
    """Return the provisioned power that a system_power.json describes (appendix E); None where a value is left open.

    `nodes_used` is the field of point.yaml: without it a point engages the whole system. Raises PowerError for a field
    that is missing or wrong, and for a stated total that is not that of the parts.
    """
    sets, estimated = _list(stated, "node_sets"), []
    nodes = [_whole(each, "nodes_provisioned") for each in sets]
    shares = _engaged(sets, nodes, nodes_used)
    declared, printed = (stated.get(name) for name in ("declared_provisioned_power", "provisioned_power_kw"))
    try:
        if declared is None:
            watts = [_set(each, number, stated, estimated) for each, number in zip(sets, nodes, strict=True)]
            switches = _scale_out(stated.get("scale_out"), estimated)
            total = sum(watts) + switches
            at_point = np.dot(watts, shares) + switches * np.dot(nodes, shares) / sum(nodes)
        else:
            total = _watts(declared, "declared_provisioned_power", estimated)
            at_point = total * max(shares)
    except _Open:
        if printed is None:
            return None
        total = 1000 * _number(printed, "provisioned_power_kw")
        at_point = total * max(shares)
        estimated.append(bool(stated.get("mlc_estimated_power")))
    if printed is not None and abs(_number(printed, "provisioned_power_kw") - total / 1000) > 0.006:
        raise PowerError(f"provisioned_power_kw is {short(printed)}, but the parts give {total / 1000:.2f}")
    return Power(round(total / 1000, 2), round(float(at_point) / 1000, 2), any(estimated))


def of_systems(systems: pd.DataFrame, components: pd.DataFrame) -> pd.DataFrame:
    """Return the systems with `provisioned_kw`: rated watts of their parts times 1.3 or 1.5.

    `systems` are rows of the table system_hardware, `components` those of component_power. NaN where the rated power of
    a part or the cooling is not known.
    """
    rated = components.set_index("component")
    watts = rated["rated_watts"].fillna(rated["terabytes_per_second"].map(switch_watts))
    parts = systems["processors"] * systems["processor"].map(watts)
    parts += systems["accelerators"] * systems["accelerator"].map(watts)
    parts += systems["network"].map(watts).mask(systems["network"].eq(""), 0)
    share = 1 + systems["cooling"].map(OVERHEAD)
    return systems.assign(provisioned_kw=(parts * share / 1000).astype("float64"))


def per_accelerator(systems: pd.DataFrame) -> pd.DataFrame:
    """Return the newest system of each accelerator whose power is known, by accelerator, with `kw_each`.

    `systems` are those of `of_systems`; `kw_each` are provisioned kilowatts over the accelerators of the system.
    """
    known = systems.dropna(subset="provisioned_kw").sort_values("round", key=round_order.of, kind="stable")
    newest = known.drop_duplicates("accelerator", keep="last").set_index("accelerator")
    return newest.assign(kw_each=newest["provisioned_kw"] / newest["accelerators"].astype("float64"))


def beside_metered(results: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Return the metered systems of the record beside their provisioned power, the newest round first.

    `results` are those of the catalog, `systems` those of `of_systems`, joined by round, submitter and system. Columns
    of `systems`, and metered_kw_low/high over the system's closed data-center power submissions, `runs` (how many),
    `power_capped`, `apart_kw` (provisioned less the highest metered), source_id. A difference, never a ratio: one is
    rated, the other was read from a meter.
    """
    keys = ["round", "submitter", "system"]
    metered = results[results["power_watts_low"].notna() & results["origin"].eq("official")]
    metered = metered[metered["division"].eq("closed") & metered["duplicate_of"].eq("")]
    metered = metered[metered["suite"].str.contains("datacenter")]
    read = metered.groupby(keys, sort=False).agg(
        metered_kw_low=("power_watts_low", lambda watts: watts.min() / 1000),
        metered_kw_high=("power_watts_high", lambda watts: watts.max() / 1000),
        runs=("id", "size"), power_capped=("power_capped", "any"), source_id=("source_id", "first"),
    )  # fmt: skip
    beside = systems.merge(read.reset_index(), on=keys)
    beside = beside.sort_values("round", key=round_order.of, ascending=False, kind="stable", ignore_index=True)
    return beside.assign(apart_kw=beside["provisioned_kw"] - beside["metered_kw_high"])


def _set(stated: Any, nodes: int, whole: Mapping[str, Any], estimated: list[bool]) -> float:
    """Watts of a node set with its overhead."""
    method = _get(stated, "power_method")
    if method == "component_sum":
        watts = _components(_get(stated, "components"), estimated) + _nics(whole.get("scale_out"), estimated)
        return 1000 * kilowatts(nodes * watts, whole.get("cooling"))
    if method not in ("published_system", "node_scaling"):
        raise PowerError(f"power_method is {short(method)}, expected component_sum, published_system or node_scaling")
    published = _watts(_get(stated, "published_power"), "published_power", estimated)
    return published * nodes / (_whole(stated, "nodes_in_published_rack") if method == "node_scaling" else 1)


def _components(stated: Any, estimated: list[bool]) -> float:
    """Watts of one node: processors and accelerators, or both as one figure, and its scale-up network."""
    if (both := _get(stated, "combined_cpu_accelerator")) is not None:
        watts = _watts(both, "combined_cpu_accelerator", estimated)
    else:
        pair = (_get(stated, name) for name in ("cpu", "accelerator"))
        watts = sum(_counted(part, "count_per_node", "tdp_per_unit", estimated) for part in pair)
    network = _get(stated, "scale_up_network")
    method = _get(network, "method")
    if method == "declared_tdp":
        return watts + _counted(network, "switch_count", "tdp_per_switch", estimated)
    if method == "bandwidth_estimate":
        per_bit = _watts(_get(network, "energy_per_bit_pj"), "energy_per_bit_pj", estimated, "value_pj")
        # In terabytes, as the examples of the rules count it.
        return watts + 8 * per_bit * _stated(network, "aggregate_bandwidth_tbps")
    if method != "none":
        known = "declared_tdp, bandwidth_estimate or none"
        raise PowerError(f"method of scale_up_network is {short(method)}, expected {known}")
    return watts


def _nics(stated: Any, estimated: list[bool]) -> float:
    """Watts of the scale-out NICs of one node, 0 where they are not counted."""
    nics = _get(stated, "nics")
    return _counted(nics, "count_per_node", "tdp_per_nic", estimated) if _get(nics, "counted") is True else 0.0


def _scale_out(stated: Any, estimated: list[bool]) -> float:
    """Watts of the switches between nodes, which are those at the wall."""
    if _get(stated, "present") is not True:
        return 0.0
    return sum(_counted(each, "count", "power_per_switch", estimated) for each in _list(stated, "switches"))


def _engaged(sets: list[Any], nodes: list[int], used: Any) -> list[float]:
    """The share of each node set that a point engages: of one that it names so many nodes, others whole (4.5.3)."""
    named = _list({"nodes_used": used}, "nodes_used") if used else []
    counts = {_get(each, "system_node_ensemble_id"): _whole(each, "nodes") for each in named}
    kinds = [_get(each, "system_node_ensemble_id") for each in sets]
    if unknown := counts.keys() - set(kinds):
        raise PowerError(f"nodes_used names system_node_ensemble_id {short(sorted(map(str, unknown)))}, no node set")
    return [min(counts.get(kind, number), number) / number for kind, number in zip(kinds, nodes, strict=True)]


def _counted(stated: Any, count: str, each: str, estimated: list[bool]) -> float:
    """Watts of so many parts; none take none, whatever one of them is rated at."""
    if not isinstance(stated, Mapping):
        raise PowerError(f"{count} and {each} are missing")
    return _stated(stated, count) * _watts(stated.get(each), each, estimated)


def _watts(stated: Any, name: str, estimated: list[bool], only: str = "") -> float:
    """The value of a sourced figure in watts (picojoules with `only`)."""
    if stated is None:
        raise _Open
    fields = stated.items() if isinstance(stated, Mapping) else ()
    given = [key for key, _ in fields if key.startswith("value_")]
    allowed = (only,) if only else ("value_w", "value_kw")
    if len(given) != 1 or given[0] not in allowed:
        raise PowerError(f"{name} is {short(stated)}, expected {' or '.join(allowed)} with source_type and source")
    if stated[given[0]] is None:
        raise _Open
    estimated.append(stated.get("source_type") == DEFAULT)
    return _number(stated[given[0]], name) * (1000 if given[0] == "value_kw" else 1)


def _stated(stated: Any, name: str) -> float:
    """A number, which may be left open."""
    if (value := _get(stated, name)) is None:
        raise _Open
    return _number(value, name)


def _get(stated: Any, name: str) -> Any:
    return stated.get(name) if isinstance(stated, Mapping) else None


def _list(stated: Any, name: str) -> list[Any]:
    value = _get(stated, name)
    if not isinstance(value, list) or not value:
        raise PowerError(f"{name} is {short(value)}, expected a list")
    return value


def _whole(stated: Any, name: str) -> int:
    value = _get(stated, name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < MOST:
        raise PowerError(f"{name} is {short(value)}, expected a whole number above 0")
    return value


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < MOST or not isfinite(value):
        raise PowerError(f"{name} is {short(value)}, expected a number from 0 up")
    return float(value)
