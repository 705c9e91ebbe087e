"""Several arrays joined into one, and one divided into several."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["concat", "concat_backward", "rnn_param_concat", "slice_channel", "split_v2", "stack"]


def concat(*data: Array, dim: int) -> Array:
    """Joined along ``dim``."""
    first = data[0]
    for x in data:
        if x.dtype != first.dtype:
            raise TypeError("the dtypes differ")
    return np.concatenate(data, axis=dim)


def rnn_param_concat(*data: Array, dim: int) -> Array:
    """Joined along ``dim``."""
    return concat(*data, dim=dim)


def _pieces(data: Array, places: Sequence[int], axis: int) -> list[Array]:
    return [piece.copy() for piece in np.split(data, places, axis)]


def concat_backward(dy: Array, *data: Array, dim: int, parts: int) -> tuple[Array, ...]:
    """``dy`` divided at the ends of the inputs."""
    ends = list(accumulate(x.shape[dim] for x in data))
    return tuple(_pieces(dy, ends[:-1], dim))


def stack(*data: Array, axis: int) -> Array:
    """Joined along a new axis."""
    first = data[0]
    for x in data:
        if x.dtype != first.dtype:
            raise TypeError("the dtypes differ")
    return np.stack(data, axis)


def slice_channel(
    data: Array, *, num_outputs: int, axis: int, squeeze_axis: bool
) -> tuple[Array, ...]:
    """Equal parts."""
    parts = np.split(data, num_outputs, axis)
    if squeeze_axis:
        parts = [part.squeeze(axis) for part in parts]
    return tuple(part.copy() for part in parts)


def split_v2(
    data: Array, *, indices: tuple[int, ...], axis: int, squeeze_axis: bool, sections: int
) -> tuple[Array, ...]:
    """Equal parts, or parts between the indices."""
    if sections:
        return slice_channel(data, num_outputs=sections, axis=axis, squeeze_axis=squeeze_axis)
    parts = np.split(data, indices, axis)[1:]
    if squeeze_axis:
        parts = [part.squeeze(axis) for part in parts]
    return tuple(part.copy() for part in parts)
