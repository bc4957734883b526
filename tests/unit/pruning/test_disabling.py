"""Disabling heads and layers: against doing it by hand, and in a model with one head that matters."""

import numpy as np
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from torch import nn

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.pruning.disabling import Disabled, answers_without, variants
from headwork.sites import Head, Site


@pytest.fixture
def model():
    return tiny_bert(word_tokenizer("abcdefgh"), initializer_range=0.5)


@pytest.fixture
def batches(model):
    torch.manual_seed(1)
    found = []
    for lengths in ((7, 5), (4, 4, 3)):
        ids = torch.randint(5, len("abcdefgh") + 5, (len(lengths), max(lengths)))
        mask = torch.arange(ids.shape[1]) < torch.tensor(lengths)[:, None]
        found.append({"input_ids": ids * mask, "attention_mask": mask.long()})
    return found


def last_states(model: nn.Module, batch) -> np.ndarray:
    return model.bert(**batch).last_hidden_state[:, 0].numpy()


def test_variants_are_every_head_and_every_layer_in_each_way():
    found = variants({Site("encoder", 1): 2, Site("encoder", 2): 1})
    assert len(found) == 2 * (3 + 2) == len(set(found))
    assert found[:3] == [Disabled("uniform", Site("encoder", 1), head) for head in (1, 2, None)]
    with pytest.raises(InputError, match="no way 'mask'; known are uniform, zero"):
        variants({}, ["mask"])


def test_zero_is_removing_the_heads_part_of_the_output_projection(model, batches):
    """Equation: the site's output without W_O[:, head] context[head]."""
    for batch, (_, without) in zip(batches, answers_without(model, batches, last_states), strict=True):
        output = model.bert.encoder.layer[1].attention.output.dense
        kept = output.weight.detach().clone()
        for head, columns in ((1, slice(0, 8)), (2, slice(8, 16)), (None, slice(0, 16))):
            with torch.no_grad():
                output.weight[:, columns] = 0
                by_hand = last_states(model, batch)
                output.weight.copy_(kept)
            np.testing.assert_allclose(
                without[Disabled("zero", Site("encoder", 2), head)], by_hand, atol=1e-5
            )


def test_uniform_is_even_attention_to_real_tokens(model, batches):
    """By hand: the head's queries are zero, so that its scores are all alike."""
    for batch, (_, without) in zip(batches, answers_without(model, batches, last_states), strict=True):
        query = model.bert.encoder.layer[0].attention.self.query
        kept = {name: tensor.clone() for name, tensor in query.state_dict().items()}
        with torch.no_grad():
            query.weight[:8] = 0
            query.bias[:8] = 0
            by_hand = last_states(model, batch)
            query.load_state_dict(kept)
        np.testing.assert_allclose(without[Disabled("uniform", Site("encoder", 1), 1)], by_hand, atol=1e-5)


def test_every_variant_is_the_whole_models_answer_with_those_heads_disabled(model, batches):
    found = list(answers_without(model, batches, last_states))
    with Lens(model) as lens, torch.no_grad():
        for batch, (whole, without) in zip(batches, found, strict=True):
            assert np.array_equal(whole, last_states(model, batch))
            for variant, answer in without.items():
                heads = [variant.head] if variant.head else [1, 2]
                gates = torch.tensor([float(head not in heads) for head in (1, 2)])
                disabled = {
                    "uniform": lens.uniform([Head(*variant.site, head) for head in heads]),
                    "zero": lens.gating({variant.site: gates}),
                }
                with disabled[variant.way]:
                    expected = last_states(model, batch)
                np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-6 * (variant.way == "zero"))
                assert not np.allclose(answer, whole)


def test_an_answer_read_off_one_place_is_the_same_with_that_place_alone(model, batches):
    wholes, fewer = (
        list(answers_without(model, batches, last_states, places=places)) for places in (None, (0,))
    )
    for (own, without), (other, others) in zip(wholes, fewer, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-5)
        for variant, answer in without.items():
            np.testing.assert_allclose(answer, others[variant], atol=1e-5)


def test_a_head_that_adds_nothing_can_be_disabled_and_one_that_does_cannot(model, batches):
    with torch.no_grad():
        model.bert.encoder.layer[0].attention.output.dense.weight[:, 8:] = 0
    for whole, without in answers_without(model, batches, last_states, ["zero"]):
        np.testing.assert_allclose(without[Disabled("zero", Site("encoder", 1), 2)], whole, atol=1e-6)
        assert not np.allclose(without[Disabled("zero", Site("encoder", 1), 1)], whole, atol=1e-3)


def test_the_model_is_left_as_it_was(model, batches):
    model.train()
    list(answers_without(model, batches, last_states))
    assert model.training
    assert model.config._attn_implementation != "headwork"
