"""Activation functions."""

from typing import Any

import numpy as np

from tests.ops.op_case import OpCase

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


CASES = (
    *(OpCase("Activation", ((3, 5),), _activation, {"act_type": kind}) for kind in _FORWARD),
    OpCase("Activation", ((0, 2),), _activation, {"act_type": "softrelu"}),
    *(
        OpCase("_activation_backward", ((3, 5), (3, 5)), _backward, {"act_type": kind}, low=0.1)
        for kind in _SLOPE
    ),
)
