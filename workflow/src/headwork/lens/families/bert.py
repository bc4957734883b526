"""BERT and its kind, as encoders and, with a causal mask, as decoders."""

from headwork.lens.families.places import Entry, Place

_BERT = Entry(
    {
        "encoder": Place("attention.self", "attention.output.dense", "num_attention_heads", "value"),
        "cross": Place("crossattention.self", "crossattention.output.dense", "num_attention_heads", "value"),
    }
)

FAMILIES = {
    "bert": {"BertLayer": _BERT},
    "camembert": {"CamembertLayer": _BERT},
    "electra": {"ElectraLayer": _BERT},
    "roberta": {"RobertaLayer": _BERT},
    "xlm-roberta": {"XLMRobertaLayer": _BERT},
}
