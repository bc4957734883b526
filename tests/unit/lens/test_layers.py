"""Keys hidden from queries, encoders that read like language models, and layers run one by one."""

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.lens.layers import Layers
from headwork.lens.lens import Lens
from headwork.sites import Site

WORDS = [f"w{number}" for number in range(9)]


@pytest.fixture
def batch():
    tokenizer = word_tokenizer(WORDS)
    return tokenizer(["w1 w2 w3 w4", "w5 w6"], padding=True, return_tensors="pt")


@pytest.fixture
def model():
    return tiny_bert(word_tokenizer(WORDS)).base_model


def states(model, batch):
    with torch.inference_mode():
        return model(**batch).last_hidden_state


def test_a_causal_encoder_knows_nothing_of_later_tokens_and_is_itself_again_afterwards(model, batch):
    before = states(model, batch)
    other = {**batch, "input_ids": batch["input_ids"].clone()}
    other["input_ids"][0, 3] = 12
    with Lens(model) as lens, lens.causal():
        one, two = states(model, batch), states(model, other)
    assert torch.equal(one[0, :3], two[0, :3])
    assert not torch.allclose(one[0, 3], two[0, 3])
    assert not torch.allclose(states(model, other)[0, :3], before[0, :3])
    assert torch.equal(states(model, batch), before)


def test_causal_attention_is_as_in_a_decoder_and_padding_stays_hidden(model, batch):
    seen = []
    with Lens(model) as lens, lens.causal(), lens.observing(seen.append), torch.no_grad():
        model(**batch)
    for attended in seen:
        assert attended.weights.triu(1).abs().max() == 0
        assert attended.weights.sum(-1) == pytest.approx(torch.ones_like(attended.weights.sum(-1)))
    short = next(attended for attended in seen if attended.rows.stop == 2).weights[-1]
    assert short[:, :, 4:].abs().max() == 0


def test_a_hidden_key_gets_no_attention_in_its_layer_alone(model, batch):
    site, weights = Site("encoder", 2), {}
    allowed = torch.ones(1, 1, 6, 6, dtype=torch.bool)
    allowed[..., 2] = False

    def keep(attended):
        weights.setdefault(attended.site, []).append(attended.weights)

    with Lens(model) as lens, lens.masking({site: allowed}), lens.observing(keep), torch.no_grad():
        model(**batch)
    found = {site: torch.cat(parts) for site, parts in weights.items()}
    assert found[site][..., 2].abs().max() == 0
    assert found[Site("encoder", 1)][..., 2].min() > 0


def test_a_layer_that_is_not_there(model):
    with pytest.raises(InputError, match="there is no layer 3: the model has 2"):
        Layers(model).run(3, torch.zeros(1, 2, 16), torch.ones(1, 2, 2, dtype=torch.bool))
