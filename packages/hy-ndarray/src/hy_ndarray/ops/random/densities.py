"""Densities of random numbers, and their logarithms."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.elementwise.broadcast import like_of
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.special import digamma
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.reduce.reductions import sum as total
from hy_ndarray.ops.shaping.creation import zeros_like

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


def _fit(data: TensorType, like: TensorType, keep: int) -> None:
    """``data`` is ``[*S, *last]`` and ``like`` is ``[*S, *N, *last]`` with ``keep`` last axes."""
    if data.shape is None or like.shape is None:
        return
    extra = len(like.shape) - len(data.shape)
    front = len(data.shape) - keep
    if extra < 0 or front < 0:
        raise ShapeError(
            f"{like.label}{show(like.shape)} has too few axes for {data.label}{show(data.shape)}"
        )
    data.set_shape(like.shape[:front] + like.shape[front + extra :])


def _grad_spread_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return unspread_like(dy, saved.inputs[0], keep=saved.params["keep"]), None


@operator("_spread_like", grad=_grad_spread_like)
def spread_like(data: TensorType, like: TensorType, *, keep: NonNegative = 0) -> TensorType:
    """``[*S, *last]`` repeated along new axes to the shape ``[*S, *N, *last]`` of ``like``."""
    _fit(data, like, keep)
    return like.with_dtype(data.dtype)


def _grad_unspread_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return spread_like(dy, saved.inputs[0], keep=saved.params["keep"]), None


@operator("_unspread_like", grad=_grad_unspread_like)
def unspread_like(data: TensorType, like: TensorType, *, keep: NonNegative = 0) -> TensorType:
    """``[*S, *N, *last]`` summed to the shape ``[*S, *last]`` of ``like``."""
    _fit(like, data, keep)
    return like.with_dtype(data.dtype)


Slopes = Callable[..., Sequence[Any]]
"""Derivatives of the logarithm to the sample and to each parameter; None where it has none."""


def _chain(slopes: Slopes) -> Callable[[Saved, Any], tuple[Any, ...]]:
    """The gradient of a density, from the derivatives of its logarithm."""

    def gradient(saved: Saved, dy: Any) -> tuple[Any, ...]:
        sample, *parameters = saved.inputs
        weight = dy if saved.params["is_log"] else dy * saved.outputs[0]
        spread = [spread_like(p, sample) for p in parameters]
        first, *rest = slopes(sample, *spread)
        return (
            zeros_like(sample) if first is None else weight * first,
            *(unspread_like(weight * s, p) for s, p in zip(rest, parameters, strict=True)),
        )

    return gradient


def _density(sample: TensorType, *parameters: TensorType) -> TensorType:
    """One density for each number; a row of numbers for each distribution."""
    same_dtype(sample, *parameters)
    for p in parameters:
        _fit(p, sample, 0)
    return sample


def _slopes_uniform(sample: Any, low: Any, high: Any) -> Sequence[Any]:
    slope = 1.0 / (high - low)
    return None, slope, -slope


@operator(
    "_random_pdf_uniform",
    "random_pdf_uniform",
    grad=_chain(_slopes_uniform),
)
def random_pdf_uniform(
    sample: TensorType, low: TensorType, high: TensorType, *, is_log: bool = False
) -> TensorType:
    """Density of the uniform distribution; 0 outside of it.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        low: ``[*S]``, the least numbers; the dtype of ``sample``.
        high: ``[*S]``, the bounds.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, low, high)


def _slopes_normal(sample: Any, mu: Any, sigma: Any) -> Sequence[Any]:
    z = (sample - mu) / sigma
    return -z / sigma, z / sigma, (z * z - 1.0) / sigma


@operator(
    "_random_pdf_normal",
    "random_pdf_normal",
    grad=_chain(_slopes_normal),
)
def random_pdf_normal(
    sample: TensorType, mu: TensorType, sigma: TensorType, *, is_log: bool = False
) -> TensorType:
    """Density of the normal distribution.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        mu: ``[*S]``, the means; the dtype of ``sample``.
        sigma: ``[*S]``, the standard deviations.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, mu, sigma)


def _slopes_gamma(sample: Any, alpha: Any, beta: Any) -> Sequence[Any]:
    return (
        (alpha - 1.0) / sample - beta,
        log(beta) + log(sample) - digamma(alpha),
        alpha / beta - sample,
    )


@operator(
    "_random_pdf_gamma",
    "random_pdf_gamma",
    grad=_chain(_slopes_gamma),
)
def random_pdf_gamma(
    sample: TensorType, alpha: TensorType, beta: TensorType, *, is_log: bool = False
) -> TensorType:
    """Density of the gamma distribution with a rate; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        alpha: ``[*S]``, the shapes; the dtype of ``sample``.
        beta: ``[*S]``, the rates, one over what ``_random_gamma`` calls ``beta``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, alpha, beta)


def _slopes_exponential(sample: Any, lam: Any) -> Sequence[Any]:
    return -lam, 1.0 / lam - sample


@operator(
    "_random_pdf_exponential",
    "random_pdf_exponential",
    grad=_chain(_slopes_exponential),
)
def random_pdf_exponential(
    sample: TensorType, lam: TensorType, *, is_log: bool = False
) -> TensorType:
    """Density of the exponential distribution; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        lam: ``[*S]``, the rates; the dtype of ``sample``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, lam)


def _slopes_poisson(sample: Any, lam: Any) -> Sequence[Any]:
    return None, sample / lam - 1.0


@operator(
    "_random_pdf_poisson",
    "random_pdf_poisson",
    grad=_chain(_slopes_poisson),
)
def random_pdf_poisson(sample: TensorType, lam: TensorType, *, is_log: bool = False) -> TensorType:
    """Probability in the Poisson distribution; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        lam: ``[*S]``, the means; the dtype of ``sample``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, lam)


def _slopes_negative_binomial(sample: Any, k: Any, p: Any) -> Sequence[Any]:
    return (
        None,
        digamma(sample + k) - digamma(k) + log(p),
        k / p - sample / (1.0 - p),
    )


@operator(
    "_random_pdf_negative_binomial",
    "random_pdf_negative_binomial",
    grad=_chain(_slopes_negative_binomial),
)
def random_pdf_negative_binomial(
    sample: TensorType, k: TensorType, p: TensorType, *, is_log: bool = False
) -> TensorType:
    """Probability of so many failures before the ``k``-th success; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        k: ``[*S]``, the numbers of successes; the dtype of ``sample``.
        p: ``[*S]``, the probabilities of a success.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, k, p)


def _slopes_generalized_negative_binomial(sample: Any, mu: Any, alpha: Any) -> Sequence[Any]:
    k, p = 1.0 / alpha, 1.0 / (mu * alpha + 1.0)
    _, by_k, by_p = _slopes_negative_binomial(sample, k, p)
    inner = by_p * p * p
    return None, -alpha * inner, -mu * inner - by_k * k * k


@operator(
    "_random_pdf_generalized_negative_binomial",
    "random_pdf_generalized_negative_binomial",
    grad=_chain(_slopes_generalized_negative_binomial),
)
def random_pdf_generalized_negative_binomial(
    sample: TensorType, mu: TensorType, alpha: TensorType, *, is_log: bool = False
) -> TensorType:
    """Probability in the negative binomial distribution given by its mean; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        mu: ``[*S]``, the means; the dtype of ``sample``.
        alpha: ``[*S]``, the dispersions, positive.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin alike.
    """
    return _density(sample, mu, alpha)


def _grad_dirichlet(saved: Saved, dy: Any) -> tuple[Any, Any]:
    sample, alpha = saved.inputs
    weight = spread_like(dy if saved.params["is_log"] else dy * saved.outputs[0], sample)
    spread = spread_like(alpha, sample, keep=1)
    whole = like_of(total(alpha, axis=(-1,), keepdims=True), alpha)
    slopes = log(sample) + spread_like(digamma(whole) - digamma(alpha), sample, keep=1)
    return weight * ((spread - 1.0) / sample), unspread_like(weight * slopes, alpha, keep=1)


@operator("_random_pdf_dirichlet", "random_pdf_dirichlet", grad=_grad_dirichlet)
def random_pdf_dirichlet(
    sample: TensorType, alpha: TensorType, *, is_log: bool = False
) -> TensorType:
    """Density of the Dirichlet distribution.

    Args:
        sample: ``[*S, *N, K]``, floating: some vectors for each distribution, each of sum 1.
        alpha: ``[*S, K]``, the concentrations; the dtype of ``sample``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes do not begin and end alike.
    """
    same_dtype(sample, alpha)
    _fit(alpha, sample, 1)
    return sample.with_shape(None if sample.shape is None else sample.shape[:-1])
