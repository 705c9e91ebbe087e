"""Cases of the fully connected layer."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _fully_connected(
    data: Any, weight: Any, bias: Any = None, *, flatten: bool = True, **_: Any
) -> Any:
    rows = data.reshape(len(data), weight.shape[1]) if flatten else data
    return rows @ weight.T + (0 if bias is None else bias)


def _backward_data(dy: Any, weight: Any, data: Any, *, flatten: bool = True) -> Any:
    return (dy @ weight).reshape(data.shape)


def _backward_weight(dy: Any, data: Any, weight: Any, *, flatten: bool = True) -> Any:
    out, size = weight.shape
    return dy.reshape(-1, out).T @ data.reshape(-1, size)


CASES = (
    OpCase("FullyConnected", ((2, 3), (4, 3), (4,)), _fully_connected, {"num_hidden": 4}),
    OpCase("FullyConnected", ((2, 3, 5), (4, 15), (4,)), _fully_connected, {"num_hidden": 4}),
    OpCase(
        "FullyConnected",
        ((2, 3, 5), (4, 5), None),
        _fully_connected,
        {"num_hidden": 4, "no_bias": True, "flatten": False},
    ),
    OpCase("FullyConnected", ((0, 3), (1, 3), (1,)), _fully_connected, {"num_hidden": 1}),
    OpCase("_fully_connected_backward_data", ((2, 4), (4, 15), (2, 3, 5)), _backward_data),
    OpCase("_fully_connected_backward_weight", ((2, 4), (2, 3, 5), (4, 15)), _backward_weight),
    OpCase(
        "_fully_connected_project",
        ((2, 3, 5), (4, 5)),
        lambda data, weight, *, flatten: np.asarray(data @ weight.T),
        {"flatten": False},
    ),
)
