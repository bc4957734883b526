"""Probes and planes from files to tables."""

import json

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.representations.jobs.plane import plane_run
from headwork.representations.jobs.probes import ProbeRunSettings, probe_run
from headwork.settings.options import options

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "."]


def conllu(words):
    """Every word hangs on the next, the last but the full stop is the root."""
    count = len(words)
    rows = []
    for place, word in enumerate(words, start=1):
        head = 0 if place == count - 1 else place + 1 if place < count - 1 else count - 1
        relation = "root" if not head else "punct" if word == "." else "dep"
        rows.append(f"{place}\t{word}\t{word}\tX\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def files(tmp_path):
    tokenizer = word_tokenizer(WORDS)
    save(
        tmp_path / "model",
        tiny_bert(tokenizer, max_position_embeddings=16),
        tokenizer,
    )
    chance = np.random.default_rng(0)
    sentences = [[*chance.choice(WORDS[:-1], chance.integers(3, 7)), "."] for _ in range(60)]
    for name, part in (("train", sentences[:40]), ("dev", sentences[40:])):
        (tmp_path / f"{name}.conllu").write_text("".join(map(conllu, part)))
    (tmp_path / "text.txt").write_text("\n".join(" ".join(sentence) for sentence in sentences) + "\n")
    return {
        "model_folder": tmp_path / "model",
        "train_trees": tmp_path / "train.conllu",
        "dev_trees": tmp_path / "dev.conllu",
        "text": tmp_path / "text.txt",
    }


def test_a_run_of_probes(files, tmp_path):
    settings = {"vectors": {"size": 3}, "training": {"epochs": 2, "rate": 0.02}}
    probe_run(settings=settings, table_path=tmp_path / "a" / "probes.csv", **files)
    table = pd.read_csv(tmp_path / "a" / "probes.csv").set_index("probe")
    assert set(table.index) == {
        *("attention", "attention-and-words", "distances-and-words"),
        *("random-attention-and-words", "right-branching"),
    }
    words = sum(len(line.split()) - 1 for line in files["text"].read_text().splitlines()[40:])
    assert (table["n"] == words).all()
    # all words but the root of each sentence hang on the next; a probe that sees distances finds that out
    assert table.loc["right-branching", "uas"] == pytest.approx(1 - 20 / words)
    assert table.loc["distances-and-words", "uas"] > 0.8
    before = (tmp_path / "a" / "probes.csv").read_bytes()
    probe_run(settings=settings, table_path=tmp_path / "a" / "probes.csv", **files)
    assert (tmp_path / "a" / "probes.csv").read_bytes() == before


def test_right_branching_is_scored_on_the_sentences_that_the_model_reads(files, tmp_path):
    # in the long one every word but the root hangs on the next
    files["dev_trees"].write_text(conllu(["ant", "."]) + conllu(["bee"] * 40 + ["."]))
    settings = {"vectors": {"size": 3}, "training": {"epochs": 1}}
    probe_run(settings=settings, table_path=tmp_path / "probes.csv", **files)
    table = pd.read_csv(tmp_path / "probes.csv").set_index("probe")
    assert table.loc["right-branching", ["uas", "n"]].tolist() == [0, 1]


def test_vectors_from_a_file(files, tmp_path):
    (tmp_path / "glove.txt").write_text("".join(f"{word} {n} 1\n" for n, word in enumerate(WORDS)))
    settings = {"glove": str(tmp_path / "glove.txt"), "sentences": 5}
    probe_run(settings=settings, table_path=tmp_path / "probes.csv", **files)
    assert len(pd.read_csv(tmp_path / "probes.csv")) == 5


def test_a_treebank_too_small_for_a_probe(files, tmp_path):
    files["dev_trees"].write_text(conllu(["ant"] * 30 + ["."]))
    with pytest.raises(InputError, match=r"dev\.conllu: no sentence fits the model's positions"):
        probe_run(settings={"vectors": {"size": 3}}, table_path=tmp_path / "probes.csv", **files)
    assert not (tmp_path / "probes.csv").exists()
    with pytest.raises(InputError, match="did you mean 'sentences'"):
        options(ProbeRunSettings, {"sentence": 3}, "probes")


def distances(layers, heads, of):
    places = [(layer, head) for layer in range(1, layers + 1) for head in range(1, heads + 1)]
    rows = [
        ("encoder", *one, "distance", f"encoder {other[0]}-{other[1]}", of(one, other), 10)
        for one in places
        for other in places
    ]
    return pd.DataFrame(rows, columns=["kind", "layer", "head", "statistic", "key", "value", "count"])


def test_a_run_of_a_plane(tmp_path):
    # heads of a layer are 0.1 apart, layers stand on a line 1 apart
    table = distances(3, 2, lambda one, other: abs(one[0] - other[0]) + 0.1 * abs(one[1] - other[1]))
    table.to_parquet(tmp_path / "heads.parquet")
    paths = tmp_path / "plane.csv", tmp_path / "plane.json"
    plane_run(tmp_path / "heads.parquet", {"permutations": 199}, *paths)
    points, facts = pd.read_csv(paths[0]), json.loads(paths[1].read_text())
    assert points[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2]]
    first, last = (points.loc[place, ["x", "y"]].to_numpy(dtype=float) for place in (0, 4))
    assert np.linalg.norm(first - last) == pytest.approx(2, abs=0.1)
    assert facts["within"] == pytest.approx(0.1)
    assert facts["p"] < 0.1
    assert facts["stress"] < 0.1


def test_a_model_of_one_layer_has_a_plane_too(tmp_path):
    table = distances(1, 4, lambda one, other: 0.1 * abs(one[1] - other[1]))
    table.to_parquet(tmp_path / "heads.parquet")
    paths = tmp_path / "plane.csv", tmp_path / "plane.json"
    plane_run(tmp_path / "heads.parquet", {}, *paths)
    facts = json.loads(paths[1].read_text())
    assert "p" not in facts
    assert "layers cannot be compared" in facts["layers"]
