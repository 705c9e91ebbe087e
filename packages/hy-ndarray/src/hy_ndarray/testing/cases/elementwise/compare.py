"""Cases of comparisons and logic of arrays, and of an array and a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

FUNCTIONS: dict[str, Any] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "lesser": np.less,
    "lesser_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
LEFT = np.array([[0.0], [1.0], [2.0]])
RIGHT = np.array([[1.0, 0.0, 2.0, 5.0]])
SAME = (np.array([3, 0, 0, 5], np.int32), np.array([3, 0, 1, 2], np.int32))

OF_ARRAYS = (
    *(
        OpCase(f"broadcast_{name}", ((3, 1), (1, 4)), function, inputs={0: LEFT, 1: RIGHT})
        for name, function in FUNCTIONS.items()
    ),
    *(
        OpCase(f"_{name}", ((4,), (4,)), function, inputs={0: SAME[0], 1: SAME[1]})
        for name, function in FUNCTIONS.items()
    ),
    *(OpCase(f"_{name}", ((2, 3), (2, 3)), function) for name, function in FUNCTIONS.items()),
    OpCase("broadcast_greater", ((2, 3), (2, 3)), np.greater),
    OpCase("_lesser", ((0, 3), (0, 3)), np.less),
    OpCase("logical_not", ((4,),), np.logical_not, inputs={0: SAME[1]}),
    OpCase("logical_not", ((2, 3),), np.logical_not),
)

INTS = np.array([-7, 0, 3, 250, 6], np.int32)
BYTES = np.array([0, 3, 7, 200], np.uint8)
BOOLS = np.array([True, False, True])

COMPARISONS = {f"_{name}_scalar": function for name, function in FUNCTIONS.items()}


def _reference(function: Callable[[Any, float], Any]) -> Callable[..., Any]:
    return lambda data, scalar, is_int: function(data, scalar)


OF_NUMBERS = (
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

CASES = (*OF_ARRAYS, *OF_NUMBERS)
