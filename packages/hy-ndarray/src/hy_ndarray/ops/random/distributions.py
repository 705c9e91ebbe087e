"""Table of distributions: parameters, samplers, and gradients of densities."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.special import digamma
from hy_ndarray.ops.random.distribution import Distribution, Parameter
from hy_ndarray.ops.record.ranges import NonNegative, NonNegativeFloat, PositiveFloat


def _check_bounds(low: float, high: float) -> None:
    if low > high:
        raise ArgumentError(f"low={low} must not exceed high={high}")


def _gradients_uniform(sample: Any, low: Any, high: Any) -> Sequence[Any]:
    slope = 1.0 / (high - low)
    return None, slope, -slope


uniform = Distribution(
    "uniform",
    Parameter("low", float, 0.0, text="Least number.", of_many="the least numbers"),
    Parameter(
        "high",
        float,
        1.0,
        text="Bound of the numbers, not below ``low``.",
        of_many="the bounds of the numbers",
        of_density="the bounds",
    ),
    text="Numbers of equal probability from ``low`` up to ``high``.",
    of_many="Numbers of equal probability",
    of_density="Density of the uniform distribution; 0 outside of it.",
    gradients=_gradients_uniform,
    aliases=("uniform",),
    example="""\
>>> from hy_ndarray import nd
>>> bool((nd.random_uniform(2, 3, shape=(100,)).asnumpy() >= 2).all())
True""",
    check=_check_bounds,
)


def _gradients_normal(sample: Any, mu: Any, sigma: Any) -> Sequence[Any]:
    z = (sample - mu) / sigma
    return -z / sigma, z / sigma, (z * z - 1.0) / sigma


normal = Distribution(
    "normal",
    Parameter("loc", float, 0.0, text="Its mean.", of_many="the means", array="mu"),
    Parameter(
        "scale",
        NonNegativeFloat,
        1.0,
        text="Its standard deviation, not negative.",
        of_many="the standard deviations",
        array="sigma",
    ),
    text="Numbers of a normal distribution.",
    of_many="Numbers of normal distributions",
    of_density="Density of the normal distribution.",
    gradients=_gradients_normal,
    aliases=("normal",),
    example="""\
>>> from hy_ndarray import nd
>>> nd.random_normal(0, 1, shape=(2, 3)).shape
(2, 3)""",
)


def _gradients_gamma(sample: Any, alpha: Any, beta: Any) -> Sequence[Any]:
    return (
        (alpha - 1.0) / sample - beta,
        log(beta) + log(sample) - digamma(alpha),
        alpha / beta - sample,
    )


gamma = Distribution(
    "gamma",
    Parameter("alpha", PositiveFloat, 1.0, text="Its shape, positive.", of_many="the shapes"),
    Parameter(
        "beta",
        PositiveFloat,
        1.0,
        text="Its scale, positive; the mean is ``alpha * beta``.",
        of_many="the scales",
        of_density="the rates, one over what ``_random_gamma`` calls ``beta``",
    ),
    text="Numbers of a gamma distribution.",
    of_many="Numbers of gamma distributions",
    of_density="Density of the gamma distribution with a rate; 0 for negative numbers.",
    gradients=_gradients_gamma,
)


def _gradients_exponential(sample: Any, lam: Any) -> Sequence[Any]:
    return -lam, 1.0 / lam - sample


exponential = Distribution(
    "exponential",
    Parameter(
        "lam",
        PositiveFloat,
        1.0,
        text="Its rate, positive; the mean is ``1 / lam``.",
        of_many="the rates",
    ),
    text="Numbers of an exponential distribution.",
    of_many="Numbers of exponential distributions",
    of_density="Density of the exponential distribution; 0 for negative numbers.",
    gradients=_gradients_exponential,
)


def _gradients_poisson(sample: Any, lam: Any) -> Sequence[Any]:
    return None, sample / lam - 1.0


poisson = Distribution(
    "poisson",
    Parameter("lam", NonNegativeFloat, 1.0, text="Its mean, not negative.", of_many="the means"),
    text="Whole numbers of a Poisson distribution, in a floating dtype.",
    of_many="Whole numbers of Poisson distributions",
    of_density="Probability in the Poisson distribution; 0 for negative numbers.",
    gradients=_gradients_poisson,
)


def _gradients_negative_binomial(sample: Any, k: Any, p: Any) -> Sequence[Any]:
    return (
        None,
        digamma(sample + k) - digamma(k) + log(p),
        k / p - sample / (1.0 - p),
    )


negative_binomial = Distribution(
    "negative_binomial",
    Parameter(
        "k",
        NonNegative,
        1,
        text="Number of successes, not negative.",
        of_many="the numbers of successes",
    ),
    Parameter(
        "p",
        PositiveFloat,
        1.0,
        text="Probability of a success, above 0; one above 1 is 1.",
        of_many="the probabilities of a success",
    ),
    text="Draw the number of failed trials before the ``k``-th success, in a floating dtype.",
    of_many="Numbers of failures before the ``k``-th success",
    of_density="Probability of so many failures before the ``k``-th success; "
    "0 for negative numbers.",
    gradients=_gradients_negative_binomial,
)


def _gradients_generalized(sample: Any, mu: Any, alpha: Any) -> Sequence[Any]:
    k, p = 1.0 / alpha, 1.0 / (mu * alpha + 1.0)
    _, by_k, by_p = _gradients_negative_binomial(sample, k, p)
    inner = by_p * p * p
    return None, -alpha * inner, -mu * inner - by_k * k * k


generalized_negative_binomial = Distribution(
    "generalized_negative_binomial",
    Parameter("mu", NonNegativeFloat, 1.0, text="Its mean, not negative.", of_many="the means"),
    Parameter(
        "alpha",
        NonNegativeFloat,
        1.0,
        text="Its dispersion, not negative; 0 is the Poisson distribution.",
        of_many="the dispersions",
        of_density="the dispersions, positive",
    ),
    text="Whole numbers of a negative binomial distribution given by its mean.",
    of_many="Whole numbers of negative binomial distributions given by their means",
    of_density="Probability in the negative binomial distribution given by its mean; "
    "0 for negative numbers.",
    gradients=_gradients_generalized,
)

DISTRIBUTIONS = (
    uniform,
    normal,
    gamma,
    exponential,
    poisson,
    negative_binomial,
    generalized_negative_binomial,
)
