"""Parsed sentences as input of a model that reads one text."""

import logging
from collections.abc import Sequence
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.heads.streaming.batches import Text, texts
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence

log = logging.getLogger(__name__)


def parsed_texts(
    sentences: Sequence[Sentence],
    tokenizer: PreTrainedTokenizerBase,
    model: PreTrainedModel,
    name: str | Path,
) -> list[Text]:
    """Return the sentences of the file `name` that fit the model's positions; InputError if there are none."""
    found = list(texts((" ".join(each.forms) for each in sentences), tokenizer, sentences, str(name)))
    longest = hub.positions(model)
    fit = [text for text in found if len(text) <= longest]
    if not fit:
        raise InputError.at(name, "no sentence fits the model's positions; give shorter sentences")
    if len(fit) < len(found):
        log.info("%s: %d sentences left out: too long for the model", name, len(found) - len(fit))
    return fit
