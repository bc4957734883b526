"""Statistical word aligners, baselines for alignments from attention.

Kobayashi et al. (2020, section 5) compare with fast_align (Dyer et al. 2013) and GIZA++ (Och & Ney 2003). The models
are those of `thot` (SIL): fast_align, the HMM alignment model that follows IBM model 1, and IBM model 4 after both, as
GIZA++ trains it. An aligner is trained in each direction on the sentences themselves, including those to align; the two
directions are then symmetrised (Koehn et al. 2003), or only source to target is used.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
from thot import alignment as thot

from headwork.corpora.annotated.alignments import Link
from headwork.settings.heads import AlignerSettings

Words = list[str]
WordPair = tuple[Words, Words]

# Each model is initialised from the previous one.
MODELS: dict[str, tuple[Callable[..., thot.AlignmentModel], ...]] = {
    "fast_align": (thot.FastAlignModel,),
    "ibm1": (thot.Ibm1AlignmentModel,),
    "hmm": (thot.Ibm1AlignmentModel, thot.HmmAlignmentModel),
    "ibm4": (thot.Ibm1AlignmentModel, thot.HmmAlignmentModel, thot.Ibm4AlignmentModel),
}
JOINED = {
    "source-to-target": thot.SymmetrizationHeuristic.NONE,
    "intersection": thot.SymmetrizationHeuristic.INTERSECTION,
    "union": thot.SymmetrizationHeuristic.UNION,
    "grow-diag": thot.SymmetrizationHeuristic.GROW_DIAG,
    "grow-diag-final": thot.SymmetrizationHeuristic.GROW_DIAG_FINAL,
    "grow-diag-final-and": thot.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND,
}


def align(
    text: Sequence[WordPair], training: Iterable[WordPair] = (), settings: AlignerSettings | None = None
) -> list[frozenset[Link]]:
    """The links of each pair of sentences in `text`, learnt from it and the training pairs.

    Words are case-sensitive; lowercase them first if needed. Equal input gives equal links.
    """
    settings = settings or AlignerSettings()
    every = [*islice(training, settings.pairs), *text]
    direct = _trained(every, settings)
    inverse = _trained([(target, source) for source, target in every], settings)
    joined = thot.SymmetrizedAligner(direct, inverse)
    joined.heuristic = JOINED[settings.joined]
    return [_links(joined, *pair) for pair in text]


def _trained(pairs: Sequence[WordPair], settings: AlignerSettings) -> thot.AlignmentModel:
    first, *others = MODELS[settings.model]
    model = first()
    for source, target in pairs:
        model.add_sentence_pair(source, target)
    _train(model, settings.iterations)
    for kind in others:
        model = kind(model)
        _train(model, settings.iterations)
    return model


def _train(model: thot.AlignmentModel, iterations: int) -> None:
    model.start_training()
    for _ in range(iterations):
        model.train()
    model.end_training()


def _links(aligner: thot.Aligner, source: Words, target: Words) -> frozenset[Link]:
    _, matrix = aligner.get_best_alignment(source, target)
    return frozenset((int(i), int(j)) for i, j in zip(*np.nonzero(matrix.to_numpy()), strict=True))
