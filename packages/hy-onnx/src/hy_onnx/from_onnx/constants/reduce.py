"""Constant folding of reductions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, Planner, planner
from hy_onnx.from_onnx.versions import reduced_axes
from hy_onnx.model import Array

__all__: list[str] = []

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceMax": np.max,
    "ReduceMean": np.mean,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
}


def _reduced_shape(shape: tuple[int, ...], axes: set[int], *, keep: bool) -> tuple[int, ...]:
    if keep:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _reduction(function: Callable[..., Any]) -> Planner:
    def plan(call: Call) -> Plan:
        x, axes = call.known(0, "its data"), reduced_axes(call)
        keep = bool(call.attr("keepdims", 1))
        over = range(x.ndim) if axes is None else [call.axis_of(i, x.ndim) for i in axes]
        # numpy would widen sums of small integers; ONNX keeps their dtype, and wraps.
        options = {} if function in (np.max, np.min) else {"dtype": x.dtype}

        def compute() -> Any:
            return function(x, tuple(over), keepdims=keep, **options) if over else x

        return Plan(
            _reduced_shape(x.shape, set(over), keep=keep), x.dtype, compute, work=2 * x.size
        )

    return plan


for _name, _function in _FUNCTIONS.items():
    planner(_name)(_reduction(_function))


def _best(function: Callable[..., Any]) -> Planner:
    def plan(call: Call) -> Plan:
        x, keep = call.known(0, "its data"), bool(call.attr("keepdims", 1))
        axis = call.axis_of(call.attr("axis", 0), x.ndim)
        select_last = bool(call.attr("select_last_index", 0))
        shape = _reduced_shape(x.shape, {axis}, keep=keep)
        return Plan(
            shape,
            np.dtype(np.int64),
            lambda: _index(function, x, axis, select_last, keep),
            4 * x.size,
        )

    return plan


def _index(function: Callable[..., Any], x: Array, axis: int, select_last: bool, keep: bool) -> Any:
    index = function(np.flip(x, axis) if select_last else x, axis=axis, keepdims=keep)
    return x.shape[axis] - 1 - index if select_last else index


planner("ArgMax")(_best(np.argmax))
planner("ArgMin")(_best(np.argmin))
