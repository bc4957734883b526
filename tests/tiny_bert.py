"""A BERT of two layers of two heads with random weights, and a tokenizer whose pieces are whole words."""

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def word_tokenizer(words):
    """`words` are numbered from 5 on; texts are joined as BERT's tokenizer does: [CLS] A [SEP] B [SEP]."""
    numbers = {piece: number for number, piece in enumerate([*SPECIAL, *words])}
    backend = Tokenizer(WordLevel(numbers, "[UNK]"))
    backend.pre_tokenizer = WhitespaceSplit()
    backend.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {f"{piece[1:-1].lower()}_token": piece for piece in SPECIAL}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names)


def tiny_bert(tokenizer, **changes):
    """In evaluation mode, the same at every call; `changes` are made to its configuration."""
    torch.manual_seed(0)
    settings = {
        "vocab_size": len(tokenizer),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "max_position_embeddings": 32,
    }
    return BertForMaskedLM(BertConfig(**settings | changes)).eval()
