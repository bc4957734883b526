"""A run of head statistics on a task: which tables come of it, and what it refuses."""

import copy
import json

import pandas as pd
import pytest
import torch
from task_trees import EXAMPLES, TREES, tokenizer, tree
from tiny_bert import tiny_bert
from transformers import BertForSequenceClassification

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import InputError
from headwork.heads.jobs.task_heads import measure_task
from headwork.heads.patterns.rules import CLEAR
from headwork.heads.statistics.counterparts import COUNTERPART
from headwork.heads.statistics.token_features import FEATURES, FROM_CLS
from headwork.models.loading.checkpoints import save
from headwork.run.frame import Files
from headwork.settings.heads import TaskRunSettings
from headwork.settings.models import TaskSettings

SETTINGS = TaskRunSettings(longest=30, readable=(4, 30), shown=2)


def rows_of(sentence):
    for number, word in enumerate(sentence.words, start=1):
        misc = "|".join(f"{key}={value}" for key, value in word.misc.items()) or "_"
        yield f"{number}\t{word.form}\t_\t{word.upos}\t_\t_\t{word.head}\t{word.deprel}\t_\t{misc}"


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Folders of a pretrained and a fine-tuned model and of a task, and the task's trees."""
    root = tmp_path_factory.mktemp("given")
    before = tiny_bert(tokenizer(), initializer_range=0.4)
    config = copy.deepcopy(before.config)
    config.num_labels = 2
    after = BertForSequenceClassification(config)
    after.bert.load_state_dict(before.bert.state_dict(), strict=False)
    torch.manual_seed(3)
    with torch.no_grad():
        after.bert.encoder.layer[1].attention.self.key.weight += 0.5 * torch.randn(16, 16)
    for name, model in (("before", before), ("after", after)):
        save(root / name, model, tokenizer())
    labels = TASKS["RTE"].labels
    (root / "rte").mkdir()
    lines = [
        f"{example.index}\t{example.first}\t{example.second}\t{label}"
        for example, label in zip(EXAMPLES, labels, strict=True)
    ]
    # indices are places in the file
    padding = [f"{number}\towls eat .\tit eats .\t{labels[0]}" for number in (1, 2)]
    text = "\n".join(["index\tsentence1\tsentence2\tlabel", lines[0], *padding, lines[1]]) + "\n"
    (root / "rte" / "dev.tsv").write_text(text)
    trees = []
    between = [
        TREES[3][0],
        tree(("it", "PRON", 2, "nsubj"), ("eats", "VERB", 0, "root"), (".", "PUNCT", 2, "punct")),
    ]
    for index in range(4):
        for number, sentence in enumerate(TREES.get(index, between), start=1):
            trees += [f"# sent_id = news-{index}-{number}", *rows_of(sentence), ""]
    (root / "dev.conllu").write_text("\n".join(trees) + "\n")
    return root


def run(given, folder, trees=(), settings=SETTINGS):
    """The table, and the examples whose maps are shown."""
    task = given / "rte" / "dev.tsv"
    files = Files(model=given / "after", before=given / "before", task=task, trees=trees)
    made = Files(statistics=folder / "task.parquet", examples=folder / "task.json")
    measure_task(files, made, TaskSettings(task="RTE"), settings)
    return pd.read_parquet(made.statistics), json.loads(made.examples.read_text())


def test_a_run(given, tmp_path):
    table, (first, second) = run(given, tmp_path / "h", given / "dev.conllu")
    assert set(table["statistic"]) == {"pattern", "attention", "feature", FROM_CLS, COUNTERPART, "cosine"}
    patterns = table[table["statistic"] == "pattern"]
    assert patterns["count"].eq(4).all()
    sums = patterns[patterns["key"] != CLEAR].groupby(["layer", "head"])["value"].sum()
    assert sums.tolist() == pytest.approx([1] * 4)
    assert set(table[table["statistic"] == "feature"]["key"]) == set(FEATURES)
    cosines = table[table["statistic"] == "cosine"].set_index(["layer", "head"])["value"]
    assert cosines[1].tolist() == pytest.approx([1, 1], abs=1e-5)
    assert cosines[2].lt(0.999).all()

    assert first["pieces"][1:8] == EXAMPLES[0].first.split()
    assert first["second"] == 9
    assert all(abs(sum(row) - 1) < 1e-2 for rows in second["maps"].values() for row in rows)


def test_what_is_refused(given, tmp_path):
    few = tmp_path / "few.conllu"
    few.write_text("\n".join((given / "dev.conllu").read_text().split("\n")[:8]) + "\n\n")
    with pytest.raises(InputError, match="RTE dev: the trees of example 0 are not of its words"):
        run(given, tmp_path, few)
    assert list(tmp_path.iterdir()) == [few]
