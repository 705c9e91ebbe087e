"""Coordinates and flat indices of elements, counts of nonzero elements, histograms."""

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._requirements import require
from hy_kernels.torch._rows import integers
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target


def _strides(shape: tuple[int, ...] | None) -> list[int]:
    """Return the strides of a contiguous array of ``shape``, in elements."""
    strides = [1]
    for n in reversed((shape or ())[1:]):
        strides.append(strides[-1] * n)
    return strides[::-1]


@kernel(out="apart")
def ravel_multi_index(
    data: Tensor, *, shape: tuple[int, ...] | None, out: OutBuffers = None
) -> Tensor:
    """Return the flat indices of coordinates ``[rank, ...]``."""
    strides = _strides(shape)
    index = torch.zeros(data.shape[1:], dtype=torch.int64, device=data.device)
    for at, stride in zip(integers(data), strides, strict=True):
        index += at * stride
    return copied(index, out, dtype=data.dtype)


# Repeated remainders from the last axis on.
@kernel(out="apart")
def unravel_index(data: Tensor, *, shape: tuple[int, ...] | None, out: OutBuffers = None) -> Tensor:
    """Return the coordinates ``[rank, ...]`` of flat indices."""
    left = integers(data)
    y = target(out, (len(shape or ()), *data.shape), data.dtype, data.device)
    for i, stride in enumerate(_strides(shape)):
        y[i] = torch.div(left, stride, rounding_mode="floor")
        left = torch.remainder(left, stride)
    return y


@kernel()
def index_array(data: Tensor, *, axes: tuple[int, ...] | None) -> Tensor:
    """Return the coordinates of each element, along a new last axis."""
    selected = range(data.ndim) if axes is None else axes
    y = torch.empty((*data.shape, len(selected)), dtype=torch.int64, device=data.device)
    for i, axis in enumerate(selected):
        positions = torch.arange(data.shape[axis], device=data.device)
        y[..., i] = positions.reshape((-1, *(1,) * (data.ndim - 1 - axis % data.ndim)))
    return y


@kernel()
def getnnz(data: Tensor, *, axis: int | None) -> Tensor:
    """Return the number of nonzero elements of a matrix, or of its rows or columns."""
    return torch.count_nonzero(data, axis).reshape(-1)


def _bin_edges(count: int, low: float, high: float, device: torch.device) -> Tensor:
    """Return the edges of ``count`` bins of equal width."""
    steps = torch.arange(count + 1, dtype=widest(device), device=device)
    edges = steps * ((high - low) / count) + low
    # The last edge is exact; adding steps would miss it by rounding.
    edges[-1].fill_(high)
    return edges


@kernel(out="apart")
def histogram(
    data: Tensor,
    bins: Tensor | None = None,
    *,
    bin_cnt: int | None,
    range: tuple[float, ...] | None,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the counts of a histogram, and the edges of its bins."""
    values = data.to(widest(data.device)).reshape(-1)
    if bins is None:
        assert bin_cnt is not None and range is not None  # noqa: PT018  # by the type rule
        edges = _bin_edges(bin_cnt, range[0], range[1], data.device)
    elif bins.dtype != data.dtype:
        raise ValueError(f"bins are {bins.dtype}, not {data.dtype} as the data")
    else:
        edges = bins.to(values.dtype)
        # searchsorted gives nonsense for edges that do not rise.
        require(edges[1:] >= edges[:-1], lambda: ValueError("the edges do not rise"))
    counts = torch.zeros(len(edges) - 1, dtype=torch.int64, device=data.device)
    # Values outside are counted with weight 0, so that nothing is filtered on the host.
    inside = (values >= edges[0]) & (values <= edges[-1])
    result = torch.searchsorted(edges.contiguous(), values.contiguous(), right=True) - 1
    if len(counts):  # the last bin has both its ends
        counts.scatter_add_(0, result.clamp_(0, len(counts) - 1), inside.to(torch.int64))
    return counts, copied(edges, out, 1, dtype=data.dtype)
