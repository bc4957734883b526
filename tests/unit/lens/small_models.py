"""Small seeded models of every family the lens supports, and a padded batch for each."""

import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

# Families whose own attention is of separate operations, so that the lens's fused one differs from it by rounding.
NEVER_FUSED = ("deberta-v2", "deberta-v3", "gemma2", "mpnet")
VOCABULARY, HEADS, HIDDEN, LAYERS = 60, 4, 24, 3

# fmt: off
_SIZES = {"vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS}
_SIZES |= {"num_attention_heads": HEADS, "intermediate_size": 32, "max_position_embeddings": 40}
_SIZES |= {"initializer_range": 0.3}
_SPECIALS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}
_BERT = _SIZES | {"pad_token_id": 0}
_MARIAN = _SPECIALS | {
    "vocab_size": VOCABULARY, "d_model": HIDDEN, "encoder_layers": LAYERS, "decoder_layers": 2,
    "encoder_attention_heads": HEADS, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim":
    32, "max_position_embeddings": 40, "init_std": 0.3, "decoder_start_token_id": 0, "forced_eos_token_id": 1,
}
_GPT2 = _SPECIALS | {
    "vocab_size": VOCABULARY, "n_embd": HIDDEN, "n_layer": LAYERS, "n_head": HEADS, "n_positions": 40,
    "initializer_range": 0.3,
}
_DISTILBERT = {
    "vocab_size": VOCABULARY, "dim": HIDDEN, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": 32,
    "max_position_embeddings": 40, "initializer_range": 0.3,
}
_OPT = _SPECIALS | {
    "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "word_embed_proj_dim": HIDDEN, "num_hidden_layers":
    LAYERS, "num_attention_heads": HEADS, "ffn_dim": 32, "max_position_embeddings": 40, "init_std": 0.3,
}
# GPT-NeoX has no key-value heads that are shared
_NEOX = _SPECIALS | _SIZES
_LLAMA = _NEOX | {"num_key_value_heads": 2}
_GEMMA2 = {"head_dim": 8, "query_pre_attn_scalar": 12, "attn_logit_softcapping": 2.0}
_QWEN3 = {"head_dim": 8, "use_sliding_window": True, "attention_bias": True}
# four of a head's six dimensions are rotated
_PARTIAL = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.67}
# each query of a local layer sees itself and the two or three tokens next to it
_WINDOW = {"sliding_window": 3, "layer_types": ["full_attention", "sliding_attention", "full_attention"]}
_MODERNBERT = _NEOX | {
    "cls_token_id": 2, "sep_token_id": 1, "local_attention": 4, "layer_types": _WINDOW["layer_types"],
    "attention_bias": True, "initializer_cutoff_factor": 2.0,
}
_DEBERTA = _BERT | {
    "relative_attention": True, "position_buckets": 4, "pos_att_type": ["p2c", "c2p"],
    "max_relative_positions": -1, "position_biased_input": False,
}
_T5 = {
    "vocab_size": VOCABULARY, "d_model": HIDDEN, "d_kv": 5, "d_ff": 32, "num_layers": LAYERS,
    "num_decoder_layers": 2, "num_heads": HEADS, "relative_attention_num_buckets": 6,
    "relative_attention_max_distance": 8, "feed_forward_proj": "gated-gelu", "initializer_factor": 1.0,
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}
_VIT = {
    "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 32,
    "image_size": 12, "patch_size": 4, "initializer_range": 0.3, "num_labels": 5,
}
_WHISPER = {name: size for name, size in _MARIAN.items() if name != "max_position_embeddings"} | {
    "num_mel_bins": 4, "max_source_positions": 9, "max_target_positions": 40, "suppress_tokens": None,
    "begin_suppress_tokens": None,
}

# fmt: on
# family -> its class and its configuration
BUILDERS = {
    "bert": ("BertModel", _BERT),
    "bert masked lm": ("BertForMaskedLM", _BERT),
    "bert classifier": ("BertForSequenceClassification", _BERT),
    "bert causal": ("BertLMHeadModel", _BERT | {"is_decoder": True}),
    "bert with cross attention": (
        "BertLMHeadModel",
        _BERT | {"is_decoder": True, "add_cross_attention": True},
    ),
    "roberta": ("RobertaForMaskedLM", _BERT),
    "electra": ("ElectraModel", _BERT | {"embedding_size": 16}),
    "distilbert": ("DistilBertModel", _DISTILBERT),
    "gpt2": ("GPT2LMHeadModel", _GPT2),
    "marian": ("MarianMTModel", _MARIAN),
    "pegasus": ("PegasusForConditionalGeneration", _MARIAN),
    "bart": ("BartForConditionalGeneration", _MARIAN),
    "albert": (
        "AlbertForMaskedLM",
        _BERT | {"embedding_size": 16, "num_hidden_groups": 2, "inner_group_num": 1},
    ),
    "camembert": ("CamembertForMaskedLM", _BERT),
    "deberta-v2": ("DebertaV2ForMaskedLM", _DEBERTA),
    "deberta-v3": ("DebertaV2ForMaskedLM", _DEBERTA | {"share_att_key": True, "conv_kernel_size": 3}),
    "gemma": ("GemmaForCausalLM", _LLAMA | {"head_dim": 8}),
    "gemma2": ("Gemma2ForCausalLM", _LLAMA | _WINDOW | _GEMMA2),
    "gpt_neox": ("GPTNeoXForCausalLM", _NEOX | {"rope_parameters": _PARTIAL}),
    "llama": ("LlamaForCausalLM", _LLAMA | {"attention_bias": True}),
    "m2m_100": ("M2M100ForConditionalGeneration", _MARIAN),
    "mbart": ("MBartForConditionalGeneration", _MARIAN),
    "mistral": ("MistralForCausalLM", _LLAMA | {"sliding_window": 3}),
    "modernbert": ("ModernBertForMaskedLM", _MODERNBERT),
    "mpnet": ("MPNetForMaskedLM", _BERT),
    "mt5": ("MT5ForConditionalGeneration", _T5),
    "opt": ("OPTForCausalLM", _OPT),
    "phi": ("PhiForCausalLM", _LLAMA | {"rope_parameters": _PARTIAL, "qk_layernorm": True}),
    "qwen2": ("Qwen2ForCausalLM", _LLAMA | _WINDOW | {"use_sliding_window": True}),
    "qwen3": ("Qwen3ForCausalLM", _LLAMA | _WINDOW | _QWEN3),
    "t5": ("T5ForConditionalGeneration", _T5),
    "vit": ("ViTForImageClassification", _VIT),
    "whisper": ("WhisperForConditionalGeneration", _WHISPER),
    "xlm-roberta": ("XLMRobertaForMaskedLM", _BERT),
}


def small_model(family: str) -> PreTrainedModel:
    """A model of this family, the same at every call, in evaluation mode."""
    torch.manual_seed(1)
    name, sizes = BUILDERS[family]
    cls = getattr(transformers, name)
    model = cls(cls.config_class(**sizes)).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):  # all zero at the start, which would hide a bias that is lost
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def padded_batch(model: PreTrainedModel, sentences: int = 3, left: bool = False) -> dict[str, Tensor]:
    """Sentences of 9, 7, 5 ... tokens of random ids, padded at the right or left; targets where the model has them."""
    torch.manual_seed(2)
    if model.main_input_name == "pixel_values":
        size = model.config.image_size
        return {"pixel_values": torch.randn(sentences, 3, size, size)}
    ids = torch.randint(3, VOCABULARY, (sentences, 9))
    mask = torch.ones_like(ids)
    for row in range(sentences):
        padding = 2 * row
        mask[row, :padding] = 0
    mask = mask if left else mask.flip(1)
    inputs = {"input_ids": ids * mask, "attention_mask": mask}
    if model.main_input_name == "input_features":  # of a length that is fixed: nothing is padded
        features = torch.randn(sentences, model.config.num_mel_bins, 2 * model.config.max_source_positions)
        inputs = {"input_features": features}
    if model.config.is_encoder_decoder:
        targets = torch.randint(3, VOCABULARY, (sentences, 6))
        inputs |= {
            "decoder_input_ids": targets,
            "decoder_attention_mask": mask[:, -6:] if left else mask[:, :6],
        }
    return inputs


def output(model: PreTrainedModel, inputs: dict[str, Tensor]) -> Tensor:
    """The model's main result, logits or the last hidden states, zero at padding.

    There it means nothing: in a sliding window a padded query may have no key, and ways of computing differ.
    """
    return without_padding(model(**inputs)[0], inputs)


def without_padding(result: Tensor, inputs: dict[str, Tensor]) -> Tensor:
    """A result with zeros at padding, if it has a place for each token."""
    decoder = "decoder_input_ids" in inputs
    mask = inputs.get("decoder_attention_mask" if decoder else "attention_mask")
    if mask is None or mask.shape != result.shape[:2]:
        return result
    return result.masked_fill(mask[..., None] == 0, 0)


def assert_unchanged(family: str, found: Tensor, expected: Tensor) -> None:
    """Under a lens that is asked nothing the output is the model's own: bit for bit, if its attention is fused."""
    if family in NEVER_FUSED:
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    else:
        assert torch.equal(found, expected)
