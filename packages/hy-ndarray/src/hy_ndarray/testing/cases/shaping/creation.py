"""Cases of the creation of arrays, from a shape or in the shape of another array."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

FLOAT64 = {"dtype": "float64"}


def _arange(*, start: float, stop: float | None = None, step: float = 1, **_: Any) -> Any:
    return np.arange(*((start,) if stop is None else (start, stop, step)))


CASES = (
    OpCase("zeros_like", ((2, 3),), np.zeros_like),
    OpCase("ones_like", ((2, 0),), np.ones_like),
    OpCase("ones_like", ((2, 3),), np.ones_like),
    OpCase("_zeros", (), lambda **_: np.zeros((2, 3)), {"shape": (2, 3)}),
    OpCase("_zeros", (), lambda **_: np.zeros((0, 3)), {"shape": (0, 3), "dtype": "int32"}),
    OpCase("_ones", (), lambda **_: np.ones((2, 3)), {"shape": (2, 3), "dtype": "uint8"}),
    OpCase("_full", (), lambda **_: np.full(3, 3), {"shape": (3,), "value": 3.7, "dtype": "int8"}),
    OpCase("_full", (), lambda **_: np.full((2, 1), 2.5), {"shape": (2, 1), "value": 2.5}),
    OpCase("_zeros_without_dtype", (), lambda **_: np.zeros(3), {"shape": (3,), "dtype": 6}),
    OpCase("_arange", (), _arange, {"start": 5}),
    OpCase("_arange", (), _arange, {"start": 1, "stop": 2, "step": 0.3, **FLOAT64}),
    OpCase("_arange", (), _arange, {"start": 5, "stop": 0, "step": -2, "dtype": "int32"}),
    OpCase("_arange", (), _arange, {"start": 2, "stop": 2}),
    OpCase(
        "_arange",
        (),
        lambda **_: np.array([1, 2, 3, 4]),
        {"start": 1.3, "stop": 6.5, "step": 1.3, "dtype": "int32"},
    ),
    OpCase(
        "_arange",
        (),
        lambda **_: np.array([0, 0, 1, 1, 2, 2]),
        {"start": 0, "stop": 3, "repeat": 2, "dtype": "float16"},
    ),
    OpCase("_linspace", (), np.linspace, {"start": 0, "stop": 1, "num": 5}),
    OpCase(
        "_linspace",
        (),
        lambda **_: np.linspace(2, 3, 4, endpoint=False),
        {"start": 2, "stop": 3, "num": 4, "endpoint": False, **FLOAT64},
    ),
    OpCase("_linspace", (), lambda **_: np.zeros(0), {"start": 0, "stop": 1, "num": 0}),
    OpCase("_eye", (), lambda **_: np.eye(3), {"N": 3}),
    OpCase("_eye", (), lambda **_: np.eye(4, 2, -1), {"N": 4, "M": 2, "k": -1, "dtype": "int32"}),
    OpCase("_contrib_arange_like", ((2, 3),), lambda x: np.arange(6.0).reshape(2, 3)),
    OpCase(
        "_contrib_arange_like",
        ((2, 3),),
        lambda x, **_: np.array([1, 1.5, 2]),
        {"axis": -1, "start": 1, "step": 0.5},
    ),
    OpCase(
        "_contrib_arange_like",
        ((2, 3),),
        lambda x, repeat: np.array([[0, 0, 1], [1, 2, 2]]),
        {"repeat": 2},
    ),
    OpCase(
        "_contrib_arange_like",
        ((4,),),
        lambda x, **_: np.array([1, 2, 3, 4]),
        {"start": 1.3, "step": 1.3},
        inputs={0: np.zeros(4, "int32")},
    ),
    OpCase("_contrib_arange_like", ((0, 3),), lambda x, axis: np.zeros(0), {"axis": 0}),
)
