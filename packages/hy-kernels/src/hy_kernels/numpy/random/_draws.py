"""Random sampling by distribution; parameters are numbers, or arrays that broadcast."""

from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer

Generator: TypeAlias = np.random.Generator
Size: TypeAlias = tuple[int, ...]
Parameter: TypeAlias = float | Array


def _real_dtype(dtype: str) -> Any:
    """Return the floating dtype to draw in: float64 for ``"float64"``, else float32.

    Raises:
        TypeError: ``dtype`` is not floating.
    """
    if "float" not in dtype:
        raise TypeError(f"dtype {dtype} is not floating")
    # NumPy draws only in float32 and float64; other dtypes are cast from float32.
    return np.float64 if dtype == "float64" else np.float32


def _as_result(y: Array, dtype: str) -> Array:
    return np.asarray(y).astype(dtype, copy=False)


def _in_floating_dtype(numbers: Any, dtype: str, out: OutBuffers) -> Array:
    """Return integers converted to a floating dtype."""
    return copied(np.asarray(numbers), out, dtype=np.dtype(dtype))


def _check_bound(value: Parameter, bound: float) -> None:
    """Check that a number is at least ``bound``; arrays are not checked.

    Raises:
        ValueError: The number is below ``bound``.
    """
    if not isinstance(value, np.ndarray) and not value >= bound:
        raise ValueError(f"{value} is below {bound}")


def uniform(
    rng: Generator, size: Size, dtype: str, low: Parameter, high: Parameter, out: OutBuffers = None
) -> Array:
    """Draw from the uniform distribution over ``[low, high)``."""
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
    """Draw from the normal distribution with mean ``loc`` and standard deviation ``scale``."""
    _check_bound(scale, 0)
    real = _real_dtype(dtype)
    y: Array = np.asarray(rng.standard_normal(size, real, out_buffer(out)))
    y *= np.asarray(scale, real)
    y += np.asarray(loc, real)
    return _as_result(y, dtype)


def exponential(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Array:
    """Draw from the exponential distribution with rate ``lam``, whose mean is ``1 / lam``."""
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
    """Draw from the gamma distribution with shape ``alpha`` and scale ``beta``."""
    # At least tiny, the smallest normal number: 0 itself is rejected.
    _check_bound(alpha, np.finfo(np.float64).tiny)
    _check_bound(beta, np.finfo(np.float64).tiny)
    real = _real_dtype(dtype)
    y: Array = np.asarray(rng.standard_gamma(np.asarray(alpha, real), size, real, out_buffer(out)))
    y *= np.asarray(beta, real)
    return _as_result(y, dtype)


def poisson(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Array:
    """Draw from the Poisson distribution with mean ``lam``."""
    _real_dtype(dtype)
    return _in_floating_dtype(rng.poisson(np.asarray(lam, np.float64), size), dtype, out)


def negative_binomial(
    rng: Generator, size: Size, dtype: str, k: Parameter, p: Parameter, out: OutBuffers = None
) -> Array:
    """Draw from the negative binomial: failures before ``k`` successes of probability ``p``."""
    _real_dtype(dtype)
    probability = np.minimum(np.asarray(p, np.float64), 1.0)
    # A Poisson distribution with gamma-distributed rate: NumPy's generator rejects a k of 0.
    rates = rng.standard_gamma(np.asarray(k, np.float64), size) * (1.0 / probability - 1.0)
    return _in_floating_dtype(rng.poisson(rates), dtype, out)


def generalized_negative_binomial(
    rng: Generator, size: Size, dtype: str, mu: Parameter, alpha: Parameter, out: OutBuffers = None
) -> Array:
    """Draw from the negative binomial with mean ``mu`` and variance ``mu + alpha * mu ** 2``."""
    _real_dtype(dtype)
    spread = np.asarray(alpha, np.float64)
    # With alpha = 0 the rate is mu itself: a Poisson distribution.
    some = np.where(spread == 0, 1.0, spread)
    factors = np.where(spread == 0, 1.0, rng.standard_gamma(1.0 / some, size) * some)
    return _in_floating_dtype(rng.poisson(factors * np.asarray(mu, np.float64)), dtype, out)
