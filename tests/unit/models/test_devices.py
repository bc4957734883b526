"""Devices and precisions."""

import pytest
import torch

from headwork.errors import InputError
from headwork.models.numerics import product_times
from headwork.models.numerics.devices import device_of, uses_bf16

CPU = torch.device("cpu")


def test_devices(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of("auto") == device_of("cpu") == CPU
    with pytest.raises(InputError, match="torch finds no GPU"):
        device_of("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_of("auto") == device_of("cuda") == torch.device("cuda")
    assert device_of("cpu") == CPU
    with pytest.raises(InputError, match="'gpu' is not one of auto, cpu, cuda"):
        device_of("gpu")


@pytest.mark.parametrize(("bf16", "pays"), [(0.5, True), (0.95, False), (1.5, False)])
def test_bf16_where_it_is_faster(monkeypatch, bf16, pays):
    monkeypatch.setattr(product_times, "product_times", lambda: {"fp32": 1.0, "bf16": bf16})
    assert uses_bf16("auto", CPU) == pays
    assert not uses_bf16("fp32", CPU)
    assert uses_bf16("bf16", CPU)


def test_products_are_timed_once_a_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path))
    product_times.product_times.cache_clear()
    first = product_times.product_times()
    assert set(first) == {"fp32", "bf16"}
    assert all(0 < milliseconds < 10_000 for milliseconds in first.values())
    monkeypatch.setattr(product_times, "_timed", lambda: {"fp32": 1.0, "bf16": 1.0})
    product_times.product_times.cache_clear()
    assert product_times.product_times() == first
    (kept,) = (tmp_path / "product_times").iterdir()
    kept.write_text("{")
    product_times.product_times.cache_clear()
    assert product_times.product_times() == {"fp32": 1.0, "bf16": 1.0}
    product_times.product_times.cache_clear()


def test_bf16_on_a_gpu_that_knows_none(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    assert not uses_bf16("auto", torch.device("cuda"))
    with pytest.raises(InputError, match="which this GPU does not support"):
        uses_bf16("bf16", torch.device("cuda"))
