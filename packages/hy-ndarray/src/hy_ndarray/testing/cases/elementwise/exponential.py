"""Cases of exponential functions and logarithms."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([1, 2, 9], np.int32)

CASES = (
    OpCase("exp", ((2, 3),), np.exp),
    OpCase("exp", ((3,),), lambda x: np.trunc(np.exp(x)), inputs={0: INTS}),
    OpCase("expm1", ((7,),), np.expm1),
    OpCase("expm1", ((7,),), np.expm1, low=-1e-9, high=1e-9, check_grad=False),
    OpCase("log", ((2, 3),), np.log, low=0.5),
    OpCase("log", ((0,),), np.log),
    OpCase("log2", ((2, 3),), np.log2, low=0.5),
    OpCase("log10", ((2, 3),), np.log10, low=0.5),
    OpCase("log1p", ((2, 3),), np.log1p, low=-0.5),
)
