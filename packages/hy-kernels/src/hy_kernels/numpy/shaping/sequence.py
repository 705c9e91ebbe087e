"""Padded sequences of unequal lengths: masking, last elements, reversal."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import integers


@kernel(out="apart")
def sequence_mask(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    value: float,
    axis: int,
    out: OutBuffers = None,
) -> Array:
    """Return ``data`` with ``value`` after the end of each sequence."""
    y = copied(data, out)
    if use_sequence_length and sequence_length is not None:
        after = np.arange(data.shape[axis])[:, None] >= integers(sequence_length)
        y[after if axis == 0 else after.T] = value
    return y


def _flat(data: Array) -> Array:
    """Return ``data`` with its first two axes, time and batch, merged."""
    return data.reshape(data.shape[0] * data.shape[1], *data.shape[2:])


def _flat_indices(data: Array, steps: Array | int, axis: int) -> Array:
    """Return the indices into :func:`_flat` of step ``steps`` of each sequence.

    ``axis`` is the time axis.
    """
    batch = np.arange(data.shape[1 - axis])
    return steps * len(batch) + batch if axis == 0 else batch * data.shape[axis] + steps


def _last_indices(data: Array, sequence_length: Array | None, axis: int) -> Array:
    """Return the indices into :func:`_flat` of the last element of each sequence."""
    steps = data.shape[axis]
    if sequence_length is None:
        return _flat_indices(data, steps - 1, axis)
    # A length of 0 counts as 1.
    return _flat_indices(data, np.clip(integers(sequence_length), 1, steps) - 1, axis)


@kernel(out="apart")
def sequence_last(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Array:
    """Return the last element of each sequence."""
    ends = _last_indices(data, sequence_length if use_sequence_length else None, axis)
    return _flat(data).take(ends, axis=0, out=out_buffer(out), mode="clip")


@kernel(out="apart")
def sequence_last_backward(
    dy: Array,
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``sequence_last``: zeros, with ``dy`` at the last elements."""
    dx = zeroed(out, data.shape, dy.dtype)
    _flat(dx)[_last_indices(data, sequence_length if use_sequence_length else None, axis)] = dy
    return dx


@kernel(out="apart")
def sequence_reverse(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Array:
    """Return each sequence reversed in time, with its padding unchanged."""
    if not use_sequence_length or sequence_length is None:
        return copied(np.flip(data, axis), out)
    steps = np.arange(data.shape[axis])[:, None]
    lengths = np.minimum(integers(sequence_length), len(steps))
    source = np.where(steps < lengths, lengths - 1 - steps, steps)
    result = _flat_indices(data, source, axis)
    result = result if axis == 0 else result.T
    return _flat(data).take(result, axis=0, out=out_buffer(out), mode="clip")
