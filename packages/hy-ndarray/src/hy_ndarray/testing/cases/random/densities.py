"""Cases of probability densities and their logarithms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_gammaln = np.vectorize(math.lgamma)


def _density(logarithm: Callable[..., Any]) -> Callable[..., Any]:
    """Return the expected-value function of a density, given the formula of its logarithm."""

    def expected(sample: Any, *parameters: Any, is_log: bool = False) -> Any:
        spread = [p.reshape(p.shape + (1,) * (sample.ndim - p.ndim)) for p in parameters]
        result = logarithm(sample, *spread) + np.zeros_like(sample)
        return result if is_log else np.exp(result)

    return expected


@_density
def _uniform(x: Any, low: Any, high: Any) -> Any:
    return np.where((x < low) | (x > high), -math.inf, -np.log(high - low))


@_density
def _normal(x: Any, mu: Any, sigma: Any) -> Any:
    return -((x - mu) ** 2) / (2 * sigma**2) - np.log(sigma * math.sqrt(2 * math.pi))


@_density
def _gamma(x: Any, alpha: Any, beta: Any) -> Any:
    return alpha * np.log(beta) + (alpha - 1) * np.log(x) - beta * x - _gammaln(alpha)


@_density
def _exponential(x: Any, lam: Any) -> Any:
    return np.log(lam) - lam * x


@_density
def _poisson(x: Any, lam: Any) -> Any:
    return x * np.log(lam) - lam - _gammaln(x + 1)


def _log_negative_binomial(x: Any, k: Any, p: Any) -> Any:
    ways = _gammaln(x + k) - _gammaln(x + 1) - _gammaln(k)
    return ways + k * np.log(p) + x * np.log(1 - p)


@_density
def _generalized(x: Any, mu: Any, alpha: Any) -> Any:
    return _log_negative_binomial(x, 1 / alpha, 1 / (1 + mu * alpha))


_negative_binomial = _density(_log_negative_binomial)


def _dirichlet(sample: Any, alpha: Any, is_log: bool = False) -> Any:
    extra = sample.ndim - alpha.ndim
    a = alpha.reshape(alpha.shape[:-1] + (1,) * extra + alpha.shape[-1:])
    logs = ((a - 1) * np.log(sample)).sum(-1) + _gammaln(a.sum(-1)) - _gammaln(a).sum(-1)
    return logs if is_log else np.exp(logs)


_POSITIVE: Any = {"low": 0.2, "high": 0.9}
_LOG = {"is_log": True}
_COUNTS = {0: np.array([[0.0, 1, 5], [2, 0, 3]])}
_MIXED = {0: np.array([-1.0, 0, 0.5, 9]), 1: np.zeros(4), 2: np.full(4, 2.0)}

CASES = (
    OpCase("_spread_like", ((2,), (2, 3, 1)), lambda x, like: x[:, None, None] + 0 * like),
    OpCase(
        "_spread_like",
        ((2, 4), (2, 3, 4)),
        lambda x, like, **_: x[:, None] + 0 * like,
        {"keep": 1},
    ),
    OpCase("_unspread_like", ((2, 3, 1), (2,)), lambda x, _: x.sum((1, 2))),
    OpCase("_unspread_like", ((2, 3), (2, 3)), lambda x, _: x),
    OpCase("_unspread_like", ((2, 3, 4), (2, 4)), lambda x, *_, **__: x.sum(1), {"keep": 1}),
    OpCase("_random_pdf_uniform", ((4,), (4,), (4,)), _uniform, inputs=_MIXED),
    OpCase(
        "_random_pdf_uniform",
        ((2, 3), (2,), (2,)),
        _uniform,
        _LOG,
        inputs={1: np.array([-1.0, 0]), 2: np.array([1.0, 2])},
        **_POSITIVE,
    ),
    OpCase("_random_pdf_normal", ((2, 3), (2,), (2,)), _normal, **_POSITIVE),
    OpCase("_random_pdf_normal", ((2, 1), (2,), (2,)), _normal, _LOG, **_POSITIVE),
    OpCase("_random_pdf_gamma", ((2, 3), (2,), (2,)), _gamma, **_POSITIVE),
    OpCase("_random_pdf_gamma", ((3,), (3,), (3,)), _gamma, _LOG, **_POSITIVE),
    OpCase("_random_pdf_exponential", ((2, 3), (2,)), _exponential, **_POSITIVE),
    OpCase("_random_pdf_exponential", ((0, 3), (0,)), _exponential, _LOG),
    OpCase("_random_pdf_poisson", ((2, 3), (2,)), _poisson, inputs=_COUNTS, **_POSITIVE),
    OpCase("_random_pdf_poisson", ((2, 3), (2,)), _poisson, _LOG, inputs=_COUNTS, **_POSITIVE),
    OpCase(
        "_random_pdf_negative_binomial",
        ((2, 3), (2,), (2,)),
        _negative_binomial,
        inputs=_COUNTS,
        **_POSITIVE,
    ),
    OpCase(
        "_random_pdf_negative_binomial",
        ((2, 3), (2,), (2,)),
        _negative_binomial,
        _LOG,
        inputs=_COUNTS,
        **_POSITIVE,
    ),
    OpCase(
        "_random_pdf_generalized_negative_binomial",
        ((2, 3), (2,), (2,)),
        _generalized,
        inputs=_COUNTS,
        **_POSITIVE,
    ),
    OpCase(
        "_random_pdf_generalized_negative_binomial",
        ((2, 3), (2,), (2,)),
        _generalized,
        _LOG,
        inputs=_COUNTS,
        **_POSITIVE,
    ),
    OpCase("_random_pdf_dirichlet", ((2, 4, 3), (2, 3)), _dirichlet, **_POSITIVE),
    OpCase("_random_pdf_dirichlet", ((2, 3), (2, 3)), _dirichlet, _LOG, **_POSITIVE),
)
