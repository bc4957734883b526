"""A share of a number of things is rounded down as it is written, not as its binary product is."""

from fractions import Fraction

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.heads.statistics.rare import Frequencies, rarest_tokens
from headwork.heads.streaming.batches import Side
from headwork.lens import asked
from headwork.lens.anatomy import anatomy
from headwork.pruning.ranking import answers_by_share
from headwork.settings.base import part_of

WORDS = word_tokenizer(["a", "b", "c"])


def test_every_share_in_hundredths_of_every_number():
    for number in range(1, 400):
        for hundredths in range(101):
            assert part_of(number, hundredths / 100) == Fraction(hundredths, 100) * number // 1
        for thirds in range(4):
            assert part_of(number, thirds / 3) == Fraction(thirds, 3) * number // 1


def test_seven_tenths_of_ninety_heads_are_sixty_three():
    """The answers are how many heads are closed: those of a model of 9 layers of 10 heads."""
    model = tiny_bert(WORDS, num_hidden_layers=9, num_attention_heads=10, hidden_size=20).base_model
    heads = anatomy(model).heads()
    closed = []

    def answer(given, batch):
        given(**batch)
        return torch.zeros(1).numpy()

    def count(module, *_):
        gates = [gate for site in asked.UNDER_LENS[module].sites for gate in site.gates.values()]
        closed.append(sum(int((gate == 0).sum()) for gate in gates))

    hooks = [layer.attention.self.register_forward_hook(count) for layer in model.encoder.layer]
    batch = dict(WORDS("a b", return_tensors="pt"))
    (found,) = answers_by_share(model, [batch], answer, {"order": heads}, [0.7])
    for hook in hooks:
        hook.remove()
    assert list(found) == [("order", 0.7)]
    assert sum(closed) == 63


@pytest.mark.parametrize(("share", "rank", "counts"), [(0.29, 29, False), (0.29, 30, True), (0.3, 30, False)])
def test_the_most_frequent_types(share, rank, counts):
    """Not among the first 29 of 100 types, as 0.29 says: 100 * 0.29 is 28.999999999999996."""
    ids = torch.tensor([[7]])
    ranks = torch.full((8,), rank)
    there = torch.ones_like(ids, dtype=torch.bool)
    side = Side(ids, there, there, torch.zeros_like(ids))
    found = rarest_tokens(side, Frequencies(torch.ones(8, dtype=torch.long), ranks, 100), share)
    assert found.counted.tolist() == [counts]
