"""Identity matrices and ranges."""
# ruff: noqa: N803  # numpy's windows have M points

from math import ceil

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.ranges import counted_in


@kernel(out="apart")
def np_eye(
    *, N: int, M: int | None, k: int, dtype: str, device: None, out: OutBuffers = None
) -> Array:
    """Return a matrix ``[N, M]`` of zeros with ones on diagonal ``k``."""
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
    out: OutBuffers = None,
) -> Array:
    """Return ``start``, ``start + step``, … below ``stop``, each ``repeat`` times."""
    first, last = (0.0, start) if stop is None else (start, stop)
    count = max(ceil((last - first) / step), 0)
    first, by = counted_in(dtype, first, step)
    numbers = np.arange(count, dtype=np.float64) * by + first
    return copied(np.repeat(numbers, repeat), out, dtype=np.dtype(dtype))
