"""``numpy.einsum`` that also supports empty arrays."""

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.runtime._blas import single_thread


def einsum(subscripts: str, *operands: Array, **options: Any) -> Array:
    """Return ``numpy.einsum(subscripts, *operands)``, which fails on empty arrays in NumPy 2.4."""
    if not all(x.size for x in operands):
        operands = tuple(as_strided(np.zeros(1, x.dtype), x.shape, (0,) * x.ndim) for x in operands)
    # With ``optimize``, NumPy contracts by matrix products, which may use BLAS threads.
    with single_thread if options.get("optimize") else nullcontext():
        return np.asarray(np.einsum(subscripts, *operands, **options))
