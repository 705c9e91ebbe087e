"""Boxes: their overlap, and the choice of the best among those that overlap.

Boxes are four arrays of one shape: the edges ``x1, y1, x2, y2``.
"""

from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["Edges", "edges", "overlap", "pairs", "survivors"]

Edges: TypeAlias = tuple[Array, Array, Array, Array]


def edges(boxes: Array, form: str = "corner") -> Edges:
    """The edges of boxes ``[*shape, 4]``, stored as edges or as center, width and height."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    if form == "corner":
        return a, b, c, d
    w, h = c / 2, d / 2
    return a - w, b - h, a + w, b + h


def _area(boxes: Edges, border: float) -> Array:
    x1, y1, x2, y2 = boxes
    return np.asarray((x2 - x1 + border) * (y2 - y1 + border))


def overlap(a: Edges, b: Edges, border: float = 0.0) -> Array:
    """Intersection over union, 0 where boxes do not meet; shapes are broadcast.

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
    met = (w > 0) & (h > 0)
    common = np.multiply(w, h, out=w)
    union = _area(a, border) + _area(b, border) - common
    shared: Array = np.zeros_like(common)
    np.divide(common, union, out=shared, where=met)
    return shared


def survivors(
    boxes: Edges,
    alive: Array,
    threshold: float,
    *,
    classes: Array | None = None,
    border: float = 0.0,
    most: int | None = None,
    inclusive: bool = False,
) -> Array:
    """Which boxes are kept if, from the first on, each removes those behind it that it overlaps.

    Args:
        boxes: ``[B, K]`` each, in order of preference.
        alive: ``[B, K]``: the candidates.
        threshold: Overlap above which a box is removed.
        classes: ``[B, K]``; boxes remove only those of their own class. None: all are of one.
        border: As for :func:`overlap`.
        most: How many to keep at most in each row.
        inclusive: Remove boxes whose overlap is just the threshold, too.

    Returns:
        ``[B, K]``, boolean.
    """
    alive = alive.copy()
    kept = np.zeros_like(alive)
    rows = np.arange(len(alive))
    count = 0
    while alive.size and (most is None or count < most):
        first = alive.argmax(axis=1)
        active = alive[rows, first]
        if not active.any():
            break
        count += 1
        kept[rows, first] |= active
        low = int(first[active].min())
        chosen = tuple(x[rows, first][:, None] for x in boxes)
        rest = tuple(x[:, low:] for x in boxes)
        shared = overlap(chosen, rest, border)  # type: ignore[arg-type]  # both are of four
        hit = shared >= threshold if inclusive else shared > threshold
        if classes is not None:
            hit &= classes[:, low:] == classes[rows, first][:, None]
        alive[:, low:] &= ~hit
        alive[rows, first] = False
    return kept


def pairs(scores: Array, most: int) -> tuple[Array, Array]:
    """The best pair of a row and a column again and again, each in one pair at most.

    Args:
        scores: ``[B, N, M]``, floating; overwritten. Pairs of score -inf are not made.
        most: How many pairs to make at most.

    Returns:
        ``[B, N]``, the column of each row; ``[B, M]``, the row of each column; -1 for none.
    """
    count, rows, columns = scores.shape
    of_row, of_column = np.full((count, rows), -1), np.full((count, columns), -1)
    entries = np.arange(count)
    for _ in range(min(rows, columns, most) if count else 0):
        best = scores.reshape(count, -1).argmax(axis=1)
        i, j = best // columns, best % columns
        found = scores[entries, i, j] > -np.inf
        if not found.any():
            break
        n, i, j = entries[found], i[found], j[found]
        of_row[n, i], of_column[n, j] = j, i
        scores[n, i] = -np.inf
        scores[n, :, j] = -np.inf
    return of_row, of_column
