"""Form: view of data as a matrix or stack, shared by batch, layer, group and instance norm."""

from math import prod
from typing import NamedTuple

import torch

from hy_kernels.torch._tensor import Tensor


class Form(NamedTuple):
    """Shape of data under a normalisation: axes ``a``, ``b`` and perhaps ``c``.

    Scale and shift have an element for each ``b``. Statistics are indexed by the axes in ``stats``,
    and computed over the other axes.
    """

    shape: tuple[int, ...]
    axes: str
    stats: str

    @classmethod
    def of(cls, data: Tensor, kind: str, axis: int, groups: int = 1) -> "Form":
        """Return the form of ``data`` under the normalisation ``kind``."""
        shape = data.shape
        if kind in ("instance", "group"):
            count = groups if kind == "group" else shape[1]
            return cls(
                shape=(shape[0], count, prod(shape[1:]) // max(count, 1)), axes="abc", stats="ab"
            )
        axis %= len(shape)
        cut = (prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))
        if cut[2] == 1:
            return cls(shape=cut[:2], axes="ab", stats="b" if kind == "batch" else "a")
        return cls(shape=cut, axes="abc", stats="b" if kind == "batch" else "ac")

    @property
    def shared(self) -> int:
        """Number of elements that share a mean."""
        return prod(n for n, a in zip(self.shape, self.axes, strict=True) if a not in self.stats)

    def spread(self, values: Tensor, letters: str) -> Tensor:
        """Return values indexed by the axes ``letters``, shaped to broadcast against the data."""
        shape = [n if a in letters else 1 for n, a in zip(self.shape, self.axes, strict=True)]
        return values.reshape(shape)

    def sum(self, x: Tensor, letters: str) -> Tensor:
        """Return the sums of ``x`` over all axes but ``letters``."""
        return torch.sum(x, [i for i, a in enumerate(self.axes) if a not in letters])

    def dot(self, x: Tensor, y: Tensor, letters: str) -> Tensor:
        """Return the sums of ``x · y`` over all axes but ``letters``."""
        return self.sum(x * y, letters)
