"""Cases of conversion between dtypes."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([-3, 0, 8], np.int32)
HALVES = np.array([0.5, -1.5, 3.0], np.float16)

CASES = (
    OpCase("Cast", ((2, 3),), lambda x, dtype: x, {"dtype": "float64"}),
    OpCase("Cast", ((2, 3),), lambda x, dtype: np.trunc(x), {"dtype": "int32"}),
    OpCase("Cast", ((3,),), lambda x, dtype: x != 0, {"dtype": "bool"}, inputs={0: INTS}),
    OpCase("_cast_like", ((2, 3), (4,)), lambda x, like: np.copy(x)),
    OpCase("_cast_like", ((2, 3), (3,)), lambda x, like: np.trunc(x), inputs={1: INTS}),
    OpCase("amp_cast", ((2, 3),), lambda x, dtype: x, {"dtype": "float64"}),
    OpCase("amp_cast", ((3,),), lambda x, dtype: x, {"dtype": "float64"}, inputs={0: HALVES}),
    OpCase("amp_cast", ((3,),), lambda x, dtype: x, {"dtype": "float16"}, inputs={0: INTS}),
    OpCase(
        "amp_multicast",
        ((2, 3), (3,), (3,)),
        lambda *data, num_outputs: data,
        {"num_outputs": 3},
        inputs={1: HALVES, 2: INTS},
    ),
    OpCase(
        "amp_multicast",
        ((3,), (3,)),
        lambda *data, **_: tuple(x.astype(np.float16) for x in data),
        {"num_outputs": 2, "cast_narrow": True},
        inputs={1: HALVES},
        check_grad=False,
    ),
    OpCase(
        "amp_multicast",
        ((3,), (3,)),
        lambda *data, num_outputs: data,
        {"num_outputs": 2},
        inputs={0: INTS, 1: INTS},
    ),
)
