"""Every supported family under the lens, on a tiny model of it; that it is eager attention's is `test_attention.py`."""

import copy
import itertools
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import torch
from small_models import BUILDERS, HEADS, HIDDEN, output, padded_batch, small_model
from torch import Tensor, nn
from transformers import BeitConfig, BeitModel, PreTrainedModel

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.lens.families import FAMILIES
from headwork.lens.layers import Layers
from headwork.lens.lens import Lens
from headwork.lens.values import reading_values
from headwork.models.gates.removal import fold
from headwork.models.loading.hub import HEADS as ON_TOP
from headwork.relevance.attributions.self_attention import Target, attributions
from headwork.relevance.propagation.lrp import rule_of
from headwork.relevance.propagation.tape import Tape
from headwork.settings.relevance import AttributionSettings, LRPSettings
from headwork.sites import Site

MODELS = [name for name in BUILDERS if name != "bert with cross attention"]
WITH_A_HEAD = [name for name in MODELS if (model := small_model(name)).base_model is not model]


@contextmanager
def at_each_site(model: PreTrainedModel, name: str, hook) -> Iterator[None]:
    """Call hook(site, given, output) when the site's module of that name is done; a shared one is each site in turn."""
    sites: dict[nn.Module, list[Site]] = defaultdict(list)
    for site, part in anatomy(model).sites.items():
        sites[getattr(part, name)].append(site)
    with ExitStack() as handles:
        for module, turns in sites.items():
            turn = itertools.cycle(turns)
            handles.enter_context(
                module.register_forward_hook(lambda _, given, out, turn=turn: hook(next(turn), given[0], out))
            )
        yield


def maps(lens: Lens, inputs: dict[str, Tensor]) -> dict[Site, Tensor]:
    seen: dict[Site, list[Tensor]] = defaultdict(list)
    with torch.no_grad(), lens.observing(lambda attended: seen[attended.site].append(attended.weights)):
        output(lens.model, inputs)
    return {site: torch.cat(parts) for site, parts in seen.items()}


def real(site: Site, inputs: dict[str, Tensor], keys: int) -> Tensor:
    """Which keys of a site are no padding: (sentence, key). Images and sounds have none."""
    name = "decoder_attention_mask" if site.kind == "decoder" else "attention_mask"
    mask = inputs.get(name if name in inputs else "attention_mask")
    sentences = len(next(iter(inputs.values())))
    return torch.ones(sentences, keys).bool() if mask is None else mask.bool()


def test_there_is_a_tiny_model_of_every_family():
    tried = {small_model(name).config.model_type for name in BUILDERS}
    assert tried == set(FAMILIES)


def test_importing_the_lens_imports_no_model():
    """Entries are by name: knowing a family costs nothing until there is a model of it."""
    code = "import sys, headwork.lens.lens; print(*(name for name in sys.modules if '.modeling_' in name))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in found.stdout.split() if name.startswith("transformers.models.")]


@pytest.mark.parametrize("family", MODELS)
def test_gradients_through_the_weights_are_eagers(family):
    model = small_model(family).requires_grad_(False)
    inputs = padded_batch(model, 2)
    other = copy.deepcopy(model)
    other.set_attn_implementation("eager")
    other.requires_grad_(True)
    result = other(**inputs, output_attentions=True)
    prefix = "{}_" if model.config.is_encoder_decoder else ""
    with Lens(model) as lens, lens.keeping(lens.anatomy.sites) as kept:
        slope = torch.randn(result[0].shape, generator=torch.manual_seed(3))
        for name, mask in inputs.items():  # nothing is asked of what stands at padding
            decides = "decoder_attention_mask" if model.config.is_encoder_decoder else "attention_mask"
            if name == decides and slope.shape[:2] == mask.shape:
                slope = slope * mask[..., None]
        (model(**inputs)[0] * slope).sum().backward()
    of_sites = [result[f"{prefix}attentions".format(site.kind)][site.layer - 1] for site in kept]
    theirs = torch.autograd.grad((result[0] * slope).sum(), of_sites)
    for (site, weights), expected in zip(kept.items(), theirs, strict=True):
        assert weights.grad.abs().max() > 0, site
        assert (weights.grad - expected).abs().max() <= 2e-5 * expected.abs().max(), site


@pytest.mark.parametrize("family", MODELS)
@torch.no_grad()
def test_a_closed_gate_is_a_zero_in_what_the_output_projection_reads(family):
    model = small_model(family)
    inputs = padded_batch(model, 2)
    with Lens(model) as lens:
        plain = output(model, inputs)
        for site, part in lens.anatomy.sites.items():
            with lens.gating({site: torch.ones(part.heads).index_fill(0, torch.tensor(1), 0)}):
                gated = output(model, inputs)
            sites = [other for other, own in lens.anatomy.sites.items() if own.output is part.output]
            turn = itertools.cycle(sites)

            def silence(module, given, turn=turn, site=site, part=part):
                if next(turn) != site:
                    return None
                context = given[0].unflatten(-1, (part.heads, part.head_dim)).clone()
                context[..., 1, :] = 0
                return (context.flatten(-2),)

            hook = part.output.register_forward_pre_hook(silence)
            silenced = output(model, inputs)
            hook.remove()
            torch.testing.assert_close(gated, silenced, atol=1e-5, rtol=1e-5)
            assert (gated - plain).abs().max() > 1e-4, site


@pytest.mark.parametrize("family", MODELS)
def test_a_uniform_head_divides_its_attention_over_the_keys_that_the_mask_leaves(family):
    """Those are the keys that get any weight from a head as it is."""
    model = small_model(family)
    inputs = padded_batch(model, 2)
    with Lens(model) as lens:
        plain = maps(lens, inputs)
        for site, part in lens.anatomy.sites.items():
            with lens.uniform([site.head(part.heads)]):
                weights = maps(lens, inputs)[site]
            allowed = (plain[site] > 0).float()
            torch.testing.assert_close(weights[:, -1], (allowed / allowed.sum(-1, keepdim=True))[:, -1])
            torch.testing.assert_close(weights[:, :-1], plain[site][:, :-1])


@pytest.mark.parametrize("family", MODELS)
@torch.no_grad()
def test_the_vectors_sum_to_what_the_attention_gives(family):
    """Σ_h Σ_j α_ij f_h(x_j) + b_O is W_O's output (Kobayashi et al. 2020, equation 3), at every site."""
    model = small_model(family)
    inputs = padded_batch(model, 2)
    read: dict[Site, tuple[Tensor, Tensor]] = {}
    given: dict[Site, Tensor] = {}
    with (
        Lens(model) as lens,
        reading_values(lens.anatomy.sites.values(), lambda site, x, value: read.update({site: (x, value)})),
        at_each_site(model, "output", lambda site, _, result: given.update({site: result})),
    ):
        weights = maps(lens, inputs)
    assert list(read) == list(lens.anatomy.sites)
    for site, part in lens.anatomy.sites.items():
        x, value = read[site]
        assert value.shape == (2, part.heads, x.shape[1], part.head_dim)
        vectors = torch.einsum("bhjd,ohd->bhjo", value, part.output_weight())
        summed = torch.einsum("bhij,bhjo->bio", weights[site], vectors)
        bias = 0 if part.output.bias is None else part.output.bias
        difference = (summed + bias - given[site]).abs().max()
        assert difference <= 1e-5 * given[site].abs().max(), site


# What shares its weights


@torch.no_grad()
def test_layers_that_share_their_weights_are_sites_of_their_own():
    model = small_model("albert")
    inputs = padded_batch(model, 2)
    parts = anatomy(model).sites
    assert parts[Site("encoder", 1)].module is parts[Site("encoder", 2)].module
    assert parts[Site("encoder", 1)].module is not parts[Site("encoder", 3)].module
    with Lens(model) as lens:
        plain = maps(lens, inputs)
        with lens.uniform([Site("encoder", 2).head(1)]):
            weights = maps(lens, inputs)
    assert torch.equal(weights[Site("encoder", 1)], plain[Site("encoder", 1)])
    assert not torch.allclose(weights[Site("encoder", 2)][:, 0], plain[Site("encoder", 2)][:, 0])


def test_a_pass_that_is_broken_off_does_not_shift_the_sites_of_the_next():
    model = small_model("albert")
    inputs = padded_batch(model, 2)

    def fail(attended):
        raise ZeroDivisionError

    with Lens(model) as lens:
        plain = maps(lens, inputs)
        with pytest.raises(ZeroDivisionError), lens.observing(fail, sites=[Site("encoder", 1)]):
            output(model, inputs)
        again = maps(lens, inputs)
    for site, weights in plain.items():
        assert torch.equal(again[site], weights)


def test_what_needs_weights_of_each_layer_is_refused_where_layers_share_them():
    with pytest.raises(InputError, match="removing heads needs weights for each layer"):
        fold(small_model("albert"), {Site("encoder", 2): torch.ones(HEADS)})


# What the lens notices by itself


def test_a_keyword_that_the_lens_does_not_know_is_refused():
    model = small_model("llama")
    with Lens(model):
        with pytest.raises(InputError, match="does not know what s_aux does to the attention of llama"):
            model(**padded_batch(model), s_aux=torch.zeros(HEADS))
        model(**padded_batch(model), s_aux=None)


def test_an_attention_that_does_not_reach_the_lens_is_noticed():
    model = small_model("bert")
    attention = model.encoder.layer[1].attention.self
    attention.forward = lambda hidden_states, *given, **named: (hidden_states, None)
    message = (
        r"the lens saw 0 of 1 calls of the attention at encoder 2 \(BertSelfAttention, model type bert\)"
    )
    with Lens(model), pytest.raises(InputError, match=message):
        model(**padded_batch(model))
    del attention.forward
    with Lens(model):
        model(**padded_batch(model))


@pytest.mark.parametrize("calls", [0, 2])
def test_a_layer_that_calls_its_attention_another_number_of_times_is_noticed(calls):
    model = small_model("bert")
    block = model.encoder.layer[0].attention
    usual = block.forward

    def forward(hidden_states: Tensor, *given: object, **named: object) -> tuple[Tensor, None]:
        for _ in range(calls):
            usual(hidden_states, *given, **named)
        return hidden_states, None

    block.forward = forward
    message = r"the lens saw \d of \d calls of the attention at encoder 1"
    with Lens(model), pytest.raises(InputError, match=message):
        model(**padded_batch(model))


def test_an_attention_beside_the_known_ones_is_refused():
    model = small_model("bert")
    model.extra_attention = nn.MultiheadAttention(HIDDEN, HEADS)
    with pytest.raises(
        InputError, match=r"a BertModel \(model type bert\), its MultiheadAttention: it supports"
    ):
        anatomy(model)


def test_a_family_without_an_entry_is_refused():
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    model = BeitModel(BeitConfig(**sizes, image_size=8, patch_size=4))
    with pytest.raises(
        InputError, match=r"a BeitModel \(model type beit\), its Beit.*Attention: it supports"
    ):
        anatomy(model)


# The table of families


@pytest.fixture(scope="module")
def table(root: Path) -> dict[str, dict[str, str]]:
    """The rows of docs/families.md by model type: heading -> cell."""
    lines = (root / "docs/families.md").read_text().splitlines()
    headings, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")
    )
    return {re.sub("`", "", row[0]): dict(zip(headings, row, strict=True)) for row in rows}


def test_the_table_has_every_family(table, root):
    assert list(table) == list(FAMILIES)
    for page in ("README.md", "docs/families.md"):
        assert f"{len(FAMILIES)} families" in (root / page).read_text()


@pytest.mark.parametrize("family", MODELS)
def test_the_table_says_for_which_families_relevance_has_rules(family, table):
    model = small_model(family)
    tape = Tape(rule_of(LRPSettings()))
    caching = {"use_cache": False} if any(site.kind == "decoder" for site in anatomy(model).sites) else {}
    try:
        with torch.no_grad(), Lens(model) as lens, lens.handing(tape.watch), tape:
            model(**padded_batch(model), **caching)
        found = "yes"
    except InputError as error:
        found = "no" if "no rule says how relevance passes through" in str(error) else str(error)
    assert table[model.config.model_type]["LRP"] == found


@pytest.mark.parametrize("family", MODELS)
def test_the_table_says_where_attribution_is_complete(family, table):
    """The attributions of a site sum to what the target changes by (completeness, Sundararajan et al. 2017)."""
    model = small_model(family)
    inputs = padded_batch(model, 2)
    target = Target(lambda result, rows: result[0].flatten(1)[:, :5].sum(1))
    settings = AttributionSettings(steps=10, most=80)
    try:
        (of_site,) = attributions(model, inputs, target, list(anatomy(model).sites)[:1], settings)
        missing = (of_site.missing.abs() - 0.1 * of_site.change.abs()).max()
        found = "yes" if missing <= 1e-2 else "incomplete"
    except InputError as error:
        found = "no" if "share theirs" in str(error) else str(error)
    assert table[model.config.model_type]["attribution"] == found


@pytest.mark.parametrize("family", MODELS)
def test_the_table_says_which_layers_run_by_themselves(family, table):
    model = small_model(family)
    inputs = padded_batch(model, 2)
    layers = Layers(model)
    with layers.recording() as states, torch.no_grad():
        model(**inputs)
    assert len(states) == len(layers) + 1
    kind = "decoder" if layers.kind == "decoder" else "encoder"
    present = real(Site(kind, 1), inputs, states[0].shape[1])
    allowed = present[:, None].expand(-1, present.shape[1], -1)
    if layers.causal:
        allowed = allowed.tril()
    try:
        with torch.no_grad():
            alone = layers.run(2, states[1], allowed)
        torch.testing.assert_close(alone[present], states[2][present], atol=1e-5, rtol=1e-5)
        found = "yes"
    except InputError as error:
        found = "no" if "cannot be run by itself" in str(error) else str(error)
    assert table[model.config.model_type]["one layer by itself"] == found


@pytest.mark.parametrize("family", WITH_A_HEAD)
def test_what_stands_on_top_of_a_model_is_known_to_loading(family):
    """Weights outside the base model may be left over when it is loaded, those within must be there."""
    model = small_model(family)
    base = f"{model.base_model_prefix}."
    for name in model.state_dict():
        known = ON_TOP.search(name) is not None and "pooler" not in name
        assert known != name.startswith(base), name
