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
from headwork.models.loading.checkpoints import ENCODER_FILES, save
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


def test_a_planted_rule(pretrained, sentiment, tmp_path):
    out = tmp_path / "out"
    finetune(ROW, RECIPE, TASK, pretrained, sentiment, out, tmp_path / "work", device="cpu")
    names = [*ENCODER_FILES, "history.csv", "predictions.csv", "run.json", "scores.json"]
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert not (tmp_path / "work").exists()
    found = accuracy(out)
    assert found["value"] > 0.93
    assert found["low"] <= found["value"] <= found["high"]

    table = pd.read_csv(out / "predictions.csv")
    assert list(table) == ["split", "id", "gold", "predicted", "p_negative", "p_positive"]
    assert table["id"].tolist() == list(range(120))
    assert table["gold"].tolist() == [example.label for example in read_task(sentiment, "SST-2", "dev")]
    assert accuracy_score(table["gold"], table["predicted"]) == pytest.approx(found["value"])
    assert table[["p_negative", "p_positive"]].sum(axis=1).to_numpy() == pytest.approx(np.ones(120), abs=1e-5)
    chosen = table[["p_negative", "p_positive"]].idxmax(axis=1).str.removeprefix("p_")
    assert (chosen == table["predicted"]).all()

    history = pd.read_csv(out / "history.csv")
    assert history["step"].tolist() == [25 * epoch for epoch in range(9)]
    assert history["dev_accuracy"].iloc[-1] == pytest.approx(found["value"])
    labels = ["negative", "positive"]
    assert list(json.loads((out / "config.json").read_text())["id2label"].values()) == labels
    scores = json.loads((out / "scores.json").read_text())
    assert scores["labels"] == labels
    # before the first update the new classifier knows nothing
    untuned = scores["untuned"]["dev"]["accuracy"]
    assert untuned["low"] < 0.6
    assert scores["untuned"]["dev"]["n"] == 120
    assert json.loads((out / "run.json").read_text())["task"]["labels"] == labels
    # the model on disk says the same
    model, tokenizer = hub.load(out)
    one = read_task(sentiment, "SST-2", "dev")
    encoded = tokenizer(next(one).first, return_tensors="pt")
    shares = model(**encoded).logits.softmax(dim=-1)[0]
    assert shares.tolist() == pytest.approx(table.loc[0, ["p_negative", "p_positive"]].tolist(), abs=1e-4)


def test_shuffled_labels_teach_nothing(pretrained, sentiment, tmp_path):
    recipe = {**RECIPE, "shuffled_labels": True, "epochs": 4}
    finetune(ROW, recipe, TASK, pretrained, sentiment, tmp_path / "out", tmp_path / "work", device="cpu")
    # 120 examples at chance: standard deviation .046
    assert abs(accuracy(tmp_path / "out")["value"] - 0.5) < 0.2


def test_scores_of_pairs(pretrained, tmp_path):
    write_similarity(tmp_path / "STS-B", {"train": 400, "dev": 100})
    task = {"task": "STS-B", "scoring": {"resamples": 50}}
    finetune(
        ROW, RECIPE, task, pretrained, tmp_path / "STS-B", tmp_path / "out", tmp_path / "work", device="cpu"
    )
    found = json.loads((tmp_path / "out" / "scores.json").read_text())["splits"]["dev"]
    assert found["n"] == 100
    assert found["pearson"]["value"] > 0.9
    table = pd.read_csv(tmp_path / "out" / "predictions.csv")
    assert list(table) == ["split", "id", "gold", "predicted"]
    assert np.corrcoef(table["gold"], table["predicted"])[0, 1] == pytest.approx(
        found["pearson"]["value"], abs=1e-4
    )
    history = pd.read_csv(tmp_path / "out" / "history.csv")
    assert history["dev_accuracy"].isna().all()
    squared = ((table["gold"] - table["predicted"]) ** 2).mean()
    assert history["dev_loss"].iloc[-1] == pytest.approx(squared, rel=1e-4)


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
    assert (recipe.peak_rate, recipe.weight_decay, recipe.clip, recipe.schedule) == (
        2e-5,
        0.01,
        1.0,
        "linear",
    )
    assert recipe.window == 50 * 32


def test_a_part_of_the_examples(pretrained, sentiment, tmp_path):
    recipe = {**RECIPE, "examples": 48, "epochs": 1}
    finetune(ROW, recipe, TASK, pretrained, sentiment, tmp_path / "out", tmp_path / "work", device="cpu")
    report = json.loads((tmp_path / "out" / "run.json").read_text())
    assert report["data"]["train_examples"] == 48
    assert report["data"]["dev"] == 120


@pytest.mark.parametrize(
    ("recipe", "task", "message"),
    [
        ({"longest": 64}, {}, "examples of 64 pieces for a model of 40 positions"),
        ({"epoch": 3}, {}, "did you mean 'epochs'"),
        ({"warmup": 1.5}, {}, "`warmup`: it is 1.5, but must be less than or equal to 1"),
        ({}, {"task": "SST2"}, "`task`: it is 'SST2'; did you mean 'SST-2'"),
        ({}, {"dev": ["test"]}, "SST-2 has no labels for test"),
        ({}, {"dev": ["dev_matched"]}, "the file does not exist"),
    ],
)
def test_what_cannot_be_run(pretrained, sentiment, tmp_path, recipe, task, message):
    (sentiment / "test.tsv").write_text("index\tsentence\n0\tba be\n")
    given = ROW, {**RECIPE, **recipe}, {**TASK, **task}
    with pytest.raises(InputError, match=message):
        finetune(*given, pretrained, sentiment, tmp_path / "out", tmp_path / "work")
    assert not (tmp_path / "out").exists()


def test_real_glue_is_read(real_data, pretrained):
    """Every task there is: labelled, encoded, and of labels that its name allows."""
    if not (real_data / "glue").is_dir():
        pytest.skip(f"{real_data} has no glue")
    _, tokenizer = hub.load(pretrained)
    for task, folder in (
        ("RTE", "RTE"),
        ("MRPC", "MRPC"),
        ("SST-2", "SST-2"),
        ("STS-B", "STS-B"),
        ("QNLI", "QNLI"),
    ):
        examples = list(read_task(real_data / "glue" / folder, task, "dev"))
        data = LabelledTexts(examples[:200], TASKS[task], tokenizer, 40)
        assert data.source.lengths.max() <= 40
        assert (data.second < data.source.lengths).all() == (TASKS[task].columns[1] is not None)
        if TASKS[task].labels:
            assert set(data.labels) == set(range(len(TASKS[task].labels)))
