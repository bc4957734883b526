"""Pretraining: the loss restated, a planted pattern learned, a killed training that goes on, and the run's files."""

import json
import math

import pandas as pd
import pytest
import torch
from toy_text import ARCHITECTURE, RECIPE, ROW, segments_of, tokenizer_of, write_paragraphs
from transformers import BertForMaskedLM, BertForPreTraining

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.jobs.pretrain import pretrain, recipe_of
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import ENCODER_FILES
from headwork.models.objectives.encoder_batches import EncoderCollator
from headwork.models.objectives.pretraining import Pretraining, next_sentence_accuracy, pretraining_loss
from headwork.models.training.batches import Passes
from headwork.models.training.train import train
from headwork.models.training.trainer import dev_scores


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_paragraphs(tmp_path_factory.mktemp("pretraining"), {"train": 300, "dev": 40})


@pytest.fixture(scope="module")
def tokenizer(folder):
    return tokenizer_of(folder)


def batch_of(data, tokenizer, numbers=range(6)):
    return EncoderCollator(tokenizer)([data[number] for number in numbers])


def test_bert_from_a_description(tokenizer):
    shape = {**ARCHITECTURE, "layers": 3, "spread": 0.3}
    model, same, other = (build(shape, tokenizer, seed) for seed in (1, 1, 2))
    assert isinstance(model, BertForMaskedLM)
    assert not model.training
    assert model.config.num_hidden_layers == 3
    assert model.config.pad_token_id == tokenizer.pad_token_id
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    assert model.bert.encoder.layer[0].intermediate.dense.weight.std().item() == pytest.approx(0.3, rel=0.1)
    ours, theirs = model.state_dict(), other.state_dict()
    assert all(torch.equal(ours[name], weight) for name, weight in same.state_dict().items())
    words = "bert.embeddings.word_embeddings.weight"
    assert not torch.equal(theirs[words], ours[words])
    assert isinstance(build({**ARCHITECTURE, "next_sentence": True}, tokenizer, 1), BertForPreTraining)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": 3}, "3 heads do not divide a width of 32"),
        ({"encoder_layers": 3}, "unknown key 'encoder_layers'"),
        ({"positions": "rotary"}, "`positions`: it is 'rotary', but must be 'normal' or 'sinusoidal'"),
    ],
)
def test_what_cannot_be_built(tokenizer, change, message):
    with pytest.raises(InputError, match=message):
        build({**ARCHITECTURE, **change}, tokenizer, 1)


def test_positions_may_begin_as_waves(tokenizer):
    usual, waves = (
        build({**ARCHITECTURE, "positions": positions}, tokenizer, 1).bert.embeddings
        for positions in ("normal", "sinusoidal")
    )
    assert torch.equal(usual.word_embeddings.weight, waves.word_embeddings.weight)
    table = waves.position_embeddings.weight
    assert table.requires_grad
    assert table.std().item() == pytest.approx(0.1, rel=1e-3)
    # up to its scale, place t has sin(t / 10000^(i / 32)) at an even i and the cosine beside it
    scale, angle = table[0, 1].item(), 7 / 10_000 ** (4 / 32)
    expected = [scale * math.sin(angle), scale * math.cos(angle)]
    assert table[7, 4:6].tolist() == pytest.approx(expected, abs=1e-5)
    # what two places have in common depends on their distance alone, and is most for neighbours
    common = table @ table.T
    assert max(common.diagonal(distance).std() for distance in range(5)) < 1e-4
    assert common[9, 9] > common[9, 10] > common[9, 11] > common[9, 13]


@pytest.mark.parametrize("second_task", [False, True])
def test_the_loss_is_that_of_transformers(folder, tokenizer, second_task):
    """Mean cross-entropy of the masked pieces, and with the second task that of its head, summed."""
    model = build({**ARCHITECTURE, "next_sentence": second_task}, tokenizer, 1)
    batch = batch_of(segments_of(folder, "train", unrelated=second_task), tokenizer)
    found = pretraining_loss(model, batch, counted=True)
    theirs = model(**batch).loss
    torch.testing.assert_close(found.loss / found.count + found.beside, theirs)
    logits = model(**{k: v for k, v in batch.items() if "label" not in k})[0]
    chosen = batch["labels"] >= 0
    assert found.count == chosen.sum()
    assert found.right == (logits.argmax(-1) == batch["labels"])[chosen].sum()


def test_padding_changes_nothing(folder, tokenizer):
    model = build(ARCHITECTURE, tokenizer, 1)
    data = segments_of(folder, "train")
    together = pretraining_loss(model, batch_of(data, tokenizer))
    alone = [pretraining_loss(model, batch_of(data, tokenizer, [number])) for number in range(6)]
    torch.testing.assert_close(together.loss, sum(one.loss for one in alone), rtol=1e-5, atol=1e-5)
    objective = Pretraining(EncoderCollator(tokenizer))
    one, many = (dev_scores(model, data, objective, tokens) for tokens in (40, 4000))
    assert one == pytest.approx(many, rel=1e-5)


def run(folder, tokenizer, work, steps=20, seed=1, shape=ARCHITECTURE, **recipe):
    model = build(shape, tokenizer, 1)
    how = recipe_of({**RECIPE, "steps": steps, **recipe}, "recipe")
    data, dev = segments_of(folder, "train", seed), segments_of(folder, "dev", 0)
    objective = Pretraining(EncoderCollator(tokenizer))
    done = train(model, data, dev, how, seed, work, "cpu", objective=objective)
    return model, done


def test_equals_a_plain_loop(folder, tokenizer, tmp_path):
    model, _ = run(folder, tokenizer, tmp_path, steps=6, warmup_steps=3, weight_decay=0.01, epsilon=1e-6)
    plain = build(ARCHITECTURE, tokenizer, 1).train()
    groups = [
        {
            "params": [weight for weight in plain.parameters() if (weight.ndim > 1) is decays],
            "weight_decay": decay,
        }
        for decays, decay in ((True, 0.01), (False, 0.0))
    ]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6)
    data = segments_of(folder, "train")
    for step, numbers in enumerate(Passes(data, 300, 6, seed=1)):
        for group in optimiser.param_groups:
            group["lr"] = 5e-3 * min(step / 3, (3 / max(step, 1)) ** 0.5)
        plain(**batch_of(data, tokenizer, numbers)).loss.backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
    for (name, ours), theirs in zip(model.named_parameters(), plain.parameters(), strict=True):
        if not name.endswith("key.bias"):  # softmax does not feel it: its gradient is rounding
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=5e-5, msg=name)


def test_it_learns_a_planted_pattern(folder, tokenizer, tmp_path):
    """Every word has one successor, so neighbours tell a masked word; position and frequency do not."""
    shape, steps = {**ARCHITECTURE, "heads": 4, "width": 64}, {"evaluate_every": 150, "checkpoint_every": 300}
    _, done = run(folder, tokenizer, tmp_path, 300, shape=shape, schedule="cosine", **steps)
    history = done.history.set_index("step")
    assert history["dev_accuracy"][0] < 0.2
    assert history["dev_accuracy"][300] > 0.75
    assert history["dev_loss"][300] < history["dev_loss"][150] < history["dev_loss"][0]
    tokens = Passes(segments_of(folder, "train"), 300, 300, seed=1).target_tokens().cumsum()
    assert history["tokens"].tolist() == [0, tokens[149], tokens[299]]


def test_a_training_that_goes_on_ends_as_if_undisturbed(folder, tokenizer, tmp_path):
    model, done = run(folder, tokenizer, tmp_path)
    (tmp_path / "checkpoint-20" / "complete").unlink()
    resumed, again = run(folder, tokenizer, tmp_path)
    assert again.facts["resumed_from"] == 10
    for (name, ours), theirs in zip(model.named_parameters(), resumed.parameters(), strict=True):
        assert torch.equal(ours, theirs), name
    pd.testing.assert_frame_equal(done.history, again.history)


def test_other_masks_are_another_training(folder, tokenizer, tmp_path):
    run(folder, tokenizer, tmp_path)
    assert run(folder, tokenizer, tmp_path)[1].facts["resumed_from"] == 20
    assert run(folder, tokenizer, tmp_path, seed=2)[1].facts["resumed_from"] is None


def trained(folder, place, shape=ARCHITECTURE, **recipe):
    pretrain(ROW, shape, {**RECIPE, **recipe}, folder, place, place.parent / "work")
    return place


def test_a_run(folder, tmp_path):
    toy = trained(folder, tmp_path / "toy")
    assert {path.name for path in toy.iterdir()} == {*ENCODER_FILES, "history.csv", "run.json"}
    assert not (tmp_path / "work").exists()
    report, history = json.loads((toy / "run.json").read_text()), pd.read_csv(toy / "history.csv")
    assert report["objective"]["masking"] == {"share": 0.15, "mask": 0.8, "random": 0.1}
    assert report["objective"]["segments"] == {"pieces": 32, "lone": "halve"}
    assert history["tokens"].iloc[-1] == report["data"]["tokens_trained_on"] > 3000
    model, tokenizer = hub.load(toy)
    assert isinstance(model, BertForMaskedLM)
    found = dev_scores(model, segments_of(folder, "dev", 0), Pretraining(EncoderCollator(tokenizer)), 300)
    assert found.loss == pytest.approx(history["dev_loss"].iloc[-1], rel=1e-4)


def test_a_run_with_the_second_task(folder, tmp_path):
    toy = trained(folder, tmp_path / "toy", {**ARCHITECTURE, "next_sentence": True}, steps=10)
    report = json.loads((toy / "run.json").read_text())["objective"]
    assert report["next_sentence"] is True
    model, tokenizer = hub.load(toy)
    assert isinstance(model, BertForPreTraining)
    dev = segments_of(folder, "dev", 0, unrelated=True)
    found = next_sentence_accuracy(model, dev, EncoderCollator(tokenizer), 300)
    assert found == pytest.approx(report["dev_next_sentence_accuracy"])


def test_a_model_by_name_is_brought_in_and_trained_on(folder, tmp_path):
    first = trained(folder, tmp_path / "first")
    same = trained(folder, tmp_path / "same", {"model": str(first), "offline": True}, steps=0)
    weights, others = (hub.load(place)[0].state_dict() for place in (first, same))
    assert all(torch.equal(weights[name], weight) for name, weight in others.items())
    before, after = (pd.read_csv(place / "history.csv") for place in (first, same))
    assert after["step"].tolist() == [0]
    assert after["dev_loss"][0] == pytest.approx(before["dev_loss"].iloc[-1], rel=1e-4)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"segments": {"pieces": 64}}, "segments of 64 pieces for a model of 40 positions"),
        ({"label_smoothing": 0.1}, "no label smoothing"),
    ],
)
def test_what_cannot_be_run(folder, tmp_path, recipe, message):
    with pytest.raises(InputError, match=message):
        trained(folder, tmp_path / "toy", **recipe)
    assert not (tmp_path / "toy").exists()
