"""The last layer of an encoder for some places of the text only: all that a classifier reads is [CLS].

Everything after the attention of a layer is done place by place, so in the last layer the places that nobody reads can
be left out: output projection, feed-forward and layer normalisations, about three quarters of a layer's work.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor, nn

from headwork.lens.anatomy import anatomy

# Blocks of BERT's kind: called with (heads' contexts, what the layer read), both (batch, time, hidden).
BLOCKS = ("BertSelfOutput", "RobertaSelfOutput", "XLMRobertaSelfOutput", "ElectraSelfOutput")


@contextmanager
def only_places(model: nn.Module, places: tuple[int, ...] | None) -> Iterator[bool]:
    """Within, the last hidden states have these places (from 0) alone, in this order; None: all places.

    Gives whether they do: for other families than BERT's the states stay whole, in the order they had.
    """
    block = None if places is None else _last_block(model)
    if block is None:
        yield False
        return

    def leave_out(module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(states[:, places] for states in given)

    hook = block.register_forward_pre_hook(leave_out)
    try:
        yield True
    finally:
        hook.remove()


def _last_block(model: nn.Module) -> nn.Module | None:
    """The block behind the attention of the encoder's last layer, if it is of a known kind."""
    encoder = [part for site, part in anatomy(model).sites.items() if site.kind == "encoder"]
    if not encoder:
        return None
    for module in model.modules():
        if type(module).__name__ in BLOCKS and any(
            child is encoder[-1].output for child in module.children()
        ):
            return module
    return None
