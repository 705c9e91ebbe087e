"""Fourier transforms, and count sketches, of vectors."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer
from hy_kernels.numpy._kernels import kernel


@kernel(out="apart")
def fft(data: Array, *, compute_size: int, out: OutBuffers = None) -> Array:
    """Return the FFT along the last axis, with real and imaginary parts interleaved."""
    if not data.size:
        return np.zeros((*data.shape[:-1], 2 * data.shape[-1]), data.dtype)
    x = data.astype(accumulator(data.dtype), copy=False)
    memory = out_buffer(out)
    if memory is not None:
        memory = memory.view(np.result_type(memory.dtype, np.complex64))
    y = np.ascontiguousarray(np.fft.fft(x, axis=-1, out=memory))
    return y.view(y.real.dtype).astype(data.dtype, copy=False)


@kernel(out="apart")
def ifft(data: Array, *, compute_size: int, out: OutBuffers = None) -> Array:
    """Return the real part of the unnormalised inverse FFT of interleaved complex numbers.

    As in cuFFT, it is not divided by the length.
    """
    size = data.shape[-1] // 2
    if not data.size:
        return np.zeros((*data.shape[:-1], size), data.dtype)
    x = data.astype(accumulator(data.dtype), copy=False)
    y = np.fft.ifft(x[..., 0::2] + 1j * x[..., 1::2], axis=-1, norm="forward")
    return copied(y.real, out, dtype=data.dtype)
