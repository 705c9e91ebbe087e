"""Random sampling of mx.np; parameters are numbers, or arrays that broadcast."""

from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel

Generator: TypeAlias = np.random.Generator
Size: TypeAlias = tuple[int, ...] | None


@kernel()
def np_choice(
    input1: Array | None,
    input2: Array | None,
    *,
    a: int | None,
    size: tuple[int, ...],
    replace: bool,
    weighted: bool,
    rng: Generator,
) -> Array:
    """Return random indices below ``a`` or the array's length, with or without replacement.

    If ``weighted``, the last array holds their probabilities.
    """
    arrays = [x for x in (input1, input2) if x is not None]
    count = len(arrays[0]) if a is None else a
    probabilities = None
    if weighted:
        probabilities = arrays[-1].astype(np.float64)
        probabilities /= probabilities.sum()
    return np.asarray(rng.choice(count, size, replace, probabilities), np.int64)


@kernel()
def np_multinomial(
    a: Array | None, *, n: int, pvals: tuple[float, ...] | None, size: Size, rng: Generator
) -> Array:
    """Return multinomial counts: how often each outcome occurs in ``n`` trials."""
    probabilities = np.asarray(a if pvals is None else pvals, np.float64)
    if not probabilities.size:
        return np.zeros((*(size or ()), 0), np.int64)
    # Normalised again in float64: the sum of float32 probabilities may exceed 1.
    probabilities = probabilities / probabilities.sum()
    return np.asarray(rng.multinomial(max(n, 0), probabilities, size), np.int64)
