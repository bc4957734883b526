"""Structural probes from files to tables, and input that cannot be used."""

import json

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.representations.jobs.structural_probes import decayed, structural_run
from headwork.run.frame import Files
from headwork.settings.representations import StructuralProbing

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "."]
SETTINGS = {
    "validation": 0.2,
    "ranks": [1, 4, 99],
    "draws": 20,
    "shortest": 4,
    "probe": {"epochs": 2, "rate": 0.01},
}


def tree(words, root=1):
    """A chain from the root to both ends; the full stop depends on the root."""
    rows = []
    for place, word in enumerate(words, start=1):
        head = 0 if place == root else place - 1 if place > root else place + 1
        relation = "root" if place == root else "dep"
        if word == ".":
            head, relation = root, "punct"
        rows.append(f"{place}\t{word}\t{word}\tX\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def folder(tmp_path):
    chance = np.random.default_rng(0)
    sentences = [[*chance.choice(WORDS[:6], chance.integers(4, 9)), "."] for _ in range(50)]
    for name, part in (("train", sentences[:30]), ("dev", sentences[30:])):
        text = "".join(tree(words, int(chance.integers(1, len(words)))) for words in part)
        (tmp_path / f"{name}.conllu").write_text(text)
    tokenizer = word_tokenizer(WORDS)
    save(tmp_path / "bert", tiny_bert(tokenizer), tokenizer)
    save(tmp_path / "marian", tiny_marian(tokenizer), tokenizer)
    return tmp_path


def run(folder, model="bert", **changes):
    given = Files(model=folder / model, train_trees=folder / "train.conllu", dev_trees=folder / "dev.conllu")
    out = Files(table=folder / "probes.csv", examples=folder / "trees.json")
    structural_run(given, out, StructuralProbing.read(SETTINGS | changes, "structural"))
    return out.table, out.examples


def test_a_run_of_structural_probes(folder):
    table, examples = run(folder)
    found = pd.read_csv(table)
    test = found[found["part"] == "test"]
    states = test[test["representation"] == "states"]
    assert states.groupby("measure")["layer"].agg(list).to_dict() == {
        measure: [0, 1, 2] for measure in ("dspr", "nspr", "root", "uuas")
    }
    validation = found[(found["part"] == "validation") & (found["measure"] == "uuas")]
    best = validation.loc[validation["value"].idxmax(), "layer"]
    assert set(found.loc[found["chosen"], "layer"]) == {best}
    # ranks above the size of the vectors are left out
    ranks = test[(test["representation"] == "rank") & (test["measure"] == "uuas")]
    assert ranks["rank"].tolist() == [1, 4]
    assert set(test["representation"]) == {"states", "rank", "permuted", "embeddings", "decayed", "linear"}
    # every tree is a chain
    chain = test[test["representation"] == "linear"].set_index("measure")
    assert chain.loc["uuas", "value"] == 1
    assert 0.8 < chain.loc["dspr", "value"] < 1  # the full stop depends on the root
    assert ((found["low"] <= found["value"] + 1e-6) | found["measure"].isin(["dspr", "nspr"])).all()
    assert (found["trained_on"] == 24).all()
    shown = json.loads(examples.read_text())
    words = len(shown[0]["words"])
    assert np.array(shown[0]["states"]["distances"]).shape == (words, words)
    assert len(shown[0]["decayed"]["depths"]) == words
    assert len(shown[0]["states"]["arcs"]) == words - 2  # without the full stop
    before = table.read_bytes(), examples.read_bytes()
    assert tuple(path.read_bytes() for path in run(folder)) == before


def test_the_encoder_of_a_translation_model_has_the_same_rows(folder):
    rows = [pd.read_csv(run(folder, model)[0]) for model in ("bert", "marian")]
    keys = ["representation", "part", "measure"]
    counts = [table.groupby(keys).size().to_dict() for table in rows]
    assert counts[0] == counts[1]


def test_decayed_embeddings_by_hand():
    vectors = np.array([[1.0, 0], [0, 1], [0, 0]], dtype=np.float32)
    by_hand = [[1, 0.5], [0.5, 1], [0.25, 0.5]]
    weights = np.array([1.75, 2, 1.75])
    assert decayed(vectors) == pytest.approx(np.array(by_hand) / weights[:, None])


def test_input_that_cannot_be_used(folder):
    with pytest.raises(InputError, match=r"layers are \[3\]; the model has 0 \(its embeddings\) to 2"):
        run(folder, layers=[3])
    good = (folder / "train.conllu").read_text()
    (folder / "train.conllu").write_text(good + tree(["ant", "bee", "cat"]).replace("2\tdep", "0\troot"))
    with pytest.raises(InputError, match=r"train\.conllu:\d+: .* is no tree: it has 2 roots"):
        run(folder)
    (folder / "train.conllu").write_text(tree(["ant", "bee"]))
    with pytest.raises(InputError, match="1 sentences of two words or more are too few for a probe"):
        run(folder)
    assert not (folder / "probes.csv").exists()
