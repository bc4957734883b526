"""Translation models for CTranslate2, whose beam search is several times faster on a CPU.

CTranslate2's own converter of Marian models starts the decoder from a zero vector and drops the padding row, which in
models trained here is a trained start vector; for Pegasus it has none that works. Both are exported here as the same
Transformer with different positions of the layer normalisation. CTranslate2 has one number of heads for the encoder and
one for the decoder: a model without some heads is exported with the largest number of its side, padded with zeros, so
that its translations are the same, but its speed does not show the effect of removing heads.
"""

import torch
from ctranslate2.converters.converter import Converter
from ctranslate2.converters.transformers import _SUPPORTED_ACTIVATIONS, BartLoader
from ctranslate2.specs.model_spec import ModelConfig, ModelSpec
from ctranslate2.specs.transformer_spec import (
    TransformerDecoderSpec,
    TransformerEncoderSpec,
    TransformerSpec,
)
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.gates.removal import even_heads

PRE_NORM = {"marian": False, "pegasus": True}


class Export(Converter):
    """`Export(model, tokenizer).convert(folder)` writes what `ctranslate2.Translator(folder)` reads."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        self.model = model
        self.tokenizer = tokenizer

    @torch.no_grad()
    def _load(self) -> ModelSpec:
        return _Loader()(self.model, self.tokenizer)


class _Loader(BartLoader):
    """BART's loader, told where the normalisation is and that the padding piece starts the decoder."""

    def get_model_spec(self, model: PreTrainedModel) -> TransformerSpec:
        config = model.config
        sides = config.encoder_attention_heads, config.decoder_attention_heads
        widths = [config.d_model // heads for heads in sides]
        if hasattr(config, "kept_heads"):
            model, *sides = even_heads(model)
        shape = {
            "pre_norm": PRE_NORM[config.model_type],
            "activation": _SUPPORTED_ACTIVATIONS[config.activation_function],
        }
        spec = TransformerSpec(
            TransformerEncoderSpec(config.encoder_layers, sides[0], head_dim=widths[0], **shape),
            TransformerDecoderSpec(config.decoder_layers, sides[1], head_dim=widths[1], **shape),
        )
        self.set_encoder(spec.encoder, model.model.encoder)
        self.set_decoder(spec.decoder, model.model.decoder)
        self.set_linear(spec.decoder.projection, model.lm_head)
        if model.final_logits_bias.any():
            spec.decoder.projection.bias = model.final_logits_bias.squeeze(0)
        return spec

    def set_config(
        self, config: ModelConfig, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
    ) -> None:
        config.bos_token = tokenizer.pad_token
        config.decoder_start_token = tokenizer.convert_ids_to_tokens(model.config.decoder_start_token_id)
        config.eos_token = tokenizer.eos_token
        config.unk_token = tokenizer.unk_token
