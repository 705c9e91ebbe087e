"""Cases of reshaping, and of the shape as an array."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _to(*shape: int) -> Any:
    return lambda data, *_, **__: data.reshape(shape)


def _like(lhs: Any, rhs: Any) -> Any:
    return lhs.reshape(rhs.shape)


CASES = (
    OpCase("Reshape", ((2, 3, 4),), _to(4, 6), {"shape": (4, 6)}),
    OpCase("Reshape", ((2, 3, 4),), _to(2, 12), {"shape": (0, -1)}),
    OpCase("Reshape", ((2, 3, 4),), _to(6, 4, 1), {"shape": (-3, -2, 1)}),
    OpCase("Reshape", ((2, 3, 4),), _to(2, 1, 3, 4), {"shape": (2, -4, -1, 3, -2)}),
    OpCase("Reshape", ((10, 5, 4),), _to(50, 4), {"shape": (-1, 0), "reverse": True}),
    OpCase("Reshape", ((2, 3, 4),), _to(2, 3, 2, 2), {"shape": (0, 0, -4, 2, -1)}),
    OpCase("Reshape", ((2, 3, 8),), _to(2, 3, 4, 2), {"shape": (-2, 4, -1, -4), "reverse": True}),
    OpCase("Reshape", ((2, 3, 4),), _to(2, 12), {"target_shape": (0, 12)}),
    OpCase("Reshape", ((2, 3),), _to(2, 3), {"target_shape": (2, 0), "keep_highest": True}),
    OpCase("Reshape", ((0, 3),), _to(0, 1, 3), {"shape": (0, 1, -1)}),
    OpCase("Reshape", ((1,),), _to(1, 1), {"shape": (1, -1)}),
    OpCase("reshape_like", ((6,), (2, 3)), _like),
    OpCase(
        "reshape_like",
        ((30, 7), (15, 2, 4)),
        _to(15, 2, 7),
        {"lhs_begin": 0, "lhs_end": -1, "rhs_begin": -3, "rhs_end": 2},
    ),
    OpCase("Flatten", ((2, 3, 4),), _to(2, 12)),
    OpCase("Flatten", ((5,),), _to(5, 1)),
    OpCase("Flatten", ((0, 3, 1),), _to(0, 3)),
    OpCase("expand_dims", ((2, 3),), np.expand_dims, {"axis": 1}),
    OpCase("expand_dims", ((2, 3),), np.expand_dims, {"axis": -1}),
    OpCase("expand_dims", ((0,),), np.expand_dims, {"axis": 0}),
    OpCase("squeeze", ((1, 3, 1),), _to(3)),
    OpCase("squeeze", ((1, 3, 1),), _to(1, 3), {"axis": (-1,)}),
    OpCase("squeeze", ((1, 1),), _to(1)),
    OpCase("shape_array", ((2, 0, 3),), lambda data: np.array(data.shape)),
    OpCase("size_array", ((2, 3),), lambda data: np.array([data.size])),
)
