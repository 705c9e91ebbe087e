"""Floating numbers as small integers with a range, and back."""

from typing import TypeAlias

import torch

from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, copied

__all__ = ["dequantize", "quantize", "quantize_v2", "requantize"]

Quantized: TypeAlias = tuple[Tensor, Tensor, Tensor]

_LARGEST = {"int8": 127.0, "uint8": 255.0, "int32": 2147483647.0}
_LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2147483647.0}
_LEVELS_OF = {torch_type(name): levels for name, levels in _LEVELS.items()}


def _end(value: Tensor | float, like: Tensor) -> Tensor:
    """An end of a range as a result."""
    if isinstance(value, torch.Tensor):
        return copied(value.reshape(1), dtype=torch.float32)
    return torch.full((1,), value, dtype=torch.float32, device=like.device)


def _magnitude(low: Tensor, high: Tensor) -> Tensor:
    """The largest magnitude of a range, ``[1]``."""
    return torch.maximum(torch.abs(low), torch.abs(high)).to(torch.float32)


def _per(levels: float, largest: Tensor) -> Tensor:
    """Integers per number; an empty range has none."""
    return torch.where(largest > 0, levels / largest, 0)


def _rounded(data: Tensor, dtype: str) -> Tensor:
    """The nearest integers, cut off at the ends of the dtype; overwrites ``data``."""
    kind = torch_type(dtype)
    info = torch.iinfo(kind)
    return data.round_().clamp_(info.min, info.max).to(kind)


def _range(data: Tensor, low: float | None, high: float | None) -> tuple[Tensor, Tensor]:
    """The range given, or that of the data."""
    if low is not None and high is not None:
        return _end(low, data), _end(high, data)
    if not data.numel():
        return _end(0.0, data), _end(0.0, data)
    return _end(data.amin(), data), _end(data.amax(), data)


def _dtype(out_type: str, low: float | None, high: float | None) -> str:
    positive = low is not None and high is not None and low >= 0
    return ("uint8" if positive else "int8") if out_type == "auto" else out_type


@kernel()
def quantize(data: Tensor, min_range: Tensor, max_range: Tensor, *, out_type: str) -> Quantized:
    """``data`` as integers."""
    low, high = _end(min_range, data), _end(max_range, data)
    largest = _magnitude(low, high)
    y = _rounded(data * _per(_LARGEST[out_type], largest).reshape(()), out_type)
    return (y, -largest, largest) if out_type == "int8" else (y, low, high)


@kernel()
def quantize_v2(
    data: Tensor, *, out_type: str, min_calib_range: float | None, max_calib_range: float | None
) -> Quantized:
    """``data`` as integers, in the range given or the one it has."""
    dtype = _dtype(out_type, min_calib_range, max_calib_range)
    low, high = _range(data, min_calib_range, max_calib_range)
    largest = _magnitude(low, high)
    y = _rounded(data * _per(_LEVELS[dtype], largest).reshape(()), dtype)
    return (y, -largest, largest) if dtype == "int8" else (y, low, high)


@kernel(out="apart")
def dequantize(
    data: Tensor, min_range: Tensor, max_range: Tensor, *, out_type: str, out: Places = None
) -> Tensor:
    """The numbers that integers stand for."""
    largest = _magnitude(_end(min_range, data), _end(max_range, data))
    y = copied(data, out, dtype=torch_type(out_type))
    return y.mul_((largest / _LEVELS_OF[data.dtype]).reshape(()))


@kernel()
def requantize(
    data: Tensor,
    min_range: Tensor,
    max_range: Tensor,
    *,
    out_type: str,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Quantized:
    """Sums as small integers."""
    dtype = _dtype(out_type, min_calib_range, max_calib_range)
    wide = widest(data.device)
    unit = _magnitude(_end(min_range, data), _end(max_range, data)).to(wide) / _LARGEST["int32"]
    values = data.to(wide).mul_(unit.reshape(()))  # integers before: memory of its own
    largest = _magnitude(*_range(values, min_calib_range, max_calib_range))
    y = _rounded(values.mul_(_per(_LARGEST[dtype], largest).to(wide).reshape(())), dtype)
    return y, -largest if dtype == "int8" else torch.zeros_like(largest), largest
