"""Run of one recurrent layer over its sequences; see :class:`Stack`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.recurrent_stack import GATES, Clip, Weights

__all__ = ["Run"]


class Run(NamedTuple):
    """One layer and direction over its sequence."""

    mode: str
    weights: Weights
    state: Array
    """``[N, R]``, before the first step."""
    memory: Array | None
    """``[N, H]`` of an LSTM, before the first step."""
    saved: Array
    """``T N SAVED_GATES H`` numbers."""
    results: Array
    """``[T, N, R]``; after the end of a sequence its last state."""
    order: range
    """The steps in the order they are taken."""
    invalid: Array | None
    """``[T, N, 1]``: where a sequence has ended."""
    clip: Clip

    @property
    def size(self) -> int:
        """Return ``H``, the hidden size."""
        return len(self.weights.input_bias) // GATES[self.mode]

    @property
    def gates(self) -> Array:
        """Return ``[T, N, G H]``."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[: steps * batch * width].reshape(steps, batch, width)

    @property
    def extra(self) -> Array:
        """Return ``[T, N, H]``: the memory of an LSTM, the recurrent part of a GRU."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[steps * batch * width :].reshape(steps, batch, self.size)

    def before(self, values: Array, first: Array) -> Array:
        """Return ``values`` shifted by one step, with ``first`` at the first step.

        It is overwritten by the next call in this thread.
        """
        result = workspace("before", values.shape, values.dtype)
        if self.order.step > 0:
            result[:1], result[1:] = first, values[:-1]
        else:
            result[-1:], result[:-1] = first, values[1:]
        return result

    def earlier(self, values: Array, first: Array, t: int) -> Array:
        """Return the value one step before ``t``, at the first step ``first``."""
        return first if t == self.order[0] else values[t - self.order.step]

    def keep(self, target: Array, before: Array, t: int) -> None:
        """Restore the state of sequences that have ended before step ``t``."""
        if self.invalid is not None:
            np.copyto(target, before, where=self.invalid[t])

    def split(self, t: int, dh: Array) -> tuple[Array, Array | None]:
        """Return the gradients of running sequences at step ``t``, and of ended ones, or None."""
        if self.invalid is None:
            return dh, None
        zero = dh.dtype.type(0)
        return np.where(self.invalid[t], zero, dh), np.where(self.invalid[t], dh, zero)

    def chunks(self) -> Iterator[range]:
        """Yield the steps in reverse order, in chunks whose gates stay in the cache."""
        steps, batch = self.results.shape[:2]
        length = max(1, COSTS.blocks.recurrent // max(batch * len(self.weights.input_bias), 1))
        for end in range(steps, 0, -length):
            yield self.order[max(end - length, 0) : end][::-1]
