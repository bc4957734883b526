"""What one encoder's attention and states know of trees, in one job (Coenen et al. 2019, sections 3 and 4).

The attention probe sees pairs of words of the training part of the treebank; the structural probe is trained on that
part and looked at on the dev part. Vectors of words are in memory: 4 bytes for each layer, word and dimension.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from torch import Tensor

from headwork.errors import InputError
from headwork.heads.streaming.batches import Side, single_batches
from headwork.heads.streaming.parsed import parsed_texts
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence, whole_trees
from headwork.representations.geometry import tree_embeddings
from headwork.representations.probes import structural as structural_probe
from headwork.representations.probes import tree_scores
from headwork.representations.probes.attention import pairs_of
from headwork.representations.probes.linear import probe_pairs
from headwork.representations.probes.structural import Example, StructuralProbe
from headwork.representations.probes.tree_scores import Matrices
from headwork.representations.states.annotated_words import layers_of, states_of_words, word_states
from headwork.representations.states.hidden_states import reader_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.base import require
from headwork.settings.representations import Geometry, StructuralProbeSettings

FEWEST = 10  # sentences of either part


def geometry_run(input: Files, output: Files, settings: Geometry, device: str = "cpu") -> None:
    """Train all probes and write what they find.

    `input`: model (its files), train_trees and dev_trees (CoNLL-U). `output`: attention and relations (csv: see
    `linear.probe_pairs`), structural (csv: every layer's scores), edges (csv: length of the arcs of each relation),
    embeddings (csv: how well points keep a tree's distances) and trees (json: examples). Raises InputError for files
    without trees, and with too few for a probe.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    model = reader_of(whole).to(device)
    kind, layers = Layers(model).kind, layers_of(model, settings.layers)
    batches = []
    for path, count in ((input.train_trees, settings.sentences), (input.dev_trees, settings.dev_sentences)):
        sentences = [each for each in islice(whole_trees(path), count) if len(each) > 1]
        if len(sentences) < FEWEST:
            message = f"{len(sentences)} sentences of two words or more are too few for a probe; give {FEWEST} or more"
            raise InputError.at(path, message)
        texts = parsed_texts(sentences, tokenizer, model, path)
        batches.append(single_batches(texts, kind, tokenizer.pad_token_id, settings.tokens))
    learned: list[Example] = []

    def keep(hidden_states: Sequence[Float[Tensor, "batch time size"]], side: Side) -> None:
        learned.extend(Example.of(*each) for each in states_of_words(hidden_states, side, layers))

    pairs = pairs_of(model, batches[0], settings.excluded, settings.seed, kind, "pairs", keep)
    attention, relations = probe_pairs(pairs, settings.attention)
    seen = [Example.of(*each) for each in word_states(model, batches[1], layers)]
    probe = structural_probe.train(learned, settings.structural, "structural probe", device)
    structural, best = layer_scores(probe, learned, seen, layers, settings.structural)
    found = [structural_probe.predicted(probe, example)[best] for example in seen]
    write_table(output.attention, attention)
    write_table(output.relations, relations)
    write_table(output.structural, structural)
    write_table(output.edges, edge_lengths(found, [example.sentence for example in seen]))
    write_table(output.embeddings, embeddings(found, seen, settings.seed))
    write_examples(output.trees, _shown(probe, seen, found, best, layers[best], settings))


def layer_scores(
    probe: StructuralProbe,
    learned: Sequence[Example],
    seen: Sequence[Example],
    layers: Sequence[int],
    settings: StructuralProbeSettings,
) -> tuple[pd.DataFrame, int]:
    """probe, layer, uuas, spearman, arcs, sentences of every layer; and the place of the layer with the best uuas.

    Beside the trained probe: ``random``, the map that training starts from, and ``adjacent``, by which a word's
    distance is that in the text. The best layer is chosen on the arcs it is scored on.
    """
    sentences = [example.sentence for example in seen]
    gold = [example.distances.double().numpy() for example in seen]
    start = StructuralProbe(len(layers), seen[0].states.shape[2], settings.rank, settings.seed)
    rows: list[tuple[str, int | None, float, float, int, int]] = []
    for name, own in (("trained", probe), ("random", start)):
        found = [structural_probe.predicted(own, example) for example in seen]
        for place, layer in enumerate(layers):
            matrices = [each[place] for each in found]
            rows.append((name, layer, *_scores(matrices, gold, sentences)))
    places = [np.arange(len(each)) for each in seen]
    apart = [np.abs(np.subtract.outer(each, each)).astype(float) for each in places]
    rows.append(("adjacent", None, *_scores(apart, gold, sentences)))
    table = pd.DataFrame(rows, columns=["probe", "layer", "uuas", "spearman", "arcs", "sentences"])
    table["layer"] = table["layer"].astype("Int64")
    require(int(table["arcs"].max()) > 0, "structural probe: no arc between two words is left to score on")
    return table.assign(trained_on=len(learned)), int(table["uuas"].iloc[: len(layers)].argmax())


def _scores(found: Matrices, gold: Matrices, sentences: Sequence[Sentence]) -> tuple[float, float, int, int]:
    share, arcs = tree_scores.uuas(found, sentences)
    return share, tree_scores.rank_correlation(found, gold), arcs, len(sentences)


def edge_lengths(found: Matrices, sentences: Sequence[Sentence]) -> pd.DataFrame:
    """relation, mean, sd, n: the squared distances of dependents from their heads, ideally 1; shortest first."""
    rows = [
        (relation, distances[dependent, head])
        for distances, sentence in zip(found, sentences, strict=True)
        for dependent, head, relation in tree_scores.arcs(sentence)
    ]
    groups = pd.DataFrame(rows, columns=["relation", "length"]).groupby("relation")["length"]
    table = groups.agg(mean="mean", sd="std", n="size").reset_index()
    return table.sort_values(["mean", "relation"], ignore_index=True)


def embeddings(found: Matrices, seen: Sequence[Example], seed: int = 0) -> pd.DataFrame:
    """embedding, spearman, error, sentences: how well points keep the distances of the trees.

    Of the probed states, and of what theory has: an exact embedding, random branches, and points that know of no tree,
    the last two of as many dimensions as the states. `error` is the mean of |d - ‖x - y‖²| over pairs of words.
    """
    size = seen[0].states.shape[2]
    heads = [[word.head or 0 for word in example.sentence.words] for example in seen]
    gold = [example.distances.double().numpy() for example in seen]
    seeded = [(each, seed + number) for number, each in enumerate(heads)]
    of_theory = {
        "exact": [tree_embeddings.exact(each) for each in heads],
        "random-branches": [tree_embeddings.random_branches(each, size, own) for each, own in seeded],
        "random-points": [tree_embeddings.random_points(len(each), size, own) for each, own in seeded],
    }
    kinds = {name: list(map(tree_embeddings.squared_distances, points)) for name, points in of_theory.items()}
    rows = []
    for name, matrices in {**kinds, "states": found}.items():
        pairs = zip(matrices, gold, strict=True)
        errors = [np.abs(ours - theirs)[np.triu_indices(len(ours), 1)] for ours, theirs in pairs]
        error = float(np.concatenate(errors).mean())
        rows.append((name, tree_scores.rank_correlation(matrices, gold), error, len(seen)))
    return pd.DataFrame(rows, columns=["embedding", "spearman", "error", "sentences"])


def _shown(
    probe: StructuralProbe,
    seen: Sequence[Example],
    found: Matrices,
    best: int,
    layer: int,
    settings: Geometry,
) -> list[dict[str, Any]]:
    """Sentences whose score is nearest to that of all, so that the figure shows neither the best nor the worst."""
    sentences = [example.sentence for example in seen]
    mean, _ = tree_scores.uuas(found, sentences)
    scores = [tree_scores.uuas([own], [sentence])[0] for own, sentence in zip(found, sentences, strict=True)]
    fit = [place for place, each in enumerate(seen) if settings.shortest <= len(each) <= settings.longest]
    chosen = sorted(fit or range(len(seen)), key=lambda place: (abs(scores[place] - mean), place))
    shown = []
    for place in chosen[: settings.examples]:
        points = probe.project(seen[place].states[:, None].to(probe.transform.device))[best, 0]
        sentence = sentences[place]
        shown.append(
            {
                "layer": layer,
                "words": sentence.forms,
                "heads": [word.head for word in sentence.words],
                "relations": [word.deprel for word in sentence.words],
                "distances": np.round(found[place], 4).tolist(),
                "points": np.round(plane(points.detach().double().cpu().numpy()), 4).tolist(),
                "uuas": scores[place],
            }
        )
    return shown


def plane(points: Float[np.ndarray, "point size"]) -> Float[np.ndarray, "point 2"]:
    """Their first two principal components; each points to where its largest value is positive."""
    centred = points - points.mean(0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    flat = (left * values)[:, :2]
    flat = np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))
    return flat * np.where(flat[np.abs(flat).argmax(0), [0, 1]] < 0, -1, 1)
