"""A run of disabling: every head and layer, scores of the whole model's kind, changes with their intervals."""

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.errors import InputError
from headwork.models import hub
from headwork.models.checkpoints import save
from headwork.pruning.disabling_run import WHOLE_LAYER, disable_run

TASK = {"task": "SST-2"}
SETTINGS = {"longest": 16, "tokens": 60, "scoring": {"resamples": 50}}
WORDS = ["good", "bad", "film", "plot", "very", "is"]


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """It tells good from bad by one head: head 2 of layer 1 brings the word to [CLS]; all else is silent."""
    tokenizer = word_tokenizer(WORDS)
    config = tiny_bert(tokenizer).config
    config.num_labels = 2
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        for layer in model.bert.encoder.layer:
            for module in layer.modules():
                if isinstance(module, torch.nn.Linear):
                    module.weight.zero_()
                    module.bias.zero_()
        embeddings = model.bert.embeddings
        for table in (
            embeddings.word_embeddings,
            embeddings.position_embeddings,
            embeddings.token_type_embeddings,
        ):
            table.weight.zero_()
        embeddings.LayerNorm.weight.fill_(1.0)
        good, bad = (tokenizer.convert_tokens_to_ids(word) for word in ("good", "bad"))
        embeddings.word_embeddings.weight[good, :2] = torch.tensor([3.0, -3.0])
        embeddings.word_embeddings.weight[bad, :2] = torch.tensor([-3.0, 3.0])
        first = model.bert.encoder.layer[0].attention
        first.self.value.weight[8, 0] = 1.0  # head 2 reads the first dimension
        first.output.dense.weight[2, 8] = 5.0
        model.bert.pooler.dense.weight.zero_()
        model.bert.pooler.dense.weight[0, 2] = 2.0
        model.bert.pooler.dense.bias.zero_()
        model.classifier.weight.zero_()
        model.classifier.weight[1, 0], model.classifier.weight[0, 0] = 4.0, -4.0
        model.classifier.bias[:] = torch.tensor([0.0, 0.1])
    folder = tmp_path_factory.mktemp("model")
    save(folder, model, tokenizer)
    return folder


@pytest.fixture(scope="module")
def task_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("SST-2")
    rows = [
        f"{'very ' * (number % 4)}{'good' if number % 2 else 'bad'} film\t{number % 2}"
        for number in range(20)
    ]
    (folder / "dev.tsv").write_text("\n".join(["sentence\tlabel", *rows]) + "\n")
    return folder


def test_the_head_that_does_it_is_found(model_folder, task_folder, tmp_path):
    path = tmp_path / "new" / "disabled.parquet"
    disable_run(model_folder, task_folder, TASK, SETTINGS, path)
    table = pd.read_parquet(path)
    assert len(table) == 2 * 2 * 3  # layers, ways, two heads and the whole layer
    assert table["n"].eq(20).all()
    assert table["metric"].eq("accuracy").all()
    silent = table[(table["layer"] == 2) | (table["head"] == 1)]
    assert silent[["value", "change", "low", "high"]].to_numpy().tolist() == [[1, 0, 0, 0]] * len(silent)
    zero = table[(table["layer"] == 1) & (table["method"] == "zero")].set_index("head")
    for head in (2, WHOLE_LAYER):
        assert zero.loc[head, "value"] == 0.5  # it always says the same
        assert zero.loc[head, "high"] < 0
    # attention of untrained queries is even already
    assert table[table["method"] == "uniform"]["change"].eq(0).all()


def test_the_order_of_batches_does_not_matter(model_folder, task_folder, tmp_path):
    found = []
    for tokens in (20, 1000):
        disable_run(model_folder, task_folder, TASK, {**SETTINGS, "tokens": tokens}, tmp_path / "a.parquet")
        found.append(pd.read_parquet(tmp_path / "a.parquet"))
    pd.testing.assert_frame_equal(*found)


def test_the_whole_models_score_is_that_of_transformers(model_folder, task_folder, tmp_path):
    model, tokenizer = hub.load(model_folder)
    with torch.no_grad():
        said = [
            int(model(**tokenizer(line.split("\t")[0], return_tensors="pt")).logits.argmax())
            for line in (task_folder / "dev.tsv").read_text().splitlines()[1:]
        ]
    assert np.mean([said[number] == number % 2 for number in range(20)]) == 1


def test_senseless_settings(model_folder, task_folder, tmp_path):
    for settings, message in (
        ({"ways": ["mask"]}, "disabling: no way 'mask'"),
        ({"tokens": 0}, "disabling: tokens is 0; it must be 1 or more"),
        ({"way": ["zero"]}, "disabling: unknown key 'way'; did you mean 'ways'"),
    ):
        with pytest.raises(InputError, match=message):
            disable_run(model_folder, task_folder, TASK, settings, tmp_path / "none.parquet")
    assert not (tmp_path / "none.parquet").exists()
