"""Records of published files are kept, and used beside a clone's own."""

import base64

import pytest

from headwork import records

FIGURE, MODEL = "results/miniature/papers/voita2019/figure7.csv", "results/miniature/models/a/run.json"
TEXT = "results/miniature/corpora/a/train.txt"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records.METADATA.mkdir(parents=True)
    return records.METADATA


def write(path, text):
    (records.METADATA / base64.urlsafe_b64encode(path.encode()).decode()).write_text(text)


def read():
    return {
        base64.urlsafe_b64decode(file.name).decode(): file.read_text() for file in records.METADATA.iterdir()
    }


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


def test_without_published_records_none_are_used(folder):
    assert records.use() == 0


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
    assert found.keys() == {"model.safetensors", "run.json"}, (
        "translations, which go with the scores, are not published"
    )
    assert found["run.json"].read_text() == "published"
    assert found["run.json"].stat().st_mtime == 0
