"""The lens: see and change what the attention heads of a model do, and leave no trace on it.

    with Lens(model) as lens, lens.observing(entropy), lens.gating({Site("encoder", 1): gates}):
        model(**batch)

Inside the block the model computes attention with `headwork.lens.attention`; what the studies ask of it are context
managers that may be nested, in any order and more than once:

    observing   show each site's weights to observers: maps, confidence, patterns, norms
    gating      multiply each head's context by its gate: L0 pruning (Voita et al. 2019), importance as the gradient
                of a gate and removing a head (Michel et al. 2019; Hao et al. 2021)
    uniform     let heads attend evenly to all keys: disabling as in Kovaleva et al. (2019)
    scaling     multiply a site's weights by alpha, and
    keeping     keep weights in the graph, so that they have a gradient (attribution, Hao et al. 2021)
    masking     hide keys from queries, and
    causal      hide from each query the keys after it: an encoder that reads like a language model
    handing     hand out the heads' contexts that the model goes on with: where relevance is read (Voita et al. 2019)

Leaving a block, by an exception too, undoes what it asked; leaving the lens gives the model back its own attention.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.lens.anatomy import AttentionSite, anatomy
from headwork.lens.asked import UNDER_LENS, Allowed, Asked, Attended, Gate, Observer, Receiver, Scale, Watched
from headwork.lens.attention import NAME
from headwork.sites import Head, Site

__all__ = ["Attended", "Lens", "Observer"]


@dataclass
class _Loan:
    """A configuration set to the lens's attention, what it had before, and how many lenses hold it."""

    config: Any
    implementation: str | None
    lenses: int = 0


_LOANS: dict[int, _Loan] = {}


class Lens:
    """A model under observation, for the length of a ``with`` block.

    `anatomy` lists its sites. Several lenses may be over several models, or over one: then what is asked through each
    holds for the model. Raises InputError for a model of an unknown family; and a pass of the model raises it if
    an attention does not reach the lens, or gets a keyword that the lens does not handle.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.anatomy = anatomy(model)

    def __enter__(self) -> "Lens":
        _watch(self.anatomy.sites.values())
        configs = _configs(self.model)
        for config in configs:
            loan = _LOANS.setdefault(id(config), _Loan(config, config._attn_implementation))
            loan.lenses += 1
        for config in configs:
            config._attn_implementation = NAME
        return self

    def __exit__(self, *exception: object) -> None:
        _unwatch(self.anatomy.sites.values())
        for config in _configs(self.model):
            loan = _LOANS[id(config)]
            loan.lenses -= 1
            if not loan.lenses:
                config._attn_implementation = loan.implementation
                del _LOANS[id(config)]

    @contextmanager
    def observing(self, *observers: Observer, sites: Iterable[Site] | None = None) -> Iterator[None]:
        """Call the observers with an `Attended` for each of the sites (default all) in each forward pass.

        Without gradients a few sentences come at a time, so memory does not grow with the batch; with gradients or
        training dropout the whole batch comes at once.
        """
        sites = self.anatomy.sites if sites is None else sites
        with _asking((self._asked(site).observers, observers) for site in sites):
            yield

    @contextmanager
    def gating(self, gates: Mapping[Site, Gate]) -> Iterator[None]:
        """Multiply each head's context, before W_O, by its gate; gradients reach the gates.

        A site's gates are one number per head, or (batch, head) for gates of each sentence's own.
        Raises InputError if their number is not the site's number of heads.
        """
        for site, gate in gates.items():
            heads = self.anatomy.part(site).heads
            if gate.ndim not in (1, 2) or gate.shape[-1] != heads:
                raise InputError(f"gates of shape {tuple(gate.shape)} for {site}, which has {heads} heads")
        with _asking((self._asked(site).gates, gate) for site, gate in gates.items()):
            yield

    @contextmanager
    def uniform(self, heads: Iterable[Head]) -> Iterator[None]:
        """Let these heads attend evenly to every key their mask leaves: real tokens, none after a causal query.

        Raises InputError for a head that the model does not have.
        """
        chosen: dict[Site, list[int]] = {}
        for head in heads:
            count = self.anatomy.part(head.site).heads
            if not 1 <= head.head <= count:
                raise InputError(f"no head {head}: {head.site} has {count} heads")
            chosen.setdefault(head.site, []).append(head.head - 1)
        with _asking((self._asked(site).uniform, numbers) for site, numbers in chosen.items()):
            yield

    @contextmanager
    def scaling(self, scales: Mapping[Site, Scale]) -> Iterator[None]:
        """Multiply all weights of a site by alpha: one number, or one for each sentence of the batch."""
        with _asking((self._asked(site).scales, scale) for site, scale in scales.items()):
            yield

    @contextmanager
    def keeping(self, sites: Iterable[Site]) -> Iterator[dict[Site, Tensor]]:
        """Fill the dict with each site's weights (batch, head, query, key) in each forward pass; the last one stays.

        The kept tensors are those the contexts are made from, so ``backward()`` leaves in their ``.grad`` the
        derivative by the attention map, at the map as it was scaled, if gradients are enabled at all.
        """
        kept: dict[Site, Tensor] = {}
        with _asking((self._asked(site).keeping, kept) for site in sites):
            yield kept

    @contextmanager
    def handing(self, receiver: Receiver, sites: Iterable[Site] | None = None) -> Iterator[None]:
        """Call the receiver with each site (default all) and its heads' contexts (batch, time, head, head_dim).

        They are gated and not yet projected by W_O: the very tensor that the model goes on with, in each forward pass.
        """
        sites = self.anatomy.sites if sites is None else sites
        with _asking((self._asked(site).receivers, receiver) for site in sites):
            yield

    @contextmanager
    def masking(self, masks: Mapping[Site, Allowed]) -> Iterator[None]:
        """Let queries attend only to keys for which a site's mask (batch or 1, head or 1, query, key) is true.

        The model's own mask holds too. A query needs a key that is left to it.
        """
        with _asking((self._asked(site).masks, allowed) for site, allowed in masks.items()):
            yield

    @contextmanager
    def causal(self, sites: Iterable[Site] | None = None) -> Iterator[None]:
        """Let no query of these sites (default all) attend to a key after it."""
        sites = self.anatomy.sites if sites is None else sites
        with _asking((self._asked(site).masks, None) for site in sites):
            yield

    def _asked(self, site: Site) -> Asked:
        part = self.anatomy.part(site)
        watched = UNDER_LENS.get(part.module)
        if watched is None:
            raise RuntimeError(
                "the model is not under the lens: write `with Lens(model) as lens:` around this"
            )
        return watched.sites[part.call]


@contextmanager
def _asking(wishes: Iterable[tuple[dict[object, Any], Any]]) -> Iterator[None]:
    """Ask something of several sites for the length of a block: each wish goes into the dict it comes with."""
    token = object()
    wishes = list(wishes)
    for place, wish in wishes:
        place[token] = wish
    try:
        yield
    finally:
        for place, _ in wishes:
            del place[token]


def _configs(model: nn.Module) -> list[Any]:
    """The distinct configurations in a model, outermost first: encoder and decoder may have their own."""
    configs = (getattr(module, "config", None) for module in model.modules())
    known = {id(config): config for config in configs if hasattr(config, "_attn_implementation")}
    return list(known.values())


# Hooks count, in every pass of a layer, how often each of its attentions was called and how often the lens's function
# ran in it: an attention that does not call the function is neither seen nor changed, without any error. The two
# numbers must agree. Counting starts again with each pass, also after a pass that an exception ended.
_NUMBERS = itertools.count()


def _watch(parts: Iterable[AttentionSite]) -> None:
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


def _unwatch(parts: Iterable[AttentionSite]) -> None:
    """Undo one `_watch` of these attentions; the last one removes hooks and replaced forwards."""
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
    """Raise InputError if the lens has not seen each call of an attention in the pass that ends, or if what comes of
    it is not finite: statistics would be missing, or wrong, without a word.
    """
    watched = _watched(number, attention)
    if watched is None or "forward" in vars(owner):  # replaced (by `Prefix`): no attention runs
        return
    # cross-attention is not called in a pass without a source
    expected = watched.begun if watched.sites[0].site.kind == "cross" else len(watched.sites)
    if not watched.begun == watched.attended == expected:
        raise InputError(
            f"the lens saw {watched.attended} of {max(watched.begun, expected)} calls of the attention at "
            f"{watched.sites[0].site} ({type(attention).__name__}, model type {watched.family}): it is computed "
            "in a way that headwork/lens/families.py does not know"
        )
    states = output[0] if isinstance(output, tuple) else output
    if not owner.training and isinstance(states, Tensor) and not _finite(states):
        raise InputError(
            f"the model's outputs are not finite at {watched.sites[0].site}: its weights are damaged, or too large"
        )


def _finite(states: Tensor) -> bool:
    """Whether no state is infinite or no number; without modes that record operations (`headwork.relevance`)."""
    with torch._C.DisableTorchFunction():
        return states.is_meta or bool(states.detach().sum().isfinite())
