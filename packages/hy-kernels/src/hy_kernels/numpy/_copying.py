"""Copies in another memory order or dtype, with long inner loops and without cache conflicts."""

from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._halves import convert, is_vectorized
from hy_kernels.numpy.costs import COSTS

Array: TypeAlias = npt.NDArray[Any]


def assign(target: Array, value: Array) -> None:
    """Compute ``target[...] = value`` for arrays of one shape, in the fastest loop order."""
    is_plain = value.ndim < 2 or value.flags.c_contiguous or not target.flags.c_contiguous
    # NumPy first copies a value that overlaps its target, such as a gradient that is transposed
    # into its own memory.
    if target.flags.c_contiguous and is_vectorized(value, target.dtype):
        convert(value, target)
    elif is_plain or np.may_share_memory(target, value):
        target[...] = value
    elif 1 < value.shape[-1] <= COSTS.rows.short_run and not _merge(value, value.ndim - 2):
        # NumPy's inner loop would run along the short last axis; so a longer axis is the inner one.
        for i in range(value.shape[-1]):
            target[..., i] = value[..., i]
    elif (first := _first_of_run(value)) < value.ndim - 1:
        _transpose(target, value, first)
    else:
        target[...] = value


def _merge(array: Array, axis: int) -> bool:
    """Return whether an axis and the next one can be merged without a copy."""
    return bool(array.strides[axis] == array.shape[axis + 1] * array.strides[axis + 1])


def _first_of_run(value: Array) -> int:
    """Return the first of the axes that form a contiguous run right before the last axis.

    The last axis itself if there are none, or if reading along it is cheap. That is expensive where
    its elements are a multiple of a large power of two apart: they evict each other from the cache.
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
    """Transpose matrices through scratch memory with padded rows, to avoid cache conflicts."""
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
