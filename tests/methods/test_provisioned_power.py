"""Provisioned power: the examples of the rules, systems of the record, and descriptions that contradict themselves."""

import pytest

from analysis._tables.catalog import Catalog
from analysis.methods import provisioned_power
from analysis.methods.provisioned_power import PowerError, kilowatts, switch_watts

SOURCE = {"source_type": "vendor_spec", "source": "https://example.com/sheet"}


def rated(value, unit="value_w", **changes):
    return {unit: value, **SOURCE} | changes


def rack(nodes=18, published=121.6, in_rack=None):
    """A node set of published power, of whole racks or, with `in_rack`, of nodes of one."""
    scaled = {"power_method": "node_scaling", "nodes_in_published_rack": in_rack} if in_rack else {}
    return {"node_set_id": 0, "system_node_ensemble_id": 0, "nodes_provisioned": nodes,
            "power_method": "published_system", "published_power": rated(published, "value_kw")} | scaled  # fmt: skip


def description(*sets, **changes):
    return {"cooling": "liquid", "node_sets": [*sets], "scale_out": {"present": False}} | changes


def test_the_worked_example_of_the_rules():
    """Two processors of 350 W, eight accelerators of 700 W and switches of 3,500 W, liquid-cooled."""
    assert kilowatts(2 * 350 + 8 * 700 + 3500, "liquid") == pytest.approx(12.74)
    assert kilowatts(2 * 350 + 8 * 700 + 3500, "air") == pytest.approx(14.7)
    with pytest.raises(PowerError, match="cooling is 'water', expected one of liquid, air"):
        kilowatts(1, "water")


def test_a_network_has_five_picojoules_per_bit():
    assert switch_watts(14.4) == pytest.approx(576)
    assert switch_watts(130) == pytest.approx(5200)


def test_a_description_of_parts_is_the_worked_example(made):
    assert provisioned_power.described(made.power()) == (12.74, 12.74, False)
    assert provisioned_power.described(made.power("air", nodes=2)).kilowatts == 29.4


def test_a_point_counts_the_nodes_it_engages_and_their_share_of_switches():
    used = [{"system_node_ensemble_id": 0, "nodes": 9}]
    switches = {"present": True, "switches": [{"count": 2, "power_per_switch": rated(1000)}]}
    whole = description(rack(18, 7.2, in_rack=18), scale_out=switches)
    assert provisioned_power.described(whole) == (9.2, 9.2, False)
    assert provisioned_power.described(whole, used) == (9.2, 4.6, False)


def test_whole_racks_and_shares_of_one():
    assert provisioned_power.described(description(rack(2))).kilowatts == 243.2
    assert provisioned_power.described(description(rack(9, in_rack=18))).kilowatts == 60.8


def test_nics_count_where_they_say_so_and_a_bandwidth_stands_for_switches(made):
    stated = made.power("air")
    stated["node_sets"][0]["components"]["scale_up_network"] = {
        "method": "bandwidth_estimate", "aggregate_bandwidth_tbps": 14.4,
        "energy_per_bit_pj": {"value_pj": 5.0, "source_type": "mlc_default"},
    }  # fmt: skip
    power = provisioned_power.described(stated)
    assert (power.kilowatts, power.estimated) == (round(1.5 * (700 + 5600 + 576) / 1000, 2), True)
    nics = {"count_per_node": 4, "tdp_per_nic": rated(25)}
    stated["scale_out"] = {"present": False, "nics": nics | {"counted": True}}
    assert provisioned_power.described(stated).kilowatts == round(1.5 * (700 + 5600 + 576 + 100) / 1000, 2)
    stated["scale_out"]["nics"]["counted"] = False
    assert provisioned_power.described(stated).kilowatts == power.kilowatts


def test_a_value_left_open_leaves_power_open_unless_the_file_has_mlcommons_own():
    assert provisioned_power.described(description(rack(published=None))) is None
    stated = description(rack(published=None), provisioned_power_kw=140.0, mlc_estimated_power=True)
    assert provisioned_power.described(stated) == (140.0, 140.0, True)
    declared = description(rack(), declared_provisioned_power=rated(14.5, "value_kw"))
    assert provisioned_power.described(declared, [{"system_node_ensemble_id": 0, "nodes": 9}]) == (14.5, 7.25, False)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (description(), "node_sets is [], expected a list"),
        (description(rack(0)), "nodes_provisioned is 0, expected a whole number above 0"),
        (description(rack(10**12)), "nodes_provisioned is 1000000000000, expected a whole number"),
        (description(rack() | {"power_method": "guess"}), "power_method is 'guess', expected component_sum"),
        (description(rack(published=-1.0)), "published_power is -1.0, expected a number from 0 up"),
        (description(rack(published=float("nan"))), "published_power is nan"),
        (description(rack() | {"published_power": 121.6}), "published_power is 121.6, expected value_w or value_kw"),
        (description(rack() | {"published_power": rated(1.0) | {"value_kw": 2.0}}), "expected value_w or value_kw"),
        (description(rack(), provisioned_power_kw=99.0), "provisioned_power_kw is 99.0, but the parts give 2188.80"),
        (description(rack(), scale_out={"present": True}), "switches is None, expected a list"),
    ],
)
def test_a_description_that_is_wrong_is_named(stated, said):
    with pytest.raises(PowerError) as error:
        provisioned_power.described(stated)
    assert said in str(error.value)


@pytest.fixture(scope="module")
def systems():
    data = Catalog()
    return provisioned_power.of_systems(data.system_hardware, data.component_power)


def test_systems_of_the_record_have_the_power_of_their_rated_parts(systems):
    """B300: the rules' own example of appendix C, 15.114 kW by formula; a rack as the sum of its parts."""
    of_b300 = systems[systems["accelerator"].eq("B300 SXM")]["provisioned_kw"].item()
    assert of_b300 == pytest.approx(kilowatts(2 * 350 + 8 * 1100 + switch_watts(14.4), "air"))
    assert of_b300 == pytest.approx(15.114)
    each = provisioned_power.per_accelerator(systems)["kw_each"]
    assert each["B300 SXM"] == pytest.approx(15.114 / 8)
    assert each["GB300"] * 72 == pytest.approx(151.84)


def test_power_is_open_where_cooling_or_a_rating_is(systems):
    is_open = systems["provisioned_kw"].isna()
    assert is_open.any() and not is_open.all()
    assert systems[systems["cooling"].eq("")]["provisioned_kw"].isna().all()
    assert "speedAI 240 Slim" not in provisioned_power.per_accelerator(systems).index


def test_metered_watts_stand_beside_and_not_over_provisioned_ones(results, systems):
    system = systems[systems["accelerator"].eq("B200 SXM") & systems["round"].eq("v5.1")].iloc[[0]]
    of = {"origin": "official", "division": "closed", "suite": "datacenter", "duplicate_of": "", "power_capped": False}
    of |= {name: system[name].item() for name in ("round", "submitter", "system")}
    rows = results(
        *(of | {"id": str(watts), "power_watts_low": watts, "power_watts_high": watts} for watts in (8e3, 10e3)),
        of | {"id": "open", "division": "open", "power_watts_low": 99e3, "power_watts_high": 99e3},
        of | {"id": "other", "system": "another", "power_watts_low": 99e3, "power_watts_high": 99e3},
        of | {"id": "unmetered", "power_watts_low": None, "power_watts_high": None},
    )
    (beside,) = provisioned_power.beside_metered(rows, system).to_dict("records")
    assert (beside["metered_kw_low"], beside["metered_kw_high"], beside["runs"]) == (8.0, 10.0, 2)
    assert beside["apart_kw"] == pytest.approx(beside["provisioned_kw"] - 10)
