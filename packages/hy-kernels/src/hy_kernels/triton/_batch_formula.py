"""Pointwise formulas of batch normalisation and of its gradient."""

from collections.abc import Sequence
from functools import lru_cache

from hy_kernels.triton._formula import Formula, Step


class _Values:
    """Builder of a formula; values are numbered: inputs first, then the result of each step."""

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        self._steps: list[Step] = []

    def add(self, name: str, *operands: int) -> int:
        """Append a step, and return the number of its result."""
        self._steps.append(Step(name, operands))
        return self._inputs + len(self._steps) - 1

    def append(self, steps: Sequence[Step], *operands: int) -> int:
        """Append steps that number their values themselves; return the number of the last result.

        Value ``i`` of the steps is operand ``i``, or after the operands the result of an earlier
        step. Without steps the first operand is returned.
        """
        values = [*operands]
        for step in steps:
            own = tuple([values[i] for i in step.operands])
            self._steps.append(step._replace(operands=own))
            values.append(self._inputs + len(self._steps) - 1)
        return values[-1] if steps else operands[0]

    def formula(self, result: int) -> Formula:
        """Return the formula of the steps added so far, with one result."""
        return Formula(self._inputs, tuple(self._steps), (result,))


@lru_cache(maxsize=1024)
def normalized(after: tuple[Step, ...] = (), others: int = 0) -> Formula:
    """Return the formula ``after((data - mean) · inverse · gamma + beta, *others)``.

    Its inputs are data, mean, inverse deviation, gamma, beta, and the other operands.

    Args:
        after: Fused steps, whose first operand is the normalised value.
        others: Number of their other operands.
    """
    data, mean, inverse, gamma, beta, *more = range(5 + others)
    values = _Values(5 + others)
    hat = values.add("broadcast_mul", values.add("broadcast_sub", data, mean), inverse)
    whole = values.add("broadcast_add", values.add("broadcast_mul", hat, gamma), beta)
    return values.formula(values.append(after, whole, *more))


@lru_cache(maxsize=1024)
def normalized_gradients(before: tuple[Step, ...] = (), *, frozen: bool) -> Formula:
    """Return the formula of the gradient to the data, of nine inputs.

    These are dy, data, the gradient's factor, mean, inverse deviation, gamma, beta, ``along`` and
    ``center``; the formula may not read all of them. If the statistics depend on the data,
    ``along`` and ``center`` are the gradients of gamma and beta over the elements of a channel.

    Args:
        before: Steps that compute the gradient of the normalised value from dy and that value;
            without steps the gradient is dy.
        frozen: Whether the statistics are constants.
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
