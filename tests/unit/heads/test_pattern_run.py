"""Patterns by rules, by a network and by people on maps of small runs: what is written, and labels that are wrong."""

import json

import pandas as pd
import pytest
import torch
from task_trees import EXAMPLES, tokenizer
from tiny_bert import tiny_bert
from tokenizers.processors import TemplateProcessing

from headwork.corpora.annotated.glue import TASKS
from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError
from headwork.heads.jobs.patterns import Source, classify_maps
from headwork.models.loading.checkpoints import WEIGHTS, save
from headwork.run.frame import Files
from headwork.settings.heads import PatternRunSettings

SETTINGS = {"texts": 10, "network": {"side": 16, "channels": [8, 16], "epochs": 30, "folds": 2}}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Two runs of the same task: heads of the first look at [CLS] and [SEP] in layer 1, those of the second evenly."""
    root = tmp_path_factory.mktemp("given")
    (root / "rte").mkdir()
    lines = [
        f"{number}\t{example.first}\t{example.second}\t{label}"
        for number, (example, label) in enumerate(zip(EXAMPLES * 8, TASKS["RTE"].labels * 8, strict=True))
    ]
    (root / "rte" / "dev.tsv").write_text("\n".join(["index\tsentence1\tsentence2\tlabel", *lines]) + "\n")
    for name in ("one", "two"):
        model = tiny_bert(tokenizer(), initializer_range=0.02)
        attention = model.bert.encoder.layer[0].attention.self
        with torch.no_grad():
            if name == "one":  # queries are alike, and keys of special pieces agree with them
                embeddings = model.bert.embeddings.word_embeddings.weight
                embeddings[:, 0], embeddings[2:4, 0] = -3.0, 30.0
                attention.query.weight.zero_()
                attention.query.bias.fill_(3.0)
                attention.key.weight.zero_()
                attention.key.weight[:, 0] = 3.0
        save(root / name, model, tokenizer())
    return [Source(name, root / name, root / "rte", {"task": "RTE"}) for name in ("one", "two")]


def labels(path, source, *rows):
    weights = sha256(source.model / WEIGHTS)[:12]
    lines = [f"{source.run},{weights},{row}" for row in rows]
    path.write_text("\n".join(["run,weights,example,layer,head,pattern", *lines]) + "\n")
    return path


def run(sources, tmp_path, by_hand=None, **settings):
    given = Files(
        weights=[source.model / WEIGHTS for source in sources],
        tasks=[source.task_folder / "dev.tsv" for source in sources],
        by_hand=by_hand or [],
    )
    made = Files(table=tmp_path / "p.csv", facts=tmp_path / "p.json")
    runs = [{"run": source.run, "task": source.task} for source in sources]
    classify_maps(given, made, runs, PatternRunSettings.read(SETTINGS | settings, "patterns"))
    return pd.read_csv(made.table), json.loads(made.facts.read_text())


def test_both_classifiers_find_what_was_planted(sources, tmp_path):
    by_hand = labels(
        tmp_path / "labels.csv", sources[0], "0,1,1,vertical", "3,1,2,vertical", "3,2,1,heterogeneous"
    )
    table, facts = run(sources, tmp_path, by_hand)
    assert table.groupby(["run", "classifier"])["share"].sum().tolist() == pytest.approx([1] * 4)
    shares = table.set_index(["run", "classifier", "pattern"])["share"]
    for classifier in ("rules", "network"):
        assert shares["one", classifier, "vertical"] == pytest.approx(0.5)
        assert shares["two", classifier, "vertical"] == 0
    assert facts["f1"] > 0.9
    assert facts["agreement"] > 0.9
    assert facts["by_hand"]["of_patterns"] == {"vertical": 2, "heterogeneous": 1}
    assert facts["by_hand"]["rules"] == {"f1": 1.0, "agreement": 1.0}


def test_labels_of_other_weights_are_left_out(sources, tmp_path):
    (tmp_path / "labels.csv").write_text("run,weights,example,layer,head,pattern\none,abcdef,0,1,1,block\n")
    assert run(sources, tmp_path, tmp_path / "labels.csv")[1]["by_hand"] == {"labels": 0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("99,1,1,vertical", r"labels\.csv:2: one has no map of example 99"),
        ("0,3,1,vertical", r"labels\.csv:2: one has no head 3-1, but 2 layers of 2 heads"),
        ("0,1,1,stripes", "csv:2: no pattern 'stripes'; write one of vertical, diagonal"),
        ("0,first,1,vertical", "csv:2: example, layer and head must be whole numbers"),
    ],
)
def test_labels_of_maps_that_do_not_exist(sources, tmp_path, row, message):
    with pytest.raises(InputError, match=message):
        run(sources, tmp_path, labels(tmp_path / "labels.csv", sources[0], row))
    assert not (tmp_path / "p.csv").exists()


def test_columns_of_labels(sources, tmp_path):
    (tmp_path / "labels.csv").write_text("run,example\n")
    with pytest.raises(InputError, match=r"the column\(s\) weights, layer, head, pattern are missing"):
        run(sources, tmp_path, tmp_path / "labels.csv")


def test_texts_that_cannot_be_looked_at_are_refused_for_what_they_are(sources, tmp_path):
    with pytest.raises(InputError, match="RTE dev: no example has at most 4 pieces"):
        run(sources, tmp_path, longest=4)
    other = tokenizer()
    other.backend_tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    save(tmp_path / "other", tiny_bert(other), other)
    with pytest.raises(InputError, match="does not join two sentences"):
        run([sources[0]._replace(model=tmp_path / "other")], tmp_path)


def test_without_two_patterns_there_is_no_network(sources, tmp_path):
    table, facts = run(sources[1:], tmp_path)
    assert set(table["classifier"]) == {"rules"}
    assert facts["f1"] is None
    assert facts["learned_from"] == 0
