"""Selection of rows by index, and sums of rows by index, for take, embedding and gather."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._requirements import require
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer
from hy_kernels.torch.costs import COSTS


def integers(indices: Tensor) -> Tensor:
    """Return indices of any dtype as int64, truncated."""
    return indices.long()


@lru_cache(maxsize=256)
def _counted(size: int, dtype: torch.dtype) -> Tensor:
    return torch.arange(size, dtype=dtype)


def counted(size: int, beside: Tensor) -> Tensor:
    """Return ``0 … size - 1`` on the device of ``beside``; cached, so it must not be written to."""
    dtype = torch.int32 if beside.dtype is torch.int32 else torch.int64
    # Cached on CPUs: creating a range costs as much as using it. GPUs launch a kernel either way.
    if size <= COSTS.memory.positions and beside.is_cpu:
        return _counted(size, dtype)
    return torch.arange(size, dtype=dtype, device=beside.device)


def positions(indices: Tensor, size: int, mode: str) -> Tensor:
    """Return indices as int64 in ``0 … size - 1``: wrapped, clipped, or checked for the range."""
    index = indices.long()
    if mode == "wrap":
        # remainder, not fmod: negative indices count from the end.
        return torch.remainder(index, size)
    if mode == "clip":
        return torch.clamp(index, 0, size - 1)
    inside = (index >= 0) & (index < size)

    def error() -> IndexError:
        return IndexError(f"index {int(index[~inside][0])} is outside of an axis of {size}")

    require(inside, error)
    return index


def flat_indices_along(shape: Sequence[int], index: Tensor, axis: int) -> Tensor:
    """Return flat indices into an array of ``shape`` for ``index`` along ``axis``."""
    left, right = prod(shape[:axis]), prod(shape[axis + 1 :])
    result = index.reshape(left, index.shape[axis], right)
    first = torch.arange(left, device=index.device)[:, None, None]
    result = (result + shape[axis] * first) * right + torch.arange(right, device=index.device)
    return result.reshape(index.shape)


def taken(data: Tensor, index: Tensor, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the slices of ``data`` along ``axis`` at indices of any shape."""
    at = axis % data.ndim
    # torch.index_select without reshapes: most takes are of rows.
    if at == 0 and index.ndim == 1 and data.is_contiguous():
        return torch.index_select(data, 0, index, out=out_buffer(out))
    left, right = data.shape[:at], data.shape[at + 1 :]
    memory = out_buffer(out)
    if memory is not None:
        memory = memory.view((*left, index.numel(), *right))
    result = torch.index_select(data, at, index.reshape(-1), out=memory)
    return result.view((*left, *index.shape, *right))


def added_rows(rows: Tensor, index: Tensor, shape: Sequence[int], axis: int = 0) -> Tensor:
    """Return zeros of ``shape`` plus each of the rows, added at its index along ``axis``."""
    # Summed in float32: many rows may be added to one row.
    compute_dtype = accumulator(rows.dtype)
    sums = torch.zeros(tuple(shape), dtype=compute_dtype, device=rows.device)
    return sums.index_add_(axis, index, rows.to(compute_dtype)).to(rows.dtype)
