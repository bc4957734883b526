"""The items of hewitt2019 on made-up tables, its claims by hand, and its published numbers."""

import made_up_probing as made
import pandas as pd
import pytest
from headwork.papers.claims.judging import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.study import read_study
from headwork.papers.views.probing import gold_arcs, gold_depths, predictions
from made_up import check_text, words

from headwork.errors import InputError


@pytest.fixture
def hewitt(item):
    return lambda name, *tables, **more: item(name, *tables, study="hewitt2019", **more)


def test_table1_has_baselines_beside_the_published(hewitt):
    figure, table = hewitt("table1", made.scores(), published="table1")
    uuas = table[table["measure"] == "uuas"].set_index("name")
    assert uuas.index.tolist() == [
        *("linear chain", "word embeddings", "decayed embeddings"),
        *("untrained encoder, layer 2", "encoder, layer 2", "permuted trees, layer 2"),
        *("MT, layer 2", "LM, layer 2", "MLM, layer 2", "their untrained encoder, layer 2"),
    ]
    assert uuas.loc["linear chain", ["ours", "published"]].tolist() == [0.45, 0.489]
    assert uuas.loc["encoder, layer 2", "ours"] == 0.8
    assert uuas.loc["untrained encoder, layer 2", "ours"] == pytest.approx(0.5)
    text = words(figure)
    assert "0.800 [0.790, 0.810]" in text
    assert "BERTlarge16" in text
    check_text(figure)


def test_figure1_has_every_layer_and_the_published_curves(hewitt):
    figure, table = hewitt("figure1", made.scores(), published="figure1")
    ours = table[table["label"] != "published"]
    assert len(ours) == 6 * 4 * 2
    assert len(table) - len(ours) == 2 * (12 + 24)
    # of the four panels those of one measure have one scale
    limits = [axes.get_ylim() for axes in figure.axes[:4]]
    assert limits[0] == limits[2]
    assert limits[1] == limits[3]
    # BERT-base's twelve layers are spread over our three
    curve = next(line for line in figure.axes[0].lines if line.get_label() == "BERT-base (published)")
    assert curve.get_xdata()[[0, -1]].tolist() == [0.25, 3]
    check_text(figure)


def test_figures_of_sentences(hewitt):
    examples = [[made.example(), made.example()], [made.example(1), made.example(1)]]
    figure, table = hewitt("figure2", examples, made.PAIR)
    assert table.groupby(["representation", "gold"]).size().to_dict() == {
        ("gold", True): 4,
        ("encoder, layer 2", True): 4,
        ("untrained, layer 1", True): 4,
        ("decayed embeddings", True): 2,
        ("decayed embeddings", False): 2,
    }
    assert "decayed embeddings\n1 of 2" in [axes.get_ylabel() for axes in figure.axes]
    check_text(figure)
    figure, table = hewitt("figure3", examples, made.PAIR)
    assert table[table["representation"] == "encoder, layer 2"]["gold"].tolist() == [2, 1, 0, 1] * 2
    check_text(figure)
    figure, table = hewitt("figure4", examples, made.PAIR)
    assert (table["predicted"] == table["gold"]).all()
    assert len(table) == 3 * 6
    check_text(figure)


def test_figure5_has_a_curve_for_each_encoder(hewitt):
    figure, table = hewitt("figure5", made.scores(), published="figure5")
    assert table[table["label"] == "published"].groupby("model").size().tolist() == [20, 20]
    own = table[(table["run"] == "minilm") & (table["measure"] == "uuas")]
    assert own["rank"].tolist() == [1, 64, 128]
    check_text(figure)


def test_trees_of_an_example():
    example = made.example()
    assert gold_arcs(example) == [(0, 1), (1, 2)]  # the full stop is left out
    assert gold_depths(example) == [2, 1, 0, 1]
    other = made.example() | {"words": ["a", "dog", "barks", "."]}
    with pytest.raises(InputError, match="the runs show other sentences"):
        predictions([[example], [other]], made.PAIR)


def test_layers_of_the_table_are_counted_from_zero_and_those_of_the_figure_from_one(root):
    # BERTbase7 of table 1 is layer 8 of figure 1, BERTlarge15 layer 16: the table counts outputs of layers from 0
    folder = root / "config/published/hewitt2019"
    table = pd.read_csv(folder / "table1.csv").set_index(["representation", "measure"])
    figure = pd.read_csv(folder / "figure1.csv").set_index(["model", "layer", "measure"])
    for name, model, layer in (("BERTbase7", "BERT-base", 8), ("BERTlarge15", "BERT-large", 16)):
        for measure in ("uuas", "dspr"):
            one, other = table.loc[(name, measure)], figure.loc[(model, layer, measure)]
            assert abs(one["value"] - other["value"]) <= one["uncertainty"] + other["uncertainty"] + 1e-9
            before = figure.loc[(model, layer - 1, measure)]
            assert abs(one["value"] - other["value"]) <= abs(one["value"] - before["value"])


def verdict(test, given=None, pair="EN", trained=(True, False), **parameters):
    claim = {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": {"domain": "Penn Treebank", "pair": pair, "trained": list(trained)},
        "parameters": parameters,
    }
    tables = {"structural_probes": made.scores() if given is None else given}
    return judge("made-up", [claim], tables).iloc[0]


def test_one_representation_beside_another():
    row = verdict("probe_exceeds", measure="uuas", own="states", than="untrained")
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.3), 1000, HOLDS)
    assert (row["low"], row["high"]) == (pytest.approx(0.28), pytest.approx(0.32))
    assert "layer 2" in row["note"]
    close = made.scores(decayed=0.46)  # intervals overlap
    assert verdict("probe_exceeds", close, measure="uuas", own="decayed", than="linear")["verdict"] == FAILS
    below = {"measure": "uuas", "own": "embeddings", "than": "linear"}
    assert verdict("probe_does_not_exceed", **below)["verdict"] == HOLDS
    above = made.scores(embeddings=0.46)
    assert verdict("probe_does_not_exceed", above, **below)["verdict"] == FAILS
    few = made.scores().assign(n=50)
    assert verdict("probe_does_not_exceed", few, **below)["verdict"] == UNTESTABLE
    trained = made.scores()
    trained = trained[trained["trained"]]
    row = verdict("probe_exceeds", trained, measure="uuas", own="states", than="untrained")
    assert row["verdict"] == UNTESTABLE


def test_layers_and_ranks():
    row = verdict("peak_is_inside", trained=[True], measure="uuas")
    assert (row["ours"], row["verdict"]) == (pytest.approx(2 / 3), HOLDS)
    rising = made.scores((0.5, 0.6, 0.7, 0.8))
    assert verdict("peak_is_inside", rising, trained=[True], measure="uuas")["verdict"] == FAILS
    row = verdict("low_rank_suffices", trained=[True], rank=64, at_most=0.01)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.005), HOLDS)
    worse = made.scores(low_rank=0.75)
    assert verdict("low_rank_suffices", worse, trained=[True], rank=64, at_most=0.01)["verdict"] == FAILS
    assert verdict("low_rank_suffices", trained=[True], rank=128, at_most=0.01)["verdict"] == UNTESTABLE


def test_two_sizes():
    row = verdict("larger_is_better", pair=["EN", "EN large"], trained=[True], measure="uuas")
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "there is no run with pair EN large"
    small, large = made.scores(), made.scores((0.6, 0.7, 0.9, 0.5)).assign(pair="EN large", run="large")
    both = pd.concat([small, large[large["domain"] == "Penn Treebank"]], ignore_index=True)
    row = verdict("larger_is_better", both, pair=["EN", "EN large"], trained=[True], measure="uuas")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)


def test_every_claim_of_hewitt2019_can_be_judged_but_that_of_sizes(root):
    study = read_study(root / "config/papers/hewitt2019.yaml")
    found = judge(study.key, study.claims, {"structural_probes": made.scores()})
    open_ = found.loc[found["verdict"] == UNTESTABLE, "claim"].tolist()
    assert open_ == ["The larger of two encoders has the higher UUAS."]
    control = found[found["origin"] == "control"].set_index("claim")["verdict"]
    assert (control == HOLDS).all()
