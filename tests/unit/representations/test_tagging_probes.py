"""Linear probes: against scikit-learn, planted tags are found, shuffled ones are not; most frequent tags by hand."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from headwork.parses.tagged import Tagged
from headwork.representations.probes.tagging import LinearProbe, accuracy, most_frequent_tag, train_linear
from headwork.settings.representations import LinearTagProbe


def planted(count, seed, noise=1.0):
    """Vectors of which two of ten dimensions say which of three tags a word has."""
    generator = torch.Generator().manual_seed(seed)
    tags = torch.randint(0, 3, (count,), generator=generator)
    vectors = noise * torch.randn(count, 10, generator=generator)
    vectors[:, 4] += 3.0 * (tags == 1)
    vectors[:, 7] += 3.0 * (tags == 2)
    return 5 + 20 * vectors, tags


LONG = LinearTagProbe(epochs=100)


def test_equals_logistic_regression():
    vectors, tags = planted(600, 0)
    others, gold = planted(400, 1)
    ours = train_linear(vectors, tags, 3, LinearTagProbe(rate=0.1, epochs=500, batch=600))
    z = (vectors - vectors.mean(0)) / vectors.std(0)
    theirs = LogisticRegression(C=1e6, max_iter=1000).fit(z.numpy(), tags.numpy())
    with torch.no_grad():
        ours_p = torch.softmax(ours(others), 1).numpy()
    theirs_p = theirs.predict_proba(((others - vectors.mean(0)) / vectors.std(0)).numpy())
    assert np.abs(ours_p - theirs_p).mean() < 0.02
    assert accuracy(ours, others, gold) == pytest.approx(
        (theirs_p.argmax(1) == gold.numpy()).mean(), abs=0.02
    )


def test_planted_tags_are_found_and_shuffled_ones_are_not():
    vectors, tags = planted(1000, 0)
    others, gold = planted(500, 1)
    assert accuracy(train_linear(vectors, tags, 3, LONG), others, gold) > 0.85
    generator = torch.Generator().manual_seed(0)
    shuffled, unrelated = (own[torch.randperm(len(own), generator=generator)] for own in (tags, gold))
    assert accuracy(train_linear(vectors, shuffled, 3, LONG), others, unrelated) < 0.4


def test_a_dimension_that_never_changes_does_no_harm():
    vectors, tags = planted(100, 0)
    vectors[:, 0] = 7.0
    assert torch.isfinite(LinearProbe(vectors, 3)(vectors)).all()
    # a tag that was never learned is never found
    assert accuracy(train_linear(vectors, tags, 3), vectors, torch.full((100,), -1)) == 0


def test_most_frequent_tags_by_hand():
    learned = [Tagged(["a", "b", "a"], ["X", "Y", "Z"]), Tagged(["a", "c", "d"], ["Z", "Y", "Y"])]
    scored = [Tagged(["a", "a", "b", "new"], ["Z", "X", "Y", "Y"])]
    # a is Z twice and X once; what is new gets Y, the most frequent of all
    assert most_frequent_tag(learned, scored) == 0.75
    # of equally frequent tags the first in the alphabet
    assert most_frequent_tag([Tagged(["a", "a"], ["Y", "X"])], [Tagged(["a"], ["X"])]) == 1
