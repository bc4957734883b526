"""Models by name: a saved folder stands in for the hub, in which nothing is looked up here."""

import json

import pytest
import torch
import toy_corpus
from toy_text import ARCHITECTURE, tokenizer_of, write_paragraphs
from transformers import (
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    MarianMTModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save

LABELS = ("negative", "positive")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return tokenizer_of(write_paragraphs(tmp_path_factory.mktemp("hub"), {}))


@pytest.fixture
def saved(tokenizer, tmp_path):
    """A saved BERT with both of its heads, as those of the hub have them."""
    model = build({**ARCHITECTURE, "next_sentence": True}, tokenizer, 1)
    save(tmp_path / "bert", model, tokenizer)
    return model, tmp_path / "bert"


def reconfigure(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_model_comes_as_what_its_config_names(saved):
    model, folder = saved
    found, tokenizer = hub.load(folder)
    assert isinstance(found, BertForPreTraining)
    assert not found.training
    assert tokenizer.mask_token == "[MASK]"
    ids = torch.tensor([[2, 7, 8, 3]])
    assert torch.equal(found(ids)[0], model(ids)[0])


def test_heads_may_be_left_over(saved):
    """Published BERTs are saved with the head of the second task, but their configs name the masked language model."""
    model, folder = saved
    reconfigure(folder, architectures=["BertForMaskedLM"])
    found, _ = hub.load(folder)
    assert isinstance(found, BertForMaskedLM)
    ids = torch.tensor([[2, 7, 8, 3]])
    torch.testing.assert_close(found(ids).logits, model(ids).prediction_logits)


def test_the_positions_of_roberta_begin_after_its_padding(tokenizer, tmp_path):
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2
    )
    save(tmp_path, RobertaForMaskedLM(config), tokenizer)
    roberta, _ = hub.load(tmp_path)
    assert isinstance(roberta, RobertaForMaskedLM)
    longest = hub.positions(roberta)
    assert longest == 512 - 1 - config.pad_token_id
    roberta(torch.full((1, longest), 7))
    with pytest.raises(RuntimeError, match="out of bounds"):
        roberta(torch.full((1, longest + 1), 7))


def test_a_translation_model(tmp_path):
    tokenizer = toy_corpus.tokenizer_of(toy_corpus.write_corpus(tmp_path / "corpus", {}))
    save(tmp_path / "marian", build({**toy_corpus.ARCHITECTURE, "family": "marian"}, tokenizer, 1), tokenizer)
    model, _ = hub.load(tmp_path / "marian", offline=True)
    assert isinstance(model, MarianMTModel)
    assert hub.positions(model) == model.config.max_position_embeddings


def test_a_classifier_on_a_pretrained_encoder(saved):
    model, folder = saved
    before = torch.random.get_rng_state()
    first, again, other = (hub.load_classifier(folder, LABELS, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert isinstance(first, BertForSequenceClassification)
    assert first.config.id2label == {0: "negative", 1: "positive"}
    for name, weight in model.bert.state_dict().items():
        assert torch.equal(first.bert.state_dict()[name], weight), name
    assert torch.equal(first.classifier.weight, again.classifier.weight)
    assert not torch.equal(first.classifier.weight, other.classifier.weight)
    assert first.classifier.weight.std().item() > 0


def test_a_classifier_on_an_encoder_without_a_pooler_and_one_score(tokenizer, tmp_path):
    save(tmp_path, build(ARCHITECTURE, tokenizer, 1), tokenizer)
    model, _ = hub.load_classifier(tmp_path, None, 1)
    assert (model.config.num_labels, model.config.problem_type) == (1, "regression")
    assert model.bert.pooler.dense.weight.std().item() == pytest.approx(0.1, rel=0.1)
    # a classifier of three labels gives its encoder, not its head, to one of two
    three, _ = hub.load_classifier(tmp_path, ("a", "b", "c"), 1)
    save(tmp_path / "three", three, tokenizer)
    two, _ = hub.load_classifier(tmp_path / "three", LABELS, 1)
    assert two.classifier.weight.shape == (2, 32)
    assert torch.equal(two.bert.pooler.dense.weight, three.bert.pooler.dense.weight)
    assert hub.load(tmp_path / "three")[0].config.id2label[2] == "c"


def test_nothing_is_there(tmp_path):
    for name in (tmp_path / "nowhere", "results/models/nowhere"):
        with pytest.raises(InputError, match="neither a folder nor a name of the hub"):
            hub.load(name)
    with pytest.raises(InputError, match="headwork-test/no-such-model: is not in the cache of models"):
        hub.load("headwork-test/no-such-model", offline=True)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("model.safetensors", None, "is not a model that can be loaded"),
        ("model.safetensors", "no weights", "these are no whole weights"),
        ("config.json", "{", "is not a model that can be loaded"),
    ],
)
def test_a_damaged_folder(saved, file, text, message):
    _, folder = saved
    (folder / file).unlink() if text is None else (folder / file).write_text(text)
    with pytest.raises(InputError, match=message) as found:
        hub.load(folder)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"architectures": ["BertForNothing"]}, "is a BertForNothing, which transformers does not know"),
        ({"architectures": ["BertForQuestionAnswering"]}, r"lacks weights, qa_outputs\.bias for one"),
        ({"num_hidden_layers": 0}, r"has weights that its config knows nothing of, bert\.encoder\.layer\.0"),
    ],
)
def test_a_config_of_another_model(saved, change, message):
    _, folder = saved
    reconfigure(folder, **change)
    with pytest.raises(InputError, match=message):
        hub.load(folder)


def test_weights_missing_from_an_encoder(saved):
    _, folder = saved
    reconfigure(folder, num_hidden_layers=2)
    with pytest.raises(InputError, match=r"lacks weights, bert\.encoder\.layer\.1"):
        hub.load_classifier(folder, LABELS, 1)


def test_a_tokenizer_of_another_model(saved, tmp_path):
    _, folder = saved
    toy_corpus.tokenizer_of(toy_corpus.write_corpus(tmp_path / "corpus", {})).save_pretrained(folder)
    with pytest.raises(InputError, match=r"the tokenizer has ids up to \d+, the model \d+ rows"):
        hub.load(folder)
