"""Cases of samplers with arrays of parameters: types, and results that are deterministic."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_DRAWN: Any = {"check_grad": False}  # no gradient flows from numbers to their distribution
_POSITIVE: Any = {"low": 0.1, "high": 0.9}


def _multinomial_backward(dy: Any, data: Any, index: Any) -> Any:
    dx = np.zeros_like(data)
    np.add.at(dx, (np.arange(len(data))[:, None], index), dy)
    return dx / data


CASES = (
    OpCase("_sample_uniform", ((2, 3), (2, 3)), None, {"shape": (4,)}, **_DRAWN),
    OpCase("_sample_uniform", ((3,), (3,)), lambda low, high: low, inputs={0: [2], 1: [2]}),
    OpCase("_sample_normal", ((2,), (2,)), None, {"dtype": "float16"}, **_POSITIVE, **_DRAWN),
    OpCase("_sample_normal", ((2,), (2,)), lambda mu, sigma: mu, inputs={0: [3.0], 1: [0.0]}),
    OpCase("_sample_gamma", ((2,), (2,)), None, {"shape": (0, 2)}, **_POSITIVE),
    OpCase("_sample_gamma", ((2,), (2,)), None, {"shape": (3,)}, check_grad=False, **_POSITIVE),
    OpCase(
        "_sample_exponential",
        ((1,),),
        None,
        {"shape": (2, 2), "dtype": "float64"},
        **_POSITIVE,
        **_DRAWN,
    ),
    OpCase("_sample_poisson", ((2,),), None, **_POSITIVE),
    OpCase(
        "_sample_poisson",
        ((2,),),
        lambda lam, **_: np.zeros((2, 3)),
        {"shape": (3,)},
        high=0,
        low=0,
        **_DRAWN,
    ),
    OpCase("_sample_negative_binomial", ((2,), (2,)), None, {"shape": (3,)}, **_POSITIVE),
    OpCase("_sample_generalized_negative_binomial", ((2, 1), (2, 1)), None, **_POSITIVE),
    OpCase(
        "_sample_multinomial",
        ((2, 3),),
        lambda data, **_: np.array([[2, 2], [0, 0]]),
        {"shape": (2,)},
        inputs={0: np.array([[0.0, 0, 1], [1, 0, 0]])},
    ),
    OpCase(
        "_sample_multinomial",
        ((2,),),
        lambda data, **_: (np.array([1]), np.array([0.0])),
        {"get_prob": True},
        inputs={0: np.array([0.0, 1])},
    ),
    OpCase("_sample_multinomial", ((0, 2),), None, {"shape": (3,), "dtype": "float32"}),
    OpCase("_sample_multinomial", ((2, 3),), None, {"shape": (4,), "get_prob": True}, **_POSITIVE),
    OpCase(
        "_sample_multinomial_backward",
        ((2, 3), (2, 4), (2, 3)),
        _multinomial_backward,
        inputs={2: np.array([[0, 3, 0], [1, 1, 1]])},
        **_POSITIVE,
    ),
    OpCase("_sample_unique_zipfian", (), None, {"range_max": 9, "shape": (2, 9)}),
    OpCase("_sample_unique_zipfian", (), None, {"range_max": 100, "shape": (0, 3)}),
)
