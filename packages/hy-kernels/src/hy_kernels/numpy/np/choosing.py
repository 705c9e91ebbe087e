"""Elements selected by a condition or mask."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer, quiet
from hy_kernels.numpy._kernels import kernel


def _select(condition: Array, x: Any, y: Any, out: OutBuffers) -> Array:
    memory = out_buffer(out)
    # np.where has no ``out``; two copies replace it.
    if memory is None:
        return np.asarray(np.where(condition, x, y))
    np.copyto(memory, y)
    np.copyto(memory, x, where=condition.astype(np.bool_, copy=False))
    return memory


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
    return _select(condition, np.float32(x), np.float32(y), out)


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
