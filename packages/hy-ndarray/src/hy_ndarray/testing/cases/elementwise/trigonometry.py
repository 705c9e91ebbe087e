"""Cases of trigonometric and hyperbolic functions."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

CASES = (
    OpCase("sin", ((2, 3),), np.sin),
    OpCase("sin", ((0, 3),), np.sin),
    OpCase("cos", ((2, 3),), np.cos),
    OpCase("tan", ((2, 3),), np.tan, low=-1.0, high=1.0),
    OpCase("arcsin", ((2, 3),), np.arcsin, low=-0.9, high=0.9),
    OpCase("arccos", ((2, 3),), np.arccos, low=-0.9, high=0.9),
    OpCase("arctan", ((1, 1),), np.arctan),
    OpCase("arctan", ((2, 3),), np.arctan),
    OpCase("sinh", ((2, 3),), np.sinh),
    OpCase("cosh", ((2, 3),), np.cosh),
    OpCase("tanh", ((2, 3),), np.tanh),
    OpCase("tanh", ((3,),), lambda x: np.trunc(np.tanh(x)), inputs={0: np.array([0, 1, 30])}),
    OpCase("arcsinh", ((2, 3),), np.arcsinh),
    OpCase("arccosh", ((2, 3),), np.arccosh, low=1.2),
    OpCase("arctanh", ((2, 3),), np.arctanh, low=-0.9, high=0.9),
    OpCase("degrees", ((2, 3),), np.degrees),
    OpCase("radians", ((2, 3),), np.radians),
)
