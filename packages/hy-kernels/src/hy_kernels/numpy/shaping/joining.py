"""Concatenation, stacking and splitting of arrays."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer
from hy_kernels.numpy._kernels import alias, kernel


def _check_dtype(data: Sequence[Array]) -> None:
    """Refuse several dtypes, which NumPy would promote: operands of gradients are not checked."""
    for x in data:
        if x.dtype != data[0].dtype:
            raise TypeError(f"cannot join {data[0].dtype} and {x.dtype}: cast them to one dtype")


@kernel(out="apart")
def concat(*data: Array, dim: int, out: OutBuffers = None) -> Array:
    """Return the arrays concatenated along ``dim``."""
    _check_dtype(data)
    return np.concatenate(data, axis=dim, out=out_buffer(out))


rnn_param_concat = alias("rnn_param_concat", concat)

Parts = Array | tuple[Array, ...]
"""A single output, or a tuple of several."""


def _pieces(
    data: Array, bounds: Sequence[int], axis: int, out: OutBuffers, squeeze: bool = False
) -> Parts:
    """Return copies of the parts of ``data`` between consecutive ``bounds`` along ``axis``."""
    front = (slice(None),) * (axis % data.ndim)
    views = [data[(*front, slice(a, b))] for a, b in pairwise(bounds)]
    if squeeze:
        views = [view.squeeze(axis) for view in views]
    parts = tuple([copied(view, out, k) for k, view in enumerate(views)])
    return parts[0] if len(parts) == 1 else parts


@kernel(out="apart")
def concat_backward(dy: Array, *data: Array, dim: int, parts: int, out: OutBuffers = None) -> Parts:
    """Return the gradient of ``concat``: ``dy`` split at the ends of the inputs."""
    return _pieces(dy, list(accumulate((x.shape[dim] for x in data), initial=0)), dim, out)


@kernel(out="apart")
def stack(*data: Array, axis: int, out: OutBuffers = None) -> Array:
    """Return the arrays stacked along a new axis; shapes may differ by axes of size 1."""
    _check_dtype(data)
    shape = data[0].shape
    at = axis % (len(shape) + 1)
    layer = (*shape[:at], 1, *shape[at:])
    return np.concatenate([x.reshape(layer) for x in data], at, out_buffer(out))


@kernel(out="apart")
def slice_channel(
    data: Array, *, num_outputs: int, axis: int, squeeze_axis: bool, out: OutBuffers = None
) -> Parts:
    """Return ``data`` split into ``num_outputs`` equal parts along ``axis``."""
    size = data.shape[axis] // num_outputs
    return _pieces(data, [i * size for i in range(num_outputs + 1)], axis, out, squeeze_axis)


@kernel(out="apart")
def split_v2(
    data: Array,
    *,
    indices: tuple[int, ...],
    axis: int,
    squeeze_axis: bool,
    sections: int,
    out: OutBuffers = None,
) -> Parts:
    """Return ``data`` split along ``axis`` into ``sections`` parts, or at ``indices``.

    If the sections cannot be equal, the first ones are larger by one.
    """
    size = data.shape[axis]
    if sections:
        small, larger = divmod(size, sections)
        ends = [i * small + min(i, larger) for i in range(sections + 1)]
    else:
        # MXNet's indices include the leading 0.
        ends = [*indices, size]
    return _pieces(data, ends, axis, out, squeeze_axis)
