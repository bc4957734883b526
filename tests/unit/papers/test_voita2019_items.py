"""Every item of voita2019 on made-up tables in the pipeline's format: its files, its numbers, and its bytes."""

import importlib.util
import re
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from headwork.errors import InputError
from headwork.papers import headmap, notation
from headwork.papers.examples import choose_example, shown_piece
from headwork.papers.item import save
from headwork.papers.published import read_published

PAIRS = {"EN-RU": "Karvan (for EN-RU)", "EN-DE": "Velder (for EN-DE)", "EN-FR": "Lorine (for EN-FR)"}
FUNCTIONS = ("positional/-1", "positional/+1", "rare", *notation.SYNTACTIC)
LAYERS, HEADS = 3, 8


def labels(domain="news", pair="EN-RU"):
    run = f"{domain}-{pair[-2:].lower()}-s1"
    return {"run": run, "domain": domain, "pair": pair, "label": PAIRS[pair], "trained": True}


def functions(layers=LAYERS, heads=HEADS, **chosen):
    random = np.random.default_rng(1)
    rows = [
        ("encoder", layer, head, function, random.uniform(0.1, 0.6), 0.3, 500)
        for layer in range(1, layers + 1)
        for head in range(1, heads + 1)
        for function in FUNCTIONS
    ]
    table = pd.DataFrame(rows, columns=["kind", "layer", "head", "function", "score", "baseline", "count"])
    margin = table["score"] - table["baseline"]
    return table.assign(margin=margin, holds=margin > 0.25, **labels(**chosen))


def statistics(layers=LAYERS, heads=HEADS, **chosen):
    places = functions(layers, heads, **chosen)[["kind", "layer", "head"]].drop_duplicates()
    values = np.linspace(0.2, 0.9, len(places))
    return places.assign(statistic="confidence", key="", value=values, count=900, **labels(**chosen))


def three(make, **chosen):
    return pd.concat([make(pair=pair, **chosen) for pair in PAIRS], ignore_index=True)


def examples(layers=LAYERS, heads=HEADS, **chosen):
    pieces = ["the</w>", "ka", "rin</w>", "ran</w>", "</s>"]
    uniform = np.full((5, 5), 0.2).tolist()
    places = product(range(1, layers + 1), range(1, heads + 1))
    maps = {f"encoder {layer}-{head}": uniform for layer, head in places}
    example = {"sentence": "the karin ran", "pieces": pieces, "rare": [1], "maps": maps}
    return pd.DataFrame([example]).assign(**labels(**chosen))


@pytest.fixture
def item(root):
    """Runs one item's `draw` on tables, with the repository's published numbers of that name, if given."""

    def draw(name, *tables, published=None, **more):
        path = root / f"workflow/figures/voita2019/{name}.py"
        spec = importlib.util.spec_from_file_location(f"voita2019_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if published:
            tables += (read_published(root / f"config/published/voita2019/{published}.csv", module.KEYS),)
        return module.draw(*tables, **more)

    return draw


def words(figure):
    """All text in a figure."""
    figure.draw_without_rendering()
    return "\n".join(text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text")))


def test_figure1_shows_confidence_functions_and_the_published(item):
    figure, table = item(
        "figure1", functions(domain="subtitles"), statistics(domain="subtitles"), published="figure1"
    )
    ours, theirs = table[table["origin"] == "this run"], table[table["origin"] == "published"]
    assert (ours["quantity"] == "confidence").sum() == LAYERS * HEADS
    assert len(theirs) == 14
    best = ours[(ours["quantity"] == "confidence") & (ours["place"] == 1)]
    assert (
        best["head"].tolist() == [HEADS] * LAYERS
    )  # confidence rises with the head's number in `statistics`
    assert "by confidence" in words(figure)
    assert "(a) relevance" not in words(figure)


def test_figure1_sorts_by_relevance_once_it_is_there(item):
    relevance = statistics(domain="subtitles")
    relevance["value"] = 1 - relevance["value"]
    confidence = statistics(domain="subtitles")
    figure, table = item(
        "figure1", functions(domain="subtitles"), confidence, published="figure1", relevance=relevance
    )
    first = table[(table["quantity"] == "confidence") & (table["place"] == 1)]
    assert first["head"].tolist() == [1] * LAYERS
    assert "(a) relevance" in words(figure)


def test_figure2_has_a_row_for_each_pair(item):
    tables = [pd.concat([make(pair=pair) for pair in ("EN-DE", "EN-FR")]) for make in (functions, statistics)]
    figure, table = item("figure2", *tables, published="figure2")
    assert table[table["origin"] == "published"].groupby("pair").size().to_dict() == {
        "EN-DE": 15,
        "EN-FR": 12,
    }
    held = tables[0][tables[0]["holds"]].groupby("pair").size().to_dict()
    assert table[table["origin"] == "this run"].groupby("pair").size().to_dict() == held
    assert "Velder (for EN-DE)" in words(figure)


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
    assert words(figure).count("n = 100, beyond: 10 %") == 4


def test_figure3_puts_the_published_baseline_beside_the_highest_bar(item):
    relations = pd.DataFrame({"relation": "nsubj", "offset": [-1, 2], "count": [30, 70]}).assign(**labels())
    figure, table = item("figure3", relations, published="table1")
    assert table["published"].isna().tolist() == [True, False]
    assert table.loc[1, ["quantity", "ours", "published", "source"]].tolist() == ["baseline", 0.7, 0.35, "N"]
    lines = [[line.get_ydata()[0] for line in axes.lines] for axes in figure.axes]
    assert lines == [[0.35], [], [], []]
    assert "n = 0, beyond: 0 %" in words(figure)


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
    assert "10 / 10 / 80" in text
    assert "6 / 3 / 91" in text
    assert "61.3 [60.1, 62.7]" in text
    assert "84 / 46" in text
    assert f"{100 * best:.0f} / 30" in text


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
    cells = [text for text in figure.axes[0].texts if text.get_text() == "55 / 30"]
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
    assert text.count("best, but no rare-token head") == 2
    assert "Velder (for EN-DE)\nencoder 1-3, 97 %\nrare-token head" in text
    assert len(weights) == 3 * 25
    assert weights[weights["rare"]]["key_piece"].unique().tolist() == ["ka"]


def drawings(item):
    """Every item on a model of 6 layers and 16 heads, none of which looks at rare tokens."""
    large = {"layers": 6, "heads": 16}
    news, subtitles = three(functions, **large), functions(domain="subtitles", **large)
    news.loc[news["function"] == "rare", "holds"] = False
    confidence = [statistics(domain="subtitles", **large), three(statistics, **large)]
    persons = pd.DataFrame({"person": ["1", "2", "3"], "count": [10, 10, 80]})
    score = pd.DataFrame([{"bleu": 61.3, "low": 60.1, "high": 62.7, "sentences": 900, "signature": ""}])
    both = [
        pd.concat([table.assign(**labels()), table.assign(**labels(domain="subtitles"))])
        for table in (persons, score)
    ]
    offsets = pd.DataFrame({"relation": notation.RELATIONS, "offset": 1, "count": 123456}).assign(**labels())
    rest, first = news[news["pair"] != "EN-RU"], news[news["pair"] == "EN-RU"]
    yield item("figure1", subtitles, confidence[0], published="figure1")
    yield item("figure1", subtitles, confidence[0], published="figure1", relevance=confidence[0])
    yield item("figure2", rest, confidence[1][confidence[1]["pair"] != "EN-RU"], published="figure2")
    yield item("figure3", offsets, published="table1")
    yield item("table1", pd.concat([first, subtitles]), *both, published="table1")
    yield item("figure4", news, published="table1")
    yield item("figure5", news, three(examples, **large))


def test_no_text_is_cut_or_laid_over_other_text(item):
    for figure, _ in drawings(item):
        figure.draw_without_rendering()
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
        page = figure.bbox.padded(1)
        for name, box in boxes:
            assert page.x0 <= box.x0 <= box.x1 <= page.x1, name
            assert page.y0 <= box.y0 <= box.y1 <= page.y1, name
        for (name, box), (other, its) in combinations(boxes, 2):
            overlap = Bbox.intersection(box, its)
            assert overlap is None or min(overlap.width, overlap.height) < 2, f"{name} lies on {other}"


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
        assert len(text.splitlines()) <= 60, path
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
