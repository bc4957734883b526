"""Probes and planes from files to tables."""

import json

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.representations.probes.dependency import probe_run
from headwork.representations.projections.heads import plane_run
from headwork.run.frame import Files
from headwork.settings.representations import DependencyProbing, HeadPlane

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
    return Files(
        model=tmp_path / "model",
        train_trees=tmp_path / "train.conllu",
        dev_trees=tmp_path / "dev.conllu",
        text=tmp_path / "text.txt",
    )


def probes(files, table, settings):
    probe_run(files, Files(table=table), DependencyProbing.read(settings, "probes"))
    return pd.read_csv(table).set_index("probe")


def test_a_run_of_probes(files, tmp_path):
    settings = {"vectors": {"size": 3}, "training": {"epochs": 2, "rate": 0.02}}
    table = probes(files, tmp_path / "a" / "probes.csv", settings)
    assert set(table.index) == {
        *("attention", "attention-and-words", "distances-and-words"),
        *("random-attention-and-words", "right-branching"),
    }
    words = sum(len(line.split()) - 1 for line in files.text.read_text().splitlines()[40:])
    assert (table["n"] == words).all()
    # all words but the root of each sentence hang on the next; a probe that sees distances finds that out
    assert table.loc["right-branching", "uas"] == pytest.approx(1 - 20 / words)
    assert table.loc["distances-and-words", "uas"] > 0.8
    before = (tmp_path / "a" / "probes.csv").read_bytes()
    probes(files, tmp_path / "a" / "probes.csv", settings)
    assert (tmp_path / "a" / "probes.csv").read_bytes() == before


def test_right_branching_is_scored_on_the_sentences_that_the_model_reads(files, tmp_path):
    # in the long one every word but the root hangs on the next
    files.dev_trees.write_text(conllu(["ant", "."]) + conllu(["bee"] * 40 + ["."]))
    settings = {"vectors": {"size": 3}, "training": {"epochs": 1}}
    table = probes(files, tmp_path / "probes.csv", settings)
    assert table.loc["right-branching", ["uas", "n"]].tolist() == [0, 1]


def test_vectors_from_a_file(files, tmp_path):
    (tmp_path / "glove.txt").write_text("".join(f"{word} {n} 1\n" for n, word in enumerate(WORDS)))
    settings = {"glove": str(tmp_path / "glove.txt"), "sentences": 5}
    assert len(probes(files, tmp_path / "probes.csv", settings)) == 5


def test_a_treebank_too_small_for_a_probe(files, tmp_path):
    files.dev_trees.write_text(conllu(["ant"] * 30 + ["."]))
    with pytest.raises(InputError, match=r"dev\.conllu: no sentence fits the model's positions"):
        probes(files, tmp_path / "probes.csv", {"vectors": {"size": 3}})
    assert not (tmp_path / "probes.csv").exists()


def distances(layers, heads, of):
    places = [(layer, head) for layer in range(1, layers + 1) for head in range(1, heads + 1)]
    rows = [
        ("encoder", *one, "distance", f"encoder {other[0]}-{other[1]}", of(one, other), 10)
        for one in places
        for other in places
    ]
    return pd.DataFrame(rows, columns=["kind", "layer", "head", "statistic", "key", "value", "count"])


def plane(table, folder, **settings):
    table.to_parquet(folder / "heads.parquet")
    out = Files(points=folder / "plane.csv", facts=folder / "plane.json")
    plane_run(Files(statistics=folder / "heads.parquet"), out, HeadPlane(**settings))
    return pd.read_csv(out.points), json.loads(out.facts.read_text())


def test_a_run_of_a_plane(tmp_path):
    # heads of a layer are 0.1 apart, layers stand on a line 1 apart
    table = distances(3, 2, lambda one, other: abs(one[0] - other[0]) + 0.1 * abs(one[1] - other[1]))
    points, facts = plane(table, tmp_path, permutations=199)
    assert points[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2]]
    first, last = (points.loc[place, ["x", "y"]].to_numpy(dtype=float) for place in (0, 4))
    assert np.linalg.norm(first - last) == pytest.approx(2, abs=0.1)
    assert facts["within"] == pytest.approx(0.1)
    assert facts["p"] < 0.1
    assert facts["stress"] < 0.1


def test_a_model_of_one_layer_has_a_plane_too(tmp_path):
    table = distances(1, 4, lambda one, other: 0.1 * abs(one[1] - other[1]))
    _, facts = plane(table, tmp_path)
    assert "p" not in facts
    assert "layers cannot be compared" in facts["layers"]
