"""Any model by name: a folder, or a model of the Hugging Face hub, loaded with the code that loads our own.

The class of a model is the one its config names, so that encoders, classifiers, language and translation models all
come as what they were saved as. `offline` looks for models of the hub among those fetched before, and nowhere else.
"""

import logging
import math
import re
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from headwork.errors import InputError
from headwork.models import checkpoints
from headwork.models.language_model import LANGUAGE_MODELS

log = logging.getLogger(__name__)

# What stands on top of the layers: a published checkpoint often has more heads, or others, than the model read from it.
HEADS = re.compile(
    r"(^|\.)(pooler|cls|lm_head|classifier|pre_classifier|dense_prediction|vocab_\w+|qa_outputs"
    r"|discriminator_predictions|generator_predictions|generator_lm_head|final_logits_bias|position_ids)(\.|$)"
)

OWN = {kind.__name__: kind for kind in LANGUAGE_MODELS.values()}


def load(
    name: str | Path, kind: type | None = None, offline: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The model, in evaluation mode, and the tokenizer of a folder or of a name on the hub.

    `kind` is the `transformers` class to read it as; None: the one that its config names. Heads that the class does
    not have may be left over. Raises `InputError` for a name that leads nowhere, and as `checkpoints.load` does.
    """
    if kind is None:
        kind = class_of(name, offline)
    return checkpoints.load(_found(name), kind, offline, left_over=HEADS)


def load_classifier(
    name: str | Path, labels: Sequence[str] | None, seed: int, offline: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The encoder of a pretrained model under a new classifier, whose weights depend on the seed.

    `labels` are the names of the classes, None for one score. The head of another task is left behind; all weights
    of the encoder must be there. Raises `InputError` as `load` does.
    """
    names = ["score"] if labels is None else list(labels)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return checkpoints.load(
            _found(name),
            AutoModelForSequenceClassification,
            offline,
            left_over=HEADS,
            new=HEADS,
            id2label=dict(enumerate(names)),
            label2id={label: number for number, label in enumerate(names)},
            problem_type="regression" if labels is None else "single_label_classification",
        )


def positions(model: PreTrainedModel) -> int | float:
    """The most pieces that the model can read as one text; infinite if there is no limit.

    RoBERTa's table of positions begins with rows that it does not use: up to the padding's id, and one for padding.
    """
    unused = (
        part.padding_idx + 1
        for name, part in model.named_modules()
        if name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None
    )
    return (getattr(model.config, "max_position_embeddings", None) or math.inf) - max(unused, default=0)


def class_of(name: str | Path, offline: bool = False) -> type:
    """The `transformers` class that a model's config names. Raises `InputError` if there is no such class or model."""
    try:
        config = AutoConfig.from_pretrained(_found(name), local_files_only=offline, **checkpoints.NO_CODE)
    except (OSError, ValueError) as error:
        raise checkpoints.unreadable(name, error) from error
    named = (config.architectures or [None])[0]
    if named is None:
        return AutoModel
    if named in OWN:
        return OWN[named]
    if not hasattr(transformers, named):
        raise InputError.at(
            name, f"is a {named}, which transformers does not know; give a model that it does"
        )
    return getattr(transformers, named)


def _found(name: str | Path) -> str:
    """The folder if there is one, else a name of the hub; `InputError` for what can be neither."""
    if Path(name).is_dir():
        return str(name)
    if isinstance(name, Path) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or name.startswith("."):
        raise InputError.at(
            name, "no such folder, and no name of the hub; `model` is one of them, as bert-base-uncased"
        )
    return name
