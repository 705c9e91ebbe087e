"""Cases of concatenation, stacking and splitting."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _concat(*data: Any, dim: int = 1) -> Any:
    return np.concatenate(data, dim)


def _stack(*data: Any, axis: int = 0) -> Any:
    return np.stack(data, axis)


def _concat_backward(dy: Any, *data: Any, dim: int, parts: int) -> Any:
    return tuple(np.split(dy, np.cumsum([x.shape[dim] for x in data])[:-1], dim))


def _split(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> Any:
    parts = np.split(data, num_outputs, axis)
    return tuple(part.squeeze(axis) if squeeze_axis else part for part in parts)


def _split_v2(data: Any, indices: Any, axis: int = 1, sections: int = 0, **_: Any) -> Any:
    return tuple(np.array_split(data, sections or indices[1:], axis))


CASES = (
    OpCase("Concat", ((2, 3), (2, 1), (2, 4)), _concat),
    OpCase("Concat", ((2, 3), (0, 3)), _concat, {"dim": 0}),
    OpCase("Concat", ((2, 1, 3), (2, 1, 2)), _concat, {"dim": -1}),
    OpCase("Concat", ((2, 3),), _concat),
    OpCase("_concat_backward", ((2, 7), (2, 3), (2, 4)), _concat_backward, {"dim": 1, "parts": 2}),
    OpCase("_concat_backward", ((3, 2), (3, 2)), lambda dy, x, **_: dy, {"dim": 0, "parts": 1}),
    OpCase("_rnn_param_concat", ((6,), (4,)), _concat, {"dim": 0}),
    OpCase("stack", ((2, 3), (2, 3), (2, 3)), _stack),
    OpCase("stack", ((2, 3), (2, 3)), _stack, {"axis": -1}),
    OpCase("stack", ((1,),), _stack, {"axis": 1}),
    OpCase("SliceChannel", ((2, 6),), _split, {"num_outputs": 3}),
    OpCase("SliceChannel", ((2, 3, 4),), _split, {"num_outputs": 2, "axis": -1}),
    OpCase("SliceChannel", ((3, 2),), _split, {"num_outputs": 3, "axis": 0, "squeeze_axis": True}),
    OpCase("SliceChannel", ((2, 3),), _split, {"num_outputs": 1}),
    OpCase("SliceChannel", ((0, 4),), _split, {"num_outputs": 2}),
    OpCase("_split_v2", ((5, 2),), _split_v2, {"indices": (0, 2, 2), "axis": 0}),
    OpCase("_split_v2", ((2, 3, 4),), _split_v2, {"indices": (0, 1), "axis": -1}),
    OpCase("_split_v2", ((2, 4),), _split_v2, {"indices": (), "sections": 2}),
    OpCase("_split_v2", ((5, 2),), _split_v2, {"indices": (), "axis": 0, "sections": 3}),
    OpCase("_split_v2", ((2, 2),), _split_v2, {"indices": (), "sections": 3}),
    OpCase("_split_v2", ((2, 4),), _split_v2, {"indices": (0,)}),
    OpCase(
        "_split_v2",
        ((2, 3),),
        lambda data, **_: tuple(data.T),
        {"indices": (0, 1, 2), "squeeze_axis": True},
    ),
)
