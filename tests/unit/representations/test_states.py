"""States: what the models themselves give, in the text's order, from shards of any size."""

import json

import numpy as np
import pytest
import torch
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.errors import InputError
from headwork.representations.states.hidden_states import States, extract
from headwork.settings.representations import StatesOnDisk

WORDS = [f"w{number}" for number in range(20)]
LINES = ["w1 w2 w3", "w4", "w5 w6 w7 w8 w9 w10", "w3 w2 w1 w1", "w19 w18"]


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer(WORDS)


@pytest.fixture(scope="module")
def bert(tokenizer):
    return tiny_bert(tokenizer)


def extracted(tmp_path, model, tokenizer, lines=LINES, **settings):
    reading = settings.pop("reading", None)
    extract(model, tokenizer, lines, tmp_path / "states", StatesOnDisk(**settings), reading)
    return States(tmp_path / "states")


def hidden_states(model, tokenizer, line):
    with torch.inference_mode():
        return model(**tokenizer(line, return_tensors="pt"), output_hidden_states=True).hidden_states


@pytest.mark.parametrize("shard_tokens", [1, 7, 10_000])
def test_of_an_encoder_they_are_its_hidden_states_in_the_texts_order(tmp_path, bert, tokenizer, shard_tokens):
    states = extracted(tmp_path, bert, tokenizer, tokens=8, shard_tokens=shard_tokens)
    assert (states.layers, states.dimensions, states.causal) == (2, 16, False)
    assert len(states) == len(states.index) == sum(len(line.split()) + 2 for line in LINES)
    for number, line in enumerate(LINES):
        rows = np.flatnonzero(states.index["sentence"] == number)
        assert states.index["piece"][rows].tolist() == tokenizer(line)["input_ids"]
        assert states.index["word"][rows].tolist() == [-1, *range(len(line.split())), -1]
        for layer, expected in enumerate(hidden_states(bert, tokenizer, line)):
            assert states.layer(layer, rows) == pytest.approx(expected[0].numpy(), abs=1e-5)


def test_rows_come_in_the_order_they_are_asked_for(tmp_path, bert, tokenizer):
    states = extracted(tmp_path, bert, tokenizer, shard_tokens=5)
    rows = np.array([17, 0, 9, 9, 4])
    assert (states.layer(1, rows) == states.layer(1)[rows]).all()


def test_of_a_translation_model_they_are_its_encoders(tmp_path, tokenizer):
    model = tiny_marian(tokenizer)
    states = extracted(tmp_path, model, tokenizer, tokens=100)
    expected = hidden_states(model.get_encoder(), tokenizer, LINES[2])
    rows = np.flatnonzero(states.index["sentence"] == 2)
    for layer in range(3):
        assert states.layer(layer, rows) == pytest.approx(expected[layer][0].numpy(), abs=1e-5)


def test_a_text_may_be_read_otherwise_than_it_is(tmp_path, bert, tokenizer):
    def masked(sentence, pieces):
        return np.where(np.arange(len(pieces)) == 1, tokenizer.mask_token_id, pieces)

    states = extracted(tmp_path, bert, tokenizer, reading=masked)
    first = states.index[states.index["sentence"] == 0]
    assert first["read"].tolist() == [2, tokenizer.mask_token_id, 7, 8, 3]
    assert first["piece"].tolist() == [2, 6, 7, 8, 3]
    expected = hidden_states(bert, tokenizer, "[MASK] w2 w3")
    assert states.layer(2, first.index.to_numpy()) == pytest.approx(expected[2][0].numpy(), abs=1e-5)


def test_half_precision_halves_the_disk(tmp_path, bert, tokenizer):
    whole = extracted(tmp_path / "whole", bert, tokenizer)
    half = extracted(tmp_path / "half", bert, tokenizer, precision="float16")
    assert half.layer(2) == pytest.approx(whole.layer(2), abs=2e-3)
    assert np.load(tmp_path / "half/states/layer2.0000.npy").dtype == np.float16


def test_sentences_beyond_the_models_positions_are_left_out_and_the_others_keep_their_numbers(
    tmp_path, bert, tokenizer
):
    states = extracted(tmp_path, bert, tokenizer, ["w1 " * 40 + "w1", "w2"])
    assert set(states.index["sentence"]) == {1}
    with pytest.raises(InputError, match="no sentence has at most 32 tokens"):
        extracted(tmp_path, bert, tokenizer, ["w1 " * 40 + "w1"])


def test_bad_input(tmp_path, bert, tokenizer):
    states = extracted(tmp_path, bert, tokenizer)
    with pytest.raises(InputError, match=r"there is no layer 3: the model has 2"):
        states.layer(3)
    with pytest.raises(InputError, match=r"the folder has no states"):
        States(tmp_path / "nowhere")


def test_nothing_half_written_is_left_under_the_name(tmp_path, bert, tokenizer):
    def broken(sentence, pieces):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extracted(tmp_path, bert, tokenizer, reading=broken)
    assert not (tmp_path / "states").exists()
    facts = extracted(tmp_path, bert, tokenizer)
    assert json.loads((tmp_path / "states/states.json").read_text())["tokens"] == len(facts)
