"""Panels that are to be compared share their scales, and say what is not there."""

import numpy as np
import pandas as pd
import pytest
from studies.voita2019.drawings import heat_panel

from headwork.studies import style
from headwork.studies.drawing import grids
from headwork.studies.drawing.panels import (
    colour_bar,
    depth_axis,
    empty_panel,
    heat_range,
    not_measured,
    same_y,
)


def test_panels_share_the_limits_that_hold_all_data():
    one, other = style.new(8.0, 4.0).subplots(1, 2)
    one.set_ylim(0, 3)
    other.set_ylim(5, 1)  # points down, and still does
    same_y([one, other])
    assert (one.get_ylim(), other.get_ylim()) == ((0, 5), (5, 0))


def test_depth_is_the_same_place_whatever_the_layers():
    panels = style.new(8.0, 4.0).subplots(1, 2)
    for axes, layers in zip(panels, (4, 12), strict=True):
        axes.plot([layers / 2], [1])
        depth_axis(axes, layers)
    middles = [
        axes.transAxes.inverted().transform(axes.transData.transform((n, 1)))
        for axes, n in zip(panels, (2, 6), strict=True)
    ]
    assert middles[0][0] == pytest.approx(middles[1][0])
    assert panels[1].get_xlabel() == "relative depth (layer / 12)"
    assert [tick.get_text() for tick in panels[1].get_xticklabels()] == ["0", "0.25", "0.5", "0.75", "1"]


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.64, 0.99], (0.6, 1.0)),
        ([0.2, np.nan, 0.31], (0.2, 0.35)),
        ([0.5, 0.5], (0.5, 0.55)),
        ([np.nan], (0.0, 1.0)),
    ],
)
def test_colours_range_over_the_data(values, ends):
    assert heat_range(values) == pytest.approx(ends)


def test_what_is_not_there_is_said():
    figure = style.new(8.0, 4.0)
    left, right = figure.subplots(1, 2)
    empty_panel(left, "no head does it")
    grid = np.array([[0.1, np.nan]])
    image = right.imshow(grid)
    not_measured(right, grid)
    assert colour_bar(figure, image, right, "share of it").ax.get_ylabel() == "share of it"
    assert [text.get_text() for text in left.texts] == ["no head does it"]
    assert [(text.get_position(), text.get_text()) for text in right.texts] == [((1, 0), "n/a")]


@pytest.mark.parametrize(
    ("panel", "order", "said"),
    [(grids.head_grid, "head", ("", 0, 1)), (heat_panel, "place", ("", "relevance", "share"))],
)
def test_a_layer_without_values_keeps_its_place(panel, order, said):
    rows = pd.DataFrame({"layer": [1, 1, 2, 2], order: [1, 2, 1, 2], "value": [np.nan, np.nan, 0.5, 0.25]})
    axes = style.new(5.0, 5.0).subplots()
    assert panel(axes, rows, *said).get_array()[1].tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match="duplicate"):
        panel(axes, pd.concat([rows, rows[2:]]), *said)
