"""Items and claims of voita2019b, from tables that were made up."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from headwork.papers.claims import check_claim, judge
from headwork.papers.evolution_tables import named_distances
from headwork.papers.published import read_published
from headwork.papers.study import read_study

ROOT = Path(__file__).parents[3]
FIGURES = [f"figure{number}" for number in range(1, 13)]
PAIRS = ("MT", "LM", "MLM")
MAIN, SEED, REPLACED = "WMT", "another seed", "replaced tokens"


def run(domain, pair, trained=True):
    name = f"{pair}-{domain}-{trained}".lower().replace(" ", "-")
    return {"run": name, "domain": domain, "pair": pair, "label": pair, "trained": trained}


RUNS = [run(MAIN, pair) for pair in PAIRS]
SEEDS = [run(SEED, pair) for pair in PAIRS]


def labelled(runs, table):
    return pd.concat([table(own).assign(**own) for own in runs], ignore_index=True)


def evolution(own):
    """A run whose layers do what the paper says of its objective."""
    slope = {"MT": -0.5, "LM": -1.0, "MLM": -0.1}[own["pair"]]
    rows = []

    def add(statistic, key, layers, value, control=0.1):
        rows.extend((statistic, key, layer, value(layer), control, 100, "") for layer in layers)

    add(
        "information/input",
        "whole",
        range(4),
        lambda layer: 5 + slope * layer + (layer == 3) * (slope == -0.1),
    )
    add("information/output", "whole", range(4), lambda layer: 1 + 0.2 * layer)
    add("information/input", "masked", range(4), lambda layer: 5 - layer)
    add("information/output", "masked", range(4), lambda layer: 1 + 0.2 * layer)
    for group, size in (("1-10", 0.2), ("10-25", 0.15), ("25-50", 0.1)):
        add("change/rank", group, range(1, 4), lambda layer, size=size: size / layer)
        add("change/pos", group, range(1, 4), lambda layer, size=size: size / layer)
    add("identity", "same", range(1, 4), lambda layer: 1 + slope * layer / 4)
    add("position", "distance", range(1, 4), lambda layer: -4 * slope * layer)
    add("left", "same", range(1, 4), lambda layer: 0.4)
    add("right", "same", range(1, 4), lambda layer: 0.2)
    for key in ("same", "left", "right"):
        add("tag", key, range(1, 4), lambda layer: 1 + slope * layer / 5)
    return pd.DataFrame(rows, columns=["statistic", "key", "layer", "value", "control", "n", "note"])


def influence(own):
    least = 0.001 if own["domain"] == REPLACED else 0.01
    rows = [
        (f"influence/{kind}", key, layer, value / layer, 0.8, 100, "")
        for kind in ("rank", "pos")
        for key, value in (("1-10", 0.0005), ("10-25", np.nan), ("25-50", least))
        for layer in (1, 2, 3)
    ]
    return pd.DataFrame(rows, columns=["statistic", "key", "layer", "value", "control", "n", "note"])


def points(own):
    chance = np.random.default_rng(0)
    rows = [
        (shows, layer, *chance.normal(size=2), form, place, tag, False)
        for shows, form, tag in (("forms", "is", "A"), ("position", "it", "NP"), ("tags", "is", "B"))
        for layer in (1, 2)
        for place in range(6)
    ]
    return pd.DataFrame(rows, columns=["shows", "layer", "x", "y", "form", "position", "tag", "replaced"])


def distances(own):
    every = [*RUNS, *SEEDS]
    rows = [
        ("between", one["run"], other["run"], layer, 0.3 if one["pair"] == other["pair"] else
         0.4 if {one["pair"], other["pair"]} == {"MT", "MLM"} else 0.5, 0.9, 100)
        for place, one in enumerate(every)
        for other in every[place + 1 :]
        for layer in range(4)
    ]  # fmt: skip
    rows += [("layers", one["run"], one["run"], layer, 0.1, 0.9, 100) for one in every for layer in (1, 2, 3)]
    return pd.DataFrame(rows, columns=["statistic", "first", "second", "layer", "value", "control", "n"])


def arguments(item, figure):
    grown = labelled([*RUNS, run(MAIN, "MT", trained=False)], evolution)
    tables = {
        "figure3": [labelled([*RUNS, *SEEDS], distances)],
        "figure5": [labelled(RUNS, influence)],
        "figure6": [labelled([*RUNS[:2], run(REPLACED, "MT"), run(REPLACED, "LM")], influence)],
        "figure7": [labelled(RUNS, evolution), labelled(RUNS, influence)],
        "figure8": [grown, labelled(RUNS, points)],
        "figure9": [grown, labelled(RUNS, points)],
        "figure12": [labelled(RUNS, points)],
    }
    found = tables.get(item, [grown])
    if "KEYS" in figure:
        found = [*found, read_published(ROOT / f"config/published/voita2019b/{item}.csv", figure["KEYS"])]
    return [*found, [*RUNS, *SEEDS]] if item == "figure3" else found


@pytest.mark.parametrize("item", FIGURES)
def test_every_item_is_drawn_with_its_numbers(item):
    figure = runpy.run_path(str(ROOT / f"workflow/figures/voita2019b/{item}.py"))
    drawn, table = figure["draw"](*arguments(item, figure))
    drawn.canvas.draw()
    assert len(table) > 0
    if "KEYS" in figure:
        published = read_published(ROOT / f"config/published/voita2019b/{item}.csv", figure["KEYS"])
        assert (table["origin"] == "published").sum() == len(published)
        assert (table["origin"] == "this run").any()


def test_only_first_seeds_are_compared_across_objectives():
    rows = named_distances(labelled([*RUNS, *SEEDS], distances), [*RUNS, *SEEDS])
    pairs = set(zip(rows["first_pair"], rows["second_pair"], rows["same"], strict=True))
    between = rows[rows["statistic"] == "between"]
    assert len(between) == 4 * (3 + 3)
    assert {("MT", "LM", False), ("MT", "MT", True)} <= pairs


@pytest.fixture(scope="module")
def tables():
    return {
        "evolution": labelled(RUNS, evolution),
        "influence": labelled([*RUNS, run(REPLACED, "MT"), run(REPLACED, "LM")], influence),
        "distances": labelled([*RUNS, *SEEDS], distances),
    }


def test_every_claim_holds_where_it_was_planted(tables):
    claims = read_study(ROOT / "config/papers/voita2019b.yaml").claims
    for claim in claims:
        check_claim(claim)
    verdicts = judge("voita2019b", claims, tables)
    failed = verdicts[verdicts["verdict"] != "holds"]
    assert failed["claim"].tolist() == []


def test_a_claim_fails_where_the_opposite_was_planted(tables):
    claims = read_study(ROOT / "config/papers/voita2019b.yaml").claims
    swapped = {
        name: table.assign(value=-table["value"], control=-table["control"] + 100 * (name == "evolution"))
        for name, table in tables.items()
    }
    verdicts = judge("voita2019b", claims, swapped)
    # a part of a value is the same whatever its sign
    assert verdicts[verdicts["verdict"] == "holds"]["claim"].str.startswith("With a tenth").sum() <= 1
    assert (verdicts["verdict"] == "does not hold").sum() >= len(claims) - 2


def test_without_a_run_a_claim_cannot_be_tested(tables):
    claims = read_study(ROOT / "config/papers/voita2019b.yaml").claims
    alone = {"evolution": tables["evolution"][tables["evolution"]["pair"] == "MT"]}
    verdicts = judge("voita2019b", claims, alone)["verdict"].value_counts()
    assert verdicts["cannot be tested at this scale"] > 10


def test_the_items_are_those_of_the_paper():
    content = yaml.safe_load((ROOT / "config/papers/voita2019b.yaml").read_text())
    assert list(content["items"]) == FIGURES
