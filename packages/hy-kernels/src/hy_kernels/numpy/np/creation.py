"""Arrays out of nothing, or of the shape of another."""
# ruff: noqa: N803  # numpy's windows have M points

from collections.abc import Callable
from math import ceil

import numpy as np

from hy_kernels.numpy._array import Array, quiet

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


def np_identity(*, shape: tuple[int, ...], dtype: str, device: None) -> Array:
    """Unit matrix."""
    rows, columns = shape
    return np.eye(rows, columns, dtype=dtype)


def np_eye(*, N: int, M: int | None, k: int, dtype: str, device: None) -> Array:
    """Ones on a diagonal."""
    return np.eye(N, M, k, dtype)


def np_arange(
    *,
    start: float,
    stop: float | None,
    step: float,
    repeat: int,
    infer_range: bool,
    dtype: str,
    device: None,
) -> Array:
    """``start``, ``start + step``, … in front of ``stop``."""
    first, last = (0.0, start) if stop is None else (start, stop)
    count = max(ceil((last - first) / step), 0)
    places = np.arange(count, dtype=np.float64) * step + first
    return np.repeat(places, repeat).astype(dtype)


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
) -> Array:
    """Powers at equal distances."""
    return np.power(base, np.linspace(start, stop, num, endpoint=endpoint)).astype(dtype)


def np_indices(*, dimensions: tuple[int, ...], dtype: str, device: None) -> Array:
    """Index along each axis."""
    return np.indices(dimensions).astype(dtype)


def _window(function: Callable[[int], Array], points: int, dtype: str) -> Array:
    return np.asarray(function(points)).astype(dtype)


def np_hanning(*, M: int, dtype: str, device: None) -> Array:
    """Hann window."""
    return _window(np.hanning, M, dtype)


def np_hamming(*, M: int, dtype: str, device: None) -> Array:
    """Hamming window."""
    return _window(np.hamming, M, dtype)


def np_blackman(*, M: int, dtype: str, device: None) -> Array:
    """Blackman window."""
    return _window(np.blackman, M, dtype)


@quiet
def np_full_like(a: Array, *, fill_value: float, dtype: str | None) -> Array:
    """One number in the shape of ``a``."""
    return np.full(a.shape, np.float64(fill_value).astype(dtype or a.dtype))
