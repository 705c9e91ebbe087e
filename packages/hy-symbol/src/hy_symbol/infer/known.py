"""KnownTypes: shapes and dtypes of a graph's entries, and queries about them."""

from collections.abc import Callable, Collection
from math import prod
from typing import Any, TypeVar, cast

import numpy as np

from hy_ndarray import BufferType, numpy_type
from hy_ndarray.ops import PartialShape
from hy_symbol.graph.node import Entry, Graph
from hy_symbol.infer.inference_cache import Known

__all__ = ["UNKNOWN", "KnownTypes"]

UNKNOWN: Known = (None, None)
_A = TypeVar("_A")


class KnownTypes:
    """Shape and dtype of the entries of a graph, with queries that guards can record."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Entry, Known] = {}
        self._nbytes: dict[Known, int] = {}

    def get(self, entry: Entry) -> Known:
        """Return shape and dtype of an entry, each None if unknown."""
        return self._known.get(entry, UNKNOWN)

    def whole(self, entry: Entry) -> BufferType | None:
        """Return the complete shape and the dtype of an entry, None if any part is unknown."""
        shape, dtype = self._known.get(entry, UNKNOWN)
        if shape is None or dtype is None:
            return None
        return None if None in shape else (cast("tuple[int, ...]", shape), dtype)

    def nbytes(self, entry: Entry) -> int:
        """Return the size of an entry in bytes, 0 if unknown."""
        known = self._known.get(entry, UNKNOWN)
        # By type: a long graph has few of them, and the planner asks of each value several times.
        size = self._nbytes.get(known)
        if size is None:
            size = self._nbytes[known] = _nbytes(*known)
        return size

    def shape(self, entry: Entry) -> PartialShape | None:
        """Return the shape of an entry, None if unknown."""
        return self.get(entry)[0]

    def dtype(self, entry: Entry) -> str | None:
        """Return the dtype of an entry, None if unknown."""
        return self.get(entry)[1]

    # --- what asks for less, so that the answers are the same for more types -------------------

    def know(self, entries: Collection[Entry]) -> bool:
        """Return whether each of these entries has been inferred, at least in part."""
        return all(map(self._known.__contains__, entries))

    def rank(self, entry: Entry) -> int | None:
        """Return the number of axes of an entry, None if unknown."""
        shape = self._known.get(entry, UNKNOWN)[0]
        return None if shape is None else len(shape)

    def exceed(self, entry: Entry, nbytes: int) -> bool:
        """Return whether an entry is known to have more than ``nbytes`` bytes."""
        return self.nbytes(entry) > nbytes

    def have_elements(self, entry: Entry, count: int) -> bool:
        """Return whether an entry is known to have at least ``count`` elements."""
        shape, size = self._known.get(entry, UNKNOWN)[0], 1
        for n in (0,) if shape is None else shape:
            size *= n or 0
        return size >= count

    def have_same_type(self, a: Entry, b: Entry) -> bool:
        """Return whether two entries have the same shape and dtype, known or not."""
        known = self._known
        return known.get(a, UNKNOWN) == known.get(b, UNKNOWN)

    def are_of_one_shape(self, a: Entry, b: Entry) -> bool:
        """Return whether two entries have the same shape."""
        known = self._known
        return known.get(a, UNKNOWN)[0] == known.get(b, UNKNOWN)[0]

    def are_of_one_size(self, a: Entry, b: Entry) -> bool:
        """Return whether two entries have the same size in bytes; unknown sizes count as 0."""
        return self.nbytes(a) == self.nbytes(b)

    def differ(self, a: Entry, b: Entry) -> bool:
        """Return whether two entries are known to have different types."""
        known = self.whole(a), self.whole(b)
        return None not in known and known[0] != known[1]

    def evaluate(
        self, query: Callable[..., _A], entries: tuple[Entry, ...], args: tuple[Any, ...] = ()
    ) -> _A:
        """Return ``query(*types, *args)`` for the types of ``entries``, None where unknown."""
        return query(*map(self.whole, entries), *args)

    def keep_order(self, entry: Entry, axes: tuple[int, ...]) -> bool:
        """Return whether a transpose leaves the elements in memory order, so it is a reshape.

        ``entry`` is the result, and ``axes`` the permutation. Axes of size 1 may move anywhere.
        """
        shape = self._known.get(entry, UNKNOWN)[0]
        if shape is None or None in shape or 0 in shape:
            return False
        # ``shape`` is the result's: its axis k was the operand's axis ``axes[k]``.
        long = [axis for axis, n in zip(axes, shape, strict=True) if n != 1]
        return long == sorted(long)


def _nbytes(shape: PartialShape | None, dtype: str | None) -> int:
    if shape is None or dtype is None or None in shape:
        return 0
    return prod(cast("tuple[int, ...]", shape)) * np.dtype(numpy_type(dtype)).itemsize
