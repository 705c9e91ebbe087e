"""Operators on the elements of one array."""

from typing import Any

import numpy as np

from tests.ops.op_case import OpCase

INTS = np.array([-3, 0, 8], np.int32)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


CASES = (
    OpCase("_copy", ((2, 3),), np.copy),
    OpCase("_copy", ((3,),), np.copy, inputs={0: INTS}),
    OpCase("BlockGrad", ((2, 3),), np.copy, check_grad=False),
    OpCase("make_loss", ((2, 3),), np.copy),
    OpCase("Cast", ((2, 3),), lambda x, dtype: x, {"dtype": "float64"}),
    OpCase("Cast", ((2, 3),), lambda x, dtype: np.trunc(x), {"dtype": "int32"}),
    OpCase("Cast", ((3,),), lambda x, dtype: x != 0, {"dtype": "bool"}, inputs={0: INTS}),
    OpCase("_cast_like", ((2, 3), (4,)), lambda x, like: np.copy(x)),
    OpCase("_cast_like", ((2, 3), (3,)), lambda x, like: np.trunc(x), inputs={1: INTS}),
    OpCase("abs", ((2, 3),), np.abs),
    OpCase("abs", ((3,),), np.abs, inputs={0: INTS}),
    OpCase("sign", ((2, 3),), np.sign),
    OpCase("sign", ((3,),), np.sign, inputs={0: INTS}),
    OpCase("negative", ((2, 3),), np.negative),
    OpCase("reciprocal", ((2, 3),), np.reciprocal, low=0.5),
    OpCase("square", ((2, 3),), np.square),
    OpCase("sqrt", ((2, 3),), np.sqrt, low=0.5),
    OpCase("sqrt", ((3,),), lambda x: np.array([1, 1, 2]), inputs={0: np.array([1, 2, 4])}),
    OpCase("rsqrt", ((2, 3),), lambda x: 1 / np.sqrt(x), low=0.5),
    OpCase("cbrt", ((2, 3),), np.cbrt, low=0.5),
    OpCase("rcbrt", ((2, 3),), lambda x: 1 / np.cbrt(x), low=0.5),
    OpCase(
        "clip",
        ((7, 3),),
        np.clip,
        {"a_min": -0.5, "a_max": 1.0},
    ),
    OpCase(
        "clip",
        ((3,),),
        lambda x, a_min, a_max: np.clip(x, -1, 3),
        {"a_min": -1, "a_max": 3.5},
        inputs={0: INTS},
    ),
    OpCase("relu", ((2, 3),), lambda x: np.maximum(x, 0)),
    OpCase("relu", ((0, 3),), lambda x: np.maximum(x, 0)),
    OpCase("_relu_backward", ((2, 3), (2, 3)), lambda dy, y: dy * (y > 0), grad_inputs=(0,), low=1),
    OpCase("sigmoid", ((2, 3),), _sigmoid),
    OpCase("softsign", ((2, 3),), lambda x: x / (1 + np.abs(x))),
)
