"""Stacked recurrent layers: the layout of parameters and of the reserve space for gradients.

Shapes: ``T`` steps, ``N`` sequences, ``I`` inputs, ``H`` the hidden size, ``R`` the size of a
result (``H``, or that of an LSTM's projection), ``G`` gates. Gates lie in MXNet's order: input,
forget, new, output in an LSTM; reset, update, new in a GRU. The arrays may be of any library.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Self, TypeAlias

from hy_kernels.record import Params

__all__ = ["GATES", "SAVED_GATES", "Clip", "Part", "Stack", "Weights", "clip_of"]

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}
SAVED_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 4, "lstm": 5}
"""Number of ``[N, H]`` arrays that gradients need of each step: the gates, and a GRU's recurrent
part or an LSTM's memory (its cell state)."""

Clip: TypeAlias = tuple[float | None, float | None, bool]
"""Lower and upper bound of an LSTM's memory, and whether nan is clipped, too."""


class Weights(NamedTuple):
    """Views of the parameters of one layer and direction."""

    inputs: Any
    """``[G H, I]``."""
    hidden: Any
    """``[G H, R]``."""
    projection: Any
    """``[R, H]``, or None."""
    input_bias: Any
    """``[G H]``."""
    hidden_bias: Any
    """``[G H]``."""


class Part(NamedTuple):
    """One layer and direction of a stack: its weights, initial states and saved arrays."""

    weights: Weights
    state: Any
    """``[N, R]``, before the first step."""
    memory: Any
    """``[N, H]`` of an LSTM, before the first step, or None."""
    saved: Any
    """``T N SAVED_GATES H`` numbers."""
    results: Any
    """``[T, N, R]``."""
    order: range
    """The time steps in the order of computation."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of recurrent layers, with its input, parameters and initial states.

    Example:
        >>> import numpy as np
        >>> x, w, h = np.zeros((5, 2, 3)), np.zeros(4 * 4 * (3 + 4 + 2)), np.zeros((1, 2, 4))
        >>> stack = Stack("lstm", 4, None, 1, 1, False, (None, None, False), x, w, h, h, None)
        >>> stack.weights(w)[0].inputs.shape, stack.reserve_size
        ((16, 3), 240)
    """

    mode: str
    hidden: int
    projection: int | None
    layers: int
    directions: int
    dropout: bool
    clip: Clip
    data: Any
    """``[T, N, I]``."""
    parameters: Any
    state: Any
    memory: Any
    invalid: Any
    """``[T, N, 1]``: where a sequence has ended; None: nowhere."""

    @classmethod
    def of(
        cls, params: Params, invalid: Any, data: Any, parameters: Any, state: Any, memory: Any
    ) -> Self:
        """Return the stack that an operator's parameters describe.

        Raises:
            ValueError: The initial state has another shape.
        """
        layers, directions = params["num_layers"], 2 if params["bidirectional"] else 1
        stack = cls(
            mode=params["mode"],
            hidden=params["state_size"],
            projection=params["projection_size"],
            layers=layers,
            directions=directions,
            dropout=params["p"] > 0,
            clip=clip_of(params),
            data=data,
            parameters=parameters,
            state=state,
            memory=memory,
            invalid=invalid,
        )
        shape = layers * directions, data.shape[1], stack.size
        if state.shape != shape:
            raise ValueError(f"state {tuple(state.shape)} must be {shape}")
        return stack

    @property
    def size(self) -> int:
        """Return ``R``, the size of a result at one time step and direction."""
        return self.hidden if self.projection is None else self.projection

    @property
    def items(self) -> int:
        """Return ``T N``, the number of time steps of all sequences together."""
        return prod(self.data.shape[:2])

    @property
    def reserve_size(self) -> int:
        """Return the number of elements of the reserve space for gradients."""
        each = self.layers * (SAVED_GATES[self.mode] * self.hidden + self.size)
        masks = (self.layers - 1) * self.size if self.dropout else 0
        return self.items * self.directions * (each + masks)

    @property
    def orders(self) -> Iterator[range]:
        """Yield the time steps in the order of each direction, forward and backward."""
        steps = len(self.data)
        yield range(steps)
        if self.directions == 2:
            yield range(steps - 1, -1, -1)

    def weights(self, parameters: Any) -> list[Weights]:
        """Return views of the flat ``parameters``, by layer and direction.

        Raises:
            ValueError: The number of parameters is wrong.
        """
        # The layout of cuDNN's and MXNet's vector: all matrices first, then all biases.
        rows = GATES[self.mode] * self.hidden
        take = _pieces(parameters)
        matrices, count = [], 0
        for layer in range(self.layers):
            inputs = self.directions * self.size if layer else self.data.shape[2]
            for _ in range(self.directions):
                pair = take(rows, inputs), take(rows, self.size)
                projection = self.projection and take(self.projection, self.hidden)
                matrices.append((*pair, projection))
                count += rows * (inputs + self.size + 2) + (self.projection or 0) * self.hidden
        if count != len(parameters):
            raise ValueError(f"{len(parameters)} parameters instead of {count}")
        return [Weights(*three, take(rows), take(rows)) for three in matrices]

    def parts(self, reserve: Any) -> tuple[list[Part], list[Any]]:
        """Return each layer and direction with its views of ``reserve``, and the dropout masks."""
        take = _pieces(reserve)
        orders = list(self.orders)
        parts = []
        for k, weights in enumerate(self.weights(self.parameters)):
            keep = take(self.items * SAVED_GATES[self.mode] * self.hidden)
            results = take(*self.data.shape[:2], self.size)
            memory = None if self.memory is None else self.memory[k]
            order = orders[k % self.directions]
            parts.append(
                Part(
                    weights=weights,
                    state=self.state[k],
                    memory=memory,
                    saved=keep,
                    results=results,
                    order=order,
                )
            )
        width = self.directions * self.size
        count = self.layers - 1 if self.dropout else 0
        return parts, [take(*self.data.shape[:2], width) for _ in range(count)]


def clip_of(params: Params) -> Clip:
    """Return how an LSTM's memory is clipped."""
    low, high = params["lstm_state_clip_min"], params["lstm_state_clip_max"]
    return low, high, params["lstm_state_clip_nan"]


def _pieces(flat: Any) -> Callable[..., Any]:
    """Return a function that cuts the next piece of a given shape off a flat array."""
    at = 0

    def take(*shape: int) -> Any:
        nonlocal at
        start, at = at, at + prod(shape)
        return flat[start:at].reshape(shape)

    return take
