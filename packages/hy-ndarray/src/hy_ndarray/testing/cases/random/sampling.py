"""Cases of random samplers: types only; tests/ops/test_sampling.py checks distributions."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

CASES = (
    OpCase("_random_uniform", (), None, {"low": -1, "high": 2, "shape": (2, 3)}),
    OpCase("_random_uniform", (), None, {"shape": (0,), "dtype": "float16"}),
    OpCase("_random_normal", (), None, {"loc": 1, "scale": 2, "shape": (2, 1)}),
    OpCase("_random_normal", (), None, {"dtype": "float64"}),
    OpCase("_random_gamma", (), None, {"alpha": 2, "beta": 3, "shape": (3,)}),
    OpCase("_random_exponential", (), None, {"lam": 2, "shape": (3, 0)}),
    OpCase("_random_exponential", (), None, {"lam": 2, "shape": (3, 2)}),
    OpCase("_random_poisson", (), None, {"lam": 0, "shape": (3,), "dtype": "bfloat16"}),
    OpCase("_random_poisson", (), None, {"lam": 3, "shape": (2, 3)}),
    OpCase("_random_negative_binomial", (), None, {"k": 2, "p": 0.5, "shape": (3,)}),
    OpCase("_random_generalized_negative_binomial", (), None, {"mu": 2, "alpha": 0}),
    OpCase("_random_randint", (), None, {"low": -1, "high": 2, "shape": (2, 3)}),
    OpCase("_random_randint", (), None, {"low": 0, "high": 2**40, "dtype": "int64"}),
    OpCase("_shuffle", ((3, 2),), None),
    OpCase("_shuffle", ((0,),), None, inputs={0: np.zeros(0, np.int32)}),
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
