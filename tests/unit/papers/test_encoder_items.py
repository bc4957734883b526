"""The items of clark2019 and kobayashi2020 on made-up tables: their numbers, and that no text is cut."""

import made_up_encoder as made
import numpy as np
import pandas as pd
import pytest
from headwork.papers.published import read_published
from made_up import check_text, words


@pytest.fixture
def clark(item):
    return lambda name, *tables, **more: item(name, *tables, study="clark2019", **more)


@pytest.fixture
def kobayashi(item):
    return lambda name, *tables, **more: item(name, *tables, study="kobayashi2020", **more)


def example():
    pieces = ["the", "cat", "slept", ".", "[SEP]"]
    maps = {f"encoder {layer}-{head}": np.full((5, 5), 0.2).tolist() for layer, head in made.PLACES}
    return {"pieces": pieces, "maps": maps}


def test_figure1_shows_the_head_with_most_of_each_kind(clark):
    statistics = made.statistics()
    high = statistics["key"].isin(["next", "sep", "punctuation"])
    statistics.loc[high, "value"] += 0.6
    figure, table = clark("figure1", statistics, [example()], even=2.2)
    assert table.drop_duplicates("panel").set_index("panel")["head"].to_dict() == {
        "attends broadly": "encoder 1-1",
        "to the next token": "encoder 1-2",
        "to [SEP]": "encoder 2-2",
        "to full stops and commas": "encoder 1-1",
    }
    assert len(table) == 4 * 25
    assert "no head exceeds" not in words(figure)
    check_text(figure)


def test_figure1_draws_no_head_that_is_not_of_the_kind(clark):
    statistics = made.statistics()
    few = (statistics["statistic"] == "attention") & (statistics["key"] == "sep")
    statistics.loc[few, "value"] = 0.06
    figure, table = clark("figure1", statistics, [example()], even=10.0)
    text = words(figure)
    assert "no head exceeds\n0.60 of its attention\n\nhighest: 0.06, encoder 1-1" in text
    assert "no head exceeds\n8.00 nats" in text
    none = table[table["panel"] == "to [SEP]"]
    assert none["value"].tolist() == [0.06]
    assert none[["head", "query", "weight"]].isna().all(axis=None)
    check_text(figure)


def test_figure2_has_means_of_layers_beside_the_published(clark):
    figure, table = clark("figure2", made.statistics(), made.chance(), published="figure2")
    ours = table[(table["origin"] == "this run") & (table["key"] == "sep")].set_index("layer")
    assert ours["value"].to_dict() == pytest.approx({1: 0.35, 2: 0.55})
    assert ours["low"].to_dict() == pytest.approx({1: 0.3, 2: 0.5})
    assert (ours["even"] == 0.25).all()
    assert len(table[table["origin"] == "published"]) == 5 * 12
    check_text(figure)


def test_panels_of_two_models_have_one_scale_and_relative_depth(clark, kobayashi):
    figures = [
        clark("figure2", made.statistics(), made.chance(), published="figure2")[0],
        clark("figure3", made.sensitivity(), published="figure3")[0],
        clark("figure4", made.statistics(), made.chance(), published="figure4")[0],
        kobayashi("figure6", made.alignments(), published="figure6")[0],
    ]
    for figure in figures:
        assert len({axes.get_ylim() for axes in figure.axes}) == 1
        depths = [axes.get_xlabel() for axes in figure.axes]
        assert {depths[0], depths[-1]} == {"relative depth (layer / 2)", depths[-1]}
        for axes in figure.axes:
            layers = int(axes.get_xlabel().rstrip(")").split("/")[1])
            assert [end / layers for end in axes.get_xlim()] == pytest.approx([-0.04, 1.08])


def test_figure3_is_relative_to_all_tokens_in_the_first_layer(clark):
    figure, table = clark("figure3", made.sensitivity(), published="figure3")
    ours = table[table["origin"] == "this run"].set_index(["key", "layer"])
    assert ours.loc[("unmasked", 1), ["value", "gradient"]].tolist() == pytest.approx([1, 0.02])
    assert ours.loc[("sep", 2), "value"] == pytest.approx(0.05)
    theirs = table[table["origin"] == "published"].astype({"layer": int}).set_index(["key", "layer"])
    assert theirs.loc[("unmasked", 1), "value"] == 1
    assert theirs.loc[("sep", 8), "value"] == pytest.approx(0.08 / 1.8)
    check_text(figure)


def test_figure4_has_all_tokens_and_cls(clark):
    figure, table = clark("figure4", made.statistics(), made.chance(), published="figure4")
    ours = table[table["origin"] == "this run"]
    assert ours.groupby("tokens")["value"].agg(list).to_dict() == {
        "all tokens": [2.0, 1.0],
        "[CLS]": [2.0, 1.0],
    }
    assert (ours["even"] == 4.0).all()
    check_text(figure)


def test_figure5_shows_each_relation_once(clark):
    def shown(relation, head, direction="dependent-to-head"):
        weights = np.full((4, 4), 0.1)
        weights[1, 2] = 0.7
        return {
            "relation": relation,
            "head": head,
            "direction": direction,
            "words": ["the", "cat", "saw", "it"],
            "arcs": [[1, 2]],
            "weights": weights.tolist(),
        }

    names = ("obj", "det", "amod", "nsubj", "advmod", "case", "aux", "coreference")
    examples = [shown(name, f"encoder 1-{n}") for n, name in enumerate(names)]
    examples += [shown("obj", "encoder 2-2"), shown("nmod", "encoder 2-1", "head-to-dependent")]
    figure, table = clark("figure5", examples)
    assert table["relation"].unique().tolist() == ["obj", "det", "coreference", "amod", "nsubj", "advmod"]
    assert table.groupby("relation")["of_the_relation"].sum().eq(1).all()
    assert "obj, dependent to head\nencoder 1-0" in words(figure)
    # the largest weight of each word is drawn at full strength: all four of the first, 0.7 alone of the second
    strengths = figure.axes[0].collections[0].get_colors()[:, 3]
    assert strengths[:8] == pytest.approx([1, 1, 1, 1, 1 / 7, 1 / 7, 1, 1 / 7])
    check_text(figure)


def test_figure6_names_behaviours_and_best_heads(clark):
    table = made.statistics(previous=0.6)
    figure, found = clark(
        "figure6", made.points(), table, made.words(), {"stress": 0.1, "p": 0.03, "within": 0.1}, 2.2
    )
    found = found.set_index(["layer", "head"])
    # 0.8 of 2.2 nats is below the 2 nats of layer 1, and of several rules that hold the later one counts
    assert found["behaviour"].to_dict() == {(1, 1): "broad", (1, 2): "broad", (2, 1): "", (2, 2): "sep"}
    assert found.loc[(2, 1), "best_at"] == "coreference, obj"
    # at roots no head is best, nor at all words together
    assert found.loc[(1, 1), "best_at"] == "det"
    assert "heads closer within layers: p = 0.03" in words(figure)
    check_text(figure)


def test_table1_has_the_best_head_of_each_frequent_relation(clark):
    figure, table = clark("table1", made.words(), made.offsets(), published="table1")
    table = table.set_index("relation")
    assert table.index.tolist() == ["all", "det", "obj"]
    best = table.loc["obj"]
    assert (best["layer"], best["head"], best["direction"]) == (2, 1, "head-to-dependent")
    assert (best["accuracy"], best["baseline"], best["offset"], best["n"]) == (0.9, 0.4, -2, 300)
    assert best["split_half"] == pytest.approx(0.9)
    assert (best["stanford"], best["published_accuracy"], best["published_baseline"]) == ("dobj", 0.868, 0.4)
    check_text(figure)


def test_table2_has_three_readings_and_the_rules(clark):
    figure, table = clark("table2", made.words(), made.rules(), published="table2")
    heads = table[(table["system"] == "head") & (table["kind"] == "all")]
    assert heads["candidates"].tolist() == ["preceding-mentions", "other-mentions", "any-word"]
    assert heads["ours"].tolist() == [0.7] * 3
    assert heads["published"].tolist() == [0.65] * 3
    assert set(heads["name"]) == {"encoder 2-1, to antecedent"}
    rule = table[(table["system"] == "sieves") & (table["kind"] == "pronoun")].iloc[0]
    assert (rule["ours"], rule["published"], rule["n"]) == (0.6, 0.7, 150)
    neural = table[table["system"] == "neural"].set_index("kind")
    assert neural["published"].to_dict() == {"all": 0.83}
    assert neural[["ours", "low", "high", "n"]].isna().all(axis=None)
    assert "neural coreference system" in words(figure)
    # the published head has one row, not one for each reading, and all kinds, whatever the text has
    cells = [text.get_text() for text in figure.axes[0].texts]
    assert (cells.count("0.65"), cells.count("0.73")) == (1, 1)
    check_text(figure)


def test_table3_orders_probes_by_their_score(clark):
    figure, table = clark("table3", made.probes(), published="table3")
    assert table["probe"].tolist()[0] == "right-branching"
    assert table["published"].tolist() == [0.26, 0.3, 0.61, 0.58, 0.77]
    assert table["ours"].tolist() == [0.3, 0.4, 0.6, 0.7, 0.8]
    check_text(figure)


def test_norms_spread(kobayashi):
    figure, table = kobayashi("table1", made.statistics())
    assert len(table) == 4 + 2
    text = words(figure)
    assert "largest CV: layer 1" in text
    assert "largest CV: encoder 1-1" in text
    check_text(figure)


def test_norms_by_class_and_layer(kobayashi, root):
    published = read_published(root / "config/published/clark2019/figure2.csv", ("layer", "key"))
    figure, table = kobayashi("figure3", made.statistics(), published)
    ours = table[table["origin"] == "this run"].set_index(["statistic", "key", "layer"])["value"]
    assert ours["weight", "sep", 2] == pytest.approx(0.55)
    assert ours["weighted-norm", "sep", 2] == pytest.approx(0.055)
    check_text(figure)


def test_weights_and_norms_cancel(kobayashi):
    figure, table = kobayashi("figure4", made.statistics(), made.pairs(), made.correlations())
    assert "[SEP]: ρ = -0.40" in words(figure)
    assert table.loc[table["what"] == "pairs, rank correlation", "n"].tolist() == [5000] * 4
    check_text(figure)


def test_ranks_and_norms(kobayashi):
    figure, table = kobayashi("figure5", made.tokens(), made.correlations(), published="figure5")
    assert table.set_index(["measure", "key"])["value"]["norm", "all"] == 0.7
    assert table.loc[table["measure"] == "norm", "published"].tolist() == [0.75, 0.75]
    assert "ρ = 0.70 (0.70 without special tokens); published 0.75" in words(figure)
    check_text(figure)


def test_error_rates_of_heads_and_layers(kobayashi):
    figure, table = kobayashi("figure6", made.alignments(), published="figure6")
    assert len(table[table["origin"] == "this run"]) == 24
    assert len(table[table["origin"] == "published"]) == 24
    check_text(figure)


def test_one_alignment(kobayashi):
    diagonal = np.eye(3, 4).tolist()
    layers = [
        {
            "layer": layer,
            "setting": setting,
            "measure": measure,
            "map": diagonal if layer == 2 else np.ones((3, 4)).tolist(),
        }
        for layer in (1, 2)
        for setting in ("output", "input")
        for measure in ("weight", "norm")
    ]
    links = [[0, 0], [1, 1], [2, 2]]
    given = {
        "source": ["a", "b", "c"],
        "target": ["A", "B", "C"],
        "sure": links,
        "possible": links,
        "layers": layers,
    }
    figure, table = kobayashi("figure7", given)
    assert "layer 2, rows are output tokens; columns are source tokens" in words(figure)
    # rows of both maps are shares, and their difference has a scale of both signs
    *maps, difference = [axes.images[0] for axes in figure.axes if axes.images]
    assert [image.get_array().sum(axis=1).tolist() for image in maps] == [[1, 1, 1]] * 2
    assert difference.norm.vmin == -difference.norm.vmax < 0
    assert len(table) == 8 * 12
    assert table["sure"].sum() == 8 * 3
    check_text(figure)


def test_error_rates_beside_aligners(kobayashi):
    figure, table = kobayashi("table2", made.alignments(), made.aligners(), published="table2")
    rows = table.set_index(["setting", "measure", "which"])
    assert rows.loc[("output", "weight", "mean of layers"), "aer"] == pytest.approx(0.75)
    best = rows.loc[("input", "norm", "best layer")]
    assert (best["aer"], best["layer"], best["published"]) == (pytest.approx(0.4), 2, 0.25)
    assert rows.loc[("aligner", "hmm", "intersection"), "aer"] == 0.1
    check_text(figure)


def test_published_numbers_can_be_read(root):
    for path in sorted((root / "config/published").glob("[ck]*/*.csv")):
        columns = pd.read_csv(path, nrows=0).columns
        keys = [name for name in columns if name not in ("value", "uncertainty", "source")]
        assert len(read_published(path, keys)), path
