"""Cases of permuted axes, reversed elements, and blocks moved between axes."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _transpose(data: Any, axes: Any = None) -> Any:
    return data.transpose(axes)


def _swap(data: Any, dim1: int, dim2: int) -> Any:
    return data.swapaxes(dim1, dim2)


def _space(data: Any, block_size: int) -> Any:
    n, c, h, w = data.shape
    b = block_size
    y = np.empty((n, c // b // b, h * b, w * b))
    for i in range(b):
        for j in range(b):
            first = (i * b + j) * (c // b // b)
            y[:, :, i::b, j::b] = data[:, first : first + c // b // b]
    return y


def _depth(data: Any, block_size: int) -> Any:
    b = range(block_size)
    return np.concatenate([data[:, :, i :: len(b), j :: len(b)] for i in b for j in b], 1)


def _diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.diag(data, k) if data.ndim == 1 else np.diagonal(data, k, axis1, axis2)


CASES = (
    OpCase("transpose", ((2, 3, 4),), _transpose),
    OpCase("transpose", ((2, 3, 4),), _transpose, {"axes": (1, 2, 0)}),
    OpCase("transpose", ((2, 1, 3, 0),), _transpose, {"axes": (0, -1, 1, 2)}),
    OpCase("transpose", ((5,),), _transpose),
    OpCase("SwapAxis", ((2, 3, 4),), _swap, {"dim1": 0, "dim2": -1}),
    OpCase("SwapAxis", ((2, 1),), _swap, {"dim1": 1, "dim2": 1}),
    OpCase("reverse", ((2, 3, 4),), np.flip, {"axis": (0, 2)}),
    OpCase("reverse", ((3, 1),), np.flip, {"axis": (-2,)}),
    OpCase("reverse", ((2, 3, 4),), lambda data, axis: np.flip(data, 2), {"axis": (0, 2, 0)}),
    OpCase("reverse", ((0, 2),), np.flip, {"axis": (1,)}),
    OpCase("depth_to_space", ((2, 12, 2, 1),), _space, {"block_size": 2}),
    OpCase("depth_to_space", ((0, 9, 1, 1),), _space, {"block_size": 3}),
    OpCase("space_to_depth", ((2, 3, 4, 6),), _depth, {"block_size": 2}),
    OpCase("space_to_depth", ((1, 1, 1, 3),), _depth, {"block_size": 1}),
    OpCase("diag", ((3, 4),), _diag, {"k": 1}),
    OpCase("diag", ((2, 3, 4),), _diag, {"k": -1, "axis1": 0, "axis2": -1}),
    OpCase("diag", ((2, 3),), _diag, {"k": 3}),
    OpCase("diag", ((3,),), _diag, {"k": -2}),
    OpCase("_diag_backward", ((4, 4), (3,)), lambda dy, _, k: np.diag(dy, k), {"k": 1}),
    OpCase(
        "_diag_backward",
        ((2, 3), (2, 4, 3)),
        lambda dy, x, **_: np.stack([np.diag(row, -1)[:, :3] for row in dy]),
        {"k": -1, "axis1": 1, "axis2": 2},
    ),
)
