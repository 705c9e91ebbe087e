"""Random numbers in the shape and dtype of another array."""

from hy_kernels.numpy import _draws
from hy_kernels.numpy._array import Array, Places
from hy_kernels.numpy._draws import Generator
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "random_exponential_like",
    "random_gamma_like",
    "random_generalized_negative_binomial_like",
    "random_negative_binomial_like",
    "random_normal_like",
    "random_poisson_like",
    "random_uniform_like",
]


@kernel(out="apart")
def random_uniform_like(
    data: Array, *, low: float, high: float, rng: Generator, out: Places = None
) -> Array:
    """Uniform from ``low`` to ``high``."""
    return _draws.uniform(rng, data.shape, data.dtype.name, low, high, out)


@kernel(out="apart")
def random_normal_like(
    data: Array, *, loc: float, scale: float, rng: Generator, out: Places = None
) -> Array:
    """Normal about ``loc``."""
    return _draws.normal(rng, data.shape, data.dtype.name, loc, scale, out)


@kernel(out="apart")
def random_gamma_like(
    data: Array, *, alpha: float, beta: float, rng: Generator, out: Places = None
) -> Array:
    """Gamma of shape ``alpha`` and scale ``beta``."""
    return _draws.gamma(rng, data.shape, data.dtype.name, alpha, beta, out)


@kernel(out="apart")
def random_exponential_like(
    data: Array, *, lam: float, rng: Generator, out: Places = None
) -> Array:
    """Exponential of rate ``lam``."""
    return _draws.exponential(rng, data.shape, data.dtype.name, lam, out)


@kernel(out="apart")
def random_poisson_like(data: Array, *, lam: float, rng: Generator, out: Places = None) -> Array:
    """Poisson of mean ``lam``."""
    return _draws.poisson(rng, data.shape, data.dtype.name, lam, out)


@kernel(out="apart")
def random_negative_binomial_like(
    data: Array, *, k: int, p: float, rng: Generator, out: Places = None
) -> Array:
    """Failures before ``k`` successes."""
    return _draws.negative_binomial(rng, data.shape, data.dtype.name, k, p, out)


@kernel(out="apart")
def random_generalized_negative_binomial_like(
    data: Array, *, mu: float, alpha: float, rng: Generator, out: Places = None
) -> Array:
    """Negative binomial of mean ``mu`` and dispersion ``alpha``."""
    return _draws.generalized_negative_binomial(rng, data.shape, data.dtype.name, mu, alpha, out)
