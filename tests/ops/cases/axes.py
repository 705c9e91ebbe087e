"""Axes in another order, elements of an axis in another order, blocks moved between axes."""

from typing import Any

import numpy as np

from tests.ops.op_case import OpCase


def _transpose(data: Any, axes: Any = None) -> Any:
    return data.transpose(axes)


def _swap(data: Any, dim1: int, dim2: int) -> Any:
    return data.swapaxes(dim1, dim2)


CASES = (
    OpCase("transpose", ((2, 3, 4),), _transpose),
    OpCase("transpose", ((2, 3, 4),), _transpose, {"axes": (1, 2, 0)}),
    OpCase("transpose", ((2, 1, 3, 0),), _transpose, {"axes": (0, -1, 1, 2)}),
    OpCase("transpose", ((5,),), _transpose),
    OpCase("SwapAxis", ((2, 3, 4),), _swap, {"dim1": 0, "dim2": -1}),
    OpCase("SwapAxis", ((2, 1),), _swap, {"dim1": 1, "dim2": 1}),
    OpCase("reverse", ((2, 3, 4),), np.flip, {"axis": (0, 2)}),
    OpCase("reverse", ((3, 1),), np.flip, {"axis": (-2,)}),
    OpCase("reverse", ((0, 2),), np.flip, {"axis": (1,)}),
)
