"""Figures keep their text as text."""

import re

import pytest
from headwork.papers.drawing import style
from headwork.papers.drawing.sheet import draw_sheet


def test_text_of_an_svg_is_text_with_fonts_to_fall_back_on(tmp_path):
    figure = draw_sheet([["слово → −1", "‖f(x)‖ ± 0.84"], ["   layer 1", "–"]], [4.0, 4.0])
    style.save(figure, tmp_path / "a.svg", tmp_path / "a.pdf")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for words in ("слово → −1", "‖f(x)‖ ± 0.84", "layer 1", "–"):
        assert f">{words}</text>" in text
    stacks = set(re.findall(r"font-family: ([^;\"]*)", text))
    assert stacks == {"'DejaVu Sans', 'Bitstream Vera Sans', 'Verdana', 'Noto Sans', 'Arial', sans-serif"}
    assert b"DejaVuSans" in (tmp_path / "a.pdf").read_bytes()  # embedded


def test_spaces_indent_a_row():
    outer, inner = draw_sheet([["all"], ["   layer 1"]], [4.0]).axes[0].texts
    assert inner.get_text() == "layer 1"
    assert inner.get_position()[0] == pytest.approx(outer.get_position()[0] + 0.27)


def test_the_last_digits_of_a_layout_do_not_matter(tmp_path):
    for name, shift in (("one", 0.0), ("other", 1e-13)):
        figure = style.new(6.0, 4.0)
        figure.set_layout_engine("none")
        for left in (0.1, 0.6):
            figure.add_axes((left + shift, 0.2, 0.3, 0.6)).plot([0, 1], [0, 1])
        style.save(figure, tmp_path / f"{name}.svg", tmp_path / f"{name}.pdf")
    one, other = ((tmp_path / f"{name}.svg").read_bytes() for name in ("one", "other"))
    assert one == other
    assert b"url(#clip1)" in one
