"""Cases of moments, cumulative sums, and properties of whole arrays."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _moments(data: Any, *, axes: Any = None, keepdims: bool = False) -> tuple[Any, Any]:
    mean = data.mean(axes, keepdims=keepdims)
    variance = data.var(axes, keepdims=keepdims)
    return (mean, variance) if mean.ndim else (mean[None], variance[None])


def _cumsum(a: Any, *, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(a, axis, dtype)


def _cumsum_backward(dy: Any, a: Any, *, axis: Any = None) -> Any:
    along = -1 if axis is None else axis
    return np.flip(np.cumsum(np.flip(dy, along), axis), along).reshape(a.shape)


def _square_sum(data: Any, **params: Any) -> Any:
    y = (data**2).sum(**params)
    return y if y.ndim else y[None]


def _finite(*data: Any, **_: Any) -> Any:
    return np.array([all(np.isfinite(x).all() for x in data)], np.float32)


BROKEN = np.array([1.0, np.inf])

CASES = (
    OpCase("moments", ((2, 3, 4),), _moments, {"axes": (0, 2)}),
    OpCase("moments", ((3, 4),), _moments, {"axes": (-1,), "keepdims": True}),
    OpCase("moments", ((5,),), _moments),
    OpCase("_np_cumsum", ((2, 3),), _cumsum),
    OpCase("_np_cumsum", ((2, 3, 2),), _cumsum, {"axis": -2}),
    OpCase("_np_cumsum", ((0, 2),), _cumsum, {"axis": 0}),
    OpCase("_np_cumsum", ((3,),), _cumsum, inputs={0: np.array([True, False, True])}),
    OpCase(
        "_np_cumsum", ((3,),), _cumsum, {"dtype": "int32"}, inputs={0: np.arange(3, dtype="i1")}
    ),
    OpCase("_cumsum_backward", ((6,), (2, 3)), _cumsum_backward),
    OpCase("_cumsum_backward", ((2, 3, 2), (2, 3, 2)), _cumsum_backward, {"axis": 1}),
    OpCase("_square_sum", ((2, 3, 4),), _square_sum, {"axis": (0, 2)}),
    OpCase("_square_sum", ((3, 1),), _square_sum),
    OpCase(
        "multi_sum_sq",
        ((3,), (2, 4), (0,)),
        lambda *xs, **_: np.array([(x**2).sum() for x in xs], np.float32),
        {"num_arrays": 3},
    ),
    OpCase("all_finite", ((2, 3),), _finite),
    OpCase("all_finite", ((2,),), _finite, inputs={0: BROKEN}),
    OpCase("multi_all_finite", ((2, 3), (0,)), _finite, {"num_arrays": 2}),
    OpCase("multi_all_finite", ((3,), (2,)), _finite, {"num_arrays": 2}, inputs={1: BROKEN}),
    OpCase("_contrib_allclose", ((2,), (2,)), lambda *_, **__: np.uint8(0)),
    OpCase(
        "_contrib_allclose",
        ((2,), (2,)),
        lambda *_, **__: np.uint8(1),
        {"rtol": -1.0, "atol": 9.0},
    ),
    OpCase(
        "_contrib_allclose",
        ((2,), (2,)),
        lambda *_, **__: np.uint8(1),
        {"atol": 0.1},
        inputs={0: np.array([1.0, np.nan]), 1: np.array([1.01, np.nan])},
    ),
)
