"""Unary pointwise functions of MXNet's NumPy interface."""

from collections.abc import Callable

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, fitting, is_integer, out_buffer, stored
from hy_kernels.torch.elementwise._functions import of_one


def _enter_question(name: str, question: Callable[[Tensor], Tensor]) -> None:
    @kernel(f"np_{name}", pointwise=True)
    def ask(x: Tensor, *, out: Out = None) -> Tensor:
        return stored(question(x), out)


_enter_question("isnan", torch.isnan)
_enter_question("isinf", torch.isinf)
_enter_question("isfinite", torch.isfinite)
of_one("np_logical_not", torch.logical_not)
of_one("np_bitwise_not", torch.bitwise_not)


@kernel()
def np_isposinf(x: Tensor) -> Tensor:
    """Return a mask of elements that are positive infinity."""
    return torch.isposinf(x)


@kernel()
def np_isneginf(x: Tensor) -> Tensor:
    """Return a mask of elements that are negative infinity."""
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
