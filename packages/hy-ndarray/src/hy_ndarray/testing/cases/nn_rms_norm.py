"""Normalisation by the root mean square."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _normalized(x: Any, gamma: Any, eps: float = 1e-6) -> Any:
    return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)


CASES = (
    OpCase("_contrib_rms_norm", ((2, 3, 4), (4,)), _normalized),
    OpCase("_contrib_rms_norm", ((5,), (5,)), _normalized, {"eps": 0.1}),
)
