"""Edges of many attribution trees, and whether they alone preserve the prediction."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from headwork.lens.edges import only_edges
from headwork.lens.lens import Lens
from headwork.models.objectives.encoder_batches import LabelledTexts
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.trees import AttributionTree, Edge, random_edges
from headwork.sites import Site

COLUMNS = ("example", "layer", "reader", "read", "distance", "between", "score")


def edges_of(trees: Iterable[AttributionTree], data: LabelledTexts) -> pd.DataFrame:
    """Return one row an edge, without that of the root: `COLUMNS`.

    `distance` is |i - j| in pieces, `between` whether the two are in different parts of a pair. Its means by layer are
    the receptive field (Hao et al. 2021, section 5).
    """
    rows = []
    for number, tree in enumerate(trees):
        second = int(data.second[number])
        for edge in tree.edges[1:]:
            between = (edge.reader >= second) != (edge.read >= second)
            places = (edge.layer, edge.reader, edge.read, abs(edge.reader - edge.read))
            rows.append((data.indices[number], *places, between, edge.score))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"between": bool, "score": float})


@torch.no_grad()
def answers_kept(
    classifier: Classifier, data: LabelledTexts, trees: Sequence[AttributionTree], seed: int = 0
) -> pd.DataFrame:
    """example, edges, tree, random: whether the tree's edges, or as many random ones, preserve the prediction.

    A bool each, `edges` is their number; random edges are in the same layers.
    """
    chance = np.random.default_rng(seed)
    rows = []
    with Lens(classifier.model) as lens:
        sites = [site for site in lens.anatomy.sites if site.kind == "encoder"]
        for number, tree in enumerate(trees):
            inputs, _ = classifier.inputs([data[number]])
            length = inputs["input_ids"].shape[1]
            answer = classifier.answers(inputs)
            stays = []
            for edges in (tree.edges, random_edges(tree, length, chance)):
                with only_edges(lens, masks(edges, sites, length, classifier.model.device)):
                    stays.append(bool((classifier.answers(inputs) == answer).all()))
            rows.append((data.indices[number], len(tree.edges), *stays))
    return pd.DataFrame(rows, columns=["example", "edges", "tree", "random"])


def masks(
    edges: Iterable[Edge], sites: Iterable[Site], length: int, device: torch.device
) -> dict[Site, Tensor]:
    """Return for each site which edges of one text are kept: (1, query, key)."""
    kept = {site: torch.zeros(1, length, length, dtype=torch.bool, device=device) for site in sites}
    for edge in edges:
        kept[Site("encoder", edge.layer)][0, edge.reader, edge.read] = True
    return kept
