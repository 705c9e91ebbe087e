"""Binary arithmetic with broadcasting; broadcasting to a shape, and its gradient."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    PLAIN,
    Array,
    Out,
    OutBuffers,
    accumulator,
    copied,
    expanded,
    out_buffer,
    quiet,
)
from hy_kernels.numpy._folds import add_up
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.record import by_types

broadcast_add = kernel("broadcast_add", pointwise=True)(np.add)
broadcast_sub = kernel("broadcast_sub", pointwise=True)(np.subtract)
broadcast_mul = kernel("broadcast_mul", pointwise=True)(np.multiply)
broadcast_maximum = kernel("broadcast_maximum", pointwise=True)(np.maximum)
broadcast_minimum = kernel("broadcast_minimum", pointwise=True)(np.minimum)


@kernel(pointwise=True)
@quiet
def broadcast_div(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs / rhs``; integers are divided with truncation towards zero."""
    if lhs.dtype.kind not in "biu":
        return np.true_divide(lhs, rhs, out=out)
    # Truncated as in C, whereas NumPy rounds down: one more if signs differ. Division by 0 gives 0,
    # as in NumPy.
    quotient = np.floor_divide(lhs, rhs)
    inexact = (quotient * rhs != lhs) & (rhs != 0)
    return np.where(inexact & ((lhs < 0) != (rhs < 0)), quotient + 1, quotient).astype(lhs.dtype)


@kernel(pointwise=True)
@quiet
def broadcast_mod(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return the remainder of ``lhs / rhs`` with the sign of ``rhs``; 0 where ``rhs`` is 0."""
    zero = rhs == 0
    y = np.asarray(np.remainder(lhs, rhs, out=out), lhs.dtype)
    if zero.any():
        y[np.broadcast_to(zero, y.shape)] = 0
    return y


@kernel(pointwise=True)
@quiet
def broadcast_power(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs ** rhs``; a fractional result of integers is truncated towards zero."""
    # NumPy rejects negative powers of integers; here their results are truncated.
    if lhs.dtype.kind in "biu" and (lhs.dtype.kind == "b" or (rhs < 0).any()):
        return np.power(lhs.astype(np.float64), rhs).astype(lhs.dtype)
    return np.power(lhs, rhs, out=out)


@kernel(pointwise=True)
@quiet
def broadcast_hypot(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``sqrt(lhs² + rhs²)`` without overflow."""
    return np.hypot(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


def _sums_by_product(
    shape: tuple[int, ...], like: tuple[int, ...], dtype: str | np.dtype[Any]
) -> bool:
    """Return whether to sum a matrix over axis 0 by a product with ones, as small ones are."""
    is_matrix = len(shape) == 2 and shape[1:] == like and dtype in PLAIN
    return is_matrix and 0 < shape[0] * shape[1] <= COSTS.rows.product


def _over_rows(
    types: Sequence[tuple[tuple[int, ...], str] | None],
    params: Mapping[str, Any],  # there are none
) -> Callable[..., Array] | None:
    """Return ``sum_like`` specialised to sum over leading axes, as for a bias; else None."""
    data, like = types
    assert data is not None
    assert like is not None
    (shape, dtype), (leading, _) = data, like
    extra = len(shape) - len(leading)
    if dtype not in PLAIN or extra < 1 or shape[extra:] != leading or not leading:
        return None
    axes = tuple(range(extra))
    if _sums_by_product(shape, leading, dtype):
        ones = np.ones(shape[0], dtype)

        def multiplied(data: Array, like: Array, out: OutBuffers = None) -> Array:
            return ones.dot(data, out_buffer(out))

        return multiplied

    def summed(data: Array, like: Array, out: OutBuffers = None) -> Array:
        return add_up(data, axes, out=out_buffer(out))

    return summed


@kernel(out="apart", specialize=by_types(_over_rows))
def sum_like(data: Array, like: Array, *, out: OutBuffers = None) -> Array:
    """Return ``data`` summed over broadcast axes to the shape of ``like``.

    This is the gradient of broadcasting.
    """
    if data.shape == like.shape:
        return data if out is None else copied(data, out)
    if _sums_by_product(data.shape, like.shape, data.dtype):
        product: Array = np.ones(len(data), data.dtype).dot(data, out_buffer(out))
        return product
    extra = data.ndim - like.ndim
    axes = tuple(
        i for i, n in enumerate(data.shape) if i < extra or (like.shape[i - extra] == 1 and n != 1)
    )
    memory = out_buffer(out)
    if memory is not None:
        memory = memory.reshape((1,) * extra + like.shape)
    total = add_up(data, axes, True, memory, accumulator(data.dtype))
    return np.asarray(total.reshape(like.shape).astype(data.dtype, copy=False))


@kernel(out="apart")
def like_of(data: Array, like: Array, *, out: OutBuffers = None) -> Array:
    """Return ``data`` broadcast to the shape of ``like``."""
    return expanded(data, like.shape, out)
