"""``symbol[1, :, None, ::2]``: what indexing an array means, as nodes of a graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray import IndexingError
from hy_ndarray.ops import find
from hy_symbol._errors import SymbolIndexError, brief

__all__ = ["select"]


def select(symbol: Any, key: Any, rank: int) -> Any:
    """The part of ``symbol`` that ``key`` selects; the nodes hold for every size of its axes.

    Args:
        symbol: One output.
        key: Integers, slices, ``None``, ``...``, a list of integers, a symbol of indices, or a
            tuple of the first four.
        rank: Number of axes of the symbol.

    Raises:
        IndexingError: The key has too many indices, or one of another kind.
    """
    if isinstance(key, type(symbol)):
        return _call(symbol, "take", symbol, key, axis=0, mode="wrap")
    if isinstance(key, list):
        rows = [select(symbol, slice(i, i + 1 or None), rank) for i in key]
        return _call(symbol, "Concat", *rows, dim=0)
    items = _expanded(key if isinstance(key, tuple) else (key,), rank)
    dropped: list[int] = []
    axis = 0
    for item in items:
        if item is None:
            continue
        if isinstance(item, slice):
            symbol = _sliced(symbol, axis, item)
        else:
            end = item + 1 if item != -1 else None
            symbol = _call(symbol, "slice_axis", symbol, axis=axis, begin=item, end=end)
            dropped.append(axis)
        axis += 1
    return _reshaped(symbol, dropped, items, rank)


def _call(like: Any, name: str, *inputs: Any, **params: Any) -> Any:
    op = find(name)
    return type(like).apply_operator(op, inputs, op.parse(params))


def _expanded(items: Sequence[Any], rank: int) -> list[Any]:
    """The items of a key with full slices in the place of ``...``, checked."""
    taken = sum(item is not None and item is not Ellipsis for item in items)
    if taken > rank:
        raise IndexingError(f"{taken} indices for an array of {rank} axes")
    result: list[Any] = []
    for item in items:
        if item is Ellipsis:
            result.extend([slice(None)] * (rank - taken))
        elif item is None or isinstance(item, slice):
            result.append(item)
        elif isinstance(item, int | np.integer) and not isinstance(item, bool):
            result.append(int(item))
        else:
            of_arrays = hasattr(item, "__len__") or isinstance(item, bool)
            raise (SymbolIndexError if of_arrays else IndexingError)(
                f"{brief(item)} cannot index inside a traced block: integers, slices, None, ... "
                "can, and a single list or symbol of indices"
            )
    return result


def _sliced(symbol: Any, axis: int, item: slice) -> Any:
    if item == slice(None):
        return symbol
    if item.step in (None, 1):
        begin = item.start or 0
        return _call(symbol, "slice_axis", symbol, axis=axis, begin=begin, end=item.stop)
    place = [None] * axis
    return _call(
        symbol,
        "slice",
        symbol,
        begin=(*place, item.start),
        end=(*place, item.stop),
        step=(*place, item.step),
    )


def _reshaped(symbol: Any, dropped: list[int], items: Sequence[Any], rank: int) -> Any:
    """Axes of integers left out and axes of size 1 put in where the key says."""
    if dropped and len(dropped) == rank and None not in items:
        dropped = dropped[1:]  # a single element has the shape (1,)
    if dropped:
        symbol = _call(symbol, "squeeze", symbol, axis=tuple(dropped))
    position = 0
    for item in items:
        if item is None:
            symbol = _call(symbol, "expand_dims", symbol, axis=position)
            position += 1
        elif isinstance(item, slice):
            position += 1
    return symbol
