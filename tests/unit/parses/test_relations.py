"""Relations counted in trees: offsets, baselines, persons."""

import pandas as pd
import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word
from headwork.parses.relations import (
    Instance,
    baselines,
    count_offsets,
    count_persons,
    instances,
    person_of,
)
from headwork.settings.parses import Relations


def _tree(text):
    """``He:2:nsubj saw:0:root`` as a sentence."""
    triples = (word.rsplit(":", 2) for word in text.replace("=", "\0").split())
    words = [Word(form, head=int(head), deprel=deprel.replace("\0", ":")) for form, head, deprel in triples]
    return Sentence(words)


TREES = [
    _tree("He:3:nsubj often:3:advmod saw:0:root big:5:amod cats:3:dobj"),
    _tree("Cats:3:nsubj=pass were:3:aux=pass seen:0:root"),
    _tree("You:2:nsubj sing:0:root well:2:advmod"),
    _tree("What:2:nsubj=outer is:0:root"),
]


ACTIVE = [Instance("nsubj", 0, 2), Instance("advmod", 1, 2), Instance("amod", 3, 4), Instance("obj", 4, 2)]
PASSIVE = [Instance("nsubj:pass", 0, 2), Instance("aux:pass", 1, 2)]


@pytest.mark.parametrize(
    ("tree", "settings", "expected"),
    [
        (0, {}, ACTIVE),
        (1, {}, []),
        (1, {"excluded": ()}, [Instance("nsubj", 0, 2)]),
        (0, {"aliases": {}, "names": ("nsubj",)}, ACTIVE[:1]),
        (0, {"names": ("dobj",)}, ACTIVE[3:]),
        (2, {"excluded": ("nsubjpass", "advmod")}, [Instance("nsubj", 0, 1)]),
        (1, {"names": ("nsubjpass", "aux:pass"), "excluded": ()}, PASSIVE),
        (1, {"names": ("nsubj", "nsubj:pass"), "excluded": ()}, PASSIVE[:1]),
    ],
)
def test_instances(tree, settings, expected):
    assert list(instances(TREES[tree], Relations(**settings))) == expected


def test_offsets_and_baselines():
    offsets = count_offsets(TREES, Relations())
    expected = [("nsubj", -2, 1), ("nsubj", -1, 2), ("obj", 2, 1)]
    expected += [("amod", -1, 1), ("advmod", -1, 1), ("advmod", 1, 1)]
    columns = ["relation", "offset", "count"]
    pd.testing.assert_frame_equal(offsets, pd.DataFrame(expected, columns=columns))
    table = [("nsubj", -1, 2 / 3, 3), ("obj", 2, 1.0, 1), ("amod", -1, 1.0, 1), ("advmod", -1, 0.5, 2)]
    expected = pd.DataFrame(table, columns=["relation", "offset", "share", "count"])
    pd.testing.assert_frame_equal(baselines(offsets), expected)


def test_persons():
    counts = count_persons(TREES, Relations())
    assert counts.to_dict("list") == {"person": ["1", "2", "3"], "count": [0, 1, 2]}
    assert person_of(Word("WE")) == "1"
    assert person_of(Word("es", feats={"Person": "2"})) == "2"
    assert person_of(Word("cats")) == "3"


def test_unknown_relations_are_refused_and_missing_ones_named(caplog):
    with pytest.raises(InputError, match=r"relation 'nsbj' is not a relation of .*; did you mean 'nsubj'"):
        Relations.read({"names": ["nsbj"]}, "relations")
    assert set(count_offsets(TREES, Relations(names=("nsubj", "iobj")))["relation"]) == {"nsubj"}
    assert "relation 'iobj' does not occur in the trees" in caplog.text
    caplog.clear()
    count_offsets(TREES, Relations(names=("nsubj", "iobj"), excluded=("iobj",)))
    assert not caplog.text
