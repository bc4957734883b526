"""Language models with the encoder of a translation model: where they start, what they see, what they learn."""

import json

import numpy as np
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from torch.nn.functional import cross_entropy
from toy_corpus import ARCHITECTURE, RECIPE, data_of, write_corpus

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.architectures.language_model import MASK, add_mask, build_language_model
from headwork.models.jobs import language_model as language_run
from headwork.models.jobs import train as training_run
from headwork.models.jobs.language_model import train_language_model
from headwork.models.loading import hub
from headwork.models.objectives.encoder_batches import MaskedTexts
from headwork.models.objectives.language import LanguageModelling, NextPieces
from headwork.models.objectives.masking import Masking
from headwork.models.objectives.noise import Noise, NoisyPairs
from headwork.models.objectives.output_pieces import limit_outputs
from headwork.models.training.batches import Side, TranslationData
from headwork.settings.models import MaskingSettings

SHAPE = {
    "family": "pegasus", "encoder_layers": 2, "decoder_layers": 1, "heads": 2, "width": 16, "feed_forward": 16,
    "max_positions": 16,
}  # fmt: skip


@pytest.fixture
def tokenizer():
    found = word_tokenizer([f"w{number}" for number in range(30)])
    found.add_special_tokens({"eos_token": "[SEP]"})
    return found


@pytest.mark.parametrize("family", ["pegasus", "marian"])
@pytest.mark.parametrize("causal", [True, False])
def test_the_encoder_starts_where_the_translation_model_of_its_seed_starts(tokenizer, family, causal):
    shape = SHAPE | {"family": family}
    translating = build(shape, tokenizer, 3).get_encoder().state_dict()
    model = build_language_model(shape, tokenizer, 3, causal)
    own = model.base_model.state_dict()
    assert own.keys() == translating.keys()
    assert all(torch.equal(own[name], translating[name]) for name in own)
    other = build_language_model(shape, tokenizer, 4, causal).base_model.state_dict()
    assert any(not torch.equal(own[name], other[name]) for name in own)


@pytest.mark.parametrize("family", ["pegasus", "marian"])
def test_only_an_lm_is_blind_to_what_comes(tokenizer, family):
    one, two = torch.tensor([[5, 6, 7, 8, 3]]), torch.tensor([[5, 6, 7, 9, 3]])
    for causal in (True, False):
        model = build_language_model(SHAPE | {"family": family}, tokenizer, 1, causal)
        with torch.inference_mode():
            differ = (model(one).logits - model(two).logits).abs().amax(-1)[0]
        assert (differ[3:] > 0).all()
        assert bool((differ[:3] > 0).all()) is not causal
        assert bool((differ[:3] == 0).all()) is causal


def test_a_mask_piece_comes_after_all_others_and_changes_none(tokenizer):
    model = build_language_model(SHAPE, tokenizer, 1, causal=False)
    before, pieces = model.embeddings.detach().clone(), len(tokenizer)
    tokenizer.mask_token = None
    add_mask(model, tokenizer, 1)
    assert tokenizer.mask_token == MASK
    assert (len(tokenizer), model.config.vocab_size) == (pieces + 1, pieces + 1)
    assert torch.equal(model.embeddings[:pieces], before)
    assert model(torch.tensor([[5, tokenizer.mask_token_id]])).logits.shape == (1, 2, pieces + 1)


def test_a_saved_model_is_the_same_and_as_blind(tokenizer, tmp_path):
    model = build_language_model(SHAPE, tokenizer, 1, causal=True)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded, _ = hub.load(tmp_path)
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.inference_mode():
        assert torch.equal(loaded(ids).logits, model(ids).logits)
    assert json.loads((tmp_path / "config.json").read_text())["causal"] is True


def side(*sentences):
    starts = np.cumsum([0, *map(len, sentences)])
    return Side(np.concatenate(sentences).astype(np.int32), starts)


def test_the_loss_of_an_lm_is_that_of_the_next_piece(tokenizer):
    model = build_language_model(SHAPE, tokenizer, 1, causal=True)
    data, goal = NextPieces(side([5, 6, 7, 3], [8, 9, 3]), seed=0), LanguageModelling(model, tokenizer)
    batch = goal.collate([data[0], data[1]])
    logits = model(batch["input_ids"], batch["attention_mask"]).logits
    said = torch.cat([logits[0, :3], logits[1, :2]])
    expected = cross_entropy(said, torch.tensor([6, 7, 3, 9, 3]), reduction="sum")
    found = goal.loss(model, batch)
    assert found.count == 5
    assert found.loss.item() == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize("causal", [True, False])
def test_only_pieces_of_the_text_are_said(tokenizer, causal):
    model = build_language_model(SHAPE, tokenizer, 1, causal)
    if not causal:
        tokenizer.mask_token = None
        add_mask(model, tokenizer, 1)
    limit_outputs(model, [3, 5, 6, 7, 8, 9])
    goal = LanguageModelling(model, tokenizer)
    data = NextPieces(side([5, 6, 7, 3], [8, 9, 3]), seed=0)
    batch = goal.collate([data[0], data[1]])
    logits = model(batch["input_ids"], batch["attention_mask"]).logits
    assert logits.softmax(-1)[..., [3, 5, 6, 7, 8, 9]].sum(-1).min() > 1 - 1e-6
    said = batch["labels"] >= 0
    expected = cross_entropy(logits[said], batch["labels"][said], reduction="sum").item()
    scored = goal.score(model, batch)
    # wrapped, as several processes see it, which may not look into the model
    for found in (goal.loss(model, batch), goal.loss(Wrapper(model), batch), scored):
        assert found.loss.item() == pytest.approx(expected, rel=1e-5)
    assert scored.right == int((logits[said].argmax(-1) == batch["labels"][said]).sum())


class Wrapper(torch.nn.Module):
    """Hands everything on, and has nothing of its model's."""

    def __init__(self, model):
        super().__init__()
        self.module = model

    def forward(self, **given):
        return self.module(**given)


def test_the_loss_of_an_mlm_is_that_of_the_masked_pieces(tokenizer):
    model = build_language_model(SHAPE, tokenizer, 1, causal=False)
    masking = Masking(tokenizer, MaskingSettings(share=0.5, mask=1.0, random=0.0))
    data, goal = MaskedTexts(side([5, 6, 7, 8, 3]), 0, masking), LanguageModelling(model, tokenizer)
    row = data[0]
    masked = row.pieces == tokenizer.mask_token_id
    assert masked.sum() == 2
    assert (row.labels[masked] == np.array([5, 6, 7, 8, 3])[masked]).all()
    assert (row.labels[~masked] < 0).all()
    logits = model(torch.from_numpy(row.pieces)[None]).logits[0, torch.from_numpy(masked)]
    expected = cross_entropy(logits, torch.from_numpy(row.labels[masked]), reduction="sum")
    assert goal.loss(model, goal.collate([row])).loss.item() == pytest.approx(expected.item(), rel=1e-5)
    other = data[len(data)]  # the same sentence in the second pass
    assert not (other.pieces == row.pieces).all()


def test_noise_replaces_its_share_of_pieces_that_are_not_special(tokenizer):
    noise = Noise(tokenizer, 0.1, np.arange(35))
    pieces = np.tile(np.array([5, 6, 7, 8, 9, 10, 11, 12, 13, 3]), 2000)
    read = noise(pieces, np.random.default_rng(0))
    replaced = read != pieces
    assert not replaced[pieces == 3].any()
    # one in thirty is replaced by itself
    assert replaced[pieces != 3].mean() == pytest.approx(0.1 * 29 / 30, abs=0.006)
    assert not np.isin(read[replaced], tokenizer.all_special_ids).any()
    assert len(set(read[replaced])) == 30
    with pytest.raises(InputError, match=r"noise: 1\.5 is no share"):
        Noise(tokenizer, 1.5, np.arange(35))


def test_noise_is_in_the_source_alone_and_new_in_each_pass(tokenizer):
    text = side(*([5, 6, 7, 8, 9, 10, 3] for _ in range(40)))
    pairs = NoisyPairs(TranslationData(text, text, 16), Noise(tokenizer, 0.3, np.arange(35)), seed=1)
    first, again, later = (np.stack([pairs[start + n][0] for n in range(40)]) for start in (0, 0, 40))
    assert (first == again).all()
    assert (first != later).any()
    assert all((pairs[number][1] == [5, 6, 7, 8, 9, 10, 3]).all() for number in range(80))
    assert pairs.digest() != TranslationData(text, text, 16).digest()


class Enough(Exception):
    """What is to be trained on has been seen."""


@pytest.mark.parametrize(
    ("objective", "replaced"),
    [
        ("translation", {"noise": 0.5}),
        ("lm", {"noise": 0.5}),
        ("mlm", {"masking": {"share": 0.5, "mask": 0.0, "random": 1.0}}),
    ],
)
def test_pieces_of_the_other_language_are_never_read(tmp_path, monkeypatch, objective, replaced):
    """Both sides share a vocabulary, but in the paper each has its own."""
    corpus = write_corpus(tmp_path / "corpus", {"train": 100, "dev": 10})
    module, run = (training_run, training_run.run_training)
    if objective != "translation":
        module, run = language_run, train_language_model
    seen = []

    def train(model, data, *others, **named):
        seen.append(data)
        raise Enough

    monkeypatch.setattr(module, "train", train)
    row = {"run": "toy", "objective": objective, "recipe": "toy", "seed": 1, "gates": "none"}
    with pytest.raises(Enough):
        run(row, ARCHITECTURE, RECIPE | replaced, corpus, tmp_path / "out", tmp_path / "work")
    read = set(np.concatenate([seen[0][number][0] for number in range(1000)]).tolist())
    text = data_of(corpus, "train")
    source, target = (set(np.unique(part.pieces).tolist()) for part in (text.source, text.target))
    assert len(target - source) > 20
    assert read == source


def test_an_lm_that_reads_noise_still_says_its_text(tokenizer):
    data = NextPieces(side([5, 6, 7, 8, 9, 3]), 0, Noise(tokenizer, 1.0, np.arange(35)))
    assert data[0].labels.tolist() == [6, 7, 8, 9, 3, -100]
    assert (data[0].pieces[:-1] != [5, 6, 7, 8, 9]).any()


BROUGHT = {"run": "bert", "objective": "mlm", "seed": 1, "recipe": "none"}


def test_a_model_by_name_is_brought_in(tokenizer, tmp_path):
    model = tiny_bert(tokenizer)
    model.save_pretrained(tmp_path / "hub")
    tokenizer.save_pretrained(tmp_path / "hub")
    named, places = {"model": str(tmp_path / "hub")}, (tmp_path, tmp_path / "run", tmp_path / "work")
    train_language_model(BROUGHT, named, {"steps": 0}, *places)
    loaded, _ = hub.load(tmp_path / "run")
    ids = torch.tensor([[2, 5, 6, 3]])
    with torch.inference_mode():
        assert torch.equal(loaded(ids).logits, model(ids).logits)
    history = (tmp_path / "run" / "history.csv").read_text()
    assert history == "step,tokens,rate,loss,dev_loss,dev_accuracy,gradient_norm\n"
    with pytest.raises(
        InputError, match="can only be taken as it is on a parallel corpus; give a recipe of 0"
    ):
        train_language_model(BROUGHT, named, {"steps": 5}, *places)


def test_a_model_of_the_hub_is_read_from_where_it_was_fetched_to(tokenizer, tmp_path):
    fetched, places = tmp_path / "fetched", (tmp_path, tmp_path / "run", tmp_path / "work")
    tiny_bert(tokenizer).save_pretrained(fetched)
    tokenizer.save_pretrained(fetched)
    weights = sha256(fetched / "model.safetensors")
    # no such model is anywhere else
    named = {"model": "someone/bert", "revision": "0" * 40, "sha256": weights, "offline": True}
    train_language_model(BROUGHT, named, {"steps": 0}, *places, model_folder=fetched)
    assert sha256(tmp_path / "run" / "model.safetensors") == weights
    assert json.loads((tmp_path / "run" / "run.json").read_text())["inputs"] == {"model.safetensors": weights}
