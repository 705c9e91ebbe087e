"""Adafactor: mean squared gradients per row and per column instead of per element."""

import math
from collections.abc import Hashable
from typing import Any, ClassVar

from hy_gluon.optimizer.optimizer import Index, State, register, zeros
from hy_gluon.optimizer.shaped import Shaped
from hy_ndarray import NDArray, nd

__all__ = ["Adafactor"]

_MATRIX = 2  # axes


@register
class Adafactor(Shaped):
    """Adafactor: steps relative to the weight's size; mean squares of rows and columns only.

    Args:
        learning_rate: Largest step relative to the root mean square of a weight; relative steps
            decrease as ``1 / sqrt(number of steps)``.
        decay: Exponent: mean squares give the new gradient the weight ``t ** decay`` at step ``t``.
        epsilon: Smallest root mean square of gradients.
        min_scale: Smallest root mean square of a weight.
        threshold: Largest root mean square of an update.
        kwargs: See :class:`~hy_gluon.optimizer.Optimizer`. Weight decay is decoupled from the
            gradient.

    Source:
        Shazeer, Stern 2018, arXiv:1804.04235, algorithms 4 and 5.

    Example:
        >>> from hy_ndarray import nd
        >>> rule, weight = Adafactor(0.5), nd.array([[1.0, 1.0], [1.0, 1.0]])
        >>> state = rule.create_state(0, weight)
        >>> [part.shape for part in state]
        [(2, 1), (1, 2)]
        >>> rule.update(0, weight, nd.ones((2, 2)), state)
        >>> weight.asnumpy()
        array([[0.5, 0.5],
               [0.5, 0.5]], dtype=float32)
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("epsilon", "min_scale", "threshold")

    def __init__(
        self,
        learning_rate: float = 0.01,
        decay: float = -0.8,
        epsilon: float = 1.1920929e-07,
        min_scale: float = 1e-3,
        threshold: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        self.decay = decay
        self.epsilon = epsilon
        self.min_scale = min_scale
        self.threshold = threshold

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return mean squares of rows and columns, or of all elements of a vector."""
        super().create_state(index, weight)
        start = zeros(weight)
        # A vector has no rows and columns, so its mean squares are kept as they are (Shazeer and
        # Stern 2018).
        if weight.ndim < _MATRIX:
            return start, nd.zeros((1,), ctx=weight.ctx, dtype=weight.dtype)
        parts = (nd.slice_axis(start, axis=axis, begin=0, end=1) for axis in (-1, -2))
        return tuple(parts)

    def rule_variant(self, index: Index, wd: float) -> Hashable:  # noqa: ARG002  # others need it
        """Return whether the weight has rows and columns."""
        return len(self._shape(index)) >= _MATRIX

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the relative step size, the decay factor, and the weights of the running means."""
        # The decay rate 1 - t**-0.8 of the paper forgets fast at first and slowly later, so no bias
        # correction is needed.
        new = t**self.decay
        return {
            # PyTorch's form of the relative step: min(lr, 1 / sqrt(t)).
            "rate": min(lr, 1 / math.sqrt(t)),
            "decay": 1 - lr * wd,
            "old": 1 - new,
            "new": new,
            "least_square": self.epsilon**2,
        }

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Adafactor`."""
        gradient = self._hy_rescaled(grad, n)
        square = nd.square(gradient)
        rows, columns = state
        if n.variant:
            rows, columns = (
                part * n.old + nd.mean(square, axis=axis, keepdims=True) * n.new
                for part, axis in ((rows, -1), (columns, -2))
            )
            # Rows times columns over their mean: the rank-1 estimate of the mean squares that is
            # exact when gradients' squares factor.
            size = nd.mean(rows, axis=-2, keepdims=True)
            square = nd.broadcast_mul(nd.broadcast_div(rows, _floored(size, n.epsilon)), columns)
        else:
            square = rows = rows * n.old + square * n.new
        update = gradient / nd.sqrt(_floored(square, n.least_square))
        # Relative to the weight's size, but never 0 for a weight that is 0.
        scale = _floored(_root_mean_square(weight), n.min_scale) * n.rate
        # Clips the update's root mean square at the threshold, not its elements.
        step = scale / _floored(_root_mean_square(update) / n.threshold, 1.0)
        return weight * n.decay - nd.broadcast_mul(update, step), (rows, columns)


def _root_mean_square(x: Any) -> Any:
    return nd.sqrt(nd.mean(nd.square(x)))


def _floored(x: Any, lowest: Any) -> Any:
    return nd.broadcast_maximum(x, nd.ones_like(x) * lowest)
