"""Reach: candidate pairs of overlapping boxes, found by the cells of a grid.

If the intersection of two boxes is at least a given part of each side of this box, the other box
begins before a certain line in this box and ends after another one, along both axes. For each cell,
bit sets hold the boxes that begin up to it and those that end from it on; the intersection of four
such sets gives the few boxes worth comparing.
"""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import workspace

_BITS = 64  # bits of an integer
_NO_CELL = 255  # beyond all cells


class Reach:
    """Boxes of several images with bit sets of the cells they are in.

    Args:
        edges: ``[4, B, K]``, the edges of ``K`` boxes in each of ``B`` images.
        part: The least part of both sides that an overlapping pair shares, above 0.
        border: 1 if edges are inclusive pixel coordinates, else 0.
    """

    def __init__(self, edges: Array, part: float, border: float) -> None:
        low, high = edges[:2], edges[2:]
        self._batch, self._count = low.shape[1:]
        self._first = low.min(axis=2, keepdims=True)
        self._scale = COSTS.boxes.cells / (high.max(axis=2, keepdims=True) - self._first)
        lowest = part * (high - low + border) - border
        # Reduced by the rounding errors of the edges, some units in the last place: surplus
        # candidates are compared exactly later, but a lost one would be missed.
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
        """Return ``[2, B, K]``, the cells of coordinates along both axes; any cell for nan."""
        cells = (values - self._first) * self._scale
        # fmax replaces nan by 0, a valid cell.
        np.fmin(np.fmax(cells, 0, out=cells), COSTS.boxes.cells - 1, out=cells)
        return np.asarray(cells, np.uint8)

    def _packed(self, cells: Array, compare: np.ufunc) -> Array:
        """Return bit sets ``[2, cells B, integers]`` of boxes, for each cell of the grid.

        A set holds the boxes for which ``compare(cell of the box, cell)`` is true.
        """
        padded = np.full((2, self._batch, -(-self._count // _BITS) * _BITS), _NO_CELL, np.uint8)
        padded[..., : self._count] = cells
        each = np.arange(COSTS.boxes.cells, dtype=np.uint8)[:, None]
        flags = workspace("reach", (2, COSTS.boxes.cells, padded[0].size), np.dtype(np.bool_))
        compare(padded.reshape(2, 1, -1), each, out=flags)
        packed = np.packbits(flags, axis=-1, bitorder="little").view(np.uint64)
        return packed.reshape(2, COSTS.boxes.cells * self._batch, -1)

    def pairs(self, boxes: Array, start: int) -> tuple[Array, Array] | None:
        """Return candidate pairs of a box and a later box; None if there are too many.

        Args:
            boxes: Flat indices into ``[B K]`` of the first boxes of pairs.
            start: A lower bound of the indices of ``boxes`` in their images.

        Returns:
            Flat indices into ``[B K]`` of the first and of the second boxes.
        """
        skipped = start // _BITS
        parts = (
            bits.take(line.take(boxes), axis=0)[:, skipped:]
            for bits, line in zip(self._bits, self._lines, strict=True)
        )
        # Four bit sets: begins left of, begins above, ends right of, ends below a line. Their
        # intersection is the set of candidates, 64 boxes per instruction.
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
