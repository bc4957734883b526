"""The recipes of docs/recipes.md run, one after the other, and give what they say."""

import re

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.lens.lens import Lens
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.pruning.ranking import gates_without
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
    names = {"folder_of_pruned": folder / "pruned"}
    for recipe in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        recipe = recipe.replace("path/to/pruned", str(folder / "pruned"))
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


def test_half_of_the_heads_are_pruned_for_good(after):
    """A saved model without the two heads of least importance answers as the whole model does with them closed."""
    values = {head: after["importance"][head.site][:, head.head - 1].mean() for head in after["ranked"]}
    assert [values[head] for head in after["ranked"]] == sorted(values.values())
    pruned, _ = hub.load(after["folder_of_pruned"])
    gates = gates_without(after["sites"], after["ranked"][:2])
    with Lens(after["model"]) as lens, lens.gating(gates), torch.no_grad():
        closed = after["model"](**after["inputs"]).logits
    with torch.no_grad():
        assert torch.allclose(pruned(**after["inputs"]).logits, closed, atol=1e-6)
    assert not torch.allclose(closed, after["whole"])


def test_layers_differ(after):
    assert 0 < after["distance"] < 1


def test_bertviz_gets_one_text_without_padding(after):
    assert after["tokens"] == ["[CLS]", "the", "film", "is", "good", "[SEP]"]
    assert [maps.shape for maps in after["attention"]] == [(1, 2, 6, 6)] * 2
