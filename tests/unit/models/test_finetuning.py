"""Fine-tuning: a planted rule is learned, shuffled labels are not, and every artefact has the labels' names."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import accuracy_score
from torch.nn import functional
from toy_text import ARCHITECTURE, tokenizer_of, write_paragraphs, write_sentiment, write_similarity

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.jobs.finetune import finetune
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.models.objectives.encoder_batches import EncoderCollator, LabelledTexts
from headwork.models.objectives.finetuning import Classifying, logits_of, recipe_of
from headwork.settings.models import FineTuning

ROW = {"run": "toy", "objective": "classification", "recipe": "toy", "seed": 1, "gates": "none"}
RECIPE = {"epochs": 8, "batch": 16, "peak_rate": 5e-3, "longest": 32, "precision": "fp32"}
TASK = {"task": "SST-2", "scoring": {"resamples": 50}}


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory):
    """An encoder that was only built: what is learned here is learned from the task."""
    folder = tmp_path_factory.mktemp("pretrained")
    tokenizer = tokenizer_of(write_paragraphs(folder / "text", {}))
    save(folder / "bert", build(ARCHITECTURE, tokenizer, 1), tokenizer)
    return folder / "bert"


@pytest.fixture(scope="module")
def sentiment(tmp_path_factory):
    return write_sentiment(tmp_path_factory.mktemp("SST-2"), {"train": 400, "dev": 120})


def accuracy(folder):
    return json.loads((folder / "scores.json").read_text())["splits"]["dev"]["accuracy"]


def finetuned(place, pretrained, data, recipe=RECIPE, task=TASK):
    finetune(ROW, recipe, task, pretrained, data, place / "out", place / "work", device="cpu")
    return place / "out"


def test_a_planted_rule(pretrained, sentiment, tmp_path):
    out = finetuned(tmp_path, pretrained, sentiment)
    found = accuracy(out)
    assert found["value"] > 0.93
    assert found["low"] <= found["value"] <= found["high"]

    table = pd.read_csv(out / "predictions.csv")
    assert table["id"].tolist() == list(range(120))
    assert table["gold"].tolist() == [example.label for example in read_task(sentiment, "SST-2", "dev")]
    assert accuracy_score(table["gold"], table["predicted"]) == pytest.approx(found["value"])
    shares = table[["p_negative", "p_positive"]]
    assert shares.sum(axis=1).to_numpy() == pytest.approx(np.ones(120), abs=1e-5)
    assert (shares.idxmax(axis=1).str.removeprefix("p_") == table["predicted"]).all()

    history = pd.read_csv(out / "history.csv")
    assert history["step"].tolist() == [25 * epoch for epoch in range(9)]
    assert history["dev_accuracy"].iloc[-1] == pytest.approx(found["value"])
    labels = ["negative", "positive"]
    scores, config, told = (
        json.loads((out / f"{name}.json").read_text()) for name in ("scores", "config", "run")
    )
    assert list(config["id2label"].values()) == scores["labels"] == told["task"]["labels"] == labels
    # before the first update the new classifier knows nothing
    assert scores["untuned"]["dev"]["accuracy"]["low"] < 0.6
    assert scores["untuned"]["dev"]["n"] == 120
    # the model on disk says the same
    model, tokenizer = hub.load(out)
    encoded = tokenizer(next(read_task(sentiment, "SST-2", "dev")).first, return_tensors="pt")
    said = model(**encoded).logits.softmax(dim=-1)[0]
    assert said.tolist() == pytest.approx(shares.loc[0].tolist(), abs=1e-4)


def test_shuffled_labels_teach_nothing(pretrained, sentiment, tmp_path):
    out = finetuned(tmp_path, pretrained, sentiment, {**RECIPE, "shuffled_labels": True, "epochs": 4})
    # 120 examples at chance: standard deviation .046
    assert abs(accuracy(out)["value"] - 0.5) < 0.2


def test_scores_of_pairs(pretrained, tmp_path):
    write_similarity(tmp_path / "STS-B", {"train": 400, "dev": 100})
    out = finetuned(
        tmp_path, pretrained, tmp_path / "STS-B", task={"task": "STS-B", "scoring": {"resamples": 50}}
    )
    found = json.loads((out / "scores.json").read_text())["splits"]["dev"]
    assert found["n"] == 100
    assert found["pearson"]["value"] > 0.9
    table, history = pd.read_csv(out / "predictions.csv"), pd.read_csv(out / "history.csv")
    gold, said = table["gold"], table["predicted"]
    assert np.corrcoef(gold, said)[0, 1] == pytest.approx(found["pearson"]["value"], abs=1e-4)
    assert history["dev_accuracy"].isna().all()
    assert history["dev_loss"].iloc[-1] == pytest.approx(((gold - said) ** 2).mean(), rel=1e-4)


@pytest.mark.parametrize("task", ["SST-2", "STS-B"])
def test_the_loss_is_that_of_transformers(pretrained, sentiment, tmp_path, task):
    folder = sentiment if task == "SST-2" else write_similarity(tmp_path, {"train": 20})
    model, tokenizer = hub.load_classifier(pretrained, TASKS[task].labels, 1)
    data = LabelledTexts(list(read_task(folder, task, "train"))[:20], TASKS[task], tokenizer, 32)
    collator = EncoderCollator(tokenizer)
    batch = collator([data[number] for number in range(20)])
    found = Classifying(collator, TASKS[task], 20).loss(model, batch)
    torch.testing.assert_close(found.loss / found.count, model(**batch).loss)
    logits = logits_of(model, data, EncoderCollator(tokenizer))
    assert logits == pytest.approx(model(**batch).logits.detach().numpy(), abs=1e-5)
    if task == "SST-2":
        loss = functional.cross_entropy(torch.from_numpy(logits), torch.from_numpy(data.labels))
        torch.testing.assert_close(found.loss / 20, loss)


def test_settings_become_a_recipe():
    recipe = recipe_of(FineTuning(), 2490)
    assert (recipe.steps, recipe.warmup_steps, recipe.evaluate_every) == (234, 23, 78)
    assert (recipe.peak_rate, recipe.weight_decay, recipe.clip) == (2e-5, 0.01, 1.0)
    assert (recipe.schedule, recipe.window) == ("linear", 50 * 32)


def test_a_part_of_the_examples(pretrained, sentiment, tmp_path):
    out = finetuned(tmp_path, pretrained, sentiment, {**RECIPE, "examples": 48, "epochs": 1})
    data = json.loads((out / "run.json").read_text())["data"]
    assert (data["train_examples"], data["dev"]) == (48, 120)


@pytest.mark.parametrize(
    ("recipe", "task", "message"),
    [
        ({"longest": 64}, {}, "examples of 64 pieces for a model of 40 positions"),
        ({}, {"dev": ["test"]}, "SST-2 has no labels for test"),
        ({}, {"dev": ["dev_matched"]}, "the file does not exist"),
    ],
)
def test_what_cannot_be_run(pretrained, sentiment, tmp_path, recipe, task, message):
    (sentiment / "test.tsv").write_text("index\tsentence\n0\tba be\n")
    with pytest.raises(InputError, match=message):
        finetuned(tmp_path, pretrained, sentiment, RECIPE | recipe, TASK | task)
    assert not (tmp_path / "out").exists()
