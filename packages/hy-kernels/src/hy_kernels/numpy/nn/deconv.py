"""Transposed convolution, computed as a convolution's gradient to the data, and its gradients."""

from typing import Any

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import (
    Windows,
    to_compute_dtype,
    to_first,
    to_last,
    to_storage_dtype,
)
from hy_kernels.numpy.nn.convolution._convolve import forward
from hy_kernels.numpy.nn.convolution._gradients import backward_data, backward_weight
from hy_kernels.windows import filled, geometry_by_axis


def _windows(
    data: Array,
    weight: Array,
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    adj: tuple[int, ...],
    target_shape: tuple[int, ...],
    num_group: int,
    **_: Any,
) -> Windows:
    """Return the windows of the corresponding convolution, from the result to ``data``."""
    if weight.shape[0] != data.shape[1] or data.shape[1] % num_group:
        raise ValueError(
            f"weight {weight.shape} in {num_group} groups does not fit the channels of data "
            f"{data.shape}"
        )
    size, kernel = data.shape[2:], weight.shape[2:]
    rank = len(kernel)
    stride, dilate, pad = geometry_by_axis(rank, stride, dilate, pad)
    spans = [
        s * (n - 1) + d * (k - 1) + 1
        for n, k, s, d in zip(size, kernel, stride, dilate, strict=True)
    ]
    if any(target_shape):
        # If the excess over target_shape is odd, one element more is cropped at the start.
        pad = tuple((span - n + 1) // 2 for span, n in zip(spans, target_shape, strict=True))
        result = tuple(target_shape)
    else:
        extra = filled(adj, 0, rank)
        result = tuple(n - 2 * p + a for n, p, a in zip(spans, pad, extra, strict=True))
    if min(pad) < 0 or min(result) < 1:
        raise ValueError(f"{size} with kernel {kernel} and padding {pad} gives no result")
    windows = Windows(
        size=result, kernel=kernel, stride=stride, dilate=dilate, pad=pad, number=size
    )
    if windows != Windows.of(result, kernel, stride, dilate, pad):
        raise ValueError(f"adj {adj} must be below stride {stride}")
    return windows


def _deconvolve(
    data: Array, weight: Array, windows: Windows, groups: int, out: OutBuffers
) -> Array:
    shape = (len(data), weight.shape[1] * groups, *windows.size)
    result = target(out, shape, data.dtype)
    return backward_data(data, weight, result, windows, groups)


@kernel(out="apart", threads=0)
def deconvolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    kernel: tuple[int, ...],
    num_filter: int,
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the transposed convolution of data and weight, plus bias."""
    x, w = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(weight), layout)
    if w.shape[1] * num_group != num_filter or w.shape[2:] != kernel:
        raise ValueError(f"weight {weight.shape} must have {num_filter} filters of kernel {kernel}")
    windows = _windows(x, w, num_group=num_group, **params)
    y = _deconvolve(x, w, windows, num_group, out)
    if bias is not None:
        if bias.shape != (num_filter,):
            raise ValueError(
                f"bias {bias.shape} must have one entry for each of {num_filter} filters"
            )
        y += to_compute_dtype(bias).reshape(-1, *(1,) * len(kernel))
    return to_last(to_storage_dtype(y, data.dtype), layout, out)


@kernel(out="apart", threads=0)
def deconvolution_project(
    data: Array,
    weight: Array,
    *,
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the transposed convolution of data and weight, without bias."""
    x, w = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(weight), layout)
    windows = _windows(x, w, num_group=num_group, **params)
    y = _deconvolve(x, w, windows, num_group, out)
    return to_last(to_storage_dtype(y, data.dtype), layout, out)


@kernel(out="apart", threads=0)
def deconvolution_backward_data(
    dy: Array,
    weight: Array,
    data: Array,  # only its type matters
    *,
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the gradient to the data: the convolution of ``dy`` with the weight."""
    g, w = to_first(to_compute_dtype(dy), layout), to_first(to_compute_dtype(weight), layout)
    x = to_first(data, layout)
    windows = _windows(x, w, num_group=num_group, **params)
    dx = forward(g, w, windows, num_group, out=out)
    return to_last(to_storage_dtype(dx, data.dtype), layout, out)


@kernel(out="apart", threads=0)
def deconvolution_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the gradient to the weight: the correlation of ``dy`` with the data."""
    g, x = to_first(to_compute_dtype(dy), layout), to_first(to_compute_dtype(data), layout)
    w = to_first(weight, layout)
    windows = _windows(x, w, num_group=num_group, **params)
    result = target(out, w.shape, accumulator(weight.dtype))
    dw = to_storage_dtype(backward_weight(x, g, result, windows, num_group), weight.dtype)
    return to_last(dw, layout, out)
