"""The items of kovaleva2019 on made-up tables: their numbers, and that no text is cut."""

import made_up_tasks as made
import numpy as np
import pandas as pd
import pytest
from headwork.papers.drawing import grids, headmap, style
from headwork.papers.published import read_published
from made_up import check_text, words


@pytest.fixture
def kovaleva(item):
    return lambda name, *tables, **more: item(name, *tables, study="kovaleva2019", **more)


@pytest.mark.parametrize(
    ("panel", "order", "said"),
    [(grids.head_grid, "head", ("", 0, 1)), (headmap.heat_panel, "place", ("", "relevance", "share"))],
)
def test_a_layer_without_values_keeps_its_place(panel, order, said):
    rows = pd.DataFrame({"layer": [1, 1, 2, 2], order: [1, 2, 1, 2], "value": [np.nan, np.nan, 0.5, 0.25]})
    axes = style.new(5.0, 5.0).subplots()
    assert panel(axes, rows, *said).get_array()[1].tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match="duplicate"):
        panel(axes, pd.concat([rows, rows[2:]]), *said)


def test_figure1_shows_a_map_of_each_pattern(kovaleva):
    figure, table = kovaleva("figure1", made.shown())
    assert table["pattern"].unique().tolist() == ["vertical", "diagonal", "block", "heterogeneous"]
    assert len(table) == 4 * 25
    assert f"none of the {len(made.shown())} maps\nof the examples is vertical+diagonal" in words(figure)
    check_text(figure)


def test_figure2_has_both_classifiers_and_the_published_shares(kovaleva):
    rows = [
        (f"bert-{domain.lower()}-s1", pattern, classifier, share, 200)
        for domain in made.TASKS
        for pattern, share in made.PATTERNS.items()
        for classifier in ("rules", "network")
    ]
    shares = pd.DataFrame(rows, columns=["run", "pattern", "classifier", "share", "count"])
    facts = {"f1": 0.9, "agreement": 0.8, "agreement_where_not_clear_cut": None, "by_hand": {"labels": 0}}
    figure, table = kovaleva("figure2", made.of(made.statistics), shares, facts, published="figure2")
    sums = table[table["origin"] != "classifiers"].groupby(["origin", "domain"])["value"].sum()
    assert len(sums) == 3 * 7
    assert sums.to_numpy() == pytest.approx([1] * 21, abs=0.011)  # published are whole per cents
    assert table[table["pattern"] == "agreement of rules and network"]["value"].tolist() == [0.8]
    assert "trained on" not in words(figure)
    check_text(figure)
    facts["f1_of_classes"] = {"diagonal": 0.9, "heterogeneous": 0.9}
    figure, _ = kovaleva("figure2", made.of(made.statistics), shares, facts, published="figure2")
    assert "trained on diagonal, heterogeneous" in words(figure)
    check_text(figure)


def test_figure3_marks_the_links_of_two_heads(kovaleva, root):
    example = {
        "relation": "role",
        "head": "encoder 2-1",
        "direction": "dependent-to-head",
        "words": ["owls", "see", "it"],
        "arcs": [[2, 1]],
        "weights": [[0.2, 0.6, 0.2]] * 3,
    }
    published = read_published(root / "config/published/kovaleva2019/figure3.csv", ("quantity",))
    figure, table = kovaleva(
        "figure3", made.roles(), [example, {**example, "head": "encoder 1-1"}], published
    )
    best = table[table["key"] == "highest"].set_index("origin")["value"]
    assert best.to_dict() == {"this run": 0.2, "published": 0.209}
    check_text(figure)


def test_figure3_of_trees_without_roles(kovaleva, root):
    published = read_published(root / "config/published/kovaleva2019/figure3.csv", ("quantity",))
    figure, table = kovaleva("figure3", made.roles().iloc[:0], [], published)
    assert set(table["origin"]) == {"published"}
    assert [text.get_text() for text in figure.texts] == ["The trees of this text have no semantic roles."]
    check_text(figure)


@pytest.mark.parametrize("name", ["figure5", "figure6"])
def test_grids_of_all_tasks_with_means_of_layers(kovaleva, name):
    figure, table = kovaleva(name, made.of(made.statistics), published=name)
    ours = table[(table["origin"] == "this run") & table["head"].isna()]
    means = ours[ours["domain"] == "RTE"].set_index("layer")["value"].to_dict()
    assert means == pytest.approx({1: 0.9, 2: 0.5} if name == "figure5" else {1: 0.15, 2: 0.3})
    assert len(table[table["origin"] == "published"]) == 7 * 12
    check_text(figure)


def test_figure7_is_of_the_last_layer(kovaleva):
    figure, table = kovaleva("figure7", made.of(made.statistics))
    assert set(table["layer"]) == {2}
    assert len(table) == 7 * 8 * 2
    assert "[SEP]" in words(figure)
    assert "attention of [CLS] to the feature" in words(figure)
    check_text(figure)


def test_a_feature_without_values_says_so_once_per_task(kovaleva):
    rows = made.of(made.statistics)
    figure, _ = kovaleva("figure7", rows[~rows["key"].eq("pronoun")])
    assert words(figure).count("n/a") == 7


def test_figure8_has_the_mean_over_seeds_and_the_published_range(kovaleva):
    figure, table = kovaleva("figure8", made.of(made.disabling, seeds=(1, 2, 3)), published="figure8")
    ours = table[(table["origin"] == "this run") & (table["method"] == "uniform")]
    assert len(ours) == 7 * 4
    first = ours[(ours["layer"] == 1) & (ours["head"] == 1)].set_index("domain")
    assert first.loc["MRPC", "change"] == pytest.approx(0.02)
    assert first.loc["RTE", "change"] == pytest.approx(0.02 / 3)
    assert first["seeds"].eq(3).all()
    # one head that matters greatly leaves the others their colours
    norm = figure.axes[0].images[0].norm
    assert norm(-0.01) < norm(0) - 0.05 < norm(0) == 0.5
    check_text(figure)


def test_figure9_is_relative_to_the_undisturbed_score(kovaleva, root):
    heads = read_published(root / "config/published/kovaleva2019/figure8.csv", ("domain", "quantity"))
    known = read_published(root / "config/published/kovaleva2019/figure9.csv", ("domain", "layer"))
    figure, table = kovaleva("figure9", made.of(made.disabling, seeds=(1, 2)), known, heads)
    theirs = table[(table["origin"] == "published") & (table["domain"] == "RTE") & (table["layer"] == 1)]
    assert theirs["change"].tolist() == pytest.approx([0.617 - 0.585])
    ours = table[(table["origin"] == "this run") & (table["layer"] == 2)]
    assert ours["change"].to_numpy() == pytest.approx([-0.1] * 14)
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    check_text(figure)


def test_one_way_of_disabling_is_enough(kovaleva, root):
    one = made.of(made.disabling, seeds=(1, 2))
    one = one[one["method"] == "uniform"]
    heads = read_published(root / "config/published/kovaleva2019/figure8.csv", ("domain", "quantity"))
    known = read_published(root / "config/published/kovaleva2019/figure9.csv", ("domain", "layer"))
    for figure, table in (
        kovaleva("figure8", one, published="figure8"),
        kovaleva("figure9", one, known, heads),
    ):
        assert set(table["method"].dropna()) == {"uniform"}
        assert "output zeroed" not in words(figure)
        check_text(figure)


def test_figure10_has_every_head_of_four_tasks(kovaleva):
    examples = made.shown()
    four = examples[examples["domain"].isin(["MRPC", "STS-B", "SST-2", "MNLI"])]
    figure, table = kovaleva("figure10", four)
    assert len(table) == 4 * 4 * 25
    check_text(figure)


def test_table1_has_three_starts(kovaleva):
    figure, table = kovaleva("table1", made.all_scores(), published="table1")
    rte = table[table["domain"] == "RTE"].set_index("start")
    assert rte["ours"].to_dict() == pytest.approx({"raw": 0.5, "random": 0.9, "pretrained": 0.82})
    assert rte["seeds"].to_dict() == {"raw": 3, "random": 1, "pretrained": 3}
    assert rte.loc["pretrained", "published"] == 0.646
    # published scores are of the matched dev set
    assert table[table["split"] == "dev_mismatched"]["published"].isna().all()
    check_text(figure)
