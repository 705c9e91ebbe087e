"""Tensors out of nothing, or of the shape of another."""
# ruff: noqa: N803  # numpy's windows have M points

import math
from collections.abc import Sequence

import torch

from hy_kernels.ranges import counted_in
from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, copied, own, target

__all__ = [
    "np_arange",
    "np_blackman",
    "np_eye",
    "np_full_like",
    "np_hamming",
    "np_hanning",
    "np_identity",
    "np_indices",
    "np_logspace",
]


@kernel(out="apart")
def np_identity(
    *, shape: tuple[int, ...], dtype: str, device: torch.device, out: Places = None
) -> Tensor:
    """Unit matrix."""
    rows, columns = shape
    y: Tensor = np_eye(N=rows, M=columns, k=0, dtype=dtype, device=device, out=out)
    return y


@kernel(out="apart")
def np_eye(
    *, N: int, M: int | None, k: int, dtype: str, device: torch.device, out: Places = None
) -> Tensor:
    """Ones on a diagonal."""
    y = target(out, (N, N if M is None else M), torch_type(dtype), device).zero_()
    if -y.shape[0] < k < y.shape[1]:
        y.diagonal(k).fill_(1)
    return y


@kernel(out="apart")
def np_arange(
    *,
    start: float,
    stop: float | None,
    step: float,
    repeat: int,
    infer_range: bool,
    dtype: str,
    device: torch.device,
    out: Places = None,
) -> Tensor:
    """``start``, ``start + step``, … in front of ``stop``."""
    first, last = (0.0, start) if stop is None else (start, stop)
    count = max(math.ceil((last - first) / step), 0)
    first, by = counted_in(dtype, first, step)
    places = torch.arange(count, dtype=widest(device), device=device).mul_(by).add_(first)
    return copied(places.repeat_interleave(repeat), out, dtype=torch_type(dtype))


@kernel(out="apart")
def np_logspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool,
    base: float,
    dtype: str,
    device: torch.device,
    out: Places = None,
) -> Tensor:
    """Powers at equal distances."""
    parts = max(num - 1 if endpoint else num, 1)
    exponents = torch.arange(num, dtype=widest(device), device=device)
    exponents.mul_((stop - start) / parts).add_(start)
    if endpoint and num > 1:
        exponents[-1] = stop
    return copied(torch.pow(base, exponents), out, dtype=torch_type(dtype))


@kernel(out="apart")
def np_indices(
    *, dimensions: tuple[int, ...], dtype: str, device: torch.device, out: Places = None
) -> Tensor:
    """Index along each axis."""
    rank = len(dimensions)
    y = target(out, (rank, *dimensions), torch_type(dtype), device)
    for i, size in enumerate(dimensions):
        y[i] = torch.arange(size, device=device).reshape(-1, *(1,) * (rank - 1 - i))
    return y


def _window(
    M: int, weights: Sequence[float], dtype: str, device: torch.device, out: Places
) -> Tensor:
    """A sum of cosines of whole frequencies over ``M`` points."""
    if M == 1:
        return target(out, (1,), torch_type(dtype), device).fill_(1)
    angles = torch.arange(1 - M, M, 2, dtype=widest(device), device=device) if M > 1 else None
    if angles is None:
        return torch.empty(0, dtype=torch_type(dtype), device=device)
    angles.mul_(math.pi / (M - 1))
    y = torch.zeros_like(angles)
    for k, weight in enumerate(weights):
        y.add_(torch.cos(angles * k), alpha=weight)
    return copied(y, out, dtype=torch_type(dtype))


@kernel(out="apart")
def np_hanning(*, M: int, dtype: str, device: torch.device, out: Places = None) -> Tensor:
    """Hann window."""
    return _window(M, (0.5, 0.5), dtype, device, out)


@kernel(out="apart")
def np_hamming(*, M: int, dtype: str, device: torch.device, out: Places = None) -> Tensor:
    """Hamming window."""
    return _window(M, (0.54, 0.46), dtype, device, out)


@kernel(out="apart")
def np_blackman(*, M: int, dtype: str, device: torch.device, out: Places = None) -> Tensor:
    """Blackman window."""
    return _window(M, (0.42, 0.5, 0.08), dtype, device, out)


@kernel(out="apart")
def np_full_like(a: Tensor, *, fill_value: float, dtype: str | None, out: Places = None) -> Tensor:
    """One number in the shape of ``a``."""
    kind = a.dtype if dtype is None else torch_type(dtype)
    return target(out, a.shape, kind, a.device).fill_(own(fill_value, kind))
