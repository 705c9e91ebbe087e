"""Import of reshape, slice, concat, tile and pad operators."""

from collections.abc import Sequence

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.dtypes import DTYPES
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor, whole_numbers
from hy_onnx.from_onnx.versions import pad_parts, slice_parts, split_sizes, tile_counts
from hy_onnx.model import Dim

__all__: list[str] = []

_END = 2**31 - 1
"""Ends of slices from this one on mean the end of the axis."""


def _targets(call: Call, i: int) -> list[Dim]:
    """Return input ``i``, a target shape that may have open sizes."""
    operand = call.operands[i] if call.has(i) else None
    if isinstance(operand, list):
        return operand
    return list(call.ints("shape", i) or [])


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
    # Two sizes that follow cannot be written: count from the end, if the rest stays there.
    if codes.count(-1) > 1:
        last = _from_the_end(dims, wanted)
        if last is not None:
            return call.op("Reshape", x, shape=tuple(last), reverse=True)
        codes = _with_one_open(call, codes, wanted)
    if not codes:
        return call.op("_np_reshape", x, newshape=())
    # Without elements, any size would fit for -1.
    if -1 in codes and 0 in x.shapes[0]:
        raise call.refused(f"shape {wanted} of an array without elements")
    if call.attr("allowzero", 0) and 0 in wanted:
        raise call.refused(f"allowzero=1 with shape {wanted}")
    return call.op("Reshape", x, shape=tuple(codes))


def _from_the_end(dims: Sequence[Dim], wanted: Sequence[Dim]) -> list[int] | None:
    """Return codes for ``Reshape`` with open sizes aligned from the end, None if impossible."""
    if 0 in wanted:
        return None
    codes = []
    for i, n in zip(range(len(wanted), 0, -1), wanted, strict=True):
        stays = n is not None and i <= len(dims) and dims[-i] == n
        codes.append(n if isinstance(n, int) else 0 if stays else -1)
    return codes if codes.count(-1) <= 1 else None


def _with_one_open(call: Call, codes: list[int], wanted: Sequence[Dim]) -> list[int]:
    """Return shape codes with at most one -1, keeping open sizes that stay on their axis."""
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
        raise call.refused(f"axis={axis} with open sizes after it, {call.x.dims}")
    return call.op("Reshape", call.x, shape=(-1, int(np.prod(rest))))


@reader("Squeeze")
def _squeeze(call: Call) -> Tensor:
    axes = call.ints("axes", 1)
    if axes is None:
        if not all(isinstance(n, int) for n in call.x.dims):
            raise call.refused(f"no axes, of open sizes {call.x.dims}; export it with axes")
        axes = [i for i, n in enumerate(call.x.dims) if n == 1]
    # A scalar: MXNet's squeeze leaves one axis.
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
    return call.op("Concat", *call.tensors(), dim=call.attr("axis", 1 if call.opset < 4 else None))  # noqa: PLR2004


@reader("Split")
def _split(call: Call) -> list[Tensor]:
    axis, count = call.axis(call.attr("axis", 0)), len(call.node.outputs)
    parts = split_sizes(call, call.x.dims[axis])
    # The operator for equal parts also works along open sizes.
    if len(set(parts)) == 1:
        return call.ops("SliceChannel", call.x, num_outputs=count, axis=axis)
    begins = np.cumsum([0, *parts[:-1]]).tolist()
    return call.ops("_split_v2", call.x, indices=tuple(begins), axis=axis)


@reader("Slice")
def _slice(call: Call) -> Tensor:
    x = call.x
    cut: list[tuple[int | None, int | None, int | None]] = []
    for size, part in zip(x.shapes[0], slice_parts(call, x.rank), strict=True):
        first, last, step = part.start, part.stop, part.step
        # ONNX's end beyond the array means "to the end"; for negative steps "down to the first".
        if step is not None and step < 0:
            first = None if first >= _END else first
            last = None if last < -min(size, _END) else last  # down to the first element
        elif last is not None and last >= _END:
            last = None
        cut.append((first, last, None if step == 1 else step))
    starts, stops, by = zip(*cut, strict=True) if cut else ((), (), ())
    return call.op("slice", x, begin=starts, end=stops, step=by)


@reader("Expand")
def _expand(call: Call) -> Tensor:
    x, wanted = call.x, _targets(call, 1)
    # ONNX broadcasts over new first axes; the catalogue needs equal ranks.
    while x.rank < len(wanted):
        x = call.op("expand_dims", x, axis=0)
    wanted = [*[1] * (x.rank - len(wanted)), *wanted]
    sizes = [own if n == 1 else n for own, n in zip(x.shapes[0], wanted, strict=True)]
    if any(n == 0 != own for own, n in zip(x.shapes[0], sizes, strict=True)):
        raise call.refused(f"shape {wanted}, which has no elements")
    for own, n in zip(x.dims, wanted, strict=True):
        if isinstance(n, int) and n != 1 and not isinstance(own, int):
            raise call.refused(f"shape {wanted} of {x.dims}: {own} has to be known")
    opened = [axis for axis, n in enumerate(wanted) if isinstance(n, str) and x.dims[axis] != n]
    for axis in opened:
        # broadcast_like takes an open size from the input that has it.
        like, other_axis = call.graph.size_sources[str(wanted[axis])]
        x = call.op("broadcast_like", x, like, lhs_axes=(axis,), rhs_axes=(other_axis,))
    fixed = tuple(n if isinstance(n, int) and x.dims[i] == 1 else 0 for i, n in enumerate(sizes))
    return call.op("broadcast_to", x, shape=fixed) if any(n > 1 for n in fixed) else x


@reader("Tile")
def _tile(call: Call) -> Tensor:
    return call.op("tile", call.x, reps=tuple(tile_counts(call, call.x.rank)))


@reader("DepthToSpace")
def _depth_to_space(call: Call) -> Tensor:
    size = call.attr("blocksize")
    if call.attr("mode", "DCR") == "DCR":
        return call.op("depth_to_space", call.x, block_size=size)
    # CRD: the block's offsets are the last of each channel, so it is reshaped by hand.
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
    first, last, value = pad_parts(call, x.rank)
    width = [n for pair in zip(first, last, strict=True) for n in pair]
    if mode not in ("constant", "edge", "reflect"):
        raise call.refused(f"mode={mode!r}; the catalogue pads with constant, edge and reflect")
    # Negative widths crop.
    if min(width, default=0) < 0:
        begin = tuple(-n if n < 0 else None for n in width[::2])
        end = tuple(n if n < 0 else None for n in width[1::2])
        x, width = call.op("slice", x, begin=begin, end=end), [max(0, n) for n in width]
    return call.op("Pad", x, mode=mode, pad_width=tuple(width), constant_value=float(value))


@reader("ConstantOfShape")
def _constant_of_shape(call: Call) -> Tensor:
    wanted = _targets(call, 0)
    value = call.attr("value", np.zeros(1, np.float32))
    number = np.asarray(value).reshape(-1)[0]
    # Open sizes are 1 at first, then broadcast to the input that has them.
    x = call.filled([n if isinstance(n, int) else 1 for n in wanted], number)
    for axis, n in enumerate(wanted):
        if isinstance(n, str):
            like, other_axis = call.graph.size_sources[n]
            x = call.op("broadcast_like", x, like, lhs_axes=(axis,), rhs_axes=(other_axis,))
    return x


@reader("Trilu")
def _triangle(call: Call) -> Tensor:
    k = whole_numbers(call.known(1, "k"))[0] if call.has(1) else 0
    side = "_npi_greater_equal_scalar" if call.attr("upper", 1) else "_npi_less_equal_scalar"
    # A mask of positions, as the sizes may be open.
    mask = call.op(side, _diagonals(call), scalar=float(k))
    return call.op("_npi_where", mask, call.x, call.op("zeros_like", call.x))


@reader("EyeLike")
def _eye_like(call: Call) -> Tensor:
    code = call.attr("dtype")
    dtype = call.x.dtype if code is None else DTYPES[code]
    ones = call.op("_npi_equal_scalar", _diagonals(call), scalar=float(call.attr("k", 0)))
    return call.cast(ones, dtype)


def _diagonals(call: Call) -> Tensor:
    """Return for each matrix element its diagonal, column minus row."""
    last = call.x.rank - 1
    whole = call.cast(call.x, "float32")
    columns = call.op("_contrib_arange_like", whole, axis=last)
    rows = call.op("_contrib_arange_like", whole, axis=last - 1)
    return call.op("_npi_subtract", columns, call.reshape(rows, -1, 1))


@reader("CumSum")
def _cumsum(call: Call) -> Tensor:
    x, axis = call.x, call.axis(whole_numbers(call.known(1, "axis"))[0])
    back = bool(call.attr("reverse", 0))
    x = call.op("reverse", x, axis=(axis,)) if back else x
    y = call.op("_np_cumsum", x, axis=axis)
    y = call.op("_npi_subtract", y, x) if call.attr("exclusive", 0) else y
    return call.op("reverse", y, axis=(axis,)) if back else y
