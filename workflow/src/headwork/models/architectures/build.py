"""Models from a description: Transformer encoder-decoders of two families for translation, and BERT.

Vaswani et al. 2017 normalise after each residual sum (post-norm: `marian`); the code behind Voita et al. 2019
normalises before each layer and once more at the end (pre-norm: `pegasus`). Both are plain `transformers` classes with
sinusoidal positions, embeddings multiplied by sqrt(width), and one vocabulary for both sides whose embeddings are also
the output projection. The decoder starts from the padding token.

BERT (Devlin et al. 2019) is the encoder alone, post-norm, with learned positions and two token types, and predicts
subword tokens through a layer of its own and the embeddings.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    GenerationConfig,
    MarianConfig,
    MarianMTModel,
    PegasusConfig,
    PegasusForConditionalGeneration,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from headwork.settings.models import BERT, Architecture, BertArchitecture, Initialisation

FAMILIES: dict[str, tuple[type, type]] = {
    "marian": (MarianConfig, MarianMTModel),
    "pegasus": (PegasusConfig, PegasusForConditionalGeneration),
}


def build(
    architecture: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase, seed: int
) -> MarianMTModel | PegasusForConditionalGeneration | BertForMaskedLM | BertForPreTraining:
    """An untrained model over that tokenizer's vocabulary; torch's global generator is left as it was.

    Raises `InputError` for an unknown key or family and for incompatible numbers.
    """
    if architecture.get("family") == BERT:
        return _build_bert(BertArchitecture.read(architecture, "architecture"), tokenizer, seed)
    shape = Architecture.read(architecture, "architecture")
    config_class, model_class = FAMILIES[shape.family]
    config = config_class(
        vocab_size=len(tokenizer),
        d_model=shape.width,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        encoder_attention_heads=shape.heads,
        decoder_attention_heads=shape.decoder_heads or shape.heads,
        encoder_ffn_dim=shape.feed_forward,
        decoder_ffn_dim=shape.decoder_feed_forward or shape.feed_forward,
        max_position_embeddings=shape.max_positions,
        activation_function=shape.activation,
        dropout=shape.dropout.residual,
        attention_dropout=shape.dropout.attention,
        activation_dropout=shape.dropout.activation,
        scale_embedding=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        decoder_start_token_id=tokenizer.pad_token_id,
        forced_eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_class(config)
        _initialise(model, shape.initialisation)
    # The padding row of the tied matrix is trained by the softmax like any other, so it must never be generated.
    model.generation_config = GenerationConfig.from_model_config(config)
    model.generation_config.bad_words_ids = [[tokenizer.pad_token_id]]
    return model.eval()


def _build_bert(
    shape: BertArchitecture, tokenizer: PreTrainedTokenizerBase, seed: int
) -> BertForMaskedLM | BertForPreTraining:
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.feed_forward,
        max_position_embeddings=shape.max_positions,
        hidden_act=shape.activation,
        hidden_dropout_prob=shape.dropout,
        attention_probs_dropout_prob=shape.attention_dropout,
        initializer_range=shape.spread,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (BertForPreTraining if shape.next_sentence else BertForMaskedLM)(config)
    if shape.positions == "sinusoidal":
        waves = sinusoids(shape.max_positions, shape.width)
        model.bert.embeddings.position_embeddings.weight.data.copy_(waves * (shape.spread / waves.std()))
    return model.eval()


def sinusoids(positions: int, width: int) -> Float[Tensor, "position width"]:
    """sin(t / 10000^(2i/width)) and cos of the same, side by side, at each position t (Vaswani et al. 2017, 3.5)."""
    frequencies = 10_000 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(positions)[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]


@torch.no_grad()
def _initialise(model: PreTrainedModel, initialisation: Initialisation) -> None:
    width = model.config.d_model
    embeddings = model.get_input_embeddings()
    spread = width**-0.5 if initialisation.embeddings is None else initialisation.embeddings
    nn.init.normal_(embeddings.weight, std=spread)
    embeddings.weight[embeddings.padding_idx].zero_()
    for module in model.get_decoder().modules(), model.get_encoder().modules():
        for linear in (part for part in module if isinstance(part, nn.Linear)):
            if initialisation.linear is None:
                bound = math.sqrt(6 / (linear.in_features + linear.out_features))
                nn.init.uniform_(linear.weight, -bound, bound)
            else:
                nn.init.normal_(linear.weight, std=initialisation.linear)
            nn.init.zeros_(linear.bias)
