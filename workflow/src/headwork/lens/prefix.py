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
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from headwork.errors import InputError
from headwork.lens.layers import places
from headwork.shapes import Site


class Prefix:
    """The outputs of a model's layers on one batch; `recording` replaces those of the batch before.

    The model must be in evaluation mode: with dropout no two passes are alike.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._layer = places(model)
        self._outputs: dict[nn.Module, Any] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep the output of every layer in the passes within; the last one stays."""
        self._outputs.clear()
        hooks = [
            layer.register_forward_hook(self._keep)
            for stack in {id(stack): stack for stack, _ in self._layer.values()}.values()
            for layer in stack
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _keep(self, layer: nn.Module, given: tuple[Any, ...], output: Any) -> None:
        self._outputs[layer] = output

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
        had = {layer: layer.__dict__.get("forward") for layer in below}
        for layer in below:
            layer.forward = _giving(_of_rows(self._outputs[layer], rows))
        try:
            yield
        finally:
            for layer, forward in had.items():
                if forward is None:
                    del layer.forward
                else:
                    layer.forward = forward


def _of_rows(output: Any, rows: Tensor | None) -> Any:
    """A layer's output for these sentences."""
    if rows is None or output is None:
        return output
    if isinstance(output, Tensor):
        return output.index_select(0, rows.to(output.device))
    return tuple(_of_rows(part, rows) for part in output)


def _giving(output: Any) -> Any:
    def forward(*given: Any, **named: Any) -> Any:
        return output

    return forward
