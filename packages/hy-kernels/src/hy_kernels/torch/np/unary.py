"""Functions of one tensor, element by element."""

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, fitting, is_whole, out_buffer, stored

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
    """Tell elements that are nan."""
    return stored(torch.isnan(x), out)


@kernel(pointwise=True)
def np_isinf(x: Tensor, *, out: Out = None) -> Tensor:
    """Infinite."""
    return stored(torch.isinf(x), out)


@kernel(pointwise=True)
def np_isfinite(x: Tensor, *, out: Out = None) -> Tensor:
    """Tell finite numbers from infinities and nan."""
    return stored(torch.isfinite(x), out)


@kernel(pointwise=True)
def np_logical_not(x: Tensor, *, out: Out = None) -> Tensor:
    """Whether it is 0."""
    return torch.logical_not(x, out=out_buffer(out))


@kernel(pointwise=True)
def np_bitwise_not(x: Tensor, *, out: Out = None) -> Tensor:
    """Invert all bits."""
    return torch.bitwise_not(x, out=out_buffer(out))


@kernel()
def np_isposinf(x: Tensor) -> Tensor:
    """Infinite and positive."""
    return torch.isposinf(x)


@kernel()
def np_isneginf(x: Tensor) -> Tensor:
    """Infinite and negative."""
    return torch.isneginf(x)


@kernel(pointwise=True)
def np_around(x: Tensor, *, decimals: int, out: Out = None) -> Tensor:
    """Round to decimals; in float64, as steps of 0.1 are too coarse below."""
    # Integers are rounded already.
    if is_whole(x) and x.dtype is not torch.bool and decimals >= 0:
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
    """Numbers in place of nan and infinity."""
    if is_whole(data):
        return copied(data, out)
    # numpy's replacements are the dtype's limits; given numbers are fitted to it.
    high = None if posinf is None else fitting(posinf, data.dtype)
    low = None if neginf is None else fitting(neginf, data.dtype)
    return torch.nan_to_num(data, fitting(nan, data.dtype), high, low, out=out_buffer(out))


@kernel(pointwise=True)
def finite_mask(data: Tensor, *, out: Out = None) -> Tensor:
    """1 where finite."""
    return stored(torch.isfinite(data).to(data.dtype), out)
