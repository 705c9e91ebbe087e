"""Arrays out of nothing, or of the shape of another."""

from math import ceil, prod

import numpy as np

from hy_kernels.numpy._array import Array, quiet

__all__ = [
    "arange",
    "arange_like",
    "empty",
    "eye",
    "full",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
    "zeros_without_dtype",
]

_FLAGS = {
    -1: "float32",  # not known
    0: "float32",
    1: "float64",
    2: "float16",
    3: "uint8",
    4: "int32",
    5: "int8",
    6: "int64",
    7: "bool",
    12: "bfloat16",
}


def zeros_like(data: Array) -> Array:
    """Zeros."""
    return np.zeros(data.shape, data.dtype)


def ones_like(data: Array) -> Array:
    """Ones."""
    return np.ones(data.shape, data.dtype)


def empty(*, shape: tuple[int, ...], dtype: str, device: None) -> Array:
    """Any values, for results that are written part by part."""
    return np.empty(shape, dtype)


def zeros(*, shape: tuple[int, ...], dtype: str, device: None) -> Array:
    """Zeros."""
    return np.zeros(shape, dtype)


def ones(*, shape: tuple[int, ...], dtype: str, device: None) -> Array:
    """Ones."""
    return np.ones(shape, dtype)


@quiet
def full(*, shape: tuple[int, ...] | None, dtype: str, value: float, device: None) -> Array:
    """``value`` everywhere."""
    return np.full(() if shape is None else shape, np.float64(value).astype(dtype))


def zeros_without_dtype(*, shape: tuple[int, ...] | None, dtype: int, device: None) -> Array:
    """Zeros of the dtype with that flag."""
    return np.zeros(() if shape is None else shape, _FLAGS[dtype])


def _steps(start: float, step: float, count: int, repeat: int) -> Array:
    """``count`` numbers, each ``repeat`` times in a row."""
    if count < 0 or repeat < 1:
        raise ValueError(f"{count} numbers, each {repeat} times")
    places = np.arange(count, dtype=np.float64)
    if repeat != 1:
        np.floor_divide(places, repeat, out=places)
    places *= step
    places += start
    return places


def arange(
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
    if stop is None:
        start, stop = 0.0, start
    return _steps(start, step, ceil((stop - start) / step) * repeat, repeat).astype(dtype)


def linspace(
    *, start: float, stop: float, num: int, endpoint: bool, dtype: str, device: None
) -> Array:
    """``num`` numbers at equal distances."""
    return np.linspace(start, stop, num, endpoint=endpoint).astype(dtype)


def eye(*, N: int, M: int, k: int, dtype: str, device: None) -> Array:  # noqa: N803
    """Ones on a diagonal."""
    return np.eye(N, M or N, k, dtype)


def arange_like(data: Array, *, start: float, step: float, repeat: int, axis: int | None) -> Array:
    """``start``, ``start + step``, … for all elements, or the places on one axis."""
    shape = data.shape if axis is None else (data.shape[axis],)
    return _steps(start, step, prod(shape), repeat).reshape(shape).astype(data.dtype)
