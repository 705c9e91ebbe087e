"""Export of pooling."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.convolution import first_layout, from_first, to_first
from hy_onnx.to_onnx.registry import converter

__all__ = ["pooled"]

_GLOBAL = {"max": "GlobalMaxPool", "avg": "GlobalAveragePool", "lp": "GlobalLpPool"}


def pooled(call: Call) -> str:
    """Add a pooling node in any layout; return the result's name."""
    params = call.params
    first = first_layout(params.get("layout"))
    rank = call.rank()
    x = call.x if first else to_first(call, call.x, rank)
    y = _global_pool(call, x) if params["global_pool"] else _windows(call, x)
    return y if first else from_first(call, y, rank)


converter("Pooling", "Pooling_v1")(pooled)


def _spatial_axes(call: Call) -> range:
    """Return the spatial axes of the first input, by its layout."""
    first = first_layout(call.params.get("layout"))
    return range(2, call.rank()) if first else range(1, call.rank() - 1)


def _space(call: Call) -> tuple[int, ...]:
    return call.shape_of(0, _spatial_axes(call))


def _global_pool(call: Call, x: str) -> str:
    kind, space = call.params["pool_type"], range(2, call.rank())
    if kind == "sum":
        return call.reduce("ReduceSum", x, space, keepdims=True)
    # ONNX's pools take magnitudes, while MXNet's powers 1 and 3 have signs.
    if kind == "lp" and call.params["p_value"] != 2:  # noqa: PLR2004
        return _root(call, call.reduce("ReduceSum", _signed_power(call, x), space, keepdims=True))
    return call.op(_GLOBAL[kind], x, p=call.params["p_value"] if kind == "lp" else None)


@dataclass(frozen=True, slots=True)
class _Window:
    """Window of a pooling node."""

    kernel: list[int]
    strides: list[int]
    pad: list[int]
    """Padding before and after each axis."""
    end: list[int]
    """Padding after each axis, as far as the last window reads, which may be beyond ``pad``."""


def _window_of(call: Call) -> _Window:
    params = call.params
    kernel = list(params["kernel"])
    strides = list(params["stride"] or (1,) * len(kernel))
    pad = list(params["pad"] or (0,) * len(kernel))
    if params["pooling_convention"] == "valid":
        return _Window(kernel, strides, pad, pad)
    # ONNX's ceil_mode omits last windows that begin in the padding; MXNet's does not.
    sizes = zip(_space(call), call.out_shape_of(_spatial_axes(call)), strict=True)
    windows = zip(sizes, kernel, strides, pad, strict=True)
    end = [max(p, (out - 1) * s + k - n - p) for (n, out), k, s, p in windows]
    return _Window(kernel, strides, pad, end)


def _windows(call: Call, x: str) -> str:
    params, window = call.params, _window_of(call)
    kernel, strides, pad = window.kernel, window.strides, window.pad
    kind = params["pool_type"]
    # MXNet's first pooling compares with zeros in the padding, also for maxima.
    old = call.op_name == "Pooling_v1"
    if kind == "max":
        return _largest(call, x, window, zeros=old)
    counts = old or params["count_include_pad"] in (None, True)
    if kind == "avg" and window.end == pad:
        return call.op(
            "AveragePool",
            x,
            kernel_shape=kernel,
            strides=strides,
            pads=[*pad, *pad],
            count_include_pad=int(counts),
        )
    if kind == "lp" and params["p_value"] != 2:  # noqa: PLR2004
        return _root(call, _window_sums(call, _signed_power(call, x), window))
    if kind == "lp":
        x = _padded(call, x, pad, window.end, 0.0)
        return call.op("LpPool", x, kernel_shape=kernel, strides=strides, p=params["p_value"])
    if kind == "avg":
        return _window_means(call, x, window, counts=counts, whole=old)
    return _window_sums(call, x, window)


def _signed_power(call: Call, x: str) -> str:
    """Return ``x ** p`` with its sign, for p of 1 or 3; ONNX's LpPool takes magnitudes."""
    # MXNet has the powers 1, 2 and 3; 2 goes by LpPool.
    return x if call.params["p_value"] == 1 else call.op("Mul", call.op("Mul", x, x), x)


def _root(call: Call, y: str) -> str:
    return y if call.params["p_value"] == 1 else call.op("Pow", y, call.like(1 / 3))


def _largest(call: Call, x: str, window: _Window, *, zeros: bool) -> str:
    pad = window.pad
    if zeros and any(pad):
        x, pad = _padded(call, x, pad, pad, 0.0), [0] * len(pad)
    # Zeros that are part of the data now are no padding any more.
    end = [e + now - p for e, now, p in zip(window.end, pad, window.pad, strict=True)]
    options = {"kernel_shape": window.kernel, "strides": window.strides}
    # ONNX refuses pads as large as the window.
    if any(p >= k for p, k in zip(end, window.kernel, strict=True)):
        return call.op("MaxPool", _padded(call, x, pad, end, -np.inf), **options)
    return call.op("MaxPool", x, pads=[*pad, *end], **options)


def _whole_means(call: Call, x: str, window: _Window) -> str:
    """Return the sum of each window over the number of its elements, padding included."""
    whole = _padded(call, x, window.pad, window.end, 0.0)
    return call.op("AveragePool", whole, kernel_shape=window.kernel, strides=window.strides)


def _window_sums(call: Call, x: str, window: _Window) -> str:
    """Return the sum of each window."""
    return call.op("Mul", _whole_means(call, x, window), call.like(prod(window.kernel)))


def _window_means(call: Call, x: str, window: _Window, *, counts: bool, whole: bool) -> str:
    """Return the mean of each window.

    Args:
        call: The pooling node to export.
        x: Name of the input, ``[N, C, *space]``.
        window: The window.
        counts: Whether means count the elements of ``pad``.
        whole: Whether they count all elements of a window, also those beyond ``pad``.
    """
    y = _whole_means(call, x, window)
    if whole:
        return y
    # AveragePool divides by the full size here; windows at the edge have fewer elements.
    size, shares = prod(window.kernel), _window_counts(_space(call), window, counts=counts)
    if call.op_name == "_contrib_quantized_pooling":
        # The sums are integers; multiplying back leaves rounding errors.
        sums = call.op("Round", call.op("Mul", y, call.like(size)))
        return call.op("Div", sums, call.constant(shares, call.dtype()))
    return call.op("Mul", y, call.constant(size / shares, call.dtype()))


def _window_counts(
    sizes: Sequence[int], window: _Window, *, counts: bool
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the number of elements in each window; ``counts``: including padding."""
    result = np.ones((1, 1), np.float64)
    each = zip(sizes, window.kernel, window.strides, window.pad, window.end, strict=True)
    for n, k, s, p, e in each:
        low, high = (-p, n + p) if counts else (0, n)
        begins = np.arange(0, n + p + e - k + 1, s) - p
        inside = np.minimum(begins + k, high) - np.maximum(begins, low)
        # At least 1, as windows inside the padding would divide by zero.
        result = result[..., None] * np.maximum(inside, 1)
    return result


def _padded(call: Call, x: str, begin: Sequence[int], end: Sequence[int], value: float) -> str:
    if not any([*begin, *end]):
        return x
    return call.op("Pad", x, call.ints(0, 0, *begin, 0, 0, *end), call.like(value))
