"""Cases of repeating, padding and broadcasting."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _pairs(pad_width: Any) -> Any:
    return np.reshape(pad_width, (-1, 2))


def _pad(data: Any, mode: Any, pad_width: Any, constant_value: float = 0) -> Any:
    more = {"constant_values": constant_value} if mode == "constant" else {}
    return np.pad(data, _pairs(pad_width), mode=mode, **more)


def _pad_backward(dy: Any, data: Any, mode: Any, pad_width: Any) -> Any:
    if mode == "constant":
        begins = _pairs(pad_width)[:, 0]
        return dy[tuple(map(slice, begins, begins + data.shape))]
    positions = np.arange(data.size).reshape(data.shape)
    to = np.pad(positions, _pairs(pad_width), mode=mode)
    return np.bincount(to.ravel(), dy.ravel(), data.size).reshape(data.shape)


def _to(data: Any, shape: Any) -> Any:
    return np.array(np.broadcast_to(data, [n or data.shape[i] for i, n in enumerate(shape)]))


def _like(lhs: Any, rhs: Any) -> Any:
    return np.array(np.broadcast_to(lhs, rhs.shape))


_WIDTH = (0, 0, 1, 2, 2, 1)

CASES = (
    OpCase("tile", ((3,),), np.tile, {"reps": (2,)}),
    OpCase("tile", ((2, 3),), np.tile, {"reps": (2, 1, 2)}),
    OpCase("tile", ((2, 3),), np.tile, {"reps": (2,)}),
    OpCase("tile", ((2, 3),), np.tile, {"reps": (0, 1)}),
    OpCase("tile", ((0, 3),), np.tile, {"reps": (2, 2)}),
    OpCase(
        "_tile_backward",
        ((2, 4, 3), (2, 3)),
        lambda dy, _, reps: dy.reshape(2, 2, 2, 3).sum((0, 1)),
        {"reps": (2, 2, 1)},
    ),
    OpCase("repeat", ((2, 3),), np.repeat, {"repeats": 2}),
    OpCase("repeat", ((2, 3),), np.repeat, {"repeats": 3, "axis": -2}),
    OpCase("repeat", ((2, 3),), np.repeat, {"repeats": 0, "axis": 1}),
    OpCase("repeat", ((0, 3),), np.repeat, {"repeats": 2, "axis": 1}),
    OpCase(
        "_repeat_backward",
        ((12,), (2, 3)),
        lambda dy, _, repeats: dy.reshape(2, 3, 2).sum(2),
        {"repeats": 2},
    ),
    OpCase(
        "_repeat_backward",
        ((4, 3), (2, 3)),
        lambda dy, _, repeats, axis: dy.reshape(2, 2, 3).sum(1),
        {"repeats": 2, "axis": 0},
    ),
    OpCase(
        "Pad",
        ((2, 3, 4),),
        _pad,
        {"mode": "constant", "pad_width": _WIDTH, "constant_value": 1.5},
    ),
    OpCase("Pad", ((2, 3, 4),), _pad, {"mode": "edge", "pad_width": _WIDTH}),
    OpCase("Pad", ((2, 3, 4),), _pad, {"mode": "reflect", "pad_width": _WIDTH}),
    OpCase("Pad", ((1, 1),), _pad, {"mode": "edge", "pad_width": (2, 0, 0, 3)}),
    OpCase("Pad", ((0, 2),), _pad, {"mode": "constant", "pad_width": (0, 1, 0, 0)}),
    OpCase(
        "_pad_backward",
        ((2, 6, 7), (2, 3, 4)),
        _pad_backward,
        {"mode": "edge", "pad_width": _WIDTH},
    ),
    OpCase(
        "_pad_backward",
        ((2, 6, 7), (2, 3, 4)),
        _pad_backward,
        {"mode": "reflect", "pad_width": _WIDTH},
    ),
    OpCase(
        "_pad_backward",
        ((3, 4), (1, 3)),
        _pad_backward,
        {"mode": "constant", "pad_width": (1, 1, 0, 1)},
    ),
    OpCase("broadcast_to", ((1, 3),), _to, {"shape": (2, 0)}),
    OpCase("broadcast_to", ((2, 1, 1),), _to, {"shape": (2, 3, 4)}),
    OpCase("broadcast_to", ((2, 3),), _to, {"shape": (2, 0)}),
    OpCase("broadcast_axis", ((1, 3),), lambda x, **_: x, {"axis": 0, "size": 1}),
    OpCase("broadcast_like", ((2, 3), (2, 3)), _like),
    OpCase(
        "broadcast_axis",
        ((1, 2, 1),),
        lambda x, **_: np.array(np.broadcast_to(x, (3, 2, 4))),
        {"axis": (0, -1), "size": (3, 4)},
    ),
    OpCase("broadcast_like", ((1, 3), (5, 3)), _like),
    OpCase("broadcast_like", ((1, 3), (0, 3)), _like),
    OpCase(
        "broadcast_like",
        ((1, 3), (5, 6)),
        lambda x, like, **_: np.array(np.broadcast_to(x, (6, 3))),
        {"lhs_axes": (0,), "rhs_axes": (-1,)},
    ),
)
