"""Indexing of symbols: translates ``symbol[1, :, None, ::2]`` to nodes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray import IndexingError, is_np_shape
from hy_ndarray.array.indexing import Item, read
from hy_ndarray.np.calls import NumpyOperand, call
from hy_ndarray.ops import find
from hy_symbol._errors import SymbolIndexError, brief

__all__ = ["select"]

_KEEP, _DROP, _REST = -2, -3, -4  # codes of npx.reshape


def select(symbol: Any, key: Any, shape: Sequence[int | None] | None) -> Any:
    """Index a symbol like an array, by nodes that are valid for all sizes.

    Args:
        symbol: A classic or NumPy symbol with one output.
        key: Integers, slices, ``None``, ``...``, or a tuple of these; a list of integers; a
            classic symbol of indices.
        shape: Sizes of the axes as far as they are known; None if the rank is unknown.

    Raises:
        IndexingError: The key has too many indices, or an index is out of bounds or of another
            kind.
    """
    numpy = isinstance(symbol, NumpyOperand)
    # An index that is a symbol selects rows, as for arrays.
    if isinstance(key, type(symbol)) and not numpy:
        return _call_operator(symbol, "take", symbol, key, axis=0, mode="wrap")
    if isinstance(key, list) and all(_is_integer(i) for i in key) and key:
        # A list of integers is a concatenation: take would need an array of constants.
        rows = [select(symbol, slice(i, i + 1 or None), shape) for i in key]
        if numpy:
            return _call_operator(symbol, "_npi_concatenate", *rows, axis=0)
        return _call_operator(symbol, "Concat", *rows, dim=0)
    for item in key if isinstance(key, tuple) else (key,):
        _check_item(item)
    rank = None if shape is None else len(shape)
    items = read(key, rank)
    _check_bounds(items.items, shape)
    part = _slice_nodes(symbol, items.items, items.trailing)
    dropped = _dropped(items.items, items.trailing)
    squeeze = "_np_squeeze" if numpy else "squeeze"
    if dropped and len(dropped) == rank and not numpy and None not in items.items:
        # MXNet's classic arrays have an axis at least, but in NumPy's semantics of shapes.
        if is_np_shape() and not _has_dots(key):
            squeeze = "_np_squeeze"
        else:
            dropped = dropped[1:]
    if dropped and numpy and min(dropped) >= 0:
        # npx.reshape's codes keep sizes that are not known yet.
        codes = [_DROP if i in dropped else _KEEP for i in range(dropped[-1] + 1)]
        part = _call_operator(part, "_npx_reshape", part, newshape=(*codes, _REST))
    elif dropped:
        part = _call_operator(part, squeeze, part, axis=dropped)
    for axis in _added(items.items, items.trailing):
        part = _call_operator(part, "_npi_expand_dims" if numpy else "expand_dims", part, axis=axis)
    return part


def _call_operator(like: Any, name: str, *inputs: Any, **params: Any) -> Any:
    if isinstance(like, NumpyOperand):
        return call(name, *inputs, **params)
    op = find(name)
    return type(like).apply_operator(op, inputs, op.parse(params))


def _has_dots(key: Any) -> bool:
    return isinstance(key, tuple) and any(item is Ellipsis for item in key)


def _is_integer(item: object) -> bool:
    return isinstance(item, int | np.integer) and not isinstance(item, bool)


def _check_item(item: Any) -> None:
    if item is None or item is Ellipsis or isinstance(item, slice) or _is_integer(item):
        return
    of_arrays = hasattr(item, "__len__") or isinstance(item, bool)
    raise (SymbolIndexError if of_arrays else IndexingError)(
        f"{brief(item)} cannot index a symbol: integers, slices, None, ... and a single list of "
        "integers can; use take for other indices"
    )


def _check_bounds(items: Sequence[Item], shape: Sequence[int | None] | None) -> None:
    taken = (item for item in items if item is not None)
    for axis, (item, size) in enumerate(zip(taken, shape or (), strict=False)):
        if isinstance(item, int) and size is not None and not -size <= item < size:
            raise IndexingError(f"index {item} is out of bounds for axis {axis} with size {size}")


def _cuts(items: Sequence[Item]) -> list[slice]:
    """Return the items as one slice per axis; an integer becomes a slice of size 1."""
    taken = (item for item in items if item is not None)
    return [
        item if isinstance(item, slice) else slice(int(item), int(item) + 1 or None)
        for item in taken
    ]


def _slice_nodes(symbol: Any, items: Sequence[Item], trailing: Sequence[Item]) -> Any:
    """Add nodes that slice: one for the leading axes, and one for each axis after ``...``."""
    cuts = _cuts(items)
    while cuts and cuts[-1] == slice(None):
        cuts.pop()
    if cuts:
        # One node for all axes from the front: fewer nodes to plan and run.
        limits: dict[str, Any] = {
            "begin": tuple(cut.start for cut in cuts),
            "end": tuple(cut.stop for cut in cuts),
        }
        if any(cut.step is not None for cut in cuts):
            limits["step"] = tuple(cut.step for cut in cuts)
        symbol = _call_operator(symbol, "_npi_slice", symbol, **limits)
    # Behind `...` axes are counted from the end, as the rank may be open.
    for axis, cut in enumerate(reversed(_cuts(trailing)), 1):
        if cut.step not in (None, 1):
            raise SymbolIndexError(
                f"a step of {cut.step} after ... needs the number of axes, which is not known "
                "here; name all axes"
            )
        if cut != slice(None):
            limits = {"begin": cut.start or 0, "end": cut.stop}
            symbol = _call_operator(symbol, "slice_axis", symbol, axis=-axis, **limits)
    return symbol


def _dropped(items: Sequence[Item], trailing: Sequence[Item]) -> tuple[int, ...]:
    """Return the axes that integer indices remove; those after ``...`` are negative."""
    ahead = [item for item in items if item is not None]
    after = [item for item in trailing if item is not None]
    return (
        *(axis for axis, item in enumerate(ahead) if isinstance(item, int)),
        *(axis for axis, item in enumerate(after, -len(after)) if isinstance(item, int)),
    )


def _added(items: Sequence[Item], trailing: Sequence[Item]) -> list[int]:
    """Return the positions of new axes (``None``); those after ``...`` are negative."""
    ahead = [item for item in items if not isinstance(item, int)]
    after = [item for item in trailing if not isinstance(item, int)]
    return [
        *(axis for axis, item in enumerate(ahead) if item is None),
        *(-1 - axis for axis, item in enumerate(reversed(after)) if item is None),
    ]
