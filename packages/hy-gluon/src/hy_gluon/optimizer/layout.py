"""Layout of weights, gradients and states among the buffers of a step."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from hy_gluon.optimizer.multi_tensor import Buffers
from hy_gluon.optimizer.rule import RuleProgram
from hy_ndarray import Buffer, Device
from hy_ndarray.ops import find

__all__ = ["Layout", "Single"]

_CAST = find("Cast")


class Single(NamedTuple):
    """A weight that calls of its own change."""

    row: int
    program: RuleProgram
    over: bool
    """Whether the last call writes over the weight itself."""


class Layout:
    """Weight, gradient and states of one weight after the other.

    It holds no arrays: what captures a step keeps it, and may not keep weights alive by that.

    Args:
        device: Where they are.
        states: How many states each weight has.
    """

    def __init__(self, device: Device, states: Sequence[int]) -> None:
        self.device = device
        ends = list(accumulate((count + 2 for count in states), initial=0))
        self.size = ends[-1]
        """How many buffers there are."""
        self.slices = [slice(*pair) for pair in pairwise(ends)]
        """Of each weight."""
        self.gradients = [end + 1 for end in ends[:-1]]
        """Where the gradients are."""
        self.changed = sorted(set(range(self.size)).difference(self.gradients))
        """Where the others are."""
        self.halves: list[int] = []
        """Weights of 16 bits, whose copies in float32 are among the buffers in their place."""

    def with_float32_gradients(self, buffers: Sequence[Buffer]) -> Buffers:
        """Return what is changed: in place of gradients of 16 bits their copies in float32.

        Args:
            buffers: All of them, then the weights of 16 bits.
        """
        if not self.halves:
            return buffers
        wide = [*buffers[: self.size]]
        for i in self.halves:
            # 16-bit gradients are cast once; the wide copies take the weights' positions.
            k = self.gradients[i]
            wide[k] = self.device.kernels[_CAST.kernel](wide[k], dtype="float32")
        return wide

    def narrow(self, buffers: Sequence[Buffer]) -> None:
        """Overwrite the weights of 16 bits, which are behind the others, by their copies."""
        # After all changes, so that every kernel saw full precision.
        for i, target in zip(self.halves, buffers[self.size :], strict=True):
            self.device.memory.write(target, buffers[self.slices[i].start])
