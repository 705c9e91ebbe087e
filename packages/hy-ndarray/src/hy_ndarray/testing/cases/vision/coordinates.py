"""Cases of coordinates and flat indices of elements, and of counts."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _ravel(data: Any, shape: Any) -> Any:
    return np.ravel_multi_index(tuple(data.astype(int)), shape)


def _unravel(data: Any, shape: Any) -> Any:
    return np.stack(np.unravel_index(data.astype(int), shape))


def _index_array(data: Any, axes: Any = None) -> Any:
    positions = np.moveaxis(np.indices(data.shape), 0, -1)
    return positions if axes is None else positions[..., list(axes)]


def _nonzero(data: Any, axis: Any = None) -> Any:
    return np.atleast_1d((data != 0).sum(axis))


def _histogram(data: Any, bins: Any = None, **params: Any) -> Any:
    return np.histogram(data, params["bin_cnt"] if bins is None else bins, params.get("range"))


_MATRIX = np.array([[0.0, 1, 2], [0, 0, 3]])

CASES = (
    OpCase(
        "_ravel_multi_index",
        ((2, 3),),
        _ravel,
        {"shape": (7, 6)},
        inputs={0: np.array([[3, 6, 6], [4, 5, 1]], np.float32)},
    ),
    OpCase(
        "_ravel_multi_index",
        ((3, 2),),
        _ravel,
        {"shape": (2, 3, 4)},
        inputs={0: np.array([[1, 0], [2, 0], [3, 1]])},
    ),
    OpCase(
        "_unravel_index",
        ((2, 2),),
        _unravel,
        {"shape": (7, 6)},
        inputs={0: np.array([[22, 41], [37, 0]], np.float32)},
    ),
    OpCase(
        "_unravel_index", ((0,),), _unravel, {"shape": (2, 3)}, inputs={0: np.zeros(0, np.int64)}
    ),
    OpCase("_contrib_index_array", ((2, 3),), _index_array),
    OpCase("_contrib_index_array", ((2, 3, 4),), _index_array, {"axes": (-1, 0)}),
    OpCase("_contrib_index_array", ((0, 1),), _index_array),
    OpCase("_contrib_getnnz", ((2, 3),), _nonzero, inputs={0: _MATRIX}),
    OpCase("_contrib_getnnz", ((2, 3),), _nonzero, {"axis": 0}, inputs={0: _MATRIX}),
    OpCase("_contrib_getnnz", ((2, 3),), _nonzero, {"axis": -1}, inputs={0: _MATRIX}),
    OpCase("_histogram", ((5, 4), None), _histogram, {"bin_cnt": 3, "range": (-1, 1.5)}),
    OpCase("_histogram", ((20,), (4,)), _histogram, inputs={1: np.array([-1, 0, 0.5, 2])}),
    OpCase("_histogram", ((0,), None), _histogram, {"bin_cnt": 1, "range": (0, 1)}),
)
