"""Small seeded models of every family the lens knows, and a padded batch for each."""

import torch
from torch import Tensor
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertLMHeadModel,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    ElectraConfig,
    ElectraModel,
    GPT2Config,
    GPT2LMHeadModel,
    MarianConfig,
    MarianMTModel,
    PegasusConfig,
    PegasusForConditionalGeneration,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

VOCABULARY, HEADS, HIDDEN, LAYERS = 60, 4, 24, 3

_BERT = {
    "vocab_size": VOCABULARY,
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
    "initializer_range": 0.3,
    "pad_token_id": 0,
}
_MARIAN = {
    "vocab_size": VOCABULARY,
    "d_model": HIDDEN,
    "encoder_layers": LAYERS,
    "decoder_layers": 2,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 40,
    "init_std": 0.3,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "bos_token_id": 2,
    "decoder_start_token_id": 0,
    "forced_eos_token_id": 1,
}
_GPT2 = {
    "vocab_size": VOCABULARY,
    "n_embd": HIDDEN,
    "n_layer": LAYERS,
    "n_head": HEADS,
    "n_positions": 40,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 1,
}
_DISTILBERT = {
    "vocab_size": VOCABULARY,
    "dim": HIDDEN,
    "n_layers": LAYERS,
    "n_heads": HEADS,
    "hidden_dim": 32,
    "max_position_embeddings": 40,
    "initializer_range": 0.3,
}

BUILDERS = {
    "bert": lambda: BertModel(BertConfig(**_BERT)),
    "bert masked lm": lambda: BertForMaskedLM(BertConfig(**_BERT)),
    "bert classifier": lambda: BertForSequenceClassification(BertConfig(**_BERT)),
    "bert causal": lambda: BertLMHeadModel(BertConfig(**_BERT, is_decoder=True)),
    "bert with cross attention": lambda: BertLMHeadModel(
        BertConfig(**_BERT, is_decoder=True, add_cross_attention=True)
    ),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**_BERT)),
    "electra": lambda: ElectraModel(ElectraConfig(**_BERT, embedding_size=16)),
    "distilbert": lambda: DistilBertModel(DistilBertConfig(**_DISTILBERT)),
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(**_GPT2)),
    "marian": lambda: MarianMTModel(MarianConfig(**_MARIAN)),
    "pegasus": lambda: PegasusForConditionalGeneration(PegasusConfig(**_MARIAN)),
    "bart": lambda: BartForConditionalGeneration(BartConfig(**_MARIAN)),
}


def small_model(family: str) -> PreTrainedModel:
    """A model of this family, the same at every call, in evaluation mode."""
    torch.manual_seed(1)
    model = BUILDERS[family]().eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):  # all zero at the start, which would hide a bias that is lost
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def padded_batch(model: PreTrainedModel, sentences: int = 3, left: bool = False) -> dict[str, Tensor]:
    """Sentences of 9, 7, 5 ... tokens of random ids, padded at the right or left; targets where the model has them."""
    torch.manual_seed(2)
    ids = torch.randint(3, VOCABULARY, (sentences, 9))
    mask = torch.ones_like(ids)
    for row in range(sentences):
        padding = 2 * row
        mask[row, :padding] = 0
    mask = mask if left else mask.flip(1)
    inputs = {"input_ids": ids * mask, "attention_mask": mask}
    if model.config.is_encoder_decoder:
        targets = torch.randint(3, VOCABULARY, (sentences, 6))
        inputs |= {
            "decoder_input_ids": targets,
            "decoder_attention_mask": mask[:, -6:] if left else mask[:, :6],
        }
    return inputs


def output(model: PreTrainedModel, inputs: dict[str, Tensor]) -> Tensor:
    """The model's main result: logits or, without a head, the last hidden states."""
    return model(**inputs)[0]
