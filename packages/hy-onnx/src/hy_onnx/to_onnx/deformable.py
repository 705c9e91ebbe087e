"""Export of deformable convolution."""

import numpy as np
import numpy.typing as npt

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.convolution import window
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


def _deformable_layer(call: Call, *names: str | None) -> str:
    """Add ``DeformConv`` on ``names``: data, weight, offsets, bias and mask."""
    params = call.params
    rank = len(params["kernel"])
    return call.op(
        "DeformConv",
        *names,
        kernel_shape=list(params["kernel"]),
        pads=list(params["pad"] or (0,) * rank) * 2,
        offset_group=params["num_deformable_group"],
        **window(call, rank),
    )


def _check_version(call: Call) -> None:
    if call.opset < 19:  # noqa: PLR2004
        raise call.refused("deformable convolution needs opset_version=19 or later")


@converter("_contrib_ModulatedDeformableConvolution")
def _modulated(call: Call) -> str:
    _check_version(call)
    return _deformable_layer(call, *(call.names[i] for i in (0, 3, 1, 4, 2)))


@converter("_contrib_DeformableConvolution")
def _version_one(call: Call) -> str:
    """Export version 1, which samples zeros outside and clamps beyond the last pixel.

    ONNX interpolates with zeros on both sides of the edge, so positions after the last pixel are
    clamped to it, and a mask removes samples outside of the image.
    """
    _check_version(call)
    groups = call.params["num_deformable_group"]
    positions = _sampling_positions(call)
    sizes = np.array(call.shape_of(0, (2, 3))).reshape(2, 1, 1)
    dtype, (taps, _, rows, columns) = call.dtype(), positions.shape
    offsets = call.op("Reshape", call.name(1), call.ints(0, groups, taps, 2, rows, columns))
    low, end, last = (
        # ONNX reads beyond the edge with fading weights, MXNet's first version cuts off.
        call.constant(limit - positions, dtype)
        for limit in (np.zeros((2, 1, 1)), sizes, sizes - 1)
    )
    inside = call.op("And", call.op("GreaterOrEqual", offsets, low), call.op("Less", offsets, end))
    both = call.reduce("ReduceMin", call.cast(inside, dtype), [3], keepdims=False)
    mask = call.op("Reshape", both, call.ints(0, groups * taps, rows, columns))
    moved = call.op("Min", offsets, last)
    moved = call.op("Reshape", moved, call.ints(0, groups * taps * 2, rows, columns))
    bias = call.name(3) if call.has(3) else None
    return _deformable_layer(call, call.x, call.name(2), moved, bias, mask)


def _sampling_positions(call: Call) -> npt.NDArray[np.int64]:
    """Return positions without offsets of each window element, ``[taps, 2, *windows]``."""
    params, rank = call.params, 2
    along = []
    for axis, count in enumerate(call.out_shape_of((2, 3))):
        stride, dilate, pad = (
            (params[name] or (default,) * rank)[axis]
            for name, default in (("stride", 1), ("dilate", 1), ("pad", 0))
        )
        taps = np.arange(params["kernel"][axis]) * dilate - pad
        along.append(np.add.outer(taps, np.arange(count) * stride))
    down, right = along
    shape = len(down), len(right), down.shape[1], right.shape[1]
    rows = np.broadcast_to(down[:, None, :, None], shape)
    columns = np.broadcast_to(right[None, :, None, :], shape)
    return np.stack([rows, columns], axis=2).reshape(-1, 2, *shape[2:])
