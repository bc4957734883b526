"""A few sentences with the maps of every encoder head, for figures that show one map (Voita et al. 2019, figure 5).

The chosen sentences have a limited length and a rare token, and are spread evenly over the text. They do not depend on
the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from headwork.heads.statistics.rare import Frequencies, rarest_tokens
from headwork.heads.streaming.batches import Text, side_of, single_batch
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.settings.heads import ExampleSettings

DIGITS = 4


def choose(
    texts: Sequence[Text],
    frequencies: Frequencies,
    not_among: int | float,
    settings: ExampleSettings,
    padding: int,
) -> list[int]:
    """The numbers of sentences with a rare token, of readable length if there are such: evenly spread over the text."""
    candidates = [
        number for number, text in enumerate(texts) if settings.shortest <= len(text) <= settings.longest
    ]
    for numbers in (candidates, range(len(texts))):
        having = [
            number for number in numbers if _rare_places(texts[number], frequencies, not_among, padding)
        ]
        if having:
            chosen = np.linspace(0, len(having) - 1, min(settings.sentences, len(having))).astype(int)
            return [having[place] for place in dict.fromkeys(chosen.tolist())]
    return []


def _rare_places(text: Text, frequencies: Frequencies, not_among: int | float, padding: int) -> list[int]:
    """Return the positions of the two rarest tokens of the sentence, ties included; [] if the rarest is not rare."""
    found = rarest_tokens(side_of([text], padding), frequencies, not_among)
    return found.two_rarest[0].nonzero()[:, 0].tolist() if found.counted[0] else []


def examples(
    encoder: nn.Module,
    texts: Sequence[Text],
    tokenizer: PreTrainedTokenizerBase,
    frequencies: Frequencies,
    not_among: int | float,
    settings: ExampleSettings | None = None,
) -> list[dict[str, Any]]:
    """For each chosen sentence: sentence, pieces, rare (places of the two rarest pieces), maps (head to rows).

    A map has a row for each query and a column for each key, EOS's included; weights to four digits.
    """
    settings, padding = settings or ExampleSettings(), tokenizer.pad_token_id
    shown = []
    device = next(encoder.parameters()).device
    for number in choose(texts, frequencies, not_among, settings, padding):
        text = texts[number]
        batch = single_batch(side_of([text], padding), "encoder").to(device)
        maps: dict[str, list[list[float]]] = {}

        def keep(attended: Attended, maps: dict[str, list[list[float]]] = maps) -> None:
            for place, weights in enumerate(attended.weights[0].double().cpu().numpy(), start=1):
                maps[str(attended.site.head(place))] = weights.round(DIGITS).tolist()

        with Lens(encoder) as lens, torch.no_grad(), lens.observing(keep):
            encoder(**batch.inputs)
        pieces = tokenizer.convert_ids_to_tokens(list(text.pieces.ids))
        shown.append(
            {
                "sentence": text.line,
                "pieces": pieces,
                "rare": _rare_places(text, frequencies, not_among, padding),
                "maps": maps,
            }
        )
    return shown
