"""Cases of activation functions."""

from math import erf
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_FORWARD: dict[str, Any] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softrelu": lambda x: np.log(1 + np.exp(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}
_SLOPE: dict[str, Any] = {
    "relu": lambda y: y > 0,
    "sigmoid": lambda y: y * (1 - y),
    "softrelu": lambda y: 1 - np.exp(-y),
    "softsign": lambda y: (1 - np.abs(y)) ** 2,
    "tanh": lambda y: 1 - y * y,
}


def _activation(data: Any, *, act_type: str) -> Any:
    return _FORWARD[act_type](data)


def _backward(dy: Any, output: Any, *, act_type: str) -> Any:
    return dy * _SLOPE[act_type](output)


def _phi(x: Any) -> Any:
    return 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


_LEAKY: dict[str, Any] = {
    "leaky": lambda x, slope: np.where(x > 0, x, slope * x),
    "elu": lambda x, slope: np.where(x > 0, x, slope * np.expm1(x)),
    "selu": lambda x, slope: (
        1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))
    ),
    "gelu": lambda x, slope: x * _phi(x),
}


def _leaky(data: Any, *, act_type: str, slope: float) -> Any:
    return _LEAKY[act_type](data, slope)


def _prelu(data: Any, gamma: Any, *, act_type: str) -> Any:
    if gamma.ndim == 1:
        gamma = gamma.reshape(-1, *(1,) * (data.ndim - 2))
    return np.where(data > 0, data, data * gamma)


def _rrelu(data: Any, *, act_type: str, lower_bound: float, upper_bound: float) -> Any:
    slopes = np.where(data > 0, 1, (lower_bound + upper_bound) / 2)
    return data * slopes, slopes


CASES = (
    *(
        OpCase("LeakyReLU", ((3, 5), None), _leaky, {"act_type": kind, "slope": 0.3})
        for kind in _LEAKY
    ),
    *(
        OpCase("LeakyReLU", shapes, _prelu, {"act_type": "prelu"})
        for shapes in (((2, 3, 4), (3,)), ((2, 3), (1,)), ((2, 3, 2), (3, 1)), ((4,), (4,)))
    ),
    OpCase(
        "LeakyReLU",
        ((3, 5), None),
        _rrelu,
        {"act_type": "rrelu", "lower_bound": 0.1, "upper_bound": 0.3},
    ),
    *(
        OpCase("_leaky_relu_backward", ((3, 5), (3, 5)), None, {"act_type": kind, "slope": 0.3})
        for kind in _LEAKY
    ),
    *(
        OpCase("_leaky_relu_curve", ((3, 5),), None, {"act_type": kind, "slope": 0.3})
        for kind in _LEAKY
    ),
    *(
        OpCase("_prelu_backward", ((2, 3, 4), (2, 3, 4), gamma), None)
        for gamma in ((3,), (1,), (3, 1))
    ),
    OpCase("_prelu_backward_backward", ((2, 3), (3,), (2, 3), (2, 3), (3,)), None),
    *(OpCase("Activation", ((3, 5),), _activation, {"act_type": kind}) for kind in _FORWARD),
    OpCase("Activation", ((0, 2),), _activation, {"act_type": "softrelu"}),
    *(
        OpCase("_activation_backward", ((3, 5), (3, 5)), _backward, {"act_type": kind}, low=0.1)
        for kind in _SLOPE
    ),
)
