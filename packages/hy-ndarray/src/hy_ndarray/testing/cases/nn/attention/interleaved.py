"""Cases of scores and weighted sums of multi-head attention."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _part(data: Any, heads: int, parts: int, part: int) -> Any:
    length, samples, size = data.shape
    split = data.reshape(length, samples, heads, parts, size // (heads * parts))[:, :, :, part]
    return split.transpose(1, 2, 0, 3).reshape(samples * heads, length, -1)


def _write_part(y: Any, data: Any, heads: int, parts: int, part: int) -> Any:
    length, samples, size = data.shape
    whole = np.zeros((length, samples, heads, parts, size // (heads * parts)))
    whole[:, :, :, part] = y.reshape(samples, heads, length, -1).transpose(2, 0, 1, 3)
    return whole.reshape(data.shape)


def _join(*data: Any, heads: int) -> Any:
    rows, length, size = data[0].shape
    like = np.empty((length, rows // heads, heads * len(data) * size))
    return sum(_write_part(y, like, heads, len(data), part) for part, y in enumerate(data))


def _scores(query: Any, key: Any) -> Any:
    return query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1])


def _values(data: Any, attention: Any, heads: int, parts: int) -> Any:
    y = attention @ _part(data, heads, parts, parts - 1)
    like = np.empty((y.shape[1], data.shape[1], heads * y.shape[2]))
    return _write_part(y, like, heads, 1, 0)


CASES = (
    OpCase(
        "_contrib_interleaved_matmul_selfatt_qk",
        ((4, 2, 18),),
        lambda x, heads: _scores(_part(x, heads, 3, 0), _part(x, heads, 3, 1)),
        {"heads": 2},
    ),
    OpCase(
        "_contrib_interleaved_matmul_selfatt_valatt",
        ((4, 2, 18), (4, 4, 4)),
        lambda x, attention, heads: _values(x, attention, heads, 3),
        {"heads": 2},
    ),
    OpCase(
        "_contrib_interleaved_matmul_encdec_qk",
        ((3, 2, 6), (5, 2, 12)),
        lambda q, x, heads: _scores(_part(q, heads, 1, 0), _part(x, heads, 2, 0)),
        {"heads": 3},
    ),
    OpCase(
        "_contrib_interleaved_matmul_encdec_valatt",
        ((5, 1, 8), (2, 3, 5)),
        lambda x, attention, heads: _values(x, attention, heads, 2),
        {"heads": 2},
    ),
    OpCase("_head_part", ((4, 2, 18),), _part, {"heads": 3, "parts": 2, "part": 1}),
    OpCase(
        "_place_head_part",
        ((4, 3, 2), (3, 2, 12)),
        _write_part,
        {"heads": 2, "parts": 3, "part": 2},
        grad_inputs=(0,),
    ),
    OpCase("_join_head_parts", ((4, 3, 2),) * 3, _join, {"heads": 2}),
    OpCase("_join_head_parts", ((3, 2, 5),), _join, {"heads": 3}),
)
