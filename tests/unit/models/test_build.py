"""Models from a description."""

import pytest
import torch
from toy_corpus import ARCHITECTURE, bpe
from transformers import MarianMTModel, PegasusForConditionalGeneration, PreTrainedTokenizerFast

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.models.architectures.build import build


@pytest.fixture(scope="module")
def tokenizer():
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe(["ba", "be"]), pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def test_families(tokenizer):
    assert isinstance(build({**ARCHITECTURE, "family": "marian"}, tokenizer, 1), MarianMTModel)
    model = build(ARCHITECTURE, tokenizer, 1)
    assert isinstance(model, PegasusForConditionalGeneration)
    assert not model.training
    config = model.config
    assert config.decoder_start_token_id == config.pad_token_id == tokenizer.pad_token_id
    assert model.get_encoder().embed_scale == pytest.approx(32**0.5)
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_normalisation_comes_after_the_sum_or_before_the_layer(tokenizer):
    states = torch.randn(2, 5, 32)
    for family, normalised in ("marian", True), ("pegasus", False):
        layer = build({**ARCHITECTURE, "family": family}, tokenizer, 1).get_encoder().layers[0]
        variance = layer(states, None).var(dim=-1, correction=0)
        assert torch.allclose(variance, torch.ones(2, 5), atol=1e-3) == normalised


def test_a_seed_is_a_model(tokenizer):
    before = torch.random.get_rng_state()
    first, again, other = (build(ARCHITECTURE, tokenizer, seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["model.shared.weight"], other["model.shared.weight"])


def test_initialisation(tokenizer):
    def spread(weight):
        return weight.std().item()

    wide = {**ARCHITECTURE, "width": 256, "feed_forward": 512}
    model = build(wide, tokenizer, 1)
    embeddings, fc1 = model.get_input_embeddings().weight, model.get_encoder().layers[0].fc1
    assert spread(embeddings[1:]) == pytest.approx(256**-0.5, rel=0.05)
    assert embeddings[tokenizer.pad_token_id].abs().max() == 0
    assert spread(fc1.weight) == pytest.approx((2 / (256 + 512)) ** 0.5, rel=0.05)
    assert fc1.bias.abs().max() == 0
    chosen = build({**wide, "initialisation": {"embeddings": 0.5, "linear": 0.01}}, tokenizer, 1)
    assert spread(chosen.get_input_embeddings().weight[1:]) == pytest.approx(0.5, rel=0.05)
    query = chosen.get_decoder().layers[0].encoder_attn.q_proj
    assert spread(query.weight) == pytest.approx(0.01, rel=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "bart"}, "`family`: it is 'bart', but must be 'pegasus' or 'marian'"),
        ({"heads": 3}, "3 heads do not divide a width of 32"),
        ({"layers": 3}, "unknown key 'layers'"),
        ({"dropout": {"residaul": 0.1}}, "did you mean 'residual'"),
        ({"initialisation": {"linears": 0.1}}, "did you mean 'linear'"),
    ],
)
def test_what_cannot_be_built(tokenizer, change, message):
    with pytest.raises(InputError, match=message):
        build({**ARCHITECTURE, **change}, tokenizer, 1)


def test_a_decoder_may_have_heads_and_a_width_between_its_layers_of_its_own(tokenizer):
    own = {"heads": 4, "decoder_heads": 1, "feed_forward": 64, "decoder_feed_forward": 8}
    model = build({**ARCHITECTURE, **own}, tokenizer, 1)
    heads = {site.kind: part.heads for site, part in anatomy(model).sites.items()}
    assert heads == {"encoder": 4, "decoder": 1, "cross": 1}
    assert [side.layers[0].fc1.out_features for side in (model.get_encoder(), model.get_decoder())] == [64, 8]


def test_dropout_rates(tokenizer):
    config = build({**ARCHITECTURE, "dropout": {"residual": 0.3, "activation": 0.0}}, tokenizer, 1).config
    assert (config.dropout, config.attention_dropout, config.activation_dropout) == (0.3, 0.1, 0.0)
