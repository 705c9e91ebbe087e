"""Import of gather, scatter, sort and unique operators."""

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor, whole_numbers

__all__: list[str] = []


@reader("Gather")
def _gather(call: Call) -> Tensor:
    axis, rows = call.axis(call.attr("axis", 0)), call.constant_value(1)
    table = call.constant_value(0)
    # A table of two axes with unknown rows is an embedding: gradients by rows are possible.
    if rows is None and table is not None and table.ndim == 2 and axis == 0:  # noqa: PLR2004
        count, width = table.shape
        weight = call.tensor(0)
        return call.op("Embedding", call.tensor(1), weight, input_dim=count, output_dim=width)
    # A single known row is a slice, which needs no index array.
    if rows is not None and rows.ndim == 0 and isinstance(call.operands[0], Tensor):
        index = int(rows)
        end = None if index == -1 else index + 1
        x = call.op("slice_axis", call.x, axis=axis, begin=index, end=end)
        if x.rank == 1:
            return call.op("_np_reshape", x, newshape=())
        return call.op("squeeze", x, axis=(axis,))
    return call.op("take", call.x, call.tensor(1), axis=axis, mode="wrap")


@reader("GatherElements")
def _gather_elements(call: Call) -> Tensor:
    axis = call.axis(call.attr("axis", 0))
    indices = _coordinates(call, call.tensor(1), axis)
    last = indices.rank - 1
    return call.op("gather_nd", call.x, call.transpose(indices, last, *range(last)))


def _coordinates(call: Call, rows_read: Tensor, axis: int) -> Tensor:
    """Return coordinates ``[..., axes]``: ``rows_read`` for ``axis``, own positions else."""
    own = call.op("_contrib_index_array", rows_read)  # [*indices, axes]
    parts = [call.op("expand_dims", call.cast(rows_read, "int64"), axis=rows_read.rank)]
    if axis > 0:
        parts.insert(0, call.op("slice_axis", own, axis=rows_read.rank, begin=0, end=axis))
    if axis < rows_read.rank - 1:
        parts.append(call.op("slice_axis", own, axis=rows_read.rank, begin=axis + 1, end=None))
    return call.op("Concat", *parts, dim=rows_read.rank) if len(parts) > 1 else parts[0]


@reader("GatherND")
def _gather_nd(call: Call) -> Tensor:
    indices, shared = call.tensor(1), call.attr("batch_dims", 0)
    if shared not in (0, 1):
        raise call.refused(f"batch_dims={shared}; the catalogue takes 0, and 1")
    if shared:  # the number of the item becomes the first index
        items = call.op("_contrib_arange_like", indices, axis=0)
        items = call.op("Reshape", items, shape=(-1, *(1,) * (indices.rank - 1)))
        first = call.op("slice_axis", indices, axis=indices.rank - 1, begin=0, end=1)
        items = call.op("broadcast_like", call.cast(items, indices.dtype), first)
        indices = call.op("Concat", items, indices, dim=indices.rank - 1)
    return call.op(
        "gather_nd", call.x, call.transpose(indices, indices.rank - 1, *range(indices.rank - 1))
    )


@reader("ScatterND")
def _scatter_nd(call: Call) -> Tensor:
    return _scattered(call, *call.tensors())


@reader("ScatterElements", "Scatter")
def _scatter_elements(call: Call) -> Tensor:
    x, rows_read, updates = call.tensors()
    axis = call.axis(call.attr("axis", 0))
    return _scattered(call, x, _coordinates(call, rows_read, axis), updates)


def _scattered(call: Call, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Write ``updates`` into ``x``, or add them, at coordinates ``indices`` ``[..., axes]``."""
    transposed = call.transpose(indices, indices.rank - 1, *range(indices.rank - 1))
    reduction = call.attr("reduction", "none")
    if reduction == "add":
        return call.op("_npi_add", x, call.op("_gather_nd_backward", updates, x, transposed))
    if reduction != "none":
        raise call.refused(f"reduction={reduction!r}; the catalogue overwrites, or adds")
    # An open first axis has no fixed shape, which _scatter_set_nd needs.
    if x.shapes[0] != x.shapes[1]:
        return _scattered_rows(call, x, indices, updates)
    return call.op("_scatter_set_nd", x, updates, transposed, shape=x.shapes[0])


def _scattered_rows(call: Call, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Scatter into ``x`` with an open first size, by row numbers over merged indexed axes."""
    depth = indices.shapes[0][-1]
    sizes, rest = x.dims[1:depth], x.dims[depth:]
    if not all(isinstance(n, int) for n in (*sizes, *rest)):
        raise call.refused(
            f"it writes into {x.dims}, more sizes of which are open than the first; the catalogue "
            "takes them as parameters. Export the model with fixed shapes"
        )
    # Coordinates of several axes become one number of a row.
    parts = call.ops("SliceChannel", indices, num_outputs=depth, axis=-1, squeeze_axis=True)
    row = parts[0]
    for size, part in zip(sizes, parts[1:], strict=True):
        from_end = call.op("_plus_scalar", part, scalar=size)  # negative ones count from the end
        index = call.op("where", call.op("_lesser_scalar", part, scalar=0), from_end, part)
        row = call.op("elemwise_add", call.op("_mul_scalar", row, scalar=size), index)
    flat = call.op("Reshape", x, shape=(-1, *rest))
    values = call.op("Reshape", updates, shape=(-1, *rest))
    y = call.op("_contrib_index_copy", flat, call.op("Reshape", row, shape=(-1,)), values)
    return call.op("reshape_like", y, x)


@reader("OneHot")
def _one_hot(call: Call) -> Tensor:
    depth = whole_numbers(call.known(1, "depth"))[0]
    off, on = (float(n) for n in call.known(2, "values").reshape(-1))
    rows_read, dtype = call.x, str(call.known(2, "values").dtype)
    if not rows_read.is_floating:
        from_end = call.op(
            "_plus_scalar", rows_read, scalar=depth
        )  # negative ones count from the end
        negative = call.op("_npi_less_scalar", rows_read, scalar=0.0)
        rows_read = call.op("_npi_where", negative, from_end, rows_read)
    y = call.op("one_hot", rows_read, depth=depth, on_value=on, off_value=off, dtype=dtype)
    axis, order = call.attr("axis", -1) % y.rank, list(range(y.rank - 1))
    order.insert(axis, y.rank - 1)
    return call.transpose(y, *order)


@reader("TopK")
def _top_k(call: Call) -> list[Tensor]:
    count = call.attr("k")
    k = count if count is not None else whole_numbers(call.known(1, "k"))[0]
    options = {"axis": call.attr("axis", -1), "is_ascend": not call.attr("largest", 1)}
    return call.ops("topk", call.x, k=k, ret_typ="both", dtype="int64", **options)


@reader("Compress")
def _compress(call: Call) -> Tensor:
    axis, x = call.attr("axis"), call.x
    mask = call.tensor(1)
    if axis is None:
        x, axis = call.reshape(x, -1), 0
    size = x.shapes[0][call.axis(axis, x)]
    if mask.shapes[0] != (size,):
        raise call.refused(
            f"condition {mask.shapes[0]} must have a value for each of {size} slices"
        )
    return call.op("_contrib_boolean_mask", x, mask, axis=axis)


@reader("NonZero")
def _nonzero(call: Call) -> Tensor:
    return call.transpose(call.op("_npx_nonzero", call.x), 1, 0)


@reader("ReverseSequence")
def _reverse_sequence(call: Call) -> Tensor:
    batch, time = call.attr("batch_axis", 1), call.attr("time_axis", 0)
    if {batch, time} != {0, 1}:
        raise call.refused(f"batch_axis={batch}, time_axis={time}; one must be 0, the other 1")
    order = [1, 0, *range(2, call.x.rank)] if time == 1 else list(range(call.x.rank))
    x = call.transpose(call.x, *order)
    y = call.op("SequenceReverse", x, call.tensor(1), use_sequence_length=True)
    return call.transpose(y, *order)


@reader("Range")
def _range(call: Call) -> Tensor:
    """Return 0, 1, … up to an open size, exclusive; other ranges are refused."""
    start, step, end = call.constant_value(0), call.constant_value(2), call.operands[1]
    name = end[0] if isinstance(end, list) and len(end) == 1 else None
    source = call.graph.size_sources.get(name) if isinstance(name, str) else None
    if source is None or start is None or step is None or start.item() != 0 or step.item() != 1:
        raise call.refused(
            "how many numbers there are is computed when the model runs; the catalogue counts from "
            "0 along an axis of an input"
        )
    numbers = call.op("_contrib_arange_like", source[0], axis=source[1])
    return call.cast(numbers, start.dtype.name)


@reader("Unique")
def _unique(call: Call) -> list[Tensor]:
    axis = call.attr("axis")
    options = {"return_index": True, "return_inverse": True, "return_counts": True, "axis": axis}
    y, first, inverse, counts = call.ops("_npi_unique", call.x, **options)
    if call.attr("sorted", 1):
        return [y, first, inverse, counts]
    # The catalogue sorts; ONNX's unsorted form keeps the order of first occurrence.
    order = call.op("argsort", first, dtype="int64")
    index = call.op("argsort", order, dtype="int64")
    return [
        call.op("take", y, order, axis=axis or 0),
        call.op("take", first, order),
        call.op("take", index, inverse),
        call.op("take", counts, order),
    ]
