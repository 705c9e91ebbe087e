"""Sampling from distributions whose parameters are numbers; shuffling."""

import numpy as np

from hy_kernels.distributions import OF_NUMBERS, of_numbers, size_of
from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random import _draws
from hy_kernels.numpy.random._draws import Generator

Shape = tuple[int, ...] | None


for _name, _names in OF_NUMBERS.items():
    kernel(f"random_{_name}", out="apart")(of_numbers(getattr(_draws, _name), *_names))


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Array:
    """Draw integers from ``low`` to ``high - 1``."""
    kind = np.dtype(dtype or "int32")
    return np.asarray(rng.integers(low, high, size_of(shape), np.int64)).astype(kind, copy=False)


@kernel(out="apart")
def shuffle(data: Array, *, rng: Generator, out: OutBuffers = None) -> Array:
    """Return a copy with its elements along the first axis in random order."""
    memory = out_buffer(out)
    if not data.ndim:
        return copied(data, out)
    if memory is None:
        return rng.permutation(data)
    return np.take(data, rng.permutation(len(data)), 0, memory, "clip")
