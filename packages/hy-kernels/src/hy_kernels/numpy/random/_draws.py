"""Random numbers by distribution, of a size and dtype; parameters are numbers or arrays."""

from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer

__all__ = [
    "Generator",
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "negative_binomial",
    "normal",
    "poisson",
    "uniform",
]

Generator: TypeAlias = np.random.Generator
Size: TypeAlias = tuple[int, ...]
Parameter: TypeAlias = float | Array


def _real_dtype(dtype: str) -> Any:
    """Return the floating dtype in which numbers are drawn."""
    if "float" not in dtype:
        raise TypeError(f"dtype {dtype} is not floating")
    # numpy draws in float32 and float64 alone; other dtypes are cast from float32.
    return np.float64 if dtype == "float64" else np.float32


def _as_result(y: Array, dtype: str) -> Array:
    return np.asarray(y).astype(dtype, copy=False)


def _in_floating_dtype(numbers: Any, dtype: str, out: OutBuffers) -> Array:
    """Return whole numbers in a floating dtype."""
    return copied(np.asarray(numbers), out, dtype=np.dtype(dtype))


def _check_bound(value: Parameter, bound: float) -> None:
    """Refuse a number below ``bound``; arrays are not looked at.

    Raises:
        ValueError: The number is below.
    """
    if not isinstance(value, np.ndarray) and not value >= bound:
        raise ValueError(f"{value} is below {bound}")


def uniform(
    rng: Generator, size: Size, dtype: str, low: Parameter, high: Parameter, out: OutBuffers = None
) -> Array:
    """Return uniform numbers from ``low`` up to ``high``."""
    real = _real_dtype(dtype)
    first = np.asarray(low, real)
    if not isinstance(high, np.ndarray):
        _check_bound(high, float(first))
    y: Array = np.asarray(rng.random(size, real, out_buffer(out)))
    y *= np.asarray(high, real) - first
    y += first
    return _as_result(y, dtype)


def normal(
    rng: Generator, size: Size, dtype: str, loc: Parameter, scale: Parameter, out: OutBuffers = None
) -> Array:
    """Return normal numbers of mean ``loc`` and standard deviation ``scale``."""
    _check_bound(scale, 0)
    real = _real_dtype(dtype)
    y: Array = np.asarray(rng.standard_normal(size, real, out_buffer(out)))
    y *= np.asarray(scale, real)
    y += np.asarray(loc, real)
    return _as_result(y, dtype)


def exponential(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Array:
    """Return exponential numbers of mean ``1 / lam``."""
    _check_bound(lam, np.finfo(np.float64).tiny)
    real = _real_dtype(dtype)
    y: Array = np.asarray(rng.standard_exponential(size, real, out=out_buffer(out)))
    with np.errstate(divide="ignore", invalid="ignore"):
        y /= np.asarray(lam, real)
    return _as_result(y, dtype)


def gamma(
    rng: Generator,
    size: Size,
    dtype: str,
    alpha: Parameter,
    beta: Parameter,
    out: OutBuffers = None,
) -> Array:
    """Return gamma numbers of mean ``alpha * beta``."""
    # At least tiny, the smallest normal number: 0 itself is refused.
    _check_bound(alpha, np.finfo(np.float64).tiny)
    _check_bound(beta, np.finfo(np.float64).tiny)
    real = _real_dtype(dtype)
    y: Array = np.asarray(rng.standard_gamma(np.asarray(alpha, real), size, real, out_buffer(out)))
    y *= np.asarray(beta, real)
    return _as_result(y, dtype)


def poisson(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Array:
    """Return Poisson numbers of mean ``lam``."""
    _real_dtype(dtype)
    return _in_floating_dtype(rng.poisson(np.asarray(lam, np.float64), size), dtype, out)


def negative_binomial(
    rng: Generator, size: Size, dtype: str, k: Parameter, p: Parameter, out: OutBuffers = None
) -> Array:
    """Return numbers of failures before ``k`` successes of probability ``p``, above 1 certain."""
    _real_dtype(dtype)
    probability = np.minimum(np.asarray(p, np.float64), 1.0)
    # A Poisson number of gamma-distributed rate: numpy's own generator refuses a k of 0.
    rates = rng.standard_gamma(np.asarray(k, np.float64), size) * (1.0 / probability - 1.0)
    return _in_floating_dtype(rng.poisson(rates), dtype, out)


def generalized_negative_binomial(
    rng: Generator, size: Size, dtype: str, mu: Parameter, alpha: Parameter, out: OutBuffers = None
) -> Array:
    """Return negative binomial numbers of mean ``mu`` and variance ``mu + alpha * mu ** 2``."""
    _real_dtype(dtype)
    spread = np.asarray(alpha, np.float64)
    # With alpha = 0 the rate is mu itself: a Poisson number.
    some = np.where(spread == 0, 1.0, spread)
    factors = np.where(spread == 0, 1.0, rng.standard_gamma(1.0 / some, size) * some)
    return _in_floating_dtype(rng.poisson(factors * np.asarray(mu, np.float64)), dtype, out)
