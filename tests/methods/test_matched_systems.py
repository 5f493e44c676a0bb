"""Like with like, computed by hand: which systems compare, best against best, the spread, pairs of one submitter."""

import pytest

from analysis._core.notes import NONE, note
from analysis.methods import matched_systems

NEW = {"accelerator": "B200 SXM"}
CLOSE = {"rel": 1e-12}


@pytest.fixture
def compared(comparable_rows):
    """The cells of B200 over H100, of rows that are eight H100 of ACME at 100 a part but for what is given.

    `hypervisor` of a row goes into a column that comparable rows need not have.
    """

    def make(*given):
        rows = comparable_rows(*given)
        if any("hypervisor" in row for row in given):
            rows = rows.assign(hypervisor=[row.get("hypervisor", "") for row in given])
        (sides,) = matched_systems.sides(rows, []).values()
        return matched_systems.compared(sides["B200 SXM"], sides["H100 SXM"])

    return make


def ends(cells, name="speedup"):
    return cells[f"{name}_low"], cells[f"{name}_high"]


def test_without_a_common_size_the_best_per_accelerator_are_compared_and_marked(compared):
    rows = [NEW | {"accelerator_count": 4, "low": 1600.0}, NEW | {"accelerator_count": 1, "low": 300.0}]
    cells = compared(*rows, {"low": 800.0}, {"accelerator_count": 16, "low": 1440.0})
    assert (ends(cells), cells["systems"]) == ((4.0, 4.0), 2)
    assert cells["notes"] == {note("different_sizes", sizes="4x", other_sizes="8x")}


FP8, FP4 = ({"precision": name, "tokens_per_sample": tokens} for name, tokens in (("fp8", 300.0), ("fp4", 250.0)))


@pytest.mark.parametrize(
    ("base", "own", "told"),
    [
        (FP8, FP4, {note("tokens_differ", tokens=250, other_tokens=300, times="2.4")}),
        (FP8, FP4 | {"tokens_per_sample": 299.0}, NONE),
        (FP8, FP4 | {"tokens_per_sample": None}, NONE),
        (FP8, FP4 | {"precision": "fp8"}, NONE),
        (FP8 | {"unit": "samples/s"}, FP4 | {"unit": "samples/s"}, NONE),
    ],
)
def test_twice_the_tokens_at_another_precision_are_more_in_samples(compared, base, own, told):
    assert compared(base | {"low": 800.0}, NEW | own | {"low": 1600.0})["notes"] == told


def test_preview_comes_before_research(compared):
    cells = compared({}, NEW | {"availability": "rdi", "low": 4000.0}, NEW | {"availability": "preview", "low": 1600.0})
    assert ends(cells) == (2.0, 2.0)


def test_what_a_document_does_not_say_is_taken_to_be_on_sale(compared):
    printed = {"origin": "published", "source": "Paper", "availability": ""}
    cells = compared(
        printed, printed | NEW | {"low": 1600.0}, printed | NEW | {"availability": "preview", "low": 4000.0}
    )
    assert ends(cells) == (2.0, 2.0)


def test_of_a_document_of_several_rounds_one_is_compared(compared):
    """The newest that both sides have: 4 times, not the 8 of the round before nor any of two rounds."""
    paper = {"origin": "published", "source": "Paper"}
    cells = compared(
        paper | {"low": 800.0}, paper | {"round": "v4.0", "low": 400.0},
        paper | NEW | {"low": 3200.0}, paper | NEW | {"round": "v4.0", "low": 3200.0},
    )  # fmt: skip
    assert (ends(cells), cells["rounds"]) == ((4.0, 4.0), ("v4.1",))
    cells = compared(paper | {"round": "v4.0", "low": 400.0}, paper, paper | NEW | {"round": "v4.0", "low": 3200.0})
    assert (ends(cells), cells["rounds"]) == ((8.0, 8.0), ("v4.0",))


VIRTUAL = {"hypervisor": "KVM"}


def test_only_virtualized_systems_stand_against_virtualized_ones_and_say_so(compared):
    told = [note("virtualized", accelerator=name, hypervisor="KVM") for name in ("B200 SXM", "H100 SXM")]
    cells = compared({}, {"low": 640.0} | VIRTUAL, NEW | {"low": 1600.0} | VIRTUAL)
    assert (ends(cells), cells["notes"]) == ((2.5, 2.5), {*told})
    cells = compared({}, NEW | {"low": 1600.0} | VIRTUAL)
    assert (ends(cells), cells["notes"]) == ((2.0, 2.0), {told[0]})


def test_each_system_counts_once_with_its_fastest_run(compared):
    same = NEW | {"result_id": "4.1-0001"}
    cells = compared({}, same | {"low": 1600.0}, same | {"low": 2000.0}, NEW | {"low": 1200.0})
    assert (ends(cells, "spread"), cells["systems"], cells["of_systems"]) == ((1.5, 2.5), 2, 2)


def test_pairs_are_of_one_submitter_each(compared):
    other = {"submitter": "Other"}
    cells = compared(
        {"low": 800.0}, {"low": 1000.0} | other, {"low": 1100.0, "submitter": "Third"},
        NEW | {"low": 1600.0}, NEW | {"low": 2200.0} | other, NEW | {"low": 2400.0, "submitter": "Fourth"},
    )  # fmt: skip
    assert (ends(cells, "pairs"), cells["pairs"]) == ((2.0, 2.2), 2)
    assert ends(cells) == pytest.approx((2400 / 1100,) * 2, **CLOSE)


@pytest.mark.parametrize(
    "other",
    [{"submitter": ""}, {"accelerator_count": 4}, {"availability": "preview"}, {"hypervisor": "KVM"}],
    ids=["unnamed", "another size", "preview", "virtualized"],
)
def test_systems_that_are_not_alike_make_no_pair(compared, other):
    cells = compared({}, other, {"submitter": "B"}, NEW | {"submitter": "B"}, NEW | other | {"submitter": ""})
    assert cells["pairs"] == 1
    own = {"submitter": "C"}
    cells = compared({"submitter": "B"}, own, NEW | {"submitter": "B"}, NEW | own | other)
    assert cells["pairs"] == 1


def test_notes_are_those_of_the_two_fastest(compared):
    slow = {"low": 100.0, "notes": {note("inferred")}}
    base = {"notes": {note("approximate"), note("another_size", count=1, usual=8)}}
    assert compared(base, slow, NEW | slow, NEW)["notes"] == {note("approximate")}


def test_the_fastest_system_is_named_with_what_served_it(comparable_rows):
    rows = comparable_rows({}, NEW | {"low": 1600.0, "system": "slow"}, NEW | {"low": 2000.0, "submitter": "Best"})
    rows = rows.assign(framework="TensorRT", serving_software=["", "vLLM", float("nan")])
    (sides,) = matched_systems.sides(rows, []).values()
    cells = matched_systems.compared(sides["B200 SXM"], sides["H100 SXM"])
    assert [cells[name] for name in ("system", "submitter", "software", "availability")] == [
        "box", "Best", "TensorRT", "available",
    ]  # fmt: skip


def test_a_side_of_one_system_or_of_one_submitter_is_told(comparable_rows):
    """One system of the part; two of one submitter; of the base it counts how many submitters its systems have."""
    other, again = {"submitter": "ZETA"}, {"system": "another"}
    base = note("single_base", accelerator="H100 SXM", round="v4.1")

    def told(part, sides):
        systems = [comparable_rows(*rows).to_dict("records") for rows in ([NEW | row for row in part], sides)]
        return set(matched_systems.lone(*map(matched_systems.by_system, systems)))

    assert told([{}], [{}, other]) == {note("single", of="system")}
    assert told([{}, again], [{}, other]) == {note("single_submitter")}
    assert told([{}, other], [{}, again]) == {base}
    assert told([{}], [{}]) == {note("single", of="system"), base}
    assert told([{}, other], [{}, other]) == set()
    printed = {"origin": "published", "submitter": ""}
    assert told([printed], [printed]) == set()
