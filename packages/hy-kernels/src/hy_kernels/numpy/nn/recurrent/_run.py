"""Run: one recurrent layer and direction over a batch of sequences; see :class:`Stack`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.recurrent_stack import GATES, Clip, Weights


class Run(NamedTuple):
    """One recurrent layer and direction over a batch of sequences, with its saved arrays."""

    mode: str
    weights: Weights
    state: Array
    """``[N, R]``, the initial state."""
    memory: Array | None
    """``[N, H]``, the initial memory of an LSTM."""
    saved: Array
    """``T N SAVED_GATES H`` numbers."""
    results: Array
    """``[T, N, R]``; after the end of a sequence, its last state."""
    order: range
    """The time steps in the order of computation."""
    invalid: Array | None
    """``[T, N, 1]``: True where a sequence has ended; None: nowhere."""
    clip: Clip

    @property
    def size(self) -> int:
        """Return ``H``, the hidden size."""
        return len(self.weights.input_bias) // GATES[self.mode]

    @property
    def gates(self) -> Array:
        """Return the gates, ``[T, N, G H]``, a view of :attr:`saved`."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[: steps * batch * width].reshape(steps, batch, width)

    @property
    def extra(self) -> Array:
        """Return ``[T, N, H]``: an LSTM's memory, or a GRU's recurrent product of the new gate."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[steps * batch * width :].reshape(steps, batch, self.size)

    def before(self, values: Array, first: Array) -> Array:
        """Return ``values [T, ...]`` delayed by one step, with ``first`` at the first step.

        The result is scratch memory, which the next call in this thread overwrites.
        """
        result = workspace("before", values.shape, values.dtype)
        if self.order.step > 0:
            result[:1], result[1:] = first, values[:-1]
        else:
            result[-1:], result[:-1] = first, values[1:]
        return result

    def earlier(self, values: Array, first: Array, t: int) -> Array:
        """Return ``values`` at the step before ``t``, or ``first`` if ``t`` is the first step."""
        return first if t == self.order[0] else values[t - self.order.step]

    def keep(self, target: Array, before: Array, t: int) -> None:
        """Copy ``before`` to ``target`` for sequences that have ended before step ``t``."""
        if self.invalid is not None:
            np.copyto(target, before, where=self.invalid[t])

    def split(self, t: int, dh: Array) -> tuple[Array, Array | None]:
        """Split ``dh`` into gradients of sequences that run at step ``t``, and of ended ones.

        The latter is None if all sequences have the full length.
        """
        if self.invalid is None:
            return dh, None
        zero = dh.dtype.type(0)
        return np.where(self.invalid[t], zero, dh), np.where(self.invalid[t], dh, zero)

    def chunks(self) -> Iterator[range]:
        """Yield the steps in reverse order, in chunks whose gates fit in the cache."""
        steps, batch = self.results.shape[:2]
        length = max(1, COSTS.blocks.recurrent // max(batch * len(self.weights.input_bias), 1))
        for end in range(steps, 0, -length):
            yield self.order[max(end - length, 0) : end][::-1]
