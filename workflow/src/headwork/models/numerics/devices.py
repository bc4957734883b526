"""Choice of device and precision, by the config and the machine."""

import torch

from headwork.errors import InputError
from headwork.models.numerics.product_times import bf16_pays

DEVICES = ("auto", "cpu", "cuda")


def device_of(name: str) -> torch.device:
    """The device of cpu, cuda, or auto (a GPU if there is one); `InputError` for a missing GPU."""
    if name not in DEVICES:
        raise InputError(f"device: '{name}' is not one of {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("device is cuda, but torch finds no GPU; set it to cpu or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Whether to train in bfloat16 on that device: as set, or (auto) where it is faster.

    On a CPU that is timed once (`product_times`); a GPU is faster in it if it supports it. Raises `InputError` for a
    GPU without bfloat16.
    """
    if device.type != "cuda":
        return precision == "bf16" or (precision == "auto" and bf16_pays())
    able = torch.cuda.is_bf16_supported(including_emulation=False)
    if precision == "bf16" and not able:
        raise InputError("recipe: precision is bf16, which this GPU does not support; use fp32 or auto")
    return able and precision in ("auto", "bf16")
