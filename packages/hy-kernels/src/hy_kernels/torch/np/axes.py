"""Transposes, moved and reversed axes, triangles and diagonals."""

from collections.abc import Sequence

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored, target

Axes = tuple[int, ...]


@kernel(out="apart")
def np_transpose(a: Tensor, *, axes: Axes | None, out: OutBuffers = None) -> Tensor:
    """Return a copy with its axes permuted."""
    return copied(a.permute(axes or tuple(range(a.ndim))[::-1]), out)


@kernel(out="apart")
def np_moveaxis(a: Tensor, *, source: Axes, destination: Axes, out: OutBuffers = None) -> Tensor:
    """Return a copy with some axes moved to other positions."""
    return copied(a.movedim(source, destination), out)


@kernel(out="apart")
def np_roll(data: Tensor, *, shift: Axes, axis: Axes | None, out: OutBuffers = None) -> Tensor:
    """Return a copy with its elements shifted along axes, cyclically."""
    if axis is None:
        return stored(torch.roll(data, sum(shift)).contiguous(), out)
    count = max(len(shift), len(axis))
    # As numpy broadcasts shift and axis.
    shifts, axes = (list(x) * count if len(x) == 1 else list(x) for x in (shift, axis))
    return stored(torch.roll(data, shifts, axes).contiguous(), out)


@kernel(out="apart")
def np_rot90(data: Tensor, *, k: int, axes: Axes | None, out: OutBuffers = None) -> Tensor:
    """Return a copy rotated by right angles in the plane of two axes."""
    return copied(torch.rot90(data, k, (0, 1) if axes is None else (axes[0], axes[1])), out)


@kernel(out="apart")
def np_flip(data: Tensor, *, axis: Axes | None, out: OutBuffers = None) -> Tensor:
    """Return a copy with the elements reversed along axes, as often as an axis is listed."""
    listed = range(data.ndim) if axis is None else [i % data.ndim for i in axis]
    along = [i for i in range(data.ndim) if listed.count(i) % 2]
    return stored(torch.flip(data, along).contiguous(), out)


@kernel(out="apart")
def np_tril(data: Tensor, *, k: int, out: OutBuffers = None) -> Tensor:
    """Return the data on and below a diagonal, zeros above it."""
    rows = data if data.ndim > 1 else data.expand(len(data), len(data))
    return stored(torch.tril(rows, k).contiguous(), out)


def _with_diagonal(
    values: Tensor,
    shape: Sequence[int],
    out: OutBuffers,
    offset: int,
    axis1: int = 0,
    axis2: int = 1,
) -> Tensor:
    """Return zeros of ``shape`` with ``values`` on a diagonal of two axes."""
    y = target(out, shape, values.dtype, values.device).zero_()
    y.diagonal(offset, axis1, axis2).copy_(values)
    return y


@kernel(out="apart")
def np_diag(data: Tensor, *, k: int, out: OutBuffers = None) -> Tensor:
    """Return a diagonal of a matrix, or the matrix that has a vector as diagonal."""
    if data.ndim != 1:
        return copied(data.diagonal(k), out)
    size = len(data) + abs(k)
    return _with_diagonal(data, (size, size), out, k)


@kernel(out="apart")
def np_diag_backward(dy: Tensor, data: Tensor, *, k: int, out: OutBuffers = None) -> Tensor:
    """Return the gradient of ``np_diag``."""
    if data.ndim == 1:
        return copied(dy.diagonal(k), out)
    return _with_diagonal(dy, data.shape, out, k)


@kernel(out="apart")
def np_diagflat(data: Tensor, *, k: int, out: OutBuffers = None) -> Tensor:
    """Return the matrix with all elements on a diagonal."""
    size = data.numel() + abs(k)
    return _with_diagonal(data.reshape(-1), (size, size), out, k)


@kernel(out="apart")
def np_diagonal(
    data: Tensor, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Tensor:
    """Return the diagonals of matrices."""
    return copied(data.diagonal(offset, axis1, axis2), out)


@kernel(out="apart")
def diagonal_backward(
    dy: Tensor, data: Tensor, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``np_diagonal``: zeros with ``dy`` on diagonals."""
    return _with_diagonal(dy, data.shape, out, offset, axis1, axis2)


@kernel(out="apart")
def np_trace(
    data: Tensor, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Tensor:
    """Return the sums of the diagonals of matrices."""
    total = data.diagonal(offset, axis1, axis2).sum(-1, dtype=accumulator(data.dtype))
    return stored(total.to(data.dtype), out)


@kernel(out="apart")
def trace_backward(
    dy: Tensor, data: Tensor, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``np_trace``: ``dy`` at all elements of each diagonal."""
    return _with_diagonal(dy[..., None], data.shape, out, offset, axis1, axis2)
