"""Permuted and swapped axes, blocks moved between channels and space, and diagonals."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import IN_ORDER, OutBuffers, Tensor, copied, target


def _fast_path(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``transpose`` by one function of torch."""
    axes = params["axes"]
    if axes:
        # The copy is what the operator is: hy's arrays own contiguous memory.
        return lambda data: torch.permute(data, axes).clone(memory_format=IN_ORDER)
    return lambda x: x.t().clone(memory_format=IN_ORDER) if x.ndim == 2 else general(x)


def _fast_swap(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``swapaxes`` by one function of torch."""
    one, other = params["dim1"], params["dim2"]
    return lambda data: data.transpose(one, other).clone(memory_format=IN_ORDER)


@kernel(out="apart", specialize=by_params(_fast_path))
def transpose(data: Tensor, *, axes: tuple[int, ...], out: OutBuffers = None) -> Tensor:
    """Return a contiguous copy with its axes permuted."""
    return copied(data.permute(axes or tuple(range(data.ndim))[::-1]), out)


@kernel(out="apart", specialize=by_params(_fast_swap))
def swapaxes(data: Tensor, *, dim1: int, dim2: int, out: OutBuffers = None) -> Tensor:
    """Return a contiguous copy with two axes exchanged."""
    return copied(data.transpose(dim1, dim2), out)


@kernel(out="apart")
def depth_to_space(data: Tensor, *, block_size: int, out: OutBuffers = None) -> Tensor:
    """Return images with groups of channels rearranged to blocks of pixels."""
    n, c, h, w = data.shape
    b = block_size
    # DCR order, MXNet's: the block's offset is the slower axis of the channels.
    blocks = data.reshape(n, b, b, c // (b * b), h, w).permute(0, 3, 4, 1, 5, 2)
    y = target(out, (n, c // (b * b), h * b, w * b), data.dtype, data.device)
    y.view(blocks.shape).copy_(blocks)
    return y


@kernel(out="apart")
def space_to_depth(data: Tensor, *, block_size: int, out: OutBuffers = None) -> Tensor:
    """Return images with blocks of pixels rearranged to channels."""
    n, c, h, w = data.shape
    b = block_size
    blocks = data.reshape(n, c, h // b, b, w // b, b).permute(0, 3, 5, 1, 2, 4)
    y = target(out, (n, c * b * b, h // b, w // b), data.dtype, data.device)
    y.view(blocks.shape).copy_(blocks)
    return y


@kernel(out="apart")
def diag(data: Tensor, *, k: int, axis1: int, axis2: int, out: OutBuffers = None) -> Tensor:
    """Return a diagonal of matrices, or the matrix that has a vector as diagonal."""
    if data.ndim > 1:
        return copied(data.diagonal(k, axis1, axis2), out)
    size = len(data) + abs(k)
    y = target(out, (size, size), data.dtype, data.device).zero_()
    y.diagonal(k).copy_(data)
    return y


@kernel(out="apart")
def diag_backward(
    dy: Tensor, data: Tensor, *, k: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``diag``: zeros with ``dy`` on the diagonal."""
    if data.ndim == 1:
        return copied(dy.diagonal(k), out)
    dx = target(out, data.shape, dy.dtype, dy.device).zero_()
    dx.diagonal(k, axis1, axis2).copy_(dy)
    return dx
