"""Reductions over axes."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._dtypes import accumulator, torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import (
    PLAIN,
    Out,
    OutBuffers,
    Tensor,
    copied,
    is_integer,
    number,
    out_buffer,
    stored,
)

Axis = tuple[int, ...] | None


def _axes(axis: Axis, rank: int, exclude: bool = False) -> tuple[int, ...]:
    """Return the axes to reduce; all if none are given."""
    if not axis or not rank:
        return tuple(range(rank))
    selected = {i % rank if -rank <= i < rank else _no_axis(i, rank) for i in axis}
    return tuple(i for i in range(rank) if (i in selected) != exclude)


def _no_axis(axis: int, rank: int) -> int:
    raise ValueError(f"axis {axis} is outside {rank} axes")


def _reduced(
    function: Callable[..., Tensor],
    data: Tensor,
    axis: Axis,
    keepdims: bool,
    exclude: bool = False,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``function`` reduced over the axes; reducing all of them leaves the shape ``(1,)``."""
    if out is None and not exclude:  # most calls, without a detour
        # Reducing everything gives shape (1,) in MXNet, not ().
        if not axis:
            if not keepdims:
                return function(data).view(1)
        elif len(axis) == 1 and axis[0] >= 0 and data.ndim > 1:
            return function(data, axis, keepdim=True) if keepdims else function(data, axis)
    axes = _axes(axis, data.ndim, exclude)
    flat = not keepdims and len(axes) == data.ndim
    memory = out_buffer(out)
    if flat and memory is None:
        return function(data).view(1)
    if not axes and data.ndim:  # torch would take that for all
        return copied(data, out)
    if memory is not None and memory.dtype is not data.dtype:
        return stored(_reduced(function, data, axis, keepdims, exclude), out)
    if memory is not None and flat:
        memory = memory.view(())
    y = function(data, axes, keepdim=keepdims, out=memory)
    return y.view(1) if flat else y


def _sum(
    data: Tensor, axes: tuple[int, ...] = (), *, keepdim: bool = False, out: Tensor | None = None
) -> Tensor:
    return torch.sum(data, axes, keepdim=keepdim, dtype=data.dtype, out=out)


def _prod(
    data: Tensor,
    axes: tuple[int, ...] | None = None,
    *,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    if axes is None:
        return torch.prod(data, dtype=data.dtype)
    shape = [1 if i in axes else n for i, n in enumerate(data.shape) if keepdim or i not in axes]
    # torch.prod takes one axis at a time.
    for axis in axes:
        data = torch.prod(data, axis, keepdim=True, dtype=data.dtype)
    return stored(data.reshape(shape), None if out is None else (out,))


def _to_sum_dtype(data: Tensor) -> Tensor:
    """Return the data in the dtype that sums are accumulated in."""
    return data if data.dtype in PLAIN else data.to(accumulator(data.dtype))


def _to_mean_dtype(data: Tensor) -> Tensor:
    """Return the data in the dtype that means and roots are computed in."""
    if data.dtype in PLAIN:
        return data
    return data.to(widest(data.device)) if is_integer(data) else _to_sum_dtype(data)


def _narrowed(y: Tensor, data: Tensor, out: OutBuffers) -> Tensor:
    """Return a wide result in the dtype of ``data``, unless it is in the out buffer already."""
    return y if out is not None or y.dtype is data.dtype else y.to(data.dtype)


def _with_reduced_axes(y: Tensor, data: Tensor, axis: Axis, exclude: bool = False) -> Tensor:
    """Return a view of a reduced array that broadcasts to ``data``."""
    if y.shape == data.shape:
        return y
    reduced = _axes(axis, data.ndim, exclude)
    return y.reshape([1 if i in reduced else n for i, n in enumerate(data.shape)])


def _fast_path(function: Callable[..., Tensor]) -> Maker:
    """Return a fast path of a float32 or float64 reduction over one axis or all."""

    def fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
        axis, keepdims = params["axis"], params["keepdims"]
        if params["exclude"] or (keepdims if not axis else len(axis) > 1):
            return None
        # One axis or all: torch's call with these is shortest.
        one = axis[0] if axis else None

        def reduced(data: Tensor) -> Tensor:
            if data.dtype not in PLAIN or (one is not None and data.ndim < 2):
                return general(data)
            return function(data).view(1) if one is None else function(data, one, keepdims)

        return reduced

    return by_params(fast_path)


@kernel(out="apart")
def expand_reduced(
    dy: Tensor, data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return ``dy`` broadcast along the reduced axes to the shape of ``data``."""
    return copied(_with_reduced_axes(dy, data, axis, exclude).expand(data.shape), out)


@kernel(out="apart", specialize=_fast_path(torch.sum))
def sum(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the sum over axes."""
    if data.dtype in PLAIN:
        return _reduced(torch.sum, data, axis, keepdims, exclude, out)
    return _narrowed(_reduced(_sum, _to_sum_dtype(data), axis, keepdims, exclude, out), data, out)


@kernel(out="apart", specialize=_fast_path(torch.mean))
def mean(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the mean over axes, of integers truncated."""
    if data.dtype in PLAIN:
        return _reduced(torch.mean, data, axis, keepdims, exclude, out)
    # Integers: mean in float64, cut off as MXNet.
    return _narrowed(
        _reduced(torch.mean, _to_mean_dtype(data), axis, keepdims, exclude, out), data, out
    )


@kernel(out="apart")
def mean_backward(
    dy: Tensor, data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``mean``: ``dy`` divided by the number of averaged elements."""
    # The number of averaged elements follows from both shapes.
    count = data.numel() / dy.numel() if dy.numel() else 1.0
    share = dy
    if count != 1:
        g = _to_sum_dtype(dy)
        share = torch.div(g, number(count, g.dtype, g.device)).to(dy.dtype)
    return copied(_with_reduced_axes(share, data, axis, exclude).expand(data.shape), out)


@kernel(out="apart", specialize=_fast_path(torch.amax))
def max(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the maximum over axes."""
    return _reduced(torch.amax, data, axis, keepdims, exclude, out)


@kernel(out="apart", specialize=_fast_path(torch.amin))
def min(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the minimum over axes."""
    return _reduced(torch.amin, data, axis, keepdims, exclude, out)


@kernel(out="apart")
def extreme_backward(
    dy: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    axis: Axis,
    keepdims: bool,
    exclude: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of a maximum or minimum ``y``: ``dy`` wherever ``data`` equals it."""
    extreme = data == _with_reduced_axes(y, data, axis, exclude)
    zero = number(0, dy.dtype, dy.device)
    return torch.where(
        extreme, _with_reduced_axes(dy, data, axis, exclude), zero, out=out_buffer(out)
    )


# Ties: each equal element gets the whole gradient, as in MXNet.
@kernel(out="apart")
def extreme_sum(
    values: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    axis: Axis,
    keepdims: bool,
    exclude: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the sum of ``values`` where ``data`` equals ``y``."""
    extreme = data == _with_reduced_axes(y, data, axis, exclude)
    selected = torch.where(extreme, values, number(0, values.dtype, values.device))
    return sum(selected, axis=axis, keepdims=keepdims, exclude=exclude, out=out)


@kernel(out="apart")
def prod(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the product over axes."""
    y = _reduced(_prod, _to_sum_dtype(data), axis, keepdims, exclude, out)
    return _narrowed(y, data, out)


@kernel(out="apart")
def nansum(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the sum over axes, nan counted as 0."""
    values = replace_nan(data, data, value=0.0)
    return sum(values, axis=axis, keepdims=keepdims, exclude=exclude, out=out)


@kernel(out="apart")
def nanprod(
    data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the product over axes, nan counted as 1."""
    values = replace_nan(data, data, value=1.0)
    return prod(values, axis=axis, keepdims=keepdims, exclude=exclude, out=out)


@kernel(pointwise=True)
def replace_nan(data: Tensor, where: Tensor, *, value: float, out: Out = None) -> Tensor:
    """Return ``data``, but ``value`` where ``where`` is nan."""
    if is_integer(where):
        return copied(data, out)
    own = number(value, data.dtype, data.device)
    return torch.where(torch.isnan(where), own, data, out=out_buffer(out))


def _length(ord: int) -> Callable[..., Tensor]:
    """Return a function that computes the L1 or L2 norm over axes."""

    def length(
        data: Tensor,
        axes: tuple[int, ...] | None = None,
        *,
        keepdim: bool = False,
        out: Tensor | None = None,
    ) -> Tensor:
        return torch.linalg.vector_norm(data, ord, axes, keepdim, out=out)

    return length


_LENGTHS = {1: _length(1), 2: _length(2)}


@kernel(out="apart")
def norm(
    data: Tensor,
    *,
    ord: int,
    axis: Axis,
    out_dtype: str | None,
    keepdims: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the L1 or L2 norm over axes."""
    # vector_norm scales, so it does not overflow; powers are for other dtypes.
    if out is None and out_dtype is None and data.dtype in PLAIN:
        return _reduced(_LENGTHS[ord], data, axis, keepdims)
    values = _to_mean_dtype(data)
    powers = torch.abs(values) if ord == 1 else torch.square(values)
    y = _reduced(_sum, powers, axis, keepdims)
    if ord == 2:
        y.sqrt_()
    dtype = data.dtype if out_dtype is None else torch_type(out_dtype)
    return stored(y.to(dtype), out)


@kernel(out="apart")
def norm_backward(
    dy: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    ord: int,
    axis: Axis,
    keepdims: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of a norm: ``dy`` times the direction of ``data``, 0 for vectors of 0."""
    dtype = accumulator(data.dtype)
    dy = dy.to(dtype)
    if ord == 1:
        dx = torch.sign(data).to(dtype) * _with_reduced_axes(dy, data, axis)
    else:
        # The gradient of a norm of 0 is 0, not NaN.
        share = torch.where(y != 0, dy / y, 0).to(dtype)
        dx = _with_reduced_axes(share, data, axis) * data.to(dtype)
    return stored(dx.to(data.dtype), out)
