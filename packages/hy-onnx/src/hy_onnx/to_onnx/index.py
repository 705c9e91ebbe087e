"""Export of gather, scatter, sort and sequence operators."""

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__ = ["whole_indices"]


def whole_indices(call: Call, i: int, size: int | None, mode: str) -> str:
    """Return input ``i`` as int64 indices of an axis, wrapped or clipped by ``mode``.

    Args:
        call: The node.
        i: Position of the input with the indices.
        size: Size of the axis; None if all indices are in range.
        mode: ``"clip"``, ``"wrap"``, or ``"raise"``, which leaves errors to the runtime.
    """
    constant = call.value(i)
    indices = call.cast_from(call.name(i), call.dtype(i), "int64")
    # Gather itself raises for indices outside.
    if size is None or mode == "raise":
        return indices
    # Known indices inside of the range need no clipping.
    if (
        constant is not None
        and constant.size
        and int(constant.min()) >= 0
        and int(constant.max()) < size
    ):
        return indices
    if mode == "wrap":
        # Mod of integers has the sign of the divisor, so that negative indices wrap, too.
        return call.op("Mod", indices, call.constant(size, "int64"))
    return call.op("Clip", indices, call.constant(0, "int64"), call.constant(size - 1, "int64"))


@converter("Embedding", "_contrib_SparseEmbedding")
def _embedded(call: Call) -> str:
    """Add an embedding lookup: a row of input 1 for each index in input 0."""
    rows = whole_indices(call, 0, call.size(1, 0), "clip")
    return call.op("Gather", call.name(1), rows, axis=0)


@converter("take")
def _take(call: Call) -> str:
    axis, mode = call.axis(call.params["axis"]), call.params["mode"]
    size = None if mode == "raise" else call.size(0, axis)
    return call.op("Gather", call.x, whole_indices(call, 1, size, mode), axis=axis)


@converter("pick")
def _pick(call: Call) -> str:
    params = call.params
    axis = call.axis(params["axis"])
    selected = whole_indices(call, 1, call.size(0, axis), params["mode"])
    if call.rank(1) != call.rank():
        selected = call.unsqueeze(selected, axis) if call.rank() > 1 else selected
    y = call.op("GatherElements", call.x, selected, axis=axis)
    return y if params["keepdims"] or call.rank() == 1 else call.squeeze(y, axis)


@converter("one_hot")
def _one_hot(call: Call) -> str:
    params = call.params
    dtype = call.out_dtype()
    # ONNX's OneHot counts negative indices from the end, which MXNet takes for no class.
    selected = call.constant(np.arange(params["depth"]), "int64")
    indices = call.unsqueeze(call.cast_from(call.x, call.dtype(), "int64"), call.rank())
    values = (call.constant(params[name], dtype) for name in ("on_value", "off_value"))
    return call.op("Where", call.op("Equal", indices, selected), *values)


def _coordinates(call: Call, i: int) -> str:
    """Return input ``i``, coordinates, with their axis moved from the first to the last."""
    rank = call.rank(i)
    indices = call.cast_from(call.name(i), call.dtype(i), "int64")
    return call.transpose(indices, *range(1, rank), 0)


@converter("gather_nd")
def _gather_nd(call: Call) -> str:
    return call.op("GatherND", call.x, _coordinates(call, 1))


@converter("_scatter_set_nd")
def _scatter_set_nd(call: Call) -> str:
    return call.op("ScatterND", call.x, _coordinates(call, 2), call.name(1))


@converter("_contrib_index_copy")
def _index_copy(call: Call) -> str:
    rows = call.unsqueeze(call.cast_from(call.name(1), call.dtype(1), "int64"), 1)
    return call.op("ScatterND", call.x, rows, call.name(2))


@converter("_contrib_boolean_mask")
def _boolean_mask(call: Call) -> str:
    mask = call.truth(call.name(1), call.dtype(1))
    return call.op("Compress", call.x, mask, axis=call.axis(call.params["axis"]))


@converter("_npi_boolean_mask_assign_scalar")
def _assign_number(call: Call) -> str:
    rank, start = call.rank(), call.params["start_axis"]
    mask = call.truth(call.name(1), call.dtype(1))
    mask = call.unsqueeze(mask, *range(start), *range(start + call.rank(1), rank))
    return call.op("Where", mask, call.like(call.params["value"]), call.x)


@converter("_npx_nonzero")
def _nonzero(call: Call) -> str:
    return call.op("Transpose", call.op("NonZero", call.x), perm=[1, 0])


def _ordered(call: Call, k: int, *, ascend: bool) -> tuple[str, str, int]:
    """Sort; return the first ``k`` values (0: all), their indices, and the sorted axis."""
    axis, x, size = call.params["axis"], call.x, None
    if axis is None:
        x, axis, size = call.op("Reshape", x, call.ints(-1)), 0, int(np.prod(call.shape()))
    axis = call.axis(axis)
    count = k if k > 0 else size if size is not None else call.size(0, axis)
    dtype = call.dtype()
    # Dtypes for which runtimes have no TopK.
    wide = {"int8": "int32", "uint8": "int32", "bool": "int32", "float16": "float32"}
    x = call.cast_from(x, dtype, wide.get(dtype, dtype))
    values, selected = call.ops(2, "TopK", x, call.ints(count), axis=axis, largest=int(not ascend))
    return call.cast_from(values, wide.get(dtype, dtype), dtype), selected, axis


@converter("sort")
def _sort(call: Call) -> str:
    return _ordered(call, 0, ascend=call.params["is_ascend"])[0]


@converter("argsort")
def _argsort(call: Call) -> str:
    return call.to_output(_ordered(call, 0, ascend=call.params["is_ascend"])[1], "int64")


@converter("topk")
def _topk(call: Call) -> str | list[str]:
    params = call.params
    kind = params["ret_typ"]
    values, selected, axis = _ordered(call, params["k"], ascend=params["is_ascend"])
    if kind == "value":
        return values
    if kind == "indices":
        return call.to_output(selected, "int64")
    if kind == "both":
        return [values, call.cast_from(selected, "int64", call.out_dtype(1))]
    return _mask(call, selected, axis)


@converter("_npi_unique")
def _unique(call: Call) -> list[str]:
    params, dtype = call.params, call.dtype()
    wide = dtype if dtype in ("float32", "float64", "int8", "int64") else "float64"
    x = call.cast_from(call.x, dtype, wide)
    outputs = call.ops(4, "Unique", x, axis=params["axis"], sorted=1)
    requested = (True, *(params[f"return_{name}"] for name in ("index", "inverse", "counts")))
    y = [call.cast_from(outputs[0], wide, dtype), *outputs[1:]]
    return [value for value, wanted in zip(y, requested, strict=True) if wanted]


def _mask(call: Call, selected: str, axis: int) -> str:
    """Return an array like the first input with 1 at ``selected`` indices of an axis, else 0."""
    x = call.op("Reshape", call.x, call.ints(-1)) if call.params["axis"] is None else call.x
    zeros = call.op("Expand", call.like(0), call.op("Shape", x))
    ones = call.op("Expand", call.like(1), call.op("Shape", selected))
    y = call.op("ScatterElements", zeros, selected, ones, axis=axis)
    return y if call.params["axis"] is not None else call.reshape(y, call.dims())


@converter("SequenceMask")
def _sequence_mask(call: Call) -> str:
    params = call.params
    if not params["use_sequence_length"]:
        return call.x
    axis = params["axis"]
    lengths = call.cast_from(call.name(1), call.dtype(1), "int64")
    # Steps along the time axis against lengths along the batch axis.
    steps = call.unsqueeze(call.positions(axis, "int64"), 1 - axis)
    inside = call.op("Less", steps, call.unsqueeze(lengths, axis))
    inside = call.unsqueeze(inside, *range(2, call.rank()))
    return call.op("Where", inside, call.x, call.like(params["value"]))


@converter("SequenceLast")
def _sequence_last(call: Call) -> str:
    params, axis, rank = call.params, call.params["axis"], call.rank()
    if not params["use_sequence_length"]:
        return call.op("Gather", call.x, call.scalar_int(-1), axis=axis)
    size = call.constant(call.size(0, axis), "int64")
    lengths = call.cast_from(call.name(1), call.dtype(1), "int64")
    last = call.op("Clip", lengths, call.constant(1, "int64"), size)
    selected = call.op("Sub", last, call.constant(1, "int64"))
    x = call.x if axis == 1 else call.transpose(call.x, 1, 0, *range(2, rank))
    return call.op("GatherND", x, call.unsqueeze(selected, 1), batch_dims=1)


@converter("SequenceReverse")
def _sequence_reverse(call: Call) -> str:
    params = call.params
    if not params["use_sequence_length"]:
        return call.slice(call.x, params["axis"], -1, np.iinfo(np.int64).min, -1)
    size = call.constant(call.size(0, params["axis"]), "int64")
    lengths = call.cast_from(call.name(1), call.dtype(1), "int64")
    lengths = call.op("Min", lengths, size)
    order = [1, 0, *range(2, call.rank())] if params["axis"] == 1 else list(range(call.rank()))
    x = call.transpose(call.x, *order)
    return call.transpose(call.op("ReverseSequence", x, lengths, time_axis=0, batch_axis=1), *order)
