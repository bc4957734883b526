"""The state of the last layer is what that layer gives, before a last normalisation, in every family."""

import sys
from pathlib import Path

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.heads.streaming.batches import single_batches, texts
from headwork.lens.layers import Layers
from headwork.parses.conllu import Sentence, Word
from headwork.representations.probes.attention import pairs_of
from headwork.representations.states.annotated_words import layers_of, word_states
from headwork.representations.states.hidden_states import reader_of

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "lens"))
from small_models import BUILDERS, small_model

WORDS = [f"w{number}" for number in range(9)]
READ_TEXT = sorted(set(BUILDERS) - {"vit", "whisper"})


def sentence(forms):
    return Sentence([Word(form, head=number and 1, deprel="dep") for number, form in enumerate(forms)])


@pytest.mark.parametrize("family", READ_TEXT)
def test_states_of_words_are_those_that_leave_the_last_layer(family):
    model, tokenizer = reader_of(small_model(family)), word_tokenizer(WORDS)
    layers, trees = Layers(model), [sentence(WORDS[:5]), sentence(WORDS[4:])]
    every = list(texts([" ".join(tree.forms) for tree in trees], tokenizer, trees))
    batches = single_batches(every, layers.kind, tokenizer.pad_token_id, 40)
    left = []

    def keep(module, given, output):
        left.append((output if isinstance(output, torch.Tensor) else output[0]).detach())

    last = layers._layers[-1].module
    hook = last.register_forward_hook(keep)
    found = list(word_states(model, batches, layers_of(model, [len(layers)])))
    observed = []
    pairs_of(model, batches, kind=layers.kind, observe=lambda states, side: observed.extend(states))
    hook.remove()
    # layers that share their weights are called several times in each of the two passes
    expected = left[len(left) // 2 - 1]
    for row, (_, states) in enumerate(found):
        size = states.shape[1]
        torch.testing.assert_close(states[0], expected[row, 1 : 1 + size], atol=1e-6, rtol=0)
    assert torch.equal(observed[-1], left[-1])


def test_a_pre_norm_encoder_differs_from_its_normalised_output():
    model, tokenizer = reader_of(small_model("modernbert")), word_tokenizer(WORDS)
    tree = sentence(WORDS)
    batches = single_batches(list(texts([" ".join(WORDS)], tokenizer, [tree])), "encoder", 0, 40)
    ((_, states),) = word_states(model, batches, [len(Layers(model))])
    with torch.no_grad():
        normalised = model(**batches[0].inputs).last_hidden_state[0, 1:-1]
        again = model.final_norm(states[0])
    assert (states[0] - normalised).norm() > 0.1 * normalised.norm()
    torch.testing.assert_close(again, normalised)


def test_nothing_changes_for_a_post_norm_encoder():
    tokenizer = word_tokenizer(WORDS)
    model, tree = tiny_bert(tokenizer).base_model, sentence(WORDS)
    batches = single_batches(list(texts([" ".join(WORDS)], tokenizer, [tree])), "encoder", 0, 40)
    ((_, states),) = word_states(model, batches, layers_of(model))
    with torch.no_grad():
        every = model(**batches[0].inputs, output_hidden_states=True).hidden_states
    assert torch.equal(states, torch.stack([layer[0, 1:-1] for layer in every]))
