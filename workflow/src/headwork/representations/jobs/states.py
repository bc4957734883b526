"""The hidden states of one run, or of any model by name, on a text, read whole or with pieces masked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headwork.corpora.sources.readers import lines
from headwork.models.loading import hub
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.models.training.batches import Side
from headwork.representations.states.hidden_states import StatesSettings, extract
from headwork.representations.states.token_groups import frequent
from headwork.settings.options import options


@dataclass(frozen=True)
class MaskedReading:
    """How a masked language model's text is read where it is looked at as in training.

    Of the tokens of the `types` most frequent types a `share` is chosen, at least one a sentence. Of these `mask` are
    masked and `random` are replaced by another of these types, drawn evenly. The text is read `passes` times, masked
    anew.
    """

    types: int = 1000
    share: float = 0.15
    mask: float = 0.8
    random: float = 0.1
    passes: int = 1
    seed: int = 0


def extract_run(
    model_folder: str | Path,
    text: str | Path,
    settings: Mapping[str, Any],
    states: str | Path,
    masked: Mapping[str, Any] | None = None,
    also: Collection[str] = (),
    device: str = "cpu",
    offline: bool = False,
) -> None:
    """Write the hidden states of a model (a folder, or a name of the hub) on a text to the folder `states`.

    `text` has a sentence a line.

    With `masked` the text is read masked, as `MaskedReading` has it, and only the tokens that were chosen are written,
    and the words `also`. The sentences of the second pass are counted on from those of the first. Raises InputError for
    settings and models that cannot be used.
    """
    chosen = options(StatesSettings, settings, "states")
    whole, tokenizer = hub.load(model_folder, offline=offline)
    whole = whole.to(device)
    sentences = [line.text for line in lines(Path(text))]
    if masked is None:
        extract(whole, tokenizer, sentences, states, chosen, name=str(text))
        return
    how = options(MaskedReading, masked, "masked")
    masking = Masking(tokenizer, MaskingSettings(share=how.share, mask=how.mask, random=how.random))
    types = frequent(np.bincount(Side.encode(iter(sentences), tokenizer).pieces), how.types, masking.special)
    masking.only(types)
    shown = [tokenizer.encode(word, add_special_tokens=False) for word in also]
    shown = [pieces[0] for pieces in shown if len(pieces) == 1]
    extract(
        whole,
        tokenizer,
        sentences * how.passes,
        states,
        chosen,
        reading=lambda sentence, pieces: masking(pieces, np.random.default_rng([how.seed, sentence]))[0],
        kept=lambda pieces, read: (pieces != read) | np.isin(pieces, shown),
        name=str(text),
    )
