"""Passes over one batch that are alike up to some layer: what lies below it is computed once.

    prefix = Prefix(model)
    with prefix.recording():
        model(**batch)                              # all layers, once
    for site in lens.anatomy.sites:
        with prefix.up_to(site), lens.uniform([site.head(1)]):
            model(**batch)                          # the layers from the site's own on

Disabling each head of a model in turn (Kovaleva et al. 2019, section 4.6; Michel et al. 2019) costs half of what whole
passes do, and less for upper layers. A layer is an item of an ``nn.ModuleList`` with an attention in it; the layers of
one list follow each other, as in every model that the lens knows, and the first output of one is what the next reads.
What the site's own attention reads is the same too, so its queries, keys and values are not projected anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from headwork.lens.anatomy import AttentionSite, anatomy
from headwork.lens.forwards import computing, giving
from headwork.sites import Site


class Prefix:
    """The outputs of a model's layers on one batch; `recording` replaces those of the batch before.

    The model must be in evaluation mode: with dropout no two passes are alike. Of a model whose layers share their
    weights no layer's output is kept, and each pass computes all layers.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._anatomy = anatomy(model)
        self._layers = {
            kind: [] if self._anatomy.shared else [layer.module for layer in layers]
            for kind, layers in self._anatomy.layers.items()
        }
        self._projections = {
            site: [] if self._anatomy.shared else _projections(part)
            for site, part in self._anatomy.sites.items()
        }
        self._outputs: dict[nn.Module, Any] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep the output of every layer and of its projections in the passes within; the last one stays."""
        self._outputs.clear()
        kept = [layer for layers in self._layers.values() for layer in layers]
        kept += [module for modules in self._projections.values() for module in modules]
        # a decoder's layer is one of cross-attention too
        hooks = [module.register_forward_hook(self._keep) for module in dict.fromkeys(kept)]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _keep(self, module: nn.Module, given: tuple[Any, ...], output: Any) -> None:
        self._outputs[module] = output

    @contextmanager
    def up_to(self, site: Site, rows: Tensor | None = None) -> Iterator[None]:
        """In the passes within, all layers below the site's give what they gave when they were recorded.

        So do all layers of an encoder for a site of its decoder. `rows` are numbers of sentences of the recorded batch,
        if the passes within are not of that batch as it was: of some of its sentences, or of several copies of each.
        Raises InputError for a site that the model has not, RuntimeError if no pass was recorded.
        """
        self._anatomy.part(site)
        if not self._outputs and not self._anatomy.shared:
            raise RuntimeError("no pass was recorded: run the model on the batch within `recording` first")
        below = self._layers[site.kind][: site.layer - 1]
        if site.kind != "encoder":
            below = [*below, *self._layers.get("encoder", ())]
        # attention that was recorded for some places only (`headwork.lens.last_layer`) has made no projection
        same = [*below, *(module for module in self._projections[site] if module in self._outputs)]
        with computing({module: giving(_of_rows(self._outputs[module], rows)) for module in same}):
            yield


def _projections(part: AttentionSite) -> list[nn.Module]:
    """The linear maps in the site's attention that make its queries, keys and values of what the layer reads."""
    if part.place.forward:
        return []  # such attentions also project positions, which have no sentences
    return [
        module
        for module in part.module.modules()
        if isinstance(module, nn.Linear | Conv1D) and module is not part.output
    ]


def _of_rows(output: Any, rows: Tensor | None) -> Any:
    """A layer's output for these sentences; what it gives for all of them (T5's position bias) has one row."""
    if rows is None or output is None:
        return output
    if isinstance(output, Tensor):
        rows = rows.to(output.device)
        return output.index_select(0, rows if len(output) > 1 else torch.zeros_like(rows))
    return tuple(_of_rows(part, rows) for part in output)
