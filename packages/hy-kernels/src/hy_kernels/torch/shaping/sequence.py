"""Padded sequences of unequal length: masking, last elements, reversal."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._rows import counted, integers, taken
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, own, stored, target


@kernel(out="apart")
def sequence_mask(
    data: Tensor,
    sequence_length: Tensor | None = None,
    *,
    use_sequence_length: bool,
    value: float,
    axis: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``data`` with ``value`` after the end of each sequence."""
    if not use_sequence_length or sequence_length is None:
        return copied(data, out)
    lengths = integers(sequence_length)
    steps = counted(data.shape[axis], lengths)
    # Compared along the axis of time; other axes broadcast.
    after = steps[:, None] >= lengths if axis == 0 else steps >= lengths[:, None]
    mask = after.view((*after.shape, *(1,) * (data.ndim - 2)))
    number = own(value, data.dtype)
    if out is None and data.is_contiguous():
        return data.masked_fill(mask, number)
    return copied(data, out).masked_fill_(mask, number)


def _merge_steps(data: Tensor) -> Tensor:
    """Return data with the first two axes, time and batch, merged."""
    return data.reshape((data.shape[0] * data.shape[1], *data.shape[2:]))


def _flat_indices(data: Tensor, steps: Tensor | int, axis: int) -> Tensor:
    """Return the indices of steps of each sequence in :func:`_merge_steps` of ``data``."""
    batch = torch.arange(data.shape[1 - axis], device=data.device)
    return steps * len(batch) + batch if axis == 0 else batch * data.shape[axis] + steps


def _last_indices(data: Tensor, sequence_length: Tensor | None, axis: int) -> Tensor:
    """Return the index of each sequence's last step in :func:`_merge_steps` of ``data``, ``[N]``.

    Args:
        data: ``[T, N, *rest]`` for ``axis=0``, ``[N, T, *rest]`` for ``axis=1``.
        sequence_length: ``[N]``, the number of steps of each sequence; None: all have ``T``.
        axis: The axis of the steps.
    """
    steps = data.shape[axis]
    if sequence_length is None:
        return _flat_indices(data, steps - 1, axis)
    # A length of 0 reads the first step, as in MXNet.
    return _flat_indices(data, torch.clamp(integers(sequence_length), 1, steps) - 1, axis)


@kernel(out="apart")
def sequence_last(
    data: Tensor,
    sequence_length: Tensor | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the last element of every sequence."""
    ends = _last_indices(data, sequence_length if use_sequence_length else None, axis)
    return taken(_merge_steps(data), ends, 0, out)


@kernel(out="apart")
def sequence_last_backward(
    dy: Tensor,
    data: Tensor,
    sequence_length: Tensor | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return zeros with ``dy`` at the last element of each sequence."""
    dx = target(out, data.shape, dy.dtype, dy.device).zero_()
    ends = _last_indices(data, sequence_length if use_sequence_length else None, axis)
    _merge_steps(dx).index_copy_(0, ends, dy)
    return dx


@kernel(out="apart")
def sequence_reverse(
    data: Tensor,
    sequence_length: Tensor | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return each sequence reversed; its padding stays in place."""
    if not use_sequence_length or sequence_length is None:
        return stored(torch.flip(data, (axis,)).contiguous(), out)
    steps = torch.arange(data.shape[axis], device=data.device)[:, None]
    lengths = torch.clamp(integers(sequence_length), max=len(steps))
    # Reversed inside the length, as it was beyond.
    source = torch.where(steps < lengths, lengths - 1 - steps, steps)
    result = _flat_indices(data, source, axis)
    return taken(_merge_steps(data), result if axis == 0 else result.T, 0, out)
