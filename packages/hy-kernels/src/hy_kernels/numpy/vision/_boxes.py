"""Boxes: intersection over union, and greedy matching.

Boxes are four arrays of one shape: the edges ``x1, y1, x2, y2``.
"""

from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["Edges", "area", "edges", "overlap", "pairs"]

Edges: TypeAlias = tuple[Array, Array, Array, Array]


def edges(boxes: Array, form: str = "corner") -> Edges:
    """Return the edges of boxes ``[*shape, 4]``, stored as edges or as center and size."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    if form == "corner":
        return a, b, c, d
    w, h = c / 2, d / 2
    return a - w, b - h, a + w, b + h


def area(boxes: Edges, border: float = 0.0) -> Array:
    """Return width times height; ``border`` as for :func:`overlap`."""
    x1, y1, x2, y2 = boxes
    return np.asarray((x2 - x1 + border) * (y2 - y1 + border))


def overlap(a: Edges, b: Edges, border: float = 0.0) -> Array:
    """Return intersection over union, 0 where boxes do not intersect; shapes are broadcast.

    Args:
        a: Boxes.
        b: Boxes.
        border: 1 where edges are pixels that belong to the box, else 0.
    """
    w = np.minimum(a[2], b[2]) - np.maximum(a[0], b[0])
    h = np.minimum(a[3], b[3]) - np.maximum(a[1], b[1])
    if border:
        w += border
        h += border
    # Both negative, their product would be positive; boxes without area would divide 0 by 0.
    overlaps = (w > 0) & (h > 0)
    common = np.multiply(w, h, out=w)
    union = area(a, border) + area(b, border) - common
    shared: Array = np.zeros_like(common)
    np.divide(common, union, out=shared, where=overlaps)
    return shared


def pairs(scores: Array, limit: int) -> tuple[Array, Array]:
    """Return a greedy matching of rows and columns: the best pair left, again and again.

    Args:
        scores: ``[B, N, M]``, floating; overwritten. Pairs of score -inf are not made.
        limit: How many pairs to make at most.

    Returns:
        ``[B, N]``, the column of each row; ``[B, M]``, the row of each column; -1 for none.
    """
    count, rows, columns = scores.shape
    of_row, of_column = np.full((count, rows), -1), np.full((count, columns), -1)
    entries = np.arange(count)
    for _ in range(min(rows, columns, limit) if count else 0):
        best = scores.reshape(count, -1).argmax(axis=1)
        i, j = best // columns, best % columns
        result = scores[entries, i, j] > -np.inf
        if not result.any():
            break
        n, i, j = entries[result], i[result], j[result]
        of_row[n, i], of_column[n, j] = j, i
        scores[n, i] = -np.inf
        scores[n, :, j] = -np.inf
    return of_row, of_column
