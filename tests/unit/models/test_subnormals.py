"""Subnormal numbers are 0 within, in all threads that start there, and products with them as fast as any."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import torch
import toy_corpus

from headwork.models.architectures.build import build
from headwork.models.numerics.cpu import flushed_subnormals
from headwork.models.training.processes import spread
from headwork.models.training.train import train

TINY = 1e-20  # its square is subnormal


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


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Torch's other threads may have started long before, and then know nothing of it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_products_of_tiny_matrices_are_no_slower(one_thread) -> None:
    """An update of Muon multiplies such matrices, once heads have long been closed."""
    tiny, ordinary = torch.full((4, 256, 256), TINY), torch.full((4, 256, 256), 1.0)
    seconds = {}
    with flushed_subnormals():
        if not _is_flushed():
            pytest.skip("this processor cannot take subnormals as 0")
        for name, matrices in {"tiny": tiny, "ordinary": ordinary}.items():
            times = []
            for _ in range(5):
                started = time.thread_time()
                matrices @ matrices
                times.append(time.thread_time() - started)
            seconds[name] = min(times)
    assert seconds["tiny"] < 5 * seconds["ordinary"], seconds
