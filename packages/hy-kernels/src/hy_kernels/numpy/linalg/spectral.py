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
    if data.shape[-1] % 2:
        raise ValueError(
            f"data {data.shape} must have real and imaginary parts in turn along the last axis"
        )
    if not data.size:
        return np.zeros((*data.shape[:-1], size), data.dtype)
    x = data.astype(accumulator(data.dtype), copy=False)
    y = np.fft.ifft(x[..., 0::2] + 1j * x[..., 1::2], axis=-1, norm="forward")
    return copied(y.real, out, dtype=data.dtype)


def _sketch_indices(h: Array, data: Array, out_dim: int) -> Array:
    if h.size != data.shape[-1]:
        raise ValueError(f"h has {h.size} entries for the {data.shape[-1]} columns of data")
    wrong = h[~((h > -1) & (h < out_dim))]
    if wrong.size:
        raise IndexError(f"h has {wrong[0]:g}, outside of an axis of out_dim={out_dim}")
    return h.ravel().astype(np.intp)


@kernel(out="apart")
def count_sketch(
    data: Array,
    h: Array,
    s: Array,
    *,
    out_dim: int,
    processing_batch_size: int,
    out: OutBuffers = None,
) -> Array:
    """Return a count sketch (Charikar et al., 2002): ``y[h[i]] += s[i] * data[i]`` per vector."""
    positions = _sketch_indices(h, data, out_dim)
    y = np.zeros((out_dim, *data.shape[:-1]), accumulator(data.dtype))
    np.add.at(y, positions, np.moveaxis(data * s.ravel().astype(data.dtype), -1, 0))
    return copied(np.moveaxis(y, 0, -1), out, dtype=data.dtype)


@kernel(out="apart")
def count_sketch_backward(
    dy: Array,
    h: Array,
    s: Array,
    data: Array,
    *,
    out_dim: int,
    processing_batch_size: int,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``count_sketch`` to the data: ``s[i] * dy[h[i]]``."""
    signs = s.ravel().astype(dy.dtype)
    return np.asarray(
        np.multiply(dy[..., _sketch_indices(h, data, out_dim)], signs, out=out_buffer(out))
    )
