"""A record of the operations of a forward pass, and the backward propagation of relevance.

A tape is active during a forward pass. For every tensor computed from watched tensors it records operation, inputs and
result; `walk` then goes from the result to the inputs and lets the rule of each operation
(`headwork.relevance.propagation.rules`) divide the relevance of its output among them. Relevance that reaches a tensor
on several paths (the two branches of a residual sum, the encoder's output in every layer of the decoder) is summed. The
model itself is not changed.

Rules are thus defined for operations, not for models; an operation without a rule is an error.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from headwork.errors import InputError
from headwork.relevance.propagation.attention import Attention
from headwork.relevance.propagation.rules import Rule
from headwork.relevance.propagation.steps import Relevance, Steps

Back = Callable[[Relevance, Steps], Sequence[Relevance]]


class Operation(NamedTuple):
    """One operation of a forward pass; `back` takes the relevance of its output to that of each input."""

    output: Tensor
    inputs: tuple[Tensor, ...]
    back: Back


class Tape(TorchFunctionMode):
    """Mode that records the operations on watched tensors and on all tensors computed from them."""

    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule
        self._operations: list[Operation] = []
        self._followed: dict[int, Tensor] = {}
        self._names: dict[int, Hashable] = {}

    def watch(self, name: Hashable, tensor: Tensor) -> None:
        """Record operations on a tensor from here on, and report its relevance under this name."""
        self._followed[id(tensor)] = tensor
        self._names[id(tensor)] = name

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run a torch function, and record it if one of its arguments is followed."""
        kwargs = kwargs or {}
        output = function(*args, **kwargs)
        if any(map(self.follows, _flat((*args, *kwargs.values())))) and any(
            map(_holds_numbers, _flat([output]))
        ):
            if function not in OPERATIONS:
                raise InputError(
                    f"no rule says how relevance passes through {getattr(function, '__name__', function)}; "
                    "give it one in OPERATIONS of headwork/relevance/propagation/tape.py"
                )
            if not self.follows(output):  # dropout in evaluation mode returns its input
                inputs, back = OPERATIONS[function](self, *args, **kwargs)
                self._operations.append(Operation(output, inputs, back))
                self._followed[id(output)] = output
        return output

    def follows(self, tensor: Any) -> bool:
        """Return whether the tensor is watched or computed from a watched one."""
        return id(tensor) in self._followed

    @torch.no_grad()
    def walk(
        self, result: Tensor, start: Relevance, steps: Steps, tell: Callable[[Hashable, Relevance], None]
    ) -> None:
        """Propagate relevance from a result to the watched tensors, and call `tell` with name and relevance of each.

        A tensor that no relevance reaches is left out. The tape is empty afterwards. Raises InputError if the result
        does not come of anything watched.
        """
        if not self.follows(result):
            raise InputError("the output does not depend on a watched tensor; watch one of its inputs")
        reached = {id(result): start}
        while self._operations:
            operation = self._operations.pop()
            del self._followed[id(operation.output)]
            arrived = reached.pop(id(operation.output), None)
            if arrived is None:
                continue
            if id(operation.output) in self._names:
                tell(self._names[id(operation.output)], arrived)
            for tensor, part in zip(operation.inputs, operation.back(arrived, steps), strict=True):
                if self.follows(tensor):
                    before = reached.get(id(tensor))
                    reached[id(tensor)] = part if before is None else before.plus(part, steps)
        for key, relevance in reached.items():
            tell(self._names[key], relevance)
        self._followed.clear()
        self._names.clear()


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from value if isinstance(value, tuple | list) else (value,)


def _holds_numbers(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _linear(tape: Tape, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[tuple, Back]:
    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        rows, offsets = weight, bias
        if relevance.chosen is not None:
            rows = weight[relevance.chosen][..., None, :]
            offsets = None if bias is None else bias[relevance.chosen][..., None]
        return [Relevance(tape.rule.linear(input, rows, offsets, relevance.held), relevance.own)]

    return (input,), back


def _layer_norm(
    tape: Tape,
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> tuple[tuple, Back]:
    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        return [Relevance(tape.rule.layer_norm(input, weight, bias, eps, relevance.amount), relevance.own)]

    return (input,), back


def _attention(
    tape: Tape,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[tuple, Back]:
    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        attention = Attention.of(query, key, value, attn_mask, is_causal, scale)
        if not relevance.own:
            return [Relevance(part) for part in tape.rule.attention(attention, relevance.amount)]
        # Each step asks with the query of its own place only, and reaches all keys.
        index = steps.places[:, None, :, None].expand(-1, query.shape[1], -1, query.shape[3])
        asked = relevance.amount[0].gather(2, index) * steps.present[:, None, :, None]
        asked = asked.permute(2, 0, 1, 3)[..., None, :]
        to_query, to_key, to_value = tape.rule.attention(attention.of_queries(steps.places), asked)
        home = torch.zeros_like(relevance.amount[0])
        home.scatter_add_(2, index, to_query[..., 0, :].permute(1, 2, 0, 3))
        return [Relevance(home[None], True), Relevance(to_key), Relevance(to_value)]

    return (query, key, value), back


def _add(tape: Tape, input: Tensor, other: Tensor | float) -> tuple[tuple, Back]:
    if not isinstance(other, Tensor) or input.shape != other.shape:
        return _add_constant(tape, input, other)

    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        return [Relevance(part, relevance.own) for part in tape.rule.add(input, other, relevance.amount)]

    return (input, other), back


def _add_constant(tape: Tape, input: Tensor, other: Tensor | float) -> tuple[tuple, Back]:
    """A bias that is an operation of its own, as that of a translation model's logits."""
    moved, constant = _parts(tape, input, other)

    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        if tape.rule.bias != "neuron":
            return [relevance]
        summands = moved, constant.expand_as(moved)
        if relevance.chosen is not None:
            summands = tuple(summand.gather(-1, relevance.chosen[..., None]) for summand in summands)
        return [relevance._replace(held=tape.rule.add(*summands, relevance.held)[0])]

    return (moved,), back


def _times_constant(tape: Tape, input: Tensor, other: Tensor | float) -> tuple[tuple, Back]:
    """A gate or a scale."""
    return (_parts(tape, input, other)[0],), _unchanged


def _parts(tape: Tape, input: Tensor, other: Tensor | float) -> tuple[Tensor, Tensor]:
    """Return the followed operand and the other one, which must not be followed."""
    moved, constant = (input, other) if tape.follows(input) else (other, input)
    constant = torch.as_tensor(constant, dtype=moved.dtype, device=moved.device)
    if tape.follows(constant) or torch.broadcast_shapes(moved.shape, constant.shape) != moved.shape:
        raise InputError(
            "no rule says how relevance passes through a sum or product of these tensors; give one in OPERATIONS"
        )
    return moved, constant


def _same(tape: Tape, input: Tensor, *args: Any, **kwargs: Any) -> tuple[tuple, Back]:
    """An activation function, whose derivative is ignored, or another storage of the same numbers."""
    return (input,), _unchanged


def _unchanged(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
    return [relevance]


def _reshape(tape: Tape, input: Tensor, *shape: Any) -> tuple[tuple, Back]:
    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        return [Relevance(relevance.amount.reshape(-1, *input.shape), relevance.own)]

    return (input,), back


def _transpose(tape: Tape, input: Tensor, dim0: int, dim1: int) -> tuple[tuple, Back]:
    # the step axis comes first
    axes = [dim if dim < 0 else dim + 1 for dim in (dim0, dim1)]

    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        return [Relevance(relevance.amount.transpose(*axes), relevance.own)]

    return (input,), back


def _item(tape: Tape, input: Tensor, index: Any) -> tuple[tuple, Back]:
    def back(relevance: Relevance, steps: Steps) -> Sequence[Relevance]:
        whole = relevance.amount.new_zeros(len(relevance.amount), *input.shape)
        whole[(slice(None), *(index if isinstance(index, tuple) else (index,)))] = relevance.amount
        return [Relevance(whole, relevance.own)]

    return (input,), back


OPERATIONS: dict[Callable[..., Any], Callable[..., tuple[tuple, Back]]] = {
    functional.linear: _linear,
    functional.layer_norm: _layer_norm,
    functional.scaled_dot_product_attention: _attention,
    Tensor.add: _add,
    Tensor.mul: _times_constant,
    Tensor.view: _reshape,
    Tensor.reshape: _reshape,
    Tensor.transpose: _transpose,
    Tensor.__getitem__: _item,
    **dict.fromkeys(
        (
            functional.relu,
            functional.gelu,
            functional.silu,
            torch.relu,
            torch.tanh,
            torch.sigmoid,
            functional.dropout,
            Tensor.contiguous,
            Tensor.to,
        ),
        _same,
    ),
}
