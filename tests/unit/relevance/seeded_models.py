"""Small seeded models with heads on them that predict, and padded batches for each."""

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertLMHeadModel,
    MarianConfig,
    MarianMTModel,
    PegasusConfig,
    PegasusForConditionalGeneration,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from headwork.heads.streaming.batches import Batch, Side, single_batch, translation_batch

VOCABULARY, HEADS, HIDDEN, PAD, END, MASK = 50, 4, 16, 0, 1, 3
_NMT = {
    "vocab_size": VOCABULARY,
    "d_model": HIDDEN,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "max_position_embeddings": 30,
    "activation_function": "relu",
    "init_std": 0.3,
    "pad_token_id": PAD,
    "eos_token_id": END,
    "bos_token_id": 2,
    "decoder_start_token_id": PAD,
    "forced_eos_token_id": END,
}
_BERT = {
    "vocab_size": VOCABULARY,
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "intermediate_size": 24,
    "max_position_embeddings": 30,
    "initializer_range": 0.3,
    "pad_token_id": PAD,
    "num_labels": 3,
}
BUILDERS = {
    "marian": lambda: MarianMTModel(MarianConfig(**_NMT)),
    "pegasus": lambda: PegasusForConditionalGeneration(PegasusConfig(**_NMT)),
    "bert classifier": lambda: BertForSequenceClassification(BertConfig(**_BERT)),
    "bert masked lm": lambda: BertForMaskedLM(BertConfig(**_BERT)),
    "bert causal": lambda: BertLMHeadModel(BertConfig(**_BERT, is_decoder=True)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**_BERT)),
}
SOURCES = [[5, 6, MASK, 8, 9, 10, END], [11, 12, MASK, END], [MASK, 20, MASK, 22, END]]
TARGETS = [[31, 32, 33, END], [34, 35, 36, 37, 38, END], [39, 40, END]]


def seeded_model(family: str) -> PreTrainedModel:
    """A model of this family, the same at every call, with biases that are not zero."""
    torch.manual_seed(1)
    model = BUILDERS[family]().eval()
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if "bias" in name:
            torch.nn.init.normal_(tensor, std=0.3)
    return model


def side(sentences: list[list[int]]) -> Side:
    """Ids as a side, padded on the right; the end mark is not real."""
    longest = max(map(len, sentences))
    ids = torch.tensor([ids + [PAD] * (longest - len(ids)) for ids in sentences])
    present = torch.tensor([[place < len(ids) for place in range(longest)] for ids in sentences])
    real = present & (ids != END)
    return Side(ids, present, real, torch.where(real, torch.arange(longest), -1))


def batch_for(model: PreTrainedModel, rows: slice = slice(None)) -> Batch:
    """These sentences of the text, in one batch."""
    source = side(SOURCES[rows])
    if model.config.is_encoder_decoder:
        return translation_batch(source, side(TARGETS[rows]), PAD)
    return single_batch(source, "decoder" if model.config.is_decoder else "encoder")
