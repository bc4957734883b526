"""Tables between the phases are read, gathered over runs, and refused in one sentence when they are wrong."""

import json

import pandas as pd
import pytest

from headwork.errors import InputError
from headwork.studies import readers
from headwork.studies.study import read_studies
from headwork.studies.tables import STATISTICS, TABLES, read

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
    table = TABLES["functions"].read_file(functions)
    assert table["kind"].tolist() == ["encoder"]
    assert table["holds"].tolist() == [True]
    assert table["holds"].dtype == bool


def test_gather_puts_the_run_s_labels_first(functions):
    table = read("functions", [functions, functions], [RUN, RUN | {"run": "other"}])
    assert tuple(table.columns[:5]) == readers.LABELS[:-1]
    seeded = read("functions", str(functions), [RUN | {"seed": 3}])
    assert tuple(seeded.columns[:6]) == readers.LABELS
    assert table["run"].tolist() == ["news-karvan-s1", "other"]
    assert read("functions", str(functions), [RUN])["run"].tolist() == ["news-karvan-s1"]


def test_gather_wants_one_file_a_run(functions):
    with pytest.raises(InputError, match="1 files of functions were given for 2 runs"):
        read("functions", [functions], [RUN, RUN])
    with pytest.raises(InputError, match="no run was given"):
        read("functions", [], [])


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
        TABLES["functions"].read_file(functions)
    assert str(functions) in str(error.value)


def test_statistics_must_be_parquet(tmp_path):
    path = tmp_path / "run.parquet"
    row = ("encoder", 1, 1, "confidence", "", 0.5, 10)
    pd.DataFrame([row], columns=list(STATISTICS)).to_parquet(path)
    assert TABLES["statistics"].read_file(path)["value"].tolist() == [0.5]
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(InputError, match="not a parquet table"):
        TABLES["statistics"].read_file(path)


def test_relevance_is_the_encoder_s(tmp_path):
    path = tmp_path / "run.parquet"
    rows = [
        ("encoder", 1, 1, "relevance", "alphabeta", 0.5, 10),
        ("cross", 1, 1, "relevance", "alphabeta", 0.4, 10),
    ]
    pd.DataFrame(rows, columns=list(STATISTICS)).to_parquet(path)
    assert TABLES["relevance"].read_file(path)["value"].tolist() == [0.5]
    pd.DataFrame(rows, columns=list(STATISTICS)).assign(statistic="entropy").to_parquet(path)
    with pytest.raises(InputError, match="no row has the statistic relevance"):
        TABLES["relevance"].read_file(path)


def test_gates_say_which_encoder_heads_are_kept(tmp_path):
    path = tmp_path / "gates.csv"
    path.write_text(
        "kind,layer,head,log_a,p_open,p_closed,kept\nencoder,1,1,3,.9,.1,1\nencoder,1,2,-3,.1,.9,0\ncross,1,1,,1,0,1\n"
    )
    assert TABLES["gates"].read_file(path)[["head", "kept"]].to_numpy().tolist() == [[1, True], [2, False]]
    path.write_text("kind,layer,head,log_a\nencoder,1,1,3\n")
    with pytest.raises(
        InputError, match=r"lacks the column\(s\) kept; delete the file and rerun the models phase"
    ):
        TABLES["gates"].read_file(path)


def test_scores_of_a_missing_split(tmp_path):
    path = tmp_path / "scores.json"
    score = {"bleu": 61.0, "signature": "s", "low": 60.0, "high": 62.0, "sentences": 900}
    path.write_text(json.dumps({"test": score}))
    assert read("scores", str(path), [RUN]).loc[0, ["run", "bleu"]].tolist() == [RUN["run"], 61.0]
    path.write_text(json.dumps({"dev": score}))
    with pytest.raises(InputError, match="no scores of split 'test'"):
        read("scores", str(path), [RUN])


def test_a_map_of_another_size_is_refused(tmp_path):
    path = tmp_path / "examples.json"
    example = {"sentence": "a b", "pieces": ["a", "b"], "rare": [1], "maps": {"encoder 1-1": [[1.0, 0.0]]}}
    path.write_text(json.dumps([example]))
    with pytest.raises(InputError, match="map of encoder 1-1 is not 2 by 2"):
        TABLES["examples"].read_file(path)


def test_every_table_of_a_study_is_in_the_registry(root):
    """And each table of the registry is read by an item or a claim of some study."""
    named = {"kept", "gates"}  # read beside sweeps
    for study in read_studies(root / "workflow/studies").values():
        named |= set(study.tables) | {table for item in study.items for table in item.tables}
    assert named == set(TABLES)
    assert all(table.name == name for name, table in TABLES.items())
