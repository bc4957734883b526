"""Under the lens a model computes what it computes without it: padding, causal masks, beams, dropout, autocast."""

import copy

import pytest
import torch
from small_models import BUILDERS, assert_unchanged, output, padded_batch, small_model, without_padding
from torch import Tensor
from transformers import PreTrainedModel

import headwork.lens.attention as attention
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.sites import Site

FAMILIES = [family for family in BUILDERS if family != "bert with cross attention"]
# Families whose eager attention takes its softmax in single precision, whatever the model's.
SINGLE = ("gemma", "gemma2", "llama", "mistral", "modernbert", "qwen2", "qwen3")
GENERATING = ["marian", "pegasus", "bart", "gpt2", "gemma2", "gpt_neox", "mistral", "opt", "qwen3", "t5"]


class Recorder:
    """An observer that joins the pieces of each site again."""

    def __init__(self) -> None:
        self.weights: dict[Site, Tensor] = {}
        self.pieces: dict[Site, list[slice]] = {}

    def __call__(self, attended: Attended) -> None:
        before = self.weights.get(attended.site)
        new = attended.weights.detach().clone()
        if attended.rows.start == 0:
            before, self.pieces[attended.site] = None, []
        assert attended.rows.stop - attended.rows.start == len(new)
        self.weights[attended.site] = new if before is None else torch.cat([before, new])
        self.pieces[attended.site].append(attended.rows)


def eager(model: PreTrainedModel, inputs: dict[str, Tensor]) -> tuple[Tensor, dict[str, tuple[Tensor, ...]]]:
    """Output and maps as transformers' own eager attention gives them."""
    model = copy.deepcopy(model)
    model.set_attn_implementation("eager")
    result = model(**inputs, output_attentions=True)
    names = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
    if not model.config.is_encoder_decoder:
        names = {"encoder": "attentions", "decoder": "attentions"}
    return without_padding(result[0], inputs), {kind: getattr(result, name) for kind, name in names.items()}


@pytest.fixture
def sentence_by_sentence(monkeypatch: pytest.MonkeyPatch):
    """Chunks of one sentence, however small the weights are."""
    monkeypatch.setitem(attention.CHUNK_BYTES, "cpu", 1)


@pytest.mark.parametrize("left", [False, True], ids=["right-padded", "left-padded"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.usefixtures("sentence_by_sentence")
@torch.no_grad()
def test_observed_output_and_weights_equal_eager_attention(family: str, left: bool):
    model = small_model(family)
    inputs = padded_batch(model, left=left)
    expected, maps = eager(model, inputs)
    seen = Recorder()
    with Lens(model) as lens, lens.observing(seen):
        torch.testing.assert_close(output(model, inputs), expected, atol=1e-5, rtol=1e-5)
    assert list(seen.weights) == list(lens.anatomy.sites)
    for site, weights in seen.weights.items():
        torch.testing.assert_close(weights, maps[site.kind][site.layer - 1], atol=1e-6, rtol=1e-5)
        assert seen.pieces[site] == [slice(0, 1), slice(1, 2), slice(2, 3)]


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_a_lens_that_is_asked_nothing_runs_the_models_fused_attention(family: str):
    model = small_model(family)
    inputs = padded_batch(model)
    expected = output(model, inputs)
    with Lens(model):
        assert_unchanged(family, output(model, inputs), expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_with_gradients_the_whole_batch_comes_at_once_and_the_loss_gradients_are_eagers(family: str):
    dtype, within = (torch.float32, 1e-5) if family in SINGLE else (torch.float64, 1e-7)
    model = small_model(family).to(dtype)
    inputs = {
        n: each.to(dtype) if each.is_floating_point() else each for n, each in padded_batch(model).items()
    }
    other = copy.deepcopy(model)
    other.set_attn_implementation("eager")
    output(other, inputs).square().sum().backward()
    seen = Recorder()
    with Lens(model) as lens, lens.observing(seen):
        output(model, inputs).square().sum().backward()
    assert all(pieces == [slice(0, 3)] for pieces in seen.pieces.values())
    expected = {name: each.grad for name, each in other.named_parameters() if each.grad is not None}
    largest = max(gradient.abs().max() for gradient in expected.values())
    for name, mine in model.named_parameters():
        if name in expected:
            assert (mine.grad - expected[name]).abs().max() <= within * largest, name


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_a_batch_of_one_without_a_mask(family: str):
    model = small_model(family)
    inputs = {name: ids[:1] for name, ids in padded_batch(model).items() if not name.endswith("mask")}
    expected, maps = eager(model, inputs)
    seen = Recorder()
    with Lens(model) as lens, lens.observing(seen):
        torch.testing.assert_close(output(model, inputs), expected, atol=1e-5, rtol=1e-5)
    for site, weights in seen.weights.items():
        torch.testing.assert_close(weights, maps[site.kind][site.layer - 1], atol=1e-6, rtol=1e-5)
        if site.kind == "decoder":
            assert weights.triu(1).abs().max() == 0, "a query saw what comes after it"


@pytest.mark.parametrize("family", GENERATING)
@pytest.mark.parametrize("beams", [1, 4])
def test_generate_gives_the_same_translations_and_shows_the_cached_keys(family: str, beams: int):
    model = small_model(family)
    inputs = {name: ids for name, ids in padded_batch(model, left=True).items() if "decoder" not in name}
    settings = {"max_new_tokens": 5, "min_new_tokens": 5, "num_beams": beams, "do_sample": False}
    expected = model.generate(**inputs, **settings)
    shapes: list[torch.Size] = []
    with Lens(model) as lens:
        assert torch.equal(model.generate(**inputs, **settings), expected)
        with lens.observing(
            lambda attended: shapes.append(attended.weights.shape), sites=[Site("decoder", 1)]
        ):
            assert torch.equal(model.generate(**inputs, **settings), expected)
    _, _, queries, keys = zip(*shapes, strict=True)
    assert queries[1:] == (1,) * 4, "each step asks with one query"
    kept = [3] * 4 if family == "mistral" else list(range(keys[0] + 1, keys[0] + 5))
    assert list(keys[1:]) == kept, "and finds one key more in the cache, or those in the window"


def test_training_dropout_is_eagers():
    model = small_model("bert").train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.3
    inputs = padded_batch(model)
    other = copy.deepcopy(model)
    other.set_attn_implementation("eager")
    torch.manual_seed(3)
    expected = output(other, inputs)
    seen = Recorder()
    for context in (torch.enable_grad(), torch.no_grad()):
        torch.manual_seed(3)
        with context, Lens(model) as lens, lens.observing(seen):
            torch.testing.assert_close(output(model, inputs), expected, atol=1e-5, rtol=1e-5)
        sums = torch.stack([weights.sum(-1) for weights in seen.weights.values()])
        torch.testing.assert_close(
            sums, torch.ones_like(sums), msg="observers see the weights before dropout"
        )


@torch.no_grad()
def test_bfloat16_model_and_autocast():
    model = small_model("marian")
    inputs = padded_batch(model)
    expected = output(model, inputs)
    seen = Recorder()
    with Lens(model) as lens, lens.observing(seen), torch.autocast("cpu", dtype=torch.bfloat16):
        assert (output(model, inputs).float() - expected).abs().max() < 0.2 * expected.abs().max()
    model = model.to(torch.bfloat16)
    with Lens(model) as lens, lens.observing(seen), lens.gating({Site("encoder", 1): torch.ones(4)}):
        assert (output(model, inputs).float() - expected).abs().max() < 0.2 * expected.abs().max()
    assert seen.weights[Site("encoder", 1)].dtype == torch.bfloat16


@torch.no_grad()
def test_output_attentions_works_under_the_lens():
    model = small_model("bert")
    inputs = padded_batch(model)
    _, maps = eager(model, inputs)
    with Lens(model):
        result = model(**inputs, output_attentions=True)
    torch.testing.assert_close(torch.stack(result.attentions), torch.stack(maps["encoder"]))


@torch.no_grad()
def test_a_float_mask_is_added_to_the_scores():
    model = small_model("bert")
    inputs = padded_batch(model)
    additive = (1.0 - inputs["attention_mask"][:, None, None, :].float()) * torch.finfo(torch.float32).min
    expected = output(model, inputs)
    seen = Recorder()
    with Lens(model) as lens, lens.observing(seen):
        observed = without_padding(model(**{**inputs, "attention_mask": additive})[0], inputs)
    torch.testing.assert_close(observed, expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_chunks_follow_the_budget(monkeypatch: pytest.MonkeyPatch):
    model = small_model("bert")
    inputs = padded_batch(model, sentences=4)
    one_sentence = 4 * 9 * 9 * 4  # heads, queries, keys, bytes
    for budget, expected in ((3 * one_sentence, [3, 1]), (2 * one_sentence, [2, 2]), (2**30, [4])):
        monkeypatch.setitem(attention.CHUNK_BYTES, "cpu", budget)
        seen = Recorder()
        with Lens(model) as lens, lens.observing(seen):
            output(model, inputs)
        assert [rows.stop - rows.start for rows in seen.pieces[Site("encoder", 2)]] == expected
