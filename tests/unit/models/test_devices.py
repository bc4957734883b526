"""Devices and precisions."""

import logging

import pytest
import torch

from headwork.errors import InputError
from headwork.models.numerics import devices
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


@pytest.mark.parametrize("able", [True, False])
def test_bf16_where_the_hardware_has_it(monkeypatch, caplog, able):
    monkeypatch.setattr(devices, "cpu_has_bf16", lambda: able)
    with caplog.at_level(logging.WARNING):
        assert uses_bf16("auto", CPU) == able
        assert not uses_bf16("fp32", CPU)
        assert not caplog.records
        assert uses_bf16("bf16", CPU)
    assert ("slower than in fp32" in caplog.text) == (not able)


def test_bf16_on_a_gpu_that_knows_none(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    assert not uses_bf16("auto", torch.device("cuda"))
    with pytest.raises(InputError, match="which this GPU does not support"):
        uses_bf16("bf16", torch.device("cuda"))
