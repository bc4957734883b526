"""Kinds of models by their classes, and that class and instance agree."""

import pytest
import transformers
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.models.architectures.language_model import LANGUAGE_MODELS
from headwork.models.architectures.marian_ssru import MarianSsruModel
from headwork.models.loading.kinds import (
    CAUSAL_LM,
    CLASSIFIER,
    ENCODER,
    MASKED_LM,
    PRETRAINING,
    SEQ2SEQ,
    kind_of,
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BertForMaskedLM", MASKED_LM),
        ("BertForPreTraining", PRETRAINING),
        ("GPT2LMHeadModel", CAUSAL_LM),
        ("LlamaForCausalLM", CAUSAL_LM),
        ("BartForSequenceClassification", CLASSIFIER),
        ("MarianMTModel", SEQ2SEQ),
        ("T5ForConditionalGeneration", SEQ2SEQ),
        ("T5EncoderModel", ENCODER),
        ("BertModel", ENCODER),
        ("BertForTokenClassification", ENCODER),
    ],
)
def test_kinds_of_classes(name, kind):
    assert kind_of(getattr(transformers, name)) == kind


def test_kinds_of_models():
    words = word_tokenizer("abc")
    bert, marian = tiny_bert(words), tiny_marian(words)
    assert [kind_of(each) for each in (bert, bert.bert)] == [MASKED_LM, ENCODER]
    assert [kind_of(each) for each in (marian, marian.get_encoder())] == [SEQ2SEQ, ENCODER]
    assert kind_of(MarianSsruModel) == SEQ2SEQ
    assert {kind_of(each) for each in LANGUAGE_MODELS.values()} == {ENCODER}
