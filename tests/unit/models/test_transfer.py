"""An encoder from another run: what is taken, what stays as it is, and what cannot be."""

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from toy_corpus import ARCHITECTURE, RECIPE, WORDS, bpe, data_of, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.jobs.train import run_training
from headwork.models.loading.checkpoints import read_tokenizer
from headwork.models.loading.transfer import encoder_layers, keeping_rows, start_encoder_from
from headwork.models.training.train import train
from headwork.settings.models import Recipe

ROW = {"run": "child", "objective": "translation", "recipe": "toy", "seed": 2, "gates": "none"}
FEW = {**RECIPE, "steps": 4, "checkpoint_every": 2, "evaluate_every": 2}


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    """A trained run of one pair."""
    folder = tmp_path_factory.mktemp("parent")
    corpus = write_corpus(folder / "corpus", {"train": 200, "dev": 20})
    run_training({**ROW, "seed": 1}, ARCHITECTURE, FEW, corpus, folder / "run", folder / "work")
    return folder / "run"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Another pair: the same source, of which it knows the pieces, and another target."""
    folder = write_corpus(tmp_path_factory.mktemp("child"), {"train": 100, "dev": 20}, seed=5)
    for split in ("train", "dev"):
        path = folder / f"{split}.target.txt"
        path.write_text(path.read_text().replace("x", "qu"))
    bpe(WORDS + [f"{word}qu" for word in WORDS], 100).save(str(folder / "tokenizer.json"))
    return folder


def weights(folder):
    return load_file(folder / "model.safetensors")


def pieces(folder):
    return read_tokenizer(folder / "tokenizer.json").get_vocab()


def child(parent, corpus, folder, **recipe):
    run_training(ROW, ARCHITECTURE, {**FEW, **recipe}, corpus, folder / "run", folder / "work", 1, parent)
    return weights(folder / "run")


def test_the_encoder_is_taken_and_its_embeddings_piece_by_piece(parent, corpus, tmp_path):
    tokenizer = tokenizer_of(corpus)
    fresh, model = build(ARCHITECTURE, tokenizer, 2), build(ARCHITECTURE, tokenizer, 2)
    taken = start_encoder_from(model, tokenizer, parent)
    theirs, own, known = weights(parent), pieces(corpus), pieces(parent)
    assert sorted(taken) == sorted(own[piece] for piece in set(own) & set(known))
    assert 3 < len(taken) < len(own)
    before = fresh.state_dict()
    for name, weight in model.state_dict().items():
        if name.startswith("model.encoder.") and "embed_tokens" not in name:
            assert torch.equal(weight, theirs[name]), name
        elif name.startswith("model.decoder.") and "embed_tokens" not in name:
            assert torch.equal(weight, before[name]), name
    for piece, number in own.items():
        row = model.get_input_embeddings().weight[number]
        if piece in known:
            assert torch.equal(row, theirs["model.shared.weight"][known[piece]])
        else:
            assert torch.equal(row, before["model.shared.weight"][number])


def test_a_frozen_encoder_reads_what_it_read_before(parent, corpus, tmp_path):
    trained = child(parent, corpus, tmp_path, start="encoder", frozen="encoder")
    theirs = weights(parent)
    own, known = pieces(corpus), pieces(parent)
    for name, weight in trained.items():
        if name.startswith("model.encoder."):
            assert torch.equal(weight, theirs[name]), name
    source = {piece for text in data_of(corpus, "train").source for piece in text.tolist()}
    changed = 0
    for piece, number in own.items():
        row = trained["model.shared.weight"][number]
        if number in source and piece in known:
            assert torch.equal(row, theirs["model.shared.weight"][known[piece]]), piece
        else:
            changed += 1
    # what only the target has is learned, and so is the decoder
    fresh = build(ARCHITECTURE, tokenizer_of(corpus), 2)
    start_encoder_from(fresh, tokenizer_of(corpus), parent)
    moved = (trained["model.shared.weight"] != fresh.get_input_embeddings().weight).any(1)
    assert 0 < moved.sum() <= changed
    name = "model.decoder.layers.0.fc1.weight"
    assert not torch.equal(trained[name], dict(fresh.named_parameters())[name])


def test_a_tuned_encoder_goes_on_learning(parent, corpus, tmp_path):
    trained, theirs = child(parent, corpus, tmp_path, start="encoder"), weights(parent)
    name = "model.encoder.layers.0.fc1.weight"
    assert not torch.equal(trained[name], theirs[name])
    torch.testing.assert_close(trained[name], theirs[name], atol=0.1, rtol=0)


def test_frozen_equals_training_with_the_frozen_weights_put_back(parent, corpus, tmp_path):
    """Rows without a gradient stay; of the others' steps they change nothing but the gradient's norm."""
    tokenizer = tokenizer_of(corpus)
    recipe = {**FEW, "clip": 0.0, "steps": 1, "warmup_steps": 0}
    models = [build(ARCHITECTURE, tokenizer, 2) for _ in range(2)]
    data, dev = (data_of(corpus, split) for split in ("train", "dev"))
    rows = [5, 7]
    kept = models[0].get_input_embeddings().weight[rows].clone()
    with keeping_rows(models[0].get_input_embeddings().weight, rows):
        train(models[0], data, dev, recipe, 1, tmp_path / "a", frozen=encoder_layers(models[0]))
    train(models[1], data, dev, recipe, 1, tmp_path / "b", frozen=encoder_layers(models[1]))
    one, other = (model.get_input_embeddings().weight for model in models)
    assert torch.equal(one[rows], kept)
    others = [row for row in range(len(one)) if row not in rows]
    assert torch.equal(one[others], other[others])
    # outside of the block, rows are rows like any others
    assert not one._backward_hooks


def test_what_cannot_be(parent, corpus, tmp_path):
    tokenizer = tokenizer_of(corpus)
    with pytest.raises(InputError, match=r"there and .* here; init_run must have the same architecture"):
        start_encoder_from(build({**ARCHITECTURE, "width": 16}, tokenizer, 1), tokenizer, parent)
    with pytest.raises(InputError, match=r"lacks the weights model\.encoder\.layers\.1"):
        start_encoder_from(build({**ARCHITECTURE, "encoder_layers": 2}, tokenizer, 1), tokenizer, parent)
    strange = tmp_path / "tokenizer.json"
    bpe(["ψω"], 20).save(str(strange))
    assert isinstance(Tokenizer.from_file(str(strange)), Tokenizer)
    foreign = read_tokenizer(strange)
    with pytest.raises(InputError, match="shares no token with this vocabulary"):
        start_encoder_from(build(ARCHITECTURE, foreign, 1), foreign, parent)
    with pytest.raises(InputError, match="starts from an encoder, but from none; name init_run"):
        run_training(ROW, ARCHITECTURE, {**FEW, "start": "encoder"}, corpus, tmp_path / "a", tmp_path / "b")
    assert not (tmp_path / "a").exists()


def test_recipes_that_make_no_sense():
    with pytest.raises(ValueError, match="decay would change a frozen encoder"):
        Recipe(steps=1, frozen="encoder", weight_decay=0.1)
