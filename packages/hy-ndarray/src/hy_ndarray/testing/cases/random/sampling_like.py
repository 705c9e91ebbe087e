"""Random numbers in the shape of another array: their types."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

CASES = (
    OpCase("_random_uniform_like", ((2, 3),), None, {"low": -1, "high": 2}),
    OpCase("_random_uniform_like", ((2,),), None, inputs={0: np.zeros(2, np.float16)}),
    OpCase("_random_normal_like", ((0, 3),), None, {"loc": 1, "scale": 2}),
    OpCase("_random_normal_like", ((2, 3),), None),
    OpCase("_random_gamma_like", ((2,),), None, {"alpha": 2, "beta": 3}),
    OpCase("_random_exponential_like", ((1,),), None, {"lam": 2}),
    OpCase("_random_poisson_like", ((3,),), None, {"lam": 4}),
    OpCase("_random_negative_binomial_like", ((3,),), None, {"k": 2, "p": 0.5}),
    OpCase("_random_generalized_negative_binomial_like", ((3,),), None, {"mu": 2}),
)
