"""Gradient of a masked language model's loss with respect to attention weights (Clark et al. 2019, 3.2, figure 3).

    sensitivity(head, class) = mean over texts of mean over queries i and keys j of the class of |∂L / ∂A[i, j]|

where L is the text's cross-entropy at its masked pieces and A the weights after softmax. Classes are all keys that were
not masked (`unmasked`), and of these the token classes: [SEP], full stops and commas, ... If the loss does not depend
on a head's attention to [SEP], this attention is interpreted as a no-op. The paper specifies neither the reduction of
the loss nor that of the gradients: both are settings, and only the shape over layers is comparable.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from tqdm.auto import tqdm

from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.tally import Tally
from headwork.lens.lens import Lens
from headwork.models.objectives.masking import Masking
from headwork.models.training.batches import IGNORED
from headwork.relevance.propagation.gradient import frozen
from headwork.settings.relevance import Reduction, SensitivitySettings
from headwork.sites import Ids, Maps, Site

UNMASKED = "unmasked"


def masked(batches: Iterable[Batch], masking: Masking, seed: int = 0) -> Iterator[Batch]:
    """Batches of one text each with some pieces masked, and `labels` among the inputs to predict them by.

    The sides hold what the model reads. The same batches and seed give the same masks.
    """
    chance = np.random.default_rng(seed)
    for batch in batches:
        rows = [masking(pieces, chance) for pieces in batch.inputs["input_ids"].numpy()]
        read, labels = (torch.from_numpy(np.stack(part)) for part in zip(*rows, strict=True))
        sides = {kind: replace(side, ids=read) for kind, side in batch.queries.items()}
        yield replace(
            batch, inputs={**batch.inputs, "input_ids": read, "labels": labels}, queries=sides, keys=sides
        )


def sensitivity(
    model: nn.Module,
    batches: Iterable[Batch],
    classes: TokenClasses,
    settings: SensitivitySettings | None = None,
    progress: str = "",
) -> pd.DataFrame:
    """kind, layer, head, statistic `sensitivity`, key, value, count: a row per head and class; count is of texts.

    `model` is any masked language model the lens knows, `batches` have `labels` as `masked` makes them. The model is
    run without dropout and left as it was. Memory holds the weights and gradients of one batch.
    """
    settings = settings or SensitivitySettings()
    tally = Tally("sensitivity", (UNMASKED, *classes.names))
    device, training = next(model.parameters()).device, model.training
    model.eval()
    try:
        with (
            Lens(model) as lens,
            frozen(model),
            lens.keeping(lens.anatomy.sites) as kept,
            torch.enable_grad(),
        ):
            for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
                batch = batch.to(device)
                inputs = dict(batch.inputs)
                labels = inputs.pop("labels")
                losses(model(**inputs).logits, labels, settings.loss).sum().backward()
                for site, weights in kept.items():
                    sums, counts = _of_classes(weights.grad, batch, labels, classes, site, settings.pairs)
                    tally.add(site, sums, counts)
    finally:
        model.train(training)
    return tally.table()


def losses(
    logits: Float[Tensor, "batch time vocabulary"], labels: Ids, reduction: Reduction = "mean"
) -> Float[Tensor, " batch"]:
    """The cross-entropy of each text at its masked pieces, their mean or sum."""
    every = cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED, reduction="none").sum(1)
    return every if reduction == "sum" else every / (labels != IGNORED).sum(1).clamp_min(1)


def _of_classes(
    gradient: Maps, batch: Batch, labels: Ids, classes: TokenClasses, site: Site, pairs: Reduction
) -> tuple[Float[Tensor, "head class"], Int[Tensor, " class"]]:
    """Sums over texts of |gradient| at each class of keys, and how many texts have such keys."""
    side = batch.keys[site.kind]
    unmasked = (side.present & (labels == IGNORED))[..., None]
    numbers = torch.arange(len(classes.names), device=labels.device)
    own = torch.cat([unmasked, unmasked & (classes.of_side(side)[..., None] == numbers)], dim=2)
    queries, keys = side.present[:, None].to(gradient.dtype), own.to(gradient.dtype)
    if pairs == "mean":
        queries = queries / queries.sum(2, keepdim=True)
        keys = keys / keys.sum(1, keepdim=True).clamp_min(1)
    of_texts = (queries[:, None] @ gradient.abs() @ keys[:, None])[:, :, 0]
    return of_texts.sum(0, dtype=torch.float64), own.any(1).sum(0)
