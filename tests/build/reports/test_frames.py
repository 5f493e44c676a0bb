"""pandas tables on a page: their look, what was cut, and the CSV."""

from base64 import b64decode

import pandas as pd

from analysis._build.page.outputs import frames

FRAME = pd.DataFrame({"name": ["B200", "H100"], "rate": [12_837.9, 3_913.3]})


def csv(markup):
    """The rows of each CSV that a page offers, one text per file."""
    return [b64decode(part.partition('"')[0]).decode() for part in markup.split("base64,")[1:]]


def test_a_table_has_scopes_numbers_to_the_right_and_a_csv():
    page = frames(FRAME.to_html())
    assert '<div class="sortable"><table class="cells">' in page and "dataframe" not in page
    assert '<th scope="col" class=number>rate</th>' in page and '<th scope="row" class=number>0</th>' in page
    assert "<td>B200</td><td class=number>12837.9</td>" in page
    assert csv(page) == [",name,rate\n0,B200,12837.9\n1,H100,3913.3\n"]


def test_a_cut_table_says_how_much_is_shown_and_offers_no_part_as_the_whole():
    many = pd.DataFrame({"value": range(5000)})
    page = frames(many._repr_html_())
    assert "first 5 of 5,000 rows" in page.lower() and "<td class=number>4</td>" in page
    assert "..." not in page and "4999" not in page and csv(page) == []
    assert csv(frames(many._repr_html_(), many.to_csv())) == [many.to_csv()]


def test_text_beside_tables_stays_and_two_tables_stay_two():
    page = frames(f"<p>before</p>{FRAME.to_html()}<p>between</p>{FRAME.head(1).to_html()}")
    assert page.index("before") < page.index("B200") < page.index("between")
    assert page.count('<table class="cells">') == 2
    assert [len(rows.splitlines()) for rows in csv(page)] == [3, 2]


def test_levels_of_an_index_are_repeated_and_named():
    two = FRAME.assign(round=["v6.1", "v6.1"]).set_index(["round", "name"])
    page = frames(two.to_html())
    assert csv(page) == ["round,name,rate\nv6.1,B200,12837.9\nv6.1,H100,3913.3\n"]
    assert page.count('<th scope="row">v6.1</th>') == 2


def test_a_long_table_is_folded():
    page = frames(pd.DataFrame({"value": range(20)}).to_html())
    assert '<details class="table"><summary>Table (20 rows)</summary>' in page
    assert "<details" not in frames(FRAME.to_html())
