"""Gather and scatter at coordinates; slices selected by a mask, or copied to an index."""

from collections.abc import Sequence
from math import prod

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._rows import added_rows, integers, positions, taken
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored, target


def _flat_indices(indices: Tensor, shape: Sequence[int]) -> Tensor:
    """Return flat indices of the slices at coordinates ``indices [M, ...]`` into ``shape``."""
    flat = torch.zeros(indices.shape[1:], dtype=torch.int64, device=indices.device)
    for at, n in zip(integers(indices), shape, strict=False):
        # Negative coordinates count from the end; out of range raises, as in MXNet.
        flat = flat * n + positions(torch.where(at < 0, at + n, at), n, "raise")
    return flat


def _slices(data: Tensor, count: int) -> Tensor:
    """Return ``data`` with its first ``count`` axes merged into one."""
    return data.reshape((prod(data.shape[:count]), *data.shape[count:]))


@kernel(out="apart")
def gather_nd(data: Tensor, indices: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the slices of ``data`` at coordinates ``indices [M, ...]``."""
    if not len(indices):
        return copied(data, out)
    return taken(_slices(data, len(indices)), _flat_indices(indices, data.shape), 0, out)


@kernel(out="apart")
def gather_nd_backward(
    dy: Tensor, data: Tensor, indices: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``gather_nd``: each slice of ``dy`` added where it was read."""
    count = len(indices)
    if not count:
        # No coordinates: every slice read the whole array.
        return stored(dy.reshape((-1, *data.shape)).sum(0, dtype=dy.dtype), out)
    flat = _flat_indices(indices, data.shape).reshape(-1)
    rest = data.shape[count:]
    rows = dy.reshape((len(flat), *rest))
    sums = added_rows(rows, flat, (prod(data.shape[:count]), *rest))
    return stored(sums.view(data.shape), out)


def _set(target: Tensor, data: Tensor, indices: Tensor) -> Tensor:
    count = len(indices)
    if not count:
        return target.copy_(data)
    # Repeated indices: the last one wins on CPUs; on GPUs any may.
    _slices(target, count)[_flat_indices(indices, target.shape)] = data
    return target


@kernel(out="apart")
def scatter_nd(
    data: Tensor, indices: Tensor, *, shape: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return zeros of ``shape`` with ``data`` written at coordinates."""
    return _set(target(out, shape, data.dtype, data.device).zero_(), data, indices)


@kernel(out="first")
def scatter_set_nd(
    lhs: Tensor, rhs: Tensor, indices: Tensor, *, shape: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return a copy of ``lhs`` with ``rhs`` written at coordinates."""
    return _set(copied(lhs, out), rhs, indices)


def _row_index(index: Tensor) -> Tensor:
    """Return the positions where the mask ``index`` is not 0."""
    # nonzero waits for a GPU, since the size of the result depends on it.
    return torch.nonzero(index).squeeze(1)


@kernel()
def boolean_mask(data: Tensor, index: Tensor, *, axis: int) -> Tensor:
    """Return the slices along ``axis`` where the mask is not 0."""
    return torch.index_select(data, axis, _row_index(index))


@kernel(out="apart")
def boolean_mask_backward(
    dy: Tensor, data: Tensor, index: Tensor, *, axis: int, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``boolean_mask``: zeros with ``dy`` where the mask is not 0."""
    dx = target(out, data.shape, dy.dtype, dy.device).zero_()
    return dx.index_copy_(axis, _row_index(index), dy)


@kernel(out="first")
def index_copy(
    old_tensor: Tensor, index_vector: Tensor, new_tensor: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return a copy of ``old_tensor`` with rows of ``new_tensor`` written at an index."""
    y = copied(old_tensor, out)
    if y.is_cpu and index_vector.ndim == 1:
        try:
            return y.index_copy_(0, index_vector.long(), new_tensor)  # checks indices itself
        except (IndexError, RuntimeError):  # what follows says what is wrong
            pass
    index = positions(index_vector, len(y), "raise")
    return (
        y.index_copy_(0, index, new_tensor)
        if index.ndim == 1
        else y.index_put_((index,), new_tensor)
    )
