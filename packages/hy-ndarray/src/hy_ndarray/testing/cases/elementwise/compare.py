"""Comparisons and logic of arrays."""

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

CASES = (
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
