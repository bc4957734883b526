"""A BERT and a Marian of two layers of two heads, with random weights; a tokenizer whose pieces are whole words."""

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertForMaskedLM,
    MarianConfig,
    MarianMTModel,
    PreTrainedTokenizerFast,
)

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


def tiny_marian(tokenizer, **changes):
    """The same of a translation model: two layers of two heads in its encoder."""
    torch.manual_seed(0)
    settings = {
        "vocab_size": len(tokenizer),
        "d_model": 16,
        "encoder_layers": 2,
        "decoder_layers": 1,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 16,
        "decoder_ffn_dim": 16,
        "max_position_embeddings": 32,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": 3,
        "decoder_start_token_id": 0,
        "forced_eos_token_id": None,
    }
    return MarianMTModel(MarianConfig(**settings | changes)).eval()
