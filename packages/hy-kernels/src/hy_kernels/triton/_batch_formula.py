"""Formulas of batch normalisation, element by element: of the result, and of its gradient."""

from collections.abc import Sequence
from functools import lru_cache

from hy_kernels.triton._formula import Formula, Step

__all__ = ["normalized", "normalized_gradients"]


class _Values:
    """The inputs, and the result of each step as it is written, by number."""

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        self._steps: list[Step] = []

    def add(self, name: str, *operands: int) -> int:
        """Return the result of one step more."""
        self._steps.append(Step(name, operands))
        return self._inputs + len(self._steps) - 1

    def append(self, steps: Sequence[Step], *operands: int) -> int:
        """Return the result of steps with numbers of their own; without steps the first operand."""
        values = [*operands]
        for step in steps:
            own = tuple([values[i] for i in step.operands])
            self._steps.append(step._replace(operands=own))
            values.append(self._inputs + len(self._steps) - 1)
        return values[-1] if steps else operands[0]

    def formula(self, result: int) -> Formula:
        """Return the code so far."""
        return Formula(self._inputs, tuple(self._steps), (result,))


@lru_cache(maxsize=1024)
def normalized(after: tuple[Step, ...] = (), others: int = 0) -> Formula:
    """Return the formula of data, mean, inverse, gamma and beta, and of further operands.

    Args:
        after: Steps that begin with the normalised value and the others.
        others: How many these are.
    """
    data, mean, inverse, gamma, beta, *more = range(5 + others)
    values = _Values(5 + others)
    hat = values.add("broadcast_mul", values.add("broadcast_sub", data, mean), inverse)
    whole = values.add("broadcast_add", values.add("broadcast_mul", hat, gamma), beta)
    return values.formula(values.append(after, whole, *more))


@lru_cache(maxsize=1024)
def normalized_gradients(before: tuple[Step, ...] = (), *, frozen: bool) -> Formula:
    """Return the formula of the gradient, as far as it reads its operands.

    Where statistics depend on the data, ``along`` and ``center`` are the gradients of gamma and
    beta over the elements of a channel.

    Args:
        before: Steps from dy and the normalised value to the gradient of that; else it is dy.
        frozen: Whether statistics do not depend on the data.
    """
    dy, data, factor, mean, inverse, gamma, beta, along, center = range(9)
    values, gradient = _Values(9), dy
    if frozen and not before:
        return values.formula(values.add("broadcast_mul", dy, factor))
    hat = values.add("broadcast_mul", values.add("broadcast_sub", data, mean), inverse)
    if before:
        whole = values.add("broadcast_add", values.add("broadcast_mul", hat, gamma), beta)
        gradient = values.append(before, dy, whole)
    if not frozen:
        gradient = values.add("broadcast_sub", gradient, values.add("broadcast_mul", hat, along))
        gradient = values.add("broadcast_sub", gradient, center)
    return values.formula(values.add("broadcast_mul", gradient, factor))
