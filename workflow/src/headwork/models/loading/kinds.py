"""Kinds of models: what a model predicts, by the name that `transformers` gives to its class."""

from torch import nn

MASKED_LM, PRETRAINING, CAUSAL_LM = "masked-lm", "pretraining", "causal-lm"
CLASSIFIER, SEQ2SEQ, ENCODER = "classifier", "seq2seq", "encoder"
# by the end of the class's name
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


def kind_of(model: nn.Module | type) -> str:
    """The kind of a model, or of a class of models; `ENCODER` for one without an output layer that is known here.

    So are the language models of `headwork.models.architectures.language_model`: their training, not their class, says
    whether they predict the next token or the token itself. `PRETRAINING` is a masked language model with another
    output layer beside it, such as next-sentence prediction.
    """
    name = (model if isinstance(model, type) else type(model)).__name__
    return next((kind for end, kind in _ENDS.items() if name.endswith(end)), ENCODER)
