"""Model families: by `model_type` the classes of layers, and where the attentions of a layer lie.

A family is added by an entry for its class of layers, and a tiny model of it in the tests. What more a family needs is
in `headwork.lens.places`; attentions outside `transformers`' attention interface have modules of their own (DeBERTa,
MPNet).
"""

from collections.abc import Mapping, Sequence

from torch import nn

from headwork.lens.deberta_v2 import DEBERTA_V2
from headwork.lens.mpnet import MPNET
from headwork.lens.places import Entry, Family, Place, Projected, last_third
from headwork.sites import HeadVectors


def _in_call_order(transformer: nn.Module) -> Sequence[nn.Module]:
    """The layers that an `AlbertTransformer` calls: each group as often as its share of the hidden layers."""
    layers, groups = transformer.config.num_hidden_layers, transformer.albert_layer_groups
    return [
        layer
        for number in range(layers)
        for layer in groups[int(number / (layers / len(groups)))].albert_layers
    ]


def _interleaved(projected: Projected, heads: int, head_dim: int) -> HeadVectors:
    """Each head's values, the last third of what one projection makes for it, one head after the other."""
    return projected.unflatten(-1, (heads, 3 * head_dim))[..., 2 * head_dim :].transpose(1, 2)


CONFIGURED = "config.num_attention_heads"  # where the attention itself does not say how many heads it has
# Layers share their weights: a pass calls one layer, or a few in turn, as often as the model has layers. So the entry
# is of what calls them; a site is a call, and gates of one layer leave the others as they are.
ALBERT = Entry(
    {"encoder": Place("attention", "attention.dense", "num_attention_heads", "value")}, layers=_in_call_order
)
OWN = Place("self_attn", "self_attn.out_proj")
BART_ENCODER = Entry({"encoder": OWN})
BART_DECODER = Entry({"decoder": OWN, "cross": Place("encoder_attn", "encoder_attn.out_proj")})
BERT = Entry(
    {
        "encoder": Place("attention.self", "attention.output.dense", "num_attention_heads", "value"),
        "cross": Place("crossattention.self", "crossattention.output.dense", "num_attention_heads", "value"),
    }
)
DISTILBERT = Entry({"encoder": Place("attention", "attention.out_lin", "n_heads", "v_lin")})
# One projection makes queries, keys and values; of what cross-attention attends to, keys and values alone.
GPT2 = Entry(
    {
        "decoder": Place("attn", "attn.c_proj", value="c_attn", cut=last_third),
        "cross": Place("crossattention", "crossattention.c_proj", value="c_attn", cut=last_third),
    }
)
GPT_NEOX = Entry(
    {"decoder": Place("attention", "attention.dense", CONFIGURED, "query_key_value", cut=_interleaved)},
    alone=False,
)
# Rotary positions; several query heads may share keys and values. Sliding windows (Mistral, Qwen, Gemma 2) are part of
# the mask that the model makes; the soft cap of Gemma 2's scores is handed to the attention function.
LLAMA = Entry({"decoder": Place("self_attn", "self_attn.o_proj", CONFIGURED)}, alone=False)
PHI = Entry({"decoder": Place("self_attn", "self_attn.dense", CONFIGURED)}, alone=False)
# Layers attend locally or globally, by the mask they are given.
MODERNBERT = Entry({"encoder": Place("attn", "attn.Wo", CONFIGURED, "Wqkv", cut=last_third)}, alone=False)
# Scores are not scaled, and get a learned bias of the distance between query and key, as `position_bias`: the first
# layer of a stack makes it and hands it to the others.
T5 = Entry(
    {
        "encoder": Place("layer.0.SelfAttention", "layer.0.SelfAttention.o", "n_heads", "v"),
        "cross": Place("layer.1.EncDecAttention", "layer.1.EncDecAttention.o", "n_heads", "v"),
    },
    alone=False,
)
VIT = Entry({"encoder": Place("attention", "attention.o_proj", "num_attention_heads")})

FAMILIES: Mapping[str, Family] = {
    "albert": {"AlbertTransformer": ALBERT},
    "bart": {"BartEncoderLayer": BART_ENCODER, "BartDecoderLayer": BART_DECODER},
    "bert": {"BertLayer": BERT},
    "camembert": {"CamembertLayer": BERT},
    "deberta-v2": {"DebertaV2Layer": DEBERTA_V2},
    "distilbert": {"TransformerBlock": DISTILBERT},
    "electra": {"ElectraLayer": BERT},
    "gemma": {"GemmaDecoderLayer": LLAMA},
    "gemma2": {"Gemma2DecoderLayer": LLAMA},
    "gpt2": {"GPT2Block": GPT2},
    "gpt_neox": {"GPTNeoXLayer": GPT_NEOX},
    "llama": {"LlamaDecoderLayer": LLAMA},
    "m2m_100": {"M2M100EncoderLayer": BART_ENCODER, "M2M100DecoderLayer": BART_DECODER},
    "marian": {"MarianEncoderLayer": BART_ENCODER, "MarianDecoderLayer": BART_DECODER},
    "mbart": {"MBartEncoderLayer": BART_ENCODER, "MBartDecoderLayer": BART_DECODER},
    "mistral": {"MistralDecoderLayer": LLAMA},
    "modernbert": {"ModernBertEncoderLayer": MODERNBERT},
    "mpnet": {"MPNetLayer": MPNET},
    "mt5": {"MT5Block": T5},
    "opt": {"OPTDecoderLayer": Entry({"decoder": OWN})},
    "pegasus": {"PegasusEncoderLayer": BART_ENCODER, "PegasusDecoderLayer": BART_DECODER},
    "phi": {"PhiDecoderLayer": PHI},
    "qwen2": {"Qwen2DecoderLayer": LLAMA},
    "qwen3": {"Qwen3DecoderLayer": LLAMA},
    "roberta": {"RobertaLayer": BERT},
    "t5": {"T5Block": T5},
    "vit": {"ViTLayer": VIT},
    "whisper": {"WhisperEncoderLayer": BART_ENCODER, "WhisperDecoderLayer": BART_DECODER},
    "xlm-roberta": {"XLMRobertaLayer": BERT},
}
# `transformers` keeps the classes of a model type in a module of its name: no class is imported to know it.
_BY_CLASS = {
    f"{name.replace('-', '_')}.{layer}": (name, entry)
    for name, family in FAMILIES.items()
    for layer, entry in family.items()
}


def entry_of(module: nn.Module) -> tuple[str, Entry] | None:
    """Model type and entry of this module's class, or of the nearest one it is derived from that has an entry."""
    for cls in type(module).__mro__:
        file = cls.__module__.rpartition(".")[2].removeprefix("modeling_")
        if found := _BY_CLASS.get(f"{file}.{cls.__name__}"):
            return found
    return None
