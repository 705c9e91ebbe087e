"""Arrays of constants and ranges, by shape or like another array."""

from collections.abc import Mapping
from math import ceil, floor, prod
from typing import Any

import torch

from hy_kernels.ranges import DTYPES_BY_FLAG, counted_in
from hy_kernels.record import Function, by_params
from hy_kernels.torch._dtypes import NAMES, torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Number, OutBuffers, Tensor, copied, own, target

_EXACT_DTYPES = ("float32", "float64", "int32", "int64")
# Float32 has all integers up to 2**24.
_MAX_EXACT_FLOAT32 = 1 << 24  # from which on float32 lacks integers


def _filled(
    out: OutBuffers, shape: tuple[int, ...], dtype: str, device: torch.device, value: Number
) -> Tensor:
    if out is None:
        return torch.full(shape, value, dtype=torch_type(dtype), device=device)
    return target(out, shape, torch_type(dtype), device).fill_(value)


@kernel(out="apart")
def zeros_like(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return zeros in the shape and dtype of ``data``."""
    if out is None:
        return torch.zeros_like(data, memory_format=torch.contiguous_format)
    return target(out, data.shape, data.dtype, data.device).zero_()


@kernel(out="apart")
def ones_like(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ones in the shape and dtype of ``data``."""
    if out is None:
        return torch.ones_like(data, memory_format=torch.contiguous_format)
    return target(out, data.shape, data.dtype, data.device).fill_(1)


def _bound_zeros(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``zeros`` for known parameters."""
    shape, dtype = params["shape"], torch_type(params["dtype"])
    return lambda device: torch.zeros(shape, dtype=dtype, device=device)


def _bound_ones(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``ones`` for known parameters."""
    shape, dtype = params["shape"], torch_type(params["dtype"])
    return lambda device: torch.ones(shape, dtype=dtype, device=device)


@kernel(out="apart", specialize=by_params(_bound_zeros))
def zeros(
    *, shape: tuple[int, ...], dtype: str, device: torch.device, out: OutBuffers = None
) -> Tensor:
    """Return zeros of a shape and dtype on a device."""
    if out is None:
        return torch.zeros(shape, dtype=torch_type(dtype), device=device)
    return _filled(out, shape, dtype, device, 0)


@kernel(out="apart", specialize=by_params(_bound_ones))
def ones(
    *, shape: tuple[int, ...], dtype: str, device: torch.device, out: OutBuffers = None
) -> Tensor:
    """Return ones of a shape and dtype on a device."""
    return _filled(out, shape, dtype, device, 1)


@kernel(out="apart")
def full(
    *,
    shape: tuple[int, ...] | None,
    dtype: str,
    value: float,
    device: torch.device,
    out: OutBuffers = None,
) -> Tensor:
    """Return an array filled with ``value``."""
    number = own(value, torch_type(dtype))
    return _filled(out, () if shape is None else shape, dtype, device, number)


@kernel(out="apart")
def zeros_without_dtype(
    *, shape: tuple[int, ...] | None, dtype: int, device: torch.device, out: OutBuffers = None
) -> Tensor:
    """Return zeros; ``dtype`` is one of MXNet's type flags."""
    return _filled(out, () if shape is None else shape, DTYPES_BY_FLAG[dtype], device, 0)


def _range_values(
    start: float, step: float, count: int, repeat: int, device: torch.device
) -> Tensor:
    """Return ``count`` numbers of a range in float64, each ``repeat`` times in a row."""
    # Computed in float64 and rounded once: repeated addition of float32 drifts.
    positions = torch.arange(count, dtype=widest(device), device=device)
    if repeat != 1:
        positions = torch.floor(positions / repeat)
    return positions.mul_(step).add_(start)


def _exact(start: float, stop: float, step: float) -> bool:
    """Return whether all numbers of a non-empty range are exact in float32 and int32."""
    # Whole steps below 2**24 are exact in float32, so torch's own function gives MXNet's numbers;
    # elsewhere the two round differently.
    whole = start % 1 == 0 and step % 1 == 0
    return (
        whole
        and abs(start) < _MAX_EXACT_FLOAT32
        and abs(stop) < _MAX_EXACT_FLOAT32
        and (stop - start) * step > 0
    )


def _bound_range(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``arange`` in one call of torch, or None."""
    start, stop, step = params["start"], params["stop"], params["step"]
    if stop is None:
        start, stop = 0.0, start
    if (
        params["repeat"] != 1
        or params["dtype"] not in _EXACT_DTYPES
        or not _exact(start, stop, step)
    ):
        return None
    dtype, first, by = torch_type(params["dtype"]), int(start), int(step)
    end = ceil(stop) if step > 0 else floor(stop)
    if (first, by) == (0, 1):
        return lambda device: torch.arange(end, dtype=dtype, device=device)
    return lambda device: torch.arange(first, end, by, dtype=dtype, device=device)


@kernel(out="apart", specialize=by_params(_bound_range))
def arange(
    *,
    start: float,
    stop: float | None,
    step: float,
    repeat: int,
    infer_range: bool,
    dtype: str,
    device: torch.device,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``start``, ``start + step``, … below ``stop``, each ``repeat`` times."""
    if stop is None:
        start, stop = 0.0, start
    if out is None and repeat == 1 and dtype in _EXACT_DTYPES and _exact(start, stop, step):
        return torch.arange(start, stop, step, dtype=torch_type(dtype), device=device)
    count = ceil((stop - start) / step) * repeat
    # Integers count in whole steps: 1.3, 2.6, 3.9 are 1, 2, 3 in MXNet.
    numbers = _range_values(*counted_in(dtype, start, step), count, repeat, device)
    return copied(numbers, out, dtype=torch_type(dtype))


@kernel(out="apart")
def linspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool,
    dtype: str,
    device: torch.device,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``num`` equally spaced numbers."""
    parts = max(num - 1 if endpoint else num, 1)
    numbers = _range_values(start, (stop - start) / parts, num, 1, device)
    if endpoint and num > 1:
        # Exactly ``stop``, as numpy.
        numbers[-1].fill_(stop)
    return copied(numbers, out, dtype=torch_type(dtype))


@kernel()
def eye(*, N: int, M: int, k: int, dtype: str, device: torch.device) -> Tensor:  # noqa: N803
    """Return a matrix with ones on a diagonal."""
    matrix = torch.zeros((N, M or N), dtype=torch_type(dtype), device=device)
    if -matrix.shape[0] < k < matrix.shape[1]:
        matrix.diagonal(k).fill_(1)
    return matrix


@kernel(out="apart")
def arange_like(
    data: Tensor,
    *,
    start: float,
    step: float,
    repeat: int,
    axis: int | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``start``, ``start + step``, … in the shape of ``data``, or of one of its axes."""
    shape = tuple(data.shape) if axis is None else (data.shape[axis],)
    count = prod(shape)
    stop = start + count * step
    if (
        out is None
        and repeat == 1
        and NAMES[data.dtype] in _EXACT_DTYPES
        and _exact(start, stop, step)
    ):
        numbers = torch.arange(start, stop, step, dtype=data.dtype, device=data.device)
        return numbers if axis is not None else numbers.view(shape)
    first, by = counted_in(NAMES[data.dtype], start, step)
    numbers = _range_values(first, by, count, repeat, data.device).reshape(shape)
    return copied(numbers, out, dtype=data.dtype)
