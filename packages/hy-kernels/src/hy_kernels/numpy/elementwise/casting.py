"""Conversion between dtypes."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, quiet
from hy_kernels.numpy._kernels import kernel


def _floating(data: Array) -> bool:
    return data.dtype.kind not in "biu"


@kernel(out="apart")
@quiet
def cast(data: Array, *, dtype: str, out: OutBuffers = None) -> Array:
    """Return ``data`` converted to ``dtype``; floats are truncated to integers."""
    return copied(data, out, dtype=np.dtype(dtype))


@kernel(out="apart")
@quiet
def cast_like(data: Array, like: Array, *, out: OutBuffers = None) -> Array:
    """Return ``data`` converted to the dtype of ``like``."""
    return copied(data, out, dtype=like.dtype)


@kernel(out="apart")
@quiet
def amp_cast(data: Array, *, dtype: str, out: OutBuffers = None) -> Array:
    """Return a copy of ``data``, converted to ``dtype`` if it is floating."""
    return copied(data, out, dtype=np.dtype(dtype) if _floating(data) else None)
