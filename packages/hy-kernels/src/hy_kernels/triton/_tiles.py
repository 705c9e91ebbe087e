"""Tile sizes of kernels along one axis: the part of a tensor that one program computes."""

from functools import lru_cache
from math import gcd, prod
from typing import NamedTuple

from hy_kernels.torch._tensor import Tensor

_LARGEST = 1 << 14  # elements: 64 KiB of float32 in the registers of one program
_SMALL = 1 << 10  # elements of a program that short rows share
_VECTOR = 16  # bytes that a thread reads at once
_MIN_SHIFTED = 256  # columns, from which on tiles may begin before their rows


def next_power(n: int) -> int:
    """Return the least power of 2 that is at least ``n``."""
    return 1 << max(n - 1, 0).bit_length()


def warps_for(elements: int) -> int:
    """Return the number of warps for a tile: 16 elements per thread, 1 to 16 warps."""
    # Fewer elements a thread leave loads waiting one after the other; more of float32 would take a
    # quarter of the 65,536 registers of a multiprocessor for one program.
    return min(max(next_power(elements) // 512, 1), 16)


class Rows(NamedTuple):
    """Shape ``[outer, columns, inner]`` of a contiguous tensor seen as rows along an axis."""

    outer: int
    columns: int
    inner: int

    @classmethod
    def of(cls, data: Tensor, axis: int) -> "Rows":
        """Return the row layout of a tensor along an axis; one without axes is a row of one."""
        shape = data.shape or (1,)
        at = axis % len(shape)
        return cls(prod(shape[:at]), shape[at], prod(shape[at + 1 :]))

    @property
    def rows(self) -> int:
        """Number of rows, ``outer * inner``."""
        return self.outer * self.inner

    def vectors(self, *arrays: Tensor) -> dict[str, int]:
        """Return the ``ALIGN`` and ``VECTOR`` constants for a launch that accesses rows in vectors.

        ``ALIGN`` divides the number of columns. ``VECTOR`` is above 1 if rows do not begin at
        vector boundaries: tiles then begin at the boundary before the row, inside the previous row.
        """
        return self.alignment(self.vector(*arrays))

    def vector(self, *arrays: Tensor) -> int:
        """Return the constant ``VECTOR`` for arrays of these rows; see :meth:`vectors`."""
        # Rows of whole vectors, of any dtype, need nothing else: most calls end here.
        if self.inner != 1 or self.columns < _MIN_SHIFTED or self.columns % 8 == 0:
            return 1
        width = _VECTOR // min([x.itemsize for x in arrays])
        is_shifted = self.columns % width and all(x.data_ptr() % _VECTOR == 0 for x in arrays)
        return width if is_shifted else 1

    def alignment(self, vector: int) -> dict[str, int]:
        """Return the constants of :meth:`vectors` for a known ``VECTOR``."""
        align = gcd(self.columns, 8) if vector == self.inner == 1 else 1
        return {"ALIGN": align, "VECTOR": vector}

    @lru_cache(maxsize=1024)  # noqa: B019  # three numbers, which hold nothing
    def tile(self, largest: int = _LARGEST, vector: int = 1) -> tuple[int, int]:
        """Return rows and columns of a tile, both powers of 2; a long row takes several tiles.

        Args:
            largest: Largest number of columns.
            vector: The ``VECTOR`` of :meth:`vectors`.
        """
        columns = min(next_power(self.columns + vector - 1), largest)
        # A program of a row of ten columns would be one warp, mostly idle: rows share a tile of
        # 1,024.
        wanted = max(_SMALL // columns, 1)
        return min(wanted, next_power(self.rows)), columns
