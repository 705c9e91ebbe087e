"""Pooling over windows: maximum, mean, sum or p-norm, and gradients."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import inf, prod
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, Type, by_params
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, PLAIN_NAMES, Tensor, copied
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._pool_axes import (
    by_axis,
    largest,
    maxima,
    slices_of,
    supports_axes,
    supports_size,
    to_first_largest,
)
from hy_kernels.torch.nn._pool_windows import PoolWindows, windows_of
from hy_kernels.torch.nn._window import (
    factor,
    flat_space,
    size_for,
    to_compute_dtype,
    to_first,
    to_last,
    to_storage_dtype,
)
from hy_kernels.windows import pooling_windows

Size = tuple[int, ...]
_aten = torch.ops.aten
_PLANE = 2  # axes of a plane; the other kind has three


def _planes(data: Tensor, layout: str | None) -> Tensor:
    """Return the data with channels first, and two or three spatial axes."""
    x = to_first(factor(data), layout)
    if x.ndim == _PLANE + 1:
        return x.unsqueeze(2)
    return x if x.ndim == _PLANE + 2 else to_compute_dtype(x)  # torch lacks means of narrow ones


def _in_layout(y: Tensor, like: Tensor, layout: str | None) -> Tensor:
    """Return the inverse of :func:`_planes`, in the dtype of ``like``."""
    y = y.squeeze(2) if like.ndim == _PLANE + 1 else y
    return to_storage_dtype(to_last(y, layout), like.dtype)


def _windows(data: Tensor, layout: str | None, geometry: tuple[Any, ...]) -> PoolWindows:
    space = to_first(data, layout).shape[2:]
    return windows_of(tuple(space), *geometry)


def _padded(x: Tensor, windows: PoolWindows, zero_pad: bool = False) -> Tensor:
    """Return the planes padded for max pooling: with zeros if ``zero_pad``, else lowest numbers."""
    return windows.padded_with_zeros(x) if zero_pad else windows.padded(x, -inf)


def _maxima(x: Tensor, windows: PoolWindows) -> Tensor:
    if supports_axes(x):
        return maxima(x, windows)
    padded = _padded(x, windows)
    pool = functional.max_pool2d if padded.ndim == _PLANE + 2 else functional.max_pool3d
    y: Tensor = pool(padded, *windows.arguments, ceil_mode=windows.ceil_mode)
    return y


def _argmax_positions(padded: Tensor, windows: PoolWindows) -> Tensor:
    """Return the flat index of the first maximum of each window."""
    flat = padded.ndim == _PLANE + 2
    operator = _aten.max_pool2d_with_indices if flat else _aten.max_pool3d_with_indices
    gaps = [1] * (padded.ndim - 2)
    if _has_many_channels(padded):
        # torch finds maxima of a CPU's images by vectors of channels if these are last.
        padded = padded.contiguous(memory_format=torch.channels_last)
    indices: Tensor = operator.default(padded, *windows.arguments, gaps, windows.ceil_mode)[1]
    return indices.contiguous()


def _has_many_channels(planes: Tensor) -> bool:
    lowest = COSTS.pool.channels
    return bool(planes.ndim == _PLANE + 2 and planes.is_cpu and planes.shape[1] >= lowest)


def _means(x: Tensor, windows: PoolWindows, include_pad: bool) -> Tensor:
    pool = functional.avg_pool2d if x.ndim == _PLANE + 2 else functional.avg_pool3d
    y: Tensor = pool(x, *windows.arguments, windows.ceil_mode, include_pad)
    return y


def _sums(x: Tensor, windows: PoolWindows) -> Tensor:
    x = windows.padded(x, 0)
    pool = functional.avg_pool2d if x.ndim == _PLANE + 2 else functional.avg_pool3d
    y: Tensor = pool(x, *windows.arguments, windows.ceil_mode, divisor_override=1)
    return y


def _root(total: Tensor, power: int) -> Tensor:
    """Return the ``power``-th root; for negative sums it is real if the power is odd."""
    if power == 1:
        return total
    # pow of a negative base is NaN for fractions; odd roots keep the sign.
    root = torch.abs(total).pow_(1 / power) if power % 2 else torch.pow(total, 1 / power)
    return torch.copysign(root, total) if power % 2 else root


def _is_whole_plane(windows: PoolWindows) -> bool:
    """Return whether there is one window, the whole plane."""
    return windows.kernel == windows.size and not any(windows.pad)


def _max_pooling(types: Sequence[Type | None], params: Mapping[str, Any]) -> Function | None:
    """Return max pooling of images specialised for float32 and float64, or None."""
    (data,) = types
    if data is None or len(data[0]) != _PLANE + 2 or 0 in data[0] or data[1] not in PLAIN_NAMES:
        return None
    layout = params["layout"]
    is_last = layout == "NHWC"
    space = data[0][1:3] if is_last else data[0][2:]
    windows = windows_of(tuple(space), *pooling_windows(params))
    if (
        params["pool_type"] != "max"
        or _is_whole_plane(windows)
        or layout not in (None, "NCHW", "NHWC")
    ):
        return None
    plan = slices_of(windows, 1 if is_last else 2)
    if not supports_size(prod(data[0]), is_last=is_last):
        plan = None

    def pool(data: Tensor) -> Tensor:
        if plan is not None and data.is_cpu:
            return largest(data, plan).contiguous()
        if is_last:
            return _maxima(data.permute(0, 3, 1, 2), windows).permute(0, 2, 3, 1).contiguous()
        return _maxima(data, windows).contiguous()

    return pool


@lru_cache(maxsize=1024)
def _direct(
    space: Size, pool_type: str, geometry: tuple[Any, ...], include_pad: bool
) -> Callable[[Tensor], Tensor] | None:
    """Return max or mean pooling of images as one call of torch, or None if it has none."""
    windows = windows_of(space, *geometry)
    is_mean, kernel, ceil = pool_type == "avg", windows.arguments, windows.ceil_mode
    if pool_type not in ("avg", "max") or (windows.borders and not _is_whole_plane(windows)):
        return None
    if _is_whole_plane(windows):
        reduce: Callable[..., Tensor] = torch.mean if is_mean else torch.amax
        return lambda x: reduce(x, (2, 3), True)
    if is_mean:
        means: Callable[..., Tensor] = functional.avg_pool2d
        return lambda x: means(x, *kernel, ceil, include_pad)
    return lambda x: (
        maxima(x, windows) if supports_axes(x) else torch.max_pool2d(x, *kernel, 1, ceil)
    )


def _fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of max or mean pooling that torch supports for any image size."""
    pool_type, kernel = params["pool_type"], params["kernel"]
    stride, pad = params["stride"] or (1, 1), params["pad"] or (0, 0)
    is_mean, is_global = pool_type == "avg", params["global_pool"]
    is_plane = all(len(each) == _PLANE for each in (kernel, stride, pad))
    is_standard = is_plane and all(2 * p <= k for p, k in zip(pad, kernel, strict=True))
    if params["layout"] not in (None, "NCHW") or pool_type not in ("avg", "max"):
        return None
    if not is_global and not (is_standard and params["pooling_convention"] == "valid"):
        return None
    arguments = size_for(kernel), size_for(stride), size_for(pad)
    include_pad = params["count_include_pad"] is not False

    def pool(data: Tensor) -> Tensor:
        if data.ndim != _PLANE + 2 or data.dtype not in PLAIN:
            return general(data)
        if is_global:
            y = torch.mean(data, (2, 3), True) if is_mean else torch.amax(data, (2, 3), True)
        elif is_mean:
            y = functional.avg_pool2d(data, *arguments, False, include_pad)
        elif supports_axes(data):
            return general(data)
        else:
            y = torch.max_pool2d(data, *arguments)
        return y.contiguous()

    return pool


@kernel(specialize=by_params(_fast_path, types=_max_pooling))
@with_integer_fallback(unless=lambda params: params["pool_type"] in ("max", "sum"))
def pooling(
    data: Tensor,
    *,
    kernel: Size,
    pool_type: str,
    global_pool: bool,
    cudnn_off: bool,
    pooling_convention: str,
    stride: Size,
    pad: Size,
    p_value: int | None,
    count_include_pad: bool | None,
    layout: str | None,
) -> Tensor:
    """Return the maximum, mean, sum or p-norm of each window."""
    geometry = kernel, stride, pad, global_pool, pooling_convention
    include_pad, power = count_include_pad is not False, p_value or 1
    if data.dtype in PLAIN and data.ndim == _PLANE + 2 and layout in (None, "NCHW"):
        direct = _direct(data.shape[2:], pool_type, geometry, include_pad)
        if direct is not None:  # most calls, without a detour
            return direct(data).contiguous()
    x, windows = _planes(data, layout), _windows(data, layout, geometry)
    if pool_type == "max":
        axes = tuple(range(2, x.ndim))
        whole = _is_whole_plane(windows)
        y = torch.amax(x, axes, True) if whole else _maxima(x, windows)
    elif pool_type == "avg" and _is_whole_plane(windows):
        y = torch.mean(x, tuple(range(2, x.ndim)), keepdim=True)
    elif pool_type == "avg" and not windows.borders:
        y = _means(x, windows, include_pad)
    elif pool_type == "lp":
        y = _root(_sums(x**power if power > 1 else x, windows), power)
    else:
        # torch's divisors differ from MXNet's over borders that are made, so sums are divided here.
        y = _sums(x, windows)
        if pool_type == "avg":
            y = y.div_(windows.areas(y, include_pad))
    return _in_layout(y, data, layout)


@kernel()
@with_integer_fallback()
def pooling_v1(data: Tensor, *, pool_type: str, **params: Any) -> Tensor:
    """Return the maximum, mean or sum of each window; padding counts as zeros."""
    x, windows = _planes(data, None), _windows(data, None, pooling_windows(params)).with_borders()
    if pool_type == "max":
        y = _maxima(_padded(x, windows, zero_pad=True), windows.inside())
    else:
        y = _sums(x, windows)
        if pool_type == "avg":
            y = y.div_(prod(windows.kernel))
    return _in_layout(y, data, None)


@kernel()
def pooling_max_backward(
    dy: Tensor, data: Tensor, *, layout: str | None, zero_pad: bool, **params: Any
) -> Tensor:
    """Return the gradient of maxima: ``dy`` at the first maximum of each window."""
    windows = _windows(data, layout, pooling_windows(params))
    windows = windows.with_borders() if zero_pad else windows
    x, g = _planes(data, layout), _planes(dy, layout)
    if by_axis(x) and not _has_many_channels(x):
        windows = windows.with_borders()
        dx = to_first_largest(g, _padded(x, windows, zero_pad), windows)
        return _in_layout(windows.without_padding(dx), data, layout)
    padded = _padded(x, windows, zero_pad)
    indices = _argmax_positions(padded, windows)
    gaps = [1] * (padded.ndim - 2)
    flat = padded.ndim == _PLANE + 2
    operator = (
        _aten.max_pool2d_with_indices_backward if flat else _aten.max_pool3d_with_indices_backward
    )
    dx = operator.default(g, padded, *windows.arguments, gaps, windows.ceil_mode, indices)
    return _in_layout(windows.without_padding(dx), data, layout)


@kernel()
def pooling_max_select(
    values: Tensor, data: Tensor, *, layout: str | None, zero_pad: bool, **params: Any
) -> Tensor:
    """Return ``values`` at the first maximum of each window of ``data``."""
    windows = _windows(data, layout, pooling_windows(params))
    windows = windows.with_borders() if zero_pad else windows
    indices = _argmax_positions(_padded(_planes(data, layout), windows, zero_pad), windows)
    selected = flat_space(windows.padded(_planes(values, layout), 0))
    y = selected.gather(2, flat_space(indices)).view(indices.shape)
    return _in_layout(y, values, layout)


def _sum_gradient(dy: Tensor, like: Tensor, windows: PoolWindows) -> Tensor:
    """Return the gradient of sums over windows: each element sums ``dy`` over its windows."""
    flat = like.ndim == _PLANE + 2
    operator = _aten.avg_pool2d_backward if flat else _aten.avg_pool3d_backward
    planes = like.new_empty((*like.shape[:2], *windows.padded_size()))  # only its type matters
    geometry = (*windows.arguments, windows.ceil_mode, True, 1)
    return windows.without_padding(operator.default(dy.contiguous(), planes, *geometry))


@kernel()
@with_integer_fallback()
def pooling_sum_backward(
    dy: Tensor,
    data: Tensor,  # only its type matters
    *,
    pool_type: str,
    count_include_pad: bool | None,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the gradient of sums, or of means: ``dy`` at every element of each window."""
    x, g, windows = (
        _planes(data, layout),
        _planes(dy, layout),
        _windows(data, layout, pooling_windows(params)),
    )
    if pool_type == "avg":
        g = g / windows.areas(g, count_include_pad is not False)
    dx = copied(g.expand(x.shape)) if params["global_pool"] else _sum_gradient(g, x, windows)
    return _in_layout(dx, data, layout)


@kernel()
@with_integer_fallback()
def pooling_lp_backward(
    dy: Tensor,
    data: Tensor,
    output: Tensor,
    *,
    p_value: int | None,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return ``dy · (data / output)^(p - 1)``, the gradient of p-norms; zero where they are."""
    windows = _windows(data, layout, pooling_windows(params))
    x, y, g = (_planes(each, layout) for each in (data, output, dy))
    power = (p_value or 1) - 1
    if power:
        # 0 / 0 where the whole window is 0.
        g = torch.where(y == 0, 0, g / y**power)
    dx = _sum_gradient(g, x, windows)
    return _in_layout(dx * x**power if power else dx, data, layout)
