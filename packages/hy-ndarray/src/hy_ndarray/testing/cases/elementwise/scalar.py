"""Cases of arithmetic of an array and a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([-7, 0, 3, 250, 6], np.int32)
BYTES = np.array([0, 3, 7, 200], np.uint8)
BOOLS = np.array([True, False, True])

ARITHMETIC: dict[str, Callable[[Any, float], Any]] = {
    "_plus_scalar": lambda x, s: x + s,
    "_minus_scalar": lambda x, s: x - s,
    "_rminus_scalar": lambda x, s: s - x,
    "_mul_scalar": lambda x, s: x * s,
    "_div_scalar": lambda x, s: x / s,
    "_rdiv_scalar": lambda x, s: s / x,
    "_mod_scalar": np.mod,
    "_rmod_scalar": lambda x, s: np.mod(s, x),
    "_power_scalar": lambda x, s: x**s,
    "_rpower_scalar": lambda x, s: s**x,
    "_maximum_scalar": np.maximum,
    "_minimum_scalar": np.minimum,
    "_hypot_scalar": np.hypot,
    "_scatter_plus_scalar": lambda x, s: x + s,
    "_scatter_minus_scalar": lambda x, s: x - s,
}


def _reference(function: Callable[[Any, float], Any]) -> Callable[..., Any]:
    return lambda data, scalar, is_int: function(data, scalar)


def _truncated(function: Callable[[Any, float], Any]) -> Callable[..., Any]:
    return lambda data, scalar, is_int: np.trunc(function(data.astype(np.float64), scalar))


CASES = (
    *(
        OpCase(name, ((2, 3),), _reference(function), {"scalar": 1.75, "is_int": False}, low=0.3)
        for name, function in ARITHMETIC.items()
    ),
    *(
        OpCase(name, ((5,),), _truncated(function), {"scalar": 3, "is_int": True}, inputs={0: INTS})
        for name, function in ARITHMETIC.items()
        if name not in ("_rdiv_scalar", "_rmod_scalar", "_rpower_scalar")
    ),
    *(
        OpCase(
            name, ((4,),), _reference(function), {"scalar": 3.5, "is_int": False}, inputs={0: BYTES}
        )
        for name, function in ARITHMETIC.items()
        if name not in ("_rdiv_scalar", "_rmod_scalar")
    ),
    OpCase(
        "_plus_scalar",
        ((3,),),
        lambda data, scalar, is_int: np.array([3, 2, 3]),
        {"scalar": 2, "is_int": True},
        inputs={0: BOOLS},
    ),
    OpCase("_mul_scalar", ((0, 3),), _reference(np.multiply), {"scalar": 2.0, "is_int": False}),
    OpCase("_power_scalar", ((7,),), _reference(np.power), {"scalar": 2.0, "is_int": False}),
    OpCase("_power_scalar", ((7,),), _reference(np.power), {"scalar": 3, "is_int": True}),
    OpCase(
        "_maximum_scalar",
        ((4,),),
        lambda data, scalar, is_int: data,
        {"scalar": -1, "is_int": True},
        inputs={0: BYTES},
    ),
    OpCase(
        "_power_scalar",
        ((4,),),
        lambda data, scalar, is_int: np.array([1, 0, 0, 0]),
        {"scalar": -1, "is_int": True},
        inputs={0: np.array([1, 3, 7, 200], np.uint8)},
    ),
)
