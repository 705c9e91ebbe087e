"""Fourier transforms and random projections of vectors."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._requirements import require
from hy_kernels.torch._rows import added_rows, integers
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, is_integer, stored


def _to_real_dtype(data: Tensor) -> Tensor:
    return data.to(torch.float64 if is_integer(data) else accumulator(data.dtype))


@kernel(out="apart")
def fft(data: Tensor, *, compute_size: int, out: OutBuffers = None) -> Tensor:
    """Return the Fourier transform along the last axis, real and imaginary parts interleaved."""
    shape = (*data.shape[:-1], 2 * data.shape[-1])
    if not data.numel():
        return torch.zeros(shape, dtype=data.dtype, device=data.device)
    # cuFFT and MKL give complex numbers; MXNet interleaves real and imaginary parts.
    parts = torch.view_as_real(torch.fft.fft(_to_real_dtype(data)))
    return stored(parts.reshape(shape).to(data.dtype), out)


@kernel(out="apart")
def ifft(data: Tensor, *, compute_size: int, out: OutBuffers = None) -> Tensor:
    """Return the real part of the inverse transform; as cuFFT, not divided by the length."""
    size = data.shape[-1] // 2
    if data.shape[-1] % 2:
        raise ValueError(
            f"data {tuple(data.shape)} must have real and imaginary parts in turn along the last "
            "axis"
        )
    if not data.numel():
        return torch.zeros((*data.shape[:-1], size), dtype=data.dtype, device=data.device)
    parts = _to_real_dtype(data).reshape((*data.shape[:-1], size, 2)).contiguous()
    # norm="forward" divides nothing in the inverse, as MXNet.
    y = torch.fft.ifft(torch.view_as_complex(parts), norm="forward")
    return copied(y.real, out, dtype=data.dtype)


def _sketch_indices(h: Tensor, data: Tensor, out_dim: int) -> Tensor:
    if h.numel() != data.shape[-1]:
        raise ValueError(f"h has {h.numel()} entries for the {data.shape[-1]} columns of data")
    inside = (h > -1) & (h < out_dim)

    def error() -> IndexError:
        wrong = float(h[~inside][0])
        return IndexError(f"h has {wrong:g}, outside of an axis of out_dim={out_dim}")

    require(inside, error)
    return integers(h).reshape(-1)


@kernel(out="apart")
def count_sketch(
    data: Tensor,
    h: Tensor,
    s: Tensor,
    *,
    out_dim: int,
    processing_batch_size: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return a count sketch: signed elements summed at hashed positions."""
    signed = data * s.reshape(-1).to(data.dtype)
    shape = (*data.shape[:-1], out_dim)
    return stored(added_rows(signed, _sketch_indices(h, data, out_dim), shape, data.ndim - 1), out)


@kernel(out="apart")
def count_sketch_backward(
    dy: Tensor,
    h: Tensor,
    s: Tensor,
    data: Tensor,
    *,
    out_dim: int,
    processing_batch_size: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``count_sketch``: ``dy`` at the hashed positions, with the signs."""
    result = torch.index_select(dy, dy.ndim - 1, _sketch_indices(h, data, out_dim))
    return stored(result * s.reshape(-1).to(dy.dtype), out)
