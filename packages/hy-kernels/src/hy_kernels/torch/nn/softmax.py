"""Softmax and its variants."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._rows import counted
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype

_aten = torch.ops.aten


def _scaled(data: Tensor, temperature: float | None, dtype: str | None) -> Tensor:
    """Return ``data / temperature`` in the dtype to compute in; may be ``data`` itself."""
    if temperature is None and dtype is None:
        return data
    result_dtype = data.dtype if dtype is None else torch_type(dtype)
    x = data.to(result_dtype) if result_dtype.itemsize > data.dtype.itemsize else data
    # MXNet divides in the wide dtype, then rounds once.
    return x if temperature in (None, 1.0) else to_compute_dtype(x) / temperature


def _normalized(
    function: Any, x: Tensor, axis: int, data: Tensor, dtype: str | None, out: OutBuffers
) -> Tensor:
    """Return ``softmax`` or ``log_softmax`` of ``x`` along an axis, in a dtype."""
    if out is None and dtype is None and x.dtype is data.dtype:  # most calls, without a detour
        result: Tensor = function(x, axis)
        return result
    result_dtype = data.dtype if dtype is None else torch_type(dtype)
    if x.dtype is result_dtype:
        y: Tensor = function(x, axis, out=out_buffer(out))
        return y
    return to_storage_dtype(function(x, axis), result_dtype, out)


def _fast_path(function: Any, *, masks: bool = False) -> Maker:
    """Return a fast path that calls ``function``; if ``masks``, inputs are masked by lengths."""

    def fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
        axis = params["axis"]
        if params["temperature"] not in (None, 1.0) or params["dtype"] is not None:
            return None

        def normalized(data: Tensor, length: Tensor | None = None) -> Tensor:
            if data.dtype not in PLAIN or (length is not None and not masks):
                return general(data) if length is None else general(data, length)
            if length is not None:
                beyond = _padding_mask(data, length, axis)
                # exp(-inf) is 0, so positions beyond the length take no part in the sum.
                masked: Tensor = function(data.masked_fill(beyond, -torch.inf), axis)
                # A vector of length 0 is 0 / 0, and means 0.
                return masked.masked_fill_(beyond, 0)
            y: Tensor = function(data, axis)
            return y

        return normalized

    return by_params(fast_path)


def _padding_mask(data: Tensor, length: Tensor, axis: int) -> Tensor:
    """Return a mask of the positions beyond each vector's length."""
    positions = counted(data.shape[axis], length)
    if axis not in (-1, data.ndim - 1):
        shape = [1] * data.ndim
        shape[axis] = -1
        positions = positions.view(shape)
    return positions >= length.unsqueeze(axis)


@kernel(out="apart", specialize=_fast_path(torch.softmax, masks=True))
@with_integer_fallback()
def softmax(
    data: Tensor,
    length: Tensor | None = None,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return exponentials normalised along ``axis``; positions from ``length`` on are zero."""
    x = _scaled(data, temperature, dtype)
    if length is None:
        return _normalized(torch.softmax, x, axis, data, dtype, out)
    beyond = _padding_mask(x, length, axis)
    x = x.masked_fill(beyond, -torch.inf)
    return _normalized(torch.softmax, x, axis, data, dtype, out).masked_fill_(beyond, 0)


@kernel(out="apart")
@with_integer_fallback()
def softmin(
    data: Tensor,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the softmax of ``-data``."""
    x = _scaled(data, temperature, dtype)
    return _normalized(torch.softmax, -x, axis, data, dtype, out)


@kernel(out="apart", specialize=_fast_path(torch.log_softmax))
@with_integer_fallback()
def log_softmax(
    data: Tensor,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the logarithm of softmax, without the underflow that softmax may have."""
    x = _scaled(data, temperature, dtype)
    return _normalized(torch.log_softmax, x, axis, data, dtype, out)


def _gradient(
    operator: Any,
    dy: Tensor,
    output: Tensor,
    data: Tensor,
    axis: int,
    temperature: float | None,
    out: OutBuffers,
) -> Tensor:
    """Return the gradient to ``data`` by torch's ``operator``, divided by the temperature."""
    g, y = to_compute_dtype(dy), to_compute_dtype(output)
    if g.dtype is not y.dtype:
        common = torch.promote_types(g.dtype, y.dtype)
        g, y = g.to(common), y.to(common)
    if temperature in (None, 1.0) and y.dtype is data.dtype and out is not None:
        memory = out_buffer(out)
        if memory is not None:
            dx: Tensor = operator.out(g, y, axis, y.dtype, **{_OUT[operator]: memory})
            return dx
    dx = operator.default(g, y, axis, y.dtype)
    if temperature is not None and temperature != 1:
        dx.mul_(1 / temperature)
    return to_storage_dtype(dx, data.dtype, out)


_OUT = {_aten._softmax_backward_data: "grad_input", _aten._log_softmax_backward_data: "out"}
"""Name of the out argument of each operator."""


@kernel(out="apart")
@with_integer_fallback()
def softmax_backward(
    dy: Tensor,
    output: Tensor,
    data: Tensor,
    *,
    axis: int,
    temperature: float | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``output (dy - sum(dy output)) / temperature`` in the dtype of ``data``."""
    operator = _aten._softmax_backward_data
    return _gradient(operator, dy, output, data, axis, temperature, out)


@kernel(out="apart")
@with_integer_fallback()
def log_softmax_backward(
    dy: Tensor,
    output: Tensor,
    data: Tensor,
    *,
    axis: int,
    temperature: float | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``(dy - exp(output) sum(dy)) / temperature`` in the dtype of ``data``."""
    operator = _aten._log_softmax_backward_data
    return _gradient(operator, dy, output, data, axis, temperature, out)


@kernel(out="apart")
def axis_total(data: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the sum along ``axis``, broadcast to each element."""
    total = to_compute_dtype(data).sum(axis, keepdim=True)
    return copied(total.broadcast_to(data.shape), out, dtype=data.dtype)
