"""Figures keep their text as text."""

import re

import pytest

from headwork.papers import style
from headwork.papers.sheet import draw_sheet


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
