"""Arrays of constants and ranges, by shape or like another array."""

from math import ceil, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import Array, OutBuffers, copied, quiet, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.ranges import DTYPES_BY_FLAG, counted_in

# mshadow's enumeration of dtypes, by which MXNet's C API and files name them.


def _filled(out: OutBuffers, shape: tuple[int, ...], dtype: npt.DTypeLike, value: Any) -> Array:
    y = target(out, shape, dtype)
    y[...] = value
    return y


@kernel(out="apart")
def zeros_like(data: Array, *, out: OutBuffers = None) -> Array:
    """Return zeros in the shape and dtype of ``data``."""
    return zeroed(out, data.shape, data.dtype)


@kernel(out="apart")
def ones_like(data: Array, *, out: OutBuffers = None) -> Array:
    """Return ones in the shape and dtype of ``data``."""
    return _filled(out, data.shape, data.dtype, 1)


@kernel(out="apart")
def zeros(*, shape: tuple[int, ...], dtype: str, device: None, out: OutBuffers = None) -> Array:
    """Return an array of zeros."""
    return zeroed(out, shape, dtype)


@kernel(out="apart")
def ones(*, shape: tuple[int, ...], dtype: str, device: None, out: OutBuffers = None) -> Array:
    """Return an array of ones."""
    return _filled(out, shape, dtype, 1)


@kernel(out="apart")
@quiet
def full(
    *, shape: tuple[int, ...] | None, dtype: str, value: float, device: None, out: OutBuffers = None
) -> Array:
    """Return an array filled with ``value``."""
    # NumPy raises for a Python number that an integer dtype cannot hold; a cast does not.
    return _filled(out, () if shape is None else shape, dtype, np.float64(value).astype(dtype))


@kernel(out="apart")
def zeros_without_dtype(
    *, shape: tuple[int, ...] | None, dtype: int, device: None, out: OutBuffers = None
) -> Array:
    """Return an array of zeros; ``dtype`` is one of MXNet's type flags."""
    return zeroed(out, () if shape is None else shape, DTYPES_BY_FLAG[dtype])


def _range_values(start: float, step: float, count: int, repeat: int) -> Array:
    """Return ``count`` numbers of a range, in float64; each occurs ``repeat`` times in a row."""
    numbers = np.arange(count, dtype=np.float64)
    if repeat != 1:
        np.floor_divide(numbers, repeat, out=numbers)
    # Multiplied, because adding step by step would accumulate rounding errors.
    numbers *= step
    numbers += start
    return numbers


@kernel(out="apart")
def arange(
    *,
    start: float,
    stop: float | None,
    step: float,
    repeat: int,
    infer_range: bool,
    dtype: str,
    device: None,
    out: OutBuffers = None,
) -> Array:
    """Return ``start``, ``start + step``, … below ``stop``, each ``repeat`` times."""
    if stop is None:
        start, stop = 0.0, start
    count = ceil((stop - start) / step) * repeat
    numbers = _range_values(*counted_in(dtype, start, step), count, repeat)
    return copied(numbers, out, dtype=np.dtype(dtype))


@kernel(out="apart")
def linspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool,
    dtype: str,
    device: None,
    out: OutBuffers = None,
) -> Array:
    """Return ``num`` equally spaced numbers from ``start`` to ``stop``."""
    return copied(np.linspace(start, stop, num, endpoint=endpoint), out, dtype=np.dtype(dtype))


@kernel()
def eye(*, N: int, M: int, k: int, dtype: str, device: None) -> Array:  # noqa: N803
    """Return a matrix ``[N, M]`` of zeros with ones on diagonal ``k``."""
    return np.eye(N, M or N, k, dtype)


@kernel(out="apart")
def arange_like(
    data: Array, *, start: float, step: float, repeat: int, axis: int | None, out: OutBuffers = None
) -> Array:
    """Return ``start``, ``start + step``, … in the shape of ``data``, or a vector for ``axis``."""
    shape = data.shape if axis is None else (data.shape[axis],)
    first, by = counted_in(data.dtype.name, start, step)
    numbers = _range_values(first, by, prod(shape), repeat).reshape(shape)
    return copied(numbers, out, dtype=data.dtype)
