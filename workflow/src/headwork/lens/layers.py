"""The layers of a model: the vectors between them, and one layer run by itself.

The vectors of a layer are what the next one reads, or what the last one gives. What is written here as layer 0 are the
embeddings: what the first layer reads.
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
from headwork.sites import Vectors

Allowed = Bool[Tensor, "batch query key"]


class Layers:
    """The layers by which a model reads a text: those of its encoder, or of a language model that has none.

    `causal` says whether no token sees those after it.
    """

    def __init__(self, model: nn.Module) -> None:
        found = anatomy(model)
        self.kind = "encoder" if "encoder" in found.layers else "decoder"
        self.causal = self.kind == "decoder" or bool(getattr(model.config, "causal", False))
        self._model = model
        self._layers = found.layers[self.kind]

    def __len__(self) -> int:
        return len(self._layers)

    @property
    def device(self) -> torch.device:
        """Where the model's weights are."""
        return next(self._model.parameters()).device

    @contextmanager
    def recording(self) -> Iterator[list[Vectors]]:
        """Fill the list with the states of each pass within: the embeddings, then those after each layer.

        The last are what the last layer gives: before the last layer normalisation of a pre-norm model.
        """
        states: list[Vectors] = []

        def begin(owner: nn.Module, given: tuple[Any, ...]) -> None:
            states.clear()

        def read(layer: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            # in place of what the layer before gave: DeBERTa may do something in between
            states[-1:] = [given[0] if given else named["hidden_states"]]

        def keep(layer: nn.Module, given: tuple[Any, ...], output: Any) -> None:
            states.append(output if isinstance(output, Tensor) else output[0])

        hooks = [self._layers[0].owner.register_forward_pre_hook(begin)]
        for module in {layer.module for layer in self._layers}:
            hooks.append(module.register_forward_pre_hook(read, with_kwargs=True))
            hooks.append(module.register_forward_hook(keep))
        try:
            yield states
        finally:
            for hook in hooks:
                hook.remove()

    def run(self, layer: int, states: Vectors, allowed: Allowed) -> Vectors:
        """What that layer (from 1) makes of states, if each query attends to the keys that are allowed it.

        The model must be in evaluation mode. Raises InputError for a layer that the model has not, and for a family
        whose layers also need the positions of what they read.
        """
        if not 1 <= layer <= len(self):
            raise InputError(f"there is no layer {layer}: the model has {len(self)}")
        module, _, alone = self._layers[layer - 1]
        if not alone:
            raise InputError(
                f"a {type(module).__name__} cannot be run by itself: the model hands it positions beside the states"
            )
        with Lens(self._model):  # whose attention reads masks of this kind in every family
            output = module(states, attention_mask=allowed[:, None])
        return output if isinstance(output, Tensor) else output[0]
