"""OpCase: one row says what an operator must return; every check of test_ops.py runs on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["OpCase"]


@dataclass(frozen=True, slots=True)
class OpCase:
    """Inputs drawn from ``uniform(low, high)`` (or given), and what the operator returns for them.

    ``expected`` gets the inputs as float64 numpy arrays and the parameters by keyword, and returns
    one array or a tuple (of the visible outputs).
    """

    op: str
    shapes: tuple[tuple[int, ...] | None, ...]
    """One per input; None leaves an optional input out."""
    expected: Callable[..., Any] | None
    """None where only types and gradients are checked, because a golden case holds the value."""
    params: Mapping[str, Any] = field(default_factory=dict)
    low: float = -2.0
    high: float = 2.0
    inputs: Mapping[int, Any] = field(default_factory=dict)
    """Values instead of random ones, by position: indices, labels, masks."""
    grad_inputs: tuple[int, ...] | None = None
    """Inputs to check gradients of; None: all that are drawn."""
    check_grad: bool = True
    """False where the gradient is not the derivative (SoftmaxOutput), or not defined."""
    is_train: bool = False

    def __str__(self) -> str:
        shapes = "x".join(str(list(s or ())).replace(" ", "") for s in self.shapes)
        params = ",".join(f"{k}={v}" for k, v in self.params.items())
        return "-".join(filter(None, [self.op, shapes, params, "train" if self.is_train else ""]))
