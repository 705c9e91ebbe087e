"""Export of reshape, transpose, concat, split, tile and similar operators."""

from collections.abc import Sequence

import numpy as np

from hy_onnx.model import Dim
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


@converter(
    "Reshape",
    "_np_reshape",
    "_npx_reshape",
    "Flatten",
    "reshape_like",
    "_np_squeeze",
    "squeeze",
    "expand_dims",
)
def _reshape(call: Call) -> str:
    if call.params.get("order", "C") not in ("C", "A"):
        raise call.refused(f"order={call.params['order']!r}; ONNX reshapes in the order 'C' alone")
    return call.reshape(call.x, call.out_dims())


@converter("_np_atleast_1d", "_np_atleast_2d", "_np_atleast_3d")
def _at_least(call: Call) -> list[str]:
    return [call.reshape(call.name(i), call.out_dims(i)) for i in range(len(call.names))]


@converter("shape_array")
def _shape_array(call: Call) -> str:
    return call.op("Shape", call.x)


@converter("size_array")
def _size_array(call: Call) -> str:
    return call.op("Reshape", call.op("Size", call.x), call.ints(1))


@converter("transpose", "_np_transpose")
def _transpose(call: Call) -> str:
    rank = call.rank()
    axes = call.params["axes"] or range(rank)[::-1]
    return call.transpose(call.x, *(i % rank for i in axes))


@converter("_np_roll")
def _roll(call: Call) -> str:
    params, x = call.params, call.x
    if params["axis"] is None:
        flat = call.op("Reshape", x, call.ints(-1))
        size = int(np.prod(call.shape()))
        rolled = _rolled(call, flat, 0, sum(params["shift"] or ()), size)
        return call.reshape(rolled, call.dims())
    shifts = params["shift"] or ()
    axes = [axis % call.rank() for axis in params["axis"]]
    # NumPy applies a single shift to all axes.
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    for axis, shift in zip(axes, shifts, strict=True):
        x = _rolled(call, x, axis, shift, call.size(0, axis))
    return x


def _rolled(call: Call, x: str, axis: int, shift: int, size: int) -> str:
    # A roll is two slices, exchanged.
    moved = shift % max(size, 1)
    if not moved:
        return x
    end, begin = call.slice(x, axis, size - moved, size), call.slice(x, axis, 0, size - moved)
    return call.op("Concat", end, begin, axis=axis)


@converter("depth_to_space")
def _depth_to_space(call: Call) -> str:
    return call.op("DepthToSpace", call.x, blocksize=call.params["block_size"], mode="DCR")


@converter("space_to_depth")
def _space_to_depth(call: Call) -> str:
    return call.op("SpaceToDepth", call.x, blocksize=call.params["block_size"])


def _concat_all(call: Call, values: Sequence[str], axis: int) -> str:
    return values[0] if len(values) == 1 else call.op("Concat", *values, axis=axis)


@converter("stack", "_npi_stack")
def _stack(call: Call) -> str:
    axis = call.params["axis"] % (call.rank() + 1)
    values = [_like_first(call, i) for i in range(len(call.names))]
    return _concat_all(call, [call.unsqueeze(x, axis) for x in values], axis)


def _like_first(call: Call, i: int) -> str:
    """Return input ``i`` reshaped to the first input's shape if its axes of size 1 differ."""
    if call.dims(i) == call.dims():
        return call.name(i)
    return call.op("Reshape", call.name(i), call.sizes_tensor(call.dims()))


@converter("_npi_concatenate")
def _concatenate(call: Call) -> str:
    names = [call.name(i) for i in range(len(call.names))]
    if call.params["axis"] is None:
        return _concat_all(call, [call.op("Reshape", x, call.ints(-1)) for x in names], 0)
    return _concat_all(call, names, call.params["axis"])


@converter("_npi_vstack", "_npi_hstack", "_npi_dstack", "_npi_column_stack")
def _stacked(call: Call) -> str:
    kind, values, rank = call.op_name, [], len(call.out_dims())
    for i in range(len(call.names)):
        dims = call.dims(i)
        if kind == "_npi_hstack" or len(dims) == rank:
            wanted: tuple[Dim, ...] = dims or (1,)
        elif kind == "_npi_vstack":
            wanted = (1,) * (2 - len(dims)) + dims
        # Vectors become columns, unlike in vstack, where they become rows.
        elif kind == "_npi_column_stack":
            wanted = (*(dims or (1,)), 1)
        else:
            wanted = ((1, 1, 1), (1, *dims, 1), (*dims, 1))[len(dims)]
        values.append(call.name(i) if wanted == dims else call.reshape(call.name(i), wanted))
    axes = {"_npi_vstack": 0, "_npi_hstack": min(1, rank - 1), "_npi_dstack": 2}
    return _concat_all(call, values, axes.get(kind, 1))


@converter("SliceChannel")
def _split(call: Call) -> list[str]:
    params = call.params
    count, axis = params["num_outputs"], call.axis(params["axis"])
    size = call.size(0, axis) // count
    return _squeezed(call, call.split(call.x, axis, [size] * count), axis)


def _squeezed(call: Call, parts: list[str], axis: int) -> list[str]:
    return [call.squeeze(y, axis) for y in parts] if call.params["squeeze_axis"] else parts


@converter("_split_v2", "_npi_hsplit")
def _split_at(call: Call) -> list[str]:
    params = call.params
    axis = call.axis(params["axis"])
    if call.op_name == "_npi_hsplit":
        axis = 0 if call.rank() == 1 else 1
    size = call.size(0, axis)
    if params["sections"]:
        small, larger = divmod(size, params["sections"])
        # Parts that do not divide the size: the first ones are larger by one, as in NumPy.
        sizes = [small + (i < larger) for i in range(params["sections"])]
        return _squeezed(call, call.split(call.x, axis, sizes), axis)
    ends = [*params["indices"][1:], size]
    values = [
        # Indices past the end give empty parts, as in NumPy.
        call.slice(call.x, axis, min(begin, size), min(end, size))
        for begin, end in zip(params["indices"], ends, strict=True)
    ]
    return values if call.op_name == "_npi_hsplit" else _squeezed(call, values, axis)


@converter("tile")
def _tile(call: Call) -> str:
    reps, rank = call.params["reps"], call.rank()
    x = call.x
    # ONNX's Tile takes one count per axis, MXNet's may have more.
    if len(reps) > rank:
        x = call.unsqueeze(x, *range(len(reps) - rank))
    return call.op("Tile", x, call.ints(*(1,) * (rank - len(reps)), *reps))


@converter("repeat")
def _repeat(call: Call) -> str:
    times, axis, x, dims = call.params["repeats"], call.params["axis"], call.x, call.dims()
    if axis is None:
        x, axis, dims = call.op("Reshape", x, call.ints(-1)), 0, (None,)
    axis %= len(dims)
    # Tile repeats the whole, so that each element gets an axis of its own to be repeated on.
    rows = call.unsqueeze(x, axis + 1)
    counts = [1] * (len(dims) + 1)
    counts[axis + 1] = times
    return call.reshape(call.op("Tile", rows, call.ints(*counts)), call.out_dims())


@converter("Pad", "_npi_pad")
def _pad(call: Call) -> str:
    params = call.params
    mode = params["mode"]
    width = params["pad_width"]
    if width and not isinstance(width[0], int):
        # NumPy's operator has pairs, MXNet's a flat list.
        width = [n for pair in width for n in pair]
    if mode not in ("constant", "edge", "reflect"):
        raise call.refused(f"mode={mode!r}; ONNX pads with 'constant', 'edge' and 'reflect'")
    if params.get("reflect_type", "even") != "even":
        raise call.refused("reflect_type='odd'; ONNX reflects evenly")
    number = call.like(params["constant_value"]) if mode == "constant" else None
    return call.op("Pad", call.x, call.ints(*width[::2], *width[1::2]), number, mode=mode)


@converter("broadcast_to", "broadcast_axis", "broadcast_like", "_npi_broadcast_to")
def _broadcast(call: Call) -> str:
    dims = call.out_dims()
    return call.x if dims == call.dims() else call.expand(call.x, dims)


@converter("slice")
def _slice(call: Call) -> str:
    begin, end, step = (call.params[name] for name in ("begin", "end", "step"))
    return _slice_node(call, begin, end, step or (None,) * len(begin))


def _slice_node(
    call: Call,
    begin: Sequence[int | None],
    end: Sequence[int | None],
    step: Sequence[int | None],
) -> str:
    # Open ends are numbers beyond any size, which Slice cuts off.
    int64 = np.iinfo(np.int64)
    starts, stops, axes, steps = [], [], [], []
    for axis, (first, last, stride) in enumerate(zip(begin, end, step, strict=True)):
        by = 1 if stride is None else stride
        if first is None and last is None and by == 1:
            continue
        starts.append(first if first is not None else 0 if by > 0 else int64.max)
        stops.append(last if last is not None else int64.max if by > 0 else int64.min)
        axes.append(axis)
        steps.append(by)
    if not axes:
        return call.x
    names = (call.ints(*values) for values in (starts, stops, axes, steps))
    return call.op("Slice", call.x, *names)


@converter("slice_axis")
def _slice_axis(call: Call) -> str:
    params = call.params
    end = np.iinfo(np.int64).max if params["end"] is None else params["end"]
    return call.slice(call.x, call.axis(params["axis"]), params["begin"], end)


@converter("slice_like")
def _slice_like(call: Call) -> str:
    rank = call.rank()
    axes = list(call.params["axes"] or range(rank))
    dims = call.dims(1)
    others = [dims[axis] for axis in axes]
    if all(isinstance(n, int) for n in others):
        ends = call.ints(*(call.number(n) for n in others))
    else:
        selected = call.ints(*(axis % len(dims) for axis in axes))
        # Open sizes are read from the other input when the model runs.
        ends = call.op("Gather", call.op("Shape", call.name(1)), selected, axis=0)
    return call.op("Slice", call.x, call.ints(*[0] * len(axes)), ends, call.ints(*axes))


@converter("Crop")
def _crop(call: Call) -> str:
    params = call.params
    height, width = call.out_shape()[2:]
    top, left = params["offset"]
    if params["center_crop"]:
        rows, columns = call.shape()[2:]
        # Rounded as in MXNet, so that an odd margin is larger at the end.
        top, left = (rows - height) // 2, (columns - width) // 2
    x = call.slice(call.x, 2, top, top + height)
    return call.slice(x, 3, left, left + width)


@converter("im2col")
def _im2col(call: Call) -> str:
    """Export im2col as a convolution with a one-hot filter for each window element."""
    params = call.params
    kernel = params["kernel"]
    rank, channels = len(kernel), call.size(0, 1)
    count = int(np.prod(kernel))
    # A filter for each element of the window, which is 1 there and 0 elsewhere.
    selection = np.tile(np.eye(count).reshape(count, 1, *kernel), (channels, *(1,) * (rank + 1)))
    pad = list(params["pad"] or (0,) * rank)
    y = call.op(
        "Conv",
        call.x,
        call.constant(selection, call.dtype()),
        kernel_shape=list(kernel),
        strides=list(params["stride"] or (1,) * rank),
        dilations=list(params["dilate"] or (1,) * rank),
        pads=[*pad, *pad],
        group=channels,
    )
    return call.reshape(y, call.out_dims())


@converter("col2im")
def _col2im(call: Call) -> str:
    params = call.params
    if call.opset < 18:  # noqa: PLR2004
        raise call.refused("columns added up to images need opset_version=18 or later")
    rank = len(params["kernel"])
    return call.op(
        "Col2Im",
        call.x,
        call.ints(*params["output_size"]),
        call.ints(*params["kernel"]),
        strides=list(params["stride"] or (1,) * rank),
        dilations=list(params["dilate"] or (1,) * rank),
        pads=list(params["pad"] or (0,) * rank) * 2,
    )


@converter("_contrib_arange_like")
def _arange_like(call: Call) -> str:
    params, axis = call.params, call.params["axis"]
    if params["repeat"] != 1:
        raise call.refused("repeat: ONNX's Range repeats no numbers; use repeat=1")
    dims = call.dims()
    start, step = params["start"], params["step"]
    if not call.is_floating():  # counts in whole numbers
        start, step = int(start), int(step)
    if axis is None:
        count = int(np.prod(call.shape()))
        numbers = call.constant(start + step * np.arange(count), call.dtype())
        return call.reshape(numbers, dims)
    numbers = call.positions(call.axis(axis), call.dtype())
    if step != 1:
        numbers = call.op("Mul", numbers, call.like(step))
    return call.op("Add", numbers, call.like(start)) if start else numbers
