"""Comparisons and logic of an array and a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([-7, 0, 3, 250, 6], np.int32)
BYTES = np.array([0, 3, 7, 200], np.uint8)
BOOLS = np.array([True, False, True])

COMPARISONS: dict[str, Callable[[Any, float], Any]] = {
    "_equal_scalar": np.equal,
    "_not_equal_scalar": np.not_equal,
    "_greater_scalar": np.greater,
    "_greater_equal_scalar": np.greater_equal,
    "_lesser_scalar": np.less,
    "_lesser_equal_scalar": np.less_equal,
    "_logical_and_scalar": np.logical_and,
    "_logical_or_scalar": np.logical_or,
    "_logical_xor_scalar": np.logical_xor,
}


def _reference(function: Callable[[Any, float], Any]) -> Callable[..., Any]:
    return lambda data, scalar, is_int: function(data, scalar)


CASES = (
    *(
        OpCase(name, ((2, 3),), _reference(function), {"scalar": 0.5, "is_int": False})
        for name, function in COMPARISONS.items()
    ),
    *(
        OpCase(name, ((5,),), _reference(function), {"scalar": 3, "is_int": True}, inputs={0: INTS})
        for name, function in COMPARISONS.items()
    ),
    *(
        OpCase(
            name, ((4,),), _reference(function), {"scalar": 3.5, "is_int": False}, inputs={0: BYTES}
        )
        for name, function in COMPARISONS.items()
    ),
    OpCase("_greater_scalar", ((0, 3),), _reference(np.greater), {"scalar": 0.0, "is_int": False}),
    OpCase(
        "_not_equal_scalar",
        ((3,),),
        _reference(np.not_equal),
        {"scalar": 0, "is_int": True},
        inputs={0: BOOLS},
    ),
    OpCase(
        "_equal_scalar",
        ((4,),),
        lambda data, scalar, is_int: np.zeros(4),
        {"scalar": 200 - 256, "is_int": True},  # 200 in uint8, if it were cut off
        inputs={0: BYTES},
    ),
    OpCase(
        "_greater_scalar",
        ((4,),),
        lambda data, scalar, is_int: np.ones(4),
        {"scalar": -1, "is_int": True},
        inputs={0: BYTES},
    ),
)
