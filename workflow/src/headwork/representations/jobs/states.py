"""The hidden states of one run on a text, read whole or with pieces masked."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from headwork.corpora.sources.readers import lines
from headwork.models.loading import hub
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.models.training.batches import Side
from headwork.representations.states.hidden_states import extract
from headwork.representations.states.token_groups import frequent
from headwork.run.frame import Files, folder_of
from headwork.settings.representations import MaskedReading, StatesOnDisk


def extract_run(
    input: Files,
    output: Files,
    settings: StatesOnDisk,
    masked: Mapping[str, Any] | None = None,
    also: Collection[str] = (),
    device: str = "cpu",
) -> None:
    """Write the hidden states of a model on a text.

    `input`: model (its files), text (a sentence a line). `output`: states (a folder: see `hidden_states`). With the
    settings `masked` the text is read as `MaskedReading` has it, and only the tokens that were chosen are written, and
    the words `also`. The sentences of the second pass are counted on from those of the first. Raises InputError for
    settings and models that cannot be used.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    whole = whole.to(device)
    sentences = [line.text for line in lines(input.text)]
    if masked is None:
        extract(whole, tokenizer, sentences, output.states, settings, name=str(input.text))
        return
    how = MaskedReading.read(masked, "masked")
    masking = Masking(tokenizer, MaskingSettings(share=how.share, mask=how.mask, random=how.random))
    types = frequent(np.bincount(Side.encode(iter(sentences), tokenizer).pieces), how.types, masking.special)
    masking.only(types)
    shown = [tokenizer.encode(word, add_special_tokens=False) for word in also]
    shown = [pieces[0] for pieces in shown if len(pieces) == 1]
    extract(
        whole,
        tokenizer,
        sentences * how.passes,
        output.states,
        settings,
        reading=lambda sentence, pieces: masking(pieces, np.random.default_rng([how.seed, sentence]))[0],
        kept=lambda pieces, read: (pieces != read) | np.isin(pieces, shown),
        name=str(input.text),
    )
