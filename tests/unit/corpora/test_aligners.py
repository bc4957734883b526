"""The statistical aligner learns a small lexicon; IBM model 1 restated; directions are joined as asked."""

from collections import defaultdict

import numpy as np
import pytest

from headwork.corpora.annotated.aligners import MODELS, align
from headwork.settings.heads import AlignerSettings

SOURCE = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
TARGET = list("ABCDEFGH")


def pairs(count, seed=0):
    """Sentences of three to six different words; the target has them in another order, and the links."""
    random = np.random.default_rng(seed)
    text, links = [], []
    for _ in range(count):
        words = random.choice(8, random.integers(3, 7), replace=False)
        order = random.permutation(len(words)) if random.random() < 0.5 else np.arange(len(words))
        text.append(([SOURCE[word] for word in words], [TARGET[words[place]] for place in order]))
        links.append({(int(i), j) for j, i in enumerate(order)})
    return text, links


@pytest.mark.parametrize("model", MODELS)
def test_a_lexicon_is_learnt(model):
    text, links = pairs(120)
    found = align(text[:30], text[30:], AlignerSettings(model=model))
    right = sum(len(a & b) for a, b in zip(found, links, strict=False))
    assert right >= 0.95 * sum(map(len, links[:30]))
    assert found == align(text[:30], text[30:], AlignerSettings(model=model))


def test_ibm_model_1_restated():
    """t(f|e) by expectation maximisation (Brown et al. 1993), the empty word among the source words."""
    text, _ = pairs(30, seed=1)
    translation = defaultdict(lambda: 1.0)
    for _ in range(5):
        counts = defaultdict(float)
        for source, target in text:
            for f in target:
                total = sum(translation[f, e] for e in ["", *source])
                for e in ["", *source]:
                    counts[f, e] += translation[f, e] / total
        totals = defaultdict(float)
        for (_, e), count in counts.items():
            totals[e] += count
        translation = {(f, e): count / totals[e] for (f, e), count in counts.items()}
    settings = AlignerSettings(model="ibm1", joined="source-to-target")
    for (source, target), found in zip(text, align(text, settings=settings), strict=True):
        best = [max(["", *source], key=lambda e, f=f: translation.get((f, e), 0)) for f in target]
        assert found == {(source.index(e), j) for j, e in enumerate(best) if e}


def test_directions_are_joined():
    text, _ = pairs(6, seed=2)
    ways = ("intersection", "grow-diag", "union")
    found = [align(text, settings=AlignerSettings(joined=way)) for way in ways]
    for both, grown, either in zip(*found, strict=True):
        assert both <= grown <= either
    assert found[0] != found[2]


def test_training_pairs_can_be_fewer():
    text, _ = pairs(40)
    few = align(text[:5], text[5:], AlignerSettings(pairs=3))
    assert few == align(text[:5], text[5:8])
    assert few != align(text[:5], text[5:])
