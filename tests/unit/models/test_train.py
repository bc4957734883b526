"""Training: against a loop written out by hand, and on a toy task."""

import pytest
import torch
from torch.nn import functional
from toy_corpus import ARCHITECTURE, RECIPE, data_of, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.models.batches import Collator, TokenBudget
from headwork.models.build import build
from headwork.models.train import dev_scores, train

STILL = {"residual": 0.0, "attention": 0.0, "activation": 0.0}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("train"), {"train": 400, "dev": 40})


@pytest.fixture
def given(corpus):
    """(a model without dropout, data, dev)"""
    model = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3)
    return model, data_of(corpus, "train"), data_of(corpus, "dev")


@pytest.mark.parametrize("accumulation", [1, 2])
def test_equals_a_plain_loop(given, corpus, tmp_path, accumulation):
    model, data, dev = given
    recipe = {**RECIPE, "steps": 7, "warmup_steps": 4, "clip": 0.5, "weight_decay": 0.01}
    train(model, data, dev, {**recipe, "accumulation": accumulation}, 5, tmp_path)

    plain = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3).train()
    matrices = [weight for weight in plain.parameters() if weight.requires_grad and weight.ndim > 1]
    vectors = [weight for weight in plain.parameters() if weight.requires_grad and weight.ndim == 1]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
        lr=0.0,
        betas=(0.9, 0.98),
        eps=1e-9,
    )
    batches = list(TokenBudget(data, 200, 7 * accumulation, seed=5))
    collator = Collator(0, 0)
    for step in range(7):
        rate = 5e-3 * min(step / 4, (4 / max(step, 1)) ** 0.5)
        for group in optimiser.param_groups:
            group["lr"] = rate
        together = batches[step * accumulation : (step + 1) * accumulation]
        tokens = sum(len(data[pair][1]) for batch in together for pair in batch)
        for batch in together:
            inputs = collator([data[pair] for pair in batch])
            logits, labels = plain(**inputs).logits.flatten(0, 1), inputs["labels"].flatten()
            loss = functional.cross_entropy(logits, labels, reduction="sum", label_smoothing=0.1)
            (loss / tokens).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        optimiser.step()
        optimiser.zero_grad()
    for (name, ours), theirs in zip(model.named_parameters(), plain.parameters(), strict=True):
        if name.endswith("k_proj.bias"):
            continue  # softmax does not feel it: its gradient is rounding, which Adam blows up to a step
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=2e-5, msg=name)


def test_history(given, tmp_path):
    model, data, dev = given
    found = train(model, data, dev, {**RECIPE, "steps": 25, "checkpoint_every": 15}, 5, tmp_path)
    history = found.history.set_index("step")
    assert history.index.tolist() == [0, 10, 15, 20, 25]
    tokens = TokenBudget(data, 200, 25, seed=5).target_tokens()
    assert history["target_tokens"].tolist() == [0, *(tokens[:step].sum() for step in (10, 15, 20, 25))]
    assert history["dev_loss"].notna().tolist() == [True, True, False, True, True]
    # the rate of the last of those updates, which counts from 0
    assert history["rate"][20] == pytest.approx(5e-3 * (10 / 19) ** 0.5)
    loss, accuracy = dev_scores(model, dev, Collator(0, 0), 200)
    assert history["dev_loss"][25] == pytest.approx(loss)
    assert history["dev_accuracy"][25] == pytest.approx(accuracy)
    assert history["loss"].iloc[-1] < history["loss"].iloc[1]
    assert found.facts["precision"] == "fp32"
    assert not model.training
    assert model.config.use_cache


def test_dev_scores_do_not_depend_on_batches(given):
    model, _, dev = given
    one, many = (dev_scores(model, dev, Collator(0, 0), tokens) for tokens in (8, 10_000))
    assert one == pytest.approx(many, rel=1e-5)


def test_no_steps_leave_the_model_as_it_was(given, tmp_path):
    model, data, dev = given
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    found = train(model, data, dev, {**RECIPE, "steps": 0}, 5, tmp_path / "work")
    assert all(torch.equal(before[name], weight) for name, weight in model.state_dict().items())
    assert found.history["step"].tolist() == [0]
    assert found.history["dev_loss"][0] > 3


def test_same_seed_same_weights(corpus, tmp_path):
    def weights(seed, place):
        model = build(ARCHITECTURE, tokenizer_of(corpus), 3)
        train(model, data_of(corpus, "train"), data_of(corpus, "dev"), RECIPE, seed, tmp_path / place)
        return model.get_input_embeddings().weight

    first = weights(1, "a")
    assert torch.equal(first, weights(1, "b"))
    assert not torch.equal(first, weights(2, "c"))


def test_bf16_learns_as_well(corpus, tmp_path):
    def last(precision):
        model = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3)
        recipe = {**RECIPE, "steps": 40, "precision": precision}
        data, dev = data_of(corpus, "train"), data_of(corpus, "dev")
        found = train(model, data, dev, recipe, 1, tmp_path / precision)
        assert found.facts["precision"] == precision
        return found.history["dev_loss"].iloc[-1]

    exact, near = last("fp32"), last("bf16")
    assert near == pytest.approx(exact, rel=0.03)
    assert near != exact


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 1}, "unknown key 'learning_rate'"),
        ({"warmup_step": 1}, "did you mean 'warmup_steps'"),
        ({"precision": "fp16"}, "unknown precision 'fp16'"),
        ({"schedule": "inverse"}, "unknown schedule 'inverse'"),
        ({"betas": [0.9]}, "betas are two numbers"),
        ({"tokens_per_batch": 0}, "tokens_per_batch is 0"),
        ({"steps": -1}, "steps is -1"),
    ],
)
def test_recipes_that_are_none(given, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        train(*given, {**RECIPE, **change}, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["pegasus", "marian"])
def test_learns_to_turn_sentences_round(tmp_path, family):
    corpus = write_corpus(tmp_path / "corpus", {"train": 3000, "dev": 100})
    shape = {**ARCHITECTURE, "family": family, "dropout": STILL, "width": 64, "heads": 4, "feed_forward": 128}
    model = build(shape, tokenizer_of(corpus), 1)
    recipe = {**RECIPE, "steps": 500, "tokens_per_batch": 500, "peak_rate": 4e-3, "warmup_steps": 50}
    found = train(model, data_of(corpus, "train"), data_of(corpus, "dev"), recipe, 1, tmp_path / "work")
    assert found.history["dev_accuracy"].iloc[-1] > 0.9
