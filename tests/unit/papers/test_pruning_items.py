"""Items about pruning on made-up sweeps: their numbers, what they say, and that nothing in them is cut or overlaid."""

import numpy as np
import pandas as pd
import pytest
from headwork.papers.drawing import stacks
from made_up import PAPER, SHAPE, check_text, functions, sweep, sweeps, words

from headwork.errors import InputError

SINGLE = SHAPE | {"decoder": (1, 4), "cross": (1, 4)}
SUBTITLES = {"domain": "subtitles"}


def both(gates, **more):
    """The same sweep in both domains."""
    return sweeps(sweep(gates=gates, **more), sweep(gates=gates, bleu=94.0, domain="subtitles", **more))


def test_figure6_has_the_published_labels(item):
    figure, table = item("figure6", published="figure6")
    masses = table[table["quantity"] != "density"]
    assert len(masses) == 6
    assert (masses["ours"] - masses["published"]).abs().max() < 0.005
    assert (table["temperature"] == 0.5).all()
    text = words(figure)
    assert "(0.04, 0.69), log a = 2" in text
    assert "(0.86, 0.01), log a = −3" in text
    # the same density in both panels: a Concrete and a Hard Concrete at the left, three of these at the right
    lengths = [
        [len(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) > 2] for axes in figure.axes
    ]
    assert [len(lines) for lines in lengths] == [2, 3]


def test_figure7_counts_encoder_heads_and_bleu_lost(item):
    figure, table = item("figure7", *both("encoder", seeds=(1, 2, 3)), published="figure7")
    ours, theirs = table[table["origin"] == "this run"], table[table["origin"] == "published"]
    assert theirs.groupby("domain").size().to_dict() == {"news": 12, "subtitles": 13}
    ten = theirs[(theirs["domain"] == "news") & (theirs["kept"] == 10)].iloc[0]
    assert (ten["share"], ten["lost"]) == pytest.approx((10 / 48, 0.15))
    assert ours.groupby("domain").size().to_dict() == {"news": 19, "subtitles": 19}
    half = ours[(ours["domain"] == "news") & (ours["kept"] == 8)]
    assert sorted(half["lost"]) == pytest.approx([2.25, 2.55, 2.85])
    assert half["share"].tolist() == [0.5] * 3
    left = figure.axes[0]
    line, dots = left.lines[1], left.lines[2]
    assert len(dots.get_xdata()) == 19
    assert line.get_ydata()[line.get_xdata() == 8].tolist() == pytest.approx(
        [-2.55]
    )  # the mean of the three seeds
    assert "subtitles, EN-RU, published\nunpruned: 32.4 BLEU" in words(figure)
    assert [axes.get_ylim() for axes in figure.axes[::2]] == [axes.get_ylim() for axes in figure.axes[1::2]]


def test_figure7_leaves_out_the_sweep_of_all_attentions(item):
    runs = sweeps(sweep(), sweep(gates="all", scratch=[(1, 1)]))
    _, table = item("figure7", *runs, published="figure7")
    assert not table["run"].dropna().str.contains("all").any()


def pruned_functions(layers=4, heads=4, kept=(12, 8, 8, 3)):
    """A baseline and models that keep the first so many heads, with the gates of these."""
    base = functions(layers, heads, **SUBTITLES)
    places = base[["layer", "head"]].drop_duplicates(ignore_index=True)
    runs = [f"pruned-{number}" for number in range(len(kept))]
    gates = [
        places.assign(run=run, kind="encoder", kept=places.index < count)
        for run, count in zip(runs, kept, strict=True)
    ]
    tables = [base, *(base.assign(run=run) for run in runs)]
    return pd.concat(tables, ignore_index=True), pd.concat(gates, ignore_index=True)


def test_figure8_stacks_the_heads_that_are_kept(item):
    table, gates = pruned_functions()
    figure, counts = item("figure8", table, gates, published="figure8")
    ours, theirs = counts[counts["origin"] == "this run"], counts[counts["origin"] == "published"]
    assert ours.groupby("kept", sort=False)["value"].sum().to_dict() == pytest.approx(
        {16: 16, 12: 12, 8: 8, 3: 3}
    )
    assert theirs.groupby("kept")["value"].sum().to_dict() == {
        k: k for k in (48, 30, 17, 14, 11, 9, 7, 6, 5, 4, 3, 2, 1)
    }
    assert set(ours.loc[ours["kept"] == 8, "run"]) == {"pruned-1"}  # of two models with 8 heads the first
    # the first eight heads by hand: groups that hold, halves where there are two
    first = table[(table["run"] == "pruned-1") & (table["layer"] <= 2)]
    groups = [
        {name.split("/")[0] for name in rows.loc[rows["holds"], "function"]} or {"none"}
        for _, rows in first.groupby(["layer", "head"])
    ]
    expected = {group: sum((group in own) / len(own) for own in groups) for group in stacks.ORDER}
    found = ours[ours["kept"] == 8].set_index("group")["value"]
    assert found.to_dict() == pytest.approx(expected)
    assert "encoder heads kept" in words(figure)


def test_half_squares_are_put_together():
    counts = pd.DataFrame(
        [
            (6, "positional", 2.0),
            (6, "syntactic", 2.5),
            (6, "rare", 0.5),
            (6, "none", 1.0),
            (1, "positional or syntactic", 1.0),
        ],
        columns=["kept", "group", "value"],
    )
    squares = stacks.squares_of_counts(counts)
    assert squares.groupby("kept").size().to_dict() == {1: 1, 6: 6}
    assert squares["groups"].tolist().count(("syntactic", "rare")) == 1
    assert squares[squares["kept"] == 1]["groups"].tolist() == [("positional", "syntactic")]
    back = stacks.counts_of_squares(squares[squares["kept"] == 6]).set_index("group")["value"]
    assert back.to_dict() == {"positional": 2, "syntactic": 2.5, "rare": 0.5, "none": 1}


def test_table2_puts_runs_from_scratch_beside_the_pruned(item):
    runs = both("all", points=4, seeds=(1, 2), scratch=[(1, 1), (2, 1), (2, 2)])
    figure, table = item("table2", *runs, published="table2")
    ours = table[(table["origin"] == "this run") & (table["domain"] == "news")]
    assert ours["method"].tolist() == ["baseline", "gates", "gates", "gates"]
    assert (ours["bleu"] - ours["scratch"]).dropna().tolist() == pytest.approx([1, 1, 1])
    text = words(figure)
    assert "14/31/30" in text
    assert "12/6/6" in text
    assert "69.8 [68.8, 70.8]" in text
    assert "29.62" in text
    assert "news, Karvan (for EN-RU)" in text
    assert text.count("32.40") == 1


def test_figure9_counts_heads_of_every_kind(item):
    figure, table = item("figure9", *both("all", points=4), published="figure9")
    ours, theirs = table[table["origin"] == "this run"], table[table["origin"] == "published"]
    assert len(theirs) == 3 * (14 + 12)
    totals = theirs.groupby(["domain", "pruned"])["kept"].sum().reset_index()
    assert (totals["kept"] + totals["pruned"] == 144).all()
    news = ours[ours["domain"] == "news"]
    half = news[news["pruned"] == 16].set_index("kind")["kept"]  # two of four heads in every layer
    assert half.to_dict() == {"encoder": 8, "decoder": 4, "cross": 4}
    assert "decoder-encoder attention" in words(figure)


@pytest.mark.parametrize(
    ("shape", "layers"), [(PAPER, ["1+2", "3+4", "5+6"]), (SHAPE, ["1", "2"]), (SINGLE, ["1"])]
)
def test_figure10_groups_the_layers_there_are(item, shape, layers):
    figure, table = item("figure10", *sweep(shape, "all", points=4), published="figure10")
    ours, theirs = table[table["origin"] == "this run"], table[table["origin"] == "published"]
    assert sorted(set(ours["layers"])) == layers
    assert len(theirs) == 2 * 14 * 3
    assert set(ours["kind"]) == {"decoder", "cross"}
    heads, depth = shape["decoder"][1], shape["decoder"][0]
    half = ours[(ours["run"] == "news-ru-s1-all-p2-s1") & (ours["kind"] == "cross")]
    assert (half["kept"] == heads // 2 * depth // len(layers)).all()
    assert (half["pruned"] == heads // 2 * depth).all()
    last = theirs[(theirs["run"] == "118") & (theirs["kind"] == "decoder")].set_index("layers")["kept"]
    assert last.to_dict() == {"1+2": 6, "3+4": 3, "5+6": 0}
    assert words(figure).count("heads pruned, this kind") == 4


def test_synthesis_is_relative_to_the_model_that_was_pruned(item):
    runs, heads = sweeps(sweep(points=4), sweep(gates="all", points=4))
    untimed = runs["run"] == "news-ru-s1-all-p1-s1"
    runs.loc[untimed, ["parameters", "sentences_per_second"]] = np.nan
    figure, table = item("figure1", runs, heads, study="synthesis")
    full = table[table["method"] == "baseline"]
    assert full["speed"].tolist() == [1, 1]
    half = table[table["run"] == "news-ru-s1-all-p2-s1"].iloc[0]
    assert (half["kept"], half["speed"]) == (16, pytest.approx(1.15))
    panels = dict(zip(("bleu", "parameters", "speed"), figure.axes, strict=True))
    counted = {name: sum(len(line.get_xdata()) for line in axes.lines[1::2]) for name, axes in panels.items()}
    assert counted == {"bleu": 10, "parameters": 9, "speed": 9}
    assert panels["parameters"].lines[1].get_ydata().max() == 100
    assert "news, Karvan (for EN-RU): gates in all attentions" in words(figure)


def test_synthesis_is_made_of_the_sweeps_that_were_timed(item):
    runs, heads = sweeps(sweep(points=4), sweep(gates="all", points=4))
    measures = ["parameters", "sentences_per_second", "sentences_per_second_full"]
    runs.loc[runs["gates"] != "encoder", measures] = np.nan
    figure, table = item("figure1", runs, heads, study="synthesis")
    assert set(table["gates"]) == {"encoder"}
    assert len(table) == 5
    assert "all attentions" not in words(figure)
    runs[measures] = np.nan
    with pytest.raises(InputError, match="closed heads were removed from no run"):
        item("figure1", runs, heads, study="synthesis")


@pytest.mark.parametrize(("shape", "functions_of"), [(SHAPE, (4, 4)), (PAPER, (6, 8))])
def test_no_text_is_cut_or_laid_over_other_text(item, shape, functions_of):
    seeds = {"seeds": (1, 2, 3)}
    encoder, everything = (
        both("encoder", shape=shape, **seeds),
        both("all", shape=shape, scratch=[(1, 1)], **seeds),
    )
    total = functions_of[0] * functions_of[1]
    pruned = pruned_functions(*functions_of, kept=tuple(range(total - 1, 0, -max(1, total // 12))))
    for figure, _ in (
        item("figure6", published="figure6"),
        item("figure7", *encoder, published="figure7"),
        item("figure8", *pruned, published="figure8"),
        item("table2", *everything, published="table2"),
        item("figure9", *everything, published="figure9"),
        item("figure10", *sweep(shape, "all"), published="figure10"),
        item("figure1", *sweeps(encoder, everything), study="synthesis"),
    ):
        check_text(figure)
