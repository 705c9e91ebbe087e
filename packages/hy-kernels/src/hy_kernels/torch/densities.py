"""Densities of random numbers, and their logarithms."""

import math
from collections.abc import Callable

import torch

from hy_kernels.torch._dtypes import accumulator, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, copied, stored

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


def _spread(data: Tensor, like: Tensor, keep: int) -> Tensor:
    """A view of ``data`` with new axes, that broadcasts to ``like``."""
    front, extra = data.ndim - keep, like.ndim - data.ndim
    if data.shape != like.shape[:front] + like.shape[front + extra :] or extra < 0 or front < 0:
        raise ValueError("the shapes do not fit")
    return data.reshape((*data.shape[:front], *(1,) * extra, *data.shape[front:]))


@kernel(out="apart")
def spread_like(data: Tensor, like: Tensor, *, keep: int, out: Places = None) -> Tensor:
    """Repeated along new axes."""
    return copied(_spread(data, like, keep).broadcast_to(like.shape), out)


@kernel(out="apart")
def unspread_like(data: Tensor, like: Tensor, *, keep: int, out: Places = None) -> Tensor:
    """Summed along the axes ``like`` does not have."""
    front, extra = like.ndim - keep, data.ndim - like.ndim
    axes = tuple(range(front, front + extra))
    if not axes:
        return copied(data, out)
    return stored(torch.sum(data, axes, dtype=accumulator(data.dtype)).to(data.dtype), out)


def _result(logarithm: Tensor, sample: Tensor, is_log: bool, out: Places) -> Tensor:
    y = logarithm if is_log else torch.exp(logarithm)
    return copied(y, out, dtype=sample.dtype)


def _density(
    formula: Callable[..., Tensor], is_log: bool, out: Places, sample: Tensor, *parameters: Tensor
) -> Tensor:
    """A logarithm computed in float64."""
    wide = widest(sample.device)
    spread = [_spread(p, sample, 0).to(wide) for p in parameters]
    return _result(formula(sample.to(wide), *spread), sample, is_log, out)


def _where(inside: Tensor, logarithm: Tensor) -> Tensor:
    """Minus infinity outside of the distribution."""
    return torch.where(inside, logarithm, -math.inf)


def _power(base: Tensor, exponent: Tensor) -> Tensor:
    """Logarithm of ``base ** exponent``, with ``0 ** 0 == 1``."""
    return torch.where(exponent == 0, 0.0, exponent * torch.log(base))


def _uniform(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return _where((low <= x) & (x <= high), -torch.log(high - low))


def _normal(x: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    z = (x - mu) / sigma
    return -0.5 * (z * z + math.log(2 * math.pi)) - torch.log(sigma)


def _gamma(x: Tensor, alpha: Tensor, beta: Tensor) -> Tensor:
    power = alpha * torch.log(beta) + _power(x, alpha - 1)
    return _where(x >= 0, power - beta * x - torch.lgamma(alpha))


def _exponential(x: Tensor, lam: Tensor) -> Tensor:
    return _where(x >= 0, torch.log(lam) - lam * x)


def _poisson(x: Tensor, lam: Tensor) -> Tensor:
    return _where(x >= 0, _power(lam, x) - lam - torch.lgamma(x + 1))


def _negative_binomial(x: Tensor, k: Tensor, p: Tensor) -> Tensor:
    ways = torch.lgamma(x + k) - torch.lgamma(x + 1) - torch.lgamma(k)
    return _where(x >= 0, ways + k * torch.log(p) + _power(1 - p, x))


def _generalized_negative_binomial(x: Tensor, mu: Tensor, alpha: Tensor) -> Tensor:
    known = _negative_binomial(x, 1 / alpha, 1 / (mu * alpha + 1))
    return torch.where(alpha == 0, _poisson(x, mu), known)


@kernel(out="apart")
def random_pdf_uniform(
    sample: Tensor, low: Tensor, high: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_uniform, is_log, out, sample, low, high)


@kernel(out="apart")
def random_pdf_normal(
    sample: Tensor, mu: Tensor, sigma: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_normal, is_log, out, sample, mu, sigma)


@kernel(out="apart")
def random_pdf_gamma(
    sample: Tensor, alpha: Tensor, beta: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_gamma, is_log, out, sample, alpha, beta)


@kernel(out="apart")
def random_pdf_exponential(
    sample: Tensor, lam: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_exponential, is_log, out, sample, lam)


@kernel(out="apart")
def random_pdf_poisson(sample: Tensor, lam: Tensor, *, is_log: bool, out: Places = None) -> Tensor:
    """Density of each number."""
    return _density(_poisson, is_log, out, sample, lam)


@kernel(out="apart")
def random_pdf_negative_binomial(
    sample: Tensor, k: Tensor, p: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_negative_binomial, is_log, out, sample, k, p)


@kernel(out="apart")
def random_pdf_generalized_negative_binomial(
    sample: Tensor, mu: Tensor, alpha: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each number."""
    return _density(_generalized_negative_binomial, is_log, out, sample, mu, alpha)


@kernel(out="apart")
def random_pdf_dirichlet(
    sample: Tensor, alpha: Tensor, *, is_log: bool, out: Places = None
) -> Tensor:
    """Density of each vector."""
    wide = widest(sample.device)
    a = alpha.to(wide)
    whole = torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)
    powers = _power(sample.to(wide), _spread(a, sample, 1) - 1).sum(-1)
    extra = sample.ndim - alpha.ndim
    return _result(powers + whole.reshape((*whole.shape, *(1,) * extra)), sample, is_log, out)
