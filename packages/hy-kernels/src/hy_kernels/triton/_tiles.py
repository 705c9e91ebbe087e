"""Tiles: which part of a tensor one program works on, for kernels along one axis."""

from math import prod
from typing import NamedTuple

from hy_kernels.torch._tensor import Tensor

__all__ = ["Rows", "next_power", "warps_for"]

_LARGEST = 1 << 14  # elements: 64 KiB of float32 in the registers of one program
_SMALL = 1 << 10  # elements of a program that short rows share


def next_power(n: int) -> int:
    """The least power of 2 that is not below ``n``."""
    return 1 << max(n - 1, 0).bit_length()


def warps_for(elements: int) -> int:
    """Warps for a tile: 16 elements a thread, from 1 to 16 warps."""
    return min(max(next_power(elements) // 512, 1), 16)


class Rows(NamedTuple):
    """A contiguous tensor as ``[outer, columns, inner]``, and tiles of its rows."""

    outer: int
    columns: int
    inner: int

    @classmethod
    def of(cls, data: Tensor, axis: int) -> "Rows":
        """Rows of a tensor along an axis."""
        at = axis % data.ndim
        return cls(prod(data.shape[:at]), data.shape[at], prod(data.shape[at + 1 :]))

    @property
    def rows(self) -> int:
        """Return the number of tiles."""
        return self.outer * self.inner

    def tile(self, largest: int = _LARGEST) -> tuple[int, int]:
        """Rows and columns of a tile, both powers of 2; a long row is cut into several."""
        columns = min(next_power(self.columns), largest)
        wanted = max(_SMALL // columns, 1)
        return min(wanted, next_power(self.rows)), columns
