"""Modules that for a while compute something else."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import nn


@contextmanager
def computing(forwards: Mapping[nn.Module, Callable[..., Any]]) -> Iterator[None]:
    """Within, these modules compute this; afterwards what they did before, after an exception too."""
    had = {module: module.__dict__.get("forward") for module in forwards}
    for module, forward in forwards.items():
        module.forward = forward
    try:
        yield
    finally:
        for module, forward in had.items():
            if forward is None:
                del module.forward
            else:
                module.forward = forward


def giving(output: Any) -> Callable[..., Any]:
    """A forward that gives this, whatever it is called with."""

    def forward(*given: Any, **named: Any) -> Any:
        return output

    return forward
