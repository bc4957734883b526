"""Items and claims of voita2019b, from tables that were made up."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from headwork.papers.claims.judging import UNTESTABLE, check_claim, judge
from headwork.papers.published import read_published
from headwork.papers.study import can_be_made, read_study
from headwork.papers.tables.evolution import estimates, named_distances
from made_up import check_data
from scipy.stats import t

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
    for group, size in (("1-10", 0.2 if own["trained"] else 0.12), ("10-25", 0.15), ("25-50", 0.1)):
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
        "figure6": [labelled([*RUNS, run(REPLACED, "MT"), run(REPLACED, "LM")], influence)],
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
    check_data(drawn)
    assert len(table) > 0
    if "KEYS" in figure:
        published = read_published(ROOT / f"config/published/voita2019b/{item}.csv", figure["KEYS"])
        assert (table["origin"] == "published").sum() == len(published)
        assert (table["origin"] == "this run").any()


def test_curves_have_the_intervals_of_tenths():
    rows = evolution(run(MAIN, "MT"))
    tenths = {f"without-{number}": rows["value"] + 0.01 * (-1) ** number for number in range(1, 11)}
    given = estimates(rows.assign(**tenths), "identity", "same")
    half = t.ppf(0.975, 9) * np.sqrt(9 / 10 * 10 * 0.01**2)
    assert (given["high"] - given["value"]).to_numpy() == pytest.approx([half] * len(given))
    assert (given["value"] - given["low"]).to_numpy() == pytest.approx([half] * len(given))
    assert estimates(rows, "identity", "same")["low"].isna().all()


@pytest.mark.parametrize("item", ["figure1", "figure2", "figure8", "figure9", "figure10", "figure11"])
def test_this_run_and_published_have_one_scale(item):
    figure = runpy.run_path(str(ROOT / f"workflow/figures/voita2019b/{item}.py"))
    drawn, _ = figure["draw"](*arguments(item, figure))
    curves = [axes for axes in drawn.axes if axes.get_xlabel().startswith("relative depth")]
    assert {axes.get_xlabel() for axes in curves} == {
        "relative depth (layer / 3)",
        "relative depth (layer / 6)",
    }
    assert len({axes.get_ylim() for axes in curves}) == 1


@pytest.mark.parametrize("item", ["figure4", "figure5"])
def test_published_numbers_are_not_joined_over_ranges_without_any(item):
    figure = runpy.run_path(str(ROOT / f"workflow/figures/voita2019b/{item}.py"))
    drawn, _ = figure["draw"](*arguments(item, figure))
    published = [axes for axes in drawn.axes if axes.get_title().endswith("published")]
    assert len(published) == 3
    for axes in published:
        assert {line.get_linestyle() for line in axes.lines} == {"None"}
        assert "n/a" in [text.get_text() for text in axes.texts]
    assert len({axes.get_ylim() for axes in drawn.axes if axes.get_title()}) == 1


def test_change_by_frequency_is_shown_of_the_untrained_encoder_too():
    figure = runpy.run_path(str(ROOT / "workflow/figures/voita2019b/figure4.py"))
    drawn, table = figure["draw"](*arguments("figure4", figure))
    panels = {axes.get_title(): axes for axes in drawn.axes}
    first = {name: panels[name].lines[0].get_ydata()[0] for name in ("MT, this run", "untrained")}
    assert first == {"MT, this run": 0.2 / 2, "untrained": 0.12 / 2}  # frequent tokens, layer 2
    assert set(table["domain"].dropna()) == {MAIN, "untrained"}
    influence = runpy.run_path(str(ROOT / "workflow/figures/voita2019b/figure5.py"))
    drawn, _ = influence["draw"](*arguments("figure5", influence))
    assert "untrained" not in {axes.get_title() for axes in drawn.axes}


def test_a_text_without_tags_is_said_to_have_none():
    untagged = labelled([*RUNS, run(MAIN, "MT", trained=False)], evolution)
    untagged = untagged[untagged["statistic"] != "tag"]
    figure = runpy.run_path(str(ROOT / "workflow/figures/voita2019b/figure11.py"))
    published = read_published(ROOT / "config/published/voita2019b/figure11.csv", figure["KEYS"])
    drawn, table = figure["draw"](untagged, published)
    drawn.canvas.draw()
    assert [text.get_text() for axes in drawn.axes for text in axes.texts] == [
        "not measured in this text"
    ] * 3
    assert set(table["origin"]) == {"published"}

    words = labelled(RUNS, points).assign(tag="")
    drawn, table = runpy.run_path(str(ROOT / "workflow/figures/voita2019b/figure12.py"))["draw"](words)
    drawn.canvas.draw()
    assert [text.get_text() for text in drawn.texts] == ["the text has no tags"]
    assert table.empty


def test_replaced_tokens_are_shown_where_there_are_such_runs():
    (item,) = [
        item for item in read_study(ROOT / "config/papers/voita2019b.yaml").items if item.key == "figure6"
    ]
    runs = {MAIN: {"MT": "mt"}, REPLACED: {"MT": None}}
    assert not can_be_made(item, {"runs": runs}, [])
    assert can_be_made(item, {"runs": runs | {REPLACED: {"MT": "replaced"}}}, [])


def test_only_first_seeds_are_compared_across_objectives():
    rows = named_distances(labelled([*RUNS, *SEEDS], distances), [*RUNS, *SEEDS])
    pairs = set(zip(rows["first_pair"], rows["second_pair"], rows["same"], strict=True))
    between = rows[rows["statistic"] == "between"]
    assert len(between) == 4 * (3 + 3)
    assert {("MT", "LM", False), ("MT", "MT", True)} <= pairs


@pytest.fixture(scope="module")
def tables():
    return {
        "evolution": labelled([*RUNS, run(MAIN, "MT", trained=False)], evolution),
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
    (kept,) = verdicts.loc[verdicts["verdict"] != "does not hold", "claim"]
    assert kept.startswith("With a tenth")


def one_claim(test, parameters, select):
    return {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": select,
        "parameters": parameters,
    }


def verdict(test, parameters, select, table):
    found = judge("voita2019b", [one_claim(test, parameters, select)], table).iloc[0]
    return found["verdict"], found["ours"], found["note"]


def test_all_the_way_is_in_each_layer(tables):
    rows = tables["evolution"].copy()
    parameters = {"statistic": "information/output", "key": "whole", "from_layer": "first"}
    rises, every = ({**parameters, "by": by} for by in ("rises", "rises in each layer"))
    select = {"domain": MAIN, "pair": "LM"}
    assert verdict("value_changes", every, select, {"evolution": rows})[0] == "holds"
    dip = (rows["statistic"] == "information/output") & (rows["pair"] == "LM") & (rows["layer"] == 2)
    rows.loc[dip, "value"] = 1.1  # below layer 1, still above the embeddings
    assert verdict("value_changes", rises, select, {"evolution": rows})[0] == "holds"
    assert verdict("value_changes", every, select, {"evolution": rows})[0] == "does not hold"


def test_most_often_is_more_than_all_others(tables):
    rows = tables["evolution"].copy()
    parameters = {"statistic": "identity", "key": "same", "layer": "last", "over": ["MLM"]}
    select = {"domain": MAIN, "pair": list(PAIRS)}
    both = {**parameters, "under": ["MT", "LM"]}
    found = verdict("objective_over", both, select, {"evolution": rows})
    assert found[0] == "holds"
    assert found[1] == pytest.approx(0.925 - 0.625)  # MT has 1 - 0.5 * 3 / 4, the LM less
    rows.loc[(rows["statistic"] == "identity") & (rows["pair"] == "LM"), "value"] = 0.95
    alone = {**parameters, "under": ["MT"]}
    assert verdict("objective_over", alone, select, {"evolution": rows})[0] == "holds"
    assert verdict("objective_over", both, select, {"evolution": rows})[:2] == (
        "does not hold",
        pytest.approx(-0.025),
    )
    least = {**parameters, "over": ["MT", "MLM"], "under": ["LM"]}
    assert verdict("objective_over", least, select, {"evolution": rows})[1] == pytest.approx(0.625 - 0.95)


def with_tenths(table, spread):
    """Values without each tenth of the text, that lie about the value as far as `spread` says, each row its own way."""
    chance = np.random.default_rng(0)
    return table.assign(
        **{
            f"without-{number}": table["value"] + chance.normal(0, spread, len(table))
            for number in range(1, 11)
        }
    )


def test_a_claim_holds_if_it_does_in_all_of_its_interval(tables):
    claims = read_study(ROOT / "config/papers/voita2019b.yaml").claims
    sure = judge("voita2019b", claims, {name: with_tenths(table, 1e-6) for name, table in tables.items()})
    assert (sure["verdict"] == "holds").all()
    assert (sure["high"] - sure["low"]).max() < 0.01
    assert ((sure["low"] < sure["ours"]) & (sure["ours"] < sure["high"])).all()
    unsure = judge("voita2019b", claims, {name: with_tenths(table, 10) for name, table in tables.items()})
    assert unsure["ours"].tolist() == sure["ours"].tolist()
    assert (unsure["verdict"] == "does not hold").all()


def test_what_two_layers_share_does_not_widen_the_interval(tables):
    """Of a text with fewer types all layers know less: that says nothing of what lies between them."""
    rows = tables["evolution"]
    shift = {f"without-{number}": rows["value"] + number for number in range(1, 11)}
    parameters = {"statistic": "information/input", "key": "whole", "from_layer": "first", "by": "falls"}
    claim = one_claim("value_changes", parameters, {"domain": MAIN, "pair": "LM"})
    found = judge("voita2019b", [claim], {"evolution": rows.assign(**shift)}).iloc[0]
    assert found[["low", "high"]].tolist() == pytest.approx([found["ours"]] * 2)


def test_an_order_counts_by_how_much_training_made_of_it(tables):
    rows = tables["evolution"].copy()
    parameters = {"statistic": "change/rank", "table": "evolution", "layer": 2}
    both = {"domain": MAIN, "pair": "MT", "trained": [True, False]}
    untrained = (rows["statistic"] == "change/rank") & ~rows["trained"]

    def found():
        return verdict("frequent_over_rare_by_training", parameters, both, {"evolution": rows})

    # most frequent less least frequent, in layer 2: (0.2 - 0.1) / 2 trained, (0.12 - 0.1) / 2 untrained
    assert found() == ("holds", pytest.approx(0.04), "trained: 0.0500, untrained: 0.0100")
    rows.loc[untrained & (rows["key"] == "1-10"), "value"] = 0.3
    assert found()[:2] == ("does not hold", pytest.approx(0.05 - (0.3 - 0.05)))
    rows.loc[untrained & (rows["layer"] == 2), "value"] = np.nan
    assert found()[0] == UNTESTABLE


def test_influence_is_lost_where_it_stood_out():
    """In layer 1 all groups have much, in layer 2 the rarest leads: replacing takes most there, and nothing below."""
    values = {
        MAIN: {("1-10", 1): 0.05, ("25-50", 1): 0.04, ("1-10", 2): 0.01, ("25-50", 2): 0.03},
        REPLACED: {("1-10", 1): 0.05, ("25-50", 1): 0.04, ("1-10", 2): 0.01, ("25-50", 2): 0.012},
    }
    table = pd.concat(
        pd.DataFrame(
            [("influence/rank", key, layer, value, 0.8, 100, "") for (key, layer), value in own.items()],
            columns=["statistic", "key", "layer", "value", "control", "n", "note"],
        ).assign(**run(domain, "MT"))
        for domain, own in values.items()
    )
    select = {"domain": [MAIN, REPLACED], "pair": "MT"}
    found = verdict("replaced_loses", {"at_most": 0.5}, select, {"influence": table})
    assert found == ("holds", pytest.approx(0.4), "layer 2: 0.0120 with, 0.0300 without")


def test_ours_are_named_as_they_were_compared():
    """The first named model is X of PWCCA, and the legend must say so."""
    figure = runpy.run_path(str(ROOT / "workflow/figures/voita2019b/figure3.py"))
    drawn, table = figure["draw"](*arguments("figure3", figure))
    ours = table[(table["origin"] == "this run") & (table["statistic"] == "between")]
    names = {text.get_text() for text in drawn.axes[0].get_legend().get_texts()}
    assert {", ".join(pair) for pair in zip(ours["first"], ours["second"], strict=True)} == {
        name if "seeds" not in name else ", ".join([name.split(",")[0]] * 2) for name in names
    }


def published(item, *keys):
    path = ROOT / f"config/published/voita2019b/{item}.csv"
    return read_published(path, keys).astype({"layer": int})


def published_tables():
    """The published numbers as the tables that claims are tested on."""
    evolution = pd.concat(
        [
            published("figure1", "pair", "layer").assign(statistic="information/input", key="whole"),
            published("figure2", "pair", "of", "layer").assign(
                statistic=lambda rows: "information/" + rows["of"],
                key=lambda rows: rows["pair"].map({"LM": "whole", "MLM": "masked"}),
            ),
            published("figure4", "pair", "key", "layer").assign(statistic="change/rank"),
            published("figure8", "pair", "layer").assign(statistic="identity", key="same"),
            published("figure9", "pair", "layer").assign(statistic="position", key="distance"),
            published("figure10", "pair", "statistic", "layer").assign(key="same"),
            published("figure11", "pair", "key", "layer").assign(statistic="tag"),
        ]
    ).assign(domain=MAIN)
    influence = pd.concat(
        [
            published("figure5", "pair", "key", "layer").assign(domain=MAIN),
            published("figure6", "pair", "key", "layer").assign(domain=REPLACED),
        ]
    ).assign(statistic="influence/rank")
    between = published("figure3", "statistic", "first", "second", "layer")
    between["second"] += np.where(between["first"] == between["second"], f"-{SEED}", f"-{MAIN}")
    between["first"] += f"-{MAIN}"
    runs = [
        run(own["domain"], own["pair"]) | {"run": f"{own['pair']}-{own['domain']}"} for own in [*RUNS, *SEEDS]
    ]
    distances = pd.concat(between.assign(**own) for own in runs)
    tables = {"evolution": evolution, "influence": influence, "distances": distances}
    return {name: table.assign(trained=True, n=100, control=0.0, note="") for name, table in tables.items()}


def test_published_values_are_what_their_tests_make_of_the_published_numbers():
    claims = [
        claim
        for claim in read_study(ROOT / "config/papers/voita2019b.yaml").claims
        if claim["published"] is not None
    ]
    found = judge("voita2019b", claims, published_tables())
    assert len(found) == 17
    assert (found["verdict"] == "holds").all()
    for row in found.itertuples():
        assert row.published == pytest.approx(row.ours, abs=0.0005 if abs(row.ours) < 0.1 else 0.005), (
            row.claim
        )


def test_without_a_run_a_claim_cannot_be_tested(tables):
    claims = read_study(ROOT / "config/papers/voita2019b.yaml").claims
    alone = {"evolution": tables["evolution"][tables["evolution"]["pair"] == "MT"]}
    verdicts = judge("voita2019b", claims, alone)["verdict"].value_counts()
    assert verdicts["cannot be tested at this scale"] > 10


def test_the_items_are_those_of_the_paper():
    content = yaml.safe_load((ROOT / "config/papers/voita2019b.yaml").read_text())
    assert list(content["items"]) == FIGURES
