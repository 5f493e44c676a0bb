"""The page: one self-contained file, in which data cannot become markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbformat import NotebookNode

from analysis.engine.page import outputs
from analysis.engine.page.markup import Markup
from analysis.engine.page.parameter_words import parameter_help, value_words, words

if TYPE_CHECKING:
    from conftest import Project

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"


def tags(page: str, name: str) -> list[dict[str, str | None]]:
    """The attributes of each element of a name."""
    return [attributes for tag, attributes in Markup(page).tags if tag == name]


def test_pages_are_self_contained(built: Project) -> None:
    for name in ("apples.html", "index.html"):
        page = (built.places.reports / name).read_text(encoding="utf-8")
        assert page.startswith('<!doctype html>\n<html lang="en">')
        assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in tags(page, "meta")
        assert not tags(page, "script") and not tags(page, "link")
        assert all((image["src"] or "").startswith("data:") and image["alt"] for image in tags(page, "img"))


def test_hostile_data_is_shown_as_text(built: Project) -> None:
    page = built.page("apples")
    assert "<script" not in page and "<img src=x" not in page
    assert Markup(page).text.count(built.hostile) == 1  # The table; the text output shows its repr.
    assert "Apple <b>census</b>" in Markup(page).text


def test_the_order_of_the_page(built: Project) -> None:
    text = Markup(built.page("apples_five")).text
    parts = [
        "How many apples?",
        "Ann has 10 apples.",
        "It holds for",
        "Contents",
        "What is compared",
        "About this report",
    ]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert text.count("Ann has 10 apples.") == 1
    assert "not for the page" not in text.replace('"text/plain": "not for the page"', "")


def test_headings_landmarks_and_ids(built: Project) -> None:
    page = built.page("apples")
    facts = Markup(page)
    levels = [int(tag[1]) for tag, _ in facts.tags if tag in {"h1", "h2", "h3"}]
    assert levels.count(1) == 1 and levels[0] == 1
    assert len(facts.ids) == len(set(facts.ids))
    assert [tag for tag, _ in facts.tags if tag in {"header", "nav", "main", "footer"}] == [
        "header",
        "nav",
        "main",
        "footer",
    ]
    links = [a["href"][1:] for a in tags(page, "a") if (a["href"] or "").startswith("#")]
    assert set(links) <= set(facts.ids) and "what-is-compared" in links
    assert "## Sources" not in page and "sources" not in facts.ids  # Nothing is shown below that heading.


def test_code_is_folded_and_tables_have_scopes(built: Project) -> None:
    page = built.page("apples")
    folds = [fold for fold in tags(page, "details") if fold.get("class") == "code"]
    assert folds and [("open" in fold) for fold in folds] == [False, False, True, True, False]
    assert all(cell.get("scope") in {"col", "row"} for cell in tags(page, "th"))


def test_the_footer_says_where_it_comes_from(built: Project) -> None:
    text = Markup(built.page("apples")).text
    parts = ["make reports/apples.html", "how many there are", "CC-BY-4.0", "published 2024-08-28", "v4.1-0001"]
    parts += ["not official MLPerf results", "trademarks of MLCommons", built.record("apples")["digest"]]
    assert [part for part in parts if part not in text] == []


def test_the_index_shows_each_report(built: Project) -> None:
    page = (built.places.reports / "index.html").read_text(encoding="utf-8")
    assert [a["href"] for a in tags(page, "a") if (a["href"] or "").endswith(".html")] == [
        "apples.html",
        "apples_five.html",
    ]
    assert "Ann has 6 apples." in page and "Ann has 10 apples." in page
    assert len(tags(page, "img")) == 2


def test_parameter_help_is_the_comment_behind_it() -> None:
    source = "a: int = 1  # how many\nb = [\n    '# no',\n]  # which\nc = 3\n"
    assert parameter_help(source) == {"a": "how many", "b": "which"}


FIGURE = """about = {"alt": "6 apples", "title": "Six <b>apples</b>.", "subtitle": "Us.", "header": 0.25}
display({"image/svg+xml": svg}, metadata={"image/svg+xml": about}, raw=True)
display(HTML("<table id='n1'><tr><td>6</td></tr></table>"), metadata={"analysis/numbers": True})
display(HTML("<table id='n2'><tr><td>7</td></tr></table>"))"""


def test_a_figure_s_claim_is_text_and_its_numbers_stand_beside_it(project: Project) -> None:
    project.notebook("drawn", project.cells(project.code(FIGURE)))
    project.run_file("drawn", "drawn")
    assert project.build("drawn").status == 0, project.said
    page = project.page("drawn")
    figure = page[page.rindex("<figure>") : page.rindex("</figure>")]
    assert '<p class="claim">Six &lt;b&gt;apples&lt;/b&gt;.</p>' in figure
    assert 'style="margin-top:-12.50%"' in figure  # a quarter of 36 points of height over 72 of width
    assert "<table id='n1'>" in figure and "n2" not in figure
    assert page.count("<table id='n1'>") == page.count("<table id='n2'>") == 1


def test_an_empty_parameter_says_what_it_stands_for() -> None:
    assert value_words([], "accelerators shown; empty for all") == "all"
    assert value_words([], "price range; empty: data/prices.csv") == "data/prices.csv"
    assert (
        value_words(0, "how many; zero: as the files say")
        == value_words(0.0, "tokens; 0: as the files say")
        == "as the files say"
    )
    assert (value_words(0), value_words(0, "seed of the draws"), value_words(False, "zero: none")) == ("0", "0", "no")
    assert (value_words([]), value_words(["a", "b"]), value_words(True)) == ("none given", "a, b", "yes")


def test_numbers_ranges_and_zero_are_said_as_a_reader_would() -> None:
    assert (value_words(2000.0), value_words(20_000), value_words(0.12), value_words(0)) == (
        "2,000",
        "20,000",
        "0.12",
        "0",
    )
    assert value_words(0.0, "limit in milliseconds; zero: the scenario's") == "the scenario's"
    assert value_words(0, "output tokens of a request; 0: those of the benchmark") == "those of the benchmark"
    assert value_words([0.6, 0.8], "share that is left, low and high") == "0.6 to 0.8"
    assert value_words([0.6, 0.8], "which rounds") == "0.6, 0.8"
    assert words("usd_per_accelerator_hour") == "US dollars per accelerator hour" and words("cache_gb") == "cache (GB)"


def test_a_style_sheet_that_many_outputs_have_is_once_in_the_page() -> None:
    told = [
        NotebookNode(data={"text/html": f"<style>td {{}}</style><b>{number}</b><style>p {{}}</style>"})
        for number in range(2)
    ]
    assert outputs.lift_styles([NotebookNode(outputs=told)]) == "td {}\np {}"
    assert [output.data["text/html"] for output in told] == ["<b>0</b>", "<b>1</b>"]
