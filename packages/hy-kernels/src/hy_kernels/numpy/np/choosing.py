"""Elements selected by a condition or mask."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    FLOAT32,
    Array,
    OutBuffers,
    copied,
    number,
    out_buffer,
    quiet,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._selecting import selected


def _select(condition: Array, x: Array, y: Array, out: OutBuffers) -> Array:
    mask = condition.astype(np.bool_, copy=False)
    return selected(mask, x, y, out_buffer(out))


@kernel(out="apart")
def np_where(condition: Array, x: Array, y: Array, *, out: OutBuffers = None) -> Array:
    """Return elements of ``x`` where ``condition`` is true, else of ``y``."""
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype} and y is {y.dtype}: cast one to the dtype of the other")
    return _select(condition, x, y, out)


@quiet
def _number(value: float, dtype: np.dtype[Any]) -> Array:
    return np.asarray(np.float64(value).astype(dtype))


@kernel(out="apart")
def np_where_lscalar(condition: Array, x: Array, *, scalar: float, out: OutBuffers = None) -> Array:
    """Return ``scalar`` where ``condition`` is true, else elements of ``x``."""
    return _select(condition, _number(scalar, x.dtype), x, out)


@kernel(out="apart")
def np_where_rscalar(condition: Array, y: Array, *, scalar: float, out: OutBuffers = None) -> Array:
    """Return elements of ``y`` where ``condition`` is true, else ``scalar``."""
    return _select(condition, y, _number(scalar, y.dtype), out)


@kernel(out="apart")
def np_where_scalar2(condition: Array, *, x: float, y: float, out: OutBuffers = None) -> Array:
    """Return the number ``x`` where ``condition`` is true, else ``y``, in float32."""
    return _select(condition, number(x, FLOAT32), number(y, FLOAT32), out)


@kernel()
def npx_nonzero(x: Array) -> Array:
    """Return ``[elements, rank]``, the coordinates of the elements that are not 0."""
    # NumPy 2 rejects nonzero of a 0-d array.
    return np.stack(np.atleast_1d(x).nonzero(), axis=-1).astype(np.int64)


@kernel()
def npx_constraint_check(input: Array, *, msg: str) -> Array:
    """Return True if all elements are true.

    Raises:
        ValueError: An element is false; the message is ``msg``.
    """
    if not input.all():
        raise ValueError(msg)
    return np.asarray(True)


@kernel()
def np_share_memory(a: Array, b: Array) -> Array:
    """Return whether two arrays may share memory."""
    return np.asarray(np.may_share_memory(a, b))


@kernel(out="apart")
def np_boolean_mask_assign_tensor(
    data: Array, mask: Array, value: Array, *, start_axis: int, out: OutBuffers = None
) -> Array:
    """Return a copy of ``data`` with ``value`` assigned where ``mask`` is not 0.

    The axes of the mask begin at ``start_axis``.
    """
    y = copied(data, out)
    key: tuple[slice | Array, ...] = (
        *[slice(None)] * start_axis,
        mask.astype(np.bool_, copy=False),
    )
    y[key] = value
    return y
