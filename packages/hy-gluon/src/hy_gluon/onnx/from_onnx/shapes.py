"""The same elements in another shape; parts, joins, indices, order."""

from collections.abc import Sequence

import numpy as np

from hy_gluon.onnx.from_onnx.call import Call
from hy_gluon.onnx.from_onnx.pointwise import DTYPES
from hy_gluon.onnx.from_onnx.registry import reader
from hy_gluon.onnx.from_onnx.value import Tensor, whole_numbers
from hy_gluon.onnx.model import Dim

__all__: list[str] = []

_END = 2**31 - 1
"""An end of a slice that is beyond every axis."""


def _targets(call: Call, i: int) -> list[Dim]:
    """Input ``i``, a shape, of which some sizes may be open."""
    operand = call.operands[i]
    if isinstance(operand, list):
        return operand
    return list(whole_numbers(call.known(i, "shape")))


@reader("Reshape")
def _reshape(call: Call) -> Tensor:
    x, wanted = call.x, _targets(call, 1)
    dims, codes = x.dims, []
    for i, n in enumerate(wanted):
        if n == 0 and not call.attr("allowzero", 0):
            codes.append(0)
        elif isinstance(n, int):
            codes.append(n)
        elif i < len(dims) and dims[i] == n and n is not None:
            codes.append(0)  # an open size that stays where it is
        else:
            codes.append(-1)
    if codes.count(-1) > 1:
        last = _from_the_end(dims, wanted)
        if last is not None:
            return call.op("Reshape", x, shape=tuple(last), reverse=True)
        codes = _with_one_open(call, codes, wanted)
    if not codes:
        return call.op("_np_reshape", x, newshape=())
    if -1 in codes and 0 in x.shapes[0]:
        raise call.refused(f"shape {wanted} of an array without elements")
    if call.attr("allowzero", 0) and 0 in wanted:
        raise call.refused(f"allowzero=1 with shape {wanted}")
    return call.op("Reshape", x, shape=tuple(codes))


def _from_the_end(dims: Sequence[Dim], wanted: Sequence[Dim]) -> list[int] | None:
    """A shape with open sizes that stay where they are, counted from the end, if one follows."""
    if 0 in wanted:
        return None
    codes = []
    for i, n in zip(range(len(wanted), 0, -1), wanted, strict=True):
        stays = n is not None and i <= len(dims) and dims[-i] == n
        codes.append(n if isinstance(n, int) else 0 if stays else -1)
    return codes if codes.count(-1) <= 1 else None


def _with_one_open(call: Call, codes: list[int], wanted: Sequence[Dim]) -> list[int]:
    """A shape in which only what really follows is -1; else an open size is multiplied."""
    dims = list(call.x.dims)
    if len(wanted) >= 2 and wanted[0] == dims[0] and codes[0] == 0:  # noqa: PLR2004
        named = [i for i, n in enumerate(wanted) if isinstance(n, str)]
        for i in named:
            if wanted[i] in dims and dims.index(wanted[i]) == i:
                codes[i] = 0
    if codes.count(-1) > 1:
        raise call.refused(
            f"shape {list(wanted)} of {dims} has more than one size that follows; export the model "
            "with fewer open sizes"
        )
    return codes


@reader("Flatten")
def _flatten(call: Call) -> Tensor:
    axis = call.attr("axis", 1)
    axis = axis + call.x.rank if axis < 0 else axis
    if axis == 1:
        return call.op("Flatten", call.x)
    if axis == 0:
        return call.op("Reshape", call.x, shape=(1, -1))
    rest = call.x.shapes[0][axis:]
    if call.x.dims[axis:] != rest:
        raise call.refused(f"axis={axis} with open sizes behind it, {call.x.dims}")
    return call.op("Reshape", call.x, shape=(-1, int(np.prod(rest))))


@reader("Squeeze")
def _squeeze(call: Call) -> Tensor:
    axes = call.ints("axes", 1)
    if axes is None:
        axes = [i for i, n in enumerate(call.x.dims) if n == 1]
    if len(axes) == call.x.rank:
        return call.op("_np_reshape", call.x, newshape=())
    return call.op("squeeze", call.x, axis=tuple(axes)) if axes else call.x


@reader("Unsqueeze")
def _unsqueeze(call: Call) -> Tensor:
    x, axes = call.x, call.ints("axes", 1) or []
    rank = x.rank + len(axes)
    for axis in sorted(i % rank for i in axes):
        x = call.op("expand_dims", x, axis=axis)
    return x


@reader("Transpose")
def _transpose(call: Call) -> Tensor:
    return call.transpose(call.x, *(call.attr("perm") or range(call.x.rank)[::-1]))


@reader("Size")
def _size(call: Call) -> Tensor:
    return call.op("_np_reshape", call.op("size_array", call.x), newshape=())


@reader("Concat")
def _concat(call: Call) -> Tensor:
    return call.op("Concat", *call.tensors(), dim=call.attr("axis"))


@reader("Split")
def _split(call: Call) -> list[Tensor]:
    axis, count = call.axis(call.attr("axis", 0)), len(call.node.outputs)
    size = call.x.shapes[0][axis]
    parts = call.ints("split", 1)
    if parts is None:
        each = -(-size // count)
        parts = [min(each, size - i * each) for i in range(count)]
    if len(set(parts)) == 1:
        return call.ops("SliceChannel", call.x, num_outputs=count, axis=axis)
    begins = np.cumsum([0, *parts[:-1]]).tolist()
    return call.ops("_split_v2", call.x, indices=tuple(begins), axis=axis)


@reader("Slice")
def _slice(call: Call) -> Tensor:
    x = call.x
    begins, ends = call.ints("starts", 1) or [], call.ints("ends", 2) or []
    axes = call.ints("axes", 3) or list(range(len(begins)))
    steps = call.ints("steps", 4) or [1] * len(begins)
    rank = x.rank
    cut: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * rank
    for axis, begin, end, step in zip(axes, begins, ends, steps, strict=True):
        first: int | None = begin
        last: int | None = None if end >= _END else end
        if step < 0:
            first = None if begin >= _END else begin
            last = None if end <= -_END else end
            if last is not None and last < 0 and last < -x.shapes[0][axis]:
                last = None
        cut[axis] = first, last, None if step == 1 else step
    starts, stops, by = zip(*cut, strict=True) if cut else ((), (), ())
    return call.op("slice", x, begin=starts, end=stops, step=by)


@reader("Expand")
def _expand(call: Call) -> Tensor:
    x, wanted = call.x, _targets(call, 1)
    while x.rank < len(wanted):
        x = call.op("expand_dims", x, axis=0)
    wanted = [*[1] * (x.rank - len(wanted)), *wanted]
    sizes = [own if n == 1 else n for own, n in zip(x.shapes[0], wanted, strict=True)]
    if any(n == 0 != own for own, n in zip(x.shapes[0], sizes, strict=True)):
        raise call.refused(f"shape {wanted}, which has no elements")
    opened = [axis for axis, n in enumerate(wanted) if isinstance(n, str) and x.dims[axis] != n]
    for axis in opened:
        like, place = call.graph.places[str(wanted[axis])]
        x = call.op("broadcast_like", x, like, lhs_axes=(axis,), rhs_axes=(place,))
    fixed = tuple(n if isinstance(n, int) and x.dims[i] == 1 else 0 for i, n in enumerate(sizes))
    return call.op("broadcast_to", x, shape=fixed) if any(n > 1 for n in fixed) else x


@reader("Tile")
def _tile(call: Call) -> Tensor:
    return call.op("tile", call.x, reps=tuple(whole_numbers(call.known(1, "repeats"))))


@reader("DepthToSpace")
def _depth_to_space(call: Call) -> Tensor:
    size = call.attr("blocksize")
    if call.attr("mode", "DCR") == "DCR":
        return call.op("depth_to_space", call.x, block_size=size)
    x = call.op("Reshape", call.x, shape=(0, -4, -1, size * size, -2))
    x = call.op("Reshape", x, shape=(0, 0, -4, size, size, -2))
    x = call.transpose(x, 0, 1, 4, 2, 5, 3)
    return call.op("Reshape", x, shape=(0, 0, -3, -3))


@reader("SpaceToDepth")
def _space_to_depth(call: Call) -> Tensor:
    if call.attr("mode", "DCR") != "DCR":
        raise call.refused(f"mode={call.attr('mode')!r}; the catalogue has 'DCR'")
    return call.op("space_to_depth", call.x, block_size=call.attr("blocksize"))


@reader("Pad")
def _pad(call: Call) -> Tensor:
    x, mode = call.x, call.attr("mode", "constant")
    pads = call.ints("pads", 1) or []
    axes = whole_numbers(call.known(3, "axes")) if call.has(3) else list(range(x.rank))
    value = call.attr("value", 0.0)
    if call.has(2):
        value = float(call.known(2, "constant_value").reshape(()))
    width = [0] * (2 * x.rank)
    for i, axis in enumerate(axes):
        place = axis % x.rank
        width[2 * place], width[2 * place + 1] = pads[i], pads[i + len(axes)]
    if mode not in ("constant", "edge", "reflect"):
        raise call.refused(f"mode={mode!r}; the catalogue pads with constant, edge and reflect")
    if min(width, default=0) < 0:
        begin = tuple(-n if n < 0 else None for n in width[::2])
        end = tuple(n if n < 0 else None for n in width[1::2])
        x, width = call.op("slice", x, begin=begin, end=end), [max(0, n) for n in width]
    return call.op("Pad", x, mode=mode, pad_width=tuple(width), constant_value=value)


@reader("ConstantOfShape")
def _constant_of_shape(call: Call) -> Tensor:
    wanted = _targets(call, 0)
    value = call.attr("value", np.zeros(1, np.float32))
    number = np.asarray(value).reshape(-1)[0]
    shape = tuple(n if isinstance(n, int) else 1 for n in wanted)
    x = call.constant(np.full(shape, number))
    for axis, n in enumerate(wanted):
        if isinstance(n, str):
            like, place = call.graph.places[n]
            x = call.op("broadcast_like", x, like, lhs_axes=(axis,), rhs_axes=(place,))
    return x


@reader("Trilu")
def _triangle(call: Call) -> Tensor:
    k = whole_numbers(call.known(1, "k"))[0] if call.has(1) else 0
    rows, columns = call.x.shapes[0][-2:]
    if call.attr("upper", 1):
        mask = np.tri(rows, columns, k - 1) == 0
    else:
        mask = np.tri(rows, columns, k) != 0
    zeros = call.op("zeros_like", call.x)
    return call.op("_npi_where", call.constant(mask), call.x, zeros)


@reader("EyeLike")
def _eye_like(call: Call) -> Tensor:
    code = call.attr("dtype")
    dtype = call.x.dtype if code is None else DTYPES[code]
    rows, columns = call.x.shapes[0]
    return call.op("_eye", N=rows, M=columns, k=call.attr("k", 0), dtype=dtype)


@reader("CumSum")
def _cumsum(call: Call) -> Tensor:
    x, axis = call.x, call.axis(whole_numbers(call.known(1, "axis"))[0])
    back = bool(call.attr("reverse", 0))
    x = call.op("reverse", x, axis=(axis,)) if back else x
    y = call.op("_np_cumsum", x, axis=axis)
    y = call.op("_npi_subtract", y, x) if call.attr("exclusive", 0) else y
    return call.op("reverse", y, axis=(axis,)) if back else y


# --- indices --------------------------------------------------------------------------------------


@reader("Gather")
def _gather(call: Call) -> Tensor:
    axis, rows = call.axis(call.attr("axis", 0)), call.held(1)
    table = call.held(0)
    if rows is None and table is not None and table.ndim == 2 and axis == 0:  # noqa: PLR2004
        count, width = table.shape
        weight = call.tensor(0)
        return call.op("Embedding", call.tensor(1), weight, input_dim=count, output_dim=width)
    if rows is not None and rows.ndim == 0 and isinstance(call.operands[0], Tensor):
        place = int(rows)
        end = None if place == -1 else place + 1
        x = call.op("slice_axis", call.x, axis=axis, begin=place, end=end)
        if x.rank == 1:
            return call.op("_np_reshape", x, newshape=())
        return call.op("squeeze", x, axis=(axis,))
    return call.op("take", call.x, call.tensor(1), axis=axis, mode="wrap")


@reader("GatherElements")
def _gather_elements(call: Call) -> Tensor:
    axis = call.axis(call.attr("axis", 0))
    places = call.tensor(1)
    if call.x.dims[:axis] + call.x.dims[axis + 1 :] != places.dims[:axis] + places.dims[axis + 1 :]:
        raise call.refused("indices of another size than data along an axis but its own")
    moved = [i for i in range(call.x.rank) if i != axis]
    x = call.transpose(call.x, *moved, axis)
    picked = [
        call.op(
            "pick",
            x,
            call.op("squeeze", part, axis=(axis,)) if places.rank > 1 else part,
            axis=-1,
            mode="wrap",
        )
        for part in call.ops("SliceChannel", places, num_outputs=places.shapes[0][axis], axis=axis)
    ]
    if places.rank == 1:
        return call.op("Concat", *picked, dim=0)
    return call.op("stack", *picked, axis=axis)


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
    if call.attr("reduction", "none") != "none":
        raise call.refused(f"reduction={call.attr('reduction')!r}; the catalogue overwrites")
    x, indices, updates = call.tensors()
    if x.shapes[0] != x.shapes[1]:
        return _scattered_rows(call, x, indices, updates)
    turned = call.transpose(indices, indices.rank - 1, *range(indices.rank - 1))
    return call.op("_scatter_set_nd", x, updates, turned, shape=x.shapes[0])


def _scattered_rows(call: Call, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The same where the first size is open: the indexed axes become one, and each index a row."""
    depth = indices.shapes[0][-1]
    sizes, rest = x.dims[1:depth], x.dims[depth:]
    if not all(isinstance(n, int) for n in (*sizes, *rest)):
        raise call.refused(
            f"it writes into {x.dims}, more sizes of which are open than the first; the catalogue "
            "takes them as parameters. Export the model with fixed shapes"
        )
    parts = call.ops("SliceChannel", indices, num_outputs=depth, axis=-1, squeeze_axis=True)
    row = parts[0]
    for size, part in zip(sizes, parts[1:], strict=True):
        late = call.op("_plus_scalar", part, scalar=size)  # negative ones count from the end
        place = call.op("where", call.op("_lesser_scalar", part, scalar=0), late, part)
        row = call.op("elemwise_add", call.op("_mul_scalar", row, scalar=size), place)
    flat = call.op("Reshape", x, shape=(-1, *rest))
    values = call.op("Reshape", updates, shape=(-1, *rest))
    y = call.op("_contrib_index_copy", flat, call.op("Reshape", row, shape=(-1,)), values)
    return call.op("reshape_like", y, x)


@reader("OneHot")
def _one_hot(call: Call) -> Tensor:
    depth = whole_numbers(call.known(1, "depth"))[0]
    off, on = (float(n) for n in call.known(2, "values").reshape(-1))
    places, dtype = call.x, str(call.known(2, "values").dtype)
    if not places.is_floating:
        late = call.op("_plus_scalar", places, scalar=depth)  # negative ones count from the end
        negative = call.op("_npi_less_scalar", places, scalar=0.0)
        places = call.op("_npi_where", negative, late, places)
    y = call.op("one_hot", places, depth=depth, on_value=on, off_value=off, dtype=dtype)
    axis, order = call.attr("axis", -1) % y.rank, list(range(y.rank - 1))
    order.insert(axis, y.rank - 1)
    return call.transpose(y, *order)


@reader("TopK")
def _top_k(call: Call) -> list[Tensor]:
    count = call.attr("k")
    k = count if count is not None else whole_numbers(call.known(1, "k"))[0]
    how = {"axis": call.attr("axis", -1), "is_ascend": not call.attr("largest", 1)}
    return call.ops("topk", call.x, k=k, ret_typ="both", dtype="int64", **how)


@reader("Compress")
def _compress(call: Call) -> Tensor:
    axis, x = call.attr("axis"), call.x
    mask = call.tensor(1)
    if axis is None:
        x, axis = call.reshape(x, -1), 0
    size = x.shapes[0][call.axis(axis, x)]
    if mask.shapes[0] != (size,):
        raise call.refused(f"a condition of {mask.shapes[0]} for {size} slices")
    return call.op("_contrib_boolean_mask", x, mask, axis=axis)


@reader("NonZero")
def _nonzero(call: Call) -> Tensor:
    return call.transpose(call.op("_npx_nonzero", call.x), 1, 0)


@reader("ReverseSequence")
def _reverse_sequence(call: Call) -> Tensor:
    batch, time = call.attr("batch_axis", 1), call.attr("time_axis", 0)
    if {batch, time} != {0, 1}:
        raise call.refused(f"batch_axis={batch}, time_axis={time}; one must be 0, the other 1")
    turned = [1, 0, *range(2, call.x.rank)] if time == 1 else list(range(call.x.rank))
    x = call.transpose(call.x, *turned)
    y = call.op("SequenceReverse", x, call.tensor(1), use_sequence_length=True)
    return call.transpose(y, *turned)


@reader("Range")
def _range(call: Call) -> Tensor:
    """Numbers from 0 up to an open size; others are known, or depend on values."""
    start, step, end = call.held(0), call.held(2), call.operands[1]
    name = end[0] if isinstance(end, list) and len(end) == 1 else None
    place = call.graph.places.get(name) if isinstance(name, str) else None
    if place is None or start is None or step is None or start.item() != 0 or step.item() != 1:
        raise call.refused(
            "how many numbers there are is computed when the model runs; the catalogue counts from "
            "0 along an axis of an input"
        )
    numbers = call.op("_contrib_arange_like", place[0], axis=place[1])
    return call.cast(numbers, start.dtype.name)
