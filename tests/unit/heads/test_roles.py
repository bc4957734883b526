"""Links between verbs and what takes part: which count, by hand on a planted map, and the authors' pairing."""

import pytest
import torch
from hand_made import table_of
from task_trees import EXAMPLES, TREES, tokenizer, tree

from headwork.heads.streaming.batches import Side, single_batch
from headwork.heads.streaming.task_texts import task_batches, task_texts
from headwork.heads.syntax.roles import Roles, links
from headwork.settings.heads import RoleSettings

ONE = TREES[0][0]  # the cat sees not the owl .


def test_which_links_count():
    assert links(ONE, RoleSettings()) == [(5, 2)]
    assert links(ONE, RoleSettings(apart=1)) == [(1, 2), (5, 2)]
    assert links(ONE, RoleSettings(longest=6)) == []
    two = tree(
        ("owls", "NOUN", 2, "nsubj", "A0:2,A0:4"), ("try", "VERB", 0, "root"), ("to", "PART", 4, "mark")
    )
    two.words.append(tree(("eat", "VERB", 2, "xcomp", "A1:2")).words[0])
    assert links(two, RoleSettings()) == []
    assert links(two, RoleSettings(predicates=2)) == [(0, 3), (3, 1)]
    assert links(two, RoleSettings(predicates=None)) == [(0, 3), (3, 1)]
    refers = tree(
        ("who", "PRON", 3, "nsubj", "R-A0:3"), ("now", "ADV", 3, "advmod"), ("eat", "VERB", 0, "root")
    )
    assert links(refers, RoleSettings()) == []


def measured(batch, maps, settings=None):
    return table_of(Roles(settings), maps, batch)


def test_planted_and_even_heads():
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40, TREES)
    batch = task_batches(texts, seconds, 0, 100)[0]
    size = batch.queries["encoder"].ids.shape[1]
    maps = torch.full((2, 2, size, size), 1 / size)
    # pieces begin with [CLS]: in the longer text "owl" is at 6, its verb at 3
    maps[1, 0, 6] = torch.nn.functional.one_hot(torch.tensor(3), size).float()
    table = measured(batch, maps, RoleSettings(longest=None, predicates=2))
    # of the shorter text, "they" and its verb
    assert table["count"].tolist() == [2, 2]
    assert table["value"].tolist() == pytest.approx([(1 + 1 / size) / 2, 1 / size])
    # of two predicates, with the one that is asked for, nothing is left
    assert len(measured(batch, maps)) == 0


@pytest.mark.parametrize(("pairing", "expected"), [("all", 0.8), ("zip", 0.3)])
def test_all_pairs_of_pieces_or_a_zip(pairing, expected):
    """A word of two pieces, two words before a verb of two: the strongest pair crosses."""
    sentence = tree(
        ("owls", "NOUN", 3, "nsubj", "A0:3"), ("fast", "ADV", 3, "advmod"), ("eat", "VERB", 0, "root")
    )
    words = torch.tensor([[-1, 0, 0, 1, 2, 2, -1]])
    ids = torch.arange(7)[None]
    side = Side(ids, torch.ones_like(ids).bool(), words >= 0, words, (sentence,))
    maps = torch.zeros(1, 1, 7, 7)
    maps[0, 0, 1, 4], maps[0, 0, 2, 5], maps[0, 0, 1, 5] = 0.2, 0.3, 0.8
    table = measured(single_batch(side, "encoder"), maps, RoleSettings(pairing=pairing))
    assert table["value"].tolist() == pytest.approx([expected])
