"""Choice of device and precision, by the config and the machine."""

import logging

import torch

from headwork.errors import InputError

log = logging.getLogger(__name__)

DEVICES = ("auto", "cpu", "cuda")


def device_of(name: str) -> torch.device:
    """Return the device of cpu, cuda, or auto (a GPU if there is one); `InputError` for a missing GPU."""
    if name not in DEVICES:
        raise InputError(f"device: '{name}' is not one of {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("device is cuda, but torch finds no GPU; set it to cpu or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Return whether to train in bfloat16 on that device: as set, or (auto) if the hardware supports it.

    Raises `InputError` for a GPU without bfloat16; a CPU without the instructions emulates it slowly.
    """
    if device.type == "cuda":
        able = torch.cuda.is_bf16_supported(including_emulation=False)
        if precision == "bf16" and not able:
            raise InputError("recipe: precision is bf16, which this GPU does not support; use fp32 or auto")
    else:
        able = cpu_has_bf16()
        if precision == "bf16" and not able:
            log.warning("this CPU has no bf16 instructions: training in bf16 will be slower than in fp32")
    return precision == "bf16" or (precision == "auto" and able)


def cpu_has_bf16() -> bool:
    """Whether the CPU multiplies bfloat16 in hardware (AVX512-BF16 or AMX)."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
