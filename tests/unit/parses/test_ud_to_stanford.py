"""Every UD label has an entry, every relation of the published table a UD label; reversed ones are not called exact."""

import pytest

from headwork.parses.scores import main_label
from headwork.parses.ud_to_stanford import COUNTERPARTS, counterpart
from headwork.settings.parses import UNIVERSAL

# the relations of table 1
PUBLISHED = ["prep", "pobj", "det", "nn", "nsubj", "amod", "dobj", "advmod"]
PUBLISHED += ["aux", "poss", "auxpass", "ccomp", "mark", "prt"]


def test_labels_are_universal_and_stand_there_once():
    labels = [each.universal for each in COUNTERPARTS]
    assert len(set(labels)) == len(labels)
    # a label without an entry would be a relation that no table of heads has
    assert {main_label(label) for label in labels} == UNIVERSAL
    assert set(PUBLISHED) <= {each.stanford for each in COUNTERPARTS}
    assert counterpart("nonsense") is None


@pytest.mark.parametrize(
    ("label", "stanford", "exact"),
    [
        ("obj", "dobj", True),
        ("nsubj:pass", "nsubjpass", True),
        ("nmod:poss", "poss", True),
        ("compound:prt", "prt", True),
        ("compound", "nn", False),
        ("case", "prep", False),
        ("obl", "pobj", False),
        ("obl:agent", "pobj", False),  # by its main label
        ("aux", "aux", False),
        ("vocative", "", False),
    ],
)
def test_counterparts(label, stanford, exact):
    found = counterpart(label)
    assert (found.stanford, found.exact) == (stanford, exact)
    assert exact or found.difference
