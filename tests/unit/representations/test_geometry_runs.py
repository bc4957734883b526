"""Probes of trees and of senses from files to tables."""

import numpy as np
import pandas as pd
import pytest
from small_trees import save_models, sentence

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, write_conllu
from headwork.representations.geometry.senses import Occurrence
from headwork.representations.geometry.tree_embeddings import path_lengths
from headwork.representations.jobs.geometry import edge_lengths, geometry_run, plane
from headwork.representations.jobs.senses import sense_run, shown_word
from headwork.run.frame import Files
from headwork.settings.representations import Geometry, Senses

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "bank", "bat", "and", "."]
GEOMETRY = {
    "attention": {"min_count": 5, "seeds": 1, "alphas": [1e-4]},
    "structural": {"epochs": 2, "rate": 0.01},
    "shortest": 4,
}
TABLES = ("attention", "relations", "structural", "edges", "embeddings")
SENSES = {
    "seeds": 1,
    "dimensions": [4, 2],
    "pairs": 10,
    "semantic": {"steps": 3},
    "projection": {"method": "tsne"},
}


def tree(words):
    """The last word but the full stop is the root; others hang on the next word, or on the root."""
    last, heads, relations = len(words) - 1, [], []
    for place, word in enumerate(words, start=1):
        near = len(word + words[place % len(words)]) % 2 == 0 and place < last
        heads.append(0 if place == last else place + 1 if near else last)
        relations.append("next" if near else "far")
    return sentence(heads, words, [last], relations)


def annotated(words):
    """`bank`, or in sentences without it `fox`, is of sense 1 behind an ant, of sense 2 behind others."""
    rows, told = [], "bank" if "bank" in words else "fox"
    for place, word in enumerate(words, start=1):
        sense = f"Sense={told}%{1 if words[place - 2] == 'ant' else 2}" if word == told else "_"
        sense = "Sense=bat%1" if word == "bat" else sense
        upos = "PUNCT" if word == "." else "NOUN"
        rows.append(f"{place}\t{word}\t{word}\t{upos}\t_\t_\t_\t_\t_\t{sense}")
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def folder(tmp_path):
    save_models(tmp_path, WORDS, max_position_embeddings=24, initializer_range=0.5)
    chance = np.random.default_rng(0)
    sentences = [[*chance.choice([*WORDS[:6], "elks"], chance.integers(4, 9)), "."] for _ in range(60)]
    for name, part in (("train", sentences[:40]), ("dev", sentences[40:])):
        write_conllu(tmp_path / f"{name}.conllu", map(tree, part))
    texts = []
    for _ in range(120):
        before, after = (chance.choice([*WORDS[1:6], "bat"], chance.integers(0, 4)) for _ in range(2))
        texts.append([*before, "ant" if chance.random() < 0.4 else "dog", "bank", *after, "."])
    # another word of two senses, or there would be no sentence without the one that is joined
    texts += [[*chance.choice(WORDS[2:4], 2), "ant" if n % 2 else "dog", "fox", "."] for n in range(20)]
    (tmp_path / "senses.conllu").write_text("".join(map(annotated, texts)))
    (tmp_path / "text.txt").write_text("".join(" ".join(text) + "\n" for text in texts[:90]))
    return tmp_path


def outputs(folder, names, ending="csv"):
    return {name: folder / "out" / f"{name}.{ending}" for name in names}


def geometry(folder, settings=GEOMETRY):
    out = outputs(folder, TABLES) | outputs(folder, ("trees",), "json")
    given = Files(model=folder / "bert", train_trees=folder / "train.conllu", dev_trees=folder / "dev.conllu")
    geometry_run(given, Files(**out), Geometry.read(settings, "geometry"))
    return out


def test_a_run_of_probes_of_trees(folder):
    out = geometry(folder)
    attention = pd.read_csv(out["attention"])
    # by distance alone it can be told which words hang on the next
    own = attention.set_index(["task", "split", "features"])["accuracy"]
    assert own["relation", "sentence", "distance"] > own["relation", "sentence", "majority"]
    assert set(pd.read_csv(out["relations"])["relation"]) == {"next", "far"}
    embeddings = pd.read_csv(out["embeddings"]).set_index("embedding")
    assert embeddings.loc["exact", "error"] == pytest.approx(0, abs=1e-9)
    assert embeddings.loc["exact", "spearman"] == pytest.approx(1)


def test_layers_can_be_chosen(folder):
    out = geometry(folder, GEOMETRY | {"layers": [2]})
    assert pd.read_csv(out["structural"])["layer"].dropna().tolist() == [2, 2]
    with pytest.raises(InputError, match=r"layers are \[5\]; the model has 0 \(its embeddings\) to 2"):
        geometry(folder, GEOMETRY | {"layers": [5]})


def test_a_treebank_too_small_for_a_probe(folder):
    write_conllu(folder / "train.conllu", [tree(["ant", "bee", "."]), sentence([0])])
    with pytest.raises(InputError, match=r"train.conllu: 1 sentences of two words or more are too few"):
        geometry(folder)
    assert not (folder / "out").exists()


def test_lengths_of_arcs_by_hand():
    words = tree(["ant", "elks", "bee", "cat", "."])
    distances = path_lengths([word.head for word in words.words]) * 3
    table = edge_lengths([distances], [words])
    assert (table["mean"] == 3).all()
    assert table["n"].sum() == len(words) - 2  # neither the root nor the full stop


def test_principal_components():
    points = np.outer([-2.0, 0, 1, 4], [3, 4, 0]) + 7
    flat = plane(points)
    assert np.ptp(flat[:, 0]) == pytest.approx(6 * 5)
    assert flat[:, 1] == pytest.approx(np.zeros(4), abs=1e-9)
    assert plane(points[:2, :1]).shape == (2, 2)


def senses(folder, settings=SENSES, parts=(None,), **more):
    out = outputs(folder, ("senses", "semantic", "concatenation", "contexts"))
    given = Files(model=folder / "bert", senses=[folder / "senses.conllu"] * len(parts), gold=[], **more)
    sources = [{"keys": False, "split": part} for part in parts]
    sense_run(given, Files(**out), Senses.read(settings, "senses"), sources)
    return {name: pd.read_csv(path) for name, path in out.items()}


def test_a_run_of_senses(folder):
    found = senses(folder)
    scores = found["senses"].set_index(["system", "words", "layer"])
    count = scores.loc[("centroid", "ambiguous", 1), "n"]
    assert 30 < count < 90
    # `bat` has one sense, which is always found
    every = scores.loc[("centroid", "all", 1)]
    assert every["right"] - every["n"] == scores.loc[("centroid", "ambiguous", 1), "right"] - count
    # a random model mixes the word before into the word: its vector tells, and the embedding does not
    of_layer = scores["f1"]["centroid", "ambiguous"]
    assert of_layer[2] > of_layer[0] + 0.1
    joined = found["concatenation"]
    assert set(joined["kind"]) == {"alone", "joined", "joined-at-random"}
    assert (joined["n"] == 20).all()
    assert (joined.loc[joined["kind"] == "alone", ["lost", "won"]] == 0).all(axis=None)


def test_only_sentences_of_the_held_out_text(folder):
    contexts = senses(folder, held_out=folder / "text.txt")["contexts"]
    assert set(contexts["text"]) <= set((folder / "text.txt").read_text().splitlines())
    assert len(contexts) < 120


def test_parts_of_their_own(folder):
    scores = senses(folder, parts=("train", "test"))["senses"].set_index(["system", "words", "layer"])
    assert scores.loc[("centroid", "ambiguous", 1), "n"] == 140


def test_text_without_ambiguous_words(folder):
    (folder / "senses.conllu").write_text(annotated(["dog", "bank", "bat", "."]) * 3)
    with pytest.raises(InputError, match=r"senses: no word of the (train|test) part has two senses"):
        senses(folder)
    with pytest.raises(InputError, match=r"no word has a sense in the sentences that are wanted"):
        senses(folder, held_out=folder / "bert" / "config.json")
    assert not (folder / "out").exists()


def test_a_word_that_is_not_there(folder):
    with pytest.raises(InputError, match="'bank/VERB' has 0 annotated contexts; name another `word`"):
        senses(folder, SENSES | {"word": "bank/VERB"})


def test_the_word_that_is_shown():
    def words(lemma, *counts):
        return [
            Occurrence(Sentence([]), 0, lemma, (f"{lemma}%{number}",))
            for number, count in enumerate(counts)
            for _ in range(count)
        ]

    found = words("often", 90, 10) + words("even", 20, 15) + words("rarer", 6, 6)
    known = {"often", "even", "rarer"}
    assert shown_word(found, known, 0.3) == "even"
    assert shown_word(found, known, 0.05) == "often"
    assert shown_word(found, known, 0.6) == "rarer"
