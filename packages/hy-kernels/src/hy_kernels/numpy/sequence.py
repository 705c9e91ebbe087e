"""Sequences of unequal length, padded to one: masked, their last elements, reversed."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._rows import integers

__all__ = ["sequence_last", "sequence_last_backward", "sequence_mask", "sequence_reverse"]


def _check(data: Array, sequence_length: Array | None, axis: int) -> None:
    if data.ndim < 2 or axis not in (0, 1):
        raise ValueError("no axes of time and batch")
    if sequence_length is not None and sequence_length.shape != (data.shape[1 - axis],):
        raise ValueError("sequence_length does not fit")


def sequence_mask(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    value: float,
    axis: int,
) -> Array:
    """``value`` behind the end of every sequence."""
    _check(data, sequence_length, axis)
    y = data.copy()
    if use_sequence_length and sequence_length is not None:
        behind = np.arange(data.shape[axis])[:, None] >= integers(sequence_length)
        y[behind if axis == 0 else behind.T] = value
    return y


def _ends(data: Array, sequence_length: Array | None, axis: int) -> tuple[Any, ...]:
    """The numpy index of the last elements."""
    steps, batch = data.shape[axis], np.arange(data.shape[1 - axis])
    if sequence_length is None:
        last = np.full(batch.shape, steps - 1)
    else:
        last = np.clip(integers(sequence_length), 1, steps) - 1
    return (last, batch) if axis == 0 else (batch, last)


def sequence_last(
    data: Array, sequence_length: Array | None = None, *, use_sequence_length: bool, axis: int
) -> Array:
    """The last element of every sequence."""
    _check(data, sequence_length, axis)
    lengths = sequence_length if use_sequence_length else None
    return np.asarray(data[_ends(data, lengths, axis)])


def sequence_last_backward(
    dy: Array,
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Array:
    """Zeros with ``dy`` at the last element of every sequence."""
    dx = np.zeros(data.shape, dy.dtype)
    dx[_ends(data, sequence_length if use_sequence_length else None, axis)] = dy
    return dx


def sequence_reverse(
    data: Array, sequence_length: Array | None = None, *, use_sequence_length: bool, axis: int
) -> Array:
    """Every sequence backwards."""
    _check(data, sequence_length, axis)
    if not use_sequence_length or sequence_length is None:
        return np.flip(data, axis).copy()
    steps = np.arange(data.shape[axis])[:, None]
    lengths = np.minimum(integers(sequence_length), len(steps))
    source = np.where(steps < lengths, lengths - 1 - steps, steps)
    batch = np.arange(len(lengths))
    return data[source, batch] if axis == 0 else data[batch[:, None], source.T]
