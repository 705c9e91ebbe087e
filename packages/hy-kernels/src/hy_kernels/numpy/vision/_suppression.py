"""Non-maximum suppression: each box, best first, removes later ones that it overlaps.

If few pairs can overlap, see :mod:`._reach`, the pairs of all images are listed at once, and a
sequential loop goes through the pairs. Otherwise some boxes at a time are compared with all later
ones of their image, and the boxes that each would remove are a bit set in a Python integer: the
sequential loop then takes two integer operations per box.
"""

from typing import NamedTuple

import numpy as np

from hy_kernels.boxes import Edges, area
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.vision._reach import Reach


class _Rule(NamedTuple):
    """The condition under which a box removes another: IoU above a threshold."""

    threshold: float
    border: float
    inclusive: bool

    def hits(self, edges: Array, areas: Array, count: int) -> Array:
        """Return ``[count, K]``, whether the IoU of a first box with any box exceeds the threshold.

        Args:
            edges: ``[4, K]``, edges of the boxes.
            areas: ``[K]``, areas of the boxes.
            count: Number of first boxes, which are compared with all.
        """
        shape = (count, edges.shape[1])
        width, height, other = (workspace(f"overlap {k}", shape, edges.dtype) for k in range(3))
        for size, low, high in ((width, 0, 2), (height, 1, 3)):
            np.minimum(edges[high, :count, None], edges[high], out=size)
            np.maximum(edges[low, :count, None], edges[low], out=other)
            np.subtract(size, other, out=size)
            if self.border:
                np.add(size, self.border, out=size)
            np.maximum(size, 0, out=size)
        shared = np.multiply(width, height, out=width)
        union = np.add(areas[:count, None], areas, out=height)
        union -= shared
        shared /= union
        # Boxes of area 0 overlap no box: their IoU, 0 / 0, counts as 0.
        if self.threshold <= 0:
            np.copyto(shared, 0, where=np.isnan(shared))
        return self.exceeded(shared)

    def exceeded(self, shared: Array) -> Array:
        """Return where the IoU ``shared`` exceeds the threshold."""
        return (np.greater_equal if self.inclusive else np.greater)(shared, self.threshold)

    def hits_of_pairs(self, edges: Array, areas: Array, first: Array, other: Array) -> Array:
        """Return for which pairs ``(first, other)`` of boxes the IoU exceeds the threshold."""
        sizes = []
        for low, high in ((0, 2), (1, 3)):
            size = np.minimum(edges[high].take(first), edges[high].take(other))
            size -= np.maximum(edges[low].take(first), edges[low].take(other))
            if self.border:
                size += self.border
            sizes.append(np.maximum(size, 0, out=size))
        shared = sizes[0] * sizes[1]
        union = areas.take(first) + areas.take(other)
        union -= shared
        shared /= union
        return self.exceeded(shared)


def _of_all(
    edges: Array, alive: Array, classes: Array | None, rule: _Rule, max_boxes: int | None
) -> Array | None:
    """Return ``[B, K]``, which of the boxes ``[4, B, K]`` survive; None if many may overlap."""
    batch, count = alive.shape
    reach = Reach(edges, rule.threshold, rule.border)
    flat = edges.reshape(4, -1)
    areas = area((flat[0], flat[1], flat[2], flat[3]), rule.border)
    # Python accesses a bytearray several times as fast as elements of an array.
    memory = bytearray(alive.size)
    removed = np.frombuffer(memory, np.bool_).reshape(alive.shape)
    step = max(COSTS.boxes.near // (batch * count), COSTS.boxes.rows)
    for start in range(0, count, step):
        rows = slice(start, start + step)
        image, box = np.nonzero(alive[:, rows] & ~removed[:, rows])
        pairs = reach.pairs(image * count + box + start, start)
        if pairs is None:
            return None
        first, other = pairs
        hit = rule.hits_of_pairs(flat, areas, first, other)
        if classes is not None:
            hit &= classes.take(first) == classes.take(other)
        for one, after in zip(first[hit].tolist(), other[hit].tolist(), strict=True):
            if not memory[one]:
                memory[after] = 1
        keep = alive[:, : start + step] & ~removed[:, : start + step]
        if max_boxes is not None and (keep.sum(axis=1) >= max_boxes).all():
            break
    keep = alive & ~removed
    return keep if max_boxes is None else keep & (keep.cumsum(axis=1) <= max_boxes)


def _survivors(hits: Array, max_boxes: int) -> tuple[Array, Array]:
    """Return the indices of the first R boxes that survive, and a mask of all removed boxes.

    ``hits [R, K]`` tells which boxes each of them would remove.
    """
    count, width = hits.shape
    pairs = np.flatnonzero(hits)
    if len(pairs) > COSTS.boxes.dense * count:
        return _survivors_by_bits(hits, max_boxes)
    removed = bytearray(width)
    for box, other in zip(*(part.tolist() for part in np.divmod(pairs, width)), strict=True):
        if not removed[box] and box < other:
            removed[other] = 1
    flags = np.frombuffer(removed, np.bool_)
    return np.flatnonzero(~flags[:count])[:max_boxes], flags


def _survivors_by_bits(hits: Array, max_boxes: int) -> tuple[Array, Array]:
    """Compute :func:`_survivors` for many overlaps, with Python integers as bit sets."""
    packed = np.packbits(hits, axis=1, bitorder="little")
    length = packed.shape[1]
    bits = packed.tobytes()
    removed = 0
    keep: list[int] = []
    for i in range(len(hits)):
        if not removed >> i & 1:
            if len(keep) == max_boxes:
                break
            keep.append(i)
            removed |= int.from_bytes(bits[i * length : (i + 1) * length], "little")
    flags = np.frombuffer(removed.to_bytes(length, "little"), np.uint8)
    others = np.unpackbits(flags, count=hits.shape[1], bitorder="little").view(np.bool_)
    return np.asarray(keep, np.int64), others


def _of_one(edges: Array, classes: Array | None, rule: _Rule, max_boxes: int) -> Array:
    """Return the indices of the boxes ``[4, K]`` that survive in one image."""
    positions = np.arange(edges.shape[1])
    areas = area(tuple(edges), rule.border)
    keep = [positions[:0]]
    while len(positions) and max_boxes:
        count = min(
            len(positions), max(COSTS.boxes.compared // len(positions), 16), COSTS.boxes.rows
        )
        hits = rule.hits(edges, areas, count)
        if classes is not None:
            hits &= classes[:count, None] == classes
        selected, removed = _survivors(hits, max_boxes)
        keep.append(positions[selected])
        max_boxes -= len(selected)
        rest = np.flatnonzero(~removed[count:]) + count
        positions, areas, edges = positions[rest], areas[rest], edges[:, rest]
        classes = None if classes is None else classes[rest]
    return np.concatenate(keep)


@quiet
def survivors(
    boxes: Edges,
    alive: Array,
    threshold: float,
    *,
    classes: Array | None = None,
    border: float = 0.0,
    max_boxes: int | None = None,
    inclusive: bool = False,
) -> Array:
    """Return a mask of the boxes that survive non-maximum suppression.

    Args:
        boxes: The edges, ``[B, K]`` each, best boxes first.
        alive: ``[B, K]``, a mask of the candidates.
        threshold: IoU above which the later box is removed.
        classes: ``[B, K]``; boxes remove only boxes of their own class. None: a single class.
        border: 1 if edges are inclusive pixel coordinates, else 0.
        max_boxes: Maximum number of survivors in each row; None: no limit.
        inclusive: Whether an IoU equal to the threshold removes a box, too.

    Returns:
        ``[B, K]``, boolean.
    """
    edges = np.stack(boxes)
    rule = _Rule(threshold, border, inclusive)
    if threshold > 0 and alive.size * alive.shape[1] >= COSTS.boxes.pairs:
        keep = _of_all(edges, alive, classes, rule, max_boxes)
        if keep is not None:
            return keep
    keep = np.zeros_like(alive)
    for row, candidates in enumerate(alive):
        positions = np.flatnonzero(candidates)
        of = None if classes is None else classes[row, positions]
        result = _of_one(
            edges[:, row, positions], of, rule, len(positions) if max_boxes is None else max_boxes
        )
        keep[row, positions[result]] = True
    return keep
