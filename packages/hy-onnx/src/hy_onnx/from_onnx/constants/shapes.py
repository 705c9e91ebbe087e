"""Constant folding of reshape, slice, concat, tile and pad operators."""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from hy_ndarray import numpy_type
from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, planner
from hy_onnx.from_onnx.dtypes import DTYPES, dtype_code
from hy_onnx.from_onnx.value import whole_numbers
from hy_onnx.from_onnx.versions import pad_parts, slice_parts, split_sizes, tile_counts
from hy_onnx.model import Array

__all__: list[str] = []

_MODES = ("constant", "edge", "reflect", "wrap")


def _view_plan(x: Array, shape: Sequence[int]) -> Plan:
    if math.prod(shape) != x.size:
        raise ValueError(f"cannot reshape {x.size} elements into {tuple(shape)}")
    return Plan(tuple(shape), x.dtype, lambda: x.reshape(shape))


@planner("Reshape")
def _reshape(call: Call) -> Plan:
    x, wanted = call.known(0, "its data"), call.ints("shape", 1) or []
    shape = list(wanted)
    if not call.attr("allowzero", 0):
        # 0 keeps a size unless allowzero is set.
        shape = [x.shape[i] if n == 0 else n for i, n in enumerate(wanted)]
    if shape.count(-1) == 1:
        rest = math.prod(n for n in shape if n != -1)
        shape[shape.index(-1)] = x.size // max(rest, 1)
    return _view_plan(x, shape)


@planner("Flatten")
def _flatten(call: Call) -> Plan:
    x, axis = call.known(0, "its data"), call.attr("axis", 1)
    if not -x.ndim <= axis <= x.ndim:
        raise ValueError(f"axis={axis} is outside the {x.ndim} axes of the data")
    axis = axis + x.ndim if axis < 0 else axis
    return _view_plan(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@planner("Squeeze")
def _squeeze(call: Call) -> Plan:
    x, axes = call.known(0, "its data"), call.ints("axes", 1)
    if axes is None:
        axes = [i for i, n in enumerate(x.shape) if n == 1]
    removed = {_axis(i, x.ndim) for i in axes}
    return _view_plan(x, [n for i, n in enumerate(x.shape) if i not in removed])


@planner("Unsqueeze")
def _unsqueeze(call: Call) -> Plan:
    x, axes = call.known(0, "its data"), call.ints("axes", 1) or []
    rank = x.ndim + len(axes)
    new, sizes = {_axis(i, rank) for i in axes}, iter(x.shape)
    if len(new) != len(axes):
        raise ValueError(f"axes={axes} name an axis twice")
    return _view_plan(x, [1 if i in new else next(sizes) for i in range(rank)])


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} is outside the {rank} axes")
    return axis % rank


@planner("Transpose")
def _transpose(call: Call) -> Plan:
    x = call.known(0, "its data")
    order = call.attr("perm") or list(range(x.ndim))[::-1]
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"perm={list(order)} is no order of {x.ndim} axes")
    return Plan(tuple(x.shape[i] for i in order), x.dtype, lambda: x.transpose(order))


@planner("Size")
def _size(call: Call) -> Plan:
    x = call.known(0, "its data")
    return Plan((), np.dtype(np.int64), lambda: np.int64(x.size))


@planner("Concat")
def _concat(call: Call) -> Plan:
    parts = [call.known(i, "a part") for i in range(len(call.operands))]
    axis = _axis(call.attr("axis", 1), parts[0].ndim)
    if any(x.ndim != parts[0].ndim for x in parts):
        raise ValueError(f"arrays of {[x.ndim for x in parts]} axes cannot be concatenated")
    shape = list(parts[0].shape)
    shape[axis] = sum(x.shape[axis] for x in parts)
    return Plan(tuple(shape), parts[0].dtype, lambda: np.concatenate(parts, axis))


@planner("Split")
def _split(call: Call) -> list[Plan]:
    x = call.known(0, "its data")
    axis = _axis(call.attr("axis", 0), x.ndim)
    sizes = split_sizes(call, x.shape[axis])
    if sum(sizes) != x.shape[axis] or min(sizes, default=0) < 0:
        raise ValueError(f"parts {sizes} do not add up to an axis of size {x.shape[axis]}")
    begins = accumulate(sizes, initial=0)
    return [_slice_plan(x, axis, begin, n) for begin, n in zip(begins, sizes, strict=False)]


def _slice_plan(x: Array, axis: int, begin: int, size: int) -> Plan:
    where = (*[slice(None)] * axis, slice(begin, begin + size))
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    return Plan(shape, x.dtype, lambda: x[where])


@planner("Slice")
def _slice(call: Call) -> Plan:
    x = call.known(0, "its data")
    where = slice_parts(call, x.ndim)
    sizes = (len(range(*part.indices(n))) for part, n in zip(where, x.shape, strict=True))
    return Plan(tuple(sizes), x.dtype, lambda: x[tuple(where)])


@planner("Expand")
def _expand(call: Call) -> Plan:
    x, wanted = call.known(0, "its data"), whole_numbers(call.known(1, "shape"))
    shape = np.broadcast_shapes(x.shape, tuple(wanted))
    return Plan(shape, x.dtype, lambda: np.broadcast_to(x, shape))


@planner("Tile")
def _tile(call: Call) -> Plan:
    x = call.known(0, "its data")
    counts = tile_counts(call, x.ndim)
    if len(counts) != x.ndim or min(counts, default=0) < 0:
        raise ValueError(f"repeats={counts} must have a number for each of {x.ndim} axes")
    shape = tuple(n * count for n, count in zip(x.shape, counts, strict=True))
    return Plan(shape, x.dtype, lambda: np.tile(x, counts))


@planner("Pad")
def _pad(call: Call) -> Plan | None:
    x, mode = call.known(0, "its data"), call.attr("mode", "constant")
    begin, end, value = pad_parts(call, x.ndim)
    if mode not in _MODES or min(*begin, *end, 0) < 0:
        return None
    shape = tuple(n + a + b for n, a, b in zip(x.shape, begin, end, strict=True))
    options: dict[str, Any] = {"mode": mode}
    if mode == "constant":
        options["constant_values"] = value
    width = list(zip(begin, end, strict=True))
    return Plan(shape, x.dtype, lambda: np.pad(x, width, **options))


@planner("ConstantOfShape")
def _constant_of_shape(call: Call) -> Plan:
    shape = tuple(whole_numbers(call.known(0, "shape")))
    number = np.asarray(call.attr("value", np.zeros(1, np.float32))).reshape(-1)
    return Plan(shape, number.dtype, lambda: np.full(shape, number[0]))


@planner("EyeLike")
def _eye_like(call: Call) -> Plan | None:
    x, code = call.known(0, "its example"), dtype_code(call.attr("dtype"))
    if code is not None and code not in DTYPES:
        return None
    dtype = x.dtype if code is None else np.dtype(numpy_type(DTYPES[code]))
    rows, columns = x.shape
    return Plan((rows, columns), dtype, lambda: np.eye(rows, columns, call.attr("k", 0)))


@planner("Trilu")
def _triangle(call: Call) -> Plan:
    x = call.known(0, "its data")
    k = whole_numbers(call.known(1, "k"))[0] if call.has(1) else 0
    # Clipped, as numpy takes no k of any size.
    k = max(-x.shape[-2] - 1, min(k, x.shape[-1] + 1))
    cut = np.triu if call.attr("upper", 1) else np.tril
    return Plan(x.shape, x.dtype, lambda: cut(x, k), work=2 * x.size)
