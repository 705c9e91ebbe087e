"""Arithmetic of two arrays of one shape, and the sum of many."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, accumulator
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.elementwise.broadcast import (
    broadcast_div,
    broadcast_hypot,
    broadcast_mod,
    broadcast_power,
)

elemwise_add = kernel("elemwise_add", pointwise=True)(np.add)
elemwise_sub = kernel("elemwise_sub", pointwise=True)(np.subtract)
elemwise_mul = kernel("elemwise_mul", pointwise=True)(np.multiply)
elemwise_div = alias("elemwise_div", broadcast_div)
elemwise_mod = alias("elemwise_mod", broadcast_mod)
elemwise_power = alias("elemwise_power", broadcast_power)
elemwise_maximum = kernel("elemwise_maximum", pointwise=True)(np.maximum)
elemwise_minimum = kernel("elemwise_minimum", pointwise=True)(np.minimum)
elemwise_hypot = alias("elemwise_hypot", broadcast_hypot)
grad_add = kernel("grad_add", pointwise=True)(np.add)
scatter_elemwise_div = alias("scatter_elemwise_div", broadcast_div)


@kernel(pointwise=True)
def add_n(*args: Array, out: Out = None) -> Array:
    """Return the sum of all arrays, accumulated in at least float32."""
    dtype = args[0].dtype
    if len(args) == 1:
        return args[0].copy() if out is None else _copied(args[0], out)
    if out is not None and any(np.may_share_memory(out[0], x) for x in args[2:]):
        # ``out`` is a later operand, which the sum of the first two would overwrite.
        return _copied(add_n(*args), out)
    total = np.add(args[0], args[1], dtype=accumulator(dtype), out=out)
    for x in args[2:]:
        total += x
    return total.astype(dtype, copy=False)


def _copied(data: Array, out: tuple[Array]) -> Array:
    np.copyto(out[0], data)
    return out[0]
