"""Hooks on the attention modules under the lens, and the check that every call of them reached the lens.

An attention that does not call the lens's function is neither seen nor changed, without any error. So hooks count, in
every pass of a layer, how often each of its attentions was called and how often the lens's function ran in it. The two
numbers must agree. Counting starts again with each pass, also after a pass that an exception ended.
"""

from collections.abc import Iterable
from functools import partial
from itertools import count
from types import MethodType
from typing import Any

from torch import nn

from headwork.errors import InputError
from headwork.lens.anatomy import AttentionSite
from headwork.lens.asked import UNDER_LENS, Asked, Watched

_NUMBERS = count()


def watch(parts: Iterable[AttentionSite]) -> None:
    """Register one more lens over these attentions, which are all of a model's.

    The first lens adds the hooks, and replaces the forward of attentions that do not use the attention interface.
    """
    for part in parts:
        watched = UNDER_LENS.setdefault(part.module, Watched(part.family, []))
        if part.call == len(watched.sites):
            watched.sites.append(Asked(part.site))
        if part.call:
            continue
        watched.lenses += 1
        if watched.lenses == 1:
            if part.place.forward:
                part.module.forward = MethodType(part.place.forward, part.module)
            watched.number = next(_NUMBERS)
            watched.hooks = [
                part.owner.register_forward_pre_hook(partial(_begin_pass, watched.number, part.module)),
                part.module.register_forward_pre_hook(partial(_begin_call, watched.number)),
                part.owner.register_forward_hook(partial(_check, watched.number, part.module)),
            ]


def unwatch(parts: Iterable[AttentionSite]) -> None:
    """Undo one `watch` of these attentions; the last one removes hooks and replaced forwards."""
    for part in parts:
        if part.call:
            continue
        watched = UNDER_LENS[part.module]
        watched.lenses -= 1
        if not watched.lenses:
            for hook in watched.hooks:
                hook.remove()
            if part.place.forward:
                del part.module.forward
            del UNDER_LENS[part.module]


# A copy of a model under the lens has copies of the hooks. By their number they know that they are not those of the
# module, and do nothing, also when the copy comes under a lens of its own.


def _watched(number: int, attention: nn.Module) -> Watched | None:
    watched = UNDER_LENS.get(attention)
    return watched if watched is not None and watched.number == number else None


def _begin_pass(number: int, attention: nn.Module, owner: nn.Module, given: tuple[Any, ...]) -> None:
    if watched := _watched(number, attention):
        watched.begun = watched.attended = 0


def _begin_call(number: int, attention: nn.Module, given: tuple[Any, ...]) -> None:
    if watched := _watched(number, attention):
        watched.begun += 1


def _check(number: int, attention: nn.Module, owner: nn.Module, given: tuple[Any, ...], output: Any) -> None:
    """Raise InputError if the lens has not seen each call of an attention in the pass that ends."""
    watched = _watched(number, attention)
    if watched is None or "forward" in vars(owner):  # replaced (by `Prefix`): no attention runs
        return
    # cross-attention is not called in a pass without a source
    expected = watched.begun if watched.sites[0].site.kind == "cross" else len(watched.sites)
    if not watched.begun == watched.attended == expected:
        raise InputError(
            f"the lens saw {watched.attended} of {max(watched.begun, expected)} calls of the attention at "
            f"{watched.sites[0].site} ({type(attention).__name__}, model type {watched.family}): it is computed "
            "in a way that headwork/lens/families does not know"
        )
