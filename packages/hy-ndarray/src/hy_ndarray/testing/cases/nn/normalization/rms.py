"""Cases of RMS normalization."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _normalized(x: Any, gamma: Any, eps: float = 1e-6) -> Any:
    return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)


def _gradients(dy: Any, x: Any, gamma: Any, inverse: Any, eps: float = 1e-6) -> Any:
    g = dy * gamma
    dx = inverse * (g - x * inverse**2 * (g * x).mean(-1, keepdims=True))
    return dx, (dy * x * inverse).reshape(-1, x.shape[-1]).sum(0)


_X = np.linspace(-2, 3, 24).reshape(2, 3, 4)
_INVERSE = 1 / np.sqrt((_X**2).mean(-1, keepdims=True) + 1e-6)

CASES = (
    OpCase("_contrib_rms_norm", ((2, 3, 4), (4,)), _normalized),
    OpCase("_contrib_rms_norm", ((5,), (5,)), _normalized, {"eps": 0.1}),
    OpCase(
        "_rms_norm_backward",
        ((2, 3, 4), (2, 3, 4), (4,), (2, 3, 1)),
        _gradients,
        inputs={1: _X, 3: _INVERSE},
        check_grad=False,
    ),
)
