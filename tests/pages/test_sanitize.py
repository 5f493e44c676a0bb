"""Hostile outputs: what is stripped of HTML and SVG, and what stays."""

import re
import time

import pytest

from analysis.pages import sanitize


@pytest.mark.parametrize(
    ("markup", "clean"),
    [
        ('<meta http-equiv="refresh" content="0;url=//evil.example"><base href="//evil.example">a', "a"),
        ('<form action="//evil.example"><input name="a"><button>go</button></form>', "go"),
        ("<script>alert(1)</script><style>body{display:none}</style></style>b", "b"),
        ('<iframe src="//x"></iframe><object data="x">c</object><svg onload="x"><script>1</script></svg>d', "d"),
        ('<img src="https://evil.example/a.png" onerror="x">', "<img>"),
        ('<a href="javascript:x">e</a>', '<a rel="noopener noreferrer">e</a>'),
        ('<a href="data:text/html,<script>">e</a>', '<a rel="noopener noreferrer">e</a>'),
        ('<p id="main" class="x" style="color:red;position:fixed">f</p>', '<p class="x" style="color:red">f</p>'),
        ('<p style="background-color:url(//x)">f</p>', "<p>f</p>"),
        ("a\x00b\x1b[0mc\u202ed\ufffe", "ab[0mc[U+202E]d"),
        ("safe&#x202E;fdp.exe", "safe[U+202E]fdp.exe"),
        ('<a href="d&#9;ata:text/html,x">e</a>', '<a rel="noopener noreferrer">e</a>'),
        ('<a href="&#1;javascript&#10;:x">e</a>', '<a rel="noopener noreferrer">e</a>'),
        ('<a href="#part">e</a>', '<a href="#part" rel="noopener noreferrer">e</a>'),
        ('<td rowspan="30000" colspan="-1">g', "g"),
    ],
)
def test_html_is_left_with_what_only_shows(markup, clean):
    assert sanitize.clean_html(markup) == clean


def test_tables_keep_their_cells_and_lose_their_reach():
    row = '<tr><th rowspan="{}">a</th><td colspan="{}">1</td><td colspan="{}"></td><td rowspan="{}"></td></tr>'
    table = f'<table class="dataframe"><colgroup><col span="{{}}"></colgroup><tbody>{row}</tbody></table>'
    assert sanitize.clean_html(table.format(101, 30000, 2, "9" * 5000, "wide")) == table.format(100, 100, 2, 100, 1)
    assert sanitize.clean_html(table.format("²", "0", "1", "-1", "99")) == table.format(1, 1, 1, 1, 99)
    assert sanitize.clean_html('<a download="a.csv" href="data:text/csv,1">CSV</a>').startswith(
        '<a download="a.csv" href="data:text/csv,1"'
    )


@pytest.mark.parametrize("nested", ["<div>", "<ul><li>", "<b>x</p>", "<svg><td>", "<font><table>"])
def test_html_nested_too_deep_is_cut_and_says_so(nested):
    started = time.process_time()
    assert "Cut here: more than 5,000" in sanitize.clean_html(nested * 300_000)
    rows = "<tr><td><b>1</b><br>2<td>3</tr>" * 2400
    assert sanitize.clean_html(f"<table>{rows}</table>{'<p>4<li>5' * 9000}").endswith("<li>5</li>")
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("bound", "size", "most", "more"),
    [
        ("DEEPEST", 2, "<b><i></i></b><b></b>", "</u></u><b><i><u></u></i></b>"),
        ("MOST_ELEMENTS", 3, "<b></b>" * 3, "<b></b>" * 4),
        ("MOST_SPANNED", 4, "<td colspan=3></td>" * 2, "<td colspan=3></td>" * 2 + "<td rowspan=2></td>"),
    ],
)
def test_what_a_browser_cannot_show_at_once_is_cut_or_loses_its_reach(monkeypatch, bound, size, most, more):
    monkeypatch.setattr(sanitize, bound, size)
    for markup, is_cut in ((most, False), (more, True)):
        cleaned = sanitize.clean_html(f"<table><tr>{markup}" if "td" in markup else markup)
        assert ("Cut here: more than" in cleaned) == (is_cut and "td" not in markup)
        assert cleaned.count("colspan") == ("td" in markup) * 2 and "rowspan" not in cleaned


HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10">'


def test_svg_is_shapes_and_words_with_ids_of_its_own():
    drawn = sanitize.clean_svg(
        f'{HEAD}<style>*{{stroke-linejoin: round; stroke-linecap: butt}}</style><defs><clipPath id="a"/></defs>'
        '<g clip-path="url(#a)" style="fill: var(--ink, #000)"><use xlink:href="#a"/><text>GPU</text></g></svg>',
        "f1-", 'say "hi" <b>',
    )  # fmt: skip
    assert 'role="img" aria-label="say &quot;hi&quot; &lt;b&gt;"' in drawn
    assert 'id="f1-a"' in drawn and "url(#f1-a)" in drawn and "#f1-a" in drawn.split("<use")[1]
    assert "fill: var(--ink, #000)" in drawn and "<text>GPU</text>" in drawn and "linejoin" in sanitize.style()
    assert "<style>" not in drawn


@pytest.mark.parametrize(
    "part",
    [
        "<script>alert(1)</script>",
        '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="//evil.example"/></foreignObject>',
        '<a href="https://evil.example"><text>x</text></a>',
        '<image href="https://evil.example/a.png"/>',
        '<image xlink:href="data:image/svg+xml;base64,evil.example"/>',
        '<g onclick="evil.example()"/>',
        '<g style="fill: url(https://evil.example)"/>',
        '<g style="fill:u\\72l(//evil.example)"/>',
        "<style>@import 'https://evil.example'</style>",
        "<style>&lt;/style&gt;&lt;meta http-equiv=refresh content=0;url=//evil.example&gt;</style>",
        "<style>@media screen and (prefers-color-scheme:dark){svg{--on-0072b2:#fff;}}body{x:evil.example}</style>",
        '<animate attributeName="href" to="evil.example"/><set attributeName="onload" to="evil.example"/>',
    ],
)
def test_svg_has_nothing_that_acts_or_loads(part):
    drawn = sanitize.clean_svg(f"{HEAD}{part}<path d='M1 1'/></svg>", "f-", "alt")
    assert "evil.example" not in drawn and "<script" not in drawn and 'd="M1 1"' in drawn


def test_each_shape_stays_and_the_drawing_takes_its_size_from_the_page():
    names = "g path use defs clipPath rect circle ellipse line polyline polygon text tspan title desc image "
    names += "linearGradient radialGradient stop pattern svg"
    head = HEAD.replace("<svg", '<svg width="9pt" height="9pt" version="1.1"')
    drawn = sanitize.clean_svg(f"{head}{''.join(f'<{name}/>' for name in names.split())}</svg>", "f-", "alt")
    assert re.findall(r"<(\w+) ?/>", drawn) == names.split()
    assert re.findall(r"[\w:-]+(?==)", drawn) == ["xmlns", "viewBox", "role", "aria-label"]


def test_copies_end_where_they_reach_the_limit(monkeypatch):
    monkeypatch.setattr(sanitize, "MOST_COPIED", 2 * len("{'id': 'p', 'd': 'M1 1'}"))
    path, use = '<path id="p" d="M1 1"/>', '<use href="#p"/>'
    for drawing, copies in ((path + 3 * use, 2), (f'<use href="#a"/><g id="a"><use href="#b"/></g>{path}', 1)):
        assert sanitize.clean_svg(f"{HEAD}{drawing}</svg>", "f-", "alt").count("href=") == copies


def test_colors_of_the_dark_scheme_stay():
    sheet = "@media screen and (prefers-color-scheme:dark){svg{--on-0072b2:#79b8ff;}}"
    assert f"<style>{sheet}</style>" in sanitize.clean_svg(f"{HEAD}<style>{sheet}</style></svg>", "f-", "alt")


@pytest.mark.parametrize(
    "attributes",
    [
        'style="position:fixed; inset:0; width:100vw; z-index:9; fill: red"', 'style="fill: red" tabindex="0"',
        'style="fill: red; background: #000; filter: blur(9px); transform: scale(99); cursor: none" onload="x"',
    ],
)  # fmt: skip
def test_a_style_draws_and_moves_nothing(attributes):
    drawn = sanitize.clean_svg(f"{HEAD.replace('<svg', f'<svg {attributes}')}<g {attributes}/></svg>", "f-", "alt")
    assert drawn.count('style="fill: red"') == 2 and "tabindex" not in drawn and "onload" not in drawn


def test_shapes_that_multiply_are_bounded():
    nested = "".join(f'<g id="a{n}">{f"<use href={chr(34)}#a{n - 1}{chr(34)}/>" * 10}</g>' for n in range(1, 9))
    assert sanitize.clean_svg(f'{HEAD}<g id="a0"/>{nested}<use href="#a8"/></svg>', "f-", "alt").count("href=") == 10
    path = f'<path id="p" d="{"M1 1" * 100_000}"/>' + '<use href="#p"/>' * 1000
    assert sanitize.clean_svg(f"{HEAD}{path}</svg>", "f-", "alt").count("href=") < 60
    for kind in ("pattern", "clipPath", "linearGradient", "radialGradient"):
        inside = f'<{kind} id="a"><rect fill="url(#b)"/><use href="#c"/></{kind}>'
        drawn = sanitize.clean_svg(f"{HEAD}{inside}</svg>", "f-", "alt")
        assert "url(" not in drawn and "href=" not in drawn
    cells = sanitize.clean_html(f"<table>{'<tr>' + '<td rowspan=100>1' * 2000 + '</tr>' * 2}</table>")
    assert 100 < cells.count("rowspan") < 300


@pytest.mark.parametrize(
    "drawing",
    [
        f"{HEAD}{'<g>' * 20_000}{'</g>' * 20_000}</svg>",
        "",
        "<svg>",
        "<svg/>",
        "<html/>",
        f"{HEAD}\x00</svg>",
        f"{HEAD}\ud800</svg>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    ],
)
def test_what_is_no_svg_is_not_put_inline(drawing):
    assert sanitize.clean_svg(drawing, "f-", "alt") is None


def test_entities_that_multiply_are_not_expanded():
    names = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE svg [<!ENTITY a0 'x'>{names}]>{HEAD}<text>&a11;</text></svg>"
    assert sanitize.clean_svg(bomb, "f-", "alt") is None
