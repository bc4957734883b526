"""Views and claims of hewitt2019, counted by hand, and its published numbers."""

import claims_by_hand
import made_up_probing as made
import pandas as pd
import pytest
from studies.hewitt2019.tables import gold_arcs, gold_depths, predictions

from headwork.errors import InputError
from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def test_trees_of_an_example():
    example = made.example()
    assert gold_arcs(example) == [(0, 1), (1, 2)]  # the full stop is left out
    assert gold_depths(example) == [2, 1, 0, 1]
    other = made.example() | {"words": ["a", "dog", "barks", "."]}
    with pytest.raises(InputError, match="the runs show other sentences"):
        predictions([[example], [other]], made.PAIR)


def test_layers_of_the_table_are_counted_from_zero_and_those_of_the_figure_from_one(root):
    # BERTbase7 of table 1 is layer 8 of figure 1, BERTlarge15 layer 16: the table counts outputs of layers from 0
    folder = root / "workflow/studies/hewitt2019/published"
    table = pd.read_csv(folder / "table1.csv").set_index(["representation", "measure"])
    figure = pd.read_csv(folder / "figure1.csv").set_index(["model", "layer", "measure"])
    for name, model, layer in (("BERTbase7", "BERT-base", 8), ("BERTlarge15", "BERT-large", 16)):
        for measure in ("uuas", "dspr"):
            one, other = table.loc[(name, measure)], figure.loc[(model, layer, measure)]
            assert abs(one["value"] - other["value"]) <= one["uncertainty"] + other["uncertainty"] + 1e-9
            before = figure.loc[(model, layer - 1, measure)]
            assert abs(one["value"] - other["value"]) <= abs(one["value"] - before["value"])


def verdict(test, given=None, pair="EN", trained=(True, False), **parameters):
    tables = {"structural_probes": made.scores() if given is None else given}
    select = {"domain": "Penn Treebank", "pair": pair, "trained": list(trained)}
    return claims_by_hand.verdict("hewitt2019", test, tables, select, **parameters)


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


def test_two_sizes():
    row = verdict("larger_is_better", pair=["EN", "EN large"], trained=[True], measure="uuas")
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "there is no run with pair EN large"
    small, large = made.scores(), made.scores((0.6, 0.7, 0.9, 0.5)).assign(pair="EN large", run="large")
    both = pd.concat([small, large[large["domain"] == "Penn Treebank"]], ignore_index=True)
    row = verdict("larger_is_better", both, pair=["EN", "EN large"], trained=[True], measure="uuas")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)
