"""Attention along some edges only: what a model says when the others carry nothing.

An edge is a query and a key in one attention. The weights of the edges that stay are as they were (no row is made to
sum to one again), as in pruning by gates; the check of attribution trees (Hao et al. 2021, section 5).
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import torch
from jaxtyping import Bool
from torch import Tensor

from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.sites import Site

Edges = Bool[Tensor, "batch query key"]


@contextmanager
def only_edges(lens: Lens, edges: Mapping[Site, Edges]) -> Iterator[None]:
    """Within, each of these sites attends along its edges alone, in all of its heads; without gradients.

    Contexts are made anew from weights and values, so gates of these sites do not hold within.
    Raises InputError for a site that the model has not.
    """
    for site in edges:
        lens.anatomy.part(site)
    looks: dict[Site, list[Attended]] = {site: [] for site in edges}

    def keep(attended: Attended) -> None:
        looks[attended.site].append(attended)

    def replace(site: Site, contexts: Tensor) -> None:
        """The contexts that the model goes on with are the tensor handed out."""
        for look in looks[site]:
            weights = look.weights * edges[site][look.rows, None].to(look.weights)
            contexts[look.rows] = (weights @ look.value).transpose(1, 2)
        looks[site].clear()

    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(lens.observing(keep, sites=list(edges)))
        stack.enter_context(lens.handing(replace, list(edges)))
        yield
