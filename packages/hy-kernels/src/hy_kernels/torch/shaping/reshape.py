"""Reshaping of arrays, as copies; shapes and sizes as arrays."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._constants import constant
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import IN_ORDER, OutBuffers, Tensor, copied

__all__ = [
    "expand_dims",
    "flatten",
    "reshape",
    "reshape_like",
    "shape_array",
    "size_array",
    "squeeze",
]


def _split_size(size: int, first: int, second: int) -> tuple[int, int]:
    """Return the two sizes an axis is divided into, of which one may be asked for as -1."""
    known = second if first == -1 else first
    if known <= 0 or size % known or first * second not in (size, -known):
        raise ValueError(f"an axis of {size} cannot be divided into {first} and {second}")
    return (size // known, known) if first == -1 else (known, size // known)


def _shape_of_codes(codes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Return the shape that MXNet's reshape codes mean, perhaps with a -1 in it."""
    result: list[int] = []
    # MXNet's codes: 0 keeps an axis, -1 infers, -2 the rest, -3 merges two, -4 divides one.
    at = i = 0
    while i < len(codes):
        code = codes[i]
        i += 1
        if code > 0 or code == -1:
            result.append(code)
            at += 1
        elif code == 0:
            result.append(shape[at])
            at += 1
        elif code == -2:
            result.extend(shape[at:])
            at = max(at, len(shape))
        elif code == -3:
            result.append(shape[at] * shape[at + 1])
            at += 2
        elif code == -4:
            result.extend(_split_size(shape[at], codes[i], codes[i + 1]))
            at += 1
            i += 2
        else:
            raise ValueError(f"unknown code {code} in {tuple(codes)}")
    return result


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
    if not shape and target_shape:
        codes = [n or -1 for n in target_shape]
        if keep_highest:
            codes[0] = 0
        sizes = _shape_of_codes(codes, data.shape)
    elif reverse:
        # From the right: codes and shape reversed.
        sizes = _shape_of_codes(shape[::-1], data.shape[::-1])[::-1]
    else:
        sizes = _shape_of_codes(shape, data.shape)
    # Empty arrays: torch cannot infer -1 beside a 0.
    if 0 in sizes and -1 in sizes:
        rest = prod(n for n in sizes if n > 0)
        sizes[sizes.index(-1)] = prod(n for n in data.shape if n) // rest
    return copied(data.reshape(sizes), out)


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
    """Return a copy of ``lhs`` with some axes reshaped to those of ``rhs``."""
    taken = rhs.shape[rhs_begin:rhs_end]
    left = () if lhs_begin is None else lhs.shape[:lhs_begin]
    right = () if lhs_end is None else lhs.shape[lhs_end:]
    return copied(lhs.reshape((*left, *taken, *right)), out)


@kernel(out="apart")
def flatten(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return a copy as a matrix ``[N, rest]``."""
    return copied(data.reshape(data.shape[0], prod(data.shape[1:])), out)


def _fast_path(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path that copies into the new shape."""
    axis = params["axis"]
    return lambda data: data.unsqueeze(axis).clone(memory_format=IN_ORDER)


@kernel(out="apart", specialize=by_params(_fast_path))
def expand_dims(data: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return a copy with a new axis of one element."""
    return copied(data.unsqueeze(axis), out)


@kernel(out="apart")
def squeeze(data: Tensor, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Tensor:
    """Return a copy without axes of one element, but with one axis at least."""
    if axis is not None and any(data.shape[i] != 1 for i in axis):
        raise ValueError(f"axes {axis} of {tuple(data.shape)} are not all of size 1")
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
