"""Probes and planes from files to tables."""

import json

import numpy as np
import pandas as pd
import pytest
from small_trees import WORDS, random_words, save_models, sentence

from headwork.errors import InputError
from headwork.parses.conllu import write_conllu
from headwork.representations.probes.dependency import probe_run
from headwork.representations.projections.heads import plane_run
from headwork.run.frame import Files
from headwork.settings.representations import DependencyProbing, HeadPlane


def tree(words):
    """Every word hangs on the next, the last but the full stop is the root."""
    last = len(words) - 1
    return sentence([*range(2, last + 1), 0, last], words, [last])


@pytest.fixture
def files(tmp_path):
    save_models(tmp_path, max_position_embeddings=16)
    sentences = random_words(60, np.random.default_rng(0), 3, 6)
    for name, part in (("train", sentences[:40]), ("dev", sentences[40:])):
        write_conllu(tmp_path / f"{name}.conllu", map(tree, part))
    (tmp_path / "text.txt").write_text("".join(f"{' '.join(words)}\n" for words in sentences))
    return Files(
        model=tmp_path / "bert",
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
    words = sum(len(line.split()) - 1 for line in files.text.read_text().splitlines()[40:])
    assert (table["n"] == words).all()
    # all words but the root of each sentence hang on the next; a probe that sees distances finds that out
    assert table.loc["right-branching", "uas"] == pytest.approx(1 - 20 / words)
    assert table.loc["distances-and-words", "uas"] > 0.8


def test_right_branching_is_scored_on_the_sentences_that_the_model_reads(files, tmp_path):
    # in the long one every word but the root hangs on the next
    write_conllu(files.dev_trees, [tree(["ant", "."]), tree([*["bee"] * 40, "."])])
    settings = {"vectors": {"size": 3}, "training": {"epochs": 1}}
    table = probes(files, tmp_path / "probes.csv", settings)
    assert table.loc["right-branching", ["uas", "n"]].tolist() == [0, 1]


def test_vectors_from_a_file(files, tmp_path):
    (tmp_path / "glove.txt").write_text("".join(f"{word} {n} 1\n" for n, word in enumerate(WORDS)))
    settings = {"glove": str(tmp_path / "glove.txt"), "sentences": 5}
    assert len(probes(files, tmp_path / "probes.csv", settings)) == 5


def test_a_treebank_too_small_for_a_probe(files, tmp_path):
    write_conllu(files.dev_trees, [tree([*["ant"] * 30, "."])])
    with pytest.raises(InputError, match=r"dev\.conllu: no sentence fits the model's positions"):
        probes(files, tmp_path / "probes.csv", {"vectors": {"size": 3}})
    assert not (tmp_path / "probes.csv").exists()


def test_a_model_of_one_layer_has_a_plane_too(tmp_path):
    rows = [
        ("encoder", 1, one, "distance", f"encoder 1-{other}", 0.1 * abs(one - other), 10)
        for one in range(1, 5)
        for other in range(1, 5)
    ]
    columns = ["kind", "layer", "head", "statistic", "key", "value", "count"]
    pd.DataFrame(rows, columns=columns).to_parquet(tmp_path / "heads.parquet")
    out = Files(points=tmp_path / "plane.csv", facts=tmp_path / "plane.json")
    plane_run(Files(statistics=tmp_path / "heads.parquet"), out, HeadPlane())
    facts = json.loads(out.facts.read_text())
    assert "p" not in facts
    assert "layers cannot be compared" in facts["layers"]
