"""OpCase: a test case of an operator, which all checks share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["OpCase", "drawn", "values_of"]


@dataclass(frozen=True, slots=True)
class OpCase:
    """Test case of an operator: inputs, parameters, and the expected results.

    Inputs are given, or drawn from ``uniform(low, high)``. ``expected`` is called with the inputs
    as NumPy arrays and the parameters by keyword, and returns one array, or a tuple of the visible
    outputs.
    """

    op: str
    shapes: tuple[tuple[int, ...] | None, ...]
    """The shape of each input; None for an omitted optional input."""
    expected: Callable[..., Any] | None
    """None where only types and gradients are checked: another row has the value, the operator is
    a gradient (gradient_values.py), or it draws numbers (test_distributions.py)."""
    params: Mapping[str, Any] = field(default_factory=dict)
    low: float = -2.0
    high: float = 2.0
    inputs: Mapping[int, Any] = field(default_factory=dict)
    """Values of inputs that are not random, such as indices, labels and masks, by position."""
    grad_inputs: tuple[int, ...] | None = None
    """Positions of the inputs whose gradients are checked; None: all random inputs."""
    check_grad: bool = True
    """False if the gradient is not the derivative (SoftmaxOutput), or is undefined."""
    check_second: bool = True
    """False if these inputs have no second gradient, although the operator has one for others."""
    is_train: bool = False

    def __str__(self) -> str:
        shapes = "x".join(str(list(s or ())).replace(" ", "") for s in self.shapes)
        params = ",".join(f"{k}={v}" for k, v in self.params.items())
        return "-".join(filter(None, [self.op, shapes, params, "train" if self.is_train else ""]))


def drawn(case: OpCase, rng: np.random.Generator) -> list[Any]:
    """Return the inputs of a case: given values, random values, or None for omitted inputs."""
    values: list[Any] = []
    for i, shape in enumerate(case.shapes):
        if i in case.inputs:
            values.append(np.asarray(case.inputs[i]))
        else:
            values.append(None if shape is None else rng.uniform(case.low, case.high, shape))
    return values


def values_of(case: OpCase) -> list[Any]:
    """Return the inputs of a case, which are the same in each call."""
    return drawn(case, np.random.default_rng(list(str(case).encode())))
