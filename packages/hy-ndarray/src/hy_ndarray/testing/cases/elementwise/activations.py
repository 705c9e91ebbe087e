"""Cases of activation functions of one operand: ReLU, sigmoid and their variants."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


CASES = (
    OpCase("relu", ((2, 3),), lambda x: np.maximum(x, 0)),
    OpCase("relu", ((0, 3),), lambda x: np.maximum(x, 0)),
    OpCase("_relu_backward", ((2, 3), (2, 3)), lambda dy, y: dy * (y > 0), grad_inputs=(0,), low=1),
    OpCase("sigmoid", ((2, 3),), _sigmoid),
    OpCase("softsign", ((2, 3),), lambda x: x / (1 + np.abs(x))),
    OpCase("hard_sigmoid", ((2, 3),), lambda x: np.clip(0.2 * x + 0.5, 0, 1), low=-4, high=4),
    OpCase(
        "hard_sigmoid",
        ((7,),),
        lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
        {"alpha": 0.5, "beta": 0.3},
    ),
)
