"""Random graphs of two inputs, on arrays and on symbols alike."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

__all__ = ["SHAPE", "Step", "built", "recipes"]

SHAPE = (3, 4)
UNARY: list[Callable[[Any, Any], Any]] = [
    lambda F, x: F.relu(x),
    lambda F, x: F.sigmoid(x),
    lambda F, x: F.tanh(x),
    lambda F, x: F.sin(x),
    lambda F, x: F.square(x),
    lambda F, x: F.softmax(x, axis=-1),
    lambda F, x: F.log_softmax(x, axis=0),
    lambda F, x: 1.5 - x * 0.5,
    lambda F, x: 1 / (F.square(x) + 1),
    lambda F, x: F.transpose(F.reshape(F.transpose(x), shape=(-1, 3))),
    lambda F, x: F.concat(
        F.slice_axis(x, axis=1, begin=2, end=4), F.slice_axis(x, axis=1, begin=0, end=2), dim=1
    ),
    lambda F, x: F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True)),
    lambda F, x: F.add_n(*F.SliceChannel(F.concat(x, x * 2, dim=1), num_outputs=2, axis=1)),
    lambda F, x: F.BlockGrad(x) + x,
]
BINARY: list[Callable[[Any, Any, Any], Any]] = [
    lambda F, x, y: x + y,
    lambda F, x, y: x - y,
    lambda F, x, y: x * y,
    lambda F, x, y: F.broadcast_add(x, F.sum(y, axis=0, keepdims=True)),
    lambda F, x, y: F.broadcast_mul(x, F.max(y, axis=1, keepdims=True)),
    lambda F, x, y: F.tanh(F.dot(F.dot(x, y, transpose_b=True), x)),
    lambda F, x, y: F.where(x > 0, x, y),
    lambda F, x, y: F.FullyConnected(
        F.tanh(x), F.dot(y, y, transpose_a=True), num_hidden=4, no_bias=True
    ),
]

Step = tuple[int, int, int]


@st.composite
def recipes(draw: st.DrawFn) -> list[Step]:
    """Which operators to apply to which of the values so far; the first two values are inputs."""
    steps: list[Step] = []
    for values in range(2, 2 + draw(st.integers(1, 7))):
        which = draw(st.integers(0, len(UNARY) + len(BINARY) - 1))
        left = draw(st.integers(0, values - 1))
        steps.append((which, left, draw(st.integers(0, values - 1))))
    return steps


def built(F: Any, steps: list[Step], x: Any, y: Any) -> Any:
    values = [x, y]
    for which, left, right in steps:
        if which < len(UNARY):
            values.append(UNARY[which](F, values[left]))
        else:
            values.append(BINARY[which - len(UNARY)](F, values[left], values[right]))
    return values[-1]
