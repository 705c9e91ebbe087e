"""Export of pooling."""

from collections.abc import Sequence
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


def _surplus(
    call: Call, kernel: Sequence[int], strides: Sequence[int], pad: Sequence[int]
) -> list[int]:
    """Return for each axis how many elements the last window reads beyond the padding."""
    if call.params["pooling_convention"] == "valid":
        return [0] * len(kernel)
    sizes = call.out_shape_of(_spatial_axes(call))
    surplus = []
    for n, k, s, p, out in zip(_space(call), kernel, strides, pad, sizes, strict=True):
        # ONNX's ceil_mode omits last windows that begin in the padding; MXNet's does not.
        surplus.append(max(0, (out - 1) * s + k - n - 2 * p))
    return surplus


def _windows(call: Call, x: str) -> str:
    params = call.params
    kernel = list(params["kernel"])
    rank = len(kernel)
    strides = list(params["stride"] or (1,) * rank)
    pad = list(params["pad"] or (0,) * rank)
    kind = params["pool_type"]
    more = _surplus(call, kernel, strides, pad)
    # MXNet's first pooling compares with zeros in the padding, also for maxima.
    old = call.op_name == "Pooling_v1"
    if kind == "max":
        return _largest(call, x, kernel, strides, pad, more, zeros=old)
    counts = old or params["count_include_pad"] in (None, True)
    if kind == "avg" and not any(more):
        return call.op(
            "AveragePool",
            x,
            kernel_shape=kernel,
            strides=strides,
            pads=[*pad, *pad],
            count_include_pad=int(counts),
        )
    if kind == "lp" and params["p_value"] != 2:  # noqa: PLR2004
        powers = _signed_power(call, x)
        sums = _window_sums(call, powers, kernel, strides, pad, more, counts=True, mean=False)
        return _root(call, sums)
    if kind == "lp":
        x = _padded(call, x, pad, [p + m for p, m in zip(pad, more, strict=True)], 0.0)
        return call.op("LpPool", x, kernel_shape=kernel, strides=strides, p=params["p_value"])
    return _window_sums(call, x, kernel, strides, pad, more, counts=counts, mean=kind == "avg")


def _signed_power(call: Call, x: str) -> str:
    """Return ``x ** p`` with its sign, for p of 1 or 3; ONNX's LpPool takes magnitudes."""
    # MXNet has the powers 1, 2 and 3; 2 goes by LpPool.
    return x if call.params["p_value"] == 1 else call.op("Mul", call.op("Mul", x, x), x)


def _root(call: Call, y: str) -> str:
    return y if call.params["p_value"] == 1 else call.op("Pow", y, call.like(1 / 3))


def _largest(
    call: Call,
    x: str,
    kernel: list[int],
    strides: list[int],
    pad: list[int],
    more: list[int],
    *,
    zeros: bool,
) -> str:
    if zeros and any(pad):
        x, pad = _padded(call, x, pad, pad, 0.0), [0] * len(pad)
    end = [p + m for p, m in zip(pad, more, strict=True)]
    # ONNX refuses pads as large as the window.
    if any(p >= k for p, k in zip(end, kernel, strict=True)):
        x = _padded(call, x, pad, end, -np.inf)
    else:
        pads = [*pad, *end]
        return call.op("MaxPool", x, kernel_shape=kernel, strides=strides, pads=pads)
    return call.op("MaxPool", x, kernel_shape=kernel, strides=strides)


def _window_sums(
    call: Call,
    x: str,
    kernel: list[int],
    strides: list[int],
    pad: list[int],
    more: list[int],
    *,
    counts: bool,
    mean: bool,
) -> str:
    """Add nodes for the sum or the average of each pooling window, and return the name of the last.

    Args:
        call: The pooling node to export.
        x: Name of the input, ``[N, C, *space]``.
        kernel: Sizes of the window.
        strides: Strides of the window.
        pad: Padding before and after each axis, with zeros.
        more: Further padding after each axis, for a last window that extends beyond the edge.
        counts: Whether averages count the elements of ``pad``.
        mean: Return averages, not sums.
    """
    end = [p + m for p, m in zip(pad, more, strict=True)]
    whole = _padded(call, x, pad, end, 0.0)
    y = call.op("AveragePool", whole, kernel_shape=kernel, strides=strides)
    if not mean or old_average(call):
        size = prod(kernel)
        return y if mean else call.op("Mul", y, call.like(size))
    # AveragePool divides by the full size here; windows at the edge have fewer elements.
    shares = _window_counts(_space(call), kernel, strides, pad, end, counts=counts)
    if call.op_name == "_contrib_quantized_pooling":
        # The sums are integers; multiplying back leaves rounding errors.
        sums = call.op("Round", call.op("Mul", y, call.like(prod(kernel))))
        return call.op("Div", sums, call.constant(shares, call.dtype()))
    return call.op("Mul", y, call.constant(prod(kernel) / shares, call.dtype()))


def old_average(call: Call) -> bool:
    """Return whether averages always divide by the full window size."""
    return call.op_name == "Pooling_v1"


def _window_counts(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    pad: Sequence[int],
    end: Sequence[int],
    *,
    counts: bool,
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the number of elements in each window; ``counts``: including padding."""
    result = np.ones((1, 1), np.float64)
    for n, k, s, p, e in zip(sizes, kernel, strides, pad, end, strict=True):
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
