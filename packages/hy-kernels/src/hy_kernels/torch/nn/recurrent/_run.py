"""Run: one recurrent layer over its sequences; see :class:`Stack`."""

from typing import NamedTuple

import torch

from hy_kernels.recurrent_stack import GATES, Clip, Weights
from hy_kernels.torch._tensor import Tensor


class Run(NamedTuple):
    """One layer and direction of a stack, with its weights, states and memory for results."""

    mode: str
    weights: Weights
    state: Tensor
    """``[N, R]``, the state before the first step."""
    memory: Tensor | None
    """``[N, H]``, the memory of an LSTM before the first step."""
    saved: Tensor
    """This layer's part of the reserve: ``T N SAVED_GATES H`` numbers."""
    results: Tensor
    """``[T, N, R]``; after the end of a sequence its last state."""
    order: range
    """The steps in the order in which they are computed."""
    invalid: Tensor | None
    """``[T, N, 1]``, True where a sequence has ended."""
    clip: Clip

    @property
    def size(self) -> int:
        """The hidden size ``H``."""
        return len(self.weights.input_bias) // GATES[self.mode]

    @property
    def gates(self) -> Tensor:
        """The gates of all steps, ``[T, N, G H]``, a view of ``saved``."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        # The reserve is flat: gates of all steps first, then what each kind keeps beside.
        return self.saved[: steps * batch * width].view(steps, batch, width)

    @property
    def extra(self) -> Tensor:
        """The memory of an LSTM or recurrent part of a GRU for all steps, ``[T, N, H]``."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.saved[steps * batch * width :].view(steps, batch, self.size)

    def before(self, values: Tensor, first: Tensor) -> Tensor:
        """Return the value before each step: ``values`` delayed by one step, first ``first``."""
        if self.order.step > 0:
            return torch.cat([first[None], values[:-1]])
        return torch.cat([values[1:], first[None]])

    def keep(self, target: Tensor, before: Tensor, t: int) -> None:
        """Overwrite ``target`` with ``before`` for sequences that have ended at step ``t``."""
        if self.invalid is not None:
            # Ended sequences keep their state, so that the last one is that of their own end.
            torch.where(self.invalid[t], before, target, out=target)

    def split(self, t: int, dh: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the gradient ``dh`` of sequences that run at step ``t``, and that of ended ones.

        The others are 0 in each; the second is None if no sequence ends early.
        """
        if self.invalid is None:
            return dh, None
        ended = self.invalid[t]
        return dh.masked_fill(ended, 0), dh.masked_fill(~ended, 0)
