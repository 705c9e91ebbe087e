"""Random numbers of MXNet's NumPy interface; parameters are numbers or broadcast arrays."""

from math import prod
from typing import TypeAlias

import torch

from hy_kernels.torch._constants import constant
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.random._draws import Generator, device_of, seeded

Size: TypeAlias = tuple[int, ...] | None


@kernel()
def np_choice(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    a: int | None,
    size: tuple[int, ...],
    replace: bool,
    weighted: bool,
    rng: Generator,
) -> Tensor:
    """Return random indices below a count, with or without replacement."""
    arrays = [x for x in (input1, input2) if x is not None]
    count, draws = len(arrays[0]) if a is None else a, prod(size)
    if not replace and draws > count:
        raise ValueError(f"cannot draw {draws} of {count} without replacement")
    if weighted:
        chances = arrays[-1].to(widest(device_of(rng)))
        if not draws:
            return torch.empty(size, dtype=torch.int64, device=device_of(rng))
        return torch.multinomial(chances, draws, replace, **seeded(rng)).reshape(size)
    if replace:
        return torch.randint(count, size, **seeded(rng), device=device_of(rng))
    # Without replacement and weights, a permutation's beginning.
    return torch.randperm(count, **seeded(rng), device=device_of(rng))[:draws].reshape(size).clone()


@kernel()
def np_multinomial(
    a: Tensor | None, *, n: int, pvals: tuple[float, ...] | None, size: Size, rng: Generator
) -> Tensor:
    """Return how often each outcome occurs in ``n`` draws with given probabilities."""
    compute_dtype = widest(device_of(rng))
    if pvals is None:
        assert a is not None
        chances = a.to(compute_dtype)
    else:
        chances = constant(pvals, compute_dtype, device_of(rng))
    shape = size or ()
    counts = torch.empty((*shape, len(chances)), dtype=torch.int64, device=device_of(rng))
    left = torch.full(shape, max(n, 0), dtype=compute_dtype, device=device_of(rng))
    # The conditional binomial method: n draws cost one binomial for each event.
    rest = chances.flip(0).cumsum(0).flip(0)  # of this event and those behind it
    for k in range(len(chances)):  # each takes its part of what those in front have left
        # Rounding may leave a rest of 0 or a share above 1.
        part = torch.where(rest[k] > 0, chances[k] / rest[k], 0).clamp(0, 1)
        drawn = torch.binomial(left, part.expand(shape).contiguous(), **seeded(rng))
        counts[..., k] = drawn
        left -= drawn
    return counts
