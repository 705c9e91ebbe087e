"""Random numbers of one distribution, its parameters given as numbers."""

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["random_normal", "random_uniform"]

Shape = tuple[int, ...] | None


def _kinds(dtype: str | None) -> tuple[type[np.float32] | type[np.float64], np.dtype[np.generic]]:
    """The dtype to draw in, and that of the result."""
    wanted = np.dtype(dtype or "float32")
    if wanted.kind not in "fV":
        raise TypeError(f"{dtype} is not floating")
    return (np.float64 if wanted == np.float64 else np.float32), wanted


def random_uniform(
    *, low: float, high: float, shape: Shape, dtype: str | None, rng: np.random.Generator
) -> Array:
    """Uniform from ``low`` to ``high``."""
    draw, wanted = _kinds(dtype)
    y: Array = np.asarray(rng.random((1,) if shape is None else shape, dtype=draw))
    y *= high - low
    y += low
    return y.astype(wanted, copy=False)


def random_normal(
    *, loc: float, scale: float, shape: Shape, dtype: str | None, rng: np.random.Generator
) -> Array:
    """Normal about ``loc``."""
    draw, wanted = _kinds(dtype)
    y: Array = np.asarray(rng.standard_normal((1,) if shape is None else shape, dtype=draw))
    y *= scale
    y += loc
    return y.astype(wanted, copy=False)
