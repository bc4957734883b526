"""Training: against a loop written out by hand, and on a toy task."""

import math

import pytest
import torch
from torch.nn import functional
from toy_corpus import ARCHITECTURE, RECIPE, data_of, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import FixedGates, LearnedGates, heads_with_gates
from headwork.models.gates.removal import fold
from headwork.models.numerics import devices
from headwork.models.objectives.translation import Translating
from headwork.models.training.batches import Collator, TokenBudget
from headwork.models.training.train import train
from headwork.models.training.trainer import dev_scores
from headwork.settings.models import GateSettings
from headwork.sites import KINDS, Site

STILL = {"residual": 0.0, "attention": 0.0, "activation": 0.0}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("train"), {"train": 400, "dev": 40})


@pytest.fixture
def given(corpus):
    """(a model without dropout, data, dev)"""
    model = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3)
    return model, data_of(corpus, "train"), data_of(corpus, "dev")


def groups_of(weights, **more):
    """As `weights` decay by .01 if they are matrices, and not if they are vectors."""
    weights = list(weights)
    matrices, vectors = ([weight for weight in weights if (weight.ndim > 1) is one] for one in (True, False))
    return [
        {"params": matrices, "weight_decay": 0.01} | more,
        {"params": vectors, "weight_decay": 0.0} | more,
    ]


def batches_of(data, accumulation):
    """For each of seven updates: its batches as a model takes them, and how many target pieces are in them."""
    batches, collator = list(TokenBudget(data, 200, 7 * accumulation, seed=5)), Collator(0, 0)
    for step in range(7):
        together = batches[step * accumulation : (step + 1) * accumulation]
        tokens = sum(len(data[pair][1]) for batch in together for pair in batch)
        yield step, [collator([data[pair] for pair in batch]) for batch in together], tokens


def smoothed_loss(model, inputs):
    logits, labels = model(**inputs).logits.flatten(0, 1), inputs["labels"].flatten()
    return functional.cross_entropy(logits, labels, reduction="sum", label_smoothing=0.1)


def rate_at(step, peak):
    return peak * min(step / 4, (4 / max(step, 1)) ** 0.5)


def same_weights(model, plain):
    for (name, ours), theirs in zip(model.named_parameters(), plain.parameters(), strict=True):
        if not name.endswith("k_proj.bias"):
            # which softmax does not feel: its gradient is rounding, which Adam blows up to a step
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=2e-5, msg=name)


@pytest.mark.parametrize("accumulation", [1, 2])
def test_equals_a_plain_loop(given, corpus, tmp_path, accumulation):
    model, data, dev = given
    recipe = {**RECIPE, "steps": 7, "warmup_steps": 4, "clip": 0.5, "weight_decay": 0.01}
    train(model, data, dev, {**recipe, "accumulation": accumulation}, 5, tmp_path)

    plain = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3).train()
    trained = (weight for weight in plain.parameters() if weight.requires_grad)
    optimiser = torch.optim.AdamW(groups_of(trained), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    for step, batches, tokens in batches_of(data, accumulation):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, 5e-3)
        for inputs in batches:
            (smoothed_loss(plain, inputs) / tokens).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        optimiser.step()
        optimiser.zero_grad()
    same_weights(model, plain)


class Scripted(LearnedGates):
    """Gates whose noise is known beforehand."""

    drawn = 0

    def draw(self):
        noise = logistic(self.drawn, len(self.gates.log_a))
        self.drawn += 1
        return self.by_site(hard_concrete(self.gates.log_a, noise))


def logistic(number, count):
    return torch.rand(count, generator=torch.Generator().manual_seed(number)).logit()


def hard_concrete(log_a, noise):
    return (1.2 * torch.sigmoid((noise + log_a) / 0.33) - 0.1).clamp(0, 1)


@pytest.mark.parametrize("accumulation", [1, 2])
def test_gated_equals_a_plain_loop(given, corpus, tmp_path, accumulation):
    model, data, dev = given
    recipe = {**RECIPE, "steps": 7, "warmup_steps": 4, "clip": 0.0, "weight_decay": 0.01}
    sites = [Site("encoder", 1), Site("decoder", 1), Site("cross", 1)]
    gates = Scripted(dict.fromkeys(sites, 2), GateSettings(initial=0.5, rate=0.02), 0, penalty=0.3)
    frozen = [model.get_decoder(), model.get_output_embeddings()]
    train(model, data, dev, {**recipe, "accumulation": accumulation}, 5, tmp_path, gates=gates, frozen=frozen)

    plain = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3).train()
    untouched = {name: weight.clone() for name, weight in plain.named_parameters()}
    layers = list(plain.get_encoder().layers.parameters()) + list(plain.get_encoder().layer_norm.parameters())
    log_a = torch.full((6,), 0.5, requires_grad=True)
    groups = [*groups_of(layers, peak=5e-3), {"params": [log_a], "weight_decay": 0.0, "peak": 0.02}]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-9)
    number = 0
    with Lens(plain) as lens:
        for step, batches, tokens in batches_of(data, accumulation):
            for group in optimiser.param_groups:
                group["lr"] = rate_at(step, group["peak"])
            for inputs in batches:
                drawn = hard_concrete(log_a, logistic(number, 6)).split(2)
                with lens.gating(dict(zip(sites, drawn, strict=True))):
                    (smoothed_loss(plain, inputs) / tokens).backward()
                number += 1
            # the penalty counts once an update, however many batches there are in it
            (0.3 * torch.sigmoid(log_a + 0.33 * math.log(11)).sum()).backward()
            optimiser.step()
            optimiser.zero_grad()
            for weight in plain.parameters():
                weight.grad = None
    torch.testing.assert_close(gates.gates.log_a, log_a, rtol=1e-4, atol=1e-5)
    same_weights(model, plain)
    for name, ours in model.named_parameters():
        if not name.endswith("k_proj.bias"):
            assert torch.equal(ours, untouched[name]) == (not name.startswith("model.encoder.lay")), name
            assert ours.requires_grad == ("embed_positions" not in name)


def test_gated_history(given, tmp_path):
    model, data, dev = given
    gates = LearnedGates(heads_with_gates(anatomy(model), KINDS), GateSettings(initial=1.0, rate=0.1), 1, 3.0)
    recipe = {**RECIPE, "steps": 30, "checkpoint_every": 15}
    history = train(model, data, dev, recipe, 5, tmp_path, gates=gates).history.set_index("step")
    assert history["kept_heads"].dropna().tolist()[0] == 6
    assert history["penalty"][0] == pytest.approx(3 * 6 / (1 + math.exp(-1 - 0.33 * math.log(11))), rel=1e-5)
    assert history["kept_heads"].isna().tolist() == history["dev_loss"].isna().tolist()
    assert history["kept_heads"][30] == gates.table()["kept"].sum() < 6
    assert history["penalty"][30] == pytest.approx(gates.cost().item())
    # what is evaluated are the gates without noise, which folding makes part of the weights
    fold(model, gates.kept())
    loss, accuracy = dev_scores(model, dev, Translating(Collator(0, 0)), 200)
    assert history["dev_loss"][30] == pytest.approx(loss, rel=1e-5)
    assert history["dev_accuracy"][30] == pytest.approx(accuracy)
    assert not hasattr(model, "head_gates")
    assert not any("gates" in name for name in model.state_dict())


def test_a_target_is_kept_and_approached(given, tmp_path):
    model, data, dev = given
    settings = GateSettings(initial=2.0, rate=0.1, multiplier_rate=0.3)
    gates = LearnedGates(heads_with_gates(anatomy(model), KINDS), settings, 1, target=2)
    train(model, data, dev, {**RECIPE, "steps": 60}, 5, tmp_path, gates=gates)
    assert gates.table()["kept"].sum() == 2
    assert gates.gates.p_not_closed().sum().item() == pytest.approx(2, abs=1)
    assert gates.multipliers[0] > 0, "too many were open, so heads got a price"


def test_a_masked_head_takes_no_part(given, tmp_path):
    model, data, dev = given
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    mask = {Site("encoder", 1): torch.tensor([1.0, 0.0]), Site("cross", 1): torch.tensor([0.0, 1.0])}
    history = train(model, data, dev, RECIPE, 5, tmp_path, gates=FixedGates(mask)).history.iloc[-1]
    assert (history["kept_heads"], history["penalty"]) == (2, 0)
    for name in (f"model.encoder.layers.0.self_attn.{letter}_proj.weight" for letter in "qkv"):
        after, start = model.get_parameter(name), before[name]
        assert torch.equal(after[16:], start[16:])
        assert not torch.equal(after[:16], start[:16])


def test_no_steps_with_gates(given, tmp_path):
    model, data, dev = given
    mask = {site: torch.zeros(2) for site in anatomy(model).sites}
    found = train(model, data, dev, {**RECIPE, "steps": 0}, 5, tmp_path, gates=FixedGates(mask))
    fold(model, mask)
    loss, _ = dev_scores(model, dev, Translating(Collator(0, 0)), 200)
    assert found.history["dev_loss"][0] == pytest.approx(loss)


@pytest.mark.parametrize("able", [True, False])
@pytest.mark.parametrize(("asked", "found"), [("auto", "bf16"), ("bf16_products", "bf16_products")])
def test_bf16_where_it_is_faster(given, tmp_path, monkeypatch, able, asked, found):
    monkeypatch.setattr(devices, "bf16_pays", lambda: able)
    recipe = {**RECIPE, "steps": 0, "precision": asked}
    facts = train(*given, recipe, 5, tmp_path).facts
    assert facts["precision"] == (found if able else "fp32")


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
    loss, accuracy = dev_scores(model, dev, Translating(Collator(0, 0)), 200)
    assert history["dev_loss"][25] == pytest.approx(loss)
    assert history["dev_accuracy"][25] == pytest.approx(accuracy)
    assert history["loss"].iloc[-1] < history["loss"].iloc[1]
    assert found.facts["precision"] == "fp32"
    assert not model.training
    assert model.config.use_cache


def test_dev_scores_do_not_depend_on_batches(given):
    model, _, dev = given
    one, many = (dev_scores(model, dev, Translating(Collator(0, 0)), tokens) for tokens in (8, 10_000))
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


def test_bf16_learns_as_well(corpus, tmp_path, monkeypatch):
    # a CPU on which it is slower does the same
    monkeypatch.setattr(devices, "bf16_pays", lambda: True)

    def last(precision):
        model = build({**ARCHITECTURE, "dropout": STILL}, tokenizer_of(corpus), 3)
        recipe = {**RECIPE, "steps": 40, "precision": precision}
        data, dev = data_of(corpus, "train"), data_of(corpus, "dev")
        found = train(model, data, dev, recipe, 1, tmp_path / precision)
        assert found.facts["precision"] == precision
        return found.history["dev_loss"].iloc[-1]

    exact = last("fp32")
    for precision in ("bf16", "bf16_products"):
        near = last(precision)
        assert near == pytest.approx(exact, rel=0.03)
        assert near != exact


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"snapshots": [20]}, "snapshots has 20; choose updates from 1 to 19"),
        (
            {"average_checkpoints": 3},
            "average_checkpoints is 3, but 20 steps with checkpoint_every 10 leave 2",
        ),
    ],
)
def test_recipes_that_are_none(given, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        train(*given, {**RECIPE, **change}, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["pegasus", pytest.param("marian", marks=pytest.mark.long)])
def test_learns_to_turn_sentences_round(tmp_path, family):
    corpus = write_corpus(tmp_path / "corpus", {"train": 3000, "dev": 100})
    shape = {**ARCHITECTURE, "family": family, "dropout": STILL, "width": 64, "heads": 4, "feed_forward": 128}
    model = build(shape, tokenizer_of(corpus), 1)
    recipe = {**RECIPE, "steps": 500, "tokens_per_batch": 500, "peak_rate": 4e-3, "warmup_steps": 50}
    found = train(model, data_of(corpus, "train"), data_of(corpus, "dev"), recipe, 1, tmp_path / "work")
    assert found.history["dev_accuracy"].iloc[-1] > 0.9
