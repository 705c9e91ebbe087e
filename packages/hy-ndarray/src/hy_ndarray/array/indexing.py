"""Parsing of index keys such as ``x[1, :, [0, 2]]``, and their normal form for a shape."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import IndexingError, ShapeError

__all__ = ["Item", "Key", "Selection", "read", "select"]

Indices: TypeAlias = npt.NDArray[np.int64]
Item: TypeAlias = int | slice | npt.NDArray[Any] | None
"""None inserts an axis; a mask indexes as many axes as it has; other items index one axis."""
_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Key:
    """Parsed items of an index key, before the sizes of axes are known.

    Example:
        >>> read((0, ..., None), 3).items
        (0, slice(None, None, None), slice(None, None, None), None)
        >>> read((0, ..., None), None)
        Key(items=(0,), trailing=(None,), leading=False)
    """

    items: tuple[Item, ...]
    """Items from the first axis on, with ``...`` expanded to full slices if the rank is known."""
    trailing: tuple[Item, ...]
    """Items after ``...``, if the rank is unknown; else empty."""
    leading: bool
    """Whether result axes of index arrays come first, as for separated index arrays in NumPy."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Index key in normal form: slices, then axes of size 1 inserted or dropped, then index arrays.

    Example:
        >>> selection = select((1, slice(None, None, -2), None), (3, 4))
        >>> selection.begin, selection.end, selection.step, selection.sizes, selection.shape
        ((1, 3), (2, None), (1, -2), (1, 2), (2, 1))
    """

    begin: tuple[int, ...]
    """First index along each axis, not negative."""
    end: tuple[int | None, ...]
    """End of each slice, exclusive; None if a negative step runs down to index 0."""
    step: tuple[int, ...]
    sizes: tuple[int, ...]
    """Shape after the slices."""
    shape: tuple[int, ...]
    """Shape after axes are inserted for ``None`` and dropped for integers."""
    arrays: tuple[tuple[int, Indices], ...]
    """Axes of :attr:`shape` with their index arrays: of one shape, in bounds, not negative."""
    leading: bool
    """Whether result axes of index arrays come first, as for separated index arrays in NumPy."""
    flipped: tuple[int, ...]
    """Axes of :attr:`shape` whose slices have a negative step."""
    contiguous: bool
    """Whether the slices select one contiguous run of elements in row-major order."""

    @property
    def at(self) -> int:
        """Return the first result axis that comes from the index arrays."""
        return 0 if self.leading or not self.arrays else self.arrays[0][0]

    @property
    def result(self) -> tuple[int, ...]:
        """Return the shape of ``array[key]``; ``()`` for a single element."""
        if not self.arrays:
            return self.shape
        indexed = {axis for axis, _ in self.arrays}
        rest = [n for axis, n in enumerate(self.shape) if axis not in indexed]
        return (*rest[: self.at], *self.arrays[0][1].shape, *rest[self.at :])


def select(key: Any, shape: Sequence[int], *, masks: bool = False) -> Selection:
    """Return the normal form of ``key`` for an array of the given shape.

    Args:
        key: An integer, slice, ``None``, ``...``, list or numpy array of integers or booleans, or
            a tuple of those. Boolean arrays are masks; index arrays may have any numeric dtype, as
            MXNet's arrays are float32 by default.
        shape: The shape of the array.
        masks: As for :func:`read`.

    Raises:
        IndexingError: An index is out of bounds or of an unsupported type.
        ShapeError: Index arrays cannot be broadcast against each other.
    """
    parsed = read(key, len(shape), masks=masks)
    builder = _Builder(shape)
    for item in parsed.items:
        builder.add(item)
    return builder.done(leading=parsed.leading)


def read(key: Any, rank: int | None, *, masks: bool = False) -> Key:
    """Parse ``key`` for an array of ``rank`` axes.

    Args:
        key: As for :func:`select`.
        rank: The number of axes; None if unknown.
        masks: Whether ``True`` and ``False`` are masks of zero axes, as in numpy, instead of the
            integers 1 and 0.

    Raises:
        IndexingError: There are too many indices, or an item is not an index.
    """
    items = [_item(part, masks) for part in (key if isinstance(key, tuple) else (key,))]
    taken = sum(map(_axes_of, items))
    if rank is not None and taken > rank:
        raise IndexingError(
            f"too many indices: the array has {rank} axes, but {taken} were indexed"
        )
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexingError("an index can have only one ellipsis (...)")
    at = dots[0] if dots else len(items)
    before, trailing = tuple(items[:at]), tuple(items[at + 1 :])
    advanced = [i for i, item in enumerate(items) if isinstance(item, int | np.ndarray)]
    # numpy's rule: if a slice, None or ``...`` separates advanced indices (arrays, and integers
    # beside them), their broadcast axes come first in the result.
    are_separated = any(b - a > 1 for a, b in pairwise(advanced))
    leading = are_separated and any(isinstance(item, np.ndarray) for item in items)
    if rank is None:
        return Key(before, trailing, leading)
    return Key((*before, *[_ALL] * (rank - taken), *trailing), (), leading)


def _item(part: Any, masks: bool) -> Any:
    """Return an item normalized to None, Ellipsis, slice, int, or an integer or boolean array."""
    if masks and isinstance(part, bool | np.bool | np.ndarray) and np.ndim(part) == 0:
        array = np.asarray(part)
        return array if array.dtype.kind == "b" else _index_array(array)
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, list | tuple | range | np.ndarray):
        return _index_array(part)
    try:
        return operator.index(part)
    except TypeError:
        kind = type(part).__name__
        raise IndexingError(
            f"{part!r} ({kind}) is not a valid index; use integers, slices, None, ... or arrays"
        ) from None


def _index_array(part: Any) -> npt.NDArray[Any] | int:
    try:
        array = np.asarray(part)
    except ValueError as error:
        # Lists of unequal lengths.
        raise IndexingError(f"an index array must be rectangular: {error}") from error
    if array.dtype.kind not in "biuf":
        raise IndexingError(f"index arrays must hold integers or booleans, got {array.dtype}")
    # MXNet's index arrays are float32 by default.
    if array.dtype.kind != "b":
        array = array.astype(np.int64)
    return array if array.ndim else int(array)


def _axes_of(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype.kind == "b" else 1


class _Builder:
    """Builder of a :class:`Selection`, item by item along the axes of the array."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.source = tuple(shape)
        self.ranges: list[range] = []
        self.shape: list[int] = []
        self.flipped: list[int] = []
        self.arrays: list[tuple[int, Indices]] = []

    def add(self, item: Item) -> None:
        """Add the next item of the key."""
        if item is None:
            self.shape.append(1)
        elif isinstance(item, slice):
            self._add_axis(range(*item.indices(self._next_size())))
        elif isinstance(item, np.ndarray) and not item.ndim:
            self._add_bool(bool(item))
        elif isinstance(item, np.ndarray):
            for indices in self._mask_to_indices(item):
                self._index(indices)
        else:
            size = self._next_size()
            if not -size <= item < size:
                raise self._outside(item)
            index = item % size
            self.ranges.append(range(index, index + 1))

    def done(self, *, leading: bool) -> Selection:
        """Return the finished selection."""
        ranges = [_with_step_1(indices) for indices in self.ranges]
        return Selection(
            begin=tuple(r.start for r in ranges),
            end=tuple(None if r.stop < 0 else r.stop for r in ranges),
            step=tuple(r.step for r in ranges),
            sizes=tuple(map(len, ranges)),
            shape=tuple(self.shape),
            arrays=_broadcast_indices(self.arrays),
            leading=leading,
            flipped=tuple(self.flipped),
            contiguous=_contiguous(ranges, self.source),
        )

    def _next_size(self) -> int:
        return self.source[len(self.ranges)]

    def _add_axis(self, indices: range) -> None:
        if indices.step < 0 and len(indices) > 1:
            self.flipped.append(len(self.shape))
        self.ranges.append(indices)
        self.shape.append(len(indices))

    def _index(self, indices: Indices) -> None:
        size = self._next_size()
        wrong = (indices < -size) | (indices >= size)
        if wrong.any():
            raise self._outside(indices[wrong][0])
        self.arrays.append((len(self.shape), np.where(indices < 0, indices + size, indices)))
        self._add_axis(range(size))

    def _outside(self, index: object) -> IndexingError:
        axis, size = len(self.ranges), self._next_size()
        return IndexingError(f"index {index} is out of bounds for axis {axis} with size {size}")

    def _add_bool(self, value: bool) -> None:
        """Insert an axis of size 1, indexed by ``[0]`` for ``True`` or ``[]`` for ``False``."""
        self.arrays.append((len(self.shape), np.zeros(int(value), np.int64)))
        self.shape.append(1)

    def _mask_to_indices(self, array: npt.NDArray[Any]) -> Sequence[Indices]:
        """Return a mask as index arrays of its true elements, and index arrays unchanged."""
        if array.dtype.kind != "b":
            return [array]
        axis = len(self.ranges)
        covered = self.source[axis : axis + array.ndim]
        # As numpy: an empty mask may have size 0 on any axis.
        is_empty = array.size == 0 and all(
            n in (0, m) for n, m in zip(array.shape, covered, strict=False)
        )
        if array.shape != covered and not (is_empty and len(covered) == array.ndim):
            raise IndexingError(
                f"boolean index {array.shape} does not match the axes {covered} that it selects "
                "from"
            )
        return array.nonzero()


def _with_step_1(indices: range) -> range:
    """Return a range of at most one index with step 1; longer ranges unchanged."""
    if len(indices) > 1:
        return indices
    return range(indices.start, indices.start + 1) if len(indices) else range(0)


def _broadcast_indices(arrays: Sequence[tuple[int, Indices]]) -> tuple[tuple[int, Indices], ...]:
    try:
        spread = np.broadcast_arrays(*(indices for _, indices in arrays))
    except ValueError:
        shapes = ", ".join(str(indices.shape) for _, indices in arrays)
        raise ShapeError(f"index arrays {shapes} cannot be broadcast together") from None
    return tuple((axis, x) for (axis, _), x in zip(arrays, spread, strict=True))


def _contiguous(ranges: Sequence[range], shape: Sequence[int]) -> bool:
    """Return whether the ranges select a contiguous block in row-major order."""
    if any(len(indices) == 0 for indices in ranges):
        return True
    # Contiguous are: leading axes with one index each, then at most one partial axis, then full
    # axes.
    if any(indices.step != 1 for indices in ranges):
        return False
    first = next((i for i, indices in enumerate(ranges) if len(indices) != 1), len(ranges))
    rest = zip(ranges[first + 1 :], shape[first + 1 :], strict=True)
    return all(len(indices) == size for indices, size in rest)
