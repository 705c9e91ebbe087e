"""Cases of reductions by NumPy's rules: 0-dimensional results, and ``()`` for no axes."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

AXES: tuple[dict[str, Any], ...] = (
    {},
    {"axis": 1},
    {"axis": (0, -1), "keepdims": True},
    {"axis": ()},
)
INTS = np.array([[3, 1, 2], [-4, 0, 9]], np.int32)
BOOLS = np.array([[True, False], [True, True]])
SHAPE = (2, 3, 4)


def _average(a: Any, *weights: Any, axis: Any = None, weighted: bool = True) -> Any:
    return np.average(a, axis, *weights)


def _returned(a: Any, weights: Any, axis: Any, returned: bool) -> Any:
    return np.average(a, axis, weights), weights.sum(-1)


def _spread(weights: Any, a: Any, axis: Any) -> Any:
    return np.broadcast_to(weights[:, None], a.shape)


CASES = (
    *(
        OpCase(f"_np_{name}", (SHAPE,), getattr(np, name), params)
        for name in ("sum", "prod", "max", "min")
        for params in AXES
    ),
    *(
        OpCase(f"_npi_{name}", (SHAPE,), getattr(np, name), params)
        for name in ("mean", "var", "std")
        for params in AXES[:3]
    ),
    OpCase("_npi_mean", (SHAPE,), np.mean, {"axis": ()}),
    OpCase("_npi_mean", ((3, 1),), np.mean, {"axis": 1}),
    OpCase("_npi_var", (SHAPE,), np.var, {"axis": 1, "ddof": 1}),
    OpCase("_npi_std", (SHAPE,), np.std, {"axis": (0, 2), "ddof": 2, "keepdims": True}),
    OpCase("_np_sum", ((),), np.sum),
    *(
        OpCase(name, ((),), lambda x, axis: x, {"axis": axis})
        for name in ("_np_sum", "_np_prod", "_npi_mean", "_np_max", "_np_min")
        for axis in (0, -1)
    ),
    OpCase("_npi_var", ((),), lambda x, axis: 0 * x, {"axis": 0}),
    OpCase("_np_any", ((),), lambda x, axis: x != 0, {"axis": -1}),
    OpCase("_npi_argmax", ((),), lambda x, axis: np.int64(0), {"axis": -1}),
    OpCase("_npi_average", ((), None), lambda x, axis, weighted: x, {"axis": 0, "weighted": False}),
    OpCase("_np_sum", ((0, 2),), np.sum, {"axis": 0}),
    OpCase("_np_sum", ((2, 3),), np.sum, {"dtype": "float64", "initial": 3.0}),
    OpCase("_np_sum", ((2, 2),), np.sum, inputs={0: BOOLS}),
    OpCase("_np_prod", ((2, 3),), np.prod, {"axis": 1, "initial": 3.0}),
    OpCase("_np_prod", ((2, 2),), np.prod, inputs={0: BOOLS}),
    OpCase("_npi_mean", ((2, 3),), None, inputs={0: INTS}),
    OpCase("_np_max", ((2, 3),), np.max, {"axis": 0, "initial": 1.0}, check_grad=False),
    *(
        OpCase(f"_np_{name}", ((2, 2),), getattr(np, name), params, inputs={0: BOOLS})
        for name in ("all", "any")
        for params in AXES[:2]
    ),
    *(
        OpCase(f"_npi_{name}", ((2, 3, 4),), getattr(np, name), params)
        for name in ("argmax", "argmin")
        for params in ({}, {"axis": -2}, {"axis": 0, "keepdims": True})
    ),
    OpCase("_npi_average", ((2, 3), (2, 3)), _average, low=0.5),
    OpCase("_npi_average", ((2, 3), (3,)), _average, {"axis": 1}, low=0.5),
    OpCase("_npi_average", ((2, 3), None), _average, {"axis": 0, "weighted": False}),
    OpCase("_np_degrees_of_freedom", ((2, 3),), lambda x, axis, ddof: 1.5, {"axis": 1, "ddof": 1}),
    OpCase("_np_spread_weights", ((2,), (2, 3)), _spread, {"axis": 0}),
    OpCase(
        "_np_sum_weights",
        ((2, 3), (2,), (2, 3)),
        lambda dy, weights, a, axis: dy.sum(1),
        {"axis": 0},
    ),
    OpCase("_npi_average", ((2, 3), (3,)), _returned, {"axis": 1, "returned": True}, low=0.5),
    OpCase("_npi_average", ((2, 3), (2, 3)), _returned, {"axis": 1, "returned": True}, low=0.5),
    OpCase("_np_total_weights", ((3,), (2, 3)), lambda w, a, axis: w.sum(), {"axis": 1}),
    OpCase("_np_total_weights", ((2, 3), (2, 3)), lambda w, a, axis: w.sum(1), {"axis": 1}),
    OpCase(
        "_np_total_weights_backward",
        ((), (3,), (2, 3)),
        lambda dy, w, a, axis: np.full(3, dy),
        {"axis": 1},
    ),
)
