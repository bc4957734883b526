"""Generation with the cache of a recurrent decoder, greedy search written out, and products in eight bits."""

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from transformers import GenerationConfig, MarianConfig, PreTrainedTokenizerFast

from headwork.models.architectures.marian_ssru import MarianSsruModel
from headwork.models.numerics.eight_bits import EightBitLinear, in_eight_bits
from headwork.models.scoring.greedy import Greedy

PIECES, WIDTH, LAYERS = 40, 16, 2
END, PADDING = 0, PIECES - 1
SENTENCES = ["<3> <4> <5>", "<9>", "<7> <8> <3> <3> <12>", "<20> <21> <22> <30> <4> <6> <9>"]


@pytest.fixture
def model() -> MarianSsruModel:
    """A model whose translations vary with source and position; it ends two of the four above."""
    torch.manual_seed(2)
    sizes = {"layers": LAYERS, "attention_heads": 2, "ffn_dim": 24}
    sides = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in sizes.items()}
    pieces = {"pad_token_id": PADDING, "eos_token_id": END, "bos_token_id": None, "forced_eos_token_id": None}
    how = {
        "max_position_embeddings": 64,
        "activation_function": "relu",
        "scale_embedding": True,
        "dropout": 0.0,
    }
    config = MarianConfig(
        vocab_size=PIECES, d_model=WIDTH, decoder_start_token_id=PADDING, **sides, **pieces, **how
    )
    model = MarianSsruModel(config)
    for name, weight in model.named_parameters():
        if "norm" not in name:
            weight.data.normal_()
    model.tie_weights()
    model.final_logits_bias[..., PADDING], model.final_logits_bias[..., END] = -20, 5
    model.generation_config = GenerationConfig.from_model_config(config)
    return model.eval()


@pytest.fixture
def tokenizer() -> PreTrainedTokenizerFast:
    """Pieces are numbers in brackets."""
    names = {f"<{number}>": number for number in range(PIECES)}
    tokenizer = Tokenizer(models.WordLevel(names, "<1>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A <{END}>", special_tokens=[(f"<{END}>", END)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=f"<{END}>", pad_token=f"<{PADDING}>", unk_token="<1>"
    )


def batch(tokenizer) -> dict[str, torch.Tensor]:
    return tokenizer(SENTENCES, return_tensors="pt", padding=True, return_token_type_ids=False)


@pytest.mark.parametrize("beams", [1, 4])
def test_generation_with_the_cache_is_generation_without(model, tokenizer, beams) -> None:
    how = {"num_beams": beams, "max_new_tokens": 25, "do_sample": False}
    found, expected = (
        model.generate(**batch(tokenizer), **how, use_cache=cached) for cached in (True, False)
    )
    assert len(set(map(tuple, expected.tolist()))) == len(SENTENCES)
    assert found.tolist() == expected.tolist()


def test_the_past_is_one_cell_a_layer_however_much_was_said(model) -> None:
    ids, said = torch.tensor([[2, 3, 0], [4, 5, 0]]), torch.tensor([[39, 2, 8, 4], [39, 3, 3, 5]])
    decoder, states = model.get_decoder(), model.get_encoder()(ids).last_hidden_state
    whole = decoder(said, encoder_hidden_states=states, use_cache=False).last_hidden_state
    past, parts = None, []
    for part in (said[:, :3], said[:, 3:]):
        out = decoder(part, encoder_hidden_states=states, past_key_values=past, use_cache=True)
        past = out.past_key_values
        parts.append(out.last_hidden_state)
    assert torch.allclose(torch.cat(parts, 1), whole, atol=1e-6)
    layers = past.self_attention_cache.layers
    assert [layer.cell.shape for layer in layers] == [(2, WIDTH)] * LAYERS
    assert past.get_seq_length() == 4
    first = layers[0].cell[0].clone()
    past.reorder_cache(torch.tensor([1, 0]))
    assert torch.equal(layers[0].cell[1], first)
    past.reset()
    again = decoder(said, encoder_hidden_states=states, past_key_values=past, use_cache=True)
    assert torch.allclose(again.last_hidden_state, whole, atol=1e-6)


def test_greedy_search_written_out_is_that_of_generate(model, tokenizer) -> None:
    found = Greedy(model, tokenizer, pieces_per_batch=12)(SENTENCES)
    assert [each.ended for each in found] == [True, False, True, False]
    for sentence, each in zip(SENTENCES, found, strict=True):
        inputs = tokenizer(sentence, return_tensors="pt", return_token_type_ids=False)
        pieces = inputs["input_ids"].shape[1] - 1
        said = model.generate(**inputs, num_beams=1, do_sample=False, max_new_tokens=3 * pieces + 10)[0, 1:]
        assert each.source_pieces == pieces
        assert each.ended == (said[-1] == END)
        assert each.pieces == len(said) - each.ended
        assert each.text == tokenizer.decode(said, skip_special_tokens=True)
    assert Greedy(model, tokenizer, pieces_per_batch=1000)(SENTENCES) == found, "whatever the batches"
    assert Greedy(model, tokenizer, pieces_per_batch=1)(SENTENCES) == found
    batch(tokenizer)
    assert Greedy(model, tokenizer)(SENTENCES) == found, "whether or not the tokenizer has padded before"
    assert Greedy(model, tokenizer)([]) == []


def test_a_source_longer_than_the_positions_is_cut(model, tokenizer) -> None:
    numbers = [f"<{3 + number % 30}>" for number in range(100)]
    (whole,), (cut,) = (Greedy(model, tokenizer)([" ".join(some)]) for some in (numbers, numbers[:63]))
    assert whole == cut
    assert whole.source_pieces == 63
    assert whole.pieces <= 64


def test_a_linear_layer_in_eight_bits_has_the_published_weights() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(8, 5)
    with torch.no_grad():
        linear.weight.copy_(torch.randint(-127, 128, (5, 8)) / 300)
        linear.weight[0, 0] = 127 / 300  # the greatest
        rows = (torch.randint(0, 256, (6, 8)) - 128) / 64
        rows[0, :2] = torch.tensor(
            [-2.0, 127 / 64]
        )  # 256 steps from least to greatest, all rows on one of them
        assert torch.allclose(EightBitLinear(linear)(rows), linear(rows), atol=1e-4)


def test_a_model_in_eight_bits_says_nearly_the_same(model, tokenizer) -> None:
    starts = {"decoder_input_ids": torch.tensor([[PADDING, 2, 8]] * 4)}
    with torch.no_grad():
        before = model(**batch(tokenizer), **starts).logits
        after = in_eight_bits(model)(**batch(tokenizer), **starts).logits
    assert not any(isinstance(module, nn.Linear) for module in model.modules())
    difference, spread = (after - before).abs(), before[..., :PADDING].std()
    assert 0 < difference.max() < spread, "of padding too, whose bias is -20"
    assert difference.mean() < 0.1 * spread
