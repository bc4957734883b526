"""Tables between the phases are read, gathered over runs, and refused in one sentence when they are wrong."""

import json

import pandas as pd
import pytest
from headwork.papers.tables import readers as tables

from headwork.errors import InputError

RUN = {"run": "news-karvan-s1", "domain": "news", "pair": "EN-RU", "label": "Karvan", "trained": True}
HEADER = "kind,layer,head,function,score,baseline,margin,count,holds\n"


@pytest.fixture
def functions(tmp_path):
    path = tmp_path / "news-karvan-s1.functions.csv"
    path.write_text(
        HEADER + "encoder,1,1,rare,0.6,0.2,0.4,100,True\ndecoder,1,1,rare,0.6,0.2,0.4,100,False\n"
    )
    return path


def test_functions_are_the_encoder_s_and_holds_is_a_bool(functions):
    table = tables.read_functions(functions)
    assert table["kind"].tolist() == ["encoder"]
    assert table["holds"].tolist() == [True]
    assert table["holds"].dtype == bool


def test_gather_puts_the_run_s_labels_first(functions):
    table = tables.gather([functions, functions], [RUN, RUN | {"run": "other"}], tables.read_functions)
    assert tuple(table.columns[:5]) == tables.LABELS[:-1]
    seeded = tables.gather(str(functions), [RUN | {"seed": 3}], tables.read_functions)
    assert tuple(seeded.columns[:6]) == tables.LABELS
    assert table["run"].tolist() == ["news-karvan-s1", "other"]
    assert tables.gather(str(functions), [RUN], tables.read_functions)["run"].tolist() == ["news-karvan-s1"]


def test_gather_wants_one_file_a_run(functions):
    with pytest.raises(InputError, match="1 files were given for 2 runs"):
        tables.gather([functions], [RUN, RUN], tables.read_functions)
    with pytest.raises(InputError, match="no run was given"):
        tables.gather([], [], tables.read_functions)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        (HEADER, "no rows"),
        (HEADER.replace(",holds", "") + "encoder,1,1,rare,0.6,0.2,0.4,100\n", r"lacks the column\(s\) holds"),
        (HEADER + "encoder,1,1,rare,0.6,0.2,0.4,100,maybe\n", "must be True or False"),
        (HEADER + "encoder,1,1,rare,0.6,0.2,0.4,100,True\n" + "a," * 20 + "\n", "not a CSV table"),
        (HEADER + "decoder,1,1,rare,0.6,0.2,0.4,100,True\n", "no row has the kind encoder"),
    ],
)
def test_wrong_functions_are_refused(functions, text, says):
    functions.write_text(text)
    with pytest.raises(InputError, match=says) as error:
        tables.read_functions(functions)
    assert str(functions) in str(error.value)


def test_statistics_must_be_parquet(tmp_path):
    path = tmp_path / "run.parquet"
    row = ("encoder", 1, 1, "confidence", "", 0.5, 10)
    pd.DataFrame([row], columns=list(tables.STATISTICS)).to_parquet(path)
    assert tables.read_statistics(path)["value"].tolist() == [0.5]
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(InputError, match="not a parquet table"):
        tables.read_statistics(path)


def test_relevance_is_the_encoder_s(tmp_path):
    path = tmp_path / "run.parquet"
    rows = [
        ("encoder", 1, 1, "relevance", "alphabeta", 0.5, 10),
        ("cross", 1, 1, "relevance", "alphabeta", 0.4, 10),
    ]
    pd.DataFrame(rows, columns=list(tables.STATISTICS)).to_parquet(path)
    assert tables.read_relevance(path)["value"].tolist() == [0.5]
    pd.DataFrame(rows, columns=list(tables.STATISTICS)).assign(statistic="entropy").to_parquet(path)
    with pytest.raises(InputError, match="no row has the statistic relevance"):
        tables.read_relevance(path)


def test_gates_say_which_encoder_heads_are_kept(tmp_path):
    path = tmp_path / "gates.csv"
    path.write_text(
        "kind,layer,head,log_a,p_open,p_closed,kept\nencoder,1,1,3,.9,.1,1\nencoder,1,2,-3,.1,.9,0\ncross,1,1,,1,0,1\n"
    )
    assert tables.read_gates(path)[["head", "kept"]].to_numpy().tolist() == [[1, True], [2, False]]
    path.write_text("kind,layer,head,log_a\nencoder,1,1,3\n")
    with pytest.raises(
        InputError, match=r"lacks the column\(s\) kept; delete the file and rerun the training"
    ):
        tables.read_gates(path)


def test_scores_of_a_missing_split(tmp_path):
    path = tmp_path / "scores.json"
    score = {"bleu": 61.0, "signature": "s", "low": 60.0, "high": 62.0, "sentences": 900}
    path.write_text(json.dumps({"test": score}))
    assert tables.read_scores(path).loc[0, "bleu"] == 61.0
    with pytest.raises(InputError, match="no scores of split 'dev'"):
        tables.read_scores(path, "dev")


def test_a_map_of_another_size_is_refused(tmp_path):
    path = tmp_path / "examples.json"
    example = {"sentence": "a b", "pieces": ["a", "b"], "rare": [1], "maps": {"encoder 1-1": [[1.0, 0.0]]}}
    path.write_text(json.dumps([example]))
    with pytest.raises(InputError, match="map of encoder 1-1 is not 2 by 2"):
        tables.read_examples(path)


def test_persons_are_text(tmp_path):
    path = tmp_path / "persons.csv"
    path.write_text("person,count\n1,5\n3,7\n")
    assert tables.read_persons(path)["person"].tolist() == ["1", "3"]
