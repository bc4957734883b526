"""Records of published files are kept, and used beside a clone's own."""

import json
import os
import shutil

import pytest

from headwork.run import records
from headwork.run.made_by import note_run
from headwork.run.metadata import METADATA, record_file
from headwork.run.versions import Locked

FIGURE, MODEL = "results/miniature/studies/voita2019/figure7.csv", "results/miniature/models/a/run.json"
TEXT = "results/miniature/corpora/a/train.txt"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    METADATA.mkdir(parents=True)
    return METADATA


def write(path, text, **more):
    record_file(path).write_text(
        json.dumps({"rule": text, "starttime": 2e9, "conda_env": "of all", "params": []} | more)
    )


def read():
    return {path: json.loads(file.read_text())["rule"] for path, file in records.records() if file.is_file()}


def test_a_clones_own_records_stay_beside_those_that_it_pulled(folder):
    for path in (FIGURE, MODEL, TEXT, "results/index.html"):
        write(path, "published")
    (folder / "no base64").write_text("")
    assert records.keep() == 3
    for file in folder.iterdir():
        file.unlink()
    write(MODEL, "own")
    write(FIGURE, "own, replaced by the pulled file")
    assert records.use() == 2
    assert read() == {MODEL: "own", FIGURE: "published", TEXT: "published"}


def test_a_published_record_says_for_good_what_made_the_file(folder):
    """Of a file that is pulled, remade here, or made by a run of which nothing is known."""
    of_old = {"job": "heads", "version": 1, "hash": "old", "commit": "first"}
    write(FIGURE, "heads", made_by=of_old)
    write(MODEL, "train")
    write(TEXT, "corpus")
    write("results/miniature/corpora/before.txt", "corpus", starttime=1)
    note_run({"heads": Locked(2, "new"), "train": Locked(3, "new")}, "second+")
    assert records.keep() == 4
    for file in folder.iterdir():
        file.unlink()
    assert records.use() == 4
    known = {path: json.loads(file.read_text()) for path, file in records.records()}
    assert known[FIGURE]["made_by"] == of_old
    assert known[MODEL]["made_by"] == {"job": "train", "version": 3, "hash": "new", "commit": "second+"}
    assert all("made_by" not in known[path] for path in (TEXT, "results/miniature/corpora/before.txt"))
    assert not any("conda_env" in record for record in known.values())


def test_each_scale_has_one_file_with_the_same_bytes(folder):
    for path in (MODEL, FIGURE, "results/workstation/heads/a.csv"):
        write(path, "rule")
    records.keep()
    found = {file.name: file.read_bytes() for file in records.PUBLISHED.iterdir()}
    assert set(found) == {"miniature.jsonl.gz", "workstation.jsonl.gz"}
    for file in folder.iterdir():
        file.unlink()
    records.use()
    records.keep()
    assert {file.name: file.read_bytes() for file in records.PUBLISHED.iterdir()} == found


def test_what_a_training_says_of_itself_goes_where_the_model_would_stand(folder):
    results = folder.parents[1] / "results"
    for run, names in {"encoder": records.TRAINING, "own": ["run.json"]}.items():
        (results / "miniature/models" / run).mkdir(parents=True)
        for name in (*names, "model.safetensors", "translations.test.txt"):
            (results / "miniature/models" / run / name).write_text("published")
    records.keep()
    shutil.rmtree(results / "miniature/models/encoder")
    (results / "miniature/models/own/run.json").write_text("own")
    assert records.use() == 0, "these are no records of Snakemake's"
    found = {file.name: file for file in (results / "miniature/models/encoder").iterdir()}
    assert found.keys() == set(records.TRAINING)
    assert {(file.read_text(), file.stat().st_mtime) for file in found.values()} == {("published", 0)}
    assert (results / "miniature/models/own/run.json").read_text() == "own"


def test_what_was_pulled_before_is_replaced_with_its_records(folder):
    results = folder.parents[1] / "results"
    trained = results / "miniature/models/encoder"
    trained.mkdir(parents=True)
    path = "results/miniature/models/encoder/scores.json"
    for state in ("first", "second"):
        (trained / "scores.json").write_text(state)
        write(path, state)
        records.keep()
        shutil.rmtree(trained)  # the clone has what it pulled the first time, or nothing
        if state == "first":
            record_file(path).unlink()
        else:
            trained.mkdir()
            (trained / "scores.json").write_text("first")
            os.utime(trained / "scores.json", (0, 0))
            write(path, "first")
        records.use()
        assert (trained / "scores.json").read_text() == state
        assert read() == {path: state}


def test_pulled_weights_stand_where_no_model_was_trained(folder):
    scale = folder.parents[1] / "results/workstation"
    for run in ("pulled", "own"):
        (scale / "weights" / run).mkdir(parents=True)
        for name in ("model.safetensors", "run.json", "README.md", "scores.json"):
            (scale / "weights" / run / name).write_text("published")
    (scale / "models/own").mkdir(parents=True)
    records.use()
    assert not list((scale / "models/own").iterdir())
    found = {file.name: file for file in (scale / "models/pulled").iterdir()}
    assert found.keys() == {"model.safetensors", "run.json", "scores.json"}
    assert found["run.json"].read_text() == "published"
    assert found["run.json"].stat().st_mtime == 0


def test_the_parser_of_a_scale_with_weights_is_published_too(folder):
    results = folder.parents[1] / "results"
    (results / "workstation/weights/a").mkdir(parents=True)
    for scale in ("workstation", "miniature"):
        (parser := results / scale / "parses/parsers/ewt").mkdir(parents=True)
        for name in (*records.PARSER, "train.conllu"):
            (parser / name).write_text("published")
    records.keep()
    for scale in ("workstation", "miniature"):
        shutil.rmtree(results / scale / "parses")
    records.use()
    found = {file.name: file for file in (results / "workstation/parses/parsers/ewt").iterdir()}
    assert found.keys() == set(records.PARSER), "the treebank's text is not ours to publish"
    assert {(file.read_text(), file.stat().st_mtime) for file in found.values()} == {("published", 0)}
    assert not (results / "miniature/parses").exists()


def test_what_removing_closed_heads_came_to_is_published_without_the_smaller_model(folder):
    smaller = folder.parents[1] / "results/miniature/pruning/encoder-e10"
    smaller.mkdir(parents=True)
    for name in (*records.REMOVAL, "model.safetensors"):
        (smaller / name).write_text("published")
    table = smaller.parent / "disabling" / "bert.csv"
    table.parent.mkdir()
    table.write_text("a phase's own table, which is pulled with its phase")
    path = "results/miniature/pruning/encoder-e10/removal.json"
    write(path, "published")
    records.keep()
    write(path, "own")
    records.use()
    assert read() == {path: "own"}, "a smaller model of the clone's own keeps its record"
    shutil.rmtree(smaller.parent)
    records.use()
    assert read() == {path: "published"}
    assert {file.name for file in smaller.iterdir()} == set(records.REMOVAL)
    assert [file.name for file in smaller.parent.iterdir()] == [smaller.name]
