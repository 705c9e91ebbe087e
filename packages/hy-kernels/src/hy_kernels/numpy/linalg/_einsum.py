"""``numpy.einsum`` that reads nothing of arrays without elements."""

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.runtime._blas import single_thread

__all__ = ["einsum"]


def einsum(subscripts: str, *operands: Array, **options: Any) -> Array:
    """Contract like ``numpy.einsum``, which (2.4) fails on arrays without elements."""
    if not all(x.size for x in operands):
        operands = tuple(as_strided(np.zeros(1, x.dtype), x.shape, (0,) * x.ndim) for x in operands)
    # In an order of its own choice it contracts by products of matrices.
    with single_thread if options.get("optimize") else nullcontext():
        return np.asarray(np.einsum(subscripts, *operands, **options))
