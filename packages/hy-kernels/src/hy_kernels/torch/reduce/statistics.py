"""Moments, running sums, and statistics of whole arrays."""

import numpy as np
import torch

from hy_kernels.torch._dtypes import accumulator, torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import (
    OutBuffers,
    Tensor,
    copied,
    is_integer,
    out_buffer,
    stored,
    target,
)
from hy_kernels.torch.reduce.reductions import Axis, mean, sum


def _real(data: Tensor) -> Tensor:
    return data.to(widest(data.device) if is_integer(data) else accumulator(data.dtype))


@kernel(out="apart")
def moments(
    data: Tensor, *, axes: Axis, keepdims: bool, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return mean and variance over axes."""
    values = _real(data)
    # Two passes: E[x^2] - E[x]^2 loses digits.
    centre = mean(values, axis=axes or None, keepdims=True, exclude=False)
    squares = torch.square(values - centre)
    variance = mean(squares, axis=axes, keepdims=keepdims, exclude=False)
    centre = copied(centre.reshape(variance.shape), out, dtype=data.dtype)
    return centre, copied(variance, out, 1, dtype=data.dtype)


def _running(data: Tensor, along: int, dtype: torch.dtype, out: OutBuffers = None) -> Tensor:
    """Return running sums; for a boolean result the running "or"."""
    compute_dtype = accumulator(dtype)
    if dtype is torch.bool:
        return stored(torch.cumsum(data != 0, along) != 0, out)
    if compute_dtype is dtype:
        return torch.cumsum(data, along, dtype=dtype, out=out_buffer(out))
    if dtype is torch.float16 and data.device.type == "cpu":
        # numpy rounds each step to float16, as MXNet does and torch does not.
        with np.errstate(all="ignore"):
            sums = np.cumsum(data.to(dtype).numpy(), along, dtype=np.float16)
        return stored(torch.from_numpy(sums), out)
    return stored(torch.cumsum(data, along, dtype=compute_dtype).to(dtype), out)


@kernel(out="apart")
def cumsum(a: Tensor, *, axis: int | None, dtype: str | None, out: OutBuffers = None) -> Tensor:
    """Return the running sum along an axis."""
    keep = torch.int64 if a.dtype is torch.bool else a.dtype
    y = keep if dtype is None else torch_type(dtype)
    return _running(a.reshape(-1), 0, y, out) if axis is None else _running(a, axis, y, out)


@kernel(out="apart")
def square_sum(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the sum of squares over axes."""
    squares = torch.square(data.to(accumulator(data.dtype)))
    y = sum(squares, axis=axis, keepdims=keepdims, exclude=exclude, out=out)
    return y.to(data.dtype) if out is None else y


@kernel(out="apart")
def multi_sum_sq(*data: Tensor, num_arrays: int, out: OutBuffers = None) -> Tensor:
    """Return the sum of squares of each array."""
    y = target(out, (num_arrays,), torch.float32, data[0].device)
    for k, x in enumerate(data):
        flat = x.to(torch.float32).reshape(-1)
        # dot accumulates in float32 with blocked sums.
        y[k] = torch.dot(flat, flat)
    return y


@kernel(out="apart")
def all_finite(data: Tensor, *, init_output: bool, out: OutBuffers = None) -> Tensor:
    """Return 1 if every element is finite, else 0."""
    y = target(out, (1,), torch.float32, data.device)
    # The answer stays on the device, as a number.
    return y.copy_(torch.isfinite(data).all())


@kernel(out="apart")
def multi_all_finite(
    *data: Tensor, num_arrays: int, init_output: bool, out: OutBuffers = None
) -> Tensor:
    """Return 1 if every element of every array is finite, else 0."""
    y = target(out, (1,), torch.float32, data[0].device)
    return y.copy_(torch.stack([torch.isfinite(x).all() for x in data]).all())


@kernel()
def allclose(a: Tensor, b: Tensor, *, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Return 1 if the arrays are close, else 0."""
    x, y = _real(a), _real(b)
    # Not by `torch.isclose`, which refuses the tolerances below 0 that numpy takes.
    close = ((x - y).abs() <= atol + rtol * y.abs()) & y.isfinite() | (x == y)
    if equal_nan:
        close |= x.isnan() & y.isnan()
    return close.all().to(torch.uint8)
