"""Products of tensors; 16-bit floats are accumulated in float32."""

from collections.abc import Sequence
from math import prod

import numpy
import torch

from hy_kernels.summing import remaining_axes
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import (
    OutBuffers,
    Tensor,
    copied,
    is_integer,
    out_buffer,
    stored,
    target,
)
from hy_kernels.torch.elementwise.broadcast import sum_like
from hy_kernels.torch.runtime._product import matmul

Axes = tuple[int, ...]


def _tensordot(
    a: Tensor,
    b: Tensor,
    axes: tuple[Sequence[int], Sequence[int]],
    dtype: torch.dtype,
    out: OutBuffers,
    result_axes: Sequence[int] = (),
) -> Tensor:
    """Return products summed over pairs of axes; axis ``i`` becomes axis ``result_axes[i]``."""
    left, rows = remaining_axes(axes[0], a.ndim)
    right, columns = remaining_axes(axes[1], b.ndim)
    shape = [a.shape[i] for i in rows] + [b.shape[i] for i in columns]
    # In another order than the caller's, the product needs memory of its own.
    ordered = list(result_axes) == sorted(result_axes)
    y = target(out if ordered else None, shape, a.dtype, a.device)
    height, depth = prod(shape[: len(rows)]), prod(a.shape[i] for i in left)
    width = prod(shape[len(rows) :])
    matmul(
        a.permute(rows + left).reshape(height, depth),
        b.permute(right + columns).reshape(depth, width),
        y.view(height, width),
    )
    if ordered:
        return y.to(dtype)
    order = sorted(range(len(result_axes)), key=result_axes.__getitem__)
    return copied(y.permute(order), out, dtype=dtype)


@kernel(out="apart")
def np_dot(a: Tensor, b: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return products summed over the last axis of ``a`` and the last but one of ``b``."""
    if a.ndim == b.ndim == 2:
        return matmul(a, b, out_buffer(out))
    if not a.ndim or not b.ndim:
        return torch.mul(a, b, out=out_buffer(out))
    return _tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]), a.dtype, out)


@kernel(out="apart")
def np_dot_backward_b(dy: Tensor, a: Tensor, b: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the gradient of ``np_dot`` to ``b``."""
    if a.ndim and b.ndim:
        rows = range(a.ndim - 1)
        result_axes = [b.ndim - 2, *range(b.ndim - 2), b.ndim - 1] if b.ndim > 1 else []
        return _tensordot(a, dy, (rows, rows), b.dtype, out, result_axes)
    if b.ndim:
        return torch.mul(dy, a, out=out_buffer(out))
    total = torch.sum(to_compute_dtype(dy) * to_compute_dtype(a))
    return stored(total.to(dy.dtype), out)


@kernel(out="apart")
def np_matmul(a: Tensor, b: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the products of stacks of matrices."""
    return matmul(a, b, out_buffer(out))


def _matrices(dy: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return ``dy``, ``a`` and ``b`` as stacks of matrices; vectors get an axis of size 1."""
    if a.ndim == 1:
        a, dy = a[None], dy.unsqueeze(dy.ndim - (b.ndim > 1))
    if b.ndim == 1:
        b, dy = b[:, None], dy[..., None]
    return dy, a, b


def _multiply(
    rows: Tensor, columns: Tensor, like: Tensor, like2: Tensor, out: OutBuffers
) -> Tensor:
    """Return products of stacks of matrices, summed over broadcast axes, shaped as ``like``.

    Args:
        rows: Left matrices.
        columns: Right matrices.
        like: Tensor of the shape and dtype of the result.
        like2: ``like`` with matrices as its last two axes.
        out: Memory for the result.
    """
    if rows.shape[:-2] == like2.shape[:-2]:
        memory = out_buffer(out)
        y = matmul(rows, columns, None if memory is None else memory.view(like2.shape))
        return y.reshape(like.shape)
    # Broadcast axes are summed in float32 before they are rounded.
    y = sum_like(matmul(to_compute_dtype(rows), to_compute_dtype(columns)), like2)
    return stored(y.reshape(like.shape).to(like.dtype), out)


@kernel(out="apart")
def np_matmul_backward_b(dy: Tensor, a: Tensor, b: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the gradient of ``np_matmul`` to ``b``."""
    rows, left, right = _matrices(dy, a, b)
    shape = numpy.broadcast_shapes(left.shape[:-2], rows.shape[:-2])
    return _multiply(left.mT.expand(*shape, *left.mT.shape[-2:]), rows, b, right, out)


@kernel(out="apart")
def np_tensordot(
    a: Tensor, b: Tensor, *, a_axes_summed: Axes, b_axes_summed: Axes, out: OutBuffers = None
) -> Tensor:
    """Return products summed over pairs of axes."""
    return _tensordot(a, b, (a_axes_summed, b_axes_summed), a.dtype, out)


def _einsum(subscripts: str, operands: Sequence[Tensor]) -> Tensor:
    """Return ``einsum`` of operands of one dtype, perhaps computed in a wider dtype."""
    first = operands[0]
    if first.dtype is torch.bool:
        return _einsum(subscripts, [x.to(torch.int32) for x in operands]).ne(0)
    if is_integer(first) and first.device.type != "cpu":  # torch multiplies no integers there
        dtype = widest(first.device)
        return _einsum(subscripts, [x.to(dtype) for x in operands]).to(first.dtype)
    if len(operands) > 2:  # what is between products is not rounded
        operands = [to_compute_dtype(x) for x in operands]
    y: Tensor = torch.einsum(subscripts.replace(" ", ""), *operands)
    return y


@kernel(out="apart")
def np_einsum(*data: Tensor, subscripts: str, optimize: int, out: OutBuffers = None) -> Tensor:
    """Return sums of products by Einstein's convention."""
    return copied(_einsum(subscripts, data), out, dtype=data[0].dtype)
