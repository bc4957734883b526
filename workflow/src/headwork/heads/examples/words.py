"""Sentences in which a relation's best head is right, with its map between words (Clark et al. 2019, figure 5).

Also those of the best heads for predicate-argument links (Kovaleva et al. 2019, figure 3).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.heads.coreference.antecedent_heads import mention_batches
from headwork.heads.coreference.antecedents import MentionText, anaphors, candidates
from headwork.heads.examples.sentences import DIGITS
from headwork.heads.streaming.batches import Batch, Text, single_batches
from headwork.heads.streaming.word_attention import WordLevel
from headwork.heads.syntax.dependency import ALL, NO_PUNCTUATION
from headwork.heads.syntax.directions import DEPENDENT_TO_HEAD
from headwork.heads.syntax.roles import RoleSettings, links
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.parses.conllu import Sentence
from headwork.settings.heads import WordExampleSettings
from headwork.sites import Head

CANDIDATES = "preceding-mentions"
ROLE = "role"

WordMap = Float[np.ndarray, "word other"]
Arc = tuple[int, int]
"""A word and the word it is to find, both counted from 0."""


class _Chosen(NamedTuple):
    """The best head of a relation and its direction."""

    relation: str
    head: Head
    direction: str


def relation_examples(
    model: PreTrainedModel,
    sentences: Sequence[Text],
    padding: int,
    best: pd.DataFrame,
    settings: WordExampleSettings,
) -> list[dict[str, Any]]:
    """For each relation of `best` (rows of `dependency.best_heads`) sentences all of whose arcs its head finds.

    An example has relation, head (its name), direction, words, arcs and weights: rows attend to columns, four digits.
    """
    wanted = [
        _Chosen(row.relation, Head(row.kind, row.layer, row.head), row.direction)
        for row in best.itertuples()
        if row.relation not in (ALL, NO_PUNCTUATION)
    ]
    fit = [text for text in sentences if settings.shortest <= len(text.tree) <= settings.longest]
    found: dict[str, list[dict[str, Any]]] = {each.relation: [] for each in wanted}
    for batch in single_batches(fit, "encoder", padding, 2000):
        if all(len(shown) >= settings.sentences for shown in found.values()):
            break
        maps = word_maps(model, batch, {each.head for each in wanted})
        for each in wanted:
            for number, tree in enumerate(batch.queries["encoder"].sentences):
                weights = maps[each.head][number, : len(tree), : len(tree)]
                arcs = _arcs(tree, each.relation)
                full = len(found[each.relation]) >= settings.sentences
                if not full and arcs and _finds(weights, arcs, each.direction):
                    found[each.relation].append(_example(each, tree.forms, arcs, weights))
    return [example for shown in found.values() for example in shown]


def _arcs(tree: Sentence, relation: str) -> list[Arc]:
    return [
        (place, word.head - 1)
        for place, word in enumerate(tree.words)
        if word.head and word.deprel == relation
    ]


def _finds(weights: WordMap, arcs: Iterable[Arc], direction: str) -> bool:
    """Return whether the head is right about all arcs; no word is its own head."""
    scores = (weights if direction == DEPENDENT_TO_HEAD else weights.T) - 2 * np.eye(len(weights))
    return all(scores[word].argmax() == head for word, head in arcs)


def antecedent_examples(
    model: PreTrainedModel,
    documents: Iterable[MentionText],
    tokenizer: PreTrainedTokenizerBase,
    statistics: pd.DataFrame,
    settings: WordExampleSettings,
) -> list[dict[str, Any]]:
    """The same for the best head for antecedents among preceding mentions, in the first words of texts."""
    rows = statistics[statistics["key"] == f"{CANDIDATES}/to-antecedent/all"]
    best = rows.loc[rows["value"].idxmax()]
    chosen = _Chosen(
        "coreference", Head(best["kind"], int(best["layer"]), int(best["head"])), DEPENDENT_TO_HEAD
    )
    shown = []
    for text in documents:
        short = text.first(settings.longest + settings.shortest)
        own = list(anaphors(short))
        if len(shown) == settings.sentences or not own:
            continue
        (batch,) = mention_batches([short], tokenizer)
        weights = word_maps(model, batch, {chosen.head})[chosen.head][0]
        arcs = []
        for anaphor in own:
            places = candidates(short, anaphor, CANDIDATES)
            found = places[int(weights[anaphor.mention.head, places].argmax())]
            if found in anaphor.antecedents:
                arcs.append((anaphor.mention.head, found))
        if arcs:
            shown.append(_example(chosen, short.forms, arcs, weights))
    return shown


def role_examples(
    model: PreTrainedModel,
    sentences: Sequence[Text],
    padding: int,
    statistics: pd.DataFrame,
    roles: RoleSettings,
    settings: WordExampleSettings,
) -> list[dict[str, Any]]:
    """The maps of the two heads with the highest statistic `role`, in the same sentences: those that qualify.

    An arc leads from the word to its predicate. Returns [] for texts without roles.
    """
    rows = statistics[statistics["statistic"] == ROLE]
    best = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True]).head(2)
    chosen = [
        _Chosen(ROLE, Head(row.kind, row.layer, row.head), DEPENDENT_TO_HEAD) for row in best.itertuples()
    ]
    fit = [
        text
        for text in sentences
        if settings.shortest <= len(text.tree) <= settings.longest and links(text.tree, roles)
    ][: settings.sentences]
    if not chosen or not fit:
        return []
    shown = []
    for text in fit:
        (batch,) = single_batches([text], "encoder", padding, len(text))
        maps = word_maps(model, batch, {each.head for each in chosen})
        arcs = links(text.tree, roles)
        shown += [_example(each, text.tree.forms, arcs, maps[each.head][0]) for each in chosen]
    return shown


def _example(chosen: _Chosen, words: list[str], arcs: list[Arc], weights: WordMap) -> dict[str, Any]:
    return {
        "relation": chosen.relation,
        "head": str(chosen.head),
        "direction": chosen.direction,
        "words": words,
        "arcs": [list(arc) for arc in arcs],
        "weights": weights.round(DIGITS).tolist(),
    }


def word_maps(
    model: PreTrainedModel, batch: Batch, heads: Collection[Head]
) -> dict[Head, Float[np.ndarray, "sentence word other"]]:
    """Maps between words of some heads of an encoder, for all sentences of a batch."""
    batch = batch.to(next(model.parameters()).device)
    side = batch.queries["encoder"]
    level = WordLevel.of(side)
    found: dict[Head, list[np.ndarray]] = {}

    def keep(attended: Attended) -> None:
        chosen = [head for head in heads if head.site == attended.site]
        if chosen:
            maps = level.maps(attended.weights, attended.rows).double().cpu().numpy()
            for head in chosen:
                found.setdefault(head, []).append(maps[:, :, head.head - 1])

    with torch.no_grad(), Lens(model) as lens, lens.observing(keep):
        model(**batch.inputs)
    return {head: np.concatenate(parts) for head, parts in found.items()}
