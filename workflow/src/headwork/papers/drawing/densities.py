"""Densities of the Concrete and the Hard Concrete distribution (Louizos et al. 2018; Voita et al. 2019, figure 6).

With s = sigmoid((logit u + log_a) / T) for uniform u, P(s < x) = sigmoid(T logit x - log_a), whose derivative is

    p(x) = P (1 - P) T / (x (1 - x))                        Concrete, on (0, 1)
    q(x) = p((x - gamma) / (zeta - gamma)) / (zeta - gamma)  stretched to (gamma, zeta)

The Hard Concrete gate clips the stretched one to [0, 1]: inside it has the density q, and what lies beyond becomes the
probabilities of exactly 0 and 1, which `headwork.models.gates.hard_concrete` gives.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from scipy.special import expit, logit

from headwork.models.gates.hard_concrete import HardConcrete

Places = Float[np.ndarray, " place"]


def concrete(x: Places, log_a: float, temperature: float) -> Places:
    """p(x) above; `x` lies strictly between 0 and 1."""
    below = expit(temperature * logit(x) - log_a)
    return below * (1 - below) * temperature / (x * (1 - x))


def stretched(x: Places, log_a: float, temperature: float, stretch: tuple[float, float]) -> Places:
    """q(x) above; `x` lies strictly between gamma and zeta, the two ends of `stretch`."""
    gamma, zeta = stretch
    return concrete((x - gamma) / (zeta - gamma), log_a, temperature) / (zeta - gamma)


def p_closed_and_open(log_a: float, temperature: float, stretch: tuple[float, float]) -> tuple[float, float]:
    """P(g = 0) and P(g = 1) of a Hard Concrete gate."""
    gate = HardConcrete(torch.tensor([log_a]), temperature, stretch)
    return gate.p_closed().item(), gate.p_open().item()


def gate_table(
    x: Places, locations: Sequence[float], temperature: float, stretch: tuple[float, float]
) -> pd.DataFrame:
    """distribution, temperature, log_a, quantity, x, ours: all that figure 6 draws.

    The Concrete density at the first of the `locations` (log_a), and of the Hard Concrete at each of them the density
    inside and the probabilities of exactly 0 and 1, quantities p_closed and p_open.
    """
    parts = [("Concrete", locations[0], "density", x, concrete(x, locations[0], temperature))]
    for log_a in locations:
        chances = p_closed_and_open(log_a, temperature, stretch)
        parts.append(("Hard Concrete", log_a, ["p_closed", "p_open"], [0.0, 1.0], chances))
        parts.append(("Hard Concrete", log_a, "density", x, stretched(x, log_a, temperature, stretch)))
    columns = ("distribution", "log_a", "quantity", "x", "ours")
    tables = [pd.DataFrame(dict(zip(columns, part, strict=True))) for part in parts]
    return pd.concat(tables, ignore_index=True).assign(temperature=temperature)
