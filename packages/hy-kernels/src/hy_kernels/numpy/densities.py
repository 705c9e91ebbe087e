"""Densities of random numbers, and their logarithms."""

from collections.abc import Callable

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    Places,
    accumulator,
    copied,
    expanded,
    place,
    quiet,
    target,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.special import gammaln

__all__ = [
    "random_pdf_dirichlet",
    "random_pdf_exponential",
    "random_pdf_gamma",
    "random_pdf_generalized_negative_binomial",
    "random_pdf_negative_binomial",
    "random_pdf_normal",
    "random_pdf_poisson",
    "random_pdf_uniform",
    "spread_like",
    "unspread_like",
]


def _spread(data: Array, like: Array, keep: int) -> Array:
    """A view of ``data`` with new axes, that broadcasts to ``like``."""
    front, extra = data.ndim - keep, like.ndim - data.ndim
    if data.shape != like.shape[:front] + like.shape[front + extra :] or extra < 0 or front < 0:
        raise ValueError("the shapes do not fit")
    return data.reshape(data.shape[:front] + (1,) * extra + data.shape[front:])


@kernel(out="apart")
def spread_like(data: Array, like: Array, *, keep: int, out: Places = None) -> Array:
    """Repeated along new axes."""
    return expanded(_spread(data, like, keep), like.shape, out)


@kernel(out="apart")
def unspread_like(data: Array, like: Array, *, keep: int, out: Places = None) -> Array:
    """Summed along the axes ``like`` does not have."""
    front, extra = like.ndim - keep, data.ndim - like.ndim
    axes = tuple(range(front, front + extra))
    if not axes:
        return copied(data, out)
    summed = data.sum(axis=axes, dtype=accumulator(data.dtype), out=place(out))
    return np.asarray(summed).astype(data.dtype, copy=False)


def _result(logarithm: Array, sample: Array, is_log: bool, out: Places) -> Array:
    if is_log:
        return copied(logarithm, out, dtype=sample.dtype)
    y = target(out, logarithm.shape, sample.dtype)
    return np.exp(logarithm, out=y, casting="unsafe")


def _density(
    formula: Callable[..., Array], is_log: bool, out: Places, sample: Array, *parameters: Array
) -> Array:
    """A logarithm computed in float64."""
    spread = [_spread(p, sample, 0).astype(np.float64) for p in parameters]
    return _result(formula(sample.astype(np.float64), *spread), sample, is_log, out)


def _where(inside: Array, logarithm: Array) -> Array:
    """Minus infinity outside of the distribution."""
    return np.where(inside, logarithm, -np.inf)


def _power(base: Array, exponent: Array) -> Array:
    """Logarithm of ``base ** exponent``, with ``0 ** 0 == 1``."""
    return np.where(exponent == 0, 0.0, exponent * np.log(base))


def _uniform(x: Array, low: Array, high: Array) -> Array:
    return _where((low <= x) & (x <= high), -np.log(high - low))


def _normal(x: Array, mu: Array, sigma: Array) -> Array:
    z = (x - mu) / sigma
    return np.asarray(-0.5 * (z * z + np.log(2 * np.pi)) - np.log(sigma))


def _gamma(x: Array, alpha: Array, beta: Array) -> Array:
    power = alpha * np.log(beta) + _power(x, alpha - 1)
    return _where(x >= 0, power - beta * x - gammaln(alpha))


def _exponential(x: Array, lam: Array) -> Array:
    return _where(x >= 0, np.log(lam) - lam * x)


def _poisson(x: Array, lam: Array) -> Array:
    return _where(x >= 0, _power(lam, x) - lam - gammaln(x + 1))


def _negative_binomial(x: Array, k: Array, p: Array) -> Array:
    ways = gammaln(x + k) - gammaln(x + 1) - gammaln(k)
    return _where(x >= 0, ways + k * np.log(p) + _power(1 - p, x))


def _generalized_negative_binomial(x: Array, mu: Array, alpha: Array) -> Array:
    known = _negative_binomial(x, 1 / alpha, 1 / (mu * alpha + 1))
    return np.where(alpha == 0, _poisson(x, mu), known)


@kernel(out="apart")
@quiet
def random_pdf_uniform(
    sample: Array, low: Array, high: Array, *, is_log: bool, out: Places = None
) -> Array:
    """Density of each number."""
    return _density(_uniform, is_log, out, sample, low, high)


@kernel(out="apart")
@quiet
def random_pdf_normal(
    sample: Array, mu: Array, sigma: Array, *, is_log: bool, out: Places = None
) -> Array:
    """Density of each number."""
    return _density(_normal, is_log, out, sample, mu, sigma)


@kernel(out="apart")
@quiet
def random_pdf_gamma(
    sample: Array, alpha: Array, beta: Array, *, is_log: bool, out: Places = None
) -> Array:
    """Density of each number."""
    return _density(_gamma, is_log, out, sample, alpha, beta)


@kernel(out="apart")
@quiet
def random_pdf_exponential(sample: Array, lam: Array, *, is_log: bool, out: Places = None) -> Array:
    """Density of each number."""
    return _density(_exponential, is_log, out, sample, lam)


@kernel(out="apart")
@quiet
def random_pdf_poisson(sample: Array, lam: Array, *, is_log: bool, out: Places = None) -> Array:
    """Density of each number."""
    return _density(_poisson, is_log, out, sample, lam)


@kernel(out="apart")
@quiet
def random_pdf_negative_binomial(
    sample: Array, k: Array, p: Array, *, is_log: bool, out: Places = None
) -> Array:
    """Density of each number."""
    return _density(_negative_binomial, is_log, out, sample, k, p)


@kernel(out="apart")
@quiet
def random_pdf_generalized_negative_binomial(
    sample: Array, mu: Array, alpha: Array, *, is_log: bool, out: Places = None
) -> Array:
    """Density of each number."""
    return _density(_generalized_negative_binomial, is_log, out, sample, mu, alpha)


@kernel(out="apart")
@quiet
def random_pdf_dirichlet(sample: Array, alpha: Array, *, is_log: bool, out: Places = None) -> Array:
    """Density of each vector."""
    a = alpha.astype(np.float64)
    whole = gammaln(a.sum(-1)) - gammaln(a).sum(-1)
    powers = _power(sample.astype(np.float64), _spread(a, sample, 1) - 1).sum(-1)
    extra = sample.ndim - alpha.ndim
    return _result(powers + whole.reshape(whole.shape + (1,) * extra), sample, is_log, out)
