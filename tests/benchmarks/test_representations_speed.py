"""Influence of tokens from hidden states on disk, against reading every sentence anew

CPU seconds of one thread.
"""

import json
import tempfile
import time

import numpy as np
import pytest
import torch
from own_process import measured
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from headwork.lens.layers import Layers
from headwork.lens.lens import Lens
from headwork.representations.distances.influence import Sentences, choose, without
from headwork.representations.states.hidden_states import States, extract
from headwork.sites import Site

LAYERS, SENTENCES, WORDS, VOCABULARY = 6, 200, 25, 500


def total_of(vectors: torch.Tensor) -> float:
    """One number that tells sets of vectors apart."""
    return (vectors @ torch.linspace(-1, 1, vectors.shape[1])).abs().sum().item()


def influence() -> dict[str, float]:
    """Seconds for the states of every layer without one token of each sentence: from disk, and by reading it anew."""
    torch.manual_seed(0)
    model = BertModel(
        BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=256,
            num_hidden_layers=LAYERS,
            num_attention_heads=4,
            intermediate_size=1024,
        )
    ).eval()
    backend = Tokenizer(WordLevel({f"w{number}": number for number in range(VOCABULARY)}, "w0"))
    backend.pre_tokenizer = WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="w0")
    chance = np.random.default_rng(0)
    lines = [" ".join(f"w{word}" for word in chance.integers(1, VOCABULARY, WORDS)) for _ in range(SENTENCES)]
    ids = torch.tensor([tokenizer.encode(line) for line in lines])
    with tempfile.TemporaryDirectory() as folder:
        extract(model, tokenizer, lines, f"{folder}/states")
        states, layers = States(f"{folder}/states"), Layers(model)
        sentences = Sentences(states)
        chosen, _ = choose(sentences, np.arange(len(states)), len(states), 0)
        start = time.process_time()
        own = [
            torch.cat([found for _, found in without(layers, layer, states, sentences, chosen)])
            for layer in range(1, LAYERS + 1)
        ]
        own = [total_of(part) for part in own]
        from_disk = time.process_time() - start
    places = torch.tensor([row - sentences.start[sentences.of[row]] for row in sorted(chosen.masked)])
    anew, start = [], time.process_time()
    for layer in range(1, LAYERS + 1):
        total = 0.0
        for begin in range(0, SENTENCES, 150):  # some 4000 tokens, as above
            part, place = ids[begin : begin + 150], places[begin : begin + 150]
            key = torch.arange(WORDS)
            hidden = (key == place[:, None, None]) & (key[:, None] != place[:, None, None])
            with torch.inference_mode():
                model(part)  # as it is
                with Lens(model) as lens, lens.masking({Site("encoder", layer): ~hidden[:, None]}):
                    found = model(part, output_hidden_states=True).hidden_states[layer]
            total += total_of(found[key != place[:, None]])
        anew.append(total)
    return {
        "from disk": from_disk,
        "anew": time.process_time() - start,
        "difference": max(abs(a - b) / abs(b) for a, b in zip(own, anew, strict=True)),
    }


@pytest.mark.benchmark
def test_influence_from_states_is_three_times_faster_than_reading_anew(report) -> None:
    found = measured(__file__)
    assert found["difference"] < 1e-3
    report(
        "time of reading sentences anew / states from disk", found["anew"] / found["from disk"], at_least=3
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(influence()))
