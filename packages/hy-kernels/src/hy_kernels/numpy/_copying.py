"""Copies of views whose elements lie in another order: fast loops, and no rows that collide."""

from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy.costs import COSTS

__all__ = ["assign"]

Array: TypeAlias = npt.NDArray[Any]


def assign(target: Array, value: Array) -> None:
    """Compute ``target[...] = value`` of arrays of one shape, in the order that is fastest."""
    is_plain = value.ndim < 2 or value.flags.c_contiguous or not target.flags.c_contiguous
    # Numpy copies a value first that shares memory with its target, as a gradient in its own array
    # with the axes in another order does.
    if is_plain or np.may_share_memory(target, value):
        target[...] = value
    elif 1 < value.shape[-1] <= COSTS.rows.short_run and not _merge(value, value.ndim - 2):
        # A short last axis is the inner loop of a copy; element by element of it, the others are.
        for i in range(value.shape[-1]):
            target[..., i] = value[..., i]
    elif (first := _first_of_run(value)) < value.ndim - 1:
        _transpose(target, value, first)
    else:
        target[...] = value


def _merge(array: Array, axis: int) -> bool:
    """Return whether an axis and the next are one to numpy."""
    return bool(array.strides[axis] == array.shape[axis + 1] * array.strides[axis + 1])


def _first_of_run(value: Array) -> int:
    """Return the first of the axes before the last whose elements are one run of memory.

    The last axis where there are none, or where it costs nothing to read across such runs: else
    elements at a distance of a large power of two drive each other out of the cache.
    """
    last = value.ndim - 1
    rows = COSTS.rows
    step = value.strides[-1]
    is_colliding = value.shape[-1] >= rows.colliding and step != 0 and step % rows.distance == 0
    if not is_colliding or value.strides[last - 1] != value.itemsize:
        return last
    first = last - 1
    while first and _merge(value, first - 1):
        first -= 1
    return first if prod(value.shape[first:]) >= rows.transposed else last


def _transpose(target: Array, value: Array, first: int) -> None:
    """Transpose matrices, through memory in which their rows lie at another distance."""
    rows = value.shape[-1]
    columns = prod(value.shape[first:-1])
    apart = COSTS.rows.apart
    step = min(columns, max(apart, COSTS.blocks.rows // rows // apart * apart))
    memory = np.empty((rows, step + apart), value.dtype)
    for at in np.ndindex(value.shape[:first]):
        matrix, result = value[at].reshape(columns, rows), target[at].reshape(columns, rows)
        for start in range(0, columns, step):
            part = matrix[start : start + step].T
            own = memory[:, : part.shape[1]]
            own[...] = part
            result[start : start + step] = own.T
