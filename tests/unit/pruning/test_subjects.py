"""What is asked of a translation: the labels of a batch, and the probability per piece of a whole sentence."""

from types import SimpleNamespace

import torch

from headwork.heads.batches import Side, translation_batch
from headwork.models.batches import IGNORED
from headwork.pruning.subjects import _as_given
from headwork.relevance.targets import log_probability, of_sentence

START, END = 7, 1


def side(rows):
    """Pieces with padding (0) behind them."""
    ids = torch.tensor(rows)
    present = ids > 0
    return Side(ids, present, present, torch.zeros_like(ids))


def test_labels_are_the_pieces_with_their_end_mark():
    target = [[4, 5, 6, END], [4, END, 0, 0]]
    given = _as_given(translation_batch(side([[2, END], [3, END]]), side(target), START), END)
    assert given.inputs["decoder_input_ids"][0].tolist() == [START, 4, 5, 6]
    assert given.labels.tolist() == [[4, 5, 6, END], [4, END, IGNORED, IGNORED]]


def test_the_probability_of_a_sentence_is_the_geometric_mean_of_its_pieces():
    torch.manual_seed(0)
    logits, labels = torch.randn(2, 3, 8), torch.tensor([[4, 5, END], [6, END, IGNORED]])
    chances = logits.softmax(-1)
    expected = [
        (chances[0, 0, 4] * chances[0, 1, 5] * chances[0, 2, END]) ** (1 / 3),
        (chances[1, 0, 6] * chances[1, 1, END]) ** (1 / 2),
    ]
    found = of_sentence(labels).of(SimpleNamespace(logits=logits), torch.arange(2))
    torch.testing.assert_close(found, torch.stack(expected))
    torch.testing.assert_close(log_probability(logits, labels), found.log())
