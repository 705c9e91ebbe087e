"""Operators whose value is their input."""

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = [
    "block_grad",
    "copy",
    "copyto",
    "gradient_multiplier",
    "identity_with_attr_like_rhs",
    "make_loss",
]


def copy(data: Array) -> Array:
    """A copy."""
    return np.array(data, order="C")


block_grad = copy
make_loss = copy
copyto = copy


def identity_with_attr_like_rhs(lhs: Array, rhs: Array) -> Array:
    """``lhs``."""
    return lhs.copy()


def gradient_multiplier(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data``."""
    return data.copy()
