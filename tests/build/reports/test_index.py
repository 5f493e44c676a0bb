"""The index: what reports put on its front, cards of one sentence and a picture, the one script that it allows."""

import re
from base64 import b64decode

from nbformat.v4 import new_markdown_cell

from analysis._build.page.markup import Markup

TABLE = """sheet = "<style>.cells {color: red}</style>"
display(HTML(sheet + "<table class='cells' id='n1'><thead><tr><th scope='col'>Who</th></tr></thead>"
             "<tbody><tr><td>Ann</td></tr></tbody></table>"))
display(HTML("<ul class='key'><li>a key</li></ul>"))"""
NARROW = """drawn = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
         '<g id="text_1"><path d="M 0 0"/></g></svg>')
display({"image/svg+xml": drawn}, metadata={"image/svg+xml": {"alt": "one"}, "analysis/narrow": drawn}, raw=True)"""


def index(project):
    """The index as it is now."""
    return (project.places.reports / "index.html").read_text("utf-8")


def card_of(project, report):
    """The card of a report on the index."""
    return index(project).split(f'<a href="{report}.html">')[1].split("</li>")[0]


def leading(project):
    """The index with a report that puts a line and a table on its front."""
    code, cells = project.code, project.cells()
    line = code("display(HTML('<p>Two rounds.</p>'))", "front")
    extra = [new_markdown_cell("## Side by side\n\nText."), code(TABLE, "front", "hide-input"), code("'not this'")]
    project.made("lead", [*cells[:5], line, *cells[5:-2], *extra, *cells[-2:]])
    return index(project)


def test_front_pieces_are_the_outputs_of_their_cells_with_the_heading_of_the_section(project):
    page = leading(project)
    pieces = project.record("lead")["front"]
    assert [piece["heading"] for piece in pieces] == ["The answer", "Side by side", "Side by side"]
    assert [Markup(piece["html"]).text for piece in pieces] == ["Two rounds.", "Who Ann", "a key"]
    assert project.record("apples")["front"] == []
    assert "not this" not in page


def test_a_report_on_the_front_says_its_answer_and_has_no_card(project):
    page = leading(project)
    front = page[page.index('<section class="front"') : page.index("</section>")]
    facts = Markup(front)
    assert facts.blocks[:2] == ["How many apples?", "Ann has 6 apples."]
    assert [tag["href"] for name, tag in facts.tags if name == "a"] == ["lead.html"]
    assert "Side by side" not in facts.text and page.count('<h2 class="group">Side by side</h2>') == 1
    cards = page[page.index('<ul class="cards">') :]
    assert "lead.html" not in cards and "apples.html" in cards


def test_a_card_has_the_question_and_the_first_sentence(project):
    cells = project.cells()
    cells[4] = project.code("display(HTML('<p>First.</p><p>Second.</p>'))", "answer")
    project.made("two", cells)
    card = card_of(project, "two")
    assert "<p>First.</p>" in card and "Second" not in card
    assert project.record("two")["answer"] == ["First.", "Second."]


def test_a_card_has_the_caveats_of_its_headline_as_labels(project):
    for name in project.unused:
        (project.places.source / f"{name}.py").unlink()
    said = """from analysis._core.findings import Finding
from analysis._core import notes
sized = notes.note("another_size", count=72, usual=8)
display(Finding("first", None, "systems", "First.", (), frozenset({sized, notes.note("approximate")})))"""
    project.made("marked", [*project.cells()[:4], project.code(said, "answer"), *project.cells()[5:]])
    card = card_of(project, "marked")
    words = "different system size, 72x; most results compared are 8x"
    assert f'<p>First. <span class="caveat" title="{words}">different size</span></p>' in card
    assert project.record("marked")["answer"] == ["First."]
    assert project.record("marked")["caveats"] == {"different size": words}


def test_cards_stand_in_their_sections_and_the_named_ones_come_first(project):
    for report, section in (("one", "Serve"), ("two", "Mine"), ("three", "Choose")):
        project.run_file(report, "apples")
        path = project.places.runs / f"{report}.yml"
        path.write_text(f"{path.read_text('utf-8')}section: {section}\n", "utf-8")
        assert project.build(report).status == 0, project.said
    found = re.findall(r'<h2 class="group">(.*?)</h2>|<p class="title">(.*?)</p>', index(project))
    assert ["".join(pair) for pair in found][:6] == ["Choose", "three", "Serve", "one", "Mine", "two"]
    assert "".join(found[6]) == "More reports"


def test_a_card_says_over_its_sentence_that_its_data_are_no_real_ones(project):
    """As the page itself says it, by what the band of its trust line begins with: the page says the rest."""
    for name in project.unused:  # What the trust line is made with needs them.
        (project.places.source / f"{name}.py").unlink()
    cells = project.cells()
    trust = "from analysis._core.scope_line import Trust\ndisplay(Trust(('here',), band='SAMPLE <1>: by hand'))"
    code = project.code(trust, "answer")
    project.made("sample", [*cells[:4], project.code("display(HTML('<p>First.</p>'))", "answer"), code, *cells[5:]])
    card = card_of(project, "sample")
    assert card.index('<p class="band">SAMPLE &lt;1&gt;</p>') < card.index("<p>First.</p>")
    assert index(project).count('class="band"') == 1


def test_a_figure_drawn_for_phones_is_the_card_s_picture_with_its_words(project):
    cells = project.cells()
    cells[6] = project.code(NARROW)
    project.made("small", cells)
    card = card_of(project, "small")
    drawn = b64decode(re.search(r"base64,([^\"]+)", card)[1]).decode()
    assert 'class="picture"' in card and 'id="text_1"' in drawn and 'alt="one"' in card
    assert drawn == (project.places.pictures / "small.svg").read_text("utf-8")
