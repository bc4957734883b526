"""The items and claims of raganato2018 on made-up tables, counted by hand."""

import made_up_layers as made
import pytest
from headwork.papers.claims.judging import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.study import claim_runs, item_runs, read_study
from made_up import check_text, words


@pytest.fixture
def raganato(item):
    return lambda name, *tables, **more: item(name, *tables, study="raganato2018", **more)


def test_figure1_has_a_bar_for_each_head_of_each_run(raganato):
    figure, table = raganato("figure1", made.trees())
    assert len(table) == 3 * 4 * 6
    assert table.groupby(["run", "layer", "head"])["ours"].sum().to_numpy() == pytest.approx(1)
    assert "en-karvan, untrained" in words(figure)
    check_text(figure)


def test_table1_has_every_pair(raganato):
    figure, table = raganato("table1", made.scores(), made.facts())
    assert table["ours"].tolist() == [20, 25, 30]
    assert "20.0 [19.0, 21.0]" in words(figure)
    check_text(figure)


def test_table2_has_means_best_heads_and_baselines(raganato):
    figure, table = raganato("table2", made.trees(), made.branching())
    own = table[(table["run"] == "news-karvan-s1") & (table["words"] == "all")]
    own = own.set_index(["system", "direction"])
    best = own.loc[("best head", "head-to-dependent")]
    assert (best["layer"], best["head"], best["ours"], best["n"]) == (2, 2, 0.45, 4000)
    assert own.loc[("all heads, mean", "head-to-dependent"), "ours"] == pytest.approx((3 * 0.2 + 0.45) / 4)
    assert own.loc[("layer 1", "head-to-dependent"), "ours"] == 0.2
    bases = own[own.index.get_level_values("system") == "right-branching"]
    assert bases["ours"].tolist() == [0.4]
    # the same head without punctuation
    without = table[(table["words"] == "all but punct") & (table["system"] == "best head")]
    assert without["ours"].max() == pytest.approx(0.225)
    assert "0.450 (2-2)" in words(figure)
    check_text(figure)


def test_table3_has_every_layer_beside_the_baselines(raganato):
    figure, table = raganato("table3", made.tags(), published="table3")
    own = table[table["trained"] & table["task"].notna()].set_index(["task", "layer"])
    assert own.loc[("pos", 1), "linear"] == 0.95
    assert own.loc[("pos", 1), "decoder_of_all"] == pytest.approx(0.85)
    assert own.loc[("semantic", 2), "length_errors"] == 0.2
    assert (own["most_frequent"] == 0.8).all()
    assert table[~table["trained"]]["decoder"].isna().all()
    known = table[table["label"].str.startswith("published")].set_index(["measure", "end"])["value"]
    assert known["precision", "highest"] == 0.9
    assert "length errors from 0.02 to 0.50" in words(figure).replace("\n", " ")
    check_text(figure)


def test_table4_has_the_gains(raganato):
    figure, table = raganato("table4", made.scores().iloc[::-1], made.facts(), published="table4")
    assert table["domain"].tolist() == ["scratch", "frozen", "fine-tuned", "published"]
    assert table["gain"].tolist() == [0, 5, 10, 1]
    assert table["trained_parameters"].tolist()[:3] == [900, 300, 900]
    assert "EN-DE to EN-TR: about 1 BLEU" in words(figure)
    check_text(figure)


def tables(**others):
    given = {
        "trees": made.trees(),
        "branching": made.branching(),
        "tags": made.tags(),
        "scores": made.scores(),
    }
    return given | others


def verdict(test, select, given=None, **parameters):
    claim = {"claim": "It is so.", "published": None, "source": "", "test": test, "select": select}
    claim["parameters"] = parameters
    return judge("made-up", [claim], given or tables()).iloc[0]


def test_places():
    row = verdict("a_head_for_each_place", {"domain": "news"}, places=["self", "next"], above=0.5)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.7), 400, HOLDS)
    row = verdict("a_head_for_each_place", {"domain": "news"}, places=["self", "end or last"], above=0.5)
    # two places of 0.06 each
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.12), FAILS)
    assert "end or last in news-karvan-s1" in row["note"]


def test_trees():
    row = verdict("best_trees_like", {"domain": "news"}, baseline="right-branching", within=0.1)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.05), HOLDS)
    assert "encoder 2-2" in row["note"]
    # to heads all have 0.2, left-branching 0.1
    row = verdict("mean_trees_like", {"domain": "news"}, baseline="left-branching", within=0.05)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), FAILS)
    control = {"domain": "news", "trained": False}
    assert verdict("no_trees_above", control, baseline="right-branching")["verdict"] == FAILS
    worse = tables(trees=made.trees(best=0.41))
    assert verdict("no_trees_above", control, worse, baseline="right-branching")["verdict"] == HOLDS


PROBING = {"domain": "probing", "pair": "EN-RU"}


def test_depth():
    def depth(task, lowest, highest):
        return verdict("known_best_at", PROBING, task=task, probe="linear", lowest=lowest, highest=highest)

    assert (depth("pos", 0, 0.5)["ours"], depth("pos", 0, 0.5)["verdict"]) == (1, HOLDS)
    assert depth("semantic", 0, 0.5)["verdict"] == FAILS
    assert depth("semantic", 0.5, 1)["verdict"] == HOLDS
    assert depth("pos", 0, 0.5 / 3)["verdict"] == FAILS  # layer 1 of 3 lies at the very bound
    assert depth("chunks", 0, 1)["verdict"] == UNTESTABLE


def test_probes():
    row = verdict("layers_know_more", PROBING, task="pos")
    # 0.95 against the most frequent tag's 0.8
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.15), HOLDS)
    row = verdict("training_teaches", PROBING | {"trained": [True, False]}, task="pos")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.475), HOLDS)
    assert verdict("length_errors_between", PROBING, lowest=0.02, highest=0.5)["verdict"] == HOLDS
    many = tables(tags=made.tags(length_errors=0.6))
    assert verdict("length_errors_between", PROBING, many, lowest=0.02, highest=0.5)["verdict"] == FAILS


def test_transfer():
    row = verdict("transfer_gains", {"pair": "EN-TR"}, better="fine-tuned", worse="scratch")
    assert (row["ours"], row["n"], row["verdict"]) == (10, 500, HOLDS)
    assert row["low"] == pytest.approx(10 - 2**0.5)
    assert verdict("transfer_gains", {"pair": "EN-TR"}, better="scratch", worse="frozen")["verdict"] == FAILS


def test_every_claim_of_the_study_can_be_judged(root):
    study = read_study(root / "config/papers/raganato2018.yaml")
    judged = judge(study.key, study.claims, tables())
    assert set(judged[judged["verdict"] == UNTESTABLE]["note"]) == {"chunks was not probed for on 100 words"}


def test_runs_of_items_and_claims(root):
    study = read_study(root / "config/papers/raganato2018.yaml")
    settings = {
        "runs": {"news": {"EN-RU": "a", "EN-DE": None}, "probing": {"EN-RU": "a"}, "scratch": {"EN-TR": "s"}},
        "untrained": {"news": {"EN-RU": "u"}, "probing": {"EN-RU": "u"}},
    }
    item = {item.key: item for item in study.items}
    assert [run["run"] for run in item_runs(item["table2"], settings)] == ["a", "u"]
    found = claim_runs(study, settings, [])
    assert [run["run"] for run in found["scores"]] == ["s"]
    assert {run["run"] for run in found["tags"]} == {"a", "u"}
    # the runs of the small pair have no trees
    assert {run["run"] for run in found["trees"]} == {"a", "u"}
