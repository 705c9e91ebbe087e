"""Random numbers in the shape and dtype of another array."""

from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.random.sampling import check_bounds
from hy_ndarray.ops.record.ranges import NonNegative, NonNegativeFloat, PositiveFloat
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.creation import zeros_like

__all__ = [
    "random_exponential_like",
    "random_gamma_like",
    "random_generalized_negative_binomial_like",
    "random_negative_binomial_like",
    "random_normal_like",
    "random_poisson_like",
    "random_uniform_like",
]


def _no_influence(saved: Saved, dy: Any) -> tuple[Any]:
    return (zeros_like(saved.inputs[0]),)


def _like(data: TensorType) -> TensorType:
    if data.dtype is not None and "float" not in data.dtype:
        raise DTypeError(f"{data.label}{data.dtype} is not floating")
    return data


@operator("_random_uniform_like", needs=("rng",), grad=_no_influence)
def random_uniform_like(data: TensorType, *, low: float = 0.0, high: float = 1.0) -> TensorType:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        low: Least number.
        high: Bound of the numbers, not below ``low``.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    check_bounds(low, high)
    return _like(data)


@operator("_random_normal_like", needs=("rng",), grad=_no_influence)
def random_normal_like(
    data: TensorType, *, loc: float = 0.0, scale: NonNegativeFloat = 1.0
) -> TensorType:
    """Numbers of a normal distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        loc: Its mean.
        scale: Its standard deviation, not negative.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)


@operator("_random_gamma_like", needs=("rng",), grad=_no_influence)
def random_gamma_like(
    data: TensorType, *, alpha: PositiveFloat = 1.0, beta: PositiveFloat = 1.0
) -> TensorType:
    """Numbers of a gamma distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        alpha: Its shape, positive.
        beta: Its scale, positive; the mean is ``alpha * beta``.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)


@operator("_random_exponential_like", needs=("rng",), grad=_no_influence)
def random_exponential_like(data: TensorType, *, lam: PositiveFloat = 1.0) -> TensorType:
    """Numbers of an exponential distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its rate, positive; the mean is ``1 / lam``.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)


@operator("_random_poisson_like", needs=("rng",), grad=_no_influence)
def random_poisson_like(data: TensorType, *, lam: NonNegativeFloat = 1.0) -> TensorType:
    """Whole numbers of a Poisson distribution, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its mean, not negative.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)


@operator("_random_negative_binomial_like", needs=("rng",), grad=_no_influence)
def random_negative_binomial_like(
    data: TensorType, *, k: NonNegative = 1, p: PositiveFloat = 1.0
) -> TensorType:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        k: Number of successes, not negative.
        p: Probability of a success, above 0; one above 1 is 1.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)


@operator("_random_generalized_negative_binomial_like", needs=("rng",), grad=_no_influence)
def random_generalized_negative_binomial_like(
    data: TensorType, *, mu: NonNegativeFloat = 1.0, alpha: NonNegativeFloat = 1.0
) -> TensorType:
    """Whole numbers of a negative binomial distribution given by its mean.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        mu: Its mean, not negative.
        alpha: Its dispersion, not negative; 0 is the Poisson distribution.

    Raises:
        DTypeError: ``data`` is not floating.
    """
    return _like(data)
