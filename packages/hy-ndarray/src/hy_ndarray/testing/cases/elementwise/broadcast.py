"""Cases of binary arithmetic with broadcasting, and of broadcasting itself."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([[-7, -5, 5, 7]], np.int32)
DIVISORS = np.array([[3], [-3]], np.int32)


def _mod(x: Any, y: Any) -> Any:
    return x - y * np.floor(x / y)


def _truncated(x: Any, y: Any) -> Any:
    return np.trunc(x / y)


CASES = (
    OpCase("broadcast_add", ((2, 3), (2, 3)), np.add),
    OpCase("broadcast_add", ((2, 1, 3), (1, 4, 1)), np.add),
    OpCase("broadcast_add", ((0, 3), (1, 3)), np.add),
    OpCase("broadcast_sub", ((2, 1, 3), (4, 1)), np.subtract),
    OpCase("broadcast_mul", ((2, 1, 3), (1, 4, 1)), np.multiply),
    OpCase("broadcast_mul", ((1,), (5, 7)), np.multiply),
    OpCase("broadcast_div", ((2, 1, 3), (1, 4, 1)), np.divide, low=0.5),
    OpCase("broadcast_div", ((1, 4), (2, 1)), _truncated, inputs={0: INTS, 1: DIVISORS}),
    OpCase("broadcast_mod", ((2, 1, 3), (1, 4, 1)), _mod, low=0.7, high=5.0),
    OpCase("broadcast_mod", ((1, 4), (2, 1)), np.mod, inputs={0: INTS, 1: DIVISORS}),
    OpCase(
        "broadcast_mod",
        ((3,), (3,)),
        lambda x, y: np.array([0.0, 0.0, 1.0]),
        inputs={0: np.array([2.0, -2.0, 5.0]), 1: np.array([0.0, 0.0, 2.0])},
    ),
    OpCase("broadcast_power", ((2, 1, 3), (1, 4, 1)), np.power, low=0.5),
    OpCase("broadcast_maximum", ((2, 1, 3), (1, 4, 1)), np.maximum),
    OpCase("broadcast_minimum", ((2, 1, 3), (1, 4, 1)), np.minimum),
    OpCase("broadcast_hypot", ((2, 1, 3), (1, 4, 1)), np.hypot),
    OpCase("_sum_like", ((2, 4, 3), (1, 3)), lambda x, like: x.sum((0, 1))[None]),
    OpCase("_sum_like", ((2, 4, 3), (3,)), lambda x, like: x.sum((0, 1))),
    OpCase("_sum_like", ((2, 3), (2, 3)), lambda x, like: x),
    OpCase("_broadcast_like_of", ((2, 3), (2, 3)), lambda x, like: x),
    OpCase(
        "_broadcast_like_of", ((1, 3), (2, 4, 3)), lambda x, like: np.broadcast_to(x, like.shape)
    ),
)
