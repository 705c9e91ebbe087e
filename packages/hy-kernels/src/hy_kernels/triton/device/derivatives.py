"""Gradients of reductions as pointwise functions."""

import triton
import triton.language as tl


@triton.jit
def at_extreme(values, data, y):
    """Return ``values`` where ``data`` equals the extreme ``y``, else 0."""
    return tl.where(data == y, values, 0)


@triton.jit
def l1_norm_gradient(dy, data):
    """Return ``dy · sign(data)``, the gradient of the L1 norm."""
    # What is neither above nor below 0 is 0, whose derivative is 0, or nan, which stays.
    return tl.where(data > 0, dy, tl.where(data < 0, -dy, dy * data))


@triton.jit
def l2_norm_gradient(dy, data, y):
    """Return ``dy · data / y``, the gradient of the L2 norm ``y``; 0 where the norm is 0."""
    none = y == 0
    return tl.where(none, 0.0, dy / tl.where(none, 1.0, y)) * data


@triton.jit
def along_unit(dy, data, length, total):
    """Return the gradient of ``data / length``; ``total`` is the vector's sum of dy times that."""
    return (dy - data / length * total) / length
