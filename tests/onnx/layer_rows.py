"""Products, layers, images and quantization: without attributes, and with each."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.onnx.node_values import (
    F32,
    I8,
    I32,
    U8,
    floats,
    inside,
    ints,
    of,
    positive,
    wholes,
)
from tests.onnx.nodes import Row

__all__ = ["ROWS"]


def _products() -> Iterator[Row]:
    yield of("MatMul", floats(2, 3), floats(3, 4))
    yield of("MatMul", floats(2, 2, 3), floats(3, 4))
    yield of("MatMul", floats(3), floats(3))
    yield of("MatMul", floats(2, 2, 3), floats(2, 3, 4))
    yield of("MatMul", floats(3), floats(2, 3, 4))
    yield of("MatMul", wholes(2, 3, dtype=I32), wholes(3, 4, dtype=I32))
    a, b = floats(2, 3), floats(3, 4)
    yield of("Gemm", a, b, since=11)
    yield of("Gemm", a, b, floats(2, 4))
    yield of("Gemm", a, b, floats(4), since=7)
    yield of("Gemm", a, b, floats(4), broadcast=1, until=6)
    yield of("Gemm", a, b, floats(2, 1), since=7, alpha=0.5, beta=2.0)
    yield of("Gemm", a.T.copy(), b, floats(2, 4), transA=1)
    yield of("Gemm", a, b.T.copy(), floats(2, 4), transB=1)
    yield of("Gemm", a, b.T.copy(), floats(1), since=7, transB=1)
    yield of("Gemm", a, b.T.copy(), floats(4), since=7, transB=1)
    yield of("Einsum", a, b, equation="ij,jk->ik")
    yield of("Einsum", floats(2, 3, 4), equation="bij->bji")
    yield of("Einsum", floats(3, 3), equation="ii")
    yield of("Det", floats(2, 3, 3))
    yield of("Det", floats(3, 3))


def _layers() -> Iterator[Row]:
    image, line = floats(1, 4, 7, 6), floats(2, 3, 9)
    for feeds in ((image, floats(2, 4, 3, 3)), (image, floats(2, 4, 3, 3), floats(2))):
        yield of("Conv", *feeds)
        yield of("Conv", *feeds, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 1])
        yield of("Conv", *feeds, pads=[0, 1, 2, 1], dilations=[2, 1])
        for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            yield of("Conv", *feeds, auto_pad=pad, strides=[2, 2])
    yield of("Conv", image, floats(4, 2, 3, 3), group=2)
    yield of("Conv", line, floats(2, 3, 3))
    yield of("Conv", line, floats(2, 3, 1), auto_pad="SAME_UPPER", strides=[3])
    yield of("ConvTranspose", image, floats(4, 2, 3, 3))
    yield of("ConvTranspose", image, floats(4, 2, 3, 3), floats(2), strides=[2, 2])
    yield of("ConvTranspose", image, floats(4, 2, 3, 3), strides=[2, 2], output_padding=[1, 1])
    yield of("ConvTranspose", image, floats(4, 2, 3, 3), pads=[1, 0, 0, 1], dilations=[1, 2])
    yield of("ConvTranspose", image, floats(4, 2, 3, 3), strides=[2, 2], output_shape=[14, 12])
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield of("ConvTranspose", image, floats(4, 2, 3, 3), auto_pad=pad, strides=[2, 2])
    yield of("ConvTranspose", image, floats(4, 1, 3, 3), group=4)
    for op in ("MaxPool", "AveragePool", "LpPool"):
        yield of(op, image, kernel_shape=[3, 2])
        yield of(op, image, kernel_shape=[3, 2], strides=[2, 2])
        yield of(op, image, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        yield of(op, line, kernel_shape=[3], strides=[2])
        for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            yield of(op, image, kernel_shape=[3, 3], strides=[2, 2], auto_pad=pad)
        yield of(op, image, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1, since=10)
        yield of(op, image, kernel_shape=[2, 2], dilations=[2, 2], since=10)
        yield of(op, image, kernel_shape=[1, 1], strides=[3, 3], auto_pad="SAME_UPPER")
    yield of("MaxPool", image, kernel_shape=[3, 3], pads=[0, 1, 1, 1])
    pads: dict[str, Any] = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    yield of("AveragePool", image, count_include_pad=1, since=7, **pads)
    yield of("LpPool", image, kernel_shape=[2, 2], p=1)
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        yield of(op, image)
        yield of(op, line)
    yield of("GlobalLpPool", image, p=1)


def _norms() -> Iterator[Row]:
    x = floats(2, 4, 5, 3)
    four = [positive(4), floats(4), floats(4), positive(4)]
    yield of("BatchNormalization", x, *four, since=7)
    yield of("BatchNormalization", x, *four, since=7, epsilon=0.01)
    yield of("BatchNormalization", x, *four, until=6, is_test=1, consumed_inputs=[0, 0, 0, 1, 1])
    yield of("BatchNormalization", floats(3, 4), *four, since=7)
    yield of("InstanceNormalization", x, positive(4), floats(4), consumed_inputs=[0, 0, 0])
    yield of("InstanceNormalization", x, positive(4), floats(4), epsilon=0.1)
    yield of("LayerNormalization", x, positive(3), outputs=3)
    yield of("LayerNormalization", x, positive(3), floats(3))
    yield of("LayerNormalization", x, positive(5, 3), floats(5, 3), axis=2)
    yield of("LayerNormalization", x, positive(3), floats(3), epsilon=0.1, axis=-1)
    yield of("RMSNormalization", x, positive(3))
    yield of("RMSNormalization", x, positive(5, 3), axis=-2, epsilon=0.1)
    yield of("GroupNormalization", x, positive(2), floats(2), num_groups=2, until=20)
    yield of("GroupNormalization", x, positive(4), floats(4), num_groups=2, since=21)
    yield of("GroupNormalization", x, positive(4), floats(4), num_groups=4, epsilon=0.1)
    for size in (1, 3, 2):
        yield of("LRN", x, size=size)
    yield of("LRN", x, size=3, alpha=0.5, beta=0.5, bias=2.0)
    for p in (1, 2):
        yield of("LpNormalization", x, p=p)
        yield of("LpNormalization", x, p=p, axis=1)
    yield of("MeanVarianceNormalization", x)
    yield of("MeanVarianceNormalization", x, axes=[1, 2])


def _recurrent() -> Iterator[Row]:
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        x = floats(5, 2, 3)
        for kind, count in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            how: dict[str, Any] = {
                "W": floats(count, gates * 4, 3),
                "R": floats(count, gates * 4, 4),
                "hidden_size": 4,
                "outputs": 3,
                "output_sequence": 1,
            }
            if kind != "forward":
                how["direction"] = kind
            yield of(op, x, **how, since=7)
            bias = floats(count, 2 * gates * 4)
            yield of(op, x, **how, B=bias, since=7)
            lengths = np.array([5, 3], I32)
            yield of(op, x, **how, B=bias, sequence_lens=lengths, since=7)
            yield of(op, x, **how, B=bias, initial_h=floats(count, 2, 4), since=7)
            if op == "GRU":
                yield of(op, x, **how, B=bias, linear_before_reset=1, since=7)
            if op == "LSTM":
                yield of(op, x, **how, B=bias, initial_c=floats(count, 2, 4), since=7)
    one: dict[str, Any] = {"W": floats(1, 4, 3), "R": floats(1, 4, 4), "hidden_size": 4}
    yield of("RNN", floats(5, 2, 3), **one, outputs=2, activations=["Relu"], since=7)


def _images() -> Iterator[Row]:
    x = floats(1, 2, 3, 4)
    twice = np.array([1, 1, 2, 2], F32)
    yield of("Upsample", x, scales=twice, width_scale=2.0, height_scale=2.0)
    yield of("Upsample", x, scales=twice, mode="linear", since=7)
    yield of("Resize", x, scales=twice)
    yield of("Resize", x, scales=twice, mode="linear")
    yield of("Resize", x, scales=np.array([1, 1, 1.5, 2], F32))
    yield of("Resize", x, sizes=ints(1, 2, 6, 8), since=11)
    for place in ("asymmetric", "align_corners", "half_pixel", "pytorch_half_pixel"):
        for mode in ("nearest", "linear"):
            where: dict[str, Any] = {"coordinate_transformation_mode": place, "mode": mode}
            yield of("Resize", x, sizes=ints(1, 2, 6, 8), since=11, **where)
            yield of("Resize", x, sizes=ints(1, 2, 5, 3), since=11, **where)
    for nearest in ("floor", "ceil", "round_prefer_ceil"):
        near: dict[str, Any] = {"nearest_mode": nearest}
        near["coordinate_transformation_mode"] = "asymmetric"
        yield of("Resize", x, scales=twice, since=11, **near)
    grid = inside(1, 3, 3, 2)
    yield of("GridSample", x, grid)
    for mode in ("linear", "bilinear", "nearest"):
        yield of("GridSample", x, grid, align_corners=1, mode=mode)
    yield of("GridSample", x, grid, padding_mode="border", align_corners=1)
    boxes, numbers = np.array([[0, 0, 2, 2], [1, 0, 3, 2]], F32), ints(0, 0)
    yield of("RoiAlign", x, boxes, numbers)
    yield of("RoiAlign", x, boxes, numbers, output_height=2, output_width=3, sampling_ratio=2)
    yield of("RoiAlign", x, boxes, numbers, output_height=2, spatial_scale=0.5)
    yield of("RoiAlign", x, boxes, numbers, mode="max")
    rois = np.array([[0, 0, 0, 2, 2]], F32)
    yield of("MaxRoiPool", x, rois, pooled_shape=[2, 2])
    yield of("Col2Im", floats(1, 8, 4), image_shape=ints(5, 2), block_shape=ints(2, 2)[:2])
    yield of("DFT", floats(1, 6, 1), axis=np.int64(1))
    yield of("DFT", floats(1, 6, 1), onesided=1, axis=np.int64(1))
    yield of("DFT", floats(1, 6, 2), inverse=1, axis=np.int64(1))


def _quantized() -> Iterator[Row]:
    x = floats(2, 3, 4)
    scale: dict[str, Any] = {"y_scale": np.float32(0.02), "x_scale": np.float32(0.02)}
    yield of("QuantizeLinear", x, **scale)
    yield of("QuantizeLinear", x, **scale, y_zero_point=np.uint8(100))
    yield of("QuantizeLinear", x, **scale, y_zero_point=np.int8(-3))
    each: dict[str, Any] = {"y_scale": positive(3) / F32(50), "x_scale": positive(3) / F32(50)}
    zeros = wholes(3, dtype=I8)
    yield of("QuantizeLinear", x, **each, y_zero_point=zeros, since=13)
    yield of(
        "QuantizeLinear", x, y_scale=positive(4), y_zero_point=wholes(4, dtype=I8), axis=2, since=13
    )
    q = wholes(2, 3, 4, dtype=I8, low=-100, high=100)
    yield of("DequantizeLinear", q, **scale)
    yield of("DequantizeLinear", q, **scale, x_zero_point=np.int8(5))
    yield of("DequantizeLinear", q, **each, x_zero_point=zeros, since=13)
    yield of("DequantizeLinear", q, x_scale=positive(2), axis=0, since=13)
    yield of("DequantizeLinear", wholes(3, dtype=I32), **scale)
    yield of("DynamicQuantizeLinear", x, outputs=3)
    a, b = wholes(2, 3, dtype=U8, low=0, high=200), wholes(3, 4, dtype=I8)
    yield of("MatMulInteger", a, b)
    yield of("MatMulInteger", a, b, a_zero_point=np.uint8(7), b_zero_point=np.int8(2))
    image, weight = (
        wholes(1, 2, 4, 4, dtype=U8, low=0, high=200),
        wholes(3, 2, 2, 2, dtype=U8, low=0),
    )
    yield of("ConvInteger", image, weight)
    yield of("ConvInteger", image, weight, x_zero_point=np.uint8(3), pads=[1, 1, 1, 1])


_FAMILIES = (_products, _layers, _norms, _recurrent, _images, _quantized)

ROWS: list[Row] = [row for family in _FAMILIES for row in family()]
