"""Operators that return their input."""

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied
from hy_kernels.numpy._kernels import alias, kernel


@kernel(out="apart")
def copy(data: Array, *, out: OutBuffers = None) -> Array:
    """Return a contiguous copy."""
    return copied(data, out)


copyto = alias("copyto", copy)


@kernel(out="apart")
def identity_attach_kl_sparse_reg(
    data: Array,
    moving_avg: Array,
    *,
    sparseness_target: float,
    penalty: float,
    momentum: float,
    is_train: bool,
    out: OutBuffers = None,
) -> tuple[Array, ...]:
    """Return ``data``, and the moving average of its channels' means, updated by this batch."""
    average = moving_avg
    # An empty batch has no mean, so the moving average is not updated.
    if data.size:
        axes = (0, *range(2, data.ndim))  # all but the channels
        mean = data.mean(axis=axes, dtype=accumulator(data.dtype))
        average = momentum * moving_avg + (1 - momentum) * mean
    average = copied(average, out, 1, dtype=moving_avg.dtype)
    y = copied(data, out)
    return (y, average, average) if is_train else (y, average)
