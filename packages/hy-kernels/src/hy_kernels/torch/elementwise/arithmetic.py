"""Arithmetic of arrays of equal shape, and sums of many arrays."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import PLAIN, Out, Tensor, copied, stored
from hy_kernels.torch.elementwise.broadcast import (
    broadcast_add,
    broadcast_div,
    broadcast_hypot,
    broadcast_maximum,
    broadcast_minimum,
    broadcast_mod,
    broadcast_mul,
    broadcast_power,
    broadcast_sub,
)

elemwise_add = alias("elemwise_add", broadcast_add)
elemwise_sub = alias("elemwise_sub", broadcast_sub)
elemwise_mul = alias("elemwise_mul", broadcast_mul)
elemwise_div = alias("elemwise_div", broadcast_div)
elemwise_mod = alias("elemwise_mod", broadcast_mod)
elemwise_power = alias("elemwise_power", broadcast_power)
elemwise_maximum = alias("elemwise_maximum", broadcast_maximum)
elemwise_minimum = alias("elemwise_minimum", broadcast_minimum)
elemwise_hypot = alias("elemwise_hypot", broadcast_hypot)
grad_add = alias("grad_add", broadcast_add)
scatter_elemwise_div = alias("scatter_elemwise_div", broadcast_div)


@kernel(pointwise=True)
def add_n(*args: Tensor, out: Out = None) -> Tensor:
    """Return the sum of all arrays."""
    first, *rest = args
    if not rest:
        return copied(first, out)
    plain = first.dtype in PLAIN
    # Pairwise into one sum: two passes less than stacking.
    total = torch.add(first if plain else first.to(accumulator(first.dtype)), rest[0])
    for x in rest[1:]:
        total.add_(x)
    return stored(total if plain else total.to(first.dtype), out)
