"""Products of arrays and their gradients; 16-bit floats are accumulated in float32."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.elementwise.broadcast import sum_like
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.runtime._product import matmul, product
from hy_kernels.summing import remaining_axes

Axes = tuple[int, ...]


def _to_sum_dtype(*arrays: Array) -> list[Any]:
    """Return the arrays converted to the dtype in which products are accumulated."""
    dtype = accumulator(arrays[0].dtype)
    return [x.astype(dtype, copy=False) for x in arrays]


def _tensordot(
    a: Array,
    b: Array,
    axes: tuple[Sequence[int], Sequence[int]],
    dtype: np.dtype[Any],
    out: OutBuffers,
    result_axes: Sequence[int] = (),
) -> Array:
    """Return the product of ``a`` and ``b`` contracted over pairs of axes, in ``dtype``.

    ``result_axes`` are the positions of the remaining axes in the result; empty: in order.
    """
    a, b = _to_sum_dtype(a, b)
    left, rows = remaining_axes(axes[0], a.ndim)
    right, columns = remaining_axes(axes[1], b.ndim)
    shape = tuple([a.shape[i] for i in rows] + [b.shape[i] for i in columns])
    ordered = list(result_axes) == sorted(result_axes)
    y = target(out if ordered else None, shape, a.dtype)
    height, depth = prod(shape[: len(rows)]), prod(a.shape[i] for i in left)
    width = prod(shape[len(rows) :])
    product(
        a.transpose(rows + left).reshape(height, depth),
        b.transpose(right + columns).reshape(depth, width),
        out=y.reshape(height, width),
    )
    if ordered:
        return y.astype(dtype, copy=False)
    return copied(y.transpose(np.argsort(result_axes)), out, dtype=dtype)


@kernel(out="apart")
def np_dot(a: Array, b: Array, *, out: OutBuffers = None) -> Array:
    """Return ``numpy.dot(a, b)``, a contraction over ``a``'s last axis and ``b``'s last but one."""
    memory = out_buffer(out)
    left, right = _to_sum_dtype(a, b)
    if left.ndim == right.ndim == 2:
        y = product(left, right, out=memory)
    else:
        y = np.dot(left, right, memory)
    return np.asarray(y if memory is None else memory).astype(a.dtype, copy=False)


@kernel(out="apart")
def np_dot_backward_a(dy: Array, b: Array, a: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``np_dot`` to ``a``."""
    if a.ndim and b.ndim > 1:
        rest = [i for i in range(b.ndim) if i != b.ndim - 2]
        return _tensordot(dy, b, (range(a.ndim - 1, dy.ndim), rest), a.dtype, out)
    dy, b = _to_sum_dtype(dy, b)
    if a.ndim:
        da = np.multiply(dy[..., None] if b.ndim else dy, b, out=out_buffer(out))
    else:
        da = np.sum(dy * b, out=out_buffer(out))
    return np.asarray(da).astype(a.dtype, copy=False)


@kernel(out="apart")
def np_dot_backward_b(dy: Array, a: Array, b: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``np_dot`` to ``b``."""
    if a.ndim and b.ndim:
        rows = range(a.ndim - 1)
        result_axes = [b.ndim - 2, *range(b.ndim - 2), b.ndim - 1] if b.ndim > 1 else []
        return _tensordot(a, dy, (rows, rows), b.dtype, out, result_axes)
    dy, a = _to_sum_dtype(dy, a)
    db = np.multiply(dy, a, out=out_buffer(out)) if b.ndim else np.sum(dy * a, out=out_buffer(out))
    return np.asarray(db, b.dtype, order="C")


@kernel(out="apart")
def np_matmul(a: Array, b: Array, *, out: OutBuffers = None) -> Array:
    """Return ``numpy.matmul(a, b)``, products of stacks of matrices."""
    left, right = _to_sum_dtype(a, b)
    return matmul(left, right, out_buffer(out)).astype(a.dtype, copy=False)


def _matrices(dy: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return ``dy``, ``a`` and ``b`` as stacks of matrices, with an axis of size 1 for vectors."""
    if a.ndim == 1:
        a, dy = a[None], np.expand_dims(dy, dy.ndim - (b.ndim > 1))
    if b.ndim == 1:
        b, dy = b[:, None], dy[..., None]
    return dy, a, b


def _multiply(rows: Array, columns: Array, y: Array, batch: tuple[int, ...]) -> None:
    """Write ``rows · columns`` to ``y``, summed over batch axes that ``y`` was broadcast along."""
    rows, columns = _to_sum_dtype(rows, columns)
    if batch == y.shape[:-2]:
        matmul(rows, columns, y)
    else:
        sum_like(matmul(rows, columns), y, out=(y,))


@kernel(out="apart")
def np_matmul_backward_b(dy: Array, a: Array, b: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``np_matmul`` to ``b``."""
    rows, left, right = _matrices(dy, a, b)
    db = target(out, b.shape, accumulator(b.dtype))
    _multiply(np.swapaxes(left, -1, -2), rows, db.reshape(right.shape), rows.shape[:-2])
    return db.astype(b.dtype, copy=False)


@kernel(out="apart")
def np_tensordot(
    a: Array, b: Array, *, a_axes_summed: Axes, b_axes_summed: Axes, out: OutBuffers = None
) -> Array:
    """Return the product of ``a`` and ``b`` contracted over the given pairs of axes."""
    return _tensordot(a, b, (a_axes_summed, b_axes_summed), a.dtype, out)


@kernel(out="apart")
def np_einsum(*data: Array, subscripts: str, optimize: int, out: OutBuffers = None) -> Array:
    """Return ``numpy.einsum(subscripts, *data)``."""
    memory = out_buffer(out)
    y = einsum(subscripts, *_to_sum_dtype(*data), out=memory, optimize=bool(optimize))
    return np.array(y, data[0].dtype, order="C") if memory is None else memory
