"""Reshaping of arrays, as copies; the shape and size of an array as arrays."""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.reshape_codes import reshaped_sizes
from hy_kernels.torch._constants import constant
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import IN_ORDER, OutBuffers, Tensor, copied


@kernel(out="apart")
def reshape(
    data: Tensor,
    *,
    shape: tuple[int, ...],
    reverse: bool,
    target_shape: tuple[int, ...],
    keep_highest: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return a copy in the new shape."""
    sizes = reshaped_sizes(data.shape, shape, reverse, target_shape, keep_highest)
    return copied(data.reshape(sizes), out)


@kernel(out="apart")
def flatten(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return a copy as a matrix ``[N, rest]``."""
    return copied(data.reshape(data.shape[0], prod(data.shape[1:])), out)


def _fast_path(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``expand_dims``: a copy in the new shape."""
    axis = params["axis"]
    return lambda data: data.unsqueeze(axis).clone(memory_format=IN_ORDER)


@kernel(out="apart", specialize=by_params(_fast_path))
def expand_dims(data: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return a copy with a new axis of size 1."""
    return copied(data.unsqueeze(axis), out)


@kernel(out="apart")
def squeeze(data: Tensor, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Tensor:
    """Return a copy without axes of size 1; at least one axis remains."""
    small = data.squeeze() if axis is None else data.squeeze(axis)
    # MXNet's arrays have at least one axis.
    if small.ndim == 0 and data.ndim:
        small = small.reshape(1)
    return copied(small, out)


@kernel()
def shape_array(data: Tensor) -> Tensor:
    """Return the shape as an array of int64."""
    return constant(tuple(data.shape), torch.int64, data.device).clone()


@kernel()
def size_array(data: Tensor) -> Tensor:
    """Return the number of elements as an array of int64."""
    return torch.full((1,), data.numel(), dtype=torch.int64, device=data.device)


@kernel(out="apart")
def reshape_like(
    lhs: Tensor,
    rhs: Tensor,
    *,
    lhs_begin: int | None,
    lhs_end: int | None,
    rhs_begin: int | None,
    rhs_end: int | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return a copy of ``lhs`` in which a range of axes has the shape of a range of ``rhs``."""
    taken = rhs.shape[rhs_begin:rhs_end]
    left = () if lhs_begin is None else lhs.shape[:lhs_begin]
    right = () if lhs_end is None else lhs.shape[lhs_end:]
    return copied(lhs.reshape((*left, *taken, *right)), out)
