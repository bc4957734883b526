"""Names beside points cover neither each other nor a point nor a line, however crowded the points are; and marks have
entries in legends.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.transforms import Bbox
from test_items import PLANS, STUDIES, item_files, unpublished

from headwork.studies import style
from headwork.studies.drawing.labels import name_points
from headwork.studies.item import draw

KEYS = {
    "clark2019_figure3": {"one head"},
    "clark2019_figure4": {"one head"},
    "clark2019_figure5": {"between the words of the relation"},
    "hao2021_figure5": {"layer 1", "layer 6", "largest attribution"},
    "hewitt2019_figure2": {"arc of the gold tree", "predicted arc that is not in the gold tree"},
    "kobayashi2020_figure3": {"one head"},
    "kovaleva2019_figure3": {"from an argument to its predicate"},
}


def drawn(rule: str, results: Path):
    """A figure of the miniature scale, from the published tables."""
    study, key = rule.split("_")
    if missing := unpublished("miniature", study, key, results):
        pytest.skip(f"not published: {', '.join(missing)}")
    plan = PLANS["miniature"]
    files = item_files("miniature", study, key, results)
    return draw(plan.studies[study].item(key), files, plan.item_runs(study, key), STUDIES)[0]


def overlap(one: Bbox, other: Bbox) -> float:
    shared = Bbox.intersection(one, other)
    return min(shared.width, shared.height) if shared else 0.0


def boxes_of(axes) -> dict[str, Bbox]:
    axes.get_figure(root=True).draw_without_rendering()
    return {text.get_text(): text.get_window_extent() for text in axes.texts if text.get_text()}


@pytest.mark.parametrize("spread", [0.2, 0.5, 1.0])
def test_names_are_free_of_names_points_and_lines(spread):
    places = np.random.default_rng(1).normal(0.5, spread, (14, 2)).tolist()
    figure = style.new(8.0, 8.0)
    axes = figure.subplots()
    axes.plot(*zip(*places, strict=True), "o")
    axes.set(xlim=(-3, 4), ylim=(-3, 4))
    name_points(axes, [(f"{number}-1", place) for number, place in enumerate(places)], places, upright=[0.5])
    boxes, inside = boxes_of(axes), axes.get_window_extent()
    assert len(boxes) == len(places)
    marks = axes.transData.transform(places)
    line = axes.transData.transform((0.5, 0))[0]
    for name, box in boxes.items():
        assert not box.x0 < line < box.x1, name
        assert not any(box.contains(*mark) for mark in marks), name
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
    for one, other in combinations(boxes.values(), 2):
        assert overlap(one, other) < 1


def test_a_lone_name_stands_beside_its_point_without_a_line():
    axes = style.new(4.0, 4.0).subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    name_points(axes, [("1-1", (0.5, 0.5))], [(0.5, 0.5)])
    assert [text.get_text() for text in axes.texts] == ["1-1"]
    box, point = boxes_of(axes)["1-1"], axes.transData.transform((0.5, 0.5))
    assert box.y0 < point[1] < box.y1
    assert 0 < box.x0 - point[0] < 10


@pytest.mark.parametrize(("rule", "names"), KEYS.items(), ids=KEYS)
def test_marks_have_entries_in_a_legend(rule, names, published):
    figure = drawn(rule, published)
    legends = [*figure.legends, *(legend for part in figure.subfigs for legend in part.legends)]
    assert names <= {text.get_text() for legend in legends for text in legend.get_texts()}


@pytest.mark.parametrize("rule", ["clark2019_figure6", "synthesis_figure4"])
def test_names_of_heads_do_not_cover_each_other(rule, published):
    panels = [axes for axes in drawn(rule, published).axes if axes.texts]
    assert panels
    for axes in panels:
        boxes = boxes_of(axes)
        for one, other in combinations(boxes, 2):
            assert overlap(boxes[one], boxes[other]) < 1, f"{one} {other}"


def test_not_available_does_not_stand_on_a_published_value(published):
    panels = [axes for axes in drawn("voita2019b_figure6", published).axes if axes.texts]
    assert panels
    for axes in panels:
        (theirs,) = [line for line in axes.get_lines() if str(line.get_label()).startswith("published")]
        places = axes.transData.transform(theirs.get_xydata())
        for text in axes.texts:
            box = text.get_window_extent().padded(4)
            assert not any(box.contains(*place) for place in places)
