"""Fourier transforms and random projections of vectors."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
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
    if not data.numel():
        return torch.zeros((*data.shape[:-1], size), dtype=data.dtype, device=data.device)
    parts = _to_real_dtype(data).reshape((*data.shape[:-1], size, 2)).contiguous()
    # norm="forward" divides nothing in the inverse, as MXNet.
    y = torch.fft.ifft(torch.view_as_complex(parts), norm="forward")
    return copied(y.real, out, dtype=data.dtype)
