"""Cases of rotations by angles."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _rotated(x: Any, cos: Any, sin: Any) -> Any:
    return x * cos + np.roll(x, x.shape[-1] // 2, -1) * sin


CASES = (
    OpCase("_contrib_rotary_embedding", ((2, 3, 2, 6), (3, 1, 6), (3, 1, 6)), _rotated),
    OpCase("_contrib_rotary_embedding", ((3, 4), (4,), (3, 4)), _rotated),
    OpCase("_contrib_rotary_embedding", ((2,), (2,), (2,)), _rotated),
)
