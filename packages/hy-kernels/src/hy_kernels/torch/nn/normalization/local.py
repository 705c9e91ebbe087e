"""Normalisation without statistics: of vectors to length 1, and by neighbouring channels."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, copied, number
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype


def _vector_sums(x: Tensor, mode: str) -> Tensor:
    """Return the sum over each vector, axes kept; ``mode`` says which axes are one vector."""
    if mode == "channel":
        return torch.sum(x, 1, keepdim=True)
    if x.ndim == 2 and mode == "instance":
        return torch.sum(x, 1, keepdim=True)
    axes = tuple(range(2 if mode == "spatial" else 1, x.ndim))
    return torch.sum(x, axes, keepdim=True) if axes else x.clone()


def _length(x: Tensor, mode: str, eps: float) -> Tensor:
    return _vector_sums(x * x, mode).add_(eps).sqrt_()


def _fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``l2_normalization`` for rows of float32."""
    if params["mode"] != "instance":
        return None
    # A cached tensor: torch would make one of the Python number at each call.
    eps = number(params["eps"], torch.float32, torch.device("cpu"))

    def normalized(data: Tensor) -> Tensor:
        if data.ndim != 2 or data.dtype is not torch.float32:
            return general(data)
        squares = torch.sum(torch.mul(data, data), 1, True)
        return torch.div(data, squares.add_(eps).sqrt_())

    return normalized


@kernel(out="apart", specialize=by_params(_fast_path))
@with_integer_fallback()
def l2_normalization(data: Tensor, *, eps: float, mode: str, out: OutBuffers = None) -> Tensor:
    """Return each vector divided by its length."""
    if out is None and data.dtype in PLAIN:  # most calls, without a detour
        return torch.div(data, _length(data, mode, eps))
    x = to_compute_dtype(data)
    return to_storage_dtype(x / _length(x, mode, eps), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def l2_normalization_backward(
    dy: Tensor, data: Tensor, *, eps: float, mode: str, out: OutBuffers = None
) -> Tensor:
    """Return ``dy`` less its component along each vector, divided by the vector's length."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    length = _length(x, mode, eps)
    y = x / length
    # d(x / |x|) is (dy - y (y · dy)) / |x|.
    dx = torch.addcmul(g, y, _vector_sums(g * y, mode), value=-1).div_(length)
    return to_storage_dtype(dx, data.dtype, out)


@kernel(out="apart")
def l2_total(data: Tensor, *, mode: str, out: OutBuffers = None) -> Tensor:
    """Return the sum over each vector, broadcast to its elements."""
    return copied(
        _vector_sums(to_compute_dtype(data), mode).broadcast_to(data.shape), out, dtype=data.dtype
    )


def _window(x: Tensor, size: int) -> Tensor:
    """Return for each channel the sum over the ``size`` channels around it."""
    # Sums of neighbouring channels as additions of shifted views; borders have fewer.
    total = x.clone(memory_format=torch.contiguous_format)
    for offset in range(1, min((size - 1) // 2, x.shape[1] - 1) + 1):
        total[:, offset:] += x[:, :-offset]
        total[:, :-offset] += x[:, offset:]
    return total


def _strength(x: Tensor, alpha: float, knorm: float, nsize: int) -> Tensor:
    return _window(x * x, nsize).mul_(alpha / nsize).add_(knorm)


@kernel(out="apart")
@with_integer_fallback()
def lrn(
    data: Tensor, *, alpha: float, beta: float, knorm: float, nsize: int, out: OutBuffers = None
) -> Tensor:
    """Return local response normalisation over channels (Krizhevsky et al., 2012)."""
    x = to_compute_dtype(data)
    y = _strength(x, alpha, knorm, nsize).pow_(-beta).mul_(x)
    return to_storage_dtype(y, data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def lrn_backward(
    dy: Tensor,
    data: Tensor,
    *,
    alpha: float,
    beta: float,
    knorm: float,
    nsize: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``lrn`` to the data."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    s = _strength(x, alpha, knorm, nsize)
    power = torch.pow(s, -beta)
    direct = g * power
    # The derivative goes through the windows of all neighbours, which are symmetric.
    through = _window(power.div_(s).mul_(g).mul_(x), nsize).mul_(x)
    return to_storage_dtype(direct.add_(through, alpha=-2 * alpha * beta / nsize), data.dtype, out)
