"""Cases of gather and scatter at coordinates, and of slices selected by mask or index."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _at(indices: Any) -> Any:
    return tuple(indices.astype(int))


def _gather(data: Any, indices: Any) -> Any:
    return data[_at(indices)]


def _gather_backward(dy: Any, data: Any, indices: Any) -> Any:
    dx = np.zeros_like(data)
    np.add.at(dx, _at(indices), dy)
    return dx


def _scatter(data: Any, indices: Any, shape: Any) -> Any:
    return _scatter_set(np.zeros(shape), data, indices)


def _scatter_set(lhs: Any, rhs: Any, indices: Any, **_: Any) -> Any:
    y = lhs.copy()
    y[_at(indices)] = rhs
    return y


def _mask(data: Any, index: Any, axis: int = 0) -> Any:
    return np.compress(index != 0, data, axis)


def _mask_backward(dy: Any, data: Any, index: Any, axis: int = 0) -> Any:
    dx = np.zeros_like(data)
    np.moveaxis(dx, axis, 0)[index != 0] = np.moveaxis(dy, axis, 0)
    return dx


def _copy(old: Any, index: Any, new: Any) -> Any:
    y = old.copy()
    y[index] = new
    return y


_INDICES = np.array([[0, 1, -1], [2, 0, 2]], np.float32)

CASES = (
    OpCase("gather_nd", ((2, 3), (2, 3)), _gather, inputs={1: _INDICES}),
    OpCase("gather_nd", ((3, 4, 1), (1, 2)), _gather, inputs={1: np.array([[2, 0]])}),
    OpCase("gather_nd", ((2, 3), (2, 2, 2)), _gather, inputs={1: np.ones((2, 2, 2), np.int32)}),
    OpCase("gather_nd", ((2, 3), (1, 0)), _gather, inputs={1: np.zeros((1, 0), np.int32)}),
    OpCase(
        "_gather_nd_backward",
        ((4, 2), (3, 3, 2), (2, 4)),
        _gather_backward,
        inputs={2: np.array([[0, -1, 2, 0], [1, 0, 0, 1]])},
        grad_inputs=(0,),
    ),
    OpCase(
        "scatter_nd",
        ((3,), (2, 3)),
        _scatter,
        {"shape": (2, 4)},
        inputs={1: np.array([[0, 1, -1], [2, 0, 3]])},
    ),
    OpCase(
        "scatter_nd",
        ((2, 4), (1, 2)),
        _scatter,
        {"shape": (3, 4)},
        inputs={1: np.array([[2, 0]], np.float32)},
    ),
    OpCase(
        "_scatter_set_nd",
        ((3, 4), (2,), (2, 2)),
        _scatter_set,
        {"shape": (3, 4)},
        inputs={2: np.array([[0, 2], [1, 3]])},
    ),
    OpCase("_set_slices", ((3, 4), (2, 4), (1, 2)), _scatter_set, inputs={2: np.array([[0, -1]])}),
    OpCase(
        "batch_take",
        ((3, 4), (3,)),
        lambda a, i: a[np.arange(3), np.clip(i, 0, 3)],
        inputs={1: np.array([-1, 2, 9], np.int32)},
    ),
    OpCase("_contrib_boolean_mask", ((4, 3), (4,)), _mask, inputs={1: np.array([1, 0, -1, 0.5])}),
    OpCase(
        "_contrib_boolean_mask",
        ((2, 3, 2), (3,)),
        _mask,
        {"axis": -2},
        inputs={1: np.array([0, 0, 0])},
    ),
    OpCase(
        "_boolean_mask_backward",
        ((2, 2), (2, 3), (3,)),
        _mask_backward,
        {"axis": 1},
        inputs={2: np.array([1, 0, 1])},
    ),
    OpCase(
        "_contrib_index_copy", ((4, 3), (2,), (2, 3)), _copy, inputs={1: np.array([3, 0], np.int32)}
    ),
    OpCase("_contrib_index_copy", ((4,), (0,), (0,)), _copy, inputs={1: np.zeros(0, int)}),
)
