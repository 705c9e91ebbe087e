"""Run of one recurrent layer over its sequences; see :class:`Stack`."""

from typing import NamedTuple

import torch

from hy_kernels.recurrent_stack import GATES, Clip, Weights
from hy_kernels.torch._tensor import Tensor

__all__ = ["Run"]


class Run(NamedTuple):
    """One layer and direction over its sequence."""

    mode: str
    weights: Weights
    state: Tensor
    """``[N, R]``, before the first step."""
    memory: Tensor | None
    """``[N, H]`` of an LSTM, before the first step."""
    saved: Tensor
    """``T N SAVED_GATES H`` numbers."""
    results: Tensor
    """``[T, N, R]``; behind the end of a sequence its last state."""
    order: range
    """The steps in the order they are taken."""
    invalid: Tensor | None
    """``[T, N, 1]``: where a sequence has ended."""
    clip: Clip

    @property
    def size(self) -> int:
        """Return ``H``, the hidden size."""
        return len(self.weights.input_bias) // GATES[self.mode]

    @property
    def gates(self) -> Tensor:
        """Return the gates of all steps, ``[T, N, G H]``."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        # The reserve is flat: gates of all steps first, then what each kind keeps beside.
        return self.saved[: steps * batch * width].view(steps, batch, width)

    @property
    def extra(self) -> Tensor:
        """Return ``[T, N, H]``: the memory of an LSTM, the recurrent part of a GRU."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[steps * batch * width :].view(steps, batch, self.size)

    def before(self, values: Tensor, first: Tensor) -> Tensor:
        """Return ``values`` shifted by one step, with ``first`` at the first step."""
        if self.order.step > 0:
            return torch.cat([first[None], values[:-1]])
        return torch.cat([values[1:], first[None]])

    def keep(self, target: Tensor, before: Tensor, t: int) -> None:
        """Restore the state of sequences that have ended before step ``t``."""
        if self.invalid is not None:
            # Ended sequences keep their state, so that the last one is that of their own end.
            torch.where(self.invalid[t], before, target, out=target)

    def split(self, t: int, dh: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the gradients of running sequences at step ``t``, and of ended ones."""
        if self.invalid is None:
            return dh, None
        ended = self.invalid[t]
        return dh.masked_fill(ended, 0), dh.masked_fill(~ended, 0)
