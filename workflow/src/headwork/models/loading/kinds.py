"""Kinds of models: what a model predicts, by the name that `transformers` gives to its class."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature

from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.lens.layers import Layers

MASKED_LM, PRETRAINING, CAUSAL_LM = "masked-lm", "pretraining", "causal-lm"
CLASSIFIER, SEQ2SEQ, ENCODER = "classifier", "seq2seq", "encoder"
# by the end of the name of the class, or of the nearest one that it extends
_ENDS = {
    "ForMaskedLM": MASKED_LM,
    "ForPreTraining": PRETRAINING,
    "ForCausalLM": CAUSAL_LM,
    "LMHeadModel": CAUSAL_LM,
    "ForSequenceClassification": CLASSIFIER,
    "ForConditionalGeneration": SEQ2SEQ,
    "MTModel": SEQ2SEQ,
    "SsruModel": SEQ2SEQ,
}


def decoder_start(model: nn.Module) -> int | None:
    """What the decoder of a translation model reads first; None if that is what ends its text (mBART: a language)."""
    return None if model.config.model_type == "mbart" else model.config.decoder_start_token_id


def padding_of(model: nn.Module, tokenizer: PreTrainedTokenizerBase) -> int:
    """The id at padding, which is masked: any will do, but to a classifier that looks for the last token before it."""
    own = model.config.pad_token_id if kind_of(model) == CLASSIFIER else None
    named = (own, tokenizer.pad_token_id, tokenizer.eos_token_id)
    return next((number for number in named if number is not None), 0)


@contextmanager
def padding_known(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Iterator[None]:
    """Within, a classifier without a padding id has one, so that it reads batches.

    Classifiers with a decoder read the last token that is not padding; it is an id that stands in no text. Raises
    InputError for a tokenizer that has none.
    """
    known = kind_of(model) != CLASSIFIER or model.config.pad_token_id is not None
    if known or Layers(model).kind == "encoder":
        yield
        return
    named = (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id, tokenizer.bos_token_id)
    free = [number for number in named if number is not None and number not in tokenizer("a")["input_ids"]]
    if not free:
        raise InputError(
            f"{type(tokenizer).__name__} has no token to pad texts with, which a {type(model).__name__} needs; "
            "name one (pad_token)"
        )
    model.config.pad_token_id = free[0]
    try:
        yield
    finally:
        model.config.pad_token_id = None


def fit_inputs(model: nn.Module, tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """Let the tokenizer make only what the model takes: no `token_type_ids` for one without them (DistilBERT)."""
    taken = {"input_ids", "attention_mask", *signature(model.forward).parameters}
    tokenizer.model_input_names = [name for name in tokenizer.model_input_names if name in taken]
    return tokenizer


def kind_of(model: nn.Module | type) -> str:
    """The kind of a model, or of a class of models; `ENCODER` for one without an output layer that is known here.

    So are the language models of `headwork.models.architectures.language_model`: their training, not their class, says
    whether they predict the next token or the token itself. `PRETRAINING` is a masked language model with another
    output layer beside it, such as next-sentence prediction.
    """
    names = [each.__name__ for each in (model if isinstance(model, type) else type(model)).__mro__]
    return next((kind for name in names for end, kind in _ENDS.items() if name.endswith(end)), ENCODER)
