"""Passes over one batch that are alike up to some layer: what lies below it is computed once.

    prefix = Prefix(model)
    with prefix.recording():
        model(**batch)                              # all layers, once
    for site in lens.anatomy.sites:
        with prefix.up_to(site), lens.uniform([site.head(1)]):
            model(**batch)                          # the layers from the site's own on

Disabling each head of a model in turn (Kovaleva et al. 2019, section 4.4; Michel et al. 2019) costs half of what whole
passes do, and less for upper layers. A layer is an item of an ``nn.ModuleList`` with an attention in it; the layers of
one list follow each other, as in every model that the lens knows, and the first output of one is what the next reads.
What the site's own attention reads is the same too, so its queries, keys and values are not projected anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from headwork.errors import InputError
from headwork.lens.anatomy import AttentionSite, anatomy
from headwork.lens.forwards import computing, giving
from headwork.lens.layers import places
from headwork.shapes import Site


class Prefix:
    """The outputs of a model's layers on one batch; `recording` replaces those of the batch before.

    The model must be in evaluation mode: with dropout no two passes are alike.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._layer = places(model)
        self._projections = {site: _projections(part) for site, part in anatomy(model).sites.items()}
        self._outputs: dict[nn.Module, Any] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep the output of every layer and of its projections in the passes within; the last one stays."""
        self._outputs.clear()
        stacks = {id(stack): stack for stack, _ in self._layer.values()}.values()
        kept = [layer for stack in stacks for layer in stack]
        kept += [module for modules in self._projections.values() for module in modules]
        hooks = [module.register_forward_hook(self._keep) for module in kept]
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
        if site not in self._layer:
            raise InputError(f"the model has no attention {site}; it has {', '.join(map(str, self._layer))}")
        if not self._outputs:
            raise RuntimeError("no pass was recorded: run the model on the batch within `recording` first")
        stack, number = self._layer[site]
        below = list(stack[:number])
        if site.kind != "encoder":
            below += [
                layer
                for encoder in {
                    id(own): own for place, (own, _) in self._layer.items() if place.kind == "encoder"
                }.values()
                for layer in encoder
            ]
        # attention that was recorded for some places only (`headwork.lens.last_layer`) has made no projection
        same = [*below, *(module for module in self._projections[site] if module in self._outputs)]
        with computing({module: giving(_of_rows(self._outputs[module], rows)) for module in same}):
            yield


def _projections(part: AttentionSite) -> list[nn.Module]:
    """What makes the site's queries, keys and values: the modules in its attention that have a weight, but for W_O."""
    return [
        module for module in part.module.modules() if hasattr(module, "weight") and module is not part.output
    ]


def _of_rows(output: Any, rows: Tensor | None) -> Any:
    """A layer's output for these sentences."""
    if rows is None or output is None:
        return output
    if isinstance(output, Tensor):
        return output.index_select(0, rows.to(output.device))
    return tuple(_of_rows(part, rows) for part in output)
