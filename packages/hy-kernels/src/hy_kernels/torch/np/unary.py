"""Functions of one tensor, element by element."""

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, fitting, is_integer, out_buffer, stored

__all__ = [
    "finite_mask",
    "np_around",
    "np_bitwise_not",
    "np_isfinite",
    "np_isinf",
    "np_isnan",
    "np_isneginf",
    "np_isposinf",
    "np_logical_not",
    "np_nan_to_num",
]


@kernel(pointwise=True)
def np_isnan(x: Tensor, *, out: Out = None) -> Tensor:
    """Return whether elements are nan."""
    return stored(torch.isnan(x), out)


@kernel(pointwise=True)
def np_isinf(x: Tensor, *, out: Out = None) -> Tensor:
    """Return whether elements are infinite."""
    return stored(torch.isinf(x), out)


@kernel(pointwise=True)
def np_isfinite(x: Tensor, *, out: Out = None) -> Tensor:
    """Return whether elements are finite."""
    return stored(torch.isfinite(x), out)


@kernel(pointwise=True)
def np_logical_not(x: Tensor, *, out: Out = None) -> Tensor:
    """Return whether elements are 0."""
    return torch.logical_not(x, out=out_buffer(out))


@kernel(pointwise=True)
def np_bitwise_not(x: Tensor, *, out: Out = None) -> Tensor:
    """Return each integer with all bits inverted."""
    return torch.bitwise_not(x, out=out_buffer(out))


@kernel()
def np_isposinf(x: Tensor) -> Tensor:
    """Return whether elements are positive infinity."""
    return torch.isposinf(x)


@kernel()
def np_isneginf(x: Tensor) -> Tensor:
    """Return whether elements are negative infinity."""
    return torch.isneginf(x)


@kernel(pointwise=True)
def np_around(x: Tensor, *, decimals: int, out: Out = None) -> Tensor:
    """Return elements rounded to ``decimals``, computed in float64 for precision."""
    # Integers are rounded already.
    if is_integer(x) and x.dtype is not torch.bool and decimals >= 0:
        return copied(x, out)
    y = torch.round(x.to(widest(x.device)), decimals=decimals)
    return stored(y.to(x.dtype), out)


@kernel(pointwise=True)
def np_nan_to_num(
    data: Tensor,
    *,
    copy: bool,  # the result is a new tensor in any case
    nan: float,
    posinf: float | None,
    neginf: float | None,
    out: Out = None,
) -> Tensor:
    """Return ``data`` with numbers in place of nan and infinities."""
    if is_integer(data):
        return copied(data, out)
    # numpy's replacements are the dtype's limits; given numbers are fitted to it.
    high = None if posinf is None else fitting(posinf, data.dtype)
    low = None if neginf is None else fitting(neginf, data.dtype)
    return torch.nan_to_num(data, fitting(nan, data.dtype), high, low, out=out_buffer(out))


@kernel(pointwise=True)
def finite_mask(data: Tensor, *, out: Out = None) -> Tensor:
    """Return 1 where elements are finite, else 0."""
    return stored(torch.isfinite(data).to(data.dtype), out)
