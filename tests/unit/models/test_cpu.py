"""What makes training on a CPU faster: dropout with cheap masks, separate operations, subnormals as 0."""

import os
import subprocess
import sys

import pytest
import torch
import toy_corpus
from torch.nn import functional

from headwork.models.architectures.build import build
from headwork.models.numerics import bf16_products as bf16
from headwork.models.numerics.cpu import (
    VARIABLES,
    attention,
    cheap_dropout,
    dropout,
    flushed_subnormals,
    keep_few_kernels,
    plain_attention,
)
from headwork.models.training.processes import spread
from headwork.models.training.train import train

usual = functional.scaled_dot_product_attention
BOOLEAN = torch.rand(3, 1, 5, 7, generator=torch.Generator().manual_seed(0)) > 0.3
TINY = 1e-20  # its square is subnormal
SHAPES = 400
CODE = f"""
import random, sys
from pathlib import Path
import torch
from headwork.models.numerics.cpu import keep_few_kernels
torch.set_num_threads(1)
if sys.argv[1] == "few":
    keep_few_kernels()
weight = torch.ones(256, 1024, dtype=torch.bfloat16)
used = lambda: int(Path("/proc/self/statm").read_text().split()[1])
torch.ones(1000 + {SHAPES}, 256, dtype=torch.bfloat16) @ weight
before = used()
for rows in random.Random(1).sample(range({SHAPES}), {SHAPES}):
    torch.ones(1000 + rows, 256, dtype=torch.bfloat16) @ weight
print(used() - before)
"""


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_rate_and_mean(rate):
    torch.manual_seed(0)
    ones = torch.ones(1001, 999)
    dropped = dropout(ones, rate)
    assert (dropped == 0).float().mean().item() == pytest.approx(rate, abs=2e-3)
    assert dropped.mean().item() == pytest.approx(1, abs=2e-3)
    assert dropped.unique().tolist() == pytest.approx([0, 1 / (1 - rate)], rel=1e-4)


def test_entries_are_independent():
    torch.manual_seed(0)
    kept = (dropout(torch.ones(200_000), 0.5) > 0).float() - 0.5
    for lag in 1, 2, 3, 4:
        assert (kept[lag:] * kept[:-lag]).mean().abs().item() < 4 * 0.25 / 200_000**0.5


def test_gradient_passes_where_kept():
    torch.manual_seed(0)
    values = torch.ones(100, requires_grad=True)
    out = dropout(values, 0.3)
    out.sum().backward()
    torch.testing.assert_close(values.grad, out.detach())


def test_nothing_drops_at_rate_zero_or_in_evaluation():
    values = torch.randn(7)
    assert dropout(values, 0.0) is dropout(values, 0.5, training=False) is values


MASKS = [{"attn_mask": BOOLEAN}, {"attn_mask": torch.where(BOOLEAN, 0.0, -2.0)}]


@pytest.mark.parametrize("choices", [{}, *MASKS, {"is_causal": True}, {"scale": 0.7}])
def test_output_and_gradients(choices):
    torch.manual_seed(1)
    given = [torch.randn(3, 2, time, 4, requires_grad=True) for time in (5, 7, 7)]
    slope = torch.randn(3, 2, 5, 4)
    outputs = [f(*given, **choices) for f in (attention, usual)]
    gradients = [torch.autograd.grad(out, given, slope) for out in outputs]
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_heads_that_share_keys_and_values():
    given = [torch.randn(3, heads, time, 4) for heads, time in ((4, 5), (2, 7), (2, 7))]
    ours, theirs = (f(*given, attn_mask=BOOLEAN, enable_gqa=True) for f in (attention, usual))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_query_without_keys_gets_numbers():
    nothing = torch.zeros(1, 1, 2, 3, dtype=torch.bool)
    assert attention(*(torch.randn(1, 1, time, 4) for time in (2, 3, 3)), attn_mask=nothing).isfinite().all()


def test_dropout_scales_what_is_left():
    torch.manual_seed(0)
    ones = torch.ones(1, 1, 400, 1)
    out = attention(ones, ones, ones, dropout_p=0.5)
    assert out.mean().item() == pytest.approx(1, abs=0.01)
    assert out.std().item() == pytest.approx(1 / 400**0.5, rel=0.2)


@pytest.mark.parametrize(
    ("name", "within", "function"),
    [
        ("dropout", cheap_dropout, dropout),
        ("scaled_dot_product_attention", plain_attention, attention),
        ("linear", bf16.bf16_products, bf16._where_gradients_are_taken),
    ],
)
def test_the_usual_function_comes_back(name, within, function):
    usual = getattr(functional, name)

    def interrupted():
        with within():
            assert getattr(functional, name) is function
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    assert getattr(functional, name) is usual


def test_the_environment_decides(monkeypatch):
    monkeypatch.setattr(os, "environ", {VARIABLES[0]: "7"})
    keep_few_kernels()
    assert os.environ == {VARIABLES[0]: "7", VARIABLES[1]: "128"}


@pytest.mark.long  # minutes, and beside other work the memory of a process says little
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_kernels_of_many_shapes_take_less_memory():
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}

    def pages(kept: str) -> int:
        # what a process holds also depends on what the system takes back from it meanwhile
        command = [sys.executable, "-c", CODE, kept]
        return min(int(subprocess.check_output(command, env=environment)) for _ in range(3))

    used = {kept: pages(kept) for kept in ("few", "all")}
    if used["all"] < SHAPES * 100 * 1024 // os.sysconf("SC_PAGE_SIZE"):
        pytest.skip("this processor's kernels for products in bf16 take no memory to speak of")
    assert used["few"] < 0.75 * used["all"], used


def _is_flushed() -> bool:
    return bool((torch.tensor(TINY) * TINY) == 0)


def test_subnormals_are_zero_within_and_only_there() -> None:
    assert not _is_flushed()
    with flushed_subnormals():
        if not _is_flushed():
            pytest.skip("this processor cannot take subnormals as 0")
        with flushed_subnormals():
            assert _is_flushed()
        assert _is_flushed(), "the inner context has not ended the outer one"
        assert torch.tensor(1e-37) / 2 > 0, "normal numbers stay"
    assert not _is_flushed()


def test_threads_that_start_within_take_them_as_zero() -> None:
    code = f"""
import torch
from headwork.models.numerics.cpu import flushed_subnormals
torch.set_num_threads(2)
with flushed_subnormals():
    print((torch.full((2_000_000,), {TINY}) * {TINY}).count_nonzero().item())
"""
    left = int(subprocess.check_output([sys.executable, "-c", code]))
    if left == 2_000_000:
        pytest.skip("this processor cannot take subnormals as 0")
    assert left == 0


def test_a_training_takes_them_as_zero(tmp_path) -> None:
    corpus = toy_corpus.write_corpus(tmp_path, {"train": 40, "dev": 4})
    model = build(toy_corpus.ARCHITECTURE, toy_corpus.tokenizer_of(corpus), 3)
    data, dev = (toy_corpus.data_of(corpus, part) for part in ("train", "dev"))
    found = []
    with model.get_encoder().register_forward_hook(lambda *_: found.append(_is_flushed())):
        train(model, data, dev, {**toy_corpus.RECIPE, "steps": 2}, 5, tmp_path / "work")
    with flushed_subnormals():
        assert found == [_is_flushed()] * len(found) != []


def test_a_job_takes_them_as_zero_from_its_beginning() -> None:
    found = []
    spread(1, lambda threads: found.append((threads, _is_flushed())), 1)
    with flushed_subnormals():
        assert found == [(1, _is_flushed())]
