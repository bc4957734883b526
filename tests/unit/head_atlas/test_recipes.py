"""The recipes of docs/recipes.md run, one after the other, and give what they say."""

import re

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.models.loading.checkpoints import save
from headwork.sites import Site


@pytest.fixture(scope="module")
def after(root, tmp_path_factory):
    """The names that the recipes leave, run with a tiny classifier."""
    folder = tmp_path_factory.mktemp("classifier")
    words = word_tokenizer(["the", "film", "plot", "is", "very", "good", "bad"])
    torch.manual_seed(0)
    model = BertForSequenceClassification(tiny_bert(words).config)
    # untrained weights are so small that heads hardly matter
    for parameter in model.parameters():
        parameter.data *= 5
    save(folder, model, words)
    page = (root / "docs/recipes.md").read_text()
    names = {}
    for recipe in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(recipe.replace("path/to/classifier", str(folder)), names)
    return names


def test_maps_are_distributions(after):
    for site, maps in after["maps"].items():
        assert maps.shape[1] == 2, site
        assert torch.allclose(maps[1].sum(2), torch.ones(2, maps.shape[2]), atol=1e-5)


def test_removing_a_head_changes_the_answer_and_leaves_no_trace(after):
    whole = after["model"](**after["inputs"]).logits
    assert torch.equal(whole, after["whole"])
    assert not torch.allclose(after["uniform"], whole)
    assert not torch.allclose(after["zeroed"], whole)


def test_importance_is_of_each_text_and_head(after):
    assert after["importance"][Site("encoder", 2)].shape == (2, 2)
    for shares in after["shares"].values():
        assert torch.allclose(shares.sum(1), torch.ones(2))


def test_attributions_are_complete(after):
    found = after["found"]
    assert torch.allclose(found.maps.sum((1, 2, 3)), found.change - found.missing, atol=1e-5)


def test_layers_differ(after):
    assert 0 < after["distance"] < 1


def test_bertviz_gets_one_text_without_padding(after):
    assert after["tokens"] == ["[CLS]", "the", "film", "is", "good", "[SEP]"]
    assert [maps.shape for maps in after["attention"]] == [(1, 2, 6, 6)] * 2
