"""Cases of arithmetic of arrays of one shape, and of sums of any number of arrays."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = (np.array([-7, -5, 5, 0], np.int32), np.array([2, -2, -2, 3], np.int32))

CASES = (
    OpCase("elemwise_add", ((2, 3), (2, 3)), np.add),
    OpCase("elemwise_sub", ((2, 3), (2, 3)), np.subtract),
    OpCase("elemwise_mul", ((2, 1, 3), (2, 1, 3)), np.multiply),
    OpCase("elemwise_div", ((2, 3), (2, 3)), np.divide, low=0.5),
    OpCase(
        "elemwise_div",
        ((4,), (4,)),
        lambda x, y: np.trunc(x / y),
        inputs={0: INTS[0], 1: INTS[1]},
    ),
    OpCase("_mod", ((2, 3), (2, 3)), np.mod, low=0.7, high=5.0),
    OpCase("_power", ((2, 3), (2, 3)), np.power, low=0.5),
    OpCase(
        "_power",
        ((4,), (4,)),
        lambda x, y: np.trunc(x.astype(float) ** y),
        inputs={0: INTS[0], 1: INTS[1]},
    ),
    OpCase("_maximum", ((2, 3), (2, 3)), np.maximum),
    OpCase("_minimum", ((0, 3), (0, 3)), np.minimum),
    OpCase("_minimum", ((2, 3), (2, 3)), np.minimum),
    OpCase("_hypot", ((7,), (7,)), np.hypot),
    OpCase("_scatter_elemwise_div", ((2, 3), (2, 3)), np.divide, low=0.5),
    OpCase("_grad_add", ((2, 3), (2, 3)), np.add),
    OpCase("add_n", ((2, 3),), lambda x: x),
    OpCase("add_n", ((2, 3), (2, 3), (2, 3)), lambda *args: np.sum(args, axis=0)),
)
