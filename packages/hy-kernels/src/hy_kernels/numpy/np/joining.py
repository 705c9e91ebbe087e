"""Concatenation and stacking of arrays of one dtype."""

from collections.abc import Sequence

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer
from hy_kernels.numpy._kernels import kernel


def _one_dtype(arrays: Sequence[Array]) -> Sequence[Array]:
    if any(x.dtype != arrays[0].dtype for x in arrays):
        raise TypeError(
            f"cannot join arrays of several dtypes: {sorted({str(x.dtype) for x in arrays})}; cast "
            "them to one"
        )
    return arrays


@kernel(out="apart")
def np_concatenate(*data: Array, axis: int | None, out: OutBuffers = None) -> Array:
    """Return the arrays concatenated along ``axis``; if None, they are flattened first."""
    return np.concatenate(_one_dtype(data), axis, out=out_buffer(out))


@kernel(out="apart")
def np_stack(*data: Array, axis: int, out: OutBuffers = None) -> Array:
    """Return the arrays stacked along a new axis."""
    return np.stack(_one_dtype(data), axis, out=out_buffer(out))
