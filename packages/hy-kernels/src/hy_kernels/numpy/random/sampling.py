"""Sampling from distributions whose parameters are numbers; shuffling."""

from collections.abc import Callable

import numpy as np

from hy_kernels._definitions import renamed
from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random import _draws
from hy_kernels.numpy.random._draws import Generator

Shape = tuple[int, ...] | None


def _size(shape: Shape) -> tuple[int, ...]:
    return (1,) if shape is None else shape


def _enter(draw: Callable[..., Array], *names: str) -> None:
    """Register ``random_<draw>``, with number parameters called ``names``."""

    def by_one(
        *, first: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
    ) -> Array:
        return draw(rng, _size(shape), dtype or "float32", first, out)

    def by_two(
        *,
        first: float,
        second: float,
        shape: Shape,
        dtype: str | None,
        rng: Generator,
        out: OutBuffers = None,
    ) -> Array:
        return draw(rng, _size(shape), dtype or "float32", first, second, out)

    function = by_one if len(names) == 1 else by_two
    kernel(f"random_{draw.__name__}", out="apart")(renamed(function, *names))


_enter(_draws.uniform, "low", "high")
_enter(_draws.normal, "loc", "scale")
_enter(_draws.gamma, "alpha", "beta")
_enter(_draws.exponential, "lam")
_enter(_draws.poisson, "lam")
_enter(_draws.negative_binomial, "k", "p")
_enter(_draws.generalized_negative_binomial, "mu", "alpha")


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Array:
    """Draw integers from ``low`` to ``high - 1``."""
    kind = np.dtype(dtype or "int32")
    return np.asarray(rng.integers(low, high, _size(shape), np.int64)).astype(kind, copy=False)


@kernel(out="apart")
def shuffle(data: Array, *, rng: Generator, out: OutBuffers = None) -> Array:
    """Return a copy with its elements along the first axis in random order."""
    memory = out_buffer(out)
    if not data.ndim:
        return copied(data, out)
    if memory is None:
        return rng.permutation(data)
    return np.take(data, rng.permutation(len(data)), 0, memory, "clip")
