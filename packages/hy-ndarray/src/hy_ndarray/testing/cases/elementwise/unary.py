"""Cases of absolute value, sign, roots, small powers and similar functions."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([-3, 0, 8], np.int32)


def _smooth_l1(x: Any, scalar: float) -> Any:
    size = abs(x)
    return np.where(size < 1 / scalar**2, (scalar * x) ** 2 / 2, size - 0.5 / scalar**2)


CASES = (
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
    OpCase("smooth_l1", ((4, 3),), _smooth_l1, {"scalar": 1.0}),
    OpCase("smooth_l1", ((4, 3),), _smooth_l1, {"scalar": 2.0}),
    OpCase("smooth_l1", ((4, 3),), lambda x, scalar: 0 * x, {"scalar": 0.0}),
    OpCase(
        "_contrib_quadratic",
        ((2, 3),),
        lambda x, a, b, c: a * x * x + b * x + c,
        {"a": 1.5, "b": -2.0, "c": 0.5},
    ),
    OpCase("_contrib_div_sqrt_dim", ((2, 4),), lambda x: x / 2),
)
