"""Binary operators whose operands broadcast against each other."""

import numpy as np

from tests.ops.op_case import OpCase

CASES = (
    OpCase("broadcast_add", ((2, 3), (2, 3)), np.add),
    OpCase("broadcast_add", ((2, 1, 3), (1, 4, 1)), np.add),
    OpCase("broadcast_add", ((0, 3), (1, 3)), np.add),
    OpCase("_sum_like", ((2, 4, 3), (1, 3)), lambda x, like: x.sum((0, 1))[None]),
    OpCase(
        "_broadcast_like_of", ((1, 3), (2, 4, 3)), lambda x, like: np.broadcast_to(x, like.shape)
    ),
)
