"""Arguments of nodes that are attributes in some opsets and inputs in others."""

from collections.abc import Sequence
from typing import TypeAlias

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.value import whole_numbers
from hy_onnx.model import Dim

__all__ = [
    "aligned_axes",
    "clip_limits",
    "pad_parts",
    "reduced_axes",
    "slice_parts",
    "split_sizes",
    "tile_counts",
]

Limit: TypeAlias = "int | float | None"

_NUMPY_BROADCASTS = 7
"""The opset since which operands broadcast as in numpy."""


def aligned_axes(call: Call, a: int, b: int) -> tuple[int, ...]:
    """Return the axes to insert into the second operand to broadcast it as before opset 7.

    Up to opset 6, its axes are aligned with those of the first operand from ``axis`` on.

    Args:
        call: The node.
        a: Number of axes of the first operand.
        b: Number of axes of the second operand.
    """
    axis = call.attr("axis")
    if call.opset >= _NUMPY_BROADCASTS or axis is None or not call.attr("broadcast", 0):
        return ()
    axis = call.axis_of(axis, a)
    if axis + b > a:
        raise call.refused(f"axis={axis} does not align {b} axes with {a}")
    return tuple(range(b, a - axis))


def clip_limits(call: Call) -> tuple[Limit, Limit]:
    """Return the lower and the upper limit of Clip, None where there is none."""
    limits: list[Limit] = []
    for i, name in ((1, "min"), (2, "max")):
        value = call.attr(name)
        if value is None and call.has(i):
            value = call.known(i, name).reshape(()).item()
        limits.append(value)
    return limits[0], limits[1]


def pad_parts(call: Call, rank: int) -> tuple[list[int], list[int], float]:
    """Return the padding before and after each axis, and the padding value."""
    old = call.attr("paddings")  # version 1
    pads = whole_numbers(old) if old is not None else call.ints("pads", 1) or []
    axes = list(range(rank))
    if call.has(3):
        axes = [call.axis_of(i, rank) for i in whole_numbers(call.known(3, "axes"))]
    if len(pads) != 2 * len(axes):
        raise call.refused(f"pads={pads} must have two numbers for each of {len(axes)} axes")
    value = call.attr("value", 0.0)
    if call.has(2):
        value = call.known(2, "constant_value").reshape(()).item()
    begin, end = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        begin[axis], end[axis] = pads[i], pads[i + len(axes)]
    return begin, end, value


def reduced_axes(call: Call) -> tuple[int, ...] | None:
    """Return the reduced axes; None for all, ``()`` for none."""
    if "axes" in call.node.attrs:
        return tuple(call.attr("axes")) or None
    if call.has(1):
        axes = tuple(whole_numbers(call.known(1, "axes")))
        if axes:
            return axes
    return () if call.attr("noop_with_empty_axes", 0) else None


def slice_parts(call: Call, rank: int) -> list[slice]:
    """Return the slice of each axis of a Slice node."""
    begins, ends = call.ints("starts", 1) or [], call.ints("ends", 2) or []
    axes = call.ints("axes", 3)
    steps = call.ints("steps", 4) or [1] * len(begins)
    parts = [slice(None)] * rank
    cut_axes = range(len(begins)) if axes is None else axes
    for axis, begin, end, step in zip(cut_axes, begins, ends, steps, strict=True):
        parts[call.axis_of(axis, rank)] = slice(begin, end, step)
    return parts


def split_sizes(call: Call, size: Dim) -> Sequence[int]:
    """Return the sizes of Split's parts; by default equal, except for a smaller last one."""
    count, parts = len(call.node.outputs), call.ints("split", 1)
    wanted = call.attr("num_outputs", count) if parts is None else len(parts)
    if wanted != count:
        raise call.refused(f"{wanted} parts for {count} outputs")
    if parts is not None:
        return parts
    if not isinstance(size, int):
        return [1] * count  # the same, whatever it is
    # Rounded up, so that the last part is the smaller one (opset 18).
    each = -(-size // count)
    return [max(0, min(each, size - i * each)) for i in range(count)]


def tile_counts(call: Call, rank: int) -> list[int]:
    """Return the number of repetitions of each axis."""
    counts = whole_numbers(call.known(1, "repeats"))
    if not call.has(2):
        return counts
    axis = call.axis_of(whole_numbers(call.known(2, "axis"))[0], rank)  # version 1
    return [counts[0] if i == axis else 1 for i in range(rank)]
