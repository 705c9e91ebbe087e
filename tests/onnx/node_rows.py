"""Functions of elements, shapes, indices and reductions: without attributes, and with each."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.onnx.node_values import (
    F16,
    F32,
    F64,
    I8,
    I32,
    U8,
    floats,
    inside,
    ints,
    of,
    positive,
    truths,
    wholes,
)
from tests.onnx.nodes import Row

__all__ = ["ROWS"]


def _unary() -> Iterator[Row]:
    plain = """Abs Ceil Cos Exp Floor Neg Relu Sigmoid Sign Sin Softplus Softsign Tan Tanh Sinh
        Cosh Atan Asinh Erf Identity IsNaN HardSwish Mish Round"""
    for op in plain.split():
        yield of(op, floats(2, 3, 4))
    for op in ("Log", "Sqrt", "Reciprocal"):
        yield of(op, positive(2, 3))
        yield of(op, positive(2, 3, dtype=F64))
    for op in ("Acos", "Asin", "Atanh"):
        yield of(op, inside(2, 3))
    yield of("Acosh", positive(2, 3) + 1)
    yield of("Round", np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.2], F32))
    for op in ("Abs", "Neg", "Sign"):
        yield of(op, wholes(2, 3))
        yield of(op, wholes(2, 3, dtype=I32))
    yield of("Relu", wholes(2, 3, dtype=I32), since=14)
    yield of("Not", truths(2, 3))
    yield of("BitwiseNot", wholes(2, 3))
    odd = np.array([np.inf, -np.inf, np.nan, 0, 1], F32)
    yield of("IsNaN", odd)
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        yield of("IsInf", odd, detect_negative=a, detect_positive=b)
    yield of("IsInf", odd)
    yield of("Sign", np.array([np.nan, 0.0, -0.0, 3], F32)[1:])


def _binary() -> Iterator[Row]:
    for op in ("Add", "Sub", "Mul", "Div"):
        yield of(op, floats(2, 3), positive(2, 3))
        yield of(op, floats(2, 3, 4), positive(3, 1), since=7)
        yield of(op, wholes(2, 3), wholes(2, 3, low=1))
        yield of(op, wholes(2, 3, dtype=I32), wholes(3, dtype=I32, low=1), since=7)
        yield of(op, floats(2, 3, 4), positive(4), broadcast=1, until=6)
        yield of(op, floats(2, 3, 4), positive(3), broadcast=1, axis=1, until=6)
        yield of(op, floats(2, 3, 4), positive(2, 3), broadcast=1, axis=0, until=6)
    yield of("Div", np.array([-7, 7, -7, 7]), np.array([2, 2, -2, -2]))
    yield of("Div", np.array([-7, 7, 5], I32), np.array([2], I32), since=7)
    yield of("Add", floats(2, 3, dtype=F16), floats(3, dtype=F16), since=7)
    yield of("Add", wholes(2, 3, dtype=U8, low=0), wholes(3, dtype=U8, low=0), since=14)
    yield of("Pow", positive(2, 3), floats(3), since=7)
    yield of("Pow", positive(2, 3), floats(2, 3))
    yield of("Pow", positive(2, 3, 4), floats(3), broadcast=1, axis=1, until=6)
    yield of("Pow", wholes(2, 3, low=1), wholes(3, low=0, high=4), since=12)
    yield of("Pow", wholes(2, 3, low=1), positive(3), since=12)
    yield of("Pow", positive(2, 3), wholes(3), since=12)
    for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        yield of(op, wholes(2, 3, dtype=I32), wholes(3, dtype=I32), since=7)
        yield of(op, floats(2, 3), floats(2, 1), since=11)
        yield of(op, wholes(2, 3), wholes(2, 3), since=7)
    for op in ("And", "Or", "Xor"):
        yield of(op, truths(2, 3), truths(3), since=7)
        yield of(op, truths(2, 3), truths(2), broadcast=1, axis=0, until=6)
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        yield of(op, wholes(2, 3, dtype=I32), wholes(3, dtype=I32))
    for op in ("Max", "Min", "Sum", "Mean"):
        yield of(op, floats(2, 3), floats(2, 3), floats(2, 3))
        yield of(op, floats(2, 3))
        yield of(op, floats(2, 1), floats(3), since=8)
    for op in ("Max", "Min"):
        yield of(op, wholes(2, 3), wholes(3), since=12)
    a, b = np.array([-7, 7, -7, 7, 5]), np.array([3, 3, -3, -3, 5])
    yield of("Mod", a, b)
    yield of("Mod", a, b, fmod=1)
    yield of("Mod", a.astype(I32), b.astype(I32))
    yield of("Mod", a / F32(2), b.astype(F32), fmod=1)
    yield of("Mod", a.astype(F32) / 2, b.astype(F32), fmod=1)
    yield of("Where", truths(2, 3), floats(2, 3), floats(3))
    yield of("Where", truths(2, 1), wholes(2, 3), wholes(3))
    yield of("PRelu", floats(2, 3, 4), floats(3, 1), since=7)
    yield of("PRelu", floats(2, 3, 4), floats(4), since=7)
    yield of("PRelu", floats(2, 3, 4), floats(1), since=7)
    yield of("PRelu", floats(2, 3, 4), floats(2, 3, 4))
    yield of("PRelu", floats(2, 3, 4), floats(3), until=6)
    yield of("PRelu", floats(2, 3, 4), floats(1), until=6)


def _activations() -> Iterator[Row]:
    x = floats(2, 3, 4)
    changes: list[tuple[str, str, Any]] = [
        ("LeakyRelu", "alpha", 0.3),
        ("Elu", "alpha", 0.5),
        ("Selu", "alpha", 1.5),
        ("Selu", "gamma", 2.0),
        ("Celu", "alpha", 2.0),
        ("HardSigmoid", "alpha", 0.4),
        ("HardSigmoid", "beta", 0.1),
        ("ThresholdedRelu", "alpha", 0.5),
        ("Shrink", "lambd", 1.0),
        ("Shrink", "bias", 0.25),
        ("Gelu", "approximate", "tanh"),
        ("Swish", "alpha", 2.0),
    ]
    for op, name, value in changes:
        yield of(op, x)
        yield of(op, x, **{name: value})
    yield of("Shrink", wholes(2, 5), bias=1.5)
    yield of("Shrink", wholes(2, 5, dtype=I32), lambd=1.5)
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield of(op, x)
        yield of(op, floats(2, 3))
        for axis in (0, 1, 2, -1, -2):
            yield of(op, x, axis=axis, since=1 if axis >= 0 else 11)
    yield of("Hardmax", np.array([[1, 2, 2], [3, 3, 1]], F32))
    yield of("Clip", x)
    yield of("Clip", x, min=np.float32(-1))
    yield of("Clip", x, max=np.float32(0.5))
    yield of("Clip", x, min=np.float32(-1), max=np.float32(0.5))
    yield of("Clip", x, min=np.float32(1), max=np.float32(-1), since=11)
    yield of("Clip", wholes(2, 3), min=np.int64(-2), max=np.int64(3), since=12)
    yield of("Clip", wholes(2, 3, dtype=I8), max=np.int8(3), since=12)
    for outputs in (1, 2):
        yield of("Dropout", x, outputs=outputs)
        yield of("Dropout", x, ratio=np.float32(0.3), outputs=outputs)
    yield of("Dropout", x, is_test=1, until=6)


def _casts() -> Iterator[Row]:
    x = np.array([-2.7, -0.5, 0, 0.4, 1.5, 2.7], F32)
    for code in (1, 6, 7, 9, 10, 11):
        yield of("Cast", x, to=code)
        yield of("Cast", wholes(2, 3, low=0), to=code)
        yield of("Cast", truths(4), to=code)
    yield of("Cast", np.abs(x), to=2)
    yield of("CastLike", x, ints(1))
    yield of("CastLike", wholes(3), floats(2))


def _shapes() -> Iterator[Row]:
    x, one = floats(2, 3, 4), floats(1, 3, 1, 2)
    for shape in ((4, 6), (0, -1), (-1,), (2, 0, 2, 2), (24,)):
        yield of("Reshape", x, shape=ints(*shape))
    yield of("Reshape", x, shape=ints(4, 6), allowzero=1)
    yield of("Reshape", wholes(2, 3), shape=ints(3, 2), since=5)
    for axis in (0, 1, 2, 3):
        yield of("Flatten", x, axis=axis)
    for axis in (-1, -2):
        yield of("Flatten", x, axis=axis, since=11)
    yield of("Flatten", x)
    yield of("Squeeze", one)
    yield of("Squeeze", one, axes=ints(0))
    yield of("Squeeze", one, axes=ints(0, 2))
    yield of("Squeeze", one, axes=ints(-2), since=11)
    yield of("Unsqueeze", x, axes=ints(0))
    yield of("Unsqueeze", x, axes=ints(3, 1))
    yield of("Unsqueeze", x, axes=ints(-1, 0), since=11)
    yield of("Transpose", x)
    yield of("Transpose", x, perm=[1, 2, 0])
    yield of("Size", x)
    yield of("Shape", x)
    yield of("Shape", x, start=1)
    yield of("Shape", x, start=-2, end=-1)
    yield of("Shape", x, end=10)


def _parts() -> Iterator[Row]:
    x = floats(2, 3, 4)
    yield of("Concat", x, floats(2, 3, 4), until=3)
    for axis in (0, 1, 2, -1):
        yield of("Concat", x, x, axis=axis, since=1 if axis >= 0 else 11)
    for axis in (0, 2, -1):
        yield of("Split", x, axis=axis, outputs=2, since=2 if axis >= 0 else 11, until=17)
        yield of("Split", x, axis=axis, outputs=2, num_outputs=2, since=18)
    yield of("Split", x, outputs=2, since=2, until=17)
    yield of("Split", floats(5, 2), outputs=3, num_outputs=3, since=18)
    yield of("Split", x, axis=1, split=ints(1, 2), outputs=2, since=2)
    yield of("Slice", x, starts=ints(1), ends=ints(2))
    yield of("Slice", x, starts=ints(0, 1), ends=ints(2, 3), axes=ints(0, 2))
    yield of("Slice", x, starts=ints(-2), ends=ints(2**31 - 1), axes=ints(2))
    yield of("Slice", x, starts=ints(1), ends=ints(-1), axes=ints(-1), since=10)
    yield of("Slice", x, starts=ints(-1), ends=ints(-9), axes=ints(2), steps=ints(-2), since=10)
    yield of("Slice", x, starts=ints(9), ends=ints(0), axes=ints(1), steps=ints(-1), since=10)
    yield of("Slice", x, starts=ints(0), ends=ints(9), axes=ints(2), steps=ints(3), since=10)
    yield of("Slice", x, starts=ints(3), ends=ints(1), axes=ints(2), since=10)
    yield of("Slice", x, starts=ints(9), ends=ints(12), axes=ints(2), since=10)
    low = ints(-(2**63))
    yield of("Slice", x, starts=ints(-1), ends=low, axes=ints(1), steps=ints(-1), since=10)


def _repeats() -> Iterator[Row]:
    x = floats(2, 3, 4)
    yield of("Expand", floats(3, 1), shape=ints(2, 3, 4))
    yield of("Expand", floats(3, 4), shape=ints(1, 4))
    yield of("Expand", floats(3, 1), shape=ints(1))
    yield of("Tile", x, repeats=ints(1, 2, 3), since=6)
    yield of("Tile", x, repeats=ints(0, 2, 3), since=6)
    yield of("DepthToSpace", floats(1, 8, 2, 3), blocksize=2)
    yield of("DepthToSpace", floats(1, 8, 2, 3), blocksize=2, mode="CRD", since=11)
    yield of("SpaceToDepth", floats(1, 2, 4, 6), blocksize=2)
    pads = ints(0, 1, 2, 1, 0, 1)
    image = floats(1, 2, 4, 5)
    around = ints(0, 0, 1, 2, 0, 0, 2, 1)
    yield of("Pad", x, pads=pads, since=2)
    yield of("Pad", image, pads=around, since=2)
    yield of("Pad", image, pads=around, paddings=around, value=1.5, until=10)
    yield of("Pad", image, pads=around, constant_value=np.float32(1.5), since=11)
    yield of("Pad", image, pads=ints(1, 2, 2, 1), axes=ints(2, -1), since=18)
    yield of("Pad", image, pads=ints(0, 0, -1, 1, 0, 0, 2, -1), since=2)
    for mode in ("edge", "reflect"):
        yield of("Pad", image, pads=around, mode=mode, since=2)
    yield of("Pad", wholes(2, 3), pads=ints(0, 1, 1, 0), since=13)


def _triangles() -> Iterator[Row]:
    yield of("Trilu", floats(3, 4))
    for k in (-1, 0, 2):
        yield of("Trilu", floats(2, 3, 4), k=np.int64(k), upper=0)
        yield of("Trilu", wholes(4, 3), k=np.int64(k))
    yield of("EyeLike", floats(3, 4))
    yield of("EyeLike", floats(3, 4), k=1, dtype=7)
    yield of("EyeLike", floats(3, 2), k=-2)
    x = floats(2, 3, 4)
    yield of("CumSum", x, axis=np.int64(1))
    yield of("CumSum", x, axis=np.int64(-1), exclusive=1)
    yield of("CumSum", wholes(2, 3), axis=np.int64(0), reverse=1)
    yield of("CumSum", x, axis=np.int64(2), reverse=1, exclusive=1)
    yield of("ConstantOfShape", input=ints(2, 3))
    yield of("ConstantOfShape", input=ints(2), value=np.array([7]))
    yield of("Range", start=np.int64(1), limit=np.int64(9), delta=np.int64(3))
    yield of("Range", start=np.int64(5), limit=np.int64(-4), delta=np.int64(-2))
    yield of("Range", start=np.float32(0.5), limit=np.float32(2), delta=np.float32(0.4))
    yield of("Range", start=np.int32(5), limit=np.int32(3), delta=np.int32(1))


def _indices() -> Iterator[Row]:
    x, rows = floats(4, 3, 2), np.array([[0, 3], [1, -1]])
    yield of("Gather", x, np.abs(rows))
    yield of("Gather", x, rows, since=11)
    yield of("Gather", x, ints(1, 0), axis=1)
    yield of("Gather", x, indices=np.int64(1), axis=2)
    yield of("Gather", wholes(5), np.array([0, 4], I32))
    yield of("GatherElements", floats(3, 4), np.array([[0, 1, 2, 0], [2, 2, 1, 1]]), axis=0)
    yield of("GatherElements", floats(3, 4), np.array([[0, -1], [2, 3], [1, 1]]), axis=1)
    yield of("GatherElements", floats(3, 4), np.array([[0, 1], [2, 2]]))
    yield of("GatherElements", floats(3), ints(2, 0))
    yield of("GatherND", x, np.array([[0, 1], [-1, 2]]))
    yield of("GatherND", x, np.array([[0], [3]]))
    yield of("GatherND", floats(2, 3, 4), np.array([[1], [0]]), batch_dims=1, since=12)
    yield of("ScatterND", floats(4, 3), np.array([[1], [3]]), floats(2, 3))
    yield of("ScatterND", floats(4, 3), np.array([[1, 2], [3, -1]]), floats(2))
    yield of("ScatterND", floats(4, 3), np.array([[1], [1]]), floats(2, 3), reduction="add")
    for op in ("Scatter", "ScatterElements"):
        yield of(op, floats(3, 3), np.array([[1, 0, 2], [0, 2, 1]]), floats(2, 3))
        yield of(op, floats(2, 5), np.array([[1, 3]]), floats(1, 2), axis=1)
    yield of("ScatterElements", floats(2, 5), np.array([[-1, -3]]), floats(1, 2), axis=-1)
    pair = np.array([2, 5], F32)
    yield of("OneHot", ints(0, 2, -1), depth=np.int64(3), values=pair)
    yield of("OneHot", ints(0, 2, 7, -9), depth=np.int64(3), values=pair)
    yield of("OneHot", wholes(2, 2, low=0, high=3), depth=np.int64(3), values=pair, axis=1)
    yield of(
        "OneHot", wholes(2, 2, low=0, high=3), depth=np.int64(3), values=np.array([0, 1]), axis=0
    )
    yield of("TopK", floats(3, 5), k=ints(2), K=ints(2), outputs=2)
    yield of("TopK", floats(3, 5), k=ints(2), K=ints(2), outputs=2, axis=0)
    yield of("TopK", floats(3, 5), k=ints(2), K=ints(2), outputs=2, largest=0, since=11)
    yield of("TopK", wholes(3, 5), k=ints(2), K=ints(2), outputs=2, since=11)
    yield of("TopK", np.array([[1, 2, 2, 1]], F32), k=ints(3), K=ints(3), outputs=2)
    yield of("Compress", floats(3, 4), np.array([True, False, True]), axis=0)
    yield of("Compress", floats(3, 4), np.array([False, True, True, False]), axis=1)
    yield of("Compress", floats(2, 2), np.array([False, True, True, False]))
    yield of("NonZero", np.array([[1, 0], [2, 3]], F32))
    yield of("NonZero", truths(2, 3, 2))
    yield of("ReverseSequence", floats(4, 3), ints(2, 3, 4))
    yield of("ReverseSequence", floats(3, 4), ints(2, 3, 4), batch_axis=0, time_axis=1)
    yield of("Unique", np.array([3, 1, 3, 2, 1], F32), outputs=4)
    yield of("Unique", np.array([3, 1, 3, 2, 1], F32), sorted=0, outputs=4)
    yield of("Unique", np.array([[1, 0], [1, 0], [2, 3]], F32), axis=0, outputs=4)


def _reductions() -> Iterator[Row]:
    plain = "Sum Mean Max Min Prod SumSquare L1 L2 LogSum LogSumExp"
    for op in (f"Reduce{name}" for name in plain.split()):
        x = positive(2, 3, 4)
        yield of(op, x)
        yield of(op, x, axes=ints(1))
        yield of(op, x, axes=ints(0, 2), keepdims=0)
        yield of(op, x, keepdims=0)
        yield of(op, x, axes=ints(-1), since=11)
        yield of(op, x, noop_with_empty_axes=1)
        yield of(op, positive(2, 3), axes=ints(0, 1), keepdims=0)
    for op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean", "ReduceL1"):
        yield of(op, wholes(2, 3, dtype=I32, low=1))
        yield of(op, wholes(2, 3, low=1), axes=ints(1))
    for op in ("ArgMax", "ArgMin"):
        x = floats(3, 4)
        yield of(op, x)
        yield of(op, x, axis=1)
        yield of(op, x, axis=1, keepdims=0)
        yield of(op, x, axis=-1, since=11)
        yield of(op, np.array([[1, 3, 3], [2, 1, 1]], F32), axis=1)
        yield of(op, np.array([[1, 3, 3], [2, 1, 1]], F32), axis=1, select_last_index=1)


_FAMILIES = (
    *(_unary, _binary, _activations, _casts, _shapes, _parts, _repeats, _triangles, _indices),
    _reductions,
)

ROWS: list[Row] = [row for family in _FAMILIES for row in family()]
