"""What one encoder's states know of word senses, in one job (Coenen et al. 2019, section 4).

Centroids, and the semantic probe, are of the training part of the annotated text; all is scored on the test part.
Vectors of words with two senses are in memory: 4 bytes for each layer, word and dimension.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from headwork.corpora.parallel.splits import hash_of
from headwork.corpora.sources.readers import lines
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence
from headwork.parses.senses import read_senses
from headwork.representations.geometry import senses
from headwork.representations.geometry.concatenation import KINDS, Ratio, cosines, meetings, ratio
from headwork.representations.geometry.senses import Centroids, Occurrence
from headwork.representations.probes.semantic import Matrix, random_matrix, train
from headwork.representations.projections.vectors import project
from headwork.representations.states.annotated_words import Reader, layers_of
from headwork.representations.states.hidden_states import reader_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.base import require
from headwork.settings.representations import Senses

log = logging.getLogger(__name__)

States = Float[np.ndarray, "layer occurrence size"]
PROBED = "probe"


class _Source(NamedTuple):
    """An annotated text, its keys, and the part that it is for; None: part of it is for either."""

    path: Path
    keys: Path | None
    split: str | None


@dataclass(frozen=True)
class Part:
    """Annotated words of the training or the test part, all of them and those that have two senses in training.

    `states` are of the `hard` ones.
    """

    words: list[Occurrence]
    hard: list[Occurrence]
    states: States


def sense_run(
    input: Files, output: Files, settings: Senses, sources: Sequence[Mapping[str, Any]], device: str = "cpu"
) -> None:
    """Measure the states of annotated words and write what they know.

    `input`: model (its files), senses (annotated texts) with gold (the keys of those that have any), as
    `parses.senses.read_senses` reads them, and perhaps held_out: only sentences that are a line of that text count.
    `sources` says of each text whether it has `keys`, and of which part it is (`split`: train, test, or both).
    `output`: senses (csv: F1 of every layer), semantic (csv: probes by dimension), concatenation (csv) and contexts
    (csv: those of one word on a plane). Raises InputError for text without ambiguous words.
    """
    keys = iter(input.gold)
    texts = [
        _Source(path, next(keys) if source["keys"] else None, source["split"])
        for path, source in zip(input.senses, sources, strict=True)
    ]
    whole, tokenizer = hub.load(folder_of(input.model))
    model = reader_of(whole).to(device)
    layers = layers_of(model, settings.layers)
    reader = Reader(model, tokenizer, layers, settings.tokens)
    learned, seen = _parts(reader, texts, settings, input.held_out if "held_out" in input else None)
    last = learned.states.shape[2]
    matrices = _matrices(learned, last, settings)
    best = matrices[last, "trained", 0]
    known = senses.ambiguous(learned.words)
    write_table(output.senses, layer_scores(learned, seen, layers, best, settings.metric))
    write_table(output.semantic, probe_scores(learned, seen, matrices, settings.metric))
    write_table(output.concatenation, _concatenation(reader, learned, seen, layers, best, settings))
    write_table(output.contexts, _contexts(learned, seen, known, layers[-1], settings))


def _parts(
    reader: Reader, sources: Sequence[_Source], settings: Senses, held_out: Path | None
) -> tuple[Part, Part]:
    """Training and test part of all sources, with their states."""
    within = None if held_out is None else {line.text for line in lines(held_out)}
    parts: dict[str, list[Sentence]] = {"train": [], "test": []}
    for source in sources:
        for sentence in islice(read_senses(source.path, source.keys, within), settings.sentences):
            # by the words alone, so that a sentence that stands there twice is in one part
            place = hash_of(" ".join(sentence.forms).casefold(), settings.seed) / 2**64
            parts[source.split or ("test" if place < settings.test_share else "train")].append(sentence)
    words = {name: reader.readable(senses.occurrences(sentences)) for name, sentences in parts.items()}
    known = senses.ambiguous(words["train"])
    names = ", ".join(str(source.path) for source in sources) or "no file"
    found = []
    for name, own in words.items():
        hard = [each for each in own if each.lemma in known]
        none = f"senses: no word of the {name} part has two senses that are seen twice in training; looked in {names}"
        require(len(hard) > 0, none)
        counts = len(own), len(hard), len(known)
        log.info("%s: %d annotated words, %d of them of %d ambiguous lemmas", name, *counts)
        found.append(Part(own, hard, reader.states(hard)))
    return found[0], found[1]


def _matrices(learned: Part, size: int, settings: Senses) -> dict[tuple[int, str, int], Matrix]:
    """Maps by dimension, kind (trained or random) and seed, of the last layer's states."""
    vectors, found = learned.states[-1], {}
    for k in sorted({size, *(each for each in settings.dimensions if each < size)}, reverse=True):
        for seed in range(settings.seeds):
            own = settings.semantic.model_copy(update={"seed": settings.semantic.seed + seed})
            found[k, "trained", seed] = train(learned.hard, vectors, k, own)
            found[k, "random", seed] = random_matrix(k, size, own.seed)
    return found


def _score_both(
    learned: Part, seen: Part, known: np.ndarray, asked: np.ndarray, metric: str
) -> dict[str, senses.Score]:
    """Scores by nearest centroid of these vectors, of all annotated words and of ambiguous ones.

    A word that has one sense in training gets that one, and a word that is not there no answer.
    """
    means = senses.centroids(learned.hard, known)
    answers = senses.nearest(seen.hard, asked, means, metric)
    of_hard = {id(each): answer for each, answer in zip(seen.hard, answers, strict=True)}
    usual = senses.most_frequent(learned.words)
    every = [of_hard.get(id(each), usual.get(each.lemma)) for each in seen.words]
    return {"all": senses.score(seen.words, every), "ambiguous": senses.score(seen.hard, answers)}


def layer_scores(
    learned: Part, seen: Part, layers: Sequence[int], matrix: Matrix, metric: str
) -> pd.DataFrame:
    """system, layer, words (all, ambiguous), precision, recall, f1, right, n.

    Systems: ``most-frequent`` sense, ``centroid`` in every layer, and in the last one after the semantic probe.
    """
    usual, rows = senses.most_frequent(learned.words), []
    for words, own in (("all", seen.words), ("ambiguous", seen.hard)):
        answers = [usual.get(each.lemma) for each in own]
        rows.append(("most-frequent", None, words, *senses.score(own, answers)))
    for place, layer in enumerate(layers):
        scores = _score_both(learned, seen, learned.states[place], seen.states[place], metric)
        rows += [("centroid", layer, words, *score) for words, score in scores.items()]
    scores = _score_both(learned, seen, learned.states[-1] @ matrix.T, seen.states[-1] @ matrix.T, metric)
    rows += [(PROBED, layers[-1], words, *score) for words, score in scores.items()]
    table = pd.DataFrame(rows, columns=["system", "layer", "words", *senses.Score._fields])
    return table.assign(layer=table["layer"].astype("Int64"))


def probe_scores(
    learned: Part, seen: Part, matrices: Mapping[tuple[int, str, int], Matrix], metric: str
) -> pd.DataFrame:
    """dimension, matrix (trained, random), words, f1 (mean over seeds), sd, n: of the last layer after each map."""
    rows = []
    for (k, kind, seed), matrix in matrices.items():
        scores = _score_both(learned, seen, learned.states[-1] @ matrix.T, seen.states[-1] @ matrix.T, metric)
        rows += [(k, kind, seed, words, score.f1, score.n) for words, score in scores.items()]
    table = pd.DataFrame(rows, columns=["dimension", "matrix", "seed", "words", "f1", "n"])
    groups = table.groupby(["dimension", "matrix", "words"])
    found = groups.agg(f1=("f1", "mean"), sd=("f1", lambda values: values.std(ddof=0)), n=("n", "first"))
    order = {"dimension": False, "matrix": False, "words": True}
    return found.reset_index().sort_values(list(order), ascending=list(order.values()), ignore_index=True)


def _concatenation(
    reader: Reader, learned: Part, seen: Part, layers: Sequence[int], matrix: Matrix, settings: Senses
) -> pd.DataFrame:
    """layer, vectors (states, probe), kind, and what `concatenation.ratio` gives."""
    means = [senses.centroids(learned.hard, vectors) for vectors in learned.states]
    met = meetings(seen.hard, means[0], settings.pairs, settings.seed)
    fit = set(map(id, reader.readable([side for one in met for side in (one.joined, one.at_random)])))
    met = [one for one in met if id(one.joined) in fit and id(one.at_random) in fit]
    log.info("%d words joined with another sense of theirs", len(met))
    probed = {lemma: Centroids(own.senses, own.means @ matrix.T) for lemma, own in means[-1].items()}
    # of the words alone, joined, and joined at random
    read = [reader.states([getattr(one, name) for one in met]) for name in ("word", "joined", "at_random")]
    looks = [
        (layer, "states", [own[place] for own in read], means[place]) for place, layer in enumerate(layers)
    ]
    looks.append((layers[-1], PROBED, [own[-1] @ matrix.T for own in read], probed))
    rows = []
    for layer, vectors, states, known in looks:
        found = [cosines(met, own, known) for own in states]
        for kind, own in zip(KINDS, found, strict=True):
            rows.append((layer, vectors, kind, *ratio(own, found[0], found[2])))
    return pd.DataFrame(rows, columns=["layer", "vectors", "kind", *Ratio._fields])


def _contexts(learned: Part, seen: Part, known: set[str], layer: int, settings: Senses) -> pd.DataFrame:
    """word, sense, layer, x, y, text of contexts of one ambiguous word, from both parts."""
    words, vectors = learned.hard + seen.hard, np.concatenate([learned.states[-1], seen.states[-1]])
    lemma = settings.word or shown_word(words, known, settings.rarer_share)
    rows = np.flatnonzero([each.lemma == lemma for each in words])
    few = f"senses: {lemma!r} has {len(rows)} annotated contexts; name another `word`, as bank/NOUN"
    require(len(rows) > 3, few)
    rows = np.sort(np.random.default_rng(settings.seed).permutation(rows)[: settings.contexts])
    points = project(vectors[rows], settings.projection)
    chosen = [words[row] for row in rows]
    columns = {"word": lemma, "sense": [each.sense for each in chosen], "layer": layer}
    columns |= {"x": points[:, 0], "y": points[:, 1]}
    return pd.DataFrame(columns | {"text": [" ".join(each.sentence.forms) for each in chosen]})


def shown_word(words: Sequence[Occurrence], known: set[str], rarer_share: float) -> str:
    """The lemma with most contexts whose second sense has at least that share of them; else the one nearest to it."""
    counts: dict[str, Counter[str]] = {lemma: Counter() for lemma in sorted(known)}
    for each in words:
        if each.lemma in counts:
            counts[each.lemma][each.sense] += 1

    def rarer(lemma: str) -> float:
        return counts[lemma].most_common(2)[-1][1] / counts[lemma].total()

    fit = [lemma for lemma in counts if rarer(lemma) >= rarer_share]
    return max(fit, key=lambda lemma: counts[lemma].total()) if fit else max(counts, key=rarer)
