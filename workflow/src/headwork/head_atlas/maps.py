"""Attention maps of a few sentences for every head: weights, norms of the weighted vectors, attributions.

A map is stored as bytes, a page of 144 heads would be too large otherwise: 255 steps up to the map's largest value, so
that a value is off by at most 1/510 of it.
"""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from headwork.errors import InputError
from headwork.head_atlas.reading import Reading
from headwork.head_atlas.subject import subject_of
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.streaming.batches import Batch
from headwork.models.loading.kinds import CLASSIFIER, kind_of
from headwork.parses.align import SPECIAL
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.attributions.self_attention import attributions
from headwork.sites import Site

STEPS = 255
Maps = dict[Site, torch.Tensor]


def texts_shown(reading: Reading, chosen: Sequence[int]) -> list[dict[str, Any]]:
    """For each chosen text its sides by kind of attention: tokens, and the word of each (-1: special)."""
    shown = []
    for number in chosen:
        batch = reading.single(number)
        sides = {kind: _side(reading, batch, kind) for kind in batch.queries}
        shown.append({"text": reading.sources[number].line, "sides": sides})
    return shown


def _side(reading: Reading, batch: Batch, kind: str) -> dict[str, Any]:
    found = {}
    for name, side in (("queries", batch.queries[kind]), ("keys", batch.keys[kind])):
        ids, words = side.ids[0].tolist(), side.words[0].tolist()
        found[name] = {"tokens": _readable(reading, ids, words), "words": words}
    return found


def _readable(reading: Reading, ids: Sequence[int], words: Sequence[int]) -> list[str]:
    """The tokens as people read them: without the marks of where words begin (``Ġ``, ``▁``)."""
    tokens = reading.tokenizer.convert_ids_to_tokens(list(ids))
    return [
        token if word == SPECIAL else (reading.tokenizer.decode([number]).strip() or token)
        for token, number, word in zip(tokens, ids, words, strict=True)
    ]


def maps_shown(model: nn.Module, reading: Reading, chosen: Sequence[int], seed: int) -> list[dict[str, Any]]:
    """For each chosen text its maps: view -> site -> bytes and scale of every head."""
    shown = []
    for number in chosen:
        views = _views(model, reading, number, seed).items()
        shown.append(
            {view: {_name(site): _packed(maps[0]) for site, maps in of.items()} for view, of in views}
        )
    return shown


def _name(site: Site) -> str:
    return f"{site.kind}-{site.layer}"


def _views(model: nn.Module, reading: Reading, number: int, seed: int) -> dict[str, Maps]:
    batch = reading.single(number).to(model.device)
    weights = weights_of(model.base_model, batch.inputs)
    vectors = VectorNorms(model.base_model)
    with vectors.reading(), torch.no_grad():
        vectors.start(batch)
        model.base_model(**batch.inputs)
        norms = {site: maps * vectors[site].transformed[:, :, None] for site, maps in weights.items()}
    views = {"weights": weights, "norms": norms}
    if attributed := _attributed(model, reading, number, seed):
        views["attribution"] = attributed
    return views


def _attributed(model: nn.Module, reading: Reading, number: int, seed: int) -> Maps:
    """Attributions of the answer of a classifier, or of a translation; nothing for other models."""
    if reading.targets is None and kind_of(model) != CLASSIFIER:
        return {}
    subject = subject_of(model, reading, [number], [number], seed)
    (given,) = subject.measured
    try:
        return {
            each.site: each.maps.detach() for each in attributions(model, given.inputs, subject.target(given))
        }
    except InputError:  # layers that share their weights; the measures say so
        return {}


def _packed(maps: torch.Tensor) -> dict[str, Any]:
    """(head, query, key) as bytes; with negative values, byte 128 is 0."""
    values = maps.double().cpu().numpy()
    largest = np.abs(values).max((1, 2), keepdims=True).clip(min=1e-12)
    signed = bool((values < 0).any())
    steps = STEPS // 2 if signed else STEPS
    codes = np.rint(values / largest * steps + (128 if signed else 0)).astype(np.uint8)
    scale = [float(f"{value / steps:.6g}") for value in largest.ravel()]
    return {"scale": scale, "signed": signed, "bytes": base64.b64encode(codes.tobytes()).decode()}
