"""Reach: candidates for overlapping pairs of boxes, found by the cells of a grid.

What two boxes share is less wide and less high than both. So where it is a given part of both, the
other box begins before one line in this box, and ends after another one. Which boxes begin up to a
cell, and which end from it on, are the bits of integers; those of four cells together give the few
boxes worth comparing.
"""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["Reach"]

_BITS = 64  # of an integer
_NO_CELL = 255  # after all cells


class Reach:
    """Boxes of several images, and the cells they are in.

    Args:
        edges: ``[4, B, K]``.
        part: The part of both sides that two boxes share at least, above 0.
        border: 1 where edges are pixels that belong to the box, else 0.
    """

    def __init__(self, edges: Array, part: float, border: float) -> None:
        low, high = edges[:2], edges[2:]
        self._batch, self._count = low.shape[1:]
        self._first = low.min(axis=2, keepdims=True)
        self._scale = COSTS.boxes.cells / (high.max(axis=2, keepdims=True) - self._first)
        lowest = part * (high - low + border) - border
        # Too many candidates are compared exactly; one lost to rounding would not be.
        # Less the rounding errors of the edges, some units in the last place.
        lowest -= 32 * np.finfo(edges.dtype).eps * (abs(low) + abs(high) + border)
        begin, end = self._cells(low), self._cells(high)
        self._bits = [*self._packed(begin, np.less_equal), *self._packed(end, np.greater_equal)]
        image = np.arange(self._batch)[:, None]
        lines = (self._cells(high - lowest), self._cells(low + lowest))
        self._lines = [
            (cells.astype(np.intp) * self._batch + image).reshape(-1)
            for both in lines
            for cells in both
        ]

    def _cells(self, values: Array) -> Array:
        """Return ``[2, B, K]``, the cells of positions along both axes; of nan any."""
        cells = (values - self._first) * self._scale
        np.fmin(np.fmax(cells, 0, out=cells), COSTS.boxes.cells - 1, out=cells)
        return np.asarray(cells, np.uint8)

    def _packed(self, cells: Array, compare: np.ufunc) -> Array:
        """Return ``[2, cells B, integers]``, bits: how the cell of each box compares with each."""
        padded = np.full((2, self._batch, -(-self._count // _BITS) * _BITS), _NO_CELL, np.uint8)
        padded[..., : self._count] = cells
        each = np.arange(COSTS.boxes.cells, dtype=np.uint8)[:, None]
        flags = workspace("reach", (2, COSTS.boxes.cells, padded[0].size), np.dtype(np.bool_))
        compare(padded.reshape(2, 1, -1), each, out=flags)
        packed = np.packbits(flags, axis=-1, bitorder="little").view(np.uint64)
        return packed.reshape(2, COSTS.boxes.cells * self._batch, -1)

    def pairs(self, boxes: Array, start: int) -> tuple[Array, Array] | None:
        """Return candidate pairs of a box and a later one that overlap; None if there are too many.

        Args:
            boxes: Positions in ``[B K]``.
            start: None is before it in its image.

        Returns:
            Positions in ``[B K]``.
        """
        skipped = start // _BITS
        parts = (
            bits.take(line.take(boxes), axis=0)[:, skipped:]
            for bits, line in zip(self._bits, self._lines, strict=True)
        )
        # Four rows of bits: begins left of, begins above, ends right of, ends below a line. Their
        # and is the set of candidates, 64 boxes an instruction.
        result = np.bitwise_and(next(parts), next(parts))
        for part in parts:
            result &= part
        if int(np.bitwise_count(result).sum()) * COSTS.boxes.rare > result.size * _BITS:
            return None
        octets = result.view(np.uint8)
        filled = np.flatnonzero(octets != 0)
        flags = np.unpackbits(octets.reshape(-1).take(filled), bitorder="little").view(np.bool_)
        positions = np.flatnonzero(flags)
        row, octet = np.divmod(filled.take(positions >> 3), octets.shape[1])
        positions &= 7
        positions += (octet << 3) + skipped * _BITS
        first = boxes.take(row)
        image, box = np.divmod(first, self._count)
        after = np.flatnonzero(positions > box)
        positions += image * self._count
        return first.take(after), positions.take(after)
