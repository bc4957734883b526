"""Structural probes from files to tables, and input that cannot be used."""

import numpy as np
import pandas as pd
import pytest
from small_trees import random_words, save_models, sentence

from headwork.errors import InputError
from headwork.parses.conllu import write_conllu
from headwork.representations.jobs.structural_probes import decayed, structural_run
from headwork.run.frame import Files
from headwork.settings.representations import StructuralProbing

SETTINGS = {
    "validation": 0.2,
    "ranks": [1, 4, 99],
    "draws": 20,
    "shortest": 4,
    "probe": {"epochs": 2, "rate": 0.01},
}


def tree(words, root=1):
    """A chain from the root to both ends; the full stop depends on the root."""
    heads = [
        0 if place == root else place - 1 if place > root else place + 1 for place in range(1, len(words) + 1)
    ]
    if words[-1] == ".":
        heads[-1] = root
    return sentence(heads, words, [len(words) - 1] if words[-1] == "." else ())


@pytest.fixture
def folder(tmp_path):
    chance = np.random.default_rng(0)
    sentences = random_words(50, chance)
    for name, part in (("train", sentences[:30]), ("dev", sentences[30:])):
        trees = [tree(words, int(chance.integers(1, len(words)))) for words in part]
        write_conllu(tmp_path / f"{name}.conllu", trees)
    save_models(tmp_path)
    return tmp_path


def run(folder, **changes):
    given = Files(model=folder / "bert", train_trees=folder / "train.conllu", dev_trees=folder / "dev.conllu")
    out = Files(table=folder / "probes.csv", examples=folder / "trees.json")
    structural_run(given, out, StructuralProbing.read(SETTINGS | changes, "structural"))
    return out.table


def test_a_run_of_structural_probes(folder):
    found = pd.read_csv(run(folder))
    test = found[found["part"] == "test"]
    validation = found[(found["part"] == "validation") & (found["measure"] == "uuas")]
    best = validation.loc[validation["value"].idxmax(), "layer"]
    assert set(found.loc[found["chosen"], "layer"]) == {best}
    # ranks above the size of the vectors are left out
    ranks = test[(test["representation"] == "rank") & (test["measure"] == "uuas")]
    assert ranks["rank"].tolist() == [1, 4]
    # every tree is a chain
    chain = test[test["representation"] == "linear"].set_index("measure")
    assert chain.loc["uuas", "value"] == 1
    assert 0.8 < chain.loc["dspr", "value"] < 1  # the full stop depends on the root
    assert ((found["low"] <= found["value"] + 1e-6) | found["measure"].isin(["dspr", "nspr"])).all()
    assert (found["trained_on"] == 24).all()


def test_decayed_embeddings_by_hand():
    vectors = np.array([[1.0, 0], [0, 1], [0, 0]], dtype=np.float32)
    by_hand = [[1, 0.5], [0.5, 1], [0.25, 0.5]]
    weights = np.array([1.75, 2, 1.75])
    assert decayed(vectors) == pytest.approx(np.array(by_hand) / weights[:, None])


def test_input_that_cannot_be_used(folder):
    with pytest.raises(InputError, match=r"layers are \[3\]; the model has 0 \(its embeddings\) to 2"):
        run(folder, layers=[3])
    write_conllu(folder / "train.conllu", [sentence([0, 0, 2]), tree(["ant", "bee"])])
    with pytest.raises(InputError, match=r"train\.conllu:\d+: .* is no tree: it has 2 roots"):
        run(folder)
    write_conllu(folder / "train.conllu", [tree(["ant", "bee"])])
    with pytest.raises(InputError, match="1 sentences of two words or more are too few for a probe"):
        run(folder)
    assert not (folder / "probes.csv").exists()
