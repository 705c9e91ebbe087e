"""Cases of reductions over axes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

NAN = np.array([[1.5, np.nan, -0.5], [np.nan, 2.0, np.nan]])
ZEROS = np.array([[0.0, 3.0, -2.0], [2.0, 0.0, 0.0]])


def _axes(data: Any, axis: Any, exclude: bool = False) -> tuple[int, ...]:
    axes = (axis,) if isinstance(axis, int) else axis
    reduced = {i % data.ndim for i in axes or range(data.ndim)}
    return tuple(i for i in range(data.ndim) if (i in reduced) != (exclude and bool(axes)))


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    def expected(
        data: Any, *, axis: Any = None, keepdims: bool = False, exclude: bool = False, **params: Any
    ) -> Any:
        y = function(data, axis=_axes(data, axis, exclude), keepdims=keepdims, **params)
        return y if y.ndim else y[None]

    return expected


def _norm(data: Any, *, axis: Any, keepdims: bool, **params: Any) -> Any:
    power = params.get("ord", 2)
    powers = np.abs(data) ** power
    return np.asarray(powers.sum(axis=axis, keepdims=keepdims) ** (1 / power))


def _expanded(dy: Any, data: Any, *, axis: Any = None, exclude: bool = False, **_: Any) -> Any:
    axes = _axes(data, axis, exclude)
    shape = [1 if i in axes else n for i, n in enumerate(data.shape)]
    return np.broadcast_to(dy.reshape(shape), data.shape)


def _mean_backward(dy: Any, data: Any, **params: Any) -> Any:
    return _expanded(dy, data, **params) * dy.size / data.size


def _extreme_backward(dy: Any, data: Any, y: Any, **params: Any) -> Any:
    return np.where(data == _expanded(y, data, **params), _expanded(dy, data, **params), 0)


def _others(data: Any, *, axis: Any = None, exclude: bool = False) -> Any:
    axes = _axes(data, axis, exclude)
    result = np.empty(data.shape)
    for i in np.ndindex(data.shape):
        rest = data.copy()
        rest[i] = 1
        result[i] = rest[tuple(slice(None) if j in axes else k for j, k in enumerate(i))].prod()
    return result


def _norm_backward(dy: Any, data: Any, y: Any, *, axis: Any, **params: Any) -> Any:
    direction = np.sign(data) if "ord" in params else data / _expanded(y, data, axis=axis)
    return _expanded(dy, data, axis=axis) * direction


REDUCTIONS = (
    ("sum", np.sum),
    ("mean", np.mean),
    ("max", np.max),
    ("min", np.min),
    ("prod", np.prod),
    ("nansum", np.nansum),
    ("nanprod", np.nanprod),
)
LENGTHS = {2: np.array([1.5, 2.5])}

CASES = (
    *(
        OpCase(name, (shape,), _reduced(function), params)
        for name, function in REDUCTIONS
        for shape, params in (
            ((2, 3, 4), {}),
            ((2, 3, 4), {"axis": 1}),
            ((5, 1, 3), {"axis": (-1, 0), "keepdims": True}),
            ((2, 3, 4), {"axis": (0,), "exclude": True}),
            ((2, 3), {"axis": (), "keepdims": True, "exclude": True}),
            ((2, 3), {"axis": (0, 1), "exclude": True}),
            ((3, 1), {"axis": 0, "exclude": True}),
            ((0, 3), {"axis": 1}),
            ((7,), {"axis": 0}),
        )
    ),
    *(
        OpCase(name, ((0, 3),), _reduced(function), {"axis": 0})
        for name, function in REDUCTIONS
        if name not in ("mean", "max", "min")
    ),
    OpCase("nansum", ((2, 3),), _reduced(np.nansum), {"axis": 1}, inputs={0: NAN}),
    OpCase("nanprod", ((2, 3),), _reduced(np.nanprod), {"axis": 1}, inputs={0: NAN}),
    OpCase("prod", ((2, 3),), _reduced(np.prod), {"axis": 1}, inputs={0: ZEROS}, grad_inputs=(0,)),
    OpCase("norm", ((2, 3, 4),), _reduced(_norm)),
    OpCase("norm", ((2, 3, 4),), _reduced(_norm), {"ord": 1, "axis": (0, 2)}),
    OpCase("norm", ((2, 3, 4),), _reduced(_norm), {"axis": -1, "keepdims": True}),
    OpCase("norm", ((3, 0),), _reduced(_norm), {"axis": 1}),
    OpCase(
        "norm",
        ((2, 3),),
        lambda x, **_: np.array([np.linalg.norm(x)], np.float16),
        {"out_dtype": "float16"},
        check_grad=False,  # too coarse
    ),
    OpCase("_expand_reduced", ((2, 4), (2, 3, 4)), _expanded, {"axis": 1}),
    OpCase("_expand_reduced", ((1,), (2, 3)), _expanded),
    OpCase("_expand_reduced", ((3, 1), (3, 5)), _expanded, {"axis": -1, "keepdims": True}),
    OpCase("_expand_reduced", ((3,), (3, 1)), _expanded, {"axis": 1}),
    OpCase("_mean_backward", ((3,), (3, 1)), _mean_backward, {"axis": 1}),
    OpCase("_mean_backward", ((2, 4), (2, 3, 4)), _mean_backward, {"axis": 1}),
    OpCase("_mean_backward", ((3,), (2, 3)), _mean_backward, {"axis": -1, "exclude": True}),
    OpCase(
        "_extreme_backward",
        ((2,), (2, 3), (2,)),
        _extreme_backward,
        {"axis": 1},
        inputs={1: np.array([[1, 3, 3], [2, 1, 0]]) / 1, 2: np.array([3.0, 2.0])},
    ),
    OpCase(
        "_extreme_sum",
        ((2, 3), (2, 3), (2,)),
        lambda values, data, y, axis: (values * (data == y[:, None])).sum(axis),
        {"axis": 1},
        inputs={1: np.array([[1, 3, 3], [2, 1, 0]]) / 1, 2: np.array([3.0, 2.0])},
    ),
    OpCase("_product_of_others", ((2, 3, 4),), _others, {"axis": 1}),
    OpCase("_product_of_others", ((6, 2),), _others, {"axis": -1, "exclude": True}),
    OpCase("_product_of_others", ((7,),), _others),
    OpCase("_product_of_others", ((1,),), _others),
    OpCase("_product_of_others", ((2, 0),), _others, {"axis": 1}),
    OpCase("_product_of_others", ((2, 3),), _others, {"axis": 1}, inputs={0: ZEROS}),
    OpCase(
        "_product_of_others_backward",
        ((2, 3), (2, 3)),
        lambda dy, x, **_: np.stack(
            [
                dy[:, 1] * x[:, 2] + dy[:, 2] * x[:, 1],
                dy[:, 0] * x[:, 2] + dy[:, 2] * x[:, 0],
                dy[:, 0] * x[:, 1] + dy[:, 1] * x[:, 0],
            ],
            1,
        ),
        {"axis": 1},
    ),
    OpCase(
        "_replace_nan",
        ((2, 3), (2, 3)),
        lambda x, where, value: np.where(np.isnan(where), value, x),
        {"value": 0.0},
        inputs={1: NAN},
    ),
    OpCase("_norm_backward", ((2,), (2, 3), (2,)), _norm_backward, {"axis": 1}, inputs=LENGTHS),
    OpCase(
        "_norm_backward",
        ((2,), (2, 3), (2,)),
        _norm_backward,
        {"axis": 1, "ord": 1},
        inputs=LENGTHS,
    ),
)
