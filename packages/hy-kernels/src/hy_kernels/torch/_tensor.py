"""Helpers of this table's kernels: out buffers, conversions, and numbers as operands."""

from collections.abc import Callable, Mapping, Sequence
from math import copysign, inf
from typing import TypeAlias

import numpy as np
import torch

from hy_kernels.torch._constants import on_device
from hy_kernels.torch._dtypes import NAMES, accumulator, refuse_complex, widest
from hy_kernels.torch.costs import COSTS

Tensor: TypeAlias = torch.Tensor
Number: TypeAlias = float | bool
Out: TypeAlias = tuple[Tensor] | None
"""Where a kernel writes its result: a tensor of the right type, perhaps one of the operands."""

OutBuffers: TypeAlias = Sequence[Tensor | None] | None
"""Out buffers of a kernel's results, contiguous and distinct from the operands; None: allocate."""


PLAIN = (torch.float32, torch.float64)
"""Floating dtypes that every function of torch supports without conversion."""

PLAIN_NAMES = ("float32", "float64")
# Results are contiguous whatever the operands were: later kernels and DLPack rely on it.
IN_ORDER = torch.contiguous_format
"""The order of the axes in results."""
# `x.float()` parses no arguments: half the time of `x.to(dtype)` for small tensors.
_CASTS: Mapping[torch.dtype, Callable[[Tensor], Tensor]] = {
    torch.float32: Tensor.float,
    torch.float64: Tensor.double,
    torch.int32: Tensor.int,
    torch.int64: Tensor.long,
}
"""Casts that take half as long as those with a dtype as argument."""
_MAX_INT = 4096  # whole numbers below this are passed to torch as integers


def out_buffer(out: OutBuffers, k: int = 0) -> Tensor | None:
    """Return the out buffer of result ``k``, or None."""
    return None if out is None else out[k]


def target(
    out: OutBuffers, shape: Sequence[int], dtype: torch.dtype, device: torch.device, k: int = 0
) -> Tensor:
    """Return the tensor for result ``k``: the out buffer if shape and dtype fit, or a new one."""
    result = out_buffer(out, k)
    # A shape or dtype of its own: memory that does not fit is ignored, and the caller copies.
    if result is None or result.shape != tuple(shape) or result.dtype != dtype:
        return torch.empty(tuple(shape), dtype=dtype, device=device)
    return result


def target_like(data: Tensor, shape: Sequence[int], out: OutBuffers = None, k: int = 0) -> Tensor:
    """Return :func:`target` for the dtype and device of ``data``."""
    # To make memory like a tensor's takes less than to name both, and to ask for them.
    if out is None:
        return data.new_empty(shape)
    return target(out, shape, data.dtype, data.device, k)


def copied(
    value: Tensor, out: OutBuffers = None, k: int = 0, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a contiguous copy in the out buffer of result ``k``, perhaps in another dtype."""
    if out is not None and (memory := out[k]) is not None:
        return memory if memory is value else memory.copy_(value)
    if dtype is None or dtype is value.dtype:
        return value.clone(memory_format=IN_ORDER)
    # Two passes over few elements are cheaper than `to` with three keywords.
    if dtype in _CASTS and (value.is_contiguous() or value.numel() < COSTS.pointwise.converted):
        return _CASTS[dtype](value).contiguous()
    return value.to(dtype, copy=True, memory_format=IN_ORDER)


def stored(value: Tensor, out: OutBuffers = None, k: int = 0) -> Tensor:
    """Return ``value`` as result ``k``, copied to its out buffer if there is one.

    Nothing else may reference ``value``.
    """
    memory = out_buffer(out, k)
    return value if memory is None else memory.copy_(value)


def is_integer(data: Tensor) -> bool:
    """Return whether a tensor's dtype is integer or boolean."""
    if data.dtype.is_floating_point:
        return False
    refuse_complex(data.dtype)
    return True


def pointwise(function: Callable[..., Tensor], data: Tensor, out: Out = None) -> Tensor:
    """Return ``function(data)`` in the dtype of data; integers go through float64, truncated."""
    if data.dtype.is_floating_point:
        return function(data) if out is None else function(data, out=out[0])
    # Integers have no sqrt in torch; float64 is exact for them, and casting back cuts off as MXNet.
    refuse_complex(data.dtype)
    return stored(function(data.to(widest(data.device))).to(data.dtype), out)


def in_float32(
    function: Callable[[Tensor], Tensor], data: Tensor, out: OutBuffers = None
) -> Tensor:
    """Return :func:`pointwise`, but 16-bit floats go through float32, for long functions."""
    dtype = data.dtype
    compute_dtype = accumulator(dtype) if dtype.is_floating_point else widest(data.device)
    if compute_dtype is dtype:
        return stored(function(data), out)
    refuse_complex(dtype)
    return stored(function(data.to(compute_dtype)).to(dtype), out)


# Cached: making a tensor of a number takes longer than adding two small tensors.
@on_device
def _cached_number(value: Number, sign: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.tensor(value, dtype=dtype, device=device)


def number(value: Number, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return a number as a cached scalar tensor, which must not be written to."""
    # The sign is part of the key, as 0.0 == -0.0 would share an entry.
    return _cached_number(value, copysign(1.0, value), dtype, device)


_LARGEST = {t: torch.finfo(t).max for t in NAMES if t.is_floating_point}


def fitting(value: float, dtype: torch.dtype) -> float:
    """Return a number for a floating dtype: ±inf if it is out of range, which torch refuses."""
    largest = _LARGEST[dtype]
    # torch raises for numbers beyond the dtype, numpy and MXNet make them infinite.
    return copysign(inf, value) if value > largest or value < -largest else value


def as_int(value: float) -> float:
    """Return a small whole number as an int, which torch converts faster; others as they are."""
    # 0 may be -0.0, whose sign a cast to int loses.
    is_small = 0 < abs(value) < _MAX_INT
    return int(value) if is_small and float(value).is_integer() else value


_INTEGER_DTYPES = [t for t in NAMES if not (t.is_floating_point or t.is_complex or t is torch.bool)]
_RANGES = {t: (torch.iinfo(t).min, torch.iinfo(t).max) for t in _INTEGER_DTYPES}


def own(value: float, dtype: torch.dtype) -> Number:
    """Return a number cast to ``dtype``: truncated for integers, out of range as numpy casts it."""
    if dtype.is_floating_point:
        return fitting(value, dtype)
    if dtype is torch.bool:
        return bool(value)
    low, high = _RANGES[dtype]
    # Out-of-range casts are undefined in C; numpy's result on this machine is taken, but not
    # compiled.
    if low <= value <= high:
        return int(value)
    with np.errstate(all="ignore"):
        result: Number = np.float64(value).astype(NAMES[dtype]).item()
    return result


def with_scalar(data: Tensor, scalar: float, is_int: bool) -> tuple[Tensor, Number]:
    """Return array and number promoted: integers with a float give float64, booleans int64."""
    dtype = data.dtype
    if dtype.is_floating_point:
        return data, fitting(scalar, dtype)
    # MXNet: an array of integers with a fractional number gives float64.
    refuse_complex(dtype)
    if not is_int:
        return data.to(widest(data.device)), scalar
    if data.dtype is torch.bool:
        data = data.to(torch.int64)
    low, high = _RANGES[data.dtype]
    if low <= scalar <= high:
        # As numpy wraps them: first to int64, then to the dtype.
        return data, int(scalar)
    with np.errstate(invalid="ignore"):
        wrapped = np.float64(scalar).astype(np.int64).astype(NAMES[data.dtype])
    return data, int(wrapped)
