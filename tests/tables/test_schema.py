"""Each fault of a table is found, and its message names file, line and column."""

from dataclasses import replace

import pytest

from analysis._tables import descriptor, loading, official_rows, rules, schema
from analysis._tables.descriptor import DescriptorError, Field
from analysis._tables.loading import TableError

HEADER = "id,sort,printed,low,high,unit,range_basis,crates,ripe,note\n"
GOOD = "a1,boskoop,110,109.5,110.5,g,rounded,2,true,\n"


def fault_of(package, row, name="apples"):
    """The first fault, all at one place, of a table whose second row of data, line 3 of the file, is `row`."""
    path = package / f"{name}.csv"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:2]) + row + "\n", encoding="utf-8")
    with pytest.raises(TableError) as error:
        loading.load(package, descriptor.read_tables(package)[name])
    assert len({(fault.row, fault.column) for fault in error.value.faults}) == 1, error.value
    return str(error.value)


CASES = {
    "missing unit": ("a2,granny,,,,,,,false,", "unit: is missing"),
    "low above high": ("a2,granny,,7,6,g,,,true,", "low: low 7 and high 6 are no range, low to high"),
    "low without high": ("a2,granny,,7,,g,,,true,", "low: low 7 and high nan are no range, low to high"),
    "high without low": ("a2,granny,,,7,g,,,true,", "low: low nan and high 7 are no range, low to high"),
    "key again": ("a1,granny,,,,g,,,true,", "id: key 'a1' stands twice"),
    "unknown unit": ("a2,granny,,,,lb,,,true,", "unit: 'lb' is not one of g, kg"),
    "unknown in an optional enum": ("a2,granny,,,,g,guess,,true,", "range_basis: 'guess' is not one of rounded, exact"),
    "below the minimum": ("a2,granny,,-1,5,g,,,true,", "low: -1.0 is below 0"),
    "above the maximum": ("a2,granny,,1,1001,g,,,true,", "high: 1001.0 is above 1000"),
    "no number": ("a2,granny,,many,5,g,,,true,", "low: 'many' is not of type number"),
    "nan in words": ("a2,granny,,nan,5,g,,,true,", "low: 'nan' is not of type number"),
    "infinite": ("a2,granny,,1,inf,g,,,true,", "high: 'inf' is not of type number"),
    "too large for a number": ("a2,granny,,1,1e999,g,,,true,", "high: '1e999' is not of type number"),
    "half an integer": ("a2,granny,,,,g,,2.5,true,", "crates: '2.5' is not of type integer"),
    "too large for an integer": (
        "a2,granny,,,,g,,15000000000000000,true,",
        "crates: '15000000000000000' is not of type",
    ),
    "no boolean": ("a2,granny,,,,g,,,yes,", "ripe: 'yes' is not of type boolean"),
    "printed differs": ("a2,granny,120,109.5,110.5,g,rounded,,true,", "printed: '120' (rounded) stands for 119.5 to"),
    "printed as exact, kept as range": ("a2,granny,110,109.5,110.5,g,exact,,true,", "printed: '110' (exact) stands"),
    "printed without number": ("a2,granny,some,1,2,g,rounded,,true,", "printed: 'some' does not hold one number"),
    "printed without basis": ("a2,granny,110,109,111,g,,,true,", "printed: range basis '' is not one of exact"),
    "formula": ("a2,granny,,,,g,,,true,=1+1", "note: '=1+1' starts like a spreadsheet formula"),
    "formula by plus": ("a2,granny,,,,g,,,true,+1", "note: '+1' starts like a spreadsheet formula"),
    "formula by minus": ("a2,granny,,,,g,,,true,-1", "note: '-1' starts like a spreadsheet formula"),
    "formula by at": ("a2,granny,,,,g,,,true,@SUM(A1)", "note: '@SUM(A1)' starts like a spreadsheet formula"),
    "control character": ("a2,granny,,,,g,,,true,a\x07b", "note: 'a\\x07b' holds U+0007, a character that is no text"),
    "control character of C1": ("a2,granny,,,,g,,,true,\x9b31m", "note: '\\x9b31m' holds U+009B, a character that is"),
    "turned text": ("a2,granny,,,,g,,,true,a\u202eb", "note: 'a\\u202eb' holds U+202E, a character that is no text"),
    "isolated text": ("a2,granny,,,,g,,,true,a\u2069b", "note: 'a\\u2069b' holds U+2069, a character that is no text"),
}


@pytest.mark.parametrize("case", CASES)
def test_fault_names_file_row_and_column(package, case):
    row, message = CASES[case]
    assert fault_of(package, row).startswith(f"apples.csv, row 3, column {message}")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Granny,green,", "sort: 'Granny' does not match ^[a-z]+$"),
        ("granny,green,1923-02-30", "first_sold: '1923-02-30' is not a date"),
        ("granny,green,May 1923", "first_sold: 'May 1923' is not a date"),
    ],
)
def test_pattern_and_date_faults(package, row, message):
    assert fault_of(package, row, "sorts").startswith(f"sorts.csv, row 3, column {message}")


def test_faults_come_by_row_then_column(package):
    rows = "a2,granny,,,,lb,,,true,=1\na1,granny,,-1,5,g,,,true,\n"
    (package / "apples.csv").write_text(HEADER + GOOD + rows, encoding="utf-8")
    with pytest.raises(TableError) as error:
        loading.load(package, descriptor.read_tables(package)["apples"])
    assert [(f.row, f.column) for f in error.value.faults] == [(3, "note"), (3, "unit"), (4, "id"), (4, "low")]


@pytest.mark.parametrize("kept", ["1000,1000", "1.01,1.01", "0.99,0.99"], ids=["thousand", "more", "less"])
def test_printed_may_be_kept_in_a_thousandth_or_as_a_ratio(package, kept):
    (package / "apples.csv").write_text(HEADER + f"a1,boskoop,1,{kept},g,exact,,true,\n", encoding="utf-8")
    assert len(loading.load(package, descriptor.read_tables(package)["apples"])) == 1


@pytest.mark.parametrize("kept", ["3500,4500", "0.035,0.045", "0.955,0.965"], ids=["thousand", "share", "less"])
def test_range_of_the_printed_is_kept_with_both_ends(package, kept):
    apples = descriptor.read_tables(package)["apples"]
    wide = [replace(f, minimum=None, maximum=None) if f.name in ("low", "high") else f for f in apples.fields]
    (package / "apples.csv").write_text(HEADER + f"a1,boskoop,4,{kept},g,rounded,,true,\n", encoding="utf-8")
    assert len(loading.load(package, replace(apples, fields=wide))) == 1


def constrained(package, column, **constraints):
    """The faults of the valid table once a column has these constraints and no others."""
    apples = descriptor.read_tables(package)["apples"]
    fields = [Field(f.name, f.type, **constraints) if f.name == column else f for f in apples.fields]
    table = replace(apples, fields=fields)
    return [str(fault) for fault in schema.faults(table, schema.typed(table, loading.read_cells(package, table))[0])]


def test_a_cell_is_no_more_than_the_one_that_it_may_not_exceed(package):
    """109.5 g of 2 crates; the second row has neither, and an empty cell is no number."""
    said = ["apples.csv, row 2, column low: 109.5 is above crates, which is 2"]
    assert constrained(package, "low", not_above="crates") == said
    assert constrained(package, "crates", not_above="low") == constrained(package, "low", not_above="high") == []
    checks = rules.checks([Field("low", "number", not_above="high"), Field("high", "number")])
    assert rules.row_faults({"low": 2.0, "high": 1.0}, checks) == ["low 2.0 is above high, which is 1.0"]
    for pair in (
        {"low": 2.0},
        {"low": 2.0, "high": None},
        {"low": 1.0, "high": 1.0},
        {"low": 2.0, "high": float("nan")},
    ):
        assert rules.row_faults(pair, checks) == []


@pytest.mark.parametrize(
    ("name", "column", "value", "words"),
    [
        ("benchmarks", "active_parameters_billion", 1e6, "is above parameters_billion"),
        ("sources", "published", "2999-01-01", "is above accessed"),
        ("results", "ttft_p90_ms", 1e12, "is above ttft_p99_ms"),
    ],
)
def test_what_no_row_can_be_is_a_fault_of_its_table(data, name, column, value, words):
    table = official_rows.whole(descriptor.read_tables()[name])
    frame = getattr(data, name)
    frame = frame[frame["origin"].eq("official") & frame["ttft_p99_ms"].notna()] if name == "results" else frame
    (most,) = [field.not_above for field in table.fields if field.name == column]
    frame = frame.loc[:, table.columns].copy()
    known = frame[most].ne("") & frame[most].notna()
    frame.loc[known[known].index[0], column] = value
    found = [fault for fault in schema.faults(table, frame, as_printed=False) if fault.column == column]
    assert len(found) == 1 and words in found[0].message


@pytest.mark.parametrize("name", ["accelerators", "benchmarks"])
@pytest.mark.parametrize(("label", "words"), [("", "stands twice"), ("<script>x</script>", "does not match")])
def test_a_label_is_that_of_one_row_and_no_markup(data, name, label, words):
    frame = getattr(data, name).copy()
    frame.loc[frame.index[1], "label"] = label or frame["label"].iloc[0]
    (fault,) = schema.faults(descriptor.read_tables()[name], frame)
    assert fault.column == "label" and words in fault.message


def test_reference_that_leads_nowhere_is_a_fault(package):
    tables = descriptor.read_tables(package)
    frames = {name: loading.load(package, table) for name, table in tables.items()}
    assert schema.dangling(tables["apples"], frames["apples"], frames) == []
    lost = frames["apples"].assign(sort=["boskoop", "elstar"])
    (fault,) = schema.dangling(tables["apples"], lost, frames)
    assert str(fault) == "apples.csv, row 3, column sort: 'elstar' is not in sorts.csv"


def test_a_value_that_stands_again_in_a_unique_column_is_a_fault_of_its_row(package):
    (package / "apples.csv").write_text(HEADER + GOOD + GOOD.replace("a1", "a2"), encoding="utf-8")
    assert constrained(package, "sort", unique=True) == ["apples.csv, row 3, column sort: 'boskoop' stands twice"]
    assert constrained(package, "note", unique=True) == []


def test_a_required_cell_that_is_empty_is_told_once(package):
    assert constrained(package, "printed", required=True, pattern="^1", choices=("1",))[1:] == [
        "apples.csv, row 3, column printed: is missing"
    ]


def test_a_row_alone_is_held_to_the_same_rules(package):
    checks = rules.checks(descriptor.read_tables(package)["apples"].fields)
    row = {"id": "a1", "sort": "boskoop", "unit": "lb", "low": -1.0, "high": 5.0, "ripe": True}
    assert rules.row_faults(row, checks) == ["low -1.0 is below 0", "unit 'lb' is not one of g, kg"]
    assert rules.row_faults({"unit": "g"}, checks) == ["id is missing", "sort is missing", "ripe is missing"]


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ('"type": "date"', '"type": "day"', "no type of column first_sold 'day': .*valid: string, number"),
        ('"maximum": 1000', '"notAbove": "hight"', "no notAbove of column low 'hight': .*valid: .*high"),
        ('"maximum"', '"most"', "no constraint of column low 'most': .*valid: required, unique"),
    ],
)
def test_a_column_described_in_unknown_words_is_refused(package, was, now, message):
    path = package / descriptor.FILE
    path.write_text(path.read_text("utf-8").replace(was, now), encoding="utf-8")
    with pytest.raises(DescriptorError, match=message):
        descriptor.read_tables(package)
