"""Attention modules put under the lens and let go, and the check that each of them comes to the lens.

An attention that does not call the lens's function is neither seen nor changed, and nothing would tell. So in every
pass of a layer under the lens the calls of its attentions are counted where they begin and where they attend, and the
two must agree. What is counted begins anew with each pass, also after one that an exception ended.
"""

from collections.abc import Iterable
from functools import partial
from types import MethodType
from typing import Any

from torch import nn

from headwork.errors import InputError
from headwork.lens.anatomy import AttentionSite
from headwork.lens.asked import UNDER_LENS, Asked, Watched


def watch(parts: Iterable[AttentionSite]) -> None:
    """Put all attentions of a model under one lens more; the first also gives a family's own attention its method."""
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
            watched.hooks = [
                part.owner.register_forward_pre_hook(partial(_begin_pass, part.module)),
                part.module.register_forward_pre_hook(_begin_call),
                part.owner.register_forward_hook(partial(_check, part.module)),
            ]


def let_go(parts: Iterable[AttentionSite]) -> None:
    """Take all attentions of a model from under one lens; with the last one nothing is left of it."""
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


# Hooks are functions that find what they need by module: a copy made of a model under the lens has them, and there
# they do nothing.


def _begin_pass(attention: nn.Module, owner: nn.Module, given: tuple[Any, ...]) -> None:
    if watched := UNDER_LENS.get(attention):
        watched.begun = watched.attended = 0


def _begin_call(attention: nn.Module, given: tuple[Any, ...]) -> None:
    if watched := UNDER_LENS.get(attention):
        watched.begun += 1


def _check(attention: nn.Module, owner: nn.Module, given: tuple[Any, ...], output: Any) -> None:
    """Raise InputError if the lens has not seen each call of an attention in the pass that ends."""
    watched = UNDER_LENS.get(attention)
    if watched is None or "forward" in vars(
        owner
    ):  # for a while it gives what was recorded, and calls nothing
        return
    # cross-attention is not called in a pass without a source
    expected = watched.begun if watched.sites[0].site.kind == "cross" else len(watched.sites)
    if not watched.begun == watched.attended == expected:
        raise InputError(
            f"the lens saw {watched.attended} of {max(watched.begun, expected)} calls of the attention at "
            f"{watched.sites[0].site} ({type(attention).__name__}, model type {watched.family}): it is computed "
            "in a way that headwork/lens/families does not know"
        )
