"""Products of matrices, and of arrays reshaped to matrices."""

from math import prod

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    converted,
    copied,
    flattened,
    out_buffer,
    target,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.runtime._product import matmul, product


def _matmul(a: Array, b: Array, out: OutBuffers = None) -> Array:
    """Return ``a · b`` for stacks of matrices, in at least float32, in the out buffer if given."""
    dtype = accumulator(a.dtype)
    if dtype == a.dtype:
        memory = out_buffer(out)
        if memory is not None:
            memory = memory.reshape(*a.shape[:-1], b.shape[-1])
        return matmul(a, b, memory)
    return np.asarray(converted(matmul(converted(a, dtype), converted(b, dtype)), a.dtype))


def _lhs(array: Array, transposed: bool) -> Array:
    """Return ``[*I, K]``, or transposed ``[K, *I]``, as a matrix ``[I, K]``."""
    if transposed:
        return array.reshape(array.shape[0], prod(array.shape[1:])).T
    return array.reshape(prod(array.shape[:-1]), array.shape[-1])


def _rhs(array: Array, transposed: bool) -> Array:
    """Return ``[K, *J]``, or transposed ``[*J, K]``, as a matrix ``[K, J]``."""
    return _lhs(array, not transposed).T


@kernel(out="apart")
def dot(
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the tensor product contracted over the last axis of ``lhs`` and first of ``rhs``.

    ``transpose_a`` and ``transpose_b`` select the other end of the axes.
    """
    # Fast path for matrices: BLAS reads their transposes in place.
    if lhs.ndim == 2 and rhs.ndim == 2 and lhs.dtype.itemsize > 2:
        left, right = lhs.T if transpose_a else lhs, rhs.T if transpose_b else rhs
        return product(left, right, out=out_buffer(out))
    y = _matmul(_lhs(lhs, transpose_a), _rhs(rhs, transpose_b), out)
    rows = lhs.shape[1:] if transpose_a else lhs.shape[:-1]
    columns = rhs.shape[:-1] if transpose_b else rhs.shape[1:]
    return y.reshape(rows + columns or (1,))


@kernel(out="apart")
def dot_backward_lhs(
    dy: Array,
    rhs: Array,
    lhs: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``dot`` to ``lhs``: ``dy · rhsᵀ`` in the shape of ``lhs``."""
    right = _rhs(rhs, transpose_b)
    rows = prod(lhs.shape[1:] if transpose_a else lhs.shape[:-1])
    dy = dy.reshape(rows, right.shape[1])
    dlhs = _matmul(right, dy.T, out) if transpose_a else _matmul(dy, right.T, out)
    return dlhs.reshape(lhs.shape)


@kernel(out="apart")
def dot_backward_rhs(
    dy: Array,
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``dot`` to ``rhs``: ``lhsᵀ · dy`` in the shape of ``rhs``."""
    left = _lhs(lhs, transpose_a)
    dy = dy.reshape(left.shape[0], prod(rhs.shape[:-1] if transpose_b else rhs.shape[1:]))
    drhs = _matmul(dy.T, left, out) if transpose_b else _matmul(left.T, dy, out)
    return drhs.reshape(rhs.shape)


@kernel(out="apart")
def batch_dot(
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the products of two stacks of matrices, ``[*B, R, S] · [*B, S, T]``."""
    return _matmul(
        lhs.swapaxes(-1, -2) if transpose_a else lhs,
        rhs.swapaxes(-1, -2) if transpose_b else rhs,
        out,
    )


@kernel(out="apart")
def khatri_rao(*args: Array, out: OutBuffers = None) -> Array:
    """Return the Khatri-Rao product of matrices: Kronecker products of their columns."""
    if len(args) == 1:
        return copied(args[0], out)
    product, *others, last = args
    columns = product.shape[1]
    for matrix in others:
        product = flattened(product[:, None, :] * matrix, 0, 2)
    y = target(out, (len(product) * len(last), columns), product.dtype)
    np.multiply(product[:, None, :], last, out=y.reshape(len(product), len(last), columns))
    return y
