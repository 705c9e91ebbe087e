"""Cases of padded sequences of different lengths: masking, last elements, reversal."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _by_sequence(function: Any) -> Any:
    """Return an expected-value function on batches from one on a single sequence ``[T, *rest]``."""

    def expected(data: Any, lengths: Any = None, axis: int = 0, **params: Any) -> Any:
        rows = np.moveaxis(data, 1 - axis, 0)
        ends = [data.shape[axis]] * len(rows) if lengths is None else lengths.astype(int)
        params.pop("use_sequence_length", None)
        done = [function(row, int(end), **params) for row, end in zip(rows, ends, strict=True)]
        result = np.stack(done)
        return result if result.ndim < data.ndim else np.moveaxis(result, 0, 1 - axis)

    return expected


@_by_sequence
def _mask(row: Any, end: int, value: float = 0) -> Any:
    return np.concatenate([row[:end], np.full_like(row[end:], value)])


@_by_sequence
def _last(row: Any, end: int) -> Any:
    return row[min(max(end, 1), len(row)) - 1]


@_by_sequence
def _reverse(row: Any, end: int) -> Any:
    return np.concatenate([row[:end][::-1], row[end:]])


_LENGTHS = np.array([1.9, 4, 9, 0], np.float32)
_USE = {"use_sequence_length": True}

CASES = (
    OpCase("SequenceMask", ((4, 3, 2), None), _mask),
    OpCase("SequenceMask", ((4, 4, 2), (4,)), _mask, {**_USE, "value": -1.5}, inputs={1: _LENGTHS}),
    OpCase("SequenceMask", ((4, 5), (4,)), _mask, {**_USE, "axis": 1}, inputs={1: _LENGTHS}),
    OpCase("SequenceLast", ((4, 3, 2), None), _last),
    OpCase("SequenceLast", ((4, 4, 2), (4,)), _last, _USE, inputs={1: _LENGTHS}),
    OpCase("SequenceLast", ((4, 5, 1), (4,)), _last, {**_USE, "axis": 1}, inputs={1: _LENGTHS}),
    OpCase("SequenceLast", ((2, 0, 3), None), lambda data, **_: data[-1]),
    OpCase(
        "_sequence_last_backward",
        ((2, 3), (4, 2, 3), None),
        lambda dy, data: np.concatenate([np.zeros((3, 2, 3)), dy[None]]),
    ),
    OpCase(
        "_sequence_last_backward",
        ((2,), (2, 3), (2,)),
        lambda dy, data, lengths, **_: np.array([[0, dy[0], 0], [dy[1], 0, 0]]),
        {**_USE, "axis": 1},
        inputs={2: np.array([2, 1])},
    ),
    OpCase("SequenceReverse", ((4, 3, 2), None), _reverse),
    OpCase("SequenceReverse", ((4, 4, 2), (4,)), _reverse, _USE, inputs={1: _LENGTHS}),
    OpCase("SequenceReverse", ((4, 5), (4,)), _reverse, {**_USE, "axis": 1}, inputs={1: _LENGTHS}),
)
