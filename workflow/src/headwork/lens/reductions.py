"""What most head statistics need of attention rows, exactly, and with as few readings of the weights as possible.

A forward pass that measures confidence, arg-max offsets (Voita et al. 2019, section 4) and entropy (Clark et al. 2019)
of every head should cost no more than a plain one. Along the last axis of a CPU tensor torch finds an index, and adds
up products, one number at a time; NumPy does both with vector instructions, on the same memory.
"""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.sites import Maps


def peak(weights: Maps) -> tuple[Float[Tensor, "batch head query"], Int[Tensor, "batch head query"]]:
    """The highest weight of each query and the key that has it; the first such key if several have."""
    key = torch.from_numpy(weights.numpy().argmax(-1)) if _plain(weights) else weights.argmax(-1)
    return weights.gather(-1, key[..., None])[..., 0], key


def entropy(weights: Maps) -> Float[Tensor, "batch head query"]:
    """-Σ w ln w of each query's weights, in nats; weights of zero add nothing."""
    logs = weights.clamp_min(torch.finfo(weights.dtype).tiny).log_()
    if _plain(weights):
        return -torch.from_numpy(np.vecdot(weights.numpy(), logs.numpy()))
    return -torch.linalg.vecdot(weights, logs)


def _plain(weights: Tensor) -> bool:
    """Whether NumPy can read the tensor's memory: on the CPU, of a type it knows, without gradients."""
    known = weights.dtype in (torch.float32, torch.float64)
    return known and weights.device.type == "cpu" and not weights.requires_grad
