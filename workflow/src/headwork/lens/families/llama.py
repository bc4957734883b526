"""Llama and its kind: decoders with rotary positions, in which several query heads may share keys and values.

Sliding windows (Mistral, Qwen, Gemma 2) are part of the mask that the model makes; the soft cap of Gemma 2's scores is
handed to the attention function.
"""

from headwork.lens.families.places import Entry, Place

_LLAMA = Entry({"decoder": Place("self_attn", "self_attn.o_proj", "config.num_attention_heads")}, alone=False)
_PHI = Entry({"decoder": Place("self_attn", "self_attn.dense", "config.num_attention_heads")}, alone=False)

FAMILIES = {
    "gemma": {"GemmaDecoderLayer": _LLAMA},
    "gemma2": {"Gemma2DecoderLayer": _LLAMA},
    "llama": {"LlamaDecoderLayer": _LLAMA},
    "mistral": {"MistralDecoderLayer": _LLAMA},
    "phi": {"PhiDecoderLayer": _PHI},
    "qwen2": {"Qwen2DecoderLayer": _LLAMA},
    "qwen3": {"Qwen3DecoderLayer": _LLAMA},
}
