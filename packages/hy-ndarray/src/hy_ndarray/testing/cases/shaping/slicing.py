"""Cases of slicing and of assignment to slices."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _slices(begin: Any, end: Any, step: Any = ()) -> Any:
    return tuple(map(slice, begin, end, step or [None] * len(begin)))


def _slice(data: Any, **params: Any) -> Any:
    return data[_slices(**params)]


def _slice_backward(dy: Any, data: Any, **params: Any) -> Any:
    dx = np.zeros_like(data)
    dx[_slices(**params)] = dy
    return dx


def _slice_axis(data: Any, axis: int, begin: int, end: Any) -> Any:
    return np.moveaxis(np.moveaxis(data, axis, 0)[begin:end], 0, axis)


def _slice_axis_backward(dy: Any, data: Any, axis: int, begin: int, end: Any) -> Any:
    dx = np.zeros_like(data)
    np.moveaxis(dx, axis, 0)[begin:end] = np.moveaxis(dy, axis, 0)
    return dx


def _slice_assign(lhs: Any, rhs: Any, **params: Any) -> Any:
    y = lhs.copy()
    y[_slices(**params)] = rhs
    return y


def _slice_assign_scalar(data: Any, scalar: float, **params: Any) -> Any:
    return _slice_assign(data, scalar, **params)


_BACKWARDS = {"begin": (None, 2), "end": (None, None), "step": (-2, -1)}

CASES = (
    OpCase("slice", ((4, 3),), _slice, {"begin": (1, None), "end": (3, -1)}),
    OpCase("slice", ((4, 3, 2),), _slice, {"begin": (-3,), "end": (9,)}),
    OpCase("slice", ((5, 3),), _slice, _BACKWARDS),
    OpCase("slice", ((4, 3),), _slice, {"begin": (3,), "end": (1,)}),
    OpCase("slice", ((1, 0),), _slice, {"begin": (0, 0), "end": (None, 1)}),
    OpCase("_slice_backward", ((3, 3), (5, 3)), _slice_backward, _BACKWARDS),
    OpCase("slice_axis", ((4, 3),), _slice_axis, {"axis": 0, "begin": 1, "end": 3}),
    OpCase("slice_axis", ((4, 3),), _slice_axis, {"axis": -1, "begin": -2, "end": None}),
    OpCase("slice_axis", ((4, 3),), _slice_axis, {"axis": 1, "begin": 2, "end": 2}),
    OpCase(
        "_slice_axis_backward",
        ((2, 2, 3), (2, 5, 3)),
        _slice_axis_backward,
        {"axis": -2, "begin": 2, "end": -1},
    ),
    OpCase("slice_like", ((4, 5), (2, 3)), lambda x, _: x[:2, :3]),
    OpCase("slice_like", ((4, 5, 2), (2, 7)), lambda x, _, axes: x[:2], {"axes": (0,)}),
    OpCase("slice_like", ((4, 5), (2, 3, 1)), lambda x, _, axes: x[:, :1], {"axes": (-1,)}),
    OpCase("slice_like", ((4, 5), (0, 5)), lambda x, _: x[:0]),
    OpCase("_corner_backward", ((2, 1), (3, 2)), lambda dy, _: np.pad(dy, ((0, 1), (0, 1)))),
    OpCase("_slice_assign", ((5, 3), (3, 3)), _slice_assign, _BACKWARDS),
    OpCase("_slice_assign", ((4, 3), (2, 3)), _slice_assign, {"begin": (1,), "end": (3,)}),
    OpCase("_slice_assign_scalar", ((5, 3),), _slice_assign_scalar, {"scalar": 7, **_BACKWARDS}),
    OpCase(
        "Crop",
        ((2, 1, 6, 5), (1, 2, 3, 4)),
        lambda x, _, **__: x[..., 2:5, 1:],
        {"offset": (2, 1)},
    ),
    OpCase(
        "Crop",
        ((1, 2, 5, 5),),
        lambda x, **_: x[..., 1:3, 1:4],
        {"h_w": (2, 3), "center_crop": True},
    ),
    OpCase(
        "_crop_backward",
        ((1, 1, 2, 2), (1, 1, 3, 4)),
        lambda dy, _, **__: np.pad(dy, ((0, 0), (0, 0), (1, 0), (2, 0))),
        {"offset": (1, 2)},
    ),
)
