"""The picture of a card: a figure drawn for phones as it is, of another one the shapes without its words."""

from analysis._build.page import picture

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="9pt" viewBox="0 0 100 80"><g id="figure_1">
<g id="axes_1"><g id="patch_2"><path d="M 5 70 L 95 70 L 95 30 L 5 30 z" style="fill: #ffffff"/></g>
<g id="xtick_1"><g id="text_1"><path d="M 0 0"/></g></g></g><g id="text_2"><path d="M 5 2"/></g>
<g id="legend_1"><path d="M 5 78"/></g></g></svg>"""


def test_words_are_left_out_and_the_picture_begins_at_the_axes() -> None:
    small = picture.small(SVG, whole=False)
    assert 'viewBox="-1 24 102 52"' in small and "width" not in small
    assert 'id="patch_2"' in small and "text_" not in small and "legend_" not in small
    assert small.startswith('<svg xmlns="http://www.w3.org/2000/svg"')


def test_a_drawing_of_another_make_stays_whole() -> None:
    drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 36"><rect width="9" height="9" /></svg>'
    assert picture.small(drawn, whole=False) == drawn


def test_what_is_drawn_for_phones_keeps_its_words() -> None:
    assert picture.small(SVG, whole=True) == SVG
