"""The layers of a model: the vectors between them, and one layer run by itself.

A layer is an item of an ``nn.ModuleList`` with an attention in it; the layers of one list follow each other, and each
reads what the one before gave. What is written here as layer 0 are the embeddings: what the first layer reads.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.shapes import Site, Vectors

Allowed = Bool[Tensor, "batch query key"]


def places(model: nn.Module) -> dict[Site, tuple[nn.ModuleList, int]]:
    """Site -> the list that its layer is in, and the layer's place there, from 0."""
    found: dict[Site, tuple[nn.ModuleList, int]] = {}
    lists = [module for module in model.modules() if isinstance(module, nn.ModuleList)]
    for site, part in anatomy(model).sites.items():
        # the innermost list: a layer may hold lists of its own
        for stack in lists:
            for number, layer in enumerate(stack):
                if any(module is part.module for module in layer.modules()):
                    found[site] = stack, number
    return found


class Layers:
    """The layers by which a model reads a text: those of its encoder, or of a language model that has none.

    `causal` says whether no token sees those after it.
    """

    def __init__(self, model: nn.Module) -> None:
        stacks = {site.kind: stack for site, (stack, _) in places(model).items()}
        self.kind = "encoder" if "encoder" in stacks else "decoder"
        self.causal = self.kind == "decoder" or bool(getattr(model.config, "causal", False))
        self._model = model
        self._layers = list(stacks[self.kind])

    def __len__(self) -> int:
        return len(self._layers)

    @property
    def device(self) -> torch.device:
        """Where the model's weights are."""
        return next(self._model.parameters()).device

    @contextmanager
    def recording(self) -> Iterator[list[Vectors]]:
        """Fill the list with the states of each pass within: the embeddings, then what each layer gives.

        They are what the layers hand on: before the last layer normalisation of a pre-norm model.
        """
        states: list[Vectors] = []

        def embedded(layer: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            states[:] = [given[0] if given else named["hidden_states"]]

        def keep(layer: nn.Module, given: tuple[Any, ...], output: Any) -> None:
            states.append(output if isinstance(output, Tensor) else output[0])

        hooks = [self._layers[0].register_forward_pre_hook(embedded, with_kwargs=True)]
        hooks += [layer.register_forward_hook(keep) for layer in self._layers]
        try:
            yield states
        finally:
            for hook in hooks:
                hook.remove()

    def run(self, layer: int, states: Vectors, allowed: Allowed) -> Vectors:
        """What that layer (from 1) makes of states, if each query attends to the keys that are allowed it.

        The model must be in evaluation mode. Raises InputError for a layer that the model has not.
        """
        if not 1 <= layer <= len(self):
            raise InputError(f"there is no layer {layer}: the model has {len(self)}")
        with Lens(self._model):  # whose attention reads masks of this kind in every family
            output = self._layers[layer - 1](states, attention_mask=allowed[:, None])
        return output if isinstance(output, Tensor) else output[0]
