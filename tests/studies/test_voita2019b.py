"""Views and claims of voita2019b on tables of layers that do what the paper says, and on its published numbers."""

import numpy as np
import pandas as pd
import pytest
from claims_by_hand import claim as one_claim
from claims_by_hand import judged as judge
from claims_by_hand import published_of, study_of
from scipy.stats import t
from studies.voita2019b.tables import estimates

from headwork.studies.judging import UNTESTABLE

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


def test_curves_have_the_intervals_of_tenths():
    rows = evolution(run(MAIN, "MT"))
    tenths = {f"without-{number}": rows["value"] + 0.01 * (-1) ** number for number in range(1, 11)}
    given = estimates(rows.assign(**tenths), "identity", "same")
    half = t.ppf(0.975, 9) * np.sqrt(9 / 10 * 10 * 0.01**2)
    assert (given["high"] - given["value"]).to_numpy() == pytest.approx([half] * len(given))
    assert (given["value"] - given["low"]).to_numpy() == pytest.approx([half] * len(given))
    assert estimates(rows, "identity", "same")["low"].isna().all()


@pytest.fixture(scope="module")
def tables():
    return {
        "evolution": labelled([*RUNS, run(MAIN, "MT", trained=False)], evolution),
        "influence": labelled([*RUNS, run(REPLACED, "MT"), run(REPLACED, "LM")], influence),
        "distances": labelled([*RUNS, *SEEDS], distances),
    }


def test_every_claim_holds_where_it_was_planted(tables):
    claims = study_of("voita2019b").claims
    verdicts = judge("voita2019b", claims, tables)
    failed = verdicts[verdicts["verdict"] != "holds"]
    assert failed["claim"].tolist() == []


def test_a_claim_fails_where_the_opposite_was_planted(tables):
    claims = study_of("voita2019b").claims
    swapped = {
        name: table.assign(value=-table["value"], control=-table["control"] + 100 * (name == "evolution"))
        for name, table in tables.items()
    }
    verdicts = judge("voita2019b", claims, swapped)
    # a part of a value is the same whatever its sign
    (kept,) = verdicts.loc[verdicts["verdict"] != "does not hold", "claim"]
    assert kept.startswith("With a tenth")


def verdict(test, parameters, select, table):
    found = judge("voita2019b", [one_claim(test, select, **parameters)], table).iloc[0]
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
    found = verdict("objective_over", both, select, {"evolution": rows})
    assert found[:2] == ("does not hold", pytest.approx(-0.025))
    least = {**parameters, "over": ["MT", "MLM"], "under": ["LM"]}
    assert verdict("objective_over", least, select, {"evolution": rows})[1] == pytest.approx(0.625 - 0.95)


def with_tenths(table, spread):
    """Values without each tenth of the text, that lie about the value as far as `spread` says, each row its own way."""
    chance = np.random.default_rng(0)
    parts = {f"without-{n}": table["value"] + chance.normal(0, spread, len(table)) for n in range(1, 11)}
    return table.assign(**parts)


def test_a_claim_holds_if_it_does_in_all_of_its_interval(tables):
    claims = study_of("voita2019b").claims
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
    claim = one_claim("value_changes", {"domain": MAIN, "pair": "LM"}, **parameters)
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


def published(item):
    return published_of("voita2019b", item).astype({"layer": int})


def published_tables():
    """The published numbers as the tables that claims are tested on."""
    evolution = pd.concat(
        [
            published("figure1").assign(statistic="information/input", key="whole"),
            published("figure2").assign(
                statistic=lambda rows: "information/" + rows["of"],
                key=lambda rows: rows["pair"].map({"LM": "whole", "MLM": "masked"}),
            ),
            published("figure4").assign(statistic="change/rank"),
            published("figure8").assign(statistic="identity", key="same"),
            published("figure9").assign(statistic="position", key="distance"),
            published("figure10").assign(key="same"),
            published("figure11").assign(statistic="tag"),
        ]
    ).assign(domain=MAIN)
    influence = pd.concat(
        [published("figure5").assign(domain=MAIN), published("figure6").assign(domain=REPLACED)]
    )
    influence = influence.assign(statistic="influence/rank")
    between = published("figure3")
    between["second"] += np.where(between["first"] == between["second"], f"-{SEED}", f"-{MAIN}")
    between["first"] += f"-{MAIN}"
    runs = [
        run(own["domain"], own["pair"]) | {"run": f"{own['pair']}-{own['domain']}"} for own in [*RUNS, *SEEDS]
    ]
    distances = pd.concat(between.assign(**own) for own in runs)
    tables = {"evolution": evolution, "influence": influence, "distances": distances}
    return {name: table.assign(trained=True, n=100, control=0.0, note="") for name, table in tables.items()}


def test_published_values_are_what_their_tests_make_of_the_published_numbers():
    claims = [claim for claim in study_of("voita2019b").claims if claim["published"] is not None]
    found = judge("voita2019b", claims, published_tables())
    assert len(found) == 17
    assert (found["verdict"] == "holds").all()
    for row in found.itertuples():
        near = 0.0005 if abs(row.ours) < 0.1 else 0.005
        assert row.published == pytest.approx(row.ours, abs=near), row.claim
