"""A tiny encoder between words: tables and examples of a run, held-out documents, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.heads.jobs.word_heads import measure_words
from headwork.models.loading.checkpoints import save
from headwork.run.frame import Files
from headwork.settings.heads import WordRunSettings

WORDS = ["the", "cat", "saw", "a", "dog", ".", "it", "slept"]
ROWS = (
    ("the", "DET", 2, "det", ""),
    ("cat", "NOUN", 3, "nsubj", "Coref=1|Role=A0:3"),
    ("saw", "VERB", 0, "root", ""),
    ("a", "DET", 5, "det", ""),
    ("dog", "NOUN", 3, "obj", "Coref=2|Role=A1:3"),
    (".", "PUNCT", 3, "punct", ""),
)
MORE = (
    ("it", "PRON", 2, "nsubj", "Coref=1"),
    ("slept", "VERB", 0, "root", ""),
    (".", "PUNCT", 2, "punct", ""),
)


def conllu(number, rows, first):
    marks = f"# newdoc id = d{number}\n# newpar\n" if first else ""
    lines = [
        f"{place}\t{form}\t{form}\t{upos}\t_\t_\t{head}\t{relation}\t_\t{misc or '_'}"
        for place, (form, upos, head, relation, misc) in enumerate(rows, start=1)
    ]
    return marks + "\n".join(lines) + "\n\n"


@pytest.fixture
def files(tmp_path):
    """Trees and mentions in one file, the paragraphs that are held out, and a model."""
    tokenizer = word_tokenizer(WORDS)
    save(tmp_path / "model", tiny_bert(tokenizer, initializer_range=0.5), tokenizer)
    trees = tmp_path / "world.conllu"
    trees.write_text("".join(conllu(n, ROWS, True) + conllu(n, MORE, False) for n in range(20)))
    held_out = tmp_path / "test.txt"
    held_out.write_text("the cat saw a dog .\nit slept .\n\n")
    return {"model": tmp_path / "model", "trees": trees, "mentions": [trees], "held_out": held_out}


@pytest.fixture
def outputs(tmp_path):
    endings = {"statistics": "parquet", "offsets": "csv", "rules": "csv", "examples": "json"}
    return Files(**{name: tmp_path / "out" / f"{name}.{ending}" for name, ending in endings.items()})


SETTINGS = WordRunSettings.read(
    {"min_count": 1, "examples": {"sentences": 3, "shortest": 2, "longest": 9}}, "words"
)


def test_a_run(files, outputs):
    measure_words(Files(**files), outputs, SETTINGS)
    table = pd.read_parquet(outputs.statistics)
    counts = table[table["layer"] == 1].drop_duplicates("key").set_index("key")["count"]
    assert counts["det/dependent-to-head"] == 40
    assert counts["nsubj/head-to-dependent"] == 40
    # each text has one anaphor, and 20 texts are that paragraph
    assert counts["preceding-mentions/to-antecedent/all"] == 20
    roles = table[table["statistic"] == "role"]
    assert roles["count"].eq(20).all()
    best = roles.sort_values("value", ascending=False).head(2)
    offsets = pd.read_csv(outputs.offsets).set_index("relation")
    assert offsets.loc["det", ["offset", "share"]].tolist() == [1, 1.0]
    rules = pd.read_csv(outputs.rules)
    nearest = rules.query("rule == 'nearest' and kind == 'all'").set_index("candidates")["accuracy"]
    assert nearest["preceding-mentions"] == 0  # the dog is nearer
    examples = json.loads(outputs.examples.read_text())
    for example in examples:
        size = len(example["words"])
        weights = np.array(example["weights"])
        assert weights.shape == (size, size)
        if example["relation"] == "role":
            assert example["arcs"] == [[4, 2]]  # the cat stands beside its predicate
            continue
        own = weights if example["direction"] == "dependent-to-head" else weights.T
        for word, head in example["arcs"]:
            assert example["relation"] == "coreference" or (own - 2 * np.eye(size))[word].argmax() == head
    of_roles = [example for example in examples if example["relation"] == "role"]
    names = [f"encoder {row.layer}-{row.head}" for row in best.itertuples()]
    assert [example["head"] for example in of_roles] == names * SETTINGS.examples.sentences
    assert of_roles[0]["weights"][4][2] == pytest.approx(best["value"].iloc[0], abs=1e-4)


def test_only_held_out_documents_count(files, outputs):
    files["held_out"].write_text("a dog slept .\n\n")
    with pytest.raises(InputError, match=r"no mention refers back .*; looked in .*world\.conllu"):
        measure_words(Files(**files), outputs, SETTINGS)
    assert not any(path.exists() for path in vars(outputs).values())
    measure_words(Files(**{**files, "held_out": []}), outputs, SETTINGS)
    assert outputs.statistics.exists()


def test_no_sentence_fits(files, outputs):
    files["trees"].write_text(
        conllu(1, [("saw", "VERB", 0, "root", ""), *[("a", "DET", 1, "det", "")] * 40], True)
    )
    with pytest.raises(InputError, match="no sentence fits the model's positions"):
        measure_words(Files(**files), outputs, SETTINGS)
