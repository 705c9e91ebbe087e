"""Dropout."""

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["dropout"]


def dropout(
    data: Array,
    *,
    p: float,
    mode: str,
    axes: tuple[int, ...],
    cudnn_off: bool | None,
    is_train: bool,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """``data`` times a random mask of zeros and ``1 / (1 - p)``; and that mask."""
    shape = list(data.shape)
    for axis in axes:
        shape[axis] = 1
    if p == 0 or not (is_train or mode == "always"):
        return data.copy(), np.ones(shape, data.dtype)
    keep = rng.random(shape, np.float32) >= p
    scale = data.dtype.type(1 / (1 - p) if p < 1 else 0)
    mask = keep * scale
    return data * mask, mask
