"""Encoders without a masked-word head: nothing is invented in silence; the head is trained alone, or done without."""

import json
import logging
import shutil

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file
from toy_text import ARCHITECTURE, RECIPE, ROW, segments_of, tokenizer_of, write_paragraphs
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    BertForMaskedLM,
    BertModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.architectures.masked_head import has_head, load_masked, weights_of_head
from headwork.models.jobs.language_model import train_language_model
from headwork.models.jobs.pretrain import pretrain
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.models.objectives.encoder_batches import EncoderCollator
from headwork.models.objectives.pretraining import Pretraining
from headwork.models.training.trainer import dev_scores
from headwork.relevance.jobs.sensitivity import sensitivity_run
from headwork.run.frame import Files
from headwork.settings.heads import SegmentRunSettings
from headwork.settings.relevance import SensitivitySettings

TRANSFORM = [f"transform.{layer}.{part}" for layer in ("dense", "LayerNorm") for part in ("weight", "bias")]
HEAD = {f"cls.predictions.{name}" for name in ("bias", *TRANSFORM)}
SHAPE = {**ARCHITECTURE, "heads": 4, "width": 64}
LEARNING = {**RECIPE, "schedule": "cosine", "steps": 200, "evaluate_every": 100, "checkpoint_every": 100}
ROW_OF_A_HEAD = {**ROW, "seed": 5}  # with the seed of the encoder the new head would be what its own began as
HEAD_ALONE = {**LEARNING, "steps": 100, "evaluate_every": 50, "checkpoint_every": 50, "frozen": "encoder"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_paragraphs(tmp_path_factory.mktemp("text"), {"train": 300, "dev": 40})


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    """A trained masked language model."""
    made = tmp_path_factory.mktemp("whole")
    pretrain(ROW, SHAPE, LEARNING, folder, made / "run", made / "work")
    return made / "run"


@pytest.fixture(scope="module")
def encoder(whole, tmp_path_factory):
    """The same without its head, as encoders are published; and with a pooler."""
    made = tmp_path_factory.mktemp("encoder")
    model, tokenizer = hub.load(whole)
    torch.manual_seed(1)
    bare = BertModel(model.config)
    bare.load_state_dict(model.bert.state_dict(), strict=False)
    save(made, bare, tokenizer)
    return made


def run(out, architecture, recipe, folder, init=None):
    pretrain(ROW_OF_A_HEAD, architecture, recipe, folder, out / "run", out / "work", init_folder=init)
    return out / "run"


def named(place):
    return {"model": str(place)}


def report(run):
    return json.loads((run / "run.json").read_text())


def weights(place):
    """By name, without the prefix of a model with a head."""
    found = load_file(place / "model.safetensors")
    return {name.removeprefix("bert."): weight for name, weight in found.items()}


def without(place, part):
    """Leaves the weights out whose names have that part."""
    path = place / "model.safetensors"
    left = {name: weight for name, weight in load_file(path).items() if part not in name}
    save_file(left, path, {"format": "pt"})


def assert_same_encoder(ours, theirs):
    ours, theirs = weights(ours), weights(theirs)
    names = {name for name in theirs if name.startswith(("embeddings.", "encoder."))}
    assert len(names) > 15
    for name in names:
        assert torch.equal(ours[name], theirs[name]), name


def test_what_is_new_is_told_and_nothing_else_is_said(encoder, whole, caplog, monkeypatch):
    # transformers has a handler of its own, on the terminal
    monkeypatch.setattr(logging.getLogger("transformers"), "handlers", [caplog.handler])
    before = torch.random.get_rng_state()
    first, again, other = (load_masked(encoder, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert set(first.new) == set(weights_of_head(first.model)) == HEAD
    name = "cls.predictions.transform.dense.weight"
    one, same, another = (dict(each.model.named_parameters())[name] for each in (first, again, other))
    assert torch.equal(one, same)
    assert not torch.equal(one, another)
    assert load_masked(whole, 1).new == []
    assert caplog.text == ""
    AutoModelForMaskedLM.from_pretrained(encoder)
    assert "LOAD REPORT" in caplog.text


def test_other_families(folder, tmp_path):
    tokenizer = tokenizer_of(folder)
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2
    )
    save(tmp_path, RobertaForMaskedLM(config).roberta, tokenizer)
    layers = [f"{layer}.{part}" for layer in ("dense", "layer_norm") for part in ("weight", "bias")]
    assert set(load_masked(tmp_path, 1).new) == {f"lm_head.{name}" for name in ("bias", *layers)}


def test_a_part_of_a_head_is_no_head(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "part")
    without(tmp_path / "part", "transform.dense")
    with pytest.raises(
        InputError, match=r"part: lacks weights, cls\.predictions\.transform\.dense\.bias for"
    ):
        load_masked(tmp_path / "part", 1)


def test_with_0_steps_it_is_saved_without(encoder, folder, tmp_path, caplog):
    caplog.set_level("INFO")
    brought = run(tmp_path, named(encoder), {**LEARNING, "steps": 0}, folder)
    assert "has no masked-word head, and gets none; what needs one will say so" in caplog.text
    assert isinstance(hub.load(brought)[0], BertModel)
    assert not has_head(brought)
    ours, theirs = weights(brought), weights(encoder)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], weight) for name, weight in theirs.items())
    assert pd.read_csv(brought / "history.csv").empty
    given = Files(model=brought, text=folder / "dev.txt")
    with pytest.raises(InputError, match=r"run: has no masked-word head, .*; train one: a run with this"):
        sensitivity_run(given, Files(), SegmentRunSettings(), SensitivitySettings())


@pytest.mark.parametrize("start", ["model", "run of the model", "run of a shape"])
def test_the_head_alone_is_trained(encoder, whole, folder, tmp_path, caplog, start):
    """On an encoder that has learned what follows what, a head learns to say it; the encoder stays bit by bit."""
    caplog.set_level("INFO")
    if start == "model":
        trained = run(tmp_path, named(encoder), HEAD_ALONE, folder)
    else:
        brought = run(tmp_path / "brought", named(encoder), {**LEARNING, "steps": 0}, folder)
        shape = named(encoder) if start == "run of the model" else SHAPE
        recipe = {**HEAD_ALONE, "start": "encoder", "average_checkpoints": 2}
        trained = run(tmp_path, shape, recipe, folder, brought)
    assert "the masked-word head is new, and it alone is trained: cls.predictions.bias" in caplog.text
    assert_same_encoder(trained, encoder)
    model, tokenizer, new = load_masked(trained, 1)
    assert new == []
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    head = {name: weight for name, weight in model.named_parameters() if name in HEAD}
    facts = report(trained)
    assert facts["training"]["trained_parameters"] == sum(weight.numel() for weight in head.values())
    for name, weight in load_masked(encoder, ROW_OF_A_HEAD["seed"]).model.named_parameters():
        assert name not in HEAD or not torch.equal(weight, head[name]), name
    history = pd.read_csv(trained / "history.csv").set_index("step")
    assert history["dev_loss"][100] < history["dev_loss"][50] < history["dev_loss"][0]
    assert history["dev_accuracy"][0] < 0.2
    whole_accuracy = pd.read_csv(whole / "history.csv")["dev_accuracy"].iloc[-1]
    assert history["dev_accuracy"][100] > 0.8 * whole_accuracy > 0.4
    assert facts["objective"]["new_head"] is True
    assert facts["objective"]["dev_masked_accuracy"] == pytest.approx(history["dev_accuracy"][100], rel=1e-5)
    if start == "model":
        found = dev_scores(model, segments_of(folder, "dev", 0), Pretraining(EncoderCollator(tokenizer)), 300)
        assert found.accuracy == pytest.approx(history["dev_accuracy"][100], abs=1e-3)
    given, output = Files(model=trained, text=folder / "dev.txt"), Files(table=tmp_path / "s.parquet")
    segments = SegmentRunSettings.read({"segments": {"pieces": 32}}, "segments")
    sensitivity_run(given, output, segments, SensitivitySettings(number=2))
    assert pd.read_parquet(output.table)["value"].sum() > 0


def test_head_and_encoder_may_be_trained_together(encoder, folder, tmp_path, caplog):
    caplog.set_level("INFO")
    trained = run(tmp_path, named(encoder), RECIPE, folder)
    assert "the masked-word head is new, and it is trained with the encoder: " in caplog.text
    name = "encoder.layer.0.attention.self.query.weight"
    assert not torch.equal(weights(trained)[name], weights(encoder)[name])


def test_a_frozen_encoder_under_a_head_of_its_own(whole, folder, tmp_path):
    """A run that goes on from one with a head goes on with that head."""
    trained = run(tmp_path, SHAPE, {**RECIPE, "frozen": "encoder"}, folder, whole)
    assert_same_encoder(trained, whole)
    assert report(trained)["objective"]["new_head"] is False
    before, after = (pd.read_csv(each / "history.csv")["dev_loss"] for each in (whole, trained))
    assert after.iloc[0] == pytest.approx(before.iloc[-1], rel=1e-4)


def test_what_cannot_be(encoder, whole, folder, tmp_path):
    def refused(message, architecture, recipe, init):
        with pytest.raises(InputError, match=message):
            run(tmp_path, architecture, recipe, folder, init)
        assert not (tmp_path / "run").exists()

    taking = {**RECIPE, "start": "encoder"}
    refused("has no masked-word head; set `start: encoder` in the recipe", SHAPE, RECIPE, encoder)
    still = {**taking, "steps": 0}
    refused("its masked-word head is new, and 0 steps do not train it", SHAPE, still, encoder)
    refused("`start` is an encoder, but there is none; name init_run", SHAPE, taking, None)
    message = r"embeddings\.word_embeddings\.weight is \(\d+, 64\) there and \(\d+, 32\) here"
    refused(message, ARCHITECTURE, taking, encoder)
    deep = {**SHAPE, "layers": 2}
    refused(r"encoder\.layer\.1\.\S+ is None there and \(64, 64\) here", deep, taking, encoder)
    other = tokenizer_of(folder)
    other.add_tokens(["more"])
    save(tmp_path / "other", build(SHAPE, other, 1), other)
    message = "its encoder has another vocabulary; name an encoder with the same tokenizer"
    refused(message, named(tmp_path / "other"), taking, whole)


def test_language_models_over_a_corpus_leave_no_key_unread(tmp_path):
    frozen = {**{key: value for key, value in RECIPE.items() if key != "segments"}, "frozen": "encoder"}
    refused = {
        "`start` and `frozen` are for translation": frozen,
        "`segments` are for models of running": RECIPE,
    }
    for message, recipe in refused.items():
        with pytest.raises(InputError, match=message):
            train_language_model(ROW, {}, recipe, tmp_path, tmp_path / "run", tmp_path / "work")


def test_a_folder_without_a_tokenizer(encoder, whole, tmp_path):
    message = "has no tokenizer.*; save the one that the model was trained with"
    for place in (encoder, whole):
        bare = tmp_path / place.name
        shutil.copytree(place, bare, ignore=shutil.ignore_patterns("tokenizer*"))
        with pytest.raises(InputError, match=message):
            hub.load(bare)
    (bare / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=message) as found:
        hub.load(bare)
    assert "\n" not in str(found.value)


def test_lengths_that_a_tokenizer_was_saved_with_are_forgotten(encoder, folder, tmp_path):
    """As in all-MiniLM-L6-v2, whose tokenizer.json makes 128 pieces of every text."""
    shutil.copytree(encoder, tmp_path / "fixed")
    tokenizer = hub.load(encoder)[1]
    tokenizer.backend_tokenizer.enable_padding(length=12)
    tokenizer.backend_tokenizer.enable_truncation(12)
    tokenizer.backend_tokenizer.save(str(tmp_path / "fixed/tokenizer.json"))
    _, found = hub.load(tmp_path / "fixed")
    assert [len(found.backend_tokenizer.encode(text).ids) for text in ("ba be", "ba be " * 10)] == [4, 22]
    brought = run(tmp_path, named(tmp_path / "fixed"), {**LEARNING, "steps": 0}, folder)
    kept = json.loads((brought / "tokenizer.json").read_text())
    assert kept["padding"] is kept["truncation"] is None


def test_an_encoder_that_was_saved_without_a_pooler_has_none(whole, folder, tmp_path):
    model, tokenizer = hub.load(whole)
    save(tmp_path / "bare", model.bert, tokenizer)
    bare, _ = hub.load(tmp_path / "bare")
    assert bare.pooler is None
    ids = torch.tensor([[2, 7, 8, 3]])
    assert torch.equal(bare(ids).last_hidden_state, model.bert(ids).last_hidden_state)
    save(tmp_path / "again", bare, tokenizer)
    assert not any("pooler" in name for name in weights(tmp_path / "again"))
    # a class that reads the pooler does not come without it
    save(tmp_path / "second", build({**SHAPE, "next_sentence": True}, tokenizer, 1), tokenizer)
    without(tmp_path / "second", "pooler")
    with pytest.raises(InputError, match=r"second: lacks weights, bert\.pooler\.dense\.bias"):
        hub.load(tmp_path / "second")
    assert isinstance(hub.load(tmp_path / "second", AutoModel)[0], BertModel)
    assert isinstance(hub.load(whole)[0], BertForMaskedLM)


def test_a_control_has_the_shape_and_tokenizer_of_the_model_and_weights_of_its_own_seed(
    folder, encoder, tmp_path
):
    """The encoder's weights are left behind: none of its matrices is kept, and another seed draws others."""
    random, still = named(encoder) | {"weights": "random"}, {**LEARNING, "steps": 0}
    for seed in (1, 2):
        pretrain({**ROW, "seed": seed}, random, still, folder, tmp_path / str(seed), tmp_path / "work")
    published, one, two = map(weights, (encoder, tmp_path / "1", tmp_path / "2"))
    matrices = [name for name, weight in one.items() if weight.ndim == 2 and name in published]
    assert len(matrices) > 6
    for name in matrices:
        assert one[name].shape == published[name].shape
        assert not torch.allclose(one[name], published[name], atol=1e-3)
        assert not torch.allclose(one[name], two[name], atol=1e-3)
    assert has_head(tmp_path / "1")
    assert (tmp_path / "1/tokenizer.json").read_bytes() == (encoder / "tokenizer.json").read_bytes()
