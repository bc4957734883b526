"""Edge probes from files to tables, and input that cannot be used."""

import numpy as np
import pandas as pd
import pytest
from small_trees import WORDS, random_words, save_models

from headwork.errors import InputError
from headwork.parses.labelled_spans import Edge, Labelled
from headwork.representations.jobs.edge_probes import _ambiguous, edge_run
from headwork.representations.probes.edge_summaries import tables
from headwork.run.frame import Files
from headwork.settings.representations import EdgeProbing

TAGS = dict(zip(WORDS, ["A", "B", "C", "A", "B", "C", "P"], strict=True))
SETTINGS = {
    "tasks": {"pos": {}, "dependencies": {}, "senses": {}},
    "seeds": 2,
    "draws": 30,
    "probe": {"hidden": 8, "steps": 80, "batch": 60, "rate": 0.02, "dropout": 0.0},
}
OUTPUTS = {"scores": "csv", "layers": "csv", "traces": "json"}


def tree(words):
    """Every word depends on the next, the last is the root; `bee` has a sense after `ant` and another elsewhere."""
    rows = []
    for place, word in enumerate(words, start=1):
        head = place + 1 if place < len(words) else 0
        before = words[place - 2] if place > 1 else ""
        sense = f"Sense=bee%{1 if before == 'ant' else 2}" if word == "bee" else "_"
        relation = "root" if head == 0 else "x" if TAGS[word] == "A" else "y"
        rows.append(f"{place}\t{word}\t{word}\tX\t{TAGS[word]}\t_\t{head}\t{relation}\t_\t{sense}")
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def folder(tmp_path):
    sentences = random_words(110, np.random.default_rng(0))
    for name, part in (("train", sentences[:70]), ("dev", sentences[70:])):
        (tmp_path / f"{name}.conllu").write_text("".join(map(tree, part)))
    save_models(tmp_path)
    return tmp_path


def run(folder, model="bert", train=None, test=None, **changes):
    settings = SETTINGS | changes
    tasks = list(settings["tasks"])
    paths = {name: folder / f"{name}.{ending}" for name, ending in OUTPUTS.items()}
    given = Files(
        model=folder / model,
        train=[folder / (train or "train.conllu")] * len(tasks),
        test=[folder / (test or "dev.conllu")] * len(tasks),
    )
    edge_run(given, Files(**paths), EdgeProbing.read(settings, "edge_probes"), tasks)
    return paths


def test_a_run_of_edge_probes(folder):
    paths = run(folder)
    scores = pd.read_csv(paths["scores"])
    assert scores.groupby("task")["weight"].sum().tolist() == pytest.approx([1] * 3, abs=0.05)
    f1 = scores.set_index(["task", "layer"])["f1"]
    assert f1["pos", 0] == 1  # the word itself tells
    assert ((scores["low"] <= scores["f1"]) & (scores["f1"] <= scores["high"])).all()
    layers = pd.read_csv(paths["layers"]).set_index(["task", "quantity"])
    assert layers.loc[("pos", "first"), "value"] == f1["pos", 0]
    # with nothing to gain the expected layer is not defined
    assert np.isnan(layers.loc[("pos", "expected-layer"), "value"])
    assert 0 < layers.loc[("pos", "centre-of-gravity"), "value"] < 2


def test_the_encoder_of_a_translation_model_and_normalised_layers(folder):
    probe = SETTINGS["probe"] | {"layer_norm": True, "steps": 3}
    scores = pd.read_csv(run(folder, "marian", tasks={"pos": {}}, probe=probe)["scores"])
    assert scores["layer"].tolist() == [0, 1, 2]


def test_one_file_is_split_by_order(folder):
    line = " ".join(f"(NN {word})" for word in WORDS[:6])
    text = f"((S {line}))\n" * 100
    (folder / "trees.mrg").write_text(text)
    entry = {"form": "brackets", "train": "trees.mrg", "test": "trees.mrg"}
    paths = run(folder, train="trees.mrg", test="trees.mrg", tasks={"constituents": entry})
    scores = pd.read_csv(paths["scores"])
    assert set(scores["sentences"]) == {20}


def test_senses_are_those_of_the_most_frequent_ambiguous_lemmas():
    def sentence(*senses):
        edges = [Edge((place, place + 1), None, (sense,)) for place, sense in enumerate(senses)]
        return Labelled([str(place) for place in range(len(senses))], edges)

    learned = [sentence("a%1", "a%2", "b%1", "b%1", "c%1", "c%2", "c%1")]
    scored = [sentence("a%1", "b%1", "c%3")]
    kept = _ambiguous(learned, scored, 1)
    assert [edge.labels[0] for edge in kept[0][0].edges] == ["c%1", "c%2", "c%1"]
    assert [edge.labels[0] for edge in kept[1][0].edges] == ["c%3"]


def test_medians_over_seeds_and_intervals_over_sentences():
    # 50 sentences of one target each; the probes of layer 1 are right about all, those of layer 0 about half
    right = np.zeros((50, 3, 2, 3))
    right[:, :, 1, 0] = 1
    right[::2, :, 0, 0] = 1
    right[1::2, :, 0, 2] = 1
    right[:, 2, 0] = [0, 1, 1]  # a seed that failed does not move the median
    weights = np.array([[0.5, 0.5], [0.2, 0.8], [0.25, 0.75]])
    scores, layers = tables(right, weights, 200, 0)
    assert scores["f1"].tolist() == pytest.approx([2 * 25 / (2 * 25 + 25), 1])
    found = layers.set_index("quantity")
    assert found.loc["gain", "low"] > 0.1
    assert found.loc["expected-layer", "value"] == 1
    assert found.loc["centre-of-gravity", ["value", "low", "high"]].tolist() == pytest.approx(
        [0.75, 0.5, 0.8]
    )


def test_input_that_cannot_be_used(folder):
    with pytest.raises(InputError, match="no span has a label of the task entities"):
        run(folder, tasks={"entities": {}})
    few = folder / "few.conllu"
    few.write_text(tree(["ant", "bee", "."]) * 2)
    with pytest.raises(InputError, match=r"few\.conllu: 6 spans of pos are too few for a probe; give 10"):
        run(folder, train="few.conllu", tasks={"pos": {}})
    outside = tree(["ant", "bee", "."]).replace("Sense=bee%1", "Role=A0:9")
    few.write_text(outside * 20)
    with pytest.raises(InputError, match=r"few\.conllu:1: roles: a span has words 9 to 9, but the sentence"):
        run(folder, train="few.conllu", tasks={"roles": {}})
    assert not (folder / "scores.csv").exists()
