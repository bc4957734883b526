"""The last pieces of a few segments with the maps of every head (Clark et al. 2019, figure 1).

As in the authors' notebook only the end of a segment is shown, and each row is divided by what it gives to that end.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from headwork.heads.examples.sentences import DIGITS
from headwork.heads.streaming.batches import Batch
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.settings.heads import CropSettings


def crops(
    model: nn.Module,
    tokenizer: PreTrainedTokenizerBase,
    batches: Sequence[Batch],
    settings: CropSettings | None = None,
) -> list[dict[str, Any]]:
    """For the longest segments: pieces, and maps (head to rows of weights) between them; weights to four digits."""
    settings = settings or CropSettings()
    device = next(model.parameters()).device
    batch = batches[-1].to(device)  # batches ascend by length
    side = batch.queries["encoder"]
    rows = min(settings.segments, len(side.ids))
    ends = side.present[-rows:].sum(1).tolist()
    maps: list[dict[str, list[list[float]]]] = [{} for _ in range(rows)]

    def keep(attended: Attended) -> None:
        first = len(side.ids) - rows
        for row in range(max(attended.rows.start, first), attended.rows.stop):
            weights = attended.weights[row - attended.rows.start].double()
            end = ends[row - first]
            shown = slice(max(0, end - settings.pieces), end)
            weights = weights[:, shown, shown]
            weights = (weights / weights.sum(-1, keepdim=True)).cpu().numpy().round(DIGITS)
            for place, rows_of_head in enumerate(weights, start=1):
                maps[row - first][str(attended.site.head(place))] = rows_of_head.tolist()

    with Lens(model) as lens, torch.no_grad(), lens.observing(keep):
        model(**batch.inputs)
    pieces = [
        tokenizer.convert_ids_to_tokens(ids[max(0, end - settings.pieces) : end].tolist())
        for ids, end in zip(side.ids[-rows:], ends, strict=True)
    ]
    return [{"pieces": own, "maps": of_heads} for own, of_heads in zip(pieces, maps, strict=True)]
