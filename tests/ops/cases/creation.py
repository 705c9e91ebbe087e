"""Arrays of the shape of another."""

import numpy as np

from tests.ops.op_case import OpCase

CASES = (
    OpCase("zeros_like", ((2, 3),), np.zeros_like),
    OpCase("ones_like", ((2, 0),), np.ones_like),
)
