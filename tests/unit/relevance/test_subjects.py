"""What is asked of a translation: labels, the probability per piece of a whole sentence, all on the model's device."""

from types import SimpleNamespace

import torch
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.heads.streaming.batches import Side, translation_batch
from headwork.lens.anatomy import anatomy
from headwork.models.training.batches import IGNORED
from headwork.pruning.ranking import gates_without
from headwork.relevance.attributions.targets import log_probability, of_sentence
from headwork.relevance.subjects import TranslationSubject, as_given
from headwork.settings.models import Translation

START, END = 7, 1


def side(rows):
    """Pieces with padding (0) behind them."""
    ids = torch.tensor(rows)
    present = ids > 0
    return Side(ids, present, present, torch.zeros_like(ids))


def test_labels_are_the_pieces_with_their_end_mark():
    target = [[4, 5, 6, END], [4, END, 0, 0]]
    given = as_given(translation_batch(side([[2, END], [3, END]]), side(target), START))
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


class WithoutNumbers(TranslationSubject):
    def likelihoods(self, logits, given):
        return torch.zeros(len(logits))


def test_batches_and_gates_go_to_the_models_device():
    model = tiny_marian(word_tokenizer("abcdefgh")).to("meta")  # not that of batches and gates
    batch = translation_batch(side([[5, END], [6, END]]), side([[5, 6, END], [7, END, 0]]), START)
    subject = WithoutNumbers((model, None), [batch], [batch], ([], []), Translation())
    (given,) = subject.measured
    assert {tensor.device.type for tensor in (*given.inputs.values(), given.labels)} == {"meta"}
    # an encoder without a mask: of a mask transformers asks the values
    subject.model = tiny_bert(word_tokenizer("abcdefgh")).to("meta")
    subject.judged = [given._replace(inputs={"input_ids": given.inputs["input_ids"]})]
    sites = {site: part.heads for site, part in anatomy(subject.model).sites.items()}
    likelihood, (logits,) = subject.likelihood(gates_without(sites, []))
    assert (likelihood, logits.device.type) == (0, "meta")
