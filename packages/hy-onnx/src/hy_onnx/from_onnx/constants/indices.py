"""Constant folding of gather, scatter, range, and search operators."""

import math
from typing import Any

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, planner
from hy_onnx.from_onnx.value import whole_numbers
from hy_onnx.model import Array

__all__: list[str] = []

_INT64 = np.dtype(np.int64)


def _in_range(indices: Array, size: int) -> Any:
    """Return non-negative indices of an axis with ``size`` elements.

    Raises:
        IndexError: An index is out of range.
    """
    where = indices.astype(np.int64)
    if where.size and not (where.min() >= -size and where.max() < size):
        raise IndexError(
            f"indices {where.min()} to {where.max()} are outside an axis of size {size}"
        )
    return np.where(where < 0, where + size, where)


@planner("Gather")
def _gather(call: Call) -> Plan:
    x, rows = call.known(0, "its data"), call.known(1, "indices")
    axis = call.axis_of(call.attr("axis", 0), x.ndim)
    shape = (*x.shape[:axis], *rows.shape, *x.shape[axis + 1 :])
    return Plan(
        shape,
        x.dtype,
        lambda: np.take(x, _in_range(rows, x.shape[axis]), axis),
        work=4 * rows.size,
    )


@planner("GatherElements")
def _gather_elements(call: Call) -> Plan:
    x, indices = call.known(0, "its data"), call.known(1, "indices")
    axis = call.axis_of(call.attr("axis", 0), x.ndim)
    return Plan(indices.shape, x.dtype, lambda: x[_grid(indices, x, axis)], work=8 * indices.size)


def _grid(indices: Array, x: Array, axis: int) -> tuple[Any, ...]:
    """Return indices for ``x[...]``: ``indices`` along ``axis``, own positions on other axes."""
    if indices.ndim != x.ndim:
        raise ValueError(
            f"indices have {indices.ndim} axes, data has {x.ndim}; they must have as many"
        )
    grid: list[Any] = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = _in_range(indices, x.shape[axis])
    return tuple(grid)


def _coordinates(indices: Array, sizes: tuple[int, ...]) -> tuple[Any, ...]:
    """Split coordinates ``[..., axes]`` into one index array per indexed axis."""
    return tuple(_in_range(indices[..., k], n) for k, n in enumerate(sizes))


@planner("GatherND")
def _gather_nd(call: Call) -> Plan | None:
    x, indices = call.known(0, "its data"), call.known(1, "indices")
    if call.attr("batch_dims", 0):
        return None
    depth = indices.shape[-1]
    return Plan(
        (*indices.shape[:-1], *x.shape[depth:]),
        x.dtype,
        lambda: x[_coordinates(indices, x.shape[:depth])],
        work=8 * indices.size,
    )


@planner("ScatterND")
def _scatter_nd(call: Call) -> Plan | None:
    x, indices, updates = (call.known(i, "an operand") for i in range(3))
    if call.attr("reduction", "none") != "none":
        return None
    sizes = x.shape[: indices.shape[-1]]

    def compute() -> Any:
        y = x.copy()
        y[_coordinates(indices, sizes)] = updates
        return y

    return Plan(x.shape, x.dtype, compute, work=8 * (indices.size + updates.size))


@planner("ScatterElements", "Scatter")
def _scatter_elements(call: Call) -> Plan | None:
    x, indices, updates = (call.known(i, "an operand") for i in range(3))
    if call.attr("reduction", "none") != "none":
        return None
    axis = call.axis_of(call.attr("axis", 0), x.ndim)

    def compute() -> Any:
        y = x.copy()
        y[_grid(indices, x, axis)] = updates
        return y

    return Plan(x.shape, x.dtype, compute, work=8 * (indices.size + updates.size))


@planner("OneHot")
def _one_hot(call: Call) -> Plan:
    indices, values = call.known(0, "indices"), call.known(2, "values").reshape(-1)
    depth = whole_numbers(call.known(1, "depth"))[0]
    axis = call.axis_of(call.attr("axis", -1), indices.ndim + 1)

    def compute() -> Any:
        where = indices.astype(np.int64)
        # ONNX counts negative classes from the last one.
        where = np.where((where < 0) & (where >= -depth), where + depth, where)
        hot = np.expand_dims(where, axis) == np.arange(depth).reshape(
            [-1 if i == axis else 1 for i in range(indices.ndim + 1)]
        )
        return np.where(hot, values[1], values[0])

    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    return Plan(shape, values.dtype, compute, work=2 * math.prod(shape))


@planner("NonZero")
def _nonzero(call: Call) -> Plan:
    x = call.known(0, "its data")
    max_shape = (x.ndim, x.size)
    # The number of elements that are not 0 is known only after looking: the bound is claimed.
    return Plan(max_shape, _INT64, lambda: np.array(np.nonzero(x)), work=8 * x.size, is_bound=True)


@planner("Compress")
def _compress(call: Call) -> Plan:
    x, mask, axis = call.known(0, "its data"), call.known(1, "condition"), call.attr("axis")
    shape = (x.size,) if axis is None else x.shape
    return Plan(
        shape, x.dtype, lambda: np.compress(mask != 0, x, axis), work=4 * mask.size, is_bound=True
    )


@planner("Range")
def _range(call: Call) -> Plan:
    start, limit, delta = (call.known(i, "a number").reshape(-1)[0] for i in range(3))
    dtype = start.dtype
    if dtype.kind in "iu":
        a, b, step = int(start), int(limit), int(delta)
        count = len(range(a, b, step))
    else:
        # Infinity or NaN in a file would be a range without an end.
        ratio = (float(limit) - float(start)) / float(delta)
        if not math.isfinite(ratio):
            raise ValueError(f"a range from {start} to {limit} by delta={delta} never ends")
        count = max(math.ceil(ratio), 0)
    return Plan((count,), dtype, lambda: start + np.arange(count).astype(dtype) * delta)


@planner("CumSum")
def _cumsum(call: Call) -> Plan:
    x = call.known(0, "its data")
    if not x.ndim:
        raise call.refused("data must have an axis; a scalar has none")
    axis = call.axis_of(whole_numbers(call.known(1, "axis"))[0], x.ndim)

    def compute() -> Any:
        back: Any = np.flip(x, axis) if call.attr("reverse", 0) else x
        y: Any = np.cumsum(back, axis, dtype=x.dtype)
        y = y - back if call.attr("exclusive", 0) else y
        return np.flip(y, axis) if call.attr("reverse", 0) else y

    return Plan(x.shape, x.dtype, compute, work=4 * x.size)
