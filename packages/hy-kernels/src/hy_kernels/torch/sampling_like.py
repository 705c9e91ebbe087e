"""Random numbers in the shape and dtype of another array."""

from hy_kernels.torch import _draws
from hy_kernels.torch._draws import Generator
from hy_kernels.torch._dtypes import NAMES
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor

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
    data: Tensor, *, low: float, high: float, rng: Generator, out: Places = None
) -> Tensor:
    """Uniform from ``low`` to ``high``."""
    return _draws.uniform(rng, data.shape, NAMES[data.dtype], low, high, out)


@kernel(out="apart")
def random_normal_like(
    data: Tensor, *, loc: float, scale: float, rng: Generator, out: Places = None
) -> Tensor:
    """Normal about ``loc``."""
    return _draws.normal(rng, data.shape, NAMES[data.dtype], loc, scale, out)


@kernel(out="apart")
def random_gamma_like(
    data: Tensor, *, alpha: float, beta: float, rng: Generator, out: Places = None
) -> Tensor:
    """Gamma of shape ``alpha`` and scale ``beta``."""
    return _draws.gamma(rng, data.shape, NAMES[data.dtype], alpha, beta, out)


@kernel(out="apart")
def random_exponential_like(
    data: Tensor, *, lam: float, rng: Generator, out: Places = None
) -> Tensor:
    """Exponential of rate ``lam``."""
    return _draws.exponential(rng, data.shape, NAMES[data.dtype], lam, out)


@kernel(out="apart")
def random_poisson_like(data: Tensor, *, lam: float, rng: Generator, out: Places = None) -> Tensor:
    """Poisson of mean ``lam``."""
    return _draws.poisson(rng, data.shape, NAMES[data.dtype], lam, out)


@kernel(out="apart")
def random_negative_binomial_like(
    data: Tensor, *, k: int, p: float, rng: Generator, out: Places = None
) -> Tensor:
    """Failures before ``k`` successes."""
    return _draws.negative_binomial(rng, data.shape, NAMES[data.dtype], k, p, out)


@kernel(out="apart")
def random_generalized_negative_binomial_like(
    data: Tensor, *, mu: float, alpha: float, rng: Generator, out: Places = None
) -> Tensor:
    """Negative binomial of mean ``mu`` and dispersion ``alpha``."""
    return _draws.generalized_negative_binomial(rng, data.shape, NAMES[data.dtype], mu, alpha, out)
