"""Intersection over union (IoU) of boxes, and greedy matching.

Boxes are given as four arrays of one shape: the edges ``x1, y1, x2, y2``.
"""

import numpy as np

from hy_kernels.boxes import Edges, area
from hy_kernels.numpy._array import Array


def overlap(a: Edges, b: Edges, border: float = 0.0) -> Array:
    """Return the intersection over union of boxes, with broadcasting; 0 if they are disjoint.

    Args:
        a: The edges of boxes.
        b: The edges of other boxes.
        border: 1 if edges are inclusive pixel coordinates, else 0.
    """
    w = np.minimum(a[2], b[2]) - np.maximum(a[0], b[0])
    h = np.minimum(a[3], b[3]) - np.maximum(a[1], b[1])
    if border:
        w += border
        h += border
    # Without this, two negative sides would have a positive product, and 0 / 0 would be nan.
    overlaps = (w > 0) & (h > 0)
    common = np.multiply(w, h, out=w)
    union = area(a, border) + area(b, border) - common
    shared: Array = np.zeros_like(common)
    np.divide(common, union, out=shared, where=overlaps)
    return shared


def pairs(scores: Array, limit: int) -> tuple[Array, Array]:
    """Return a greedy bipartite matching, which repeatedly takes the best remaining pair.

    Args:
        scores: ``[B, N, M]``, floating; overwritten. Pairs with a score of -inf are excluded.
        limit: Maximum number of pairs.

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
