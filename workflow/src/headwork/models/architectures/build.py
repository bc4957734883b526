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
from dataclasses import dataclass, field
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

from headwork.options import options, require

BERT = "bert"
POSITIONS = ("normal", "sinusoidal")
FAMILIES: dict[str, tuple[type, type]] = {
    "marian": (MarianConfig, MarianMTModel),
    "pegasus": (PegasusConfig, PegasusForConditionalGeneration),
}


@dataclass(frozen=True)
class Dropout:
    """Rates of dropout: of every residual branch and the embeddings, of attention weights, of the ReLU layer."""

    residual: float = 0.1
    attention: float = 0.1
    activation: float = 0.1


@dataclass(frozen=True)
class Initialisation:
    """Standard deviations of the weights before training; None stands for a rule.

    `embeddings` None: width^-0.5, so that the scaled embeddings have unit variance like the positions beside them.
    `linear` None: Glorot's uniform rule, per matrix (query, key and value count as three).
    """

    embeddings: float | None = None
    linear: float | None = None


@dataclass(frozen=True)
class Architecture:
    """The shape of a translation model; `heads` and `feed_forward` apply to every layer of both sides.

    `decoder_heads` and `decoder_feed_forward`, if given, replace these in the decoder. A decoder with one head attends
    to about one source position at each step, so that the encoder must collect the information for a word there.
    """

    family: str
    encoder_layers: int
    decoder_layers: int
    heads: int
    width: int
    feed_forward: int
    decoder_heads: int | None = None
    decoder_feed_forward: int | None = None
    max_positions: int = 512
    activation: str = "relu"
    dropout: Mapping[str, float] = field(default_factory=dict)
    initialisation: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(
            self.family in FAMILIES,
            f"architecture: unknown family '{self.family}'; known: {', '.join((*FAMILIES, BERT))}",
        )
        _check_heads(self.heads, self.width)
        _check_heads(self.decoder_heads or self.heads, self.width)


@dataclass(frozen=True)
class BertArchitecture:
    """The shape of a BERT; defaults of dropout and initialisation are the published ones.

    `dropout` and `attention_dropout`: rates, of every residual branch and the embeddings, and of attention weights.
    `spread`: standard deviation of the weights at initialisation. `positions`: initialisation of the learned position
    embeddings, `normal` as published, or `sinusoidal` (Vaswani et al. 2017, with the same standard deviation), with
    which a small model learns heads for neighbouring tokens in fewer steps. `next_sentence`: whether it has, and is
    trained on, BERT's next-sentence prediction.
    """

    family: str
    layers: int
    heads: int
    width: int
    feed_forward: int
    max_positions: int = 512
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    spread: float = 0.02
    positions: str = "normal"
    next_sentence: bool = False

    def __post_init__(self) -> None:
        _check_heads(self.heads, self.width)
        require(
            self.positions in POSITIONS,
            f"architecture: positions are '{self.positions}'; they begin {' or '.join(POSITIONS)}",
        )


def _check_heads(heads: int, width: int) -> None:
    require(
        width % heads == 0,
        f"architecture: {heads} heads do not divide a width of {width}; choose a multiple",
    )


def build(
    architecture: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase, seed: int
) -> MarianMTModel | PegasusForConditionalGeneration | BertForMaskedLM | BertForPreTraining:
    """An untrained model of that architecture over that tokenizer's vocabulary.

    The same seed gives the same weights on the same machine; torch's global generator is left as it was. Raises
    `InputError` for an unknown key or family and for incompatible numbers.
    """
    if architecture.get("family") == BERT:
        return _build_bert(options(BertArchitecture, architecture, "architecture"), tokenizer, seed)
    shape = options(Architecture, architecture, "architecture")
    dropout = options(Dropout, shape.dropout, "architecture.dropout")
    initialisation = options(Initialisation, shape.initialisation, "architecture.initialisation")
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
        dropout=dropout.residual,
        attention_dropout=dropout.attention,
        activation_dropout=dropout.activation,
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
        _initialise(model, initialisation)
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
