"""Cases of counts, percentiles, distinct elements, differences, deletion and insertion."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

X = (2, 3, 4)
NUMBERS = np.array([3, 0, 3, 1], np.int64)
REPEATED = np.array([[1.0, 3.0, 1.0], [0.0, 3.0, 0.0], [1.0, 3.0, 1.0]])
RANKS = np.array([[10.0], [75.0]])
INDICES = np.array([2, 0], np.int64)


def _percentile(
    a: Any, q: Any = None, interpolation: Any = "linear", q_scalar: Any = None, **params: Any
) -> Any:
    ranks = q if q_scalar is None else q_scalar
    return np.percentile(a, ranks, method=interpolation, **params)


def _bincount(data: Any, *weights: Any, minlength: int = 0, has_weights: bool = False) -> Any:
    return np.bincount(data.astype(int), weights[0] if weights else None, minlength)


def _ediff1d(data: Any, *ends: Any, **params: Any) -> Any:
    end_values = iter(ends)
    begin = next(end_values) if params.get("to_begin_arr_given") else params.get("to_begin_scalar")
    end = next(end_values) if params.get("to_end_arr_given") else params.get("to_end_scalar")
    return np.ediff1d(data, end, begin)


def _pad(data: Any, pad_width: Any, mode: str = "constant", constant_value: float = 0) -> Any:
    values: dict[str, Any] = {"constant_values": constant_value} if mode == "constant" else {}
    return np.pad(data, pad_width, **{"mode": mode, **values})


def _where(params: dict[str, Any], obj: Any) -> Any:
    if "int_ind" in params:
        return params["int_ind"]
    if obj is not None:
        return obj.astype(int)
    return slice(params.get("start"), params.get("stop"), params.get("step"))


def _delete(arr: Any, obj: Any = None, axis: Any = None, **params: Any) -> Any:
    return np.delete(arr, _where(params, obj), axis)


def _insert(arr: Any, *rest: Any, axis: Any = None, val: Any = None, **params: Any) -> Any:
    values = val if val is not None else rest[0]
    obj = rest[-1] if len(rest) > (val is None) else None
    return np.insert(arr, _where(params, obj), values, axis)


WIDTH = ((1, 2), (0, 1))

CASES = (
    OpCase("_npi_percentile", (X, None), _percentile, {"q_scalar": 30.0}),
    OpCase("_npi_percentile", (X, (2, 1)), _percentile, {"axis": 1}, inputs={1: RANKS}),
    *(
        OpCase(
            "_npi_percentile",
            ((2, 5), None),
            _percentile,
            {"axis": (-1,), "q_scalar": 40.0, "keepdims": True, "interpolation": between},
        )
        for between in ("linear", "lower", "higher", "midpoint", "nearest")
    ),
    OpCase("_npi_bincount", ((4,), None), _bincount, {"minlength": 6}, inputs={0: NUMBERS}),
    OpCase("_npi_bincount", ((4,), (4,)), _bincount, {"has_weights": True}, inputs={0: NUMBERS}),
    OpCase("_npi_unique", ((3, 3),), np.unique, inputs={0: REPEATED}),
    OpCase(
        "_npi_unique",
        ((9,),),
        np.unique,
        {"return_index": True, "return_inverse": True, "return_counts": True},
        inputs={0: REPEATED.ravel()},
    ),
    OpCase("_npi_unique", ((3, 3),), np.unique, {"axis": 0}, inputs={0: REPEATED}),
    OpCase("_npi_polyval", ((4,), (2, 3)), np.polyval),
    OpCase("_npi_polyval", ((1,), ()), np.polyval),
    OpCase("_np_polyval_backward", ((2,), (3,), (2,)), lambda dy, p, x: dy @ np.vander(x, 3)),
    OpCase("_np_polyder", ((4,),), lambda p: np.concatenate([[0], np.polyder(p)])),
    OpCase("_np_polyder_backward", ((3,),), lambda q: np.array([2 * q[1], q[2], 0])),
    OpCase("_npi_diff", (X,), np.diff),
    OpCase("_npi_diff", (X,), np.diff, {"n": 2, "axis": 1}),
    OpCase("_npi_diff", ((2, 3),), np.diff, {"n": 5}),
    OpCase("_np_diff_backward", ((2, 2), (2, 3)), None),
    OpCase("_npi_ediff1d", ((2, 3), None, None), _ediff1d),
    OpCase("_npi_ediff1d", ((1,), None, None), _ediff1d, {"to_begin_scalar": 7.0}),
    OpCase(
        "_npi_ediff1d",
        ((4,), (2,), None),
        _ediff1d,
        {"to_end_arr_given": True, "to_begin_scalar": 7.0},
    ),
    OpCase(
        "_npi_ediff1d",
        ((4,), (2,), (3,)),
        _ediff1d,
        {"to_end_arr_given": True, "to_begin_arr_given": True},
    ),
    OpCase("_np_ediff1d_backward", ((5,), (2, 3)), None),
    *(
        OpCase("_npi_pad", ((3, 2),), _pad, {"pad_width": WIDTH, "mode": mode})
        for mode in ("edge", "reflect", "symmetric")
    ),
    *(
        OpCase(
            "_npi_pad",
            ((3, 2),),
            _pad,
            {"pad_width": WIDTH, "mode": mode},
            check_grad=False,
            check_second=False,
        )
        for mode in ("maximum", "minimum")
    ),
    OpCase("_npi_pad", ((3, 2),), _pad, {"pad_width": WIDTH, "constant_value": 5.0}),
    OpCase("_npi_pad", ((0, 2),), _pad, {"pad_width": WIDTH}),
    *(
        OpCase("_np_pad_backward", ((6, 3), (3, 2)), None, {"pad_width": WIDTH, "mode": mode})
        for mode in ("constant", "edge")
    ),
    OpCase("_npi_delete", ((2, 3), None), _delete, {"int_ind": 4}),
    OpCase("_npi_delete", ((2, 3), None), _delete, {"start": 0, "step": 2, "axis": 1}),
    OpCase("_npi_delete", ((4, 2), (2,)), _delete, {"axis": 0}, inputs={1: INDICES}),
    OpCase("_npi_insert_scalar", ((2, 3), None), _insert, {"int_ind": 1, "val": 5.0}),
    OpCase("_npi_insert_scalar", ((2, 3), (3,)), _insert, {"int_ind": 1, "axis": 0}),
    OpCase("_npi_insert_slice", ((4,), None), _insert, {"start": 0, "stop": 2, "val": 5.0}),
    OpCase("_npi_insert_slice", ((4, 2), (2, 2)), _insert, {"stop": 4, "step": 2, "axis": 0}),
    OpCase("_npi_insert_tensor", ((4,), (2,), (2,)), _insert, inputs={2: INDICES}),
    OpCase(
        "_npi_insert_tensor",
        ((2, 3), None, (2,)),
        _insert,
        {"val": 5, "axis": 1},
        inputs={2: INDICES},
    ),
)
