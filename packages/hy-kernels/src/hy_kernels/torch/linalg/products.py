"""Products of matrices, and of arrays seen as matrices."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer
from hy_kernels.torch.runtime._product import matmul

_STACK = 3  # axes


def _matmul(a: Tensor, b: Tensor, out: OutBuffers = None) -> Tensor:
    """Return products of (stacks of) matrices in at least float32, in the out buffer if any."""
    memory = out_buffer(out)
    return matmul(a, b, None if memory is None else memory.view(*a.shape[:-1], b.shape[-1]))


def _lhs(tensor: Tensor, transposed: bool) -> Tensor:
    """Return ``[*I, K]``, or transposed ``[K, *I]``, as a matrix ``[I, K]``."""
    # A view wherever strides allow; else one copy.
    if transposed:
        return tensor.reshape(tensor.shape[0], prod(tensor.shape[1:])).T
    return tensor.reshape(prod(tensor.shape[:-1]), tensor.shape[-1])


def _rhs(tensor: Tensor, transposed: bool) -> Tensor:
    """Return ``[K, *J]``, or transposed ``[*J, K]``, as a matrix ``[K, J]``."""
    return _lhs(tensor, not transposed).T


def _fast_path(product: Callable[[Tensor, Tensor], Tensor], rank: int) -> Maker:
    """Return a fast path by a torch function, for float tensors of a rank, not transposed."""

    def fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
        if params["transpose_a"] or params["transpose_b"]:
            return None

        def multiplied(lhs: Tensor, rhs: Tensor) -> Tensor:
            if lhs.ndim == rhs.ndim == rank and lhs.dtype.is_floating_point:
                return product(lhs, rhs)
            return general(lhs, rhs)

        return multiplied

    return by_params(fast_path)


@kernel(out="apart", specialize=_fast_path(torch.mm, 2))
def dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return products summed over the last axis of ``lhs`` and the first of ``rhs``."""
    if lhs.ndim == 2 and rhs.ndim == 2:  # without a detour
        return _matmul(lhs.t() if transpose_a else lhs, rhs.t() if transpose_b else rhs, out)
    y = _matmul(_lhs(lhs, transpose_a), _rhs(rhs, transpose_b), out)
    rows = lhs.shape[1:] if transpose_a else lhs.shape[:-1]
    columns = rhs.shape[:-1] if transpose_b else rhs.shape[1:]
    return y.view((*rows, *columns) or (1,))


@kernel(out="apart")
def dot_backward_lhs(
    dy: Tensor,
    rhs: Tensor,
    lhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to ``lhs``: ``dy · rhsᵀ`` in its shape."""
    right = _rhs(rhs, transpose_b)
    # The gradient is computed in the order in which lhs was given, so that no transposed copy is
    # needed.
    rows = prod(lhs.shape[1:] if transpose_a else lhs.shape[:-1])
    dy = dy.reshape(rows, right.shape[1])
    dlhs = _matmul(right, dy.T, out) if transpose_a else _matmul(dy, right.T, out)
    return dlhs.view(lhs.shape)


@kernel(out="apart")
def dot_backward_rhs(
    dy: Tensor,
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to ``rhs``: ``lhsᵀ · dy`` in its shape."""
    left = _lhs(lhs, transpose_a)
    dy = dy.reshape(left.shape[0], prod(rhs.shape[:-1] if transpose_b else rhs.shape[1:]))
    drhs = _matmul(dy.T, left, out) if transpose_b else _matmul(left.T, dy, out)
    return drhs.view(rhs.shape)


@kernel(out="apart", specialize=_fast_path(torch.bmm, _STACK))
def batch_dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return the product of each pair of matrices."""
    left, right = lhs.mT if transpose_a else lhs, rhs.mT if transpose_b else rhs
    # bmm takes stacks of plain matrices without matmul's checks.
    if out is None and lhs.ndim == _STACK and lhs.dtype.is_floating_point:
        return torch.bmm(left, right)
    return _matmul(left, right, out)
