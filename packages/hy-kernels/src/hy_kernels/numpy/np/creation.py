"""Arrays out of nothing, or of the shape of another."""
# ruff: noqa: N803  # numpy's windows have M points

from math import ceil

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, quiet, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.ranges import counted_in

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
def np_identity(*, shape: tuple[int, ...], dtype: str, device: None, out: Places = None) -> Array:
    """Unit matrix."""
    rows, columns = shape
    return np_eye(N=rows, M=columns, k=0, dtype=dtype, device=device, out=out)


@kernel(out="apart")
def np_eye(*, N: int, M: int | None, k: int, dtype: str, device: None, out: Places = None) -> Array:
    """Ones on a diagonal."""
    y = zeroed(out, (N, N if M is None else M), dtype)
    diagonal = np.diagonal(y, k)
    diagonal.flags.writeable = True
    diagonal.fill(1)
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
    device: None,
    out: Places = None,
) -> Array:
    """``start``, ``start + step``, … in front of ``stop``."""
    first, last = (0.0, start) if stop is None else (start, stop)
    count = max(ceil((last - first) / step), 0)
    first, by = counted_in(dtype, first, step)
    places = np.arange(count, dtype=np.float64) * by + first
    return copied(np.repeat(places, repeat), out, dtype=np.dtype(dtype))


@kernel(out="apart")
@quiet
def np_logspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool,
    base: float,
    dtype: str,
    device: None,
    out: Places = None,
) -> Array:
    """Powers at equal distances."""
    y = np.power(base, np.linspace(start, stop, num, endpoint=endpoint))
    return copied(y, out, dtype=np.dtype(dtype))


@kernel(out="apart")
def np_indices(
    *, dimensions: tuple[int, ...], dtype: str, device: None, out: Places = None
) -> Array:
    """Index along each axis."""
    y = target(out, (len(dimensions), *dimensions), dtype)
    for i, places in enumerate(np.indices(dimensions, sparse=True)):
        y[i] = places
    return y


@kernel(out="apart")
def np_hanning(*, M: int, dtype: str, device: None, out: Places = None) -> Array:
    """Hann window."""
    return copied(np.hanning(M), out, dtype=np.dtype(dtype))


@kernel(out="apart")
def np_hamming(*, M: int, dtype: str, device: None, out: Places = None) -> Array:
    """Hamming window."""
    return copied(np.hamming(M), out, dtype=np.dtype(dtype))


@kernel(out="apart")
def np_blackman(*, M: int, dtype: str, device: None, out: Places = None) -> Array:
    """Blackman window."""
    return copied(np.blackman(M), out, dtype=np.dtype(dtype))


@kernel(out="apart")
@quiet
def np_full_like(a: Array, *, fill_value: float, dtype: str | None, out: Places = None) -> Array:
    """One number in the shape of ``a``."""
    y = target(out, a.shape, dtype or a.dtype)
    y.fill(np.float64(fill_value).astype(y.dtype))
    return y
