"""Every intervention changes the output as it should, they nest, and nothing of them is left behind."""

import copy
import gc
import re
from pathlib import Path

import pytest
import torch
from small_models import BUILDERS, assert_unchanged, output, padded_batch, small_model
from tiny_bert import tiny_marian, word_tokenizer
from torch import Tensor, nn
from transformers import EncoderDecoderModel

from headwork.errors import InputError
from headwork.lens.asked import UNDER_LENS, Attended, asks
from headwork.lens.lens import _LOANS, Lens
from headwork.models.loading.checkpoints import save
from headwork.sites import Head, Site

FAMILIES = [family for family in BUILDERS if family != "bert with cross attention"]


def state(model: nn.Module) -> list[tuple]:
    """All there is to a model but its weights' values: attributes, hooks, configuration of every module."""
    found = []
    for name, module in model.named_modules():
        hooks = len(module._forward_hooks), len(module._forward_pre_hooks)
        found.append((name, sorted(vars(module)), hooks, module.forward.__func__))
        if hasattr(module, "config"):
            found.append((str(module.config), module.config._attn_implementation))
    return found


def observed(lens: Lens, site: Site, inputs: dict[str, Tensor]) -> Attended:
    """What a site did for the whole batch."""
    seen: list[Attended] = []
    with torch.no_grad(), lens.observing(seen.append, sites=[site]):
        output(lens.model, inputs)
    assert len(seen) == 1
    return seen[0]


def every_site(family: str) -> list[Site]:
    return list(Lens(small_model(family)).anatomy.sites)


SITES = [(family, site) for family in FAMILIES for site in every_site(family)]


@pytest.mark.parametrize(("family", "site"), SITES, ids=[f"{family}, {site}" for family, site in SITES])
@torch.no_grad()
def test_every_intervention_changes_the_output_at_every_site(family: str, site: Site):
    model = small_model(family)
    inputs = padded_batch(model)
    plain = output(model, inputs)
    with Lens(model) as lens:
        heads = lens.anatomy.part(site).heads
        interventions = {
            "gating": lens.gating({site: torch.eye(heads)[0]}),
            "uniform": lens.uniform([site.head(heads)]),
            "scaling": lens.scaling({site: 0.5}),
        }
        if family == "gemma2":
            del interventions["scaling"]  # it normalises what its attention gives: a factor is nothing to it
        for name, intervention in interventions.items():
            with intervention:
                fused = output(model, inputs)
                with lens.observing(lambda attended: None):
                    openly = output(model, inputs)
            assert (fused - plain).abs().max() > 1e-4, f"{name} did nothing"
            torch.testing.assert_close(openly, fused, atol=1e-5, rtol=1e-5, msg=f"{name}: in two ways")
            assert_unchanged(family, output(model, inputs), plain)


@pytest.mark.parametrize("family", FAMILIES)
def test_leaving_restores_the_model_bit_for_bit(family: str):
    model = small_model(family)
    inputs = padded_batch(model)
    with torch.no_grad():
        plain = output(model, inputs)
    before = state(model)
    with Lens(model) as lens:
        sites = list(lens.anatomy.sites)
        scaled = lens.scaling(dict.fromkeys(sites, 0.3))
        with lens.observing(lambda attended: None), lens.keeping(sites), scaled:
            output(model, inputs).sum().backward()
    assert state(model) == before
    with torch.no_grad():
        assert torch.equal(output(model, inputs), plain)
    assert not UNDER_LENS
    assert not _LOANS


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
def test_the_models_own_attention_implementation_comes_back(implementation: str):
    model = small_model("marian")
    model.set_attn_implementation(implementation)
    with Lens(model):
        assert model.config._attn_implementation == "headwork"
    assert model.config._attn_implementation == implementation


def test_encoder_and_decoder_with_attention_implementations_of_their_own():
    encoder, decoder = small_model("bert"), small_model("bert with cross attention")
    encoder.set_attn_implementation("eager")
    decoder.set_attn_implementation("sdpa")
    model = EncoderDecoderModel(encoder=encoder, decoder=decoder)
    before = state(model)
    ids = padded_batch(encoder)["input_ids"]
    seen: list[str] = []
    with torch.no_grad():
        plain = model(input_ids=ids, decoder_input_ids=ids).logits
        with Lens(model) as lens, lens.observing(lambda attended: seen.append(str(attended.site))):
            under = model(input_ids=ids, decoder_input_ids=ids).logits
    torch.testing.assert_close(under, plain, atol=1e-5, rtol=1e-5)
    decoding = [f"{kind} {layer}" for layer in (1, 2, 3) for kind in ("decoder", "cross")]
    assert seen == ["encoder 1", "encoder 2", "encoder 3", *decoding]
    assert state(model) == before


def test_an_exception_in_an_observer_undoes_everything():
    model = small_model("bert")
    inputs = padded_batch(model)
    before = state(model)

    def fail(attended: Attended) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Lens(model) as lens, lens.observing(fail):
        output(model, inputs)
    assert state(model) == before
    with Lens(model) as lens:
        gating = lens.gating({Site("encoder", 1): torch.zeros(4)})
        with pytest.raises(KeyboardInterrupt), gating, lens.observing(fail):
            output(model, inputs)
        assert not any(map(asks, UNDER_LENS))


def test_a_mistake_in_one_site_asks_nothing_of_the_others():
    gates = {Site("encoder", 1): torch.zeros(4), Site("cross", 1): torch.zeros(4)}
    with Lens(small_model("bert")) as lens:
        with pytest.raises(InputError, match="no attention cross 1"), lens.gating(gates):
            pytest.fail("the block must not run")
        assert not any(map(asks, UNDER_LENS))


@torch.no_grad()
def test_interventions_nest_and_combine():
    model = small_model("marian")
    inputs = padded_batch(model)
    site = Site("encoder", 2)
    first, second = torch.tensor([1.0, 0.5, 0.0, 2.0]), torch.tensor([0.5, 1.0, 1.0, 0.25])
    with Lens(model) as lens:
        with lens.gating({site: first * second}), lens.scaling({site: 0.125}):
            expected = output(model, inputs)
        with lens.gating({site: first}), lens.scaling({site: 0.5}), lens.scaling({site: 0.25}):
            with lens.gating({site: second}):
                torch.testing.assert_close(output(model, inputs), expected, atol=1e-6, rtol=1e-6)
            once = output(model, inputs)
        with lens.gating({site: first}), lens.scaling({site: 0.125}):
            torch.testing.assert_close(once, output(model, inputs), atol=1e-6, rtol=1e-6)


@torch.no_grad()
def test_two_lenses_over_one_model_share_what_is_asked_and_leave_in_any_order():
    model = small_model("bert")
    inputs = padded_batch(model)
    plain = output(model, inputs)
    one, two = Lens(model), Lens(model)
    one.__enter__()
    two.__enter__()
    gating = one.gating({Site("encoder", 1): torch.zeros(4)})
    with two.uniform([Head("encoder", 2, 1)]):
        only_uniform = output(model, inputs)
        with gating:
            assert not torch.equal(output(model, inputs), only_uniform)
        assert not torch.equal(only_uniform, plain)
    one.__exit__(None, None, None)
    with two.gating({Site("encoder", 1): torch.zeros(4)}):
        assert not torch.equal(output(model, inputs), plain)
    two.__exit__(None, None, None)
    assert model.config._attn_implementation == "sdpa"
    assert torch.equal(output(model, inputs), plain)
    with one, one:
        assert torch.equal(output(model, inputs), plain)
    assert model.config._attn_implementation == "sdpa"


@torch.no_grad()
def test_two_models_at_once_do_not_touch_each_other():
    marian, bert = small_model("marian"), small_model("bert")
    plain = output(bert, padded_batch(bert))
    with Lens(marian) as one, Lens(bert), one.gating({Site("encoder", 1): torch.zeros(4)}):
        assert torch.equal(output(bert, padded_batch(bert)), plain)
    assert marian.config._attn_implementation == bert.config._attn_implementation == "sdpa"


@torch.no_grad()
def test_a_copy_made_under_the_lens_is_a_plain_model():
    model = small_model("bert")
    inputs = padded_batch(model)
    plain = output(model, inputs)
    with Lens(model) as lens, lens.gating({Site("encoder", 1): torch.zeros(4)}):
        other = copy.deepcopy(model)
        assert torch.equal(output(other, inputs), plain)
    with Lens(other) as lens:
        assert torch.equal(output(other, inputs), plain)
        with lens.gating({Site("encoder", 1): torch.zeros(4)}):
            assert not torch.equal(output(other, inputs), plain)


def test_a_checkpoint_saved_under_the_lens_loads_as_a_plain_model(tmp_path):
    model = small_model("bert")
    with Lens(model):
        model.save_pretrained(tmp_path)
    assert "headwork" not in (tmp_path / "config.json").read_text()
    assert type(model).from_pretrained(tmp_path).config._attn_implementation == "sdpa"


def test_a_model_under_the_lens_can_be_forgotten():
    model = small_model("bert")
    with Lens(model), Lens(small_model("gpt2")):
        pass
    before = len(UNDER_LENS)
    lens = Lens(small_model("bert")).__enter__()
    assert len(UNDER_LENS) == before + 3
    del lens
    gc.collect()
    assert len(UNDER_LENS) == before
    _LOANS.clear()


@torch.no_grad()
def test_scales_and_gates_of_each_sentence():
    model = small_model("marian")
    inputs = padded_batch(model)
    site = Site("cross", 2)
    alphas, gates = torch.tensor([0.0, 0.5, 1.0]), torch.tensor([[1.0, 0.0], [0.5, 2.0], [1.0, 1.0]])
    with Lens(model) as lens:
        together, one_by_one = [], []
        with lens.scaling({site: alphas}), lens.gating({site: gates}):
            together.append(output(model, inputs))
            with lens.observing(lambda attended: None):
                together.append(output(model, inputs))
            seen = observed(lens, site, inputs)
        for row in range(3):
            with lens.scaling({site: alphas[row].item()}), lens.gating({site: gates[row]}):
                one_by_one.append(output(model, inputs)[row])
    for result in together:
        torch.testing.assert_close(result, torch.stack(one_by_one), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(seen.weights.sum(-1), alphas[:, None, None].expand(3, 2, 6))


def test_gates_have_gradients_in_a_frozen_model_too():
    model = small_model("marian").requires_grad_(False)
    inputs = padded_batch(model)
    sites = every_site("marian")
    gates = {site: torch.ones(4 if site.kind == "encoder" else 2, requires_grad=True) for site in sites}
    with Lens(model) as lens, lens.gating(gates):
        output(model, inputs).square().mean().backward()
        for site, gate in gates.items():
            for head in range(len(gate)):
                step = torch.zeros(len(gate)).index_fill(0, torch.tensor([head]), 1e-2)
                losses = []
                for sign in (1, -1):
                    with torch.no_grad(), lens.gating({site: 1 + sign * step}):
                        losses.append(output(model, inputs).square().mean())
                numeric = (losses[0] - losses[1]) / 2e-2
                torch.testing.assert_close(gate.grad[head], numeric, atol=2e-3, rtol=5e-2)


@pytest.mark.parametrize("frozen", [False, True])
def test_kept_weights_have_gradients(frozen: bool):
    model = small_model("bert classifier").requires_grad_(not frozen)
    inputs = padded_batch(model)
    sites = [Site("encoder", 1), Site("encoder", 3)]
    with Lens(model) as lens, lens.keeping(sites) as kept:
        assert kept == {}
        output(model, inputs)[:, 0].sum().backward()
        assert list(kept) == sites
        for weights in kept.values():
            assert weights.shape == (3, 4, 9, 9)
            assert weights.grad.abs().sum() > 0
            assert weights.grad[:, :, 0].abs().min() > 0, "the row of the token that is classified"
        first = kept[sites[0]]
        output(model, inputs)
        assert kept[sites[0]] is not first, "the last forward pass counts"
        with torch.no_grad():
            output(model, inputs)
        assert not kept[sites[0]].requires_grad


def test_the_gradient_by_a_scaled_map_is_taken_at_the_scaled_map():
    """Along A ↦ alpha A the output's derivative is the sum of A times the gradient at alpha A (Hao et al. 2021)."""
    model = small_model("bert classifier").requires_grad_(False)
    inputs = padded_batch(model)
    site = Site("encoder", 2)
    alpha = torch.tensor(0.4, requires_grad=True)
    with Lens(model) as lens:
        weights = observed(lens, site, inputs).weights
        with lens.scaling({site: alpha}):
            (by_alpha,) = torch.autograd.grad(output(model, inputs)[:, 0].sum(), alpha)
        with lens.scaling({site: 0.4}), lens.keeping([site]) as kept:
            output(model, inputs)[:, 0].sum().backward()
    torch.testing.assert_close(kept[site], 0.4 * weights)
    torch.testing.assert_close((weights * kept[site].grad).sum(), by_alpha, atol=1e-5, rtol=1e-4)


def test_only_the_sites_asked_for_are_observed_and_several_observers_see_the_same():
    model = small_model("marian")
    sites = [Site("cross", 1), Site("encoder", 3)]
    one, two, three = [], [], []
    with torch.no_grad(), Lens(model) as lens:
        first, second = (
            lens.observing(one.append, two.append, sites=sites),
            lens.observing(three.append, sites=sites),
        )
        with first, second:
            output(model, padded_batch(model))
    assert [attended.site for attended in one] == [Site("encoder", 3), Site("cross", 1)]
    assert all(a is b is c for a, b, c in zip(one, two, three, strict=True))


def test_mistakes_are_refused_in_a_sentence():
    lens = Lens(small_model("bert"))
    with pytest.raises(RuntimeError, match="with Lens"), lens.observing(print):
        pass
    asked = {
        r"gates of shape \(3,\) for encoder 2, which has 4 heads": lens.gating(
            {Site("encoder", 2): torch.ones(3)}
        ),
        "no head encoder 1-5: encoder 1 has 4 heads": lens.uniform([Head("encoder", 1, 5)]),
        "no head encoder 1-0": lens.uniform([Head("encoder", 1, 0)]),
        "no attention decoder 1": lens.keeping([Site("decoder", 1)]),
    }
    with lens:
        for message, intervention in asked.items():
            with pytest.raises(InputError, match=message):
                intervention.__enter__()


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_handing_gives_the_gated_contexts_that_the_model_goes_on_with(family: str):
    model = small_model(family)
    inputs = padded_batch(model)
    plain = output(model, inputs)
    handed: dict[Site, Tensor] = {}
    seen: dict[Site, Attended] = {}
    with Lens(model) as lens:
        sites = list(lens.anatomy.sites)
        gates = {site: torch.linspace(0, 1, lens.anatomy.part(site).heads) for site in sites}
        observing = lens.observing(lambda attended: seen.__setitem__(attended.site, attended))
        with lens.gating(gates), lens.handing(handed.__setitem__), observing:
            output(model, inputs)
        assert list(handed) == sites
        for site, attended in seen.items():
            expected = attended.context.transpose(1, 2) * gates[site][:, None]
            torch.testing.assert_close(handed[site], expected, atol=1e-6, rtol=1e-5)
        with lens.handing(lambda site, context: context.zero_(), sites=sites[:1]):
            silent = output(model, inputs)
        with lens.gating({sites[0]: torch.zeros_like(gates[sites[0]])}):
            torch.testing.assert_close(output(model, inputs), silent)
        assert (silent - plain).abs().max() > 1e-4
        handed.clear()
        assert_unchanged(family, output(model, inputs), plain)
        assert not handed


def test_the_example_of_the_page_on_families_runs(root: Path, tmp_path: Path, capsys) -> None:
    """A saved folder stands in for the hub, and its highest weights are those that `transformers` gives out."""
    (example,) = re.findall(
        r"^```python\n(.+?)^```", (root / "docs/families.md").read_text(), re.DOTALL | re.MULTILINE
    )
    name, source, target = (f'"{text}"' for text in re.findall(r'"(.+?)"', example)[:3])
    tokenizer = word_tokenizer([*source.strip('"').split(), *target.strip('"').split()])
    tokenizer.init_kwargs["model_input_names"] = ["input_ids", "attention_mask"]
    model = tiny_marian(tokenizer)
    save(tmp_path, model, tokenizer)
    capsys.readouterr()
    exec(example.replace(name, repr(str(tmp_path))), {})
    shown = dict(re.findall(r"^(\w+ \d+) \[(.+)\]$", capsys.readouterr().out, re.MULTILINE))
    assert list(shown) == ["encoder 1", "encoder 2", "decoder 1", "cross 1"]
    ids, labels = (torch.tensor(tokenizer(text.strip('"'))["input_ids"])[None] for text in (source, target))
    model.set_attn_implementation("eager")
    plain = model(input_ids=ids, labels=labels, output_attentions=True)
    maps = (*plain.encoder_attentions, *plain.decoder_attentions, *plain.cross_attentions)
    for heads, weights in zip(shown.values(), maps, strict=True):
        highest = weights.amax(-1).mean((0, 2)).tolist()
        assert [float(head) for head in heads.split(", ")] == pytest.approx(highest, abs=1e-6)
