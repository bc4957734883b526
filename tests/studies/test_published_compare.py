"""Published numbers are read with their sources, and stand beside the right ones of ours."""

import math

import pandas as pd
import pytest
from claims_by_hand import published_of
from scipy.stats import binomtest
from studies.voita2019.tables import accuracies

from headwork import intervals
from headwork.errors import InputError
from headwork.studies.compare import beside
from headwork.studies.published import read_published

PUBLISHED = "domain,pair,key,quantity,value,uncertainty,source\n"
ROW = "news,EN-RU,syntactic/nsubj/to-head,accuracy,0.52,0.005,N\n"


@pytest.fixture
def written(tmp_path):
    """Writes a file of published numbers and gives its path."""

    def write(text):
        path = tmp_path / "table1.csv"
        path.write_text(text)
        return path

    return write


def test_the_repository_s_published_numbers_can_be_read(root):
    for path in sorted(root.glob("workflow/studies/*/published/*.csv")):
        assert len(read_published(path)), path
    table = published_of("voita2019", "table1")
    assert (
        table["quantity"].value_counts()[["accuracy", "baseline", "BLEU", "subjects"]] == [16, 16, 2, 6]
    ).all()
    persons = table[table["quantity"] == "subjects"].groupby("domain")["value"].sum()
    assert persons.tolist() == pytest.approx([1, 1])


def test_published_counts_agree_between_items():
    kinds = ("domain", "pair", "pruned", "kind")
    nine = published_of("voita2019", "figure9").set_index(list(kinds))["value"]
    ten = published_of("voita2019", "figure10").groupby(list(kinds))["value"].sum()
    assert len(ten) == 28
    assert (nine[ten.index] == ten).all()
    heads = ["domain", "encoder", "decoder", "cross"]
    two = published_of("voita2019", "table2")
    models = nine.reset_index().pivot_table("value", ["domain", "pruned"], "kind").reset_index()
    models = models.astype({kind: int for kind in heads[1:]})
    known = set(models[heads].itertuples(index=False, name=None))
    assert (
        set(two[heads].astype({kind: int for kind in heads[1:]}).itertuples(index=False, name=None)) <= known
    )
    full = two[two["method"] == "baseline"].set_index("domain")["value"]
    seven = published_of("voita2019", "figure7")
    assert seven[seven["kept"] == "48"].set_index("domain")["value"].to_dict() == full.to_dict()
    # the headlines of the text
    news, subtitles = (seven[seven["domain"] == domain].set_index("kept")["value"] for domain in full.index)
    assert news["48"] - news["10"] == pytest.approx(0.15)
    assert subtitles["48"] - subtitles["4"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("domain,pair,key,quantity,uncertainty,source\n", 1, "value are missing"),
        (PUBLISHED + ROW.replace(",N", ",X"), 2, "unknown source 'X'"),
        (PUBLISHED + ROW + ROW, 3, "given twice"),
        (PUBLISHED + ROW.replace("0.52", "about half"), 2, "'about half' is no number"),
        (PUBLISHED + ROW + "\n" + ROW, 3, "unknown source ''"),
        (PUBLISHED + ROW.replace("0.52", "inf"), 2, "'inf' is no number"),
        (PUBLISHED + ROW.replace("0.005", "-3"), 2, "uncertainty '-3' is no number of 0 or more"),
    ],
)
def test_wrong_published_files_are_refused_with_their_line(written, text, line, says):
    path = written(text)
    with pytest.raises(InputError) as error:
        read_published(path)
    assert f"{path}:{line}: " in str(error.value)
    assert says in str(error.value)


@pytest.mark.parametrize("text", ["", PUBLISHED + ROW + ROW.replace(",N", ",N,")])
def test_what_is_no_table_is_refused(written, text):
    with pytest.raises(InputError, match=r"table1\.csv: the file is not a CSV table"):
        read_published(written(text))


def test_beside_keeps_our_rows_and_order():
    ours = pd.DataFrame({"key": ["b", "a"], "ours": [0.2, 0.1], "low": 0.0, "high": 1.0, "n": 10})
    theirs = pd.DataFrame({"key": ["a", "c"], "value": [0.5, 0.6], "uncertainty": 0.005, "source": "N"})
    both = beside(ours, theirs, ["key"])
    assert both["key"].tolist() == ["b", "a"]
    assert math.isnan(both["published"][0])
    assert both["source"].tolist() == ["", "N"]
    assert both["published"][1] == 0.5


@pytest.mark.parametrize(("share", "count"), [(0.0, 24), (0.3, 10), (0.9, 2704), (1.0, 5)])
def test_wilson_agrees_with_scipy(share, count):
    expected = binomtest(round(share * count), count).proportion_ci(method="wilson")
    low, high = intervals.wilson(round(share * count) / count, count)
    assert low == pytest.approx(expected.low, abs=1e-9)
    assert high == pytest.approx(expected.high, abs=1e-9)
    assert intervals.wilson(share, 0) == (0.0, 1.0)


def test_bootstrap_of_one_share_is_near_wilson_and_repeats():
    low, high = intervals.of_shares(lambda drawn: drawn[:, 0], [0.3], [1000])
    assert (low, high) == pytest.approx(intervals.wilson(0.3, 1000), abs=0.006)
    assert intervals.of_shares(lambda drawn: drawn[:, 0], [0.3], [1000]) == (low, high)


def labelled(table, run="news-karvan-s1", domain="news"):
    return table.assign(run=run, domain=domain, pair="EN-RU", label="Karvan", trained=True)


def test_accuracies_take_the_best_head_and_the_published_row(written):
    name = "syntactic/nsubj/to-head"
    rows = [
        ("encoder", 1, 2, name, 0.4, True),
        ("encoder", 2, 1, name, 0.6, True),
        ("encoder", 3, 1, name, 0.6, False),
    ]
    functions = labelled(pd.DataFrame(rows, columns=["kind", "layer", "head", "function", "score", "holds"]))
    functions = functions.assign(baseline=0.35, margin=0.25, count=200)
    published = read_published(written(PUBLISHED + ROW + ROW.replace("accuracy,0.52", "baseline,0.35")))
    row = accuracies(functions, (name,), published).iloc[0]
    assert row["head"] == "encoder 2-1"  # of two equal heads the lower layer's
    assert (row["ours"], row["published"], row["published_baseline"], row["n"]) == (0.6, 0.52, 0.35, 200)
