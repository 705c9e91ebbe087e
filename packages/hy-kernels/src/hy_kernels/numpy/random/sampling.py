"""Random numbers of one distribution, its parameters given as numbers; shuffling."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random import _draws
from hy_kernels.numpy.random._draws import Generator

__all__ = [
    "random_exponential",
    "random_gamma",
    "random_generalized_negative_binomial",
    "random_negative_binomial",
    "random_normal",
    "random_poisson",
    "random_randint",
    "random_uniform",
    "shuffle",
]

Shape = tuple[int, ...] | None


def _size(shape: Shape) -> tuple[int, ...]:
    return (1,) if shape is None else shape


@kernel(out="apart")
def random_uniform(
    *,
    low: float,
    high: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Array:
    """Draw uniform numbers from ``low`` to ``high``."""
    return _draws.uniform(rng, _size(shape), dtype or "float32", low, high, out)


@kernel(out="apart")
def random_normal(
    *,
    loc: float,
    scale: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Array:
    """Draw normal numbers about ``loc``."""
    return _draws.normal(rng, _size(shape), dtype or "float32", loc, scale, out)


@kernel(out="apart")
def random_gamma(
    *,
    alpha: float,
    beta: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Array:
    """Draw gamma numbers of shape ``alpha`` and scale ``beta``."""
    return _draws.gamma(rng, _size(shape), dtype or "float32", alpha, beta, out)


@kernel(out="apart")
def random_exponential(
    *, lam: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Array:
    """Draw exponential numbers of rate ``lam``."""
    return _draws.exponential(rng, _size(shape), dtype or "float32", lam, out)


@kernel(out="apart")
def random_poisson(
    *, lam: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Array:
    """Draw Poisson numbers of mean ``lam``."""
    return _draws.poisson(rng, _size(shape), dtype or "float32", lam, out)


@kernel(out="apart")
def random_negative_binomial(
    *, k: int, p: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Array:
    """Draw numbers of failures before ``k`` successes."""
    return _draws.negative_binomial(rng, _size(shape), dtype or "float32", k, p, out)


@kernel(out="apart")
def random_generalized_negative_binomial(
    *,
    mu: float,
    alpha: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Array:
    """Draw negative binomial numbers of mean ``mu`` and dispersion ``alpha``."""
    return _draws.generalized_negative_binomial(
        rng, _size(shape), dtype or "float32", mu, alpha, out
    )


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Array:
    """Draw integers from ``low`` to ``high - 1``."""
    kind = np.dtype(dtype or "int32")
    if kind not in (np.int32, np.int64):
        raise TypeError(f"dtype {dtype} is neither int32 nor int64")
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
