"""Export of layers with weights: convolution, deconvolution, dense."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__ = ["first_layout", "from_first", "rows_of", "to_first", "window"]


def first_layout(layout: str | None) -> bool:
    """Return whether the layout is channels-first, such as ``NCHW``."""
    return layout is None or not layout.endswith("C")


def to_first(call: Call, x: str, rank: int) -> str:
    """Transpose from channels-last to channels-first."""
    return call.transpose(x, 0, rank - 1, *range(1, rank - 1))


def from_first(call: Call, x: str, rank: int) -> str:
    """Transpose from channels-first to channels-last."""
    return call.transpose(x, 0, *range(2, rank), 1)


def window(call: Call, rank: int) -> dict[str, Any]:
    """Return stride, dilation and groups of a convolution as ONNX attributes."""
    params = call.params
    return {
        "strides": list(params["stride"] or (1,) * rank),
        "dilations": list(params["dilate"] or (1,) * rank),
        "group": params["num_group"],
    }


def _both_ends(pad: Sequence[int], more: Sequence[int] = ()) -> list[int]:
    """Return ONNX's ``pads``: before all axes, then after all, there reduced by ``more``."""
    return [*pad, *(p - m for p, m in zip(pad, more or [0] * len(pad), strict=True))]


@converter("Convolution", "Convolution_v1")
def _convolution(call: Call) -> str:
    params = call.params
    rank = len(params["kernel"])
    pads = _both_ends(params["pad"] or (0,) * rank)
    options = window(call, rank)
    bias = call.name(2) if call.has(2) else None
    if first_layout(params["layout"]):
        return call.op(
            "Conv",
            call.x,
            call.name(1),
            bias,
            kernel_shape=list(params["kernel"]),
            pads=pads,
            **options,
        )
    axes = rank + 2
    x, weight = to_first(call, call.x, axes), to_first(call, call.name(1), axes)
    kernel = list(params["kernel"])
    y = call.op("Conv", x, weight, bias, kernel_shape=kernel, pads=pads, **options)
    return from_first(call, y, axes)


def _deconvolution_padding(call: Call, rank: int) -> list[int]:
    """Return ONNX's ``pads`` of a deconvolution; extra output is negative padding."""
    params = call.params
    if not params["target_shape"]:
        return _both_ends(params["pad"] or (0,) * rank, params["adj"] or (0,) * rank)
    first = first_layout(params["layout"])
    sizes = call.shape_of(0, range(2, rank + 2) if first else range(1, rank + 1))
    begin, end = [], []
    for i, (n, k) in enumerate(zip(sizes, params["kernel"], strict=True)):
        stride = (params["stride"] or (1,) * rank)[i]
        dilate = (params["dilate"] or (1,) * rank)[i]
        # target_shape: what is too long is cut off, an odd rest at the end.
        surplus = stride * (n - 1) + dilate * (k - 1) + 1 - params["target_shape"][i]
        begin.append((surplus + 1) // 2)
        end.append(surplus - (surplus + 1) // 2)
    return [*begin, *end]


@converter("Deconvolution")
def _deconvolution(call: Call) -> str:
    params = call.params
    rank = len(params["kernel"])
    first = first_layout(params["layout"])
    axes = rank + 2
    edges = _deconvolution_padding(call, rank)
    begin, end = edges[:rank], edges[rank:]
    added = [max(0, -p) for p in end]  # padding may not be negative
    options = {
        **window(call, rank),
        "kernel_shape": list(params["kernel"]),
        "pads": [*begin, *(max(0, p) for p in end)],
        "output_padding": added if any(added) else None,
    }
    bias = call.name(2) if call.has(2) else None
    x, weight = call.x, call.name(1)
    if not first:
        x, weight = to_first(call, x, axes), to_first(call, weight, axes)
    strides = options["strides"]
    # ONNX refuses output_padding of a stride, or of a dilation.
    if any(a >= max(s, d) for a, s, d in zip(added, strides, options["dilations"], strict=True)):
        raise call.refused(f"it adds {added} after its result, more than its strides {strides}")
    y = call.op("ConvTranspose", x, weight, bias, **options)
    return y if first else from_first(call, y, axes)


def rows_of(call: Call, x: str) -> tuple[str, int]:
    """Return a dense layer's input, flattened if the node says so, and its rank."""
    rank = call.rank()
    if not call.params["flatten"] or rank == 2:  # noqa: PLR2004
        return x, rank
    if rank == 1:
        return call.unsqueeze(x, 1), 2
    features = prod(call.shape_of(0, range(1, rank)))
    return call.reshape(x, (call.dims()[0], features)), 2


@converter("FullyConnected")
def _dense(call: Call) -> str:
    x, rank = rows_of(call, call.x)
    bias = call.name(2) if call.has(2) else None
    if rank == 2:  # noqa: PLR2004
        return call.op("Gemm", x, call.name(1), bias, transB=1)
    y = call.op("MatMul", x, call.op("Transpose", call.name(1), perm=[1, 0]))
    return y if bias is None else call.op("Add", y, bias)
