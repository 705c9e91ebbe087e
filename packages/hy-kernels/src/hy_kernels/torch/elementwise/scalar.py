"""Arithmetic of an array and a number."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import (
    PLAIN,
    Number,
    Out,
    Tensor,
    as_int,
    fitting,
    number,
    out_buffer,
    stored,
    with_scalar,
)
from hy_kernels.torch.elementwise.broadcast import (
    broadcast_div,
    broadcast_hypot,
    broadcast_mod,
    broadcast_power,
    broadcast_sub,
)

# A 0-dimensional CPU tensor goes with tensors of any device as a number.
_CPU = torch.device("cpu")


def _tensors(data: Tensor, scalar: float, is_int: bool) -> tuple[Tensor, Tensor]:
    """Return the operands of :func:`with_scalar`, with the number as a tensor of the same dtype."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    return lhs, number(rhs, lhs.dtype, lhs.device)


def _operands(data: Tensor, scalar: float, is_int: bool) -> tuple[Tensor, Tensor | Number]:
    """Return the array and the number as operands of a torch function.

    For float32 and float64 the number is a cached tensor without axes, of the dtype of ``data``;
    for other dtypes both are promoted by :func:`with_scalar`.
    """
    dtype = data.dtype
    # torch would box a Python number at each call. Not for 16-bit floats: a tensor would round the
    # number to 16 bits, while torch computes with a Python number in float32.
    if dtype in PLAIN:
        return data, number(fitting(scalar, dtype), dtype, _CPU)
    return with_scalar(data, scalar, is_int)


def fast_path(function: Callable[[Tensor, Tensor], Tensor]) -> Maker:
    """Return a fast path that calls ``function`` for float32 tensors and a number."""

    def of_number(params: Mapping[str, Any], general: Function) -> Function:
        scalar = number(fitting(params["scalar"], torch.float32), torch.float32, _CPU)
        return lambda x: function(x, scalar) if x.dtype is torch.float32 else general(x)

    return by_params(of_number)


def _by_loaded(function: Callable[..., Tensor], data: Tensor, scalar: Tensor, out: Out) -> Tensor:
    """Return ``function(data, scalar)`` for a scalar on the device, not read by the host."""
    # Loaded from the device: reading it here would break a captured graph.
    return stored(function(to_compute_dtype(data), scalar).to(data.dtype), out)


def _enter_loaded(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register ``function(data, scalar)``, whose scalar may be on the device; return the kernel."""

    @kernel(name, pointwise=True, specialize=fast_path(function), loads=("scalar",))
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        if torch.is_tensor(scalar):
            return _by_loaded(function, data, scalar, out)
        return function(*_operands(data, scalar, is_int), out=None if out is None else out[0])

    return of_number


plus_scalar = _enter_loaded("plus_scalar", torch.add)
minus_scalar = _enter_loaded("minus_scalar", torch.sub)
_enter_loaded("mul_scalar", torch.mul)


@kernel(pointwise=True, specialize=fast_path(torch.div), loads=("scalar",))
def div_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``data / scalar``."""
    if torch.is_tensor(scalar):
        return _by_loaded(torch.div, data, scalar, out)
    return broadcast_div(*_tensors(data, scalar, is_int), out=out)


def _enter_of_tensors(name: str, function: Callable[..., Tensor]) -> None:
    """Register ``function(data, scalar)``, a kernel of two tensors."""

    @kernel(name, pointwise=True)
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        return function(*_tensors(data, scalar, is_int), out=out)


_enter_of_tensors("mod_scalar", broadcast_mod)
_enter_of_tensors("hypot_scalar", broadcast_hypot)


def _enter_reversed(
    name: str, function: Callable[..., Tensor], specialize: Maker | None = None
) -> None:
    """Register ``function(scalar, data)``, a kernel of two tensors."""

    @kernel(name, pointwise=True, specialize=specialize)
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        lhs, rhs = _tensors(data, scalar, is_int)
        return function(rhs, lhs, out=out)


_enter_reversed("rminus_scalar", broadcast_sub, fast_path(lambda x, y: torch.sub(y, x)))
_enter_reversed("rdiv_scalar", broadcast_div, fast_path(lambda x, y: torch.div(y, x)))
_enter_reversed("rmod_scalar", broadcast_mod)
_enter_reversed("rpower_scalar", broadcast_power)


def _fast_power(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``power_scalar`` for float32."""
    exponent = as_int(fitting(params["scalar"], torch.float32))
    return lambda x: torch.pow(x, exponent) if x.dtype is torch.float32 else general(x)


@kernel(pointwise=True, specialize=by_params(_fast_power))
def power_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``data ** scalar``."""
    if data.dtype.is_floating_point:
        return torch.pow(*with_scalar(data, scalar, is_int), out=out_buffer(out))
    # Negative powers of integers: torch refuses them.
    if is_int and scalar < 0 and data.dtype is not torch.bool:
        return stored(torch.pow(data.to(widest(data.device)), scalar).to(data.dtype), out)
    return broadcast_power(*_tensors(data, scalar, is_int), out=out)


# max(uint8, 300) is 255: the number is clipped rather than wrapped.
def _nearest(data: Tensor, scalar: float, is_int: bool) -> tuple[Tensor, Tensor]:
    """Return the operands of :func:`_tensors`, the number clipped to an integer dtype's range."""
    if is_int and not data.dtype.is_floating_point and data.dtype is not torch.bool:
        limits = torch.iinfo(data.dtype)
        scalar = min(max(scalar, limits.min), limits.max)
    return _tensors(data, scalar, is_int)


def _enter_extreme(name: str, function: Callable[..., Tensor]) -> None:
    @kernel(name, pointwise=True)
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        return function(*_nearest(data, scalar, is_int), out=out_buffer(out))


_enter_extreme("maximum_scalar", torch.maximum)
_enter_extreme("minimum_scalar", torch.minimum)

scatter_plus_scalar = alias("scatter_plus_scalar", plus_scalar)
scatter_minus_scalar = alias("scatter_minus_scalar", minus_scalar)
