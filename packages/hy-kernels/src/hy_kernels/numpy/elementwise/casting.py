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


@kernel(out="apart")
@quiet
def amp_multicast(
    *data: Array, num_outputs: int, cast_narrow: bool, out: OutBuffers = None
) -> tuple[Array, ...]:
    """Return copies of all arrays, floating ones converted to the widest of their dtypes.

    ``cast_narrow`` selects the narrowest dtype instead.
    """
    if len(data) != num_outputs:
        raise ValueError(f"num_outputs is {num_outputs}, but there are {len(data)} arrays")
    # Ordered by size, then by range: float32 above bfloat16 above float16.
    dtypes = sorted(
        {x.dtype for x in data if _floating(x)}, key=lambda t: (t.itemsize, t.kind != "f")
    )
    if not dtypes:
        return tuple(x.copy() for x in data)
    common = dtypes[0 if cast_narrow else -1]
    return tuple(
        copied(x, out, k, dtype=common if _floating(x) else None) for k, x in enumerate(data)
    )
