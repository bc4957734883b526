"""Every item of voita2019 on made-up tables in the pipeline's format: its files, its numbers, and its bytes."""

import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from headwork.papers import notation
from headwork.papers.drawing import headmap
from headwork.papers.item import save
from headwork.papers.tables.examples import choose_example, shown_piece
from made_up import (
    HEADS,
    LAYERS,
    PAIRS,
    check_text,
    functions,
    labels,
    relevance,
    statistics,
    three,
    words,
)

from headwork.errors import InputError


def examples(layers=LAYERS, heads=HEADS, **chosen):
    pieces = ["the</w>", "ka", "rin</w>", "ran</w>", "</s>"]
    uniform = np.full((5, 5), 0.2).tolist()
    places = product(range(1, layers + 1), range(1, heads + 1))
    maps = {f"encoder {layer}-{head}": uniform for layer, head in places}
    example = {"sentence": "the karin ran", "pieces": pieces, "rare": [1], "maps": maps}
    return pd.DataFrame([example]).assign(**labels(**chosen))


def test_figure1_sorts_the_heads_of_all_panels_by_relevance(item):
    subtitles = {"domain": "subtitles"}
    shares = relevance(**subtitles)
    shares.loc[shares["layer"] == 2, "value"] = shares.loc[shares["layer"] == 2, "value"].to_numpy()[::-1]
    figure, table = item(
        "figure1", functions(**subtitles), statistics(**subtitles), shares, published="figure1"
    )
    ours, theirs = table[table["origin"] == "this run"], table[table["origin"] == "published"]
    assert ours["quantity"].value_counts()[["relevance", "confidence"]].tolist() == [LAYERS * HEADS] * 2
    assert len(theirs) == 14
    # relevance falls with the head's number, and rises in layer 2
    for quantity in ("relevance", "confidence"):
        first = ours[(ours["quantity"] == quantity) & (ours["place"] == 1)]
        assert first.set_index("layer")["head"].to_dict() == {1: 1, 2: HEADS, 3: 1}
    best = ours[(ours["quantity"] == "relevance") & (ours["place"] == 1)]
    assert best["value"].tolist() == pytest.approx([15 / 92] * 3)  # of 15 + 14 + ... + 8
    text = words(figure)
    assert text.count("head, by relevance") == 4
    assert "(a) relevance" in text
    assert "by confidence" not in text


def test_figure2_has_a_row_for_each_pair(item):
    tables = [pd.concat([make(pair=pair) for pair in ("EN-DE", "EN-FR")]) for make in (functions, relevance)]
    figure, table = item("figure2", *tables, published="figure2")
    assert table[table["origin"] == "published"].groupby("pair").size().to_dict() == {
        "EN-DE": 15,
        "EN-FR": 12,
    }
    ours = table[table["origin"] == "this run"].groupby(["quantity", "pair"]).size()
    held = tables[0][tables[0]["holds"]].groupby("pair").size()
    assert ours["function"].to_dict() == held.to_dict()
    assert ours["relevance"].to_dict() == {"EN-DE": LAYERS * HEADS, "EN-FR": LAYERS * HEADS}
    text = words(figure)
    assert "(a) relevance, Velder (for EN-DE)" in text
    assert "(d) published, EN-FR" in text


def test_figure2_of_one_pair_keeps_its_letters(item):
    chosen = {"pair": "EN-FR"}
    figure, _ = item("figure2", functions(**chosen), relevance(**chosen), published="figure2")
    assert "(c) relevance, Lorine (for EN-FR)" in words(figure)
    assert "EN-DE" not in words(figure)


def test_figure3_counts_all_offsets_and_says_what_it_does_not_draw(item):
    rows = [
        (relation, offset, count)
        for relation in notation.RELATIONS
        for offset, count in ((-1, 70), (2, 20), (9, 10))
    ]
    relations = pd.DataFrame(rows, columns=["relation", "offset", "count"]).assign(**labels())
    figure, table = item("figure3", relations, published="table1")
    assert table["ours"].tolist() == [0.7, 0.2, 0.1] * 4
    assert (table["n"] == 100).all()
    assert words(figure).count("n = 100\nbeyond: 0.10") == 4


def test_figure3_puts_the_published_baseline_beside_the_highest_bar(item):
    # in any order
    relations = pd.DataFrame({"relation": "nsubj", "offset": [2, -1], "count": [70, 30]}).assign(**labels())
    figure, table = item("figure3", relations, published="table1")
    assert table["offset"].tolist() == [-1, 2]
    assert table["published"].isna().tolist() == [True, False]
    assert table.loc[1, ["quantity", "ours", "published", "source"]].tolist() == ["baseline", 0.7, 0.35, "N"]
    lines = [[line.get_ydata()[0] for line in axes.lines] for axes in figure.axes]
    assert lines == [[0.35], [], [], []]
    assert "n = 0\nbeyond: 0.00" in words(figure)


def test_table1_puts_published_beside_ours(item):
    both = pd.concat([functions(), functions(domain="subtitles")], ignore_index=True)
    persons = pd.concat(
        pd.DataFrame({"person": ["1", "2", "3"], "count": counts}).assign(**labels(domain=domain))
        for domain, counts in (("news", [10, 10, 80]), ("subtitles", [40, 30, 30]))
    )
    score = pd.DataFrame(
        {"bleu": [61.3], "low": [60.1], "high": [62.7], "sentences": [900], "signature": ["nrefs:1"]}
    )
    scores = pd.concat([score.assign(**labels()), score.assign(**labels(domain="subtitles"))])
    figure, table = item("table1", both, persons, scores, published="table1")
    accuracy = table[table["quantity"] == "accuracy"]
    assert len(accuracy) == 16
    assert accuracy["published"].notna().all()
    row = accuracy[(accuracy["domain"] == "subtitles") & (accuracy["key"] == "syntactic/obj/to-head")].iloc[0]
    assert (row["published"], row["published_baseline"]) == (0.84, 0.46)
    best = both[(both["domain"] == "subtitles") & (both["function"] == "syntactic/obj/to-head")][
        "score"
    ].max()
    assert row["ours"] == best
    text = words(figure)
    assert "0.10 / 0.10 / 0.80" in text
    assert "0.06 / 0.03 / 0.91" in text
    assert "61.3 [60.1, 62.7]" in text
    assert "0.84 / 0.46" in text
    assert f"{best:.2f} / 0.30" in text


@pytest.mark.parametrize("pairs", [["EN-RU"], list(PAIRS)])
def test_figure4_takes_the_pairs_there_are(item, pairs):
    tables = pd.concat([functions(pair=pair) for pair in pairs], ignore_index=True)
    figure, table = item("figure4", tables, published="table1")
    assert len(table) == 8 * len(pairs)
    assert table.loc[table["pair"] != "EN-RU", "published"].isna().all()
    assert "published, EN-RU" in words(figure)


def test_a_relation_without_instances_leaves_a_gap(item):
    table = functions()
    table = table[~table["function"].str.contains("advmod")]
    figure, numbers = item("figure4", table, published="table1")
    gap = numbers[numbers["key"].str.contains("advmod")]
    assert gap["ours"].isna().all()
    assert gap["published"].tolist() == [0.48, 0.52]
    assert numbers["ours"].notna().sum() == 6
    assert "verb→\nadverb" in words(figure)


def test_bold_is_what_the_head_holds(item):
    persons = pd.DataFrame({"person": ["1", "2", "3"], "count": [10, 10, 80]}).assign(**labels())
    score = {"bleu": 61.3, "low": 60.1, "high": 62.7, "sentences": 900, "signature": "nrefs:1"}
    table = functions()
    table = table[table["function"].isin(["syntactic/amod/to-head", "syntactic/obj/to-head"])]
    table = table.assign(score=0.55, holds=table["function"] == "syntactic/obj/to-head")
    figure, _ = item("table1", table, persons, pd.DataFrame([score]).assign(**labels()), published="table1")
    cells = [text for text in figure.axes[0].texts if text.get_text() == "0.55 / 0.30"]
    assert [cell.get_weight() for cell in cells] == ["bold", "normal"]
    assert words(figure).count("– / –") == 6  # this run's; the published ones are shown all the same


def test_figure5_says_when_no_head_is_a_rare_token_head(item):
    table = three(functions)
    table.loc[table["function"] == "rare", "holds"] = False
    found = (
        (table["function"] == "rare")
        & (table["pair"] == "EN-DE")
        & (table["layer"] == 1)
        & (table["head"] == 3)
    )
    table.loc[found, ["score", "holds"]] = [0.97, True]
    figure, weights = item("figure5", table, three(examples))
    text = words(figure)
    assert text.count("no rare-token head") == 2
    assert "Velder (for EN-DE)\nencoder 1-3\n0.97 at one of the two rarest" in text
    assert sum(bool(axes.images) for axes in figure.axes) == 1
    none = weights[~weights["holds"]]
    assert len(none) == 2
    assert none["weight"].isna().all()
    assert "framed: the two rarest tokens of the sentence" in text
    assert len(weights) == 25 + 2
    assert weights[weights["rare"].eq(True)]["key_piece"].unique().tolist() == ["ka"]


def drawings(item):
    """Every item on a model of 6 layers and 16 heads, none of which looks at rare tokens."""
    large = {"layers": 6, "heads": 16}
    news, subtitles = three(functions, **large), functions(domain="subtitles", **large)
    news.loc[news["function"] == "rare", "holds"] = False
    confidence, shares = (make(domain="subtitles", **large) for make in (statistics, relevance))
    other_shares = pd.concat([relevance(pair=pair, **large) for pair in ("EN-DE", "EN-FR")])
    persons = pd.DataFrame({"person": ["1", "2", "3"], "count": [10, 10, 80]})
    score = pd.DataFrame([{"bleu": 61.3, "low": 60.1, "high": 62.7, "sentences": 900, "signature": ""}])
    both = [
        pd.concat([table.assign(**labels()), table.assign(**labels(domain="subtitles"))])
        for table in (persons, score)
    ]
    offsets = pd.DataFrame({"relation": notation.RELATIONS, "offset": 1, "count": 123456}).assign(**labels())
    rest, first = news[news["pair"] != "EN-RU"], news[news["pair"] == "EN-RU"]
    yield item("figure1", subtitles, confidence, shares, published="figure1")
    yield item("figure2", rest, other_shares, published="figure2")
    yield item("figure3", offsets, published="table1")
    yield item("table1", pd.concat([first, subtitles]), *both, published="table1")
    yield item("figure4", news, published="table1")
    yield item("figure5", news, three(examples, **large))


def test_no_text_is_cut_or_laid_over_other_text(item):
    for figure, _ in drawings(item):
        check_text(figure)


def test_two_drawings_have_the_same_bytes(item, tmp_path):
    written = []
    for number in range(2):
        output = SimpleNamespace(
            **{kind: str(tmp_path / f"{number}.{kind}") for kind in ("svg", "pdf", "csv")}
        )
        save(*item("figure4", three(functions), published="table1"), output)
        written.append([(tmp_path / f"{number}.{kind}").read_bytes() for kind in ("svg", "pdf", "csv")])
    assert written[0] == written[1]
    svg = written[0][0].decode()
    assert "<dc:date>" not in svg
    assert re.search(r'id="[a-z]*[0-9a-f]{10}"', svg)  # ids are hashes; unsalted ones would differ above


def test_scripts_are_small_and_import_no_torch(root):
    for path in sorted((root / "workflow/figures").rglob("*.py")):
        text = path.read_text()
        assert len(text.splitlines()) <= 110, path
        assert "torch" not in text, path
        assert "    with job(snakemake.log[0]):" in text, path


def test_ranks_put_ties_to_the_lower_head():
    values = pd.DataFrame({"layer": [1, 1, 1], "head": [3, 2, 1], "value": [0.5, 0.5, 0.9]})
    order = headmap.ranks(values).set_index("head")["place"]
    assert order.to_dict() == {1: 1, 2: 2, 3: 3}


@pytest.mark.parametrize(
    ("function", "short", "long"),
    [
        ("positional/-1", "−1", "previous token"),
        ("positional/+2", "+2", "token at +2"),
        ("syntactic/nsubj/to-dependent", "v→s", "verb→subject"),
        ("syntactic/advmod/to-head", "adv→v", "adverb→verb"),
        ("syntactic/nmod/to-head", "nmod→head", "nmod→head"),
        ("rare", "rare", "rare token"),
    ],
)
def test_functions_are_written_as_in_the_paper(function, short, long):
    assert (notation.short(function), notation.long(function)) == (short, long)


def test_examples_prefer_short_sentences_with_a_rare_token():
    table = pd.DataFrame({"pieces": [["a"], ["a"] * 9, ["a"] * 5], "rare": [[], [1], [2]], "maps": [{}] * 3})
    assert choose_example(table, 6).name == 2
    assert choose_example(table, 9).name == 1
    assert choose_example(table, 3).name == 2
    with pytest.raises(InputError, match="none of the example sentences has a rare token"):
        choose_example(table[:1], 9)


def test_pieces_are_printed_with_their_joints():
    pieces = ["the</w>", "ka", "rin</w>", "</s>"]
    assert [shown_piece(piece, pieces) for piece in pieces] == ["the", "ka@@", "rin", "</s>"]
    assert [shown_piece(piece, ["▁the", "y"]) for piece in ("▁the", "y")] == ["▁the", "y"]
