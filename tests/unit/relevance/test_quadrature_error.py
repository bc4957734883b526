"""The error of a sum of few nodes against the integral, on a model whose probability changes sharply along the path."""

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.models.loading.checkpoints import save
from headwork.relevance.attributions.quadrature_error import errors_of, percentiles, quadrature_errors
from headwork.relevance.attributions.targets import of_class
from headwork.sites import Site

CLASSES = torch.tensor([0, 2])
INPUTS = {
    "input_ids": torch.tensor([[5, 6, 7, 8], [9, 10, 11, 12]]),
    "attention_mask": torch.ones(2, 4).long(),
}


@pytest.fixture(scope="module")
def model():
    config = tiny_bert(word_tokenizer("abcdefgh"), initializer_range=0.4).config
    config.num_labels = 3
    torch.manual_seed(2)
    model = BertForSequenceClassification(config).eval()
    with torch.no_grad():
        model.classifier.weight.mul_(6)
    return model


def explicit(model, site, alphas):
    """A ⊙ mean over α of ∂F(αA)/∂A, by autograd through transformers' own forward pass."""
    with Lens(model) as lens, lens.keeping([site]) as kept, torch.no_grad():
        model(**INPUTS)
    maps = kept[site]
    total = torch.zeros_like(maps)
    attention = model.bert.encoder.layer[site.layer - 1].attention.self
    projection = model.bert.encoder.layer[site.layer - 1].attention.output.dense
    seen = []
    for alpha in alphas:
        scaled = (alpha * maps).detach().requires_grad_()

        def joined(_, args, scaled=scaled):
            batch, heads, length, _ = scaled.shape
            value = attention.value(seen[-1]).view(batch, length, heads, -1).transpose(1, 2)
            return ((scaled @ value).transpose(1, 2).reshape(batch, length, -1),)

        hooks = [
            attention.register_forward_pre_hook(lambda _, args: seen.append(args[0])),
            projection.register_forward_pre_hook(joined),
        ]
        answer = model(**INPUTS).logits.softmax(-1)[torch.arange(2), CLASSES].sum()
        total += torch.autograd.grad(answer, scaled)[0]
        for hook in hooks:
            hook.remove()
    return maps * total / len(alphas)


def test_error_of_right_nodes_is_that_of_the_maps(model):
    table = quadrature_errors(model, INPUTS, of_class(model, CLASSES), steps=4)
    right = table[table["rule"] == "right"].set_index(["layer", "text"])["error"]
    site = Site("encoder", 1)
    fine = explicit(model, site, [(k + 0.5) / 200 for k in range(200)])
    coarse = explicit(model, site, [k / 4 for k in range(1, 5)])
    for text in range(2):
        expected = (coarse[text] - fine[text]).abs().max() / fine[text].abs().max()
        assert expected > 0.02
        assert right[1, text] == pytest.approx(expected.item(), rel=0.05)


def test_more_nodes_are_nearer(model):
    few, many = (quadrature_errors(model, INPUTS, of_class(model, CLASSES), steps) for steps in (2, 40))
    assert (many.groupby("rule")["error"].max() < few.groupby("rule")["error"].max()).all()


def test_errors_of_a_masked_language_model(tmp_path):
    tokenizer = word_tokenizer("abcdefgh")
    save(tmp_path / "bert", tiny_bert(tokenizer), tokenizer)
    (tmp_path / "text.txt").write_text("a b c d\nd c b\n")
    errors = errors_of(tmp_path / "bert", tmp_path / "text.txt", steps=3)
    table = percentiles(errors)
    midpoint = table[table["rule"] == "midpoint"]
    assert midpoint["layer"].tolist()[:2] == [1, 2], "two layers, and all of them"
    worst = errors.loc[errors["rule"] == "midpoint", "error"].max()
    assert midpoint["max"].tolist()[2] == pytest.approx(100 * worst)
    with pytest.raises(InputError, match=r"none\.txt: the file cannot be read"):
        errors_of(tmp_path / "bert", tmp_path / "none.txt")
